"""What a cluster calls its nodes: a template or a list decides in every export, and in the audit of manifests."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.errors import GpufabricError
from nornir_tasks.usecases import audit, export, kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.node_names import node_names
from nornir_tasks.usecases.site import SiteDesign, load

ROOT = Path(__file__).parents[3]
HOSTS = ("gpu-1", "gpu-2", "big-gpu-12")
P2P, SUBNET = "inventory/lab", "tests/sites/subnet"


@cache
def site(name: str) -> SiteDesign:
    return load(str(ROOT / name))


@pytest.mark.parametrize(
    ("wanted", "nodes"),
    [
        (None, ["gpu-1", "gpu-2", "big-gpu-12"]),
        ("{host}.example.com", ["gpu-1.example.com", "gpu-2.example.com", "big-gpu-12.example.com"]),
        ("{group}{number:03}", ["gpu001", "gpu002", "big-gpu012"]),
        ("n{number}-{group}", ["n1-gpu", "n2-gpu", "n12-big-gpu"]),
    ],
)
def test_a_template_names_each_host_by_its_group_and_number(wanted: str | None, nodes: list[str]) -> None:
    assert node_names(wanted, HOSTS) == dict(zip(HOSTS, nodes, strict=True))


def test_a_list_names_each_host_and_each_wrong_line_is_told_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "nodes"
    file.write_text("# host node\ngpu-2 b\ngpu-1 a  # first\n\nbig-gpu-12 c\n")
    assert node_names(str(file), HOSTS) == {"gpu-1": "a", "gpu-2": "b", "big-gpu-12": "c"}
    file.write_text("gpu-1\nother x\ngpu-1 a\ngpu-1 b\n")
    with pytest.raises(GpufabricError) as refused:
        node_names(str(file), HOSTS)
    where = [each.where.rpartition("/")[2] for each in refused.value.problems]
    assert where == ["nodes:1", "nodes:2", "nodes:4", "nodes"]
    assert "gpu-2, big-gpu-12" in str(refused.value)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("{rack}-{host}", "{host}, {group}, {number} or {number:03}"),
        ("{host}}", "part of no placeholder"),
        ("{group}", "gpu-1 and gpu-2 would be one node, gpu"),
        ("{host}_", "is no name of a node"),
        ("/nowhere/nodes", "cannot be read"),
    ],
)
def test_what_names_no_node_or_two_hosts_alike_is_refused(wanted: str, words: str) -> None:
    with pytest.raises(GpufabricError) as refused:
        node_names(wanted, HOSTS)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", [P2P, SUBNET])
def test_pools_and_labels_have_the_clusters_names_and_the_audit_takes_these_and_no_other(
    name: str, tmp_path: Path
) -> None:
    template = "{host}.example.com"
    made = kubernetes.k8s_rdma(site(name), Choices(nodes=template))
    named = [word for each in made.files["pools.yaml"] for word in nodes_of(dict(each))]
    assert named
    assert all(each.endswith(".example.com") for each in named)
    labelled = {line.split()[3] for line in export.k8s_labels(site(name), None, template).lines}
    assert set(named) == labelled
    kubernetes.write(made, tmp_path)
    found = audit.audit_k8s(site(name), str(tmp_path), nodes=template)
    assert [each for each in found.results if each.verdict is not Verdict.PASS] == []
    assert audit.audit_k8s(site(name), str(tmp_path)).failed
    kubernetes.write(kubernetes.k8s_rdma(site(name), Choices()), tmp_path)
    assert audit.audit_k8s(site(name), str(tmp_path), nodes=template).failed, "hosts of the intent are no nodes there"


def nodes_of(pool: dict[str, Any]) -> list[str]:
    spec = json.loads(json.dumps(pool["spec"]))
    return spec.get("nodeName") or [each["nodeName"] for each in spec["staticAllocations"]]


def test_topographs_older_keys_are_written_beside_the_newer_ones_where_they_are_asked_for() -> None:
    for name in (P2P, "tests/sites/clos3"):
        plain = export.k8s_labels(site(name), "compute").labels
        both = export.k8s_labels(site(name), "compute", with_older=True).labels
        older = [f"network.topology.nvidia.com/{each}" for each in ("leaf", "spine", "core")]
        for host, labels in both.items():
            tiers = [value for key, value in plain[host].items() if key.startswith("fabric.topograph.run/tier-")]
            added = {key: value for key, value in labels.items() if key not in plain[host]}
            assert added == dict(zip(older, tiers, strict=False))
