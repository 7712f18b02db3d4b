"""Twin-port optics: which cages may be split at both ends, how cables and optics are counted then, what is refused."""

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest

from nornir_tasks.design.model.catalogue import OpticModel
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.moves import moves
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

SN5600 = {"platform": "nvue", "release": "5.14", "model": "SN5600"}
X6 = {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"}
NXOS = {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9364D-GX2A"}
FACTS = {name: each.facts for name, each in platforms().items()}


def of(data: dict[str, Any]) -> Network:
    return design(intent_of(data), load_catalogue(), FACTS)


def split(leaf: dict[str, Any] = SN5600, spine: dict[str, Any] = SN5600, **changes: Any) -> dict[str, Any]:
    """Four hosts of 8 x 400G, each leaf's uplinks and each spine's ports two to a cage."""
    data = site(
        nics={"speed": "400G", "rails": 8},
        leaf={**leaf, "breakout": "2x400G", "uplink_breakout": "2x400G", "medium": "2xDR4", "cable_m": 30},
        spine={**spine, "breakout": "2x400G", "medium": "2xDR4", "cable_m": 60, "oversubscription": 1},
    )
    for path, value in changes.items():
        tier, _, key = path.partition("__")
        data["fabrics"]["compute"][tier][key] = value
    return data


def makes(network: Network, kind: str) -> Counter[tuple[str, str | None, str | None]]:
    links = {link.name: link for link in network.links}
    return Counter(
        (cable.make.kind, cable.make.upper_optic, cable.make.lower_optic)
        for cable in network.cables
        if links[cable.links[0]].kind == kind
    )


@pytest.mark.parametrize(
    ("leaf", "spine", "length_m", "optics"),
    [
        pytest.param(SN5600, SN5600, 60, ("MMS4X00-NS", "MMS4X00-NS"), id="shortest-reach"),
        pytest.param(SN5600, SN5600, 101, ("MMS4X00-NM", "MMS4X00-NM"), id="longer"),
        pytest.param(X6, SN5600, 60, ("MMS4X00-NS", "LPO-800G-2DR4"), id="eos-below-nvue"),
        pytest.param(X6, X6, 500, ("LPO-800G-2DR4", "LPO-800G-2DR4"), id="eos"),
    ],
)
def test_each_leg_has_a_jumper_between_the_optics_that_reach_least(
    leaf: dict[str, Any], spine: dict[str, Any], length_m: int, optics: tuple[str, str]
) -> None:
    found = of(split(leaf, spine, spine__cable_m=length_m))
    counts = design_counts(found)["planes"]["compute"]
    assert makes(found, "fabric") == {("jumper", *optics): counts["fabric_links"]}


def test_the_two_legs_of_a_cage_go_to_two_far_cages() -> None:
    found = of(split())
    behind = defaultdict(set)
    for link in (each for each in found.links if each.kind == "fabric"):
        for end, far in ((link.upper, link.lower), (link.lower, link.upper)):
            assert end.slot
            assert far.slot
            behind[end.device, end.slot.number].add((far.device, far.slot.number))
    assert {len(each) for each in behind.values()} == {2}


def test_an_optic_is_one_pluggable_with_two_legs() -> None:
    totals = design_counts(of(split()))["totals"]
    links = totals["links"]
    assert totals["cables"] == links == 64  # 32 to hosts, 32 to spines
    assert totals["optics"] == 16 + 32 + 16 + 16  # leaf cages down, NICs, leaf cages up, spine cages


def test_four_legs_of_a_cage_are_two_splitters() -> None:
    data = split(leaf__breakout="4x200G", leaf__cable_m=50)
    data["hosts"]["gpu"]["nics"]["compute"]["speed"] = "200G"
    data["fabrics"]["compute"]["leaf"]["spare_legs"] = "shut"
    found = of(data)
    assert makes(found, "host") == {("splitter", "MMS4X00-NS", None): 16}
    cable = next(each for each in found.cables if each.make.kind == "splitter")
    assert (cable.name, cable.links) == ("leaf-g1-r0-p1c1", ("leaf-g1-r0-h1", "leaf-g1-r0-h2"))
    rows = [row for row in cabling_plan(found) if row.cable == cable.name]
    assert [(row.a_leg, row.b_leg, row.part) for row in rows] == [
        (1, None, "400G-2xDR4-splitter-2x200G"),
        (2, None, "400G-2xDR4-splitter-2x200G"),
    ]


@pytest.mark.parametrize(
    ("kind", "ports"),
    [
        pytest.param(SN5600, ("swp1s0", "swp1s1", "swp2s0"), id="nvue-ordinals"),
        pytest.param(X6, ("Ethernet1/1", "Ethernet1/5", "Ethernet2/1"), id="eos-lanes"),
    ],
)
def test_legs_are_named_as_the_system_names_them_in_plan_and_configuration(
    kind: dict[str, Any], ports: tuple[str, ...]
) -> None:
    found = of(split(kind, kind))
    rows = [row for row in cabling_plan(found) if row.a_device == "spine-1"][:3]
    assert tuple(row.a_port for row in sorted(rows, key=lambda row: row.a_port)) == ports
    first = next(row for row in rows if row.a_port == ports[1])
    assert (first.a_leg, first.part) == (2, "400G-2xDR4-jumper")
    assert f"spine-1 {ports[1]} (leg 2 of cage 1)" in first.label
    assert re.search(r"\| leaf-g1-r\d \S+ \(leg [12] of cage \d+\)$", first.label)
    config = device_config(found, found.device("spine-1")).config
    assert {port.name for port in config.interfaces if port.layer1 and port.layer1.speed_gbps == 400} >= set(ports)


def refusal(data: dict[str, Any]) -> str:
    with pytest.raises(DesignError) as caught:
        of(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "says", "named"),
    [
        pytest.param(split(spine__medium="DR4"), ("a fibre of its own",), {"spine__medium": "2xDR4"}, id="medium"),
        pytest.param(split(spine__medium="DAC", spine__cable_m=2), ("DAC",), {"spine__medium": "2xSR4"}, id="copper"),
        pytest.param(split(spine__cable_m=501), ("at most 500 m", "501 m"), {"spine__medium": "2xFR4"}, id="long"),
        pytest.param(split(leaf__cable_m=101), ("to a NIC", "at most 100 m"), {"leaf__cable_m": 100}, id="nic"),
        pytest.param(
            split(spine__breakout="4x200G"),
            ("two speeds", "leaf.uplink_breakout: 2x400G", "spine.breakout: 4x200G"),
            {"spine__breakout": "2x400G"},
            id="two-speeds",
        ),
    ],
)
def test_a_refusal_has_the_numbers_and_names_what_can_be_built(
    data: dict[str, Any], says: tuple[str, ...], named: dict[str, Any]
) -> None:
    text = refusal(data)
    assert all(each in text for each in says), text
    for path, value in named.items():
        tier, _, key = path.partition("__")
        data["fabrics"]["compute"][tier][key] = value
    assert of(data).devices
    path, value = next(iter(named.items()))
    assert f"{path.partition('__')[2]}: {value}" in text, text


def test_a_leg_without_a_cable_is_left_where_that_saves_switches_and_the_design_says_so() -> None:
    """By hand: 25 hosts on 8 leaves of 128 ports at 400G, 25 up; 200 uplinks need 2 spines. 26 would fill the cages."""
    data = split()
    data["hosts"]["gpu"] |= {"count": 25, "max": 25}
    network = of(data)
    assert len(network.devices) == 8 + 2
    (part,) = network.fabrics["compute"].parts
    half = "a cage of each SN5600 is not full, and its rest is kept shut"
    assert [each.partition(";")[0] for each in part.sizing.warnings] == [
        f"{half}: 25 links to hosts, 2 to a cage",
    ]
    data["fabrics"]["compute"]["leaf"]["spare_legs"] = "shut"
    accepted = of(data)
    assert (len(accepted.devices), accepted.fabrics["compute"].parts[0].sizing.warnings) == (8 + 2, ())


def test_no_leg_is_left_where_all_cages_are_filled_by_as_few_switches() -> None:
    data = split()
    data["hosts"]["gpu"] |= {"count": 26, "max": 26}
    assert of(data).fabrics["compute"].parts[0].sizing.warnings == ()


def test_both_ends_cannot_be_splitters() -> None:
    data = split(leaf__uplink_breakout="4x200G", spine__breakout="4x200G", spine__cable_m=20, leaf__spare_legs="shut")
    text = refusal(data)
    assert "both ends of these cables would be splitters" in text
    assert "2x400G at both ends" in text


def test_a_system_without_a_sourced_optic_is_refused_by_name() -> None:
    data = split({**NXOS}, spine__breakout="4x200G", spine__cable_m=20, leaf__uplink_breakout="2x200G")
    data["fabrics"]["compute"]["leaf"] |= {"breakout": None, "medium": None, "cable_m": None}
    data["hosts"]["gpu"]["nics"]["compute"]["speed"] = "200G"
    assert "QSFP-DD cages of N9K-C9364D-GX2A under nxos" in refusal(data)


def test_a_jumper_moves_alone_and_its_neighbour_in_the_cage_stays() -> None:
    before, after = split(), split()
    for data, most in ((before, 4), (after, 16)):
        data["hosts"]["gpu"] |= {"count": 4, "max": most}
        data["fabrics"]["compute"]["leaf"]["spare_legs"] = "shut"
        data["fabrics"]["compute"]["spine"]["spare_legs"] = "shut"
        data["hosts"]["gpu"]["nics"]["compute"]["per_group"] = 4 if most == 4 else 8
    found = moves(of(before), of(after))
    where = {cable: legs for step in found.steps for cable, legs in ((each.cable, each.after) for each in step.moves)}
    assert where
    assert all(len(legs) <= 1 for legs in where.values())  # each jumper is handled by itself
    taken: dict[tuple[str, str], str] = {}
    for link in of(before).links:
        for end in (link.upper, link.lower):
            taken[end.device, end.port] = link.cable
    for step in found.steps:
        for each in step.moves:
            for port in (port for leg in each.before for port in leg):
                taken.pop(port, None)
        for each in step.moves:
            for port in (port for leg in each.after for port in leg):
                assert port not in taken, (each, taken[port])
                taken[port] = each.cable


def test_growth_within_the_maximum_moves_no_jumper() -> None:
    before, after = split(leaf__spare_legs="shut"), split(leaf__spare_legs="shut")
    for data, count in ((before, 3), (after, 9)):
        data["hosts"]["gpu"] |= {"count": count, "max": 16}
        data["hosts"]["gpu"]["nics"]["compute"]["per_group"] = 4
    found = moves(of(before), of(after))
    assert found.counts["add"]
    assert {action for action, count in found.counts.items() if count} == {"add"}


def test_optics_are_ordered_by_reach_and_each_has_a_cage_we_know() -> None:
    known = load_catalogue()
    cages = {group.cage for model in known.switches.values() for group in model.ports}
    by_medium: dict[tuple[str, str], list[OpticModel]] = defaultdict(list)
    for each in known.optics.values():
        assert each.cage in cages
        assert set(each.os) <= set(FACTS)
        by_medium[each.medium, each.os[0]].append(each)
    for several in by_medium.values():
        ordered = sorted(several, key=lambda each: each.reach_m)
        assert all(one.reach_m < other.reach_m for one, other in pairwise(ordered))


def two_groups(**spine: Any) -> dict[str, Any]:
    """A second group of hosts with leaves of its own below the same spines; each group has an odd number of leaves."""
    data = split(leaf__spare_legs="shut", **{f"spine__{key}": value for key, value in spine.items()})
    first = data["hosts"]["gpu"]
    first["nics"]["compute"] |= {"rails": 1, "per_group": 4}
    first |= {"count": 12, "max": 12}
    data["hosts"]["cpu"] = {"count": 12, "max": 12, "nics": {"compute": {"rails": 1, "per_group": 4, "speed": "400G"}}}
    return data


def test_groups_of_hosts_share_a_spine_s_cage_leg_by_leg() -> None:
    found = of(two_groups(capacity_after_loss=0.5))
    ends = [link.upper for link in found.links if link.kind == "fabric"]
    legs = Counter((end.device, end.slot.number, end.slot.leg) for end in ends if end.slot)
    assert set(legs.values()) == {1}
    assert len({cable.name for cable in found.cables}) == len(found.cables) == len(found.links)
    cages = Counter((end.device, end.slot.number) for end in ends if end.slot)
    assert set(cages.values()) == {2}


def test_a_splitter_has_as_many_legs_as_its_source_says_and_no_more() -> None:
    data = split(leaf__breakout="8x100G", leaf__uplink_breakout=None, leaf__spare_legs="shut")
    data["fabrics"]["compute"]["spine"] |= {"breakout": None, "medium": "DR4", "uplink_speed": "400G"}
    data["hosts"]["gpu"]["nics"]["compute"]["speed"] = "100G"
    text = refusal(data)
    assert "a splitter has 2 legs, and this needs 4 in each connector" in text
    assert "expected: 2x400G or 4x200G" in text
    assert "nearest that can be built over 30 m: medium: SR8 or medium: DR8" in text
    for medium in ("SR8", "DR8"):
        data["fabrics"]["compute"]["leaf"]["medium"] = medium
        assert of(data).devices
