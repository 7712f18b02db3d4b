"""What an OS does not support as intended is adjusted, with the reason on record; nothing else changes."""

import pytest

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.pipeline import Realised, device_configs
from tests.strategies import built
from tests.unit.design.lab_like import configs
from tests.unit.design.test_nearest import site

EOS, NXOS, SPINE = "leaf-g1-r0", "leaf-g1-r1", "spine-1"


def reasons(realised: Realised) -> dict[str, tuple[str, str]]:
    return {each.field: (each.intended, each.adjusted) for each in realised.adjustments}


def test_a_link_has_the_mtu_that_both_ends_hold_and_the_greater_end_says_why() -> None:
    spine = configs()[SPINE]
    ports = {port.name: port.mtu_bytes for port in spine.config.interfaces}
    assert (ports["swp1"], ports["swp2"]) == (9214, 9216)
    assert reasons(spine)["interfaces.swp1.mtu_bytes"] == ("9216", "9214")
    assert "interfaces.swp2.mtu_bytes" not in reasons(spine)
    assert any("leaf-g1-r0" in each.reason for each in spine.adjustments)


def test_the_strict_class_moves_where_the_system_wants_its_strict_queue() -> None:
    queues = {
        name: [q.number for q in each.config.qos.profiles[0].queues if q.strict] for name, each in configs().items()
    }
    assert (queues[EOS], queues[NXOS], queues[SPINE]) == ([6], [7], [6])
    assert reasons(configs()[NXOS])["qos.classes.cnp.priority"] == ("6", "7")
    cnp = next(each for each in configs()[NXOS].config.qos.classes if each.priority == 7)
    assert cnp.dscp == (48,)
    assert cnp.queue == 7


@pytest.mark.parametrize(
    ("device", "field"),
    [
        pytest.param(EOS, "bgp.peer_groups.COMPUTE-SPINES.connect_retry_s", id="no-connect-retry"),
        pytest.param(NXOS, "bgp.peer_groups.COMPUTE-SPINES.advertisement_interval_s", id="no-advertisement-interval"),
        pytest.param(NXOS, "hashing.seed", id="no-seed"),
    ],
)
def test_what_a_system_has_no_way_to_hold_is_none_and_recorded(device: str, field: str) -> None:
    assert reasons(configs()[device])[field][1] == "not set"


def test_an_interval_below_what_the_asic_takes_is_raised() -> None:
    bfd = configs()[SPINE].config.bfd
    assert bfd is not None
    assert (bfd.interval_ms, bfd.min_rx_ms, bfd.multiplier) == (400, 400, 3)
    assert reasons(configs()[SPINE])["bfd"] == ("300/300 ms x 3", "400/400 ms x 3")


def test_seeds_of_adjacent_tiers_differ() -> None:
    assert configs()[EOS].config.hashing != configs()[SPINE].config.hashing


def test_given_thresholds_are_rounded_up_to_cells_and_auto_is_the_asics_own() -> None:
    data = site()
    data["policy"]["classes"]["roce"]["ecn"] = {"min_bytes": 10_000, "max_bytes": 20_000, "probability_percent": 7}
    given = configs_of(data)["leaf-g1-r0"]
    assert [queue.ecn for queue in given.config.qos.profiles[0].queues if queue.ecn] == [Ecn(10_240, 20_224, 7)]
    assert "qos.profiles.queues.roce.ecn" in reasons(given)
    auto = configs_of(site())["leaf-g1-r0"]
    assert [queue.ecn for queue in auto.config.qos.profiles[0].queues if queue.ecn] == [Ecn(150_000, 1_500_000, 100)]


def test_without_bfd_there_is_no_trace_of_it_and_timers_are_short() -> None:
    for each in configs_of(site(routing={"bfd": False})).values():
        group = each.config.bgp.peer_groups[0]
        assert (each.config.bfd, group.bfd, group.keepalive_s, group.hold_s) == (None, False, 3, 9)
        assert "bfd" not in each.config.services


def test_without_dcqcn_nothing_marks_but_pfc_stays() -> None:
    data = site()
    data["policy"]["congestion"] = "pfc_only"
    del data["policy"]["classes"]["roce"]["ecn"]
    data["policy"]["classes"]["cts"] = data["policy"]["classes"].pop("cnp")
    for each in configs_of(data).values():
        profile = each.config.qos.profiles[0]
        assert all(queue.ecn is None for queue in profile.queues)
        assert profile.pfc_priorities == (3,)


def test_without_a_lossless_class_there_is_no_pfc_and_no_watchdog() -> None:
    data = site()
    del data["policy"]["classes"]["roce"]["lossless"]
    for each in configs_of(data).values():
        assert (each.config.qos.watchdog, each.config.qos.profiles[0].watchdog) == (None, False)
        assert each.config.qos.profiles[0].pfc_priorities == ()


def configs_of(data: dict) -> dict[str, Realised]:
    return {each.config.name: each for each in device_configs(built(data))}
