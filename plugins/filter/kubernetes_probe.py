"""Filters for a try with one pod on each node: the pods to make, and what they show of their rails."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
HOSTNAME = "kubernetes.io/hostname"
NETWORKS, STATUS = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/network-status"
"""Annotations: what a pod asks for, and what it got (Kubernetes Network Plumbing Working Group, multi-net-spec)."""
PROBE = {"gpufabric/probe": "rdma"}


def kubernetes_probes(samples: Sequence[Object], nodes: Mapping[str, Object], image: str) -> list[dict[str, Any]]:
    """A pod for each node that a sample selects, without GPUs: only the rails are tried."""
    made = []
    for name, node in sorted(nodes.items()):
        for sample in samples:
            wanted = sample["spec"]["nodeSelector"]
            if all(node["labels"].get(key) == value for key, value in wanted.items()):
                made.append(_probe(sample, name, node["labels"].get(HOSTNAME, name), image))
                break
    return made


def _probe(sample: Object, node: str, hostname: str, image: str) -> dict[str, Any]:
    pod = copy.deepcopy(dict(sample))
    pod["metadata"] = {**pod["metadata"], "name": f"rdma-probe-{node}", "labels": dict(PROBE)}
    pod["spec"]["nodeSelector"] = {**pod["spec"]["nodeSelector"], HOSTNAME: hostname}
    (container,) = pod["spec"]["containers"]
    container.pop("envFrom", None)
    container["image"] = image or container["image"]
    container["resources"]["limits"].pop("nvidia.com/gpu", None)
    return pod


def kubernetes_probe_problems(probes: Sequence[Object], pods: Sequence[Object]) -> list[str]:
    """What is wrong with each pod."""
    live = {pod["metadata"]["name"]: pod for pod in pods}
    found = []
    for probe in probes:
        name = probe["metadata"]["name"]
        node = name.removeprefix("rdma-probe-")
        if name not in live:
            found.append(f"node {node}: no pod {name}; it was removed while it was tried")
        elif _is_ready(live[name]):
            found += [f"node {node}: {problem}" for problem in _networks(probe, live[name])]
        else:
            found.append(f"node {node}: its pod is {_state(live[name])}; kubectl describe pod {name} tells why")
    return found


def _is_ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def kubernetes_probes_ready(probes: Sequence[Object], pods: Sequence[Object]) -> bool:
    """Are all of them?"""
    ready = {pod["metadata"]["name"] for pod in pods if _is_ready(pod)}
    return all(probe["metadata"]["name"] in ready for probe in probes)


def _state(pod: Object) -> str:
    status = pod.get("status", {})
    reasons = [each.get("message") or each.get("reason", "") for each in status.get("conditions", ())]
    text = "; ".join(reason for reason in reasons if reason)
    return f"{status.get('phase', 'not scheduled')}{f' ({text})' if text else ''}"


def _networks(probe: Object, pod: Object) -> Iterator[str]:
    """Networks that the pod asked for and has no address on."""
    shown = json.loads(pod["metadata"].get("annotations", {}).get(STATUS, "[]"))
    addresses = {each["name"]: each.get("ips", []) for each in shown}
    for network in probe["metadata"]["annotations"][NETWORKS].split(", "):
        if not addresses.get(network):
            yield f"its pod has no address on {network}; the events of the pod and its pool tell why"


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "kubernetes_probes": kubernetes_probes,
            "kubernetes_probe_problems": kubernetes_probe_problems,
            "kubernetes_probes_ready": kubernetes_probes_ready,
        }
