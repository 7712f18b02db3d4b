"""Two fabrics of one site: switches, addresses and NIC ports of each are its own, and a host is told of both."""

from dataclasses import replace
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.hosts.host_needs import host_needs
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.hosts.role_vars import HostVars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.intent_parts import needs

SITE = Path(__file__).parents[2] / "sites" / "fabrics" / "fabric.yml"
OTHER_QUEUES = """\
    kind: compute
    congestion: pfc_only
    classes:
      bulk: {dscp: 0, priority: 0, weight: 40}
      cts: {dscp: 46, priority: 5, strict: true}
      nvme: {dscp: 26, priority: 3, lossless: true, weight: 60}
"""
FABRIC_OF = {"compute": "rails", "data": "front", "archive": "front"}


@cache
def intent() -> Intent:
    return load_intent(SITE)


@cache
def network() -> Network:
    return design(intent(), load_catalogue(), {name: each.facts for name, each in platforms().items()})


def variables_of(host: str) -> HostVars:
    return host_vars(network(), needs(intent()), host)


def changed(folder: Path, old: str, new: str) -> Intent:
    text = SITE.read_text()
    assert old in text
    file = folder / "fabric.yml"
    file.write_text(text.replace(old, new))
    return load_intent(file)


def test_no_name_of_a_switch_a_cable_or_a_port_stands_twice() -> None:
    names = [each.name for each in network().devices]
    assert len(set(names)) == len(names)
    assert {name for name in names if name.startswith("front-")} == {
        each.name for each in network().devices if each.fabric == "front"
    }
    assert len({each.name for each in network().cables}) == len(network().cables)
    ends = [(end.device, end.port) for link in network().links for end in (link.upper, link.lower)]
    assert len(set(ends)) == len(ends)


def test_addresses_and_as_numbers_are_of_the_pools_of_the_switchs_own_fabric_and_plane() -> None:
    for device in network().devices:
        pools = intent().fabrics[device.fabric].pools
        assert IPv4Address(device.loopback) in pools.loopback
        assert pools.asn.first <= device.asn <= pools.asn.last
    for circuit in network().circuits:
        plane = network().planes.get(circuit.owner)
        pool = plane.pools["hosts"] if plane else network().fabrics[circuit.link.fabric].pools["links"]
        assert IPv4Address(circuit.upper_address) in IPv4Network(pool)


def test_each_plane_has_a_block_at_the_leaves_of_its_own_fabric_and_at_no_other_switch() -> None:
    blocks = network().host_blocks
    assert {leaf for leaf, _ in blocks} == {each.name for each in network().devices if each.level == 0}
    assert {(network().device(leaf).fabric, plane) for leaf, plane in blocks} == {
        (fabric, plane) for plane, fabric in FABRIC_OF.items()
    }
    for (_, plane), block in blocks.items():
        assert IPv4Network(block).subnet_of(IPv4Network(network().planes[plane].pools["hosts"]))


def test_a_switch_announces_and_is_owned_by_what_rides_on_its_own_fabric_alone() -> None:
    for each in device_configs(network()):
        device = network().device(each.config.name)
        planes = {plane for plane, fabric in FABRIC_OF.items() if fabric == device.fabric}
        assert each.claims.planes == planes
        assert each.config.bgp is not None
        own = {f"{device.loopback}/32", *network().blocks_at(device.name).values()}
        assert set(each.config.bgp.networks) == own


def test_counts_are_of_each_fabric_and_sum_up() -> None:
    counts = design_counts(network())
    fabrics = counts["fabrics"]
    links = sum(fabric["host_links"] + fabric["fabric_links"] for fabric in fabrics.values())
    assert links == counts["totals"]["links"]
    assert {name: plane["fabric"] for name, plane in counts["planes"].items()} == FABRIC_OF
    assert [fabrics[name]["planes"] for name in ("rails", "front")] == [["compute"], ["data", "archive"]]


def test_a_host_is_told_of_all_its_planes_with_a_rule_and_a_table_for_each_port() -> None:
    rails = variables_of("gpu-1").rail_interfaces.rails
    assert [each.name for each in rails] == ["rail0", "rail1", "data0", "data1"]
    assert [each.rail for each in rails] == [0, 1, 2, 3]
    assert len({each.table for each in rails}) == len(rails)
    assert [each.plane_supernet for each in rails] == [None, None, "10.180.0.0/14", "10.180.0.0/14"]
    assert [each.match.pci for each in rails] == [f"0000:00:{slot}.0" for slot in (10, 11, 18, 19)]
    assert variables_of("gpu-1").plane_guard.planes["data"] == ("data0", "data1")


def test_rails_of_two_planes_do_not_reach_one_another() -> None:
    assert variables_of("gpu-1").nccl.rails == ("rail0", "rail1", "data0", "data1")
    assert variables_of("gpu-1").nccl.cross_nic == 0


def test_planes_whose_queues_a_host_would_have_to_have_twice_are_refused_with_both_places(tmp_path: Path) -> None:
    other = changed(tmp_path, "    kind: compute\n", OTHER_QUEUES)
    design(other, load_catalogue(), {name: each.facts for name, each in platforms().items()})  # switches can
    with pytest.raises(IntentError) as caught:
        needs(other)
    found = [(each.what.partition(":")[0], each.found.partition("see ")[2]) for each in caught.value.problems]
    assert found == [
        ("planes.data.congestion", "policy.congestion in line 10"),
        ("planes.data.classes", "policy.classes in line 6"),
    ]


def test_nics_that_need_another_rdma_stack_on_one_host_are_refused_with_both_places(tmp_path: Path) -> None:
    other = changed(tmp_path, "port_names: data\n        model: ConnectX-7", "port_names: data\n        model: soft")
    known = load_catalogue()
    soft = replace(known.nics["ConnectX-7"], rdma_provider="rxe")
    both = demands(other, kinds().planes)
    with pytest.raises(IntentError) as caught:
        host_needs(both, replace(known, nics={**known.nics, "soft": soft}), other.marks)
    (problem,) = caught.value.problems
    assert problem.what.startswith("hosts.gpu.nics.data.model: another RDMA stack")
    assert "see hosts.gpu.nics.compute.model in line" in problem.found
