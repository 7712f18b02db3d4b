"""The stand-in for a Kubernetes API, asked by the real kubectl and helm: what it keeps, refuses, says of a conflict."""

from __future__ import annotations

import ast
import json
import os
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.standins.kube_api import Api, started

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCHEMA = ROOT / "tests/corpus/kubernetes/schema.tsv"
POOL: dict[str, Any] = {
    "apiVersion": "nv-ipam.nvidia.com/v1alpha1",
    "kind": "CIDRPool",
    "metadata": {"name": "rail0", "namespace": "default"},
    "spec": {"cidr": "10.168.0.0/16", "perNodeNetworkPrefix": 31, "gatewayIndex": 0},
}
POLICY: dict[str, Any] = {
    "apiVersion": "mellanox.com/v1alpha1",
    "kind": "NicClusterPolicy",
    "metadata": {"name": "nic-cluster-policy"},
    "spec": {"global": {"repository": "r", "version": "1"}},
}
Run = Callable[..., str]


@pytest.fixture(scope="module")
def tools() -> Path:
    folder = subprocess.check_output(["scripts/kube_tools.sh", str(Path(sys.executable).parent)], cwd=ROOT, text=True)
    return Path(folder.strip())


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with started(tmp_path / "api", nodes=["gpu-1,gpufabric/site=lab", "gpu-2"], schemas=[SCHEMA]) as running:
        yield running


@pytest.fixture
def run(api: Api, tools: Path, tmp_path: Path) -> Run:
    """What a program prints; its exit code must be the one named."""
    environment = {
        **os.environ,
        "KUBECONFIG": str(api.kubeconfig),
        "HOME": str(tmp_path),
        "KUBECTL_EXTERNAL_DIFF": "diff -u",
    }
    for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"):
        environment[name] = str(tmp_path / name)

    def run_one(*command: str, exits: int = 0, given: Any = None) -> str:
        ended = subprocess.run(
            [str(tools / command[0]), *command[1:]],
            input=None if given is None else json.dumps(given),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert ended.returncode == exits, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return run_one


def with_spec(each: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**each, "spec": {**each["spec"], **fields}}


def test_kubectl_applies_compares_selects_and_deletes(run: Run) -> None:
    apply = ("kubectl", "apply", "-f", "-")
    assert "created" in run(*apply, given=POOL)
    assert "unchanged" in run(*apply, given=POOL)
    changed = with_spec(POOL, cidr="10.200.0.0/16")
    assert "+  cidr: 10.200.0.0/16" in run("kubectl", "diff", "-f", "-", given=changed, exits=1)
    assert "configured" in run(*apply, given=changed)
    assert run("kubectl", "get", "cidrpools", "rail0", "-o", "jsonpath={.spec.cidr}") == "10.200.0.0/16"
    assert run("kubectl", "get", "nodes", "-l", "gpufabric/site=lab", "-o", "name") == "node/gpu-1\n"
    assert "deleted" in run("kubectl", "delete", "cidrpool", "rail0")
    assert "NotFound" in run("kubectl", "get", "cidrpool", "rail0", exits=1)


def test_an_unknown_field_is_refused_or_dropped_with_a_warning_as_the_client_asks(run: Run) -> None:
    wrong = with_spec(POOL, cider="x")
    assert 'unknown field "spec.cider"' in run("kubectl", "apply", "-f", "-", given=wrong, exits=1)
    message = run("kubectl", "apply", "--server-side", "-f", "-", given=wrong, exits=1)
    assert ".spec.cider: field not declared in schema" in message
    assert 'Warning: unknown field "spec.cider"' in run("kubectl", "apply", "--validate=warn", "-f", "-", given=wrong)
    assert run("kubectl", "get", "cidrpools", "rail0", "-o", "jsonpath={.spec.cider}") == ""


def test_two_managers_of_one_field_conflict_and_what_is_applied_no_more_goes(run: Run) -> None:
    def apply(given: Any, manager: str, *more: str, exits: int = 0) -> str:
        command = ("kubectl", "apply", "--server-side", "--field-manager", manager, *more, "-f", "-")
        return run(*command, given=given, exits=exits)

    apply(with_spec(POLICY, nvIpam={"image": "nvidia-k8s-ipam"}), "gpufabric")
    newer = with_spec(POLICY, **{"global": {"repository": "r", "version": "2"}})
    message = apply(newer, "somebody", exits=1)
    assert 'conflict with "gpufabric" using mellanox.com/v1alpha1: .spec.global.version' in message
    apply(newer, "somebody", "--force-conflicts")
    assert 'conflict with "somebody"' in apply(POLICY, "gpufabric", exits=1)
    apply({**POLICY, "spec": {}}, "gpufabric")
    left = json.loads(run("kubectl", "get", "nicclusterpolicy", "nic-cluster-policy", "-o", "json"))
    assert left["spec"] == {"global": {"repository": "r", "version": "2"}}


def test_patches_change_what_they_name(run: Run) -> None:
    run("kubectl", "apply", "-f", "-", given=POOL)
    run("kubectl", "patch", "cidrpool", "rail0", "--type", "merge", "-p", '{"spec":{"gatewayIndex":null}}')
    run(
        "kubectl",
        "patch",
        "cidrpool",
        "rail0",
        "--type",
        "json",
        "-p",
        '[{"op":"replace","path":"/spec/cidr","value":"a"}]',
    )
    spec = json.loads(run("kubectl", "get", "cidrpool", "rail0", "-o", "json"))["spec"]
    assert spec == {"cidr": "a", "perNodeNetworkPrefix": 31}
    containers = [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": containers}}
    run("kubectl", "apply", "-f", "-", given=pod)
    run("kubectl", "patch", "pod", "p", "-p", '{"spec":{"containers":[{"name":"b","image":"2"}]}}')
    assert run("kubectl", "get", "pod", "p", "-o", "jsonpath={.spec.containers[*].image}") == "1 2"


CHART = {
    "Chart.yaml": "{apiVersion: v2, name: toy, version: 1.0.0, description: no real chart}",
    "values.yaml": "image: a",
    "crds/toys.yaml": json.dumps(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "toys.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Cluster",
                "names": {"kind": "Toy", "listKind": "ToyList", "plural": "toys", "singular": "toy"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {
                            "openAPIV3Schema": {
                                "type": "object",
                                "properties": {"spec": {"type": "object", "properties": {"image": {"type": "string"}}}},
                            }
                        },
                    }
                ],
            },
        }
    ),
    "templates/all.yaml": """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: daemons}
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "{{ .Values.image }}"}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: deployed}
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "{{ .Values.image }}"}]}}
---
apiVersion: example.com/v1
kind: Toy
metadata: {name: toy}
spec: {image: "{{ .Values.image }}"}
---
apiVersion: batch/v1
kind: Job
metadata: {name: hook, annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: hook-succeeded}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}
""",
}


def test_helm_installs_waits_upgrades_goes_back_and_uninstalls(run: Run, tmp_path: Path) -> None:
    for name, text in CHART.items():
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(text)
    chart, wait = str(tmp_path / "toy"), ("-n", "toys", "--wait", "--timeout", "60s")
    run("helm", "install", "toy", chart, "--create-namespace", *wait)
    run("helm", "upgrade", "toy", chart, "--set", "image=b", *wait)
    images = ("kubectl", "get", "toy/toy", "-o", "jsonpath={.spec.image}")
    assert run(*images) == "b"
    assert "toy.v2" in run("kubectl", "get", "secrets", "-n", "toys", "-l", "owner=helm,status=deployed", "-o", "name")
    run("helm", "rollback", "toy", "1", *wait)
    assert run(*images) == "a"
    run("helm", "uninstall", "toy", "-n", "toys")
    assert "NotFound" in run(*images, exits=1)


def test_a_watch_sees_what_happens_after_it_began(run: Run, api: Api) -> None:
    run("kubectl", "apply", "-f", "-", given=POOL)
    kind = next(each for each in api.cluster.kinds if each.plural == "cidrpools")

    def delete() -> None:
        time.sleep(1)
        api.cluster.delete(kind, "default", "rail0")

    thread = threading.Thread(target=delete)
    thread.start()
    run("kubectl", "wait", "--for=delete", "cidrpool/rail0", "--timeout=60s")
    thread.join()


def test_a_token_and_its_own_ca_are_wanted(api: Api) -> None:
    config = json.loads(api.kubeconfig.read_text())
    address = config["clusters"][0]["cluster"]["server"] + "/api/v1/nodes"
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(address, timeout=10)
    context = ssl.create_default_context(cafile=str(api.kubeconfig.parent / "ca.crt"))
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(address, timeout=10, context=context)
    assert api.kubeconfig.stat().st_mode & 0o077 == 0


def test_as_a_process_it_starts_serves_and_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.standins.kube_api"]
    subprocess.run([*command, "up", str(tmp_path), "--version", "v1.31.0"], cwd=ROOT, check=True, timeout=60)
    pid = int((tmp_path / "pid").read_text())
    subprocess.run([*command, "down", str(tmp_path)], cwd=ROOT, check=True, timeout=60)
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()
    assert not (tmp_path / "pid").exists()


def test_it_imports_the_standard_library_its_kin_and_cel_only() -> None:
    for path in (HERE / "kube_api").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        direct = {
            name.name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
        }
        direct |= {
            (node.module or "").partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.level == 0
        }
        assert direct - set(sys.stdlib_module_names) <= {"celpy"}, path
