"""One NIC as several ports, each on an equal copy of the fabric: counted, followed and told apart by enumeration."""

from collections import Counter, defaultdict
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.deploy.waves import members, most_only_leaves, waves
from nornir_tasks.design.hosts.host_vars import rail_interfaces
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.design.reports.bom import bill_of_materials
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.drawing_layout import drawing
from nornir_tasks.design.reports.moves import moves
from nornir_tasks.design.reports.transceivers import leg_of
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.lab.machines import machine_plans
from nornir_tasks.usecases.site import load
from tests.intent_parts import fabric, figures, group, needs, nics, plane
from tests.strategies import intent_of
from tests.unit.design.copies import SN5600, network, places, site
from tests.unit.design.test_moves import replay

BOTH = pytest.mark.parametrize("copies", [2, 4])


@cache
def reference(copies: int) -> Network:
    """256 hosts with 8 NICs on SN5600."""
    return network(site(copies, at=places(copies)))


def components(of: Network) -> list[set[str]]:
    """Switches that links between switches join."""
    joined: dict[str, set[str]] = defaultdict(set)
    for link in of.links:
        if link.kind == "fabric":
            joined[link.upper.device].add(link.lower.device)
            joined[link.lower.device].add(link.upper.device)
    found, left = [], set(joined)
    while left:
        part, edge = set(), {left.pop()}
        while edge:
            part |= edge
            edge = {far for each in edge for far in joined[each]} - part
        left -= part
        found.append(part)
    return found


def test_dual_plane_64_leaves_and_32_spines() -> None:
    """By hand: 256 hosts x 8 NICs x 2 ports = 4,096 host links of 400G. A leaf has 64 of its 128 ports of 400G down
    and, 1:1, 64 up: 4,096 / 64 = 64 leaves with 64 x 64 = 4,096 uplinks, 128 to a spine: 32 spines. Each copy has half
    of everything: 32 leaves, which are 8 rails x 4 groups of 64 hosts, and 16 spines."""
    found = design_counts(reference(2))["fabrics"]["compute"]
    assert {tier: each["switches"] for tier, each in found["tiers"].items()} == {"leaf": 64, "spine": 32, "core": 0}
    assert (found["host_links"], found["fabric_links"], found["oversubscription"]) == (4096, 4096, 1.0)
    speeds = Counter((link.kind, link.speed_gbps) for link in reference(2).links)
    assert speeds == {("host", 400): 4096, ("fabric", 400): 4096}


def test_quad_plane_64_leaves_and_32_spines() -> None:
    """By hand: 256 hosts x 8 NICs x 4 ports = 8,192 host links of 200G. A leaf has 32 cages as 128 ports of 200G down
    and, 1:1, 64 of 400G up: 8,192 / 128 = 64 leaves with 4,096 uplinks, 128 to a spine: 32 spines. Each copy has a
    quarter: 16 leaves, which are 8 rails x 2 groups of 128 hosts, and 8 spines."""
    found = design_counts(reference(4))["fabrics"]["compute"]
    assert {tier: each["switches"] for tier, each in found["tiers"].items()} == {"leaf": 64, "spine": 32, "core": 0}
    assert (found["host_links"], found["fabric_links"], found["oversubscription"]) == (8192, 4096, 1.0)
    speeds = Counter((link.kind, link.speed_gbps) for link in reference(4).links)
    assert speeds == {("host", 200): 8192, ("fabric", 400): 4096}


@BOTH
def test_no_switch_is_shared_between_copies_and_every_nic_has_a_port_on_each(copies: int) -> None:
    of = reference(copies)
    parts = components(of)
    assert len(parts) == copies
    assert {len({of.device(name).copy for name in part}) for part in parts} == {1}
    assert sum(map(len, parts)) == len(of.devices) == 96
    copies_of: dict[tuple[str, int], list[int | None]] = defaultdict(list)
    for nic in of.nics:
        copies_of[nic.host, nic.nic].append(of.device(nic.leaf).copy)
        assert of.device(nic.leaf).copy == nic.leg + 1
        assert of.device(nic.leaf).rail == nic.nic
    assert len(copies_of) == 256 * 8
    assert set(map(tuple, copies_of.values())) == {tuple(range(1, copies + 1))}


@BOTH
def test_copies_are_equal_and_every_leaf_reaches_every_spine_of_its_own(copies: int) -> None:
    of, shapes = reference(copies), []
    for copy in range(1, copies + 1):
        shape = Counter[tuple[str, str, str, str, int]]()
        for link in of.links:
            if of.device(link.upper.device).copy == copy:
                lower = link.lower.device.replace(f"-c{copy}-", "-"), link.lower.port.removesuffix(f"c{copy}")
                upper = link.upper.device.replace(f"-c{copy}-", "-"), link.upper.port
                shape[*upper, *lower, link.place] += 1
        shapes.append(shape)
        leaves = {each.name for each in of.devices if each.copy == copy and each.level == 0}
        spines = {each.name for each in of.devices if each.copy == copy and each.level == 1}
        assert {frozenset(x.upper.device for x in of.links_of(leaf) if x.kind == "fabric") for leaf in leaves} == {
            frozenset(spines)
        }
    assert all(shape == shapes[0] for shape in shapes)


@BOTH
def test_no_port_is_cabled_twice_and_each_leg_of_a_nic_goes_to_a_leaf_of_its_own(copies: int) -> None:
    of = reference(copies)
    ends = Counter((end.device, end.port) for link in of.links for end in (link.upper, link.lower))
    assert set(ends.values()) == {1}
    first = [nic.link for nic in of.nics if (nic.host, nic.nic) == ("gpu-7", 3)]
    assert [leg_of(link.lower) for link in first] == [f"leg {leg} of rail3" for leg in range(1, copies + 1)]
    assert [link.lower.port for link in first] == [f"rail3c{copy}" for copy in range(1, copies + 1)]
    assert [link.upper.device for link in first] == [f"leaf-c{copy}-g1-r3" for copy in range(1, copies + 1)]
    rows = [row for row in cabling_plan(of) if row.b_device == "gpu-7" and row.b_port.startswith("rail3c")]
    assert [row.b_leg for row in rows] == list(range(1, copies + 1))
    assert len({row.cable for row in rows}) == copies


@BOTH
def test_names_addresses_and_asns_of_no_two_switches_are_alike(copies: int) -> None:
    of = reference(copies)
    assert len({each.name for each in of.devices}) == len({each.loopback for each in of.devices}) == 96
    leaves = [each.asn for each in of.devices if each.level == 0]
    assert len(set(leaves)) == 64
    above = {each.asn for each in of.devices if each.level == 1}
    assert len(above) == copies
    assert not above & set(leaves)
    addresses = [address for each in of.circuits for address in (each.upper_address, each.lower_address)]
    assert len(set(addresses)) == len(addresses) == 2 * len(of.links)


@BOTH
def test_a_copy_has_an_equal_part_of_each_pool(copies: int) -> None:
    of, hosts = reference(copies), IPv4Network("10.168.0.0/13")
    parts = list(hosts.subnets(prefixlen_diff=copies.bit_length() - 1))
    assert [IPv4Network(each) for each in of.planes["compute"].copy_pools] == parts
    for nic in of.nics:
        (circuit,) = of.circuits_on(nic.link)
        assert IPv4Address(circuit.lower_address) in parts[nic.leg]
    for device, block in of.host_blocks.items():
        copy = of.device(device[0]).copy
        assert copy is not None
        assert IPv4Network(block).subnet_of(parts[copy - 1])


def test_a_shared_address_is_the_same_on_every_copy_and_a_nics_alone() -> None:
    of = network(site(2, hosts=64, copy_addressing="shared"))
    addresses: dict[tuple[str, int], set[str]] = defaultdict(set)
    for nic in of.nics:
        (circuit,) = of.circuits_on(nic.link)
        addresses[nic.host, nic.nic].add(circuit.lower_address)
    assert {len(each) for each in addresses.values()} == {1}
    assert len({address for each in addresses.values() for address in each}) == 64 * 8
    assert of.planes["compute"].copy_pools == ("10.168.0.0/13", "10.168.0.0/13")
    assert of.host_block("leaf-c1-g1-r3", "compute") == of.host_block("leaf-c2-g1-r3", "compute")


@BOTH
def test_the_bill_has_one_nic_and_one_pluggable_for_all_ports_of_a_cage(copies: int) -> None:
    """By hand: 2,048 NICs. Between switches 64 leaves x 32 cages and 32 spines x 64 cages: 4,096 twin-port optics with
    4,096 jumpers. Dual: 64 leaves x 32 cages more, 2,048 optics in NICs and 4,096 jumpers. Quad: no medium joins four
    legs with four, so each of 8,192 is a cable of its own whose make nobody declared."""
    data = site(copies, at=places(copies))
    found = bill_of_materials(reference(copies), intent_of(data), load_catalogue())
    counts = {(each.part.kind, each.part.part): each.count for each in found.lines}
    assert counts[("nic", "ConnectX-8")] == 2048
    assert counts[("label", "cable label")] == len(reference(copies).links)
    if copies == 2:
        assert counts[("transceiver", "MMS4X00-NS")] == 6144
        assert counts[("transceiver", "2x400G-DR4")] == 2048
        assert counts[("jumper", "OS2 jumper, MPO-12/APC")] == 8192
    else:
        assert counts[("transceiver", "MMS4X00-NS")] == 4096
        assert counts[("assembly", "200G, medium not declared")] == 8192
        assert counts[("jumper", "OS2 jumper, MPO-12/APC")] == 4096
    sizing = reference(copies).fabrics["compute"].parts[0].sizing.chosen
    totals = design_counts(reference(copies))["totals"]
    assert (sizing.switches, sizing.links, sizing.optics) == (totals["switches"], totals["links"], totals["optics"])


def test_an_assembly_with_two_ends_at_leaves_has_one_plug_in_the_nic() -> None:
    data = site(2, hosts=4)
    fabric(data)["leaf"] = {**SN5600, "medium": "AOC", "cable_m": 20}
    fabric(data)["spine"] = {**SN5600, "uplink_speed": "800G"}
    of = network(data)
    cable = next(each for each in of.cables if each.name == "gpu-2-rail5")
    assert cable.links == ("leaf-c1-g1-r5-h2", "leaf-c2-g1-r5-h2")
    found = bill_of_materials(of, intent_of(data), load_catalogue())
    assert {each.part.part: each.count for each in found.lines if each.part.kind == "assembly"} == {
        "800G-AOC-2x400G": 32,
        "800G, medium not declared": len([each for each in of.links if each.kind == "fabric"]),
    }


@BOTH
def test_a_host_has_a_table_for_each_port_with_routes_of_its_copy_alone(copies: int) -> None:
    data = site(copies, at=places(copies))
    found = rail_interfaces(reference(copies), needs(intent_of(data)), "gpu-5")
    assert [each.name for each in found.rails[: copies + 1]] == [
        *(f"rail0c{copy}" for copy in range(1, copies + 1)),
        "rail1c1",
    ]
    assert [each.match.pci for each in found.rails] == list(places(copies))
    assert [each.table for each in found.rails] == list(range(100, 100 + 8 * copies))
    pools = reference(copies).planes["compute"].copy_pools
    for number, rail in enumerate(found.rails):
        whole = IPv4Network(pools[number % copies])
        assert IPv4Network(rail.plane_supernet or found.plane_supernet) == whole
        assert IPv4Network(rail.supernet).subnet_of(whole)
        assert {IPv4Address(rail.address), IPv4Address(rail.gateway)} < set(IPv4Network(rail.supernet))
    assert len({each.supernet for each in found.rails}) == 8 * copies


def test_roles_and_nccl_refuse_copies_by_name() -> None:
    data = site(2, hosts=4, at=places(2))
    intent = intent_of(data)
    with pytest.raises(IntentError, match=r"(?s)gpu\.nics\.compute\.copies: host roles and NCCL settings.*not built"):
        host_inventory(intent, network(data), load_catalogue())


def test_lab_machines_with_copies_are_refused_by_name(tmp_path: Path) -> None:
    data = {**site(2, hosts=4, at=list(places(2))), "management": {"source": "lab"}}
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(IntentError, match=r"gpu\.nics\.compute\.copies: host roles and NCCL settings"):
        machine_plans(load(tmp_path), 1)
    assert machine_plans(load(tmp_path), 0) == ()


def test_one_table_for_each_port_is_refused_where_ports_share_an_address() -> None:
    with pytest.raises(IntentError, match=r"(?s)copy_addressing: a routing table for each port.*per_port"):
        needs(intent_of(site(2, hosts=4, at=places(2), copy_addressing="shared")))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"link": "svi"}, id="svi"),
        pytest.param({"link": "subnet/28"}, id="subnet"),
        pytest.param({"design": "clos"}, id="one-leaf-for-all-rails"),
        pytest.param({"groups": 2}, id="spine-groups-inside-a-copy"),
        pytest.param({"core": {**SN5600, "breakout": "2x400G", "medium": "2xDR4", "cable_m": 50}}, id="three-tiers"),
        pytest.param({"store": 16}, id="two-groups-of-hosts"),
        pytest.param({"data": "10.176.0.0/13"}, id="two-planes"),
    ],
)
def test_every_design_is_built_in_equal_copies(change: dict[str, Any]) -> None:
    """Each switch has a configuration without clashes, and no session, link or route of another copy."""
    data = site(2, hosts=64)
    if "store" in change:
        there = {**nics(data), "rails": 2}
        data["hosts"]["store"] = {"count": 16, "max": 16, "nics": {"compute": there}}
    if "data" in change:
        data["planes"]["data"] = {"fabric": "compute", "kind": "compute", "pools": {"hosts": change["data"]}}
        group(data)["nics"]["data"] = {**nics(data), "rails": 2, "port_names": "data"}
    if "link" in change:
        plane(data)["link"] = change["link"]
    if "design" in change:
        fabric(data)["design"] = change["design"]
    if "groups" in change:
        fabric(data)["spine"]["groups"] = 2
        plane(data)["cross_rail"] = "nvlink"
    if "core" in change:
        fabric(data).update(design="clos3", core=change["core"])
        fabric(data)["spine"]["uplink_breakout"] = "2x400G"
        for tier in ("leaf", "spine", "core"):
            fabric(data)[tier]["spare_legs"] = "shut"
    of = network(data)
    assert len(components(of)) == 2 * change.get("groups", 1)
    assert {len({of.device(name).copy for name in part}) for part in components(of)} == {1}
    halves = Counter((each.copy, each.level) for each in of.devices)
    assert all(halves[1, level] == halves[2, level] for level in range(3))
    assert sum(1 for _ in device_configs(of)) == len(of.devices)
    assert len({each.loopback for each in of.devices}) == len(of.devices)
    addresses = Counter(address for each in of.circuits for address in (each.upper_address, each.lower_address))
    repeated = {address for address, count in addresses.items() if count > 1}
    gateways = {each.upper_address for each in of.circuits if each.use.segment}
    assert repeated <= gateways
    chosen = of.fabrics["compute"].parts[0].sizing.chosen
    assert chosen.switches == design_counts(of)["totals"]["switches"]


def test_growth_within_max_moves_no_cable_and_no_address() -> None:
    small, large = site(2, hosts=256), site(2, hosts=256)
    group(small)["count"] = 100
    found = moves(network(small), network(large))
    assert found.counts["move"] == found.counts["remove"] == 0
    assert not found.readdressed


@BOTH
def test_a_wave_has_switches_of_one_copy_alone(copies: int) -> None:
    of = reference(copies)
    there = list(members(of))
    found = waves(there, most_only_leaves(there, 0.1))
    assert sorted(name for wave in found for name in wave.devices) == sorted(each.name for each in of.devices)
    for wave in found:
        assert len({of.device(name).copy for name in wave.devices}) == 1
    assert {"spine 1 of copy 1", f"rail 7 of copy {copies}"} <= {wave.name for wave in found}


def test_the_drawing_and_the_explanation_count_all_copies() -> None:
    of, data = reference(2), site(2, at=places(2))
    svg = drawing(of)
    assert all(f">copy {copy} of 2 of fabric compute<" in svg for copy in (1, 2))
    assert "Each of 2 copies, which share no switch, joins all rails." in svg
    found = figures(intent_of(data), of)
    assert (found["leaves"].value, found["spines"].value) == (64, 32)
    assert (found["host links"].value, found["fabric links"].value) == (4096, 4096)
    assert found["addresses, rail 0 of copy 2"].value == "10.172.0.0/17"


@pytest.mark.parametrize(
    ("pool", "value", "enough"),
    [
        pytest.param("loopback", "10.255.0.0/26", "10.255.0.0/24", id="loopbacks"),
        pytest.param("links", "10.160.0.0/19", "10.160.0.0/18", id="links"),
        pytest.param("asn", "64512-64578", "64512-64579", id="asns"),
    ],
)
def test_a_pool_too_small_for_all_copies_is_refused_and_a_larger_one_is_not(pool: str, value: str, enough: str) -> None:
    data = site(2)
    fabric(data)["pools"][pool] = value
    with pytest.raises(DesignError, match=r"copies"):
        network(data)
    fabric(data)["pools"][pool] = enough
    network(data)


@pytest.mark.parametrize("copies", [2, 4])
def test_a_copy_that_comes_later_moves_no_cable_and_no_address(copies: int) -> None:
    built = []
    for there in range(1, copies + 1):
        data = site(copies, hosts=64)
        if there < copies:
            fabric(data)["copies_there"] = there
        built.append(network(data))
        assert {device.copy for device in built[-1].devices} == set(range(1, there + 1))
    for earlier, later in pairwise(built):
        found = replay(earlier, later)
        assert {action for action, many in found.counts.items() if many} == {"add"}
        assert found.readdressed == ()
        assert all(later.device(device.name) == device for device in earlier.devices)
