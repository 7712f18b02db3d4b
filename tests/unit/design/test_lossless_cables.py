"""The length of lossless cables: what is configured, what is refused by name, and that both ends have the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml

from nornir_tasks.design.capacity.lossless_cables import buffer_use, cables_of, is_lossless, unsourced, warnings
from nornir_tasks.design.hosts.host_needs import host_needs
from nornir_tasks.design.hosts.host_vars import OnPlane, roce_qos
from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.design.model.headroom import PortCable, configured_bytes, configured_m
from nornir_tasks.design.pipeline import design, every_demand
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.unit.design import long_cables
from tests.unit.design.front import loaded

LENGTHS_M = (3, 40, 100, 200, 500, 2000)
OS_RELEASES = {"eos": "4.33.1F", "nvue": "5.14", "nxos": "10.4(3)"}


def text(device: str, spine_m: int | None, **spine: object) -> str:
    each = long_cables.realised(device, spine_m, **spine)
    return render(each.config, each.capabilities, environment(each.config.os))


@pytest.mark.parametrize("device", long_cables.DEVICES.values(), ids=long_cables.DEVICES)
def test_up_to_the_systems_own_length_nothing_is_configured(device: str) -> None:
    assert text(device, None) == text(device, 3) == text(device, 100)
    assert "headroom" not in text(device, 100)
    assert "cable-length" not in text(device, 100)


def test_a_longer_cable_is_told_to_both_its_switches() -> None:
    assert "\n      cable-length: 300\n" in text("spine-1", 300)
    assert "\n   ingress headroom bytes 839470\n" in text("leaf-g1", 300)  # the table's 839,216 and a cell of MTU
    assert "\nplatform trident mmu queue profile GPUFABRIC-HEADROOM apply\n" in text("leaf-g1", 300)
    assert "\n   ingress headroom bytes 1136650\n" in text("leaf-g1", 301)


def verdict(model: SwitchModel, os: str, speed_gbps: int, metres: int) -> str:
    """What becomes of a lossless cable of this length: the system's own headroom, a figure, or a refusal."""
    facts = platforms()[os].facts
    known = facts.capabilities(OS_RELEASES[os], model.asic_under(os))
    cable = PortCable(speed_gbps, metres)
    if metres <= known.cables.own_m:
        assert configured_m([cable], known.cables) is configured_bytes([cable], known.cables) is None
        return "own"
    longest = known.cables.longest_m(speed_gbps)
    if longest is not None and metres > longest:
        what, hint = unsourced(f"{model.model} with {os}", known.cables, cable, longest)
        assert what.startswith(f"no source has headroom of {model.model} with {os} for {speed_gbps}G over {metres} m")
        nearest, _, reason = hint.removeprefix("nearest that can be built: cable_m: ").partition("; ")
        assert reason
        assert verdict(model, os, speed_gbps, int(nearest)) != "refused"
        return "refused"
    assert known.cables.source is not None
    assert known.cables.headroom(cable) is not None
    assert (configured_m([cable], known.cables) or 0) >= metres or configured_bytes([cable], known.cables)
    return "figure"


def test_every_pair_of_asic_and_length_is_the_systems_own_has_a_figure_or_is_refused(
    figure: Callable[[str], None],
) -> None:
    found: dict[str, Counter[str]] = {}
    for name, model in load_catalogue().switches.items():
        for os in model.os:
            for speed in {mode.speed_gbps for group in model.ports for mode in group.modes}:
                for metres in LENGTHS_M:
                    judged = verdict(model, os, speed, metres)
                    found.setdefault(f"{name} {os}", Counter())[judged] += 1
                    assert (judged == "own") == (metres <= 100)
    for name, counts in found.items():
        if "nxos" in name or name.startswith(("7060DX5", "7280", "7010")):
            assert not counts["figure"], name
        assert counts["refused"] or name.startswith(("SN5", "REF-")), name
    figure("; ".join(f"{name}: {dict(counts)}" for name, counts in sorted(found.items())))


@pytest.mark.parametrize(
    ("speed_gbps", "longest_m"), [(100, 500), (200, 300), (400, 500), (800, 300), (25, 100)], ids=str
)
def test_tomahawk_5_ends_where_its_tables_end(speed_gbps: int, longest_m: int) -> None:
    known = platforms()["eos"].facts.capabilities("4.33.1F", "tomahawk5").cables
    assert known.longest_m(speed_gbps) == longest_m


def test_a_cable_that_no_source_has_headroom_for_is_refused_by_name() -> None:
    with pytest.raises(DesignError) as caught:
        long_cables.network(600, medium="FR4")
    message = str(caught.value)
    assert "fabrics.compute.spine.cable_m: no source has headroom of REF-128x400G with eos 4.33.1F for 400G" in message
    assert "at most 500 m" in message
    assert "nearest that can be built: cable_m: 500" in message


def test_headroom_that_the_buffer_does_not_hold_is_refused_with_the_sum_and_the_nearest_that_fits() -> None:
    leaf = {"platform": "nvue", "release": "5.14"}
    with pytest.raises(DesignError) as caught:
        long_cables.network(900, medium="FR4", leaf=tuple(leaf.items()))
    message = str(caught.value)
    assert "does not hold the headroom of its lossless ports for 900 m" in message
    nearest = int(message.partition("nearest that can be built: cable_m: ")[2].split()[0])
    assert 300 < nearest < 900
    long_cables.network(nearest, medium="FR4", leaf=tuple(leaf.items()))
    with pytest.raises(DesignError):
        long_cables.network(nearest + 1, medium="FR4", leaf=tuple(leaf.items()))


@pytest.mark.parametrize("spine_m", [40, 300])
def test_both_ends_of_every_lossless_cable_have_its_length_and_speed(spine_m: int) -> None:
    network = long_cables.network(spine_m)
    judged = Counter[str]()
    for link in network.links:
        metres = network.cable_m(link)
        assert metres is not None
        for end in (link.upper, link.lower):
            if end.device in network:
                ports = cables_of(network, network.device(end.device))
                assert any((port.speed_gbps, port.cable_m) == (link.speed_gbps, metres) for port in ports)
                switch = long_cables.realised(end.device, spine_m).config.qos
                assert switch is not None
                assert switch.cable_m is None or switch.cable_m >= metres
            judged[link.kind] += is_lossless(network, link)
    assert set(judged) == {"host", "fabric"}
    assert all(judged.values())


@pytest.mark.parametrize("leaf_m", [5, 60])
def test_a_nic_is_told_the_length_of_the_cable_that_its_leaf_has(leaf_m: int) -> None:
    network, intent = long_cables.network(300, leaf_m), long_cables.intent(300, leaf_m)
    facts = {name: each.facts for name, each in platforms().items()}
    (needs,) = host_needs(every_demand(intent, load_catalogue(), facts), load_catalogue(), intent.marks)
    for host in network.hosts:
        nics = network.rails_of(host, "compute")
        on_host = roce_qos(network, [OnPlane(network.planes["compute"], needs, nics)]).cable_m
        assert {network.cable_m(nic.circuit.link) for nic in nics} == {on_host} == {leaf_m}


def test_optics_of_kilometres_warn_on_lossless_links() -> None:
    assert warnings(long_cables.network(300)) == ()
    (found,) = warnings(long_cables.network(200, medium="FR4"))
    assert found.startswith(
        "lossless links of fabric compute have FR4 optics, which reach 2000 m: buffers are made for"
    )
    assert "the declared 200 m" in found


def test_the_buffer_is_judged_for_the_ports_that_growth_will_bring() -> None:
    network = long_cables.network()
    device = network.device("leaf-g1")
    more = replace(device, slots=(*device.slots, *(replace(device.slots[0], number=200 + n) for n in range(9))))
    before, after = buffer_use(network, device), buffer_use(network, more)
    assert sum(after.ports.values()) == sum(before.ports.values()) + 9
    assert (after.total_bytes or 0) > (before.total_bytes or 0)


def test_marks_in_full_beyond_what_headroom_leaves_over_are_refused_and_the_largest_that_fits_is_built() -> None:
    leaf = {"platform": "nvue", "release": "5.14", "medium": "FR4", "cable_m": 450}
    made = yaml.safe_load(long_cables.SITE.read_text())
    made["fabrics"]["compute"]["leaf"].update(leaf)
    made["fabrics"]["compute"]["spine"].update({"medium": "FR4", "cable_m": 450})
    ecn = made["policy"]["classes"]["roce"]["ecn"] = {"min_bytes": 100_000, "probability_percent": 10}

    def built(max_bytes: int) -> None:
        ecn["max_bytes"] = max_bytes
        design(loaded(made), load_catalogue(), {name: each.facts for name, each in platforms().items()})

    with pytest.raises(DesignError) as caught:
        built(125_000_000)
    largest = int(str(caught.value).partition("expected: at most ")[2].split()[0])
    assert 0 < largest < 125_000_000
    built(largest)
    with pytest.raises(DesignError, match="beside its headroom"):
        built(largest + 1)
