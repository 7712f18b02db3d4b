"""playbooks/kubernetes_validate.yml on a stand-in for a cluster: a played kubelet says what running pods would show."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import load
from tests.standins.kube_api import Api, started
from tests.standins.kube_api.writes import Write

ROOT = Path(__file__).parents[3]
STATUS = "k8s.v1.cni.cncf.io/network-status"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    kubernetes.write(kubernetes.k8s_rdma(load(str(ROOT / "inventory/lab")), Choices()), tmp_path / "rdma")
    labels = "gpufabric/site=lab,gpufabric/group=gpu"
    nodes = [f"gpu-1,{labels}", f"gpu-2,{labels}", "login-1"]
    with started(tmp_path / "api", nodes=nodes) as running:
        yield running


def run(api: Api, folder: Path, timeout_s: int) -> subprocess.CompletedProcess[str]:
    values = {
        "rdma_kubernetes_manifests": str(folder / "rdma"),
        "rdma_kubernetes_context": "stand-in",
        "rdma_kubernetes_kubeconfig": str(api.kubeconfig),
        "gpufabric_probe_timeout_s": timeout_s,
        "ansible_python_interpreter": sys.executable,
    }
    command = [Path(sys.executable).parent / "ansible-playbook", "playbooks/kubernetes_validate.yml"]
    options = ["--inventory=localhost,", "--connection=local", f"--extra-vars={json.dumps(values)}"]
    environment = os.environ | {"HOME": str(folder), "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
    return subprocess.run(
        [*command, *options], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@contextmanager
def kubelet(api: Api, without: str = "") -> Iterator[list[str]]:
    """Makes pods ready, with an address on each network but ``without``; gives their names."""
    kind = api.cluster.kind("", "v1", "pods")
    end, names = threading.Event(), list[str]()

    def play() -> None:
        while not end.wait(0.2):
            for pod in api.cluster.list(kind, ""):
                if pod["status"].get("phase") == "Running":
                    continue
                names.append(pod["metadata"]["name"])
                wanted = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(", ")
                shown = [{"name": each, "ips": ["10.168.0.1"] if each != without else []} for each in wanted]
                ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
                change = {"metadata": {"annotations": {STATUS: json.dumps(shown)}}}
                where = (pod["metadata"]["namespace"], pod["metadata"]["name"], "application/merge-patch+json")
                api.cluster.patch(kind, *where, change, Write("multus"))
                api.cluster.patch(kind, *where, {"status": ready}, Write("kubelet"), "status")

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield names
    finally:
        end.set()
        thread.join()


def test_a_pod_on_each_host_of_the_site_is_tried_and_removed(api: Api, tmp_path: Path) -> None:
    with kubelet(api) as names:
        ended = run(api, tmp_path, 60)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 nodes, each with a pod that has an address on each rail" in ended.stdout
    assert sorted(names) == ["rdma-probe-gpu-1", "rdma-probe-gpu-2"]
    assert api.cluster.list(api.cluster.kind("", "v1", "pods"), "") == []


@pytest.mark.long
def test_a_rail_without_an_address_is_named_with_its_node(api: Api, tmp_path: Path) -> None:
    with kubelet(api, without="default/compute-rail3"):
        ended = run(api, tmp_path, 60)
    assert ended.returncode == 2
    message = " ".join((ended.stdout + ended.stderr).split())
    assert "node gpu-2: its pod has no address on default/compute-rail3" in message
    assert "rail2;" not in message
    assert api.cluster.list(api.cluster.kind("", "v1", "pods"), "") == []


def test_pods_that_never_start_and_pods_that_are_gone_are_told_by_node() -> None:
    sys.path.append(str(ROOT))
    probe = importlib.import_module("ansible_collections.gpufabric.host.plugins.filter.kubernetes_probe")
    probes = [{"metadata": {"name": f"rdma-probe-gpu-{number}"}} for number in (1, 2)]
    why = {"type": "PodScheduled", "status": "False", "message": "0/2 nodes: 2 Insufficient nvidia.com/rail0"}
    pods = [{**probes[0], "status": {"phase": "Pending", "conditions": [why]}}]
    assert not probe.kubernetes_probes_ready(probes, pods)
    assert probe.kubernetes_probe_problems(probes, pods) == [
        "node gpu-1: its pod is Pending (0/2 nodes: 2 Insufficient nvidia.com/rail0); "
        "kubectl describe pod rdma-probe-gpu-1 tells why",
        "node gpu-2: no pod rdma-probe-gpu-2; it was removed while it was tried",
    ]
