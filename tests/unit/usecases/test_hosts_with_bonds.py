"""Hosts with bonds have their variables from the intent, each in the group of its own playbook."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.usecases.hosts import HostInventory, host_inventory, inventory
from nornir_tasks.usecases.site import load
from tests.svi import SITE
from tests.unit.design import front
from tests.unit.design.test_host_bonds import placed
from tests.unit.usecases.test_hosts import CATALOGUE, ansible_inventory, listing

FRONT = SITE.parent / "front"
MACHINE = {"ansible_host": "127.0.0.1"}


@cache
def small() -> HostInventory:
    """The site of tests/sites/front, as if all of its hosts were up."""
    design = load(FRONT)
    return host_inventory(design.site.intent, design.network, CATALOGUE)


def test_gpu_hosts_are_in_no_group_of_the_others_though_they_are_on_their_planes() -> None:
    found = small()
    addressed = {
        group: {host for each in (group, *found.children.get(group, ())) for host in found.groups[each]}
        for group in ("compute", "storage", "services")
    }
    assert addressed == {
        "compute": {"gpu-1", "gpu-2"},
        "storage": {"storage-1", "storage-2"},
        "services": {"api-1", "login-1"},
    }


def test_a_host_without_rails_has_no_variable_of_rails() -> None:
    assert set(small().variables["login-1"]) == {"bond_interfaces_bonds"}
    assert set(small().variables["storage-1"]) == {"bond_interfaces_bonds", "plane_guard_planes"}
    assert {"rail_interfaces_rails", "bond_interfaces_bonds", "nccl_rails"} <= set(small().variables["gpu-1"])


def test_nccl_finds_its_peers_over_the_business_plane_of_the_bond() -> None:
    values = small().variables["gpu-2"]
    assert values["nccl_socket_interfaces"] == ["front.300"]
    assert values["nccl_rails"] == ["rail0", "rail1"]
    assert values["plane_guard_planes"] == {
        "compute": ["rail0", "rail1"],
        "storage": ["front"],
        "business": ["front.300"],
    }


def test_the_default_route_is_by_business_alone() -> None:
    for host, values in small().variables.items():
        planes = [plane for bond in values["bond_interfaces_bonds"] for plane in bond["planes"]]
        own = [plane["plane"] for plane in planes if plane["default_route"]]
        assert own == [plane["plane"] for plane in planes if plane["plane"] == "business"], host


def test_both_families_of_a_plane_are_there_and_nothing_that_is_null() -> None:
    (bond,), (login,) = (small().variables[host]["bond_interfaces_bonds"] for host in ("gpu-1", "login-1"))
    (storage, _), (business,) = bond["planes"], login["planes"]
    assert (business["address"], business["address_v6"]) == ("10.177.1.132", "fd00:300:0:4::4")
    assert not {"address_v6", "vlan"} & storage.keys()
    assert all(value is not None for plane in (*bond["planes"], business) for value in plane.values())


def test_ansible_reads_all_hosts_of_a_site_with_bonds(tmp_path: Path) -> None:
    config = tmp_path / "gpufabric.yml"
    config.write_text(f"plugin: gpufabric.host.gpufabric\nsite: {FRONT}\n")
    listed = listing(ansible_inventory(config, tmp_path, GPUFABRIC_PLANNED="true"))
    hosts = listed["_meta"]["hostvars"]
    assert sorted(hosts) == sorted(load(FRONT).network.hosts)
    assert all(each["bond_interfaces_bonds"] for each in hosts.values())
    assert {name for name, each in hosts.items() if "rail_interfaces_rails" in each} == {
        name for name in hosts if name.startswith("gpu-")
    }


def test_machines_of_hosts_with_bonds_have_their_own_variables_on_top() -> None:
    intent = front.loaded(placed())
    found = host_inventory(intent, front.network(), CATALOGUE, {"store-1": MACHINE})
    assert found.groups["store"] == ("store-1",)
    assert found.children["storage"] == ("store",)
    assert set(found.variables["store-1"]) == {"bond_interfaces_bonds", "ansible_host"}


def bare() -> dict[str, Any]:
    """Bonds without places, and GPU hosts whose rails have none either."""
    data = front.data()
    data["planes"]["compute"] = {"fabric": "rails", "pools": {"hosts": "10.176.0.0/13"}}
    data["fabrics"]["rails"] = {
        "design": "rail",
        "pools": {"loopback": "10.254.0.0/16", "links": "10.184.0.0/13", "asn": "4200100000-4200109999"},
        "leaf": {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S", "medium": "AOC", "cable_m": 5},
        "spine": {"platform": "nvue", "release": "5.14", "model": "SN5600", "medium": "DR4", "cable_m": 40},
    }
    gpu = data["hosts"]["gpu"]["nics"]
    gpu["storage"]["port_names"] = "front"
    gpu["compute"] = {"rails": 2, "speed": "200G"}
    return data


def test_what_is_missing_of_rails_and_of_bonds_is_refused_at_once() -> None:
    data = bare()
    with pytest.raises(IntentError) as refused:
        host_inventory(front.loaded(data), front.built(data), CATALOGUE)
    message = str(refused.value)
    for nics in ("gpu.nics.compute", "gpu.nics.storage", "store.nics.storage", "api.nics.business"):
        assert f"hosts.{nics}: the places of these NICs are not declared" in message
    assert "hosts.gpu.nics.compute.model: no NIC model that the host roles know" in message


def test_a_site_of_the_lab_lists_planned_hosts_with_bonds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path))
    found = inventory(FRONT, with_planned=True)
    assert found.groups["planned"] == ("gpu-1", "gpu-2", "storage-1", "storage-2", "api-1", "login-1")
    assert not any(found.groups[group] for group in ("compute", "storage", "services", "gpu", "login"))
