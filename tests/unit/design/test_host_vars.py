"""What hosts are told comes from the same design as what switches are told: the two ends of a cable cannot differ."""

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from nornir_tasks.checks.hosts.stack import nccl_wanted
from nornir_tasks.design.hosts.host_needs import HostNeeds, host_needs
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.hosts.role_vars import HostVars
from nornir_tasks.design.model.links import Circuit, Endpoint, Link, NicPort, Use
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.resources import resource
from nornir_tasks.files.site import load_site
from tests.intent_parts import demand, fabric, needs, nics, plane
from tests.plain_facts import plain_facts
from tests.strategies import intent_of, sites
from tests.svi import intent
from tests.svi import network as in_a_vlan
from tests.unit.design.lab_like import lab
from tests.unit.design.toys import real_lab, with_kind

CATALOGUE = load_catalogue()


def lab_data() -> dict[str, Any]:
    """The lab's intent as data, to be changed."""
    loaded: dict[str, Any] = yaml.safe_load(
        (resource("inventory") / "lab-rails" / "fabric.yml").read_text(encoding="utf-8")
    )
    return loaded


def designed(tmp_path: Path, data: dict[str, Any]) -> tuple[Network, tuple[HostNeeds, ...]]:
    """The network of an intent file with this data, and what its hosts need."""
    file = tmp_path / "fabric.yml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    intent = load_intent(file)
    return design(intent, CATALOGUE, plain_facts()), needs(intent)


def with_machines(data: dict[str, Any]) -> tuple[HostNeeds, ...]:
    """What the hosts of an intent need, with a NIC model and a place for every NIC."""
    intent = intent_of(data)
    needed = demand(intent)
    at = tuple(f"0000:00:{rail:02x}.0" for rail in range(needed.nics.rails))
    there = needed.nics.model_copy(update={"model": "ConnectX-7", "at": at})
    return host_needs([replace(needed, nics=there)], CATALOGUE, intent.marks)


def of_the_lab(host: str) -> HostVars:
    return host_vars(lab(), needs(load_site("lab-rails").intent), host)


def test_nics_are_told_to_reorder_where_switches_balance_packet_by_packet_and_nowhere_else(tmp_path: Path) -> None:
    data = lab_data()
    compute = data["fabrics"]["compute"]
    for tier in ("leaf", "spine"):
        compute[tier].update(platform="nxos", release="10.5(1)", model="N9K-C9364D-GX2A", overrides=[])
    assert "roce_qos_reorder_rails" not in host_vars(*designed(tmp_path, data), "gpu-1").ansible()
    data["policy"]["load_balancing"] = "per_packet"
    values = host_vars(*designed(tmp_path, data), "gpu-1").ansible()
    assert values["roce_qos_reorder_rails"] == values["roce_qos_rails"]
    assert len(values["roce_qos_reorder_rails"]) == 8


@settings(max_examples=25, deadline=None)
@given(sites())
def test_a_host_has_the_other_address_of_its_leafs_port(made: tuple[dict[str, Any], Network]) -> None:
    network, needed = made[1], with_machines(made[0])
    addresses = {
        each.config.name: {port.name: port.address for port in each.config.interfaces}
        for each in device_configs(network)
    }
    for host in {network.hosts[0], network.hosts[-1]}:
        rails = host_vars(network, needed, host).rail_interfaces
        for rail, nic in zip(rails.rails, network.rails_of(host, "compute"), strict=True):
            switch_side = addresses[nic.at.leaf][nic.at.leaf_port] or svi_address(addresses[nic.at.leaf])
            assert switch_side == f"{rail.gateway}/{rail.prefix_length}"
            assert IPv4Interface(f"{rail.address}/{rail.prefix_length}").network == IPv4Interface(switch_side).network
            assert IPv4Address(rail.address) in IPv4Network(rail.supernet)
            assert IPv4Network(rail.supernet).subnet_of(IPv4Network(rails.plane_supernet))
        assert len({rail.table for rail in rails.rails}) == len(rails.rails)
        is_shared = network.planes["compute"].host_vlan is not None
        assert rails.arp_strict is is_shared
        assert all((rail.subnet is not None) is is_shared for rail in rails.rails)


def svi_address(addresses: dict[str, str | None]) -> str | None:
    """Of the one SVI among a switch's interfaces."""
    (found,) = [address for name, address in addresses.items() if name.lower().startswith("vlan")]
    return found


@settings(max_examples=25, deadline=None)
@given(sites())
def test_a_host_marks_what_the_switches_pause(made: tuple[dict[str, Any], Network]) -> None:
    network = made[1]
    values = host_vars(network, with_machines(made[0]), network.hosts[0]).roce_qos
    assert sorted(point for each in values.classes for point in each.dscp) == list(range(64))
    for each in device_configs(network):
        qos = each.config.qos
        assert qos is not None
        lossless = next(one for one in qos.classes if one.lossless)
        marked = {
            queue.ecn is not None for one in qos.profiles for queue in one.queues if queue.number == lossless.queue
        }
        assert {one.pfc_priorities for one in qos.profiles} == {(values.priority,)}
        assert values.dscp in lossless.dscp
        assert values.traffic_class >> 2 == values.dscp
        assert {values.traffic_class & 3 == 2} == {values.ecn} == marked


def test_the_traffic_class_of_the_reference_policy_is_the_published_106() -> None:
    """DSCP 26 with ECT(0), as NVIDIA's recipes write it."""
    values = of_the_lab("gpu-1")
    assert (values.roce_qos.traffic_class, values.nccl.traffic_class) == (106, 106)
    assert (values.roce_qos.cnp_dscp, values.roce_qos.cnp_priority) == (48, 6)


def test_without_dcqcn_hosts_do_not_claim_to_hear_marks(tmp_path: Path) -> None:
    data = lab_data()
    data["policy"]["congestion"] = "pfc_only"
    data["policy"]["classes"]["roce"].pop("ecn")
    data["policy"]["classes"]["cts"] = data["policy"]["classes"].pop("cnp")
    values = host_vars(*designed(tmp_path, data), "gpu-1")
    assert (values.roce_qos.ecn, values.roce_qos.traffic_class) == (False, 104)
    assert values.nccl.fifo_traffic_class == 4 * 48, "clear-to-send goes before the data, and is marked by nobody"
    assert "nccl_fifo_traffic_class" not in host_vars(*designed(tmp_path, lab_data()), "gpu-1").ansible()


def lossy(data: dict[str, Any]) -> dict[str, Any]:
    data["policy"]["congestion"] = "lossy"
    data["policy"]["classes"]["roce"].pop("lossless")
    return data


def test_where_nothing_is_lossless_rdma_is_in_the_class_that_switches_mark(tmp_path: Path) -> None:
    network, needed = designed(tmp_path, lossy(lab_data()))
    values = host_vars(network, needed, "gpu-1").roce_qos
    assert (values.priority, values.dscp, values.ecn, values.traffic_class) == (3, 26, True, 106)
    assert not any(each.lossless for each in values.classes)
    for each in device_configs(network):
        assert each.config.qos is not None
        assert not any(profile.pfc_priorities or profile.watchdog for profile in each.config.qos.profiles)
        assert [queue.number for profile in each.config.qos.profiles for queue in profile.queues if queue.ecn] == [3]


def test_where_nothing_is_lossless_and_several_classes_mark_nobody_guesses_which_is_rdmas(tmp_path: Path) -> None:
    data = lossy(lab_data())
    data["policy"]["classes"]["bulk"]["ecn"] = "auto"
    with pytest.raises(IntentError, match="which class carries RDMA cannot be known"):
        designed(tmp_path, data)


def test_with_another_dscp_in_the_intent_everything_follows(tmp_path: Path) -> None:
    data = lab_data()
    data["policy"]["classes"]["roce"]["dscp"] = 10
    values = host_vars(*designed(tmp_path, data), "gpu-1")
    assert (values.roce_qos.dscp, values.roce_qos.traffic_class, values.nccl.traffic_class) == (10, 42, 42)


def test_one_hosts_exception_moves_that_rail_alone(tmp_path: Path) -> None:
    data = lab_data()
    nics(data)["exceptions"] = {"gpu-3": {2: "0C:42:A1:00:00:12"}}
    network, needed = designed(tmp_path, data)
    rails = host_vars(network, needed, "gpu-3").ansible()["rail_interfaces_rails"]
    assert rails[2]["match"] == {"mac": "0c:42:a1:00:00:12"}
    assert rails[1]["match"] == {"pci": "0000:00:11.0"}
    assert host_vars(network, needed, "gpu-2").rail_interfaces.rails[2].match.mac is None


@pytest.mark.parametrize(("groups", "cross_nic"), [(1, 2), (2, 0)])
def test_nccl_keeps_to_a_rail_where_rails_share_no_spine(tmp_path: Path, groups: int, cross_nic: int) -> None:
    data = lab_data()
    plane(data)["cross_rail"] = "nvlink"
    fabric(data)["spine"].update({"groups": groups, "count": 2 * groups})
    assert host_vars(*designed(tmp_path, data), "gpu-1").nccl.cross_nic == cross_nic


def test_nccl_may_cross_nics_where_one_leaf_serves_all_of_them(tmp_path: Path) -> None:
    data = lab_data()
    fabric(data)["design"] = "clos"
    fabric(data)["leaf"].pop("overrides")
    nics(data).update({"rails": 4, "at": nics(data)["at"][:4]})
    assert host_vars(*designed(tmp_path, data), "gpu-1").nccl.cross_nic == 1


def test_queue_pairs_of_the_policy_reach_nccl_and_its_check_and_nothing_is_said_without_them(tmp_path: Path) -> None:
    data = lab_data()
    plain = host_vars(*designed(tmp_path, data), "gpu-1").ansible()
    assert not {"nccl_queue_pairs", "nccl_split_data"} & plain.keys()
    assert "NCCL_IB_QPS_PER_CONNECTION" not in nccl_wanted(plain)
    data["policy"]["queue_pairs"] = {"per_connection": 4, "split": True}
    found = host_vars(*designed(tmp_path, data), "gpu-1").ansible()
    assert {key: value for key, value in found.items() if key not in plain} == {
        "nccl_queue_pairs": 4,
        "nccl_split_data": True,
    }
    added = nccl_wanted(found).items() - nccl_wanted(plain).items()
    assert added == {("NCCL_IB_QPS_PER_CONNECTION", "4"), ("NCCL_IB_SPLIT_DATA_ON_QPS", "1")}


def test_what_only_hosts_need_is_asked_for_all_at_once(tmp_path: Path) -> None:
    data = lab_data()
    del nics(data)["at"]
    del nics(data)["model"]
    data["policy"]["classes"]["roce"]["lossless"] = False
    with pytest.raises(IntentError) as caught:
        host_vars(*designed(tmp_path, data), "gpu-1")
    values = str(caught.value)
    assert "hosts.gpu.nics.compute: the places of these NICs are not declared" in values
    assert "no NIC model that the host roles know" in values
    assert "no class carries RDMA" in values


@pytest.mark.parametrize("model", ["Thor2", "Pollara-400"])
def test_a_nic_whose_rdma_the_roles_cannot_set_is_refused_by_its_name(tmp_path: Path, model: str) -> None:
    data = lab_data()
    nics(data).update({"model": model, "speed": "400G"})
    fabric(data)["leaf"]["medium"] = "DR4"
    with pytest.raises(IntentError) as caught:
        host_vars(*designed(tmp_path, data), "gpu-1")
    (problem,) = caught.value.problems
    assert "hosts.gpu.nics.compute.model" in str(problem)
    assert problem.found == model
    assert f"the roles set nothing of {model}'s RDMA stack" in problem.hint


def test_every_variable_bears_the_name_of_its_role() -> None:
    values = of_the_lab("gpu-1").ansible()
    roles = HostVars.model_fields
    assert all(any(name.startswith(f"{role}_") for role in roles) for name in values)
    assert "rdma_stack_provider" in values


def test_hosts_of_one_leaf_share_its_subnet_and_its_svi_is_their_gateway() -> None:
    values = {host: host_vars(in_a_vlan(), needs(intent()), host) for host in in_a_vlan().hosts}
    first, second = (each.rail_interfaces for each in values.values())
    assert first.arp_strict
    assert [rail.address for rail in first.rails] == ["10.168.0.2", "10.170.0.2", "10.172.0.2", "10.174.0.2"]
    assert [rail.address for rail in second.rails] == ["10.168.0.3", "10.170.0.3", "10.172.0.3", "10.174.0.3"]
    for one, other in zip(first.rails, second.rails, strict=True):
        assert (one.gateway, one.subnet, one.prefix_length) == (other.gateway, other.subnet, other.prefix_length)
        assert IPv4Address(one.gateway) == IPv4Network(str(one.subnet)).network_address + 1
    assert all("subnet" in rail for rail in values["gpu-1"].ansible()["rail_interfaces_rails"])


def test_hosts_with_links_of_their_own_are_told_of_no_subnet() -> None:
    rails = host_vars(in_a_vlan("link: subnet/28"), needs(intent("link: subnet/28")), "gpu-1").ansible()
    assert not rails["rail_interfaces_arp_strict"]
    assert not any("subnet" in rail for rail in rails["rail_interfaces_rails"])


def with_a_storage_nic() -> Network:
    """The lab, where gpu-1 has a ninth NIC port: rail 0 of a plane for storage."""
    network = real_lab()
    upper, lower = Endpoint("leaf-g1-r0", "Ethernet60/1"), Endpoint("gpu-1", "store0")
    link = Link("leaf-g1-r0-h99", "host", "compute", upper, lower, 99, 200, "leaf-g1-r0-h99")
    storage = replace(network.planes["compute"], name="storage", kind="storage", pools={"hosts": "10.32.0.0/16"})
    return replace(
        network,
        planes={"storage": storage, **network.planes},
        links=(*network.links, link),
        circuits=(*network.circuits, Circuit(link, Use("storage", 9000, rail=0), "10.32.0.0", "10.32.0.1")),
        nics=(*network.nics, NicPort("gpu-1", 1, 8, link)),
    )


def test_a_storage_nic_is_never_among_nccls_and_is_guarded_as_a_plane_of_its_own() -> None:
    needed = needs(load_site("lab-rails").intent)
    values = host_vars(with_a_storage_nic(), needed, "gpu-1", with_kind())
    assert values.nccl == host_vars(real_lab(), needed, "gpu-1").nccl
    assert values.rail_interfaces == host_vars(real_lab(), needed, "gpu-1").rail_interfaces
    assert values.plane_guard.planes["storage"] == ("store0",)
    assert "store0" not in values.nccl.rails
