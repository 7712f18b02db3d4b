"""What role gpu_operator refuses of hosts, cluster and chart, the values that it makes, and which nodes wait."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import crd_facts

ROOT = Path(__file__).resolve().parents[4]
VALUES = ROOT / "tests/corpus/kubernetes/gpu_operator_values.tsv"
SCHEMA = ROOT / "tests/corpus/kubernetes/gpu_operator_schema.tsv"
CHART = ROOT / "tests/charts/gpu-operator"
SETTINGS: dict[str, Any] = {
    "chart": "gpu-operator", "chart_version": "v25.10.1", "release": "gpu-operator", "namespace": "gpu-operator",
    "driver_owner": "host", "driver_version": "", "gpudirect_driver_owner": "keep", "peermem": False,
    "kernel_modules": "open", "rdma": "dma_buf", "toolkit": True, "dcgm_exporter": True, "service_monitor": False,
    "mig_strategy": "single", "mig_manager": True, "validator_workload": True, "nfd_owner": "operator",
    "max_unavailable": "1", "canary": "", "values": {}, "kubernetes": "1.32",
}  # fmt: skip


@pytest.fixture(scope="module")
def role() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_operator", ROOT / "plugins/filter/gpu_operator.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(file: Path) -> dict[str, list[str]]:
    lines = [line.split("\t") for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {line[0]: line[1:] for line in lines}


def host(**changed: Any) -> dict[str, Any]:
    driver = {
        "version": "580.95.05",
        "open": True,
        "packages": {"nvidia-open": "580"},
        "operator": False,
        "kernel": "6.1.0",
    }
    return {"node": "gpu-1", "driver": driver, "nouveau": False, "containerd": True, **changed}


def driver(**changed: Any) -> dict[str, Any]:
    return host(driver={**host()["driver"], **changed})


def node(name: str, labels: dict[str, str] | None = None, gpus: int = 0, **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "labels": labels or {}, "annotations": annotations}
    return {"metadata": metadata, "status": {"allocatable": {"nvidia.com/gpu": str(gpus)}}}


def cluster(**changed: Any) -> dict[str, Any]:
    resources = {"nodes": [node("gpu-1")], "definitions": [], "daemons": [], "policies": [], **changed}
    kinds = ("nodes", "definitions", "daemons", "policies")
    version = {"version": {"server": {"kubernetes": {"gitVersion": changed.get("version", "v1.32.3")}}}}
    listed = {"rc": 0, "stdout": yaml.safe_dump(changed.get("releases", []))}
    return {"version": version, "read": [{"resources": resources[kind]} for kind in kinds], "releases": listed}


def shown(**changed: Any) -> list[dict[str, Any]]:
    chart = {"rc": 0, "stdout": (CHART / "Chart.yaml").read_text()}
    return [{**chart, **changed}, {"rc": 0, "stdout": (CHART / "values.yaml").read_text()}]


def test_a_host_and_a_cluster_that_can_have_it_are_not_refused(role: Any) -> None:
    assert role.gpu_operator_problems(SETTINGS, {"gpu-1": host()}, cluster(), shown()) == []


SOCKET = {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}


def test_the_toolkit_is_told_of_the_containerd_of_rke2_and_keeps_what_the_site_gives_it(role: Any) -> None:
    there = {"gpu-1": host(containerd=False, rancher=True)}
    other = {"name": "DEBUG", "value": "1"}
    for values, env in (({}, [SOCKET]), ({"toolkit": {"env": [other]}}, [other, SOCKET])):
        settings = {**SETTINGS, "rancher": True, "values": values}
        assert role.gpu_operator_problems(settings, there, cluster(), shown()) == []
        assert role.gpu_operator_values(settings)["toolkit"]["env"] == env
    given = {**SETTINGS, "rancher": True, "values": {"toolkit": {"env": [SOCKET]}}}
    assert role.gpu_operator_problems(given, there, cluster(), shown()) == []
    assert role.gpu_operator_values(given)["toolkit"]["env"] == [SOCKET]
    assert "env" not in role.gpu_operator_values({**SETTINGS, "rancher": True, "toolkit": False})["toolkit"]
    assert "env" not in role.gpu_operator_values({**SETTINGS, "rancher": False})["toolkit"]


def test_hosts_of_rke2_beside_others_are_refused_for_the_toolkit_has_one_socket(role: Any) -> None:
    there = {"gpu-1": host(), "gpu-2": host(containerd=False, rancher=True, node="gpu-2")}
    found = role.gpu_operator_problems({**SETTINGS, "rancher": True}, there, cluster(), shown())
    assert any(
        "containerd of gpu-2 is that of RKE2 or k3s" in each and "that of gpu-1 is not" in each for each in found
    )
    found = role.gpu_operator_problems({**SETTINGS, "toolkit": False}, there, cluster(), shown())
    assert not any("RKE2" in each for each in found)


def named(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "nfd", "labels": {}, "annotations": {}}}


RELEASE = {"name": "gpu-operator", "namespace": "gpu-operator", "chart": "gpu-operator-v25.10.1", "status": "deployed"}
CASES: list[tuple[dict[str, Any], Any, dict[str, Any], str]] = [
    ({}, host(nouveau=True), {}, "gpu-1: the kernel module nouveau is loaded"),
    ({}, host(containerd=False), {}, "gpu-1: containerd does not run"),
    (
        {"values": {"toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": "/run/containerd/containerd.sock"}]}}},
        host(containerd=False, rancher=True),
        {},
        "tell the operator's toolkit of another: /run/containerd/containerd.sock",
    ),
    ({}, None, {}, "gpu-1: nothing is known of this host"),
    ({"driver_owner": "operator"}, host(), {}, "has packages of the driver: nvidia-open. Remove them, or say host"),
    ({}, driver(packages={}), {}, "gpu_operator_driver_owner: host, and no package has it"),
    ({}, driver(packages={}, operator=True), {}, "host, and the operator's container has it"),
    ({}, driver(kernel="5.4.0-216-generic"), {}, "dma_buf, and Linux 5.4.0-216-generic is older than 5.12"),
    ({}, driver(open=False), {}, "dma_buf, and the closed kernel modules of 580.95.05 are loaded"),
    ({"gpudirect_driver_owner": "operator"}, host(), {}, "the driver has one owner"),
    ({"rdma": "peermem"}, host(), {}, "the operator does not load nvidia-peermem"),
    ({"canary": "canary"}, host(), {}, "canary is no label"),
    ({"canary": "a=b"}, host(), {}, "no node has the label a=b"),
    ({}, host(node="gpu-7"), {}, "gpu-7 is no node of this cluster"),
    (
        {},
        host(),
        {"version": "v1.31.9"},
        "1.32 is the oldest that this chart is installed on, and the cluster has v1.31.9",
    ),
    ({"service_monitor": True}, host(), {}, "no definition servicemonitors.monitoring.coreos.com"),
    ({"nfd_owner": "cluster"}, host(), {}, "no definition nodefeatures.nfd.k8s-sigs.io"),
    ({}, host(), {"daemons": [named("worker")]}, "has Node Feature Discovery already: nfd/worker"),
    ({"release": "gpus"}, host(), {"releases": [RELEASE]}, "gpu-operator/gpu-operator has the operator already"),
    ({}, host(), {"releases": [{**RELEASE, "chart": "other-1.0"}]}, "is a release of another chart: other-1.0"),
    ({}, host(), {"releases": [{**RELEASE, "status": "pending-upgrade"}]}, "is pending-upgrade: another run of helm"),
    ({}, host(), {"policies": [named("cluster-policy")]}, "ClusterPolicy cluster-policy is of no release"),
    ({"values": {"driver": {"enabled": True}}}, host(), {}, "driver.enabled is set by a variable of this role"),
    ({"values": {"dcgm": {"enable": True}}}, host(), {}, "has no value dcgm.enable, so helm would leave it out"),
    ({"chart_version": "v26.1.0"}, host(), {}, "v26.1.0 is pinned, and gpu-operator is v25.10.1"),
]


@pytest.mark.parametrize(("changed", "judged", "there", "words"), CASES)
def test_what_cannot_work_is_refused_with_place_and_remedy(
    role: Any, changed: dict[str, Any], judged: Any, there: dict[str, Any], words: str
) -> None:
    problems = role.gpu_operator_problems({**SETTINGS, **changed}, {"gpu-1": judged}, cluster(**there), shown())
    assert [each for each in problems if words in each], problems
    assert all(each.count(". ") >= 1 and ": " in each for each in problems), problems


def test_a_cluster_that_does_not_answer_and_a_chart_that_is_not_there_are_refused_together_with_the_rest(
    role: Any,
) -> None:
    silent = {**cluster(), "read": [{"msg": "connection refused"}] * 4}
    missing = [{"rc": 1, "stderr": 'Error: chart "gpu-operator" version "v1" not found'}] * 2
    problems = role.gpu_operator_problems(SETTINGS, {"gpu-1": host(nouveau=True)}, silent, missing)
    assert [each.partition(":")[0] for each in problems] == [
        "gpu-1",
        "gpu_operator_kubeconfig",
        "gpu_operator_chart_version",
    ]


def test_nvidia_peermem_is_loaded_by_the_operators_driver_alone_and_never_for_dma_buf(role: Any) -> None:
    def rdma(**changed: Any) -> Any:
        return role.gpu_operator_values({**SETTINGS, **changed})["driver"]["rdma"]

    off, on = {"enabled": False, "useHostMofed": False}, {"enabled": True, "useHostMofed": True}
    assert rdma() == rdma(driver_owner="operator") == rdma(rdma="peermem") == off
    assert rdma(driver_owner="operator", rdma="peermem") == on


def test_every_value_that_is_set_is_one_of_the_chart(role: Any) -> None:
    def leaves(value: Any, path: str = "") -> set[str]:
        if not isinstance(value, dict) or not value:
            return {path.removeprefix(".")}
        return {leaf for key, each in value.items() for leaf in leaves(each, f"{path}.{key}")}

    every = role.gpu_operator_values({**SETTINGS, "driver_version": "580.1"})
    assert leaves(every) <= set(rows(VALUES))
    assert leaves(yaml.safe_load((CHART / "values.yaml").read_text())) == set(rows(VALUES)), (
        "the toy has the real names"
    )


def test_recorded_values_and_fields_are_those_of_the_chart_and_its_definition() -> None:
    beside = crd_facts.folder()
    if beside is None:
        pytest.skip("no schema facts beside this checkout")
    known = rows(beside / "values.gpu-operator.tsv")
    assert {name: row for name, row in rows(VALUES).items() if known[name][: len(row)] != row} == {}
    fields = crd_facts.fields(beside / "ClusterPolicy.v1.tsv")
    recorded = [line.split("\t")[1:] for line in SCHEMA.read_text().splitlines() if line.startswith("ClusterPolicy\t")]
    assert recorded
    assert [line for line in recorded if fields[line[0]] != (*line[1:], "", "", "")[:3]] == []


def test_nodes_wait_for_the_first_ones_but_for_those_that_somebody_else_keeps_out(role: Any) -> None:
    gpu = {"gpufabric/group": "gpu"}
    off = {role.OFF_LABEL: "false"}
    nodes = [node("a", {**gpu, "first": "yes"}), node("b", gpu), node("c", {**gpu, **off}), node("d")]
    first = {**SETTINGS, "canary": "first=yes"}
    assert role.gpu_operator_waiting(first, nodes, "gpufabric/group") == ["b"]
    assert role.gpu_operator_waiting(first, nodes, "gpufabric/group=other") == []
    assert role.gpu_operator_waiting(SETTINGS, nodes, "gpufabric/group") == []
    kept_out = [node("b", {**gpu, **off}, **{role.WAITS: "true"}), node("c", {**gpu, **off})]
    assert role.gpu_operator_kept_out(kept_out) == ["b"]
    assert role.gpu_operator_not_ready([node("a", gpus=8), node("b"), {"metadata": {"name": "c"}}]) == ["b", "c"]


def test_a_difference_has_what_changes_and_nothing_of_a_secret(role: Any) -> None:
    text = "kind: {kind}\nmetadata: {{name: a}}\ndata: {{x: {value}}}\n"
    before = text.format(kind="ConfigMap", value="old") + "---\n" + text.format(kind="Secret", value="aaaa")
    after = text.format(kind="ConfigMap", value="new") + "---\n" + text.format(kind="Secret", value="bbbb")
    lines = role.gpu_operator_difference(before, after)
    assert "-  x: old" in lines
    assert "+  x: new" in lines
    assert not any("aaaa" in line or "bbbb" in line for line in lines)
    assert role.gpu_operator_difference(after, after) == []
    assert "+kind: ConfigMap" in role.gpu_operator_difference("", after)
