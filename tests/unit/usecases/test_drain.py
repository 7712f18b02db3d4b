"""What is refused of a drain before any switch is asked, and what is left of the network while one is drained."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from nornir_tasks.checks.counters.rates import rates
from nornir_tasks.design.addresses.drained_routes import paths_with
from nornir_tasks.design.addresses.routes import learned_paths
from nornir_tasks.design.model.drain import MOST_CHARACTERS, Drain, drain_of, room_for_reason
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.reports.drains import beside, consequence
from nornir_tasks.errors import GpufabricError
from nornir_tasks.platforms.counted import Counter, Place, Reading
from nornir_tasks.usecases.drain import device_named, drain_for
from nornir_tasks.usecases.quiet import QUIET_BYTES_PER_S, traffic
from nornir_tasks.usecases.site import SiteDesign, load

GOLDEN = Path(__file__).parents[2] / "errors/drains_refused/expected.txt"
NOW = datetime(2030, 1, 31, 7, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def lab() -> SiteDesign:
    """All four planes, with pairs, an out-of-band tree and edge routers."""
    return load("lab")


def test_a_drain_that_is_refused_reads_otherwise(lab: SiteDesign, request: pytest.FixtureRequest) -> None:
    texts = []
    for reason, until in (
        ("fan 2 is broken", "2030-01-31T07:30Z"),
        ("fan 2 is broken", "2030-01-31T09:00+02:00"),
        ("fan 2 is broken", "in an hour"),
        ('the "new" one comes', None),
        ("is it broken?", None),
        ("x" * 60, "2030-02-01"),
        ("", "yesterday"),
    ):
        with pytest.raises(GpufabricError) as refused:
            drain_for("alice", reason, until, NOW)
        texts.append(str(refused.value))
    for name in ("spine-9", "gpu-1", "oob-leaf-g1", "oob-spine-1", "front-leaf-g1-a"):
        with pytest.raises(GpufabricError) as refused:
            device_named(lab, name)
        texts.append(str(refused.value))
    printed = "\n".join(texts) + "\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(printed, encoding="utf-8")
    assert printed == GOLDEN.read_text(encoding="utf-8")


def test_a_time_is_utc_to_the_minute_and_the_longest_reason_is_taken() -> None:
    drain = drain_for("alice", "  fan 2   is broken ", "2030-01-31 10:15:59+01:00", NOW)
    assert drain == Drain("alice", datetime(2030, 1, 31, 9, 15, tzinfo=UTC), "fan 2 is broken")
    room = room_for_reason(drain)
    assert len(drain_for("alice", "x" * room, "2030-01-31T09:15Z", NOW).words) == MOST_CHARACTERS
    with pytest.raises(GpufabricError):
        drain_for("alice", "x" * (room + 1), "2030-01-31T09:15Z", NOW)


def test_a_drain_is_read_from_the_configuration_it_made_on_every_switch_that_can_be_drained(lab: SiteDesign) -> None:
    wanted = drain_for("alice", "RMA 4711: fan 2", "2030-01-31T09:15Z", NOW)
    for device in lab.network.devices:
        assert drain_of(device_config(lab.network, device).config) is None, device.name
        assert drain_of(device_config(lab.network, device, drained=wanted).config) == wanted, device.name
        assert drain_of(device_config(lab.network, device, drained=True).config) == Drain(), device.name


def test_with_the_other_spine_drained_or_silent_nothing_is_left_and_that_is_less_than_declared(lab: SiteDesign) -> None:
    network, spine = lab.network, lab.network.device("spine-1")
    assert beside(network, spine) == ("spine-2",)
    alone = consequence(network, spine, ())
    assert [str(each) for each in alone.below][:1] == ["leaf-g1-r0 keeps 1 of 2 uplinks"]
    assert list(alone.refusals()) == []
    ((what, _, found),) = consequence(network, spine, {"spine-2"}).refusals()
    assert (found, "less than is declared" in what) == ("0", True)


def test_hosts_of_a_leaf_are_alone_when_every_other_leaf_of_theirs_is_drained(lab: SiteDesign) -> None:
    network, leaf = lab.network, lab.network.device("leaf-g1-r0")
    others = beside(network, leaf)
    assert others == tuple(f"leaf-g1-r{rail}" for rail in range(1, 8))
    assert consequence(network, leaf, others[1:]).alone == ()
    cut = consequence(network, leaf, others)
    assert cut.alone == cut.hosts != ()
    assert len([*cut.refusals()]) == 1


def test_an_edge_router_is_drained_only_beside_another_one_that_carries_traffic(lab: SiteDesign) -> None:
    network, edge = lab.network, lab.network.device("edge-1")
    assert beside(network, edge) == ("edge-2",)
    assert list(consequence(network, edge, ()).refusals()) == []
    assert len([*consequence(network, edge, {"edge-2"}).refusals()]) == 1


def test_paths_go_round_a_drained_spine_and_its_own_prefix_stays_where_it_is(lab: SiteDesign) -> None:
    network = lab.network
    whole, drained = (
        dict(learned_paths(network).of("leaf-g1-r0")),
        dict(paths_with(network, {"spine-1"}).of("leaf-g1-r0")),
    )
    assert whole.keys() == drained.keys()
    changed = {name: (whole[name], drained[name]) for name in whole if whole[name] != drained[name]}
    assert changed == {f"leaf-g1-r{rail}": (2, 1) for rail in range(1, 8)}
    both = dict(paths_with(network, {"spine-1", "spine-2"}).of("leaf-g1-r0"))
    assert both == whole, "no other way is left, so all are taken"


def reading(at_s: float, bytes_out: float) -> Reading:
    ports = {"swp1": 0.0, "swp2": bytes_out}
    values = {counter: {Place(port): value for port, value in ports.items()} for counter in BYTES}
    return Reading("spine-1", at_s, None, None, values)


BYTES = (Counter.BYTES_IN, Counter.BYTES_OUT)


@pytest.mark.parametrize(("rate", "gone"), [(QUIET_BYTES_PER_S - 1, True), (QUIET_BYTES_PER_S, False)])
def test_traffic_is_gone_when_no_cabled_port_carries_more_than_a_megabit(
    lab: SiteDesign, rate: float, gone: bool
) -> None:
    first, second = reading(0, 0), reading(10, 10 * rate)
    assert rates(first, second).is_whole
    found = traffic(lab.network, first, second)
    assert (found.is_gone, found.ports) == (gone, 2)
    assert [*found.busy] == ([] if gone else ["swp2"])


def test_a_switch_that_shows_no_bytes_is_not_taken_for_quiet(lab: SiteDesign) -> None:
    found = traffic(lab.network, Reading("spine-1", 0, None, None, {}), Reading("spine-1", 10, None, None, {}))
    assert not found.is_gone
    with pytest.raises(GpufabricError, match="cannot be told"):
        found.require_gone()
