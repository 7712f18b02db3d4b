"""The real kubectl drains nodes of a stand-in for an API server: budgets hold, others' cordons stay."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from job_drain import Bounds, Drain, SchedulerError

from tests.standins.kube_api import Api, started
from tests.standins.kube_api.writes import Write

ROOT = Path(__file__).parents[3]
schedulers = sys.modules[SchedulerError.__module__]
NODES = ["gpu-1", "gpu-2"]
OWN = "gpufabric site=lab "
REASON = f"{OWN}run=1"
POD: dict[str, Any] = {"spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture(scope="module")
def kubectl() -> str:
    folder = subprocess.check_output(["scripts/kube_tools.sh", str(Path(sys.executable).parent)], cwd=ROOT, text=True)
    return f"{folder.strip()}/kubectl"


@pytest.fixture
def api(tmp_path: Path):
    with started(tmp_path / "api", nodes=NODES) as running:
        yield running


@pytest.fixture
def drain(api: Api, kubectl: str) -> Callable[..., Drain]:
    def make(wait_s: int = 20, limit: int = 2, **options: bool) -> Drain:
        command = [kubectl, "--kubeconfig", str(api.kubeconfig)]
        return Drain(schedulers.Kubernetes(command, **options), OWN, Bounds(limit, wait_s, 5, poll_s=0.2))

    return make


def make(api: Api, group: str, plural: str, name: str, **fields: Any) -> None:
    given = {"metadata": {"name": name, **fields.pop("metadata", {})}, **fields}
    api.cluster.create(api.cluster.kind(group, "v1", plural), "default" if plural != "nodes" else "", given, Write("t"))


def pod(api: Api, name: str, node: str, **spec: Any) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
    metadata = {"labels": {"app": "web"}, "ownerReferences": [owner]}
    make(api, "", "pods", name, metadata=metadata, spec={**POD["spec"], "nodeName": node, **spec})


def node(api: Api, name: str) -> dict[str, Any]:
    found: dict[str, Any] = api.cluster.get(api.cluster.kind("", "v1", "nodes"), "", name)
    return found


def pods(api: Api) -> list[str]:
    return [each["metadata"]["name"] for each in api.cluster.list(api.cluster.kind("", "v1", "pods"), "")]


def test_a_drained_node_has_no_pods_and_says_who_cordoned_it_and_goes_back_as_it_was(api: Api, drain: Any) -> None:
    make(api, "apps", "replicasets", "web", spec={"replicas": 1})
    pod(api, "web-1", "gpu-1")
    pod(api, "web-2", "gpu-2")
    found = drain().drain(["gpu-1"], NODES, REASON)["gpu-1"]
    assert found.problem == ""
    assert pods(api) == ["web-2"]
    assert node(api, "gpu-1")["spec"]["unschedulable"] is True
    assert node(api, "gpu-1")["metadata"]["annotations"] == {"gpufabric.io/drain": REASON}
    assert drain().resume(["gpu-1"])["gpu-1"].problem == ""
    assert "unschedulable" not in node(api, "gpu-1").get("spec", {})
    assert not node(api, "gpu-1")["metadata"].get("annotations")
    assert not [line for line in api.requests if line.startswith("DELETE")], "a pod was deleted, not evicted"


def test_a_budget_that_allows_no_disruption_holds_and_the_node_goes_back(api: Api, drain: Any) -> None:
    make(api, "apps", "replicasets", "web", spec={"replicas": 1})
    pod(api, "web-1", "gpu-1")
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    make(api, "policy", "poddisruptionbudgets", "web", spec=budget)
    found = drain(wait_s=8).drain(["gpu-1", "gpu-2"], NODES, REASON)
    assert "disruption budget" in found["gpu-1"].problem
    assert pods(api) == ["web-1"]
    assert "unschedulable" not in node(api, "gpu-1").get("spec", {})
    assert found["gpu-2"].problem == ""


def test_a_budget_is_waited_for_until_it_allows_it(api: Api, drain: Any) -> None:
    make(api, "apps", "replicasets", "web", spec={"replicas": 1})
    pod(api, "web-1", "gpu-1")
    make(
        api,
        "policy",
        "poddisruptionbudgets",
        "web",
        spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    )
    threading.Thread(target=lambda: (time.sleep(3), pod(api, "web-2", "gpu-2"))).start()
    assert drain(wait_s=40).drain(["gpu-1"], NODES, REASON)["gpu-1"].problem == ""
    assert pods(api) == ["web-2"]


def test_a_node_that_somebody_else_cordoned_stays_cordoned(api: Api, drain: Any, kubectl: str) -> None:
    subprocess.run([kubectl, "--kubeconfig", str(api.kubeconfig), "cordon", "gpu-1"], check=True, capture_output=True)
    found = drain().drain(["gpu-1"], NODES, REASON)["gpu-1"]
    assert (found.problem, found.is_ours) == ("", False)
    drain().resume(["gpu-1"])
    assert node(api, "gpu-1")["spec"]["unschedulable"] is True


def test_a_pod_with_an_empty_dir_keeps_it_unless_it_is_allowed(api: Api, drain: Any) -> None:
    make(api, "apps", "replicasets", "web", spec={"replicas": 1})
    pod(api, "web-1", "gpu-1", volumes=[{"name": "scratch", "emptyDir": {}}])
    assert "--delete-emptydir-data" in drain(wait_s=8).drain(["gpu-1"], NODES, REASON)["gpu-1"].problem
    assert pods(api) == ["web-1"]
    assert "unschedulable" not in node(api, "gpu-1").get("spec", {})
    assert drain(empty_dirs=True).drain(["gpu-1"], NODES, REASON)["gpu-1"].problem == ""
    assert pods(api) == []


def test_a_pod_that_nothing_would_start_again_is_left_alone(api: Api, drain: Any) -> None:
    make(api, "", "pods", "alone", spec={**POD["spec"], "nodeName": "gpu-1"})
    assert "alone" in drain(wait_s=8).drain(["gpu-1"], NODES, REASON)["gpu-1"].problem
    assert pods(api) == ["alone"]
