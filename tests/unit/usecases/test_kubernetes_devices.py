"""Which NICs pods get: exported configurations over each host's NICs, by the rules of the device plug-in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.errors import GpufabricError
from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import SiteDesign, load
from tests import device_plugin
from tests.device_plugin import Device, Host
from tests.unit.usecases.crossing_site import BEFORE, SECOND, crossing_site

ROOT = Path(__file__).parents[3]
BUILT_IN = ("lab", "lab-rails", "ref-512", "ref-28672-front", "ref-32768")
PORT = Device("0000:18:00.0", "compute", 0, "15b3", "1021", "rail0")


@cache
def site(path: Path) -> SiteDesign:
    return load(str(path))


def made(path: Path) -> list[dict[str, Any]]:
    return [dict(each) for each in kubernetes.k8s_rdma(site(path), Choices()).all]


def hosts(path: Path) -> list[Host]:
    return list(device_plugin.hosts_of(path / "fabric.yml", site(path).network.site))


def test_on_each_host_as_many_devices_as_rails_are_offered_and_no_nic_of_another_plane(
    figure: Callable[[str], None],
) -> None:
    right = 0
    for name in BUILT_IN:
        path = ROOT / "inventory" / name
        there = hosts(path)
        assert device_plugin.faults(made(path), there, "compute") == [], name
        assert sum(each.plane == "compute" for host in there for each in host.devices) > 0
        right += 1
    figure(f"k8s-rdma by the rules of the device plug-in: {right} of {len(BUILT_IN)} sites")


def test_groups_whose_addresses_cross_get_their_own_rails_and_not_one_anothers_storage(tmp_path: Path) -> None:
    path = crossing_site(tmp_path)
    every = made(path)
    assert device_plugin.faults(every, hosts(path), "compute") == []
    rail0 = {
        host.labels["gpufabric/group"]: device_plugin.offered(config, host.devices)["nvidia.com/rail0"]
        for host in hosts(path)
        for config in device_plugin.configurations(every, host)
    }
    assert {group: each[0].address for group, each in rail0.items()} == {"gpu": "0000:00:10.0", "fresh": "0000:00:18.0"}
    for group in ("gpu", "fresh"):
        widened = [_cluster_wide(every, group), *(each for each in every if each["kind"] != "NicNodePolicy")]
        found = device_plugin.faults(widened, hosts(path), "compute")
        assert any("offers front0 of plane storage" in each for each in found), group


def _cluster_wide(manifests: list[dict[str, Any]], group: str) -> dict[str, Any]:
    (own,) = [
        each for each in manifests if each["metadata"]["name"] == f"compute-{group}" and each["kind"] == "NicNodePolicy"
    ]
    return {"kind": "NicClusterPolicy", "spec": {"sriovDevicePlugin": own["spec"]["sriovDevicePlugin"]}}


def test_names_of_ports_select_nothing_where_pods_take_whole_ports() -> None:
    every = made(ROOT / "inventory/lab")
    by_name = json.loads(
        re.sub(r'\\"pciAddresses\\": \[\\n\s*\\"[0-9a-f:.]+\\"', r'\\"pfNames\\": [\\"rail0\\"', json.dumps(every))
    )
    found = device_plugin.faults(by_name, hosts(ROOT / "inventory/lab"), "compute")
    assert found == [f"gpu-{number}: 0 devices, 8 rails" for number in range(1, 5)]


def test_a_node_has_one_device_plug_in_and_it_runs_on_nodes_with_both_labels_alone() -> None:
    every = made(ROOT / "inventory/lab")
    (policy,) = [each for each in every if each["kind"] == "NicNodePolicy"]
    assert policy["spec"]["nodeSelector"] == {"gpufabric/site": "lab", "gpufabric/group": "gpu"}
    (cluster,) = [each for each in every if each["kind"] == "NicClusterPolicy"]
    assert "sriovDevicePlugin" not in cluster["spec"], "the operator's webhook refuses a section in both"
    image = policy["spec"]["sriovDevicePlugin"]
    whole = cluster["spec"]["global"]
    assert (image["repository"], image["version"]) == (whole["repository"], whole["version"])


def config(*entries: dict[str, Any]) -> str:
    return json.dumps({"resourceList": list(entries)})


def entry(name: str = "a", **selectors: Any) -> dict[str, Any]:
    return {"resourceName": name, "resourcePrefix": "nvidia.com", "selectors": selectors}


OTHER = Device("0000:29:00.0", "compute", 1, "15b3", "1021", "rail1")
RULES: list[tuple[str, tuple[dict[str, Any], ...], list[Device], dict[str, list[str]]]] = [
    ("empty-list", (entry(vendors=[]),), [PORT], {"a": ["rail0"]}),
    ("all-of-one-object", (entry(vendors=["15b3"], pciAddresses=["0000:29:00.0"]),), [PORT, OTHER], {"a": ["rail1"]}),
    (
        "any-of-several-objects",
        ({**entry(), "selectors": [{"pciAddresses": ["0000:29:00.0"]}, {"pciAddresses": ["0000:18:00.0"]}]},),
        [PORT, OTHER],
        {"a": ["rail1", "rail0"]},
    ),
    ("first-takes", (entry("a", vendors=["15b3"]), entry("b", pciAddresses=["0000:29:00.0"])), [PORT, OTHER],
     {"a": ["rail0", "rail1"]}),
    ("no-selectors", ({"resourceName": "a", "selectors": []},), [PORT], {}),
    ("isRdma", (entry(isRdma=True),), [PORT, Device("0000:01:00.0", "oob", 0, "8086", "1592", "e0", is_rdma=False)],
     {"a": ["rail0"]}),
    ("port-with-functions", (entry(pciAddresses=["0000:18:00.0"]),), device_plugin.with_functions(PORT, 2), {}),
    ("default-route", (entry(),),
     [Device("0000:18:00.0", "compute", 0, "15b3", "1021", "rail0", has_default_route=True)], {}),
    ("pfNames", (entry(pfNames=["rail0"]),), [PORT], {}),
    ("rootDevices", (entry(rootDevices=["0000:18:00.0"]),), [PORT], {}),
    ("pfNames of functions", (entry(pfNames=["RAIL0"]),), device_plugin.with_functions(PORT, 2),
     {"a": ["rail0v0", "rail0v1"]}),
    ("ranges", (entry(pfNames=["rail0#0,2-3"]),), device_plugin.with_functions(PORT, 5),
     {"a": ["rail0v0", "rail0v2", "rail0v3"]}),
    ("pciAddresses in capitals", (entry(pciAddresses=["0000:3A:00.0"]),),
     [Device("0000:3a:00.0", "compute", 2, "15b3", "1021", "rail2")], {}),
    ("linkTypes of a port in a pod", (entry(linkTypes=["ether"]),),
     [Device("0000:18:00.0", "compute", 0, "15b3", "1021", "", link_type="")], {}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "entries", "devices", "wanted"), RULES, ids=[each[0] for each in RULES])
def test_the_plug_in_as_simulated_here_follows_each_rule(
    rule: str, entries: tuple[dict[str, Any], ...], devices: list[Device], wanted: dict[str, list[str]]
) -> None:
    found = device_plugin.offered(config(*entries), devices)
    assert {name.rpartition("/")[2]: [each.interface for each in pool] for name, pool in found.items()} == wanted, rule


@pytest.mark.parametrize("entries", [(entry(), entry()), (entry("a.b"),), ({"resourceName": "a"},)])
def test_the_plug_in_as_simulated_here_ends_where_the_real_one_does(entries: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(device_plugin.PluginEndsError):
        device_plugin.offered(config(*entries), [PORT])


STORAGE = "      storage: {rails: 2, speed: 25G, port_names: front,"
REFUSED = [
    (
        (("        at: [\"0000:00:10.0\", \"0000:00:11.0\", \"0000:00:12.0\", \"0000:00:13.0\",\n             "
          "\"0000:00:14.0\", \"0000:00:15.0\", \"0000:00:16.0\", \"0000:00:17.0\"]\n", ""),),
        ["hosts.gpu.nics.compute", "by their PCI addresses alone", "at: [PCI address of rail 0", "lspci -D"],
    ),
    (
        ((STORAGE, "        exceptions: {gpu-2: {1: \"0000:00:1a.0\"}}\n" + STORAGE),),
        ["nics.compute.exceptions.gpu-2", "one address for a rail", "expected: 0000:00:11.0",
         "found: 0000:00:1a.0", "a group of their own"],
    ),
    (
        ((BEFORE, SECOND.replace("fresh:", "the-second-halls-hosts:") + BEFORE),),
        ["hosts.the-second-halls-hosts", "compute-the-second-halls-hosts, too long", "18 characters at most"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_no_node_label_can_scope_is_refused_with_line_and_hint(
    changes: tuple[tuple[str, str], ...], words: list[str], tmp_path: Path
) -> None:
    text = (ROOT / "inventory/lab/fabric.yml").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    design = load(str(crossing_site(tmp_path, text)))
    with pytest.raises(GpufabricError) as refused:
        kubernetes.k8s_rdma(design, Choices())
    (problem,) = refused.value.problems
    assert re.search(r"fabric\.yml:\d+", problem.where)
    assert [word for word in words if word not in str(refused.value)] == []
