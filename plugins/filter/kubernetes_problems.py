"""Filters for roles that apply manifests to a cluster: what is in the way, what is to go, what would change."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
EXPORT = "nornir export k8s-rdma"
MANAGED_BY, SITE = "app.kubernetes.io/managed-by", "gpufabric/site"
OWNER = "gpufabric"
PROVIDERS = {
    "mellanox.com": "NVIDIA's network operator",
    "nv-ipam.nvidia.com": "NVIDIA's network operator (nv-ipam)",
    "k8s.cni.cncf.io": "NVIDIA's network operator or Spiderpool (Multus)",
    "configuration.net.nvidia.com": "NVIDIA's network operator (nicConfigurationOperator)",
    "spiderpool.spidernet.io": "Spiderpool",
    "sriovnetwork.openshift.io": "NVIDIA's network operator (sriovNetworkOperator.enabled)",
}
"""Group of an API -> whose chart defines its kinds."""
HOST_SETTINGS = (
    "nic_firmware_policy",
    "nic_firmware_vfs",
    "rdma_stack_namespaces",
    "rdma_stack_source",
    "roce_qos_virtual_functions_allowed",
)
"""Variables of host roles that set what the manifests set as well."""
PLUGINS = ("rdmaSharedDevicePlugin", "sriovDevicePlugin")
"""Parts of a NicClusterPolicy or NicNodePolicy that hand out devices."""


def kubernetes_problems(
    manifests: Sequence[Object],
    facts: Object,
    oldest: str,
    absent: Sequence[str],
    hosts: Mapping[str, Object] | None = None,
) -> list[str]:
    """Each problem as `place: what is wrong; remedy`. ``absent``: nodes that need not be there yet.

    ``hosts``: variables of hosts (``kubernetes_hosts``), as far as they are in the inventory.
    """
    settings = {node: (hosts or {}).get(node) for node in _rails_of_nodes(manifests)}
    return [
        *_version(facts, oldest),
        *_places(manifests, facts),
        *_fields(manifests, facts),
        *_nodes(manifests, facts, absent),
        *_interfaces(manifests, facts),
        *_owners(manifests, facts),
        *_of_others(manifests, facts, settings),
        *_host_roles(manifests, settings),
        *_namespaces(manifests, settings),
        *_pools(manifests, facts),
        *_discoveries(facts),
    ]


def _kind(each: Object) -> str:
    return f"{each['apiVersion']} {each['kind']}"


def _called(each: Object) -> str:
    return f"{each['kind']} {each['metadata']['name']}"


def _key(each: Object) -> tuple[str, str, str]:
    return each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]


def _labels(each: Object) -> Mapping[str, str]:
    return each["metadata"].get("labels") or {}


def _is_ours(each: Object) -> bool:
    return _labels(each).get(MANAGED_BY) == OWNER


def _live(facts: Object) -> Iterator[Object]:
    """Objects of the cluster, of the kinds that were read."""
    for kind, objects in facts["objects"].items():
        api, _, name = kind.partition(" ")
        yield from ({**each, "apiVersion": api, "kind": name} for each in objects)
    yield from facts["marked"]


def _version(facts: Object, oldest: str) -> Iterator[str]:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)[:2]]

    if numbers(facts["version"]) < numbers(oldest):
        remedy = "upgrade the cluster; rdma_kubernetes_oldest names another release at your own risk"
        yield f"Kubernetes: {facts['version']} at {facts['server']}; the operators want {oldest} or newer: {remedy}"


def _places(manifests: Sequence[Object], facts: Object) -> Iterator[str]:
    """Kinds that are not defined, namespaces that are not there."""
    for kind in dict.fromkeys(_kind(each) for each in manifests if "." in each["apiVersion"]):
        if kind not in facts["definitions"]:
            provider = PROVIDERS.get(kind.split("/")[0], "its operator")
            yield f"{kind}: the cluster has no such definition; install {provider}, of a release that has this version"
    wanted = dict.fromkeys(each["metadata"]["namespace"] for each in manifests if "namespace" in each["metadata"])
    for name in wanted:
        if name not in facts["namespaces"]:
            remedy = f"an operator's namespace comes with its chart; for pods: kubectl create namespace {name}"
            yield f"namespace {name}: the cluster has none; {remedy}, or {EXPORT} --namespace OTHER"


def _fields(manifests: Sequence[Object], facts: Object) -> Iterator[str]:
    """Fields that the cluster's definitions do not have, so that API servers drop them or refuse the object."""
    missing: dict[tuple[str, str], list[str]] = {}
    for each in manifests:
        kind = _kind(each)
        if kind in facts["definitions"]:
            known = set(facts["definitions"][kind]["fields"])
            for path in _unknown(each, known):
                missing.setdefault((kind, path), []).append(each["metadata"]["name"])
    for (kind, path), names in missing.items():
        remedy = "upgrade its operator"
        if path == "spec.metaPlugins":
            remedy += f", or {EXPORT} without --attach-by operator"
        first = f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}"
        yield f"{kind} {first}: the cluster's definition has no field {path}; {remedy}"


def _unknown(each: Object, known: set[str]) -> Iterator[str]:
    def walk(value: object, path: str) -> Iterator[str]:
        if isinstance(value, Mapping):
            for key, below in value.items():
                name = f"{path}.{key}" if path else key
                if name in known:
                    yield from walk(below, name)
                elif f"{path}.*" in known:
                    yield from walk(below, f"{path}.*")
                else:
                    yield name
        elif isinstance(value, list):
            for item in value:
                yield from walk(item, f"{path}[]")

    body = {key: value for key, value in each.items() if key not in {"apiVersion", "kind", "metadata"}}
    return iter(dict.fromkeys(walk(body, "")))


def _rails_of_nodes(manifests: Sequence[Object]) -> dict[str, list[str]]:
    """Node -> interfaces of it that pods use."""
    interfaces = sorted(_wanted_interfaces(manifests), key=len, reverse=True)
    found: dict[str, list[str]] = {}
    for each in manifests:
        spec = each.get("spec", {})
        if each["kind"] == "CIDRPool":
            network, nodes = each["metadata"]["name"], [one["nodeName"] for one in spec.get("staticAllocations", ())]
        elif each["kind"] == "SpiderIPPool":
            network, nodes = spec["multusName"][0].rpartition("/")[2], spec.get("nodeName", [])
        else:
            continue
        rail = next((name for name in interfaces if network.endswith(f"-{name}")), None)
        for node in nodes:
            found.setdefault(node, []).extend([rail] if rail else [])
    return found


def _wanted_interfaces(manifests: Sequence[Object]) -> set[str]:
    """Interfaces that device plug-ins look for; resources of whole ports, which have PCI addresses, are called so."""
    found: set[str] = set()
    for each in manifests:
        spec = each.get("spec", {})
        if each["kind"] == "SriovNetworkNodePolicy":
            found |= {name.partition("#")[0] for name in spec["nicSelector"].get("pfNames", ())}
        if each["kind"] in {"NicClusterPolicy", "NicNodePolicy"}:
            for plugin in PLUGINS:
                config = json.loads(spec.get(plugin, {}).get("config", "{}"))
                found |= {one["resourceName"] for one in config.get("resourceList", ())}
                found |= {name for one in config.get("configList", ()) for name in one["selectors"].get("ifNames", ())}
    return found


def _nodes(manifests: Sequence[Object], facts: Object, absent: Sequence[str]) -> Iterator[str]:
    missing = [name for name in _rails_of_nodes(manifests) if name not in facts["nodes"] and name not in absent]
    if missing:
        known = ", ".join(sorted(facts["nodes"])[:5]) or "none"
        remedy = "join them, call nodes as the intent calls hosts, or name them in rdma_kubernetes_absent_nodes"
        yield f"nodes {_some(missing)}: the intent has these hosts, the cluster has {known}; {remedy}"


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _interfaces(manifests: Sequence[Object], facts: Object) -> Iterator[str]:
    """Rails that a node has not, where the operator has seen its NICs.

    A port that a pod has taken has no name on its host, so as many may be missing as ports are without a name.
    """
    ports: dict[str, list[str]] = {}
    for device in facts["objects"].get("configuration.net.nvidia.com/v1alpha1 NicDevice", ()):
        status = device.get("status", {})
        names = [port.get("networkInterface", "") for port in status.get("ports", ())]
        ports.setdefault(status.get("node", ""), []).extend(names)
    for node, wanted in _rails_of_nodes(manifests).items():
        seen = ports.get(node)
        missing = [name for name in wanted if seen is not None and name not in seen]
        if seen is not None and len(missing) > seen.count(""):
            have = ", ".join(sorted(name for name in seen if name)) or "none"
            remedy = "role rail_interfaces names them (site.yml), or correct port_names and at in the intent"
            yield f"node {node}: no interface {_some(missing, 8)}; its NICs have {have}: {remedy}"


def _owners(manifests: Sequence[Object], facts: Object) -> Iterator[str]:
    """Objects of the manifests' names that another tool or another site made."""
    live = {_key(each): each for each in _live(facts)}
    for each in manifests:
        there = live.get(_key(each))
        if there is None:
            continue
        namespace = each["metadata"].get("namespace")
        where = f" -n {namespace}" if namespace else ""
        wanted = _labels(each).get(SITE)
        if not _is_ours(there):
            command = f"kubectl label{where} {each['kind'].lower()} {each['metadata']['name']}"
            remedy = f"hand it over with `{command} {MANAGED_BY}={OWNER} {SITE}={wanted}`, or delete it"
            yield f"{_called(each)}: it is there already, and not ours; {remedy}"
        elif _labels(there).get(SITE) != wanted:
            yield f"{_called(each)}: it is of site {_labels(there).get(SITE)}, not {wanted}; a cluster is of one site"


def kubernetes_hosts(hostvars: Mapping[str, Object], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Of each host the variables that set what manifests set as well."""
    found = {}
    for name in names:
        own = hostvars[name]
        found[name] = {key: own[key] for key in HOST_SETTINGS if key in own}
    return found


def _host_roles(manifests: Sequence[Object], settings: Mapping[str, Object | None]) -> Iterator[str]:
    """Settings of NICs that a host role would set too: each has one owner."""
    templates = [each["spec"]["template"] for each in manifests if each["kind"] == "NicConfigurationTemplate"]
    if not templates:
        return
    vfs = max(each["numVfs"] for each in templates)
    known = {node: own for node, own in settings.items() if own is not None}
    if both := [node for node, own in known.items() if str(own.get("nic_firmware_policy")).lower() in {"true", "yes"}]:
        what = "role nic_firmware writes CNP_DSCP, CNP_802P_PRIO and ROCE_CC_PRIO_MASK, as the operator does"
        yield f"nic_firmware_policy: true on {_some(both)}: {what} (NicConfigurationTemplate); set it to false there"
    others = {node: str(own.get("nic_firmware_vfs", -1)) for node, own in known.items()}
    if wrong := [node for node, each in others.items() if each not in {"-1", str(vfs)}]:
        what = f"the manifests have the operator make {vfs} virtual functions of each port"
        remedy = f"leave it out, or {EXPORT} --attach-by sriov --vfs {others[wrong[0]]}"
        yield f"nic_firmware_vfs: {others[wrong[0]]} on {_some(wrong)}: {what}; {remedy}"
    name = "roce_qos_virtual_functions_allowed"
    allowed = {node: int(own.get(name, 0)) for node, own in known.items()}
    if few := [node for node, each in allowed.items() if each < vfs]:
        what = f"the operator makes {vfs} virtual functions of each port, and role roce_qos would refuse these hosts"
        yield f"{name}: {allowed[few[0]]} on {_some(few)}: {what}; set it to {vfs}"


def _namespaces(manifests: Sequence[Object], settings: Mapping[str, Object | None]) -> Iterator[str]:
    """Is an RDMA device in all network namespaces, or does it go into one pod's: the same on hosts and in networks."""
    name = "rdma_stack_namespaces"
    chains = [f"[{each['spec'].get('metaPlugins', '')}]" for each in manifests if each["kind"] == "SriovNetwork"]
    moved = any(plugin["type"] == "rdma" for chain in chains for plugin in json.loads(chain))
    known = {node: str(own.get(name, "")) for node, own in settings.items() if own is not None}
    if wrong := [node for node, mode in known.items() if (mode == "exclusive") != moved]:
        is_ = known[wrong[0]] or "not set, so shared,"
        if moved:
            what = "the networks move each RDMA device into its pod, which the plug-in rdma refuses"
            yield f"{name}: {is_} on {_some(wrong)}: {what}; set it to exclusive, or {EXPORT} without --exclusive"
        else:
            what = "pods would see no RDMA device, as the networks move none"
            remedy = f"set it to shared, or {EXPORT} --attach-by sriov --exclusive"
            yield f"{name}: {is_} on {_some(wrong)}: {what}; {remedy}"


def _of_others(manifests: Sequence[Object], facts: Object, settings: Mapping[str, Object | None]) -> Iterator[str]:
    """Two owners of one setting, device or driver."""
    own = {_key(each) for each in manifests}
    policy = next((each["spec"] for each in manifests if each["kind"] == "NicClusterPolicy"), {})
    by_node = {one for each in manifests if each["kind"] == "NicNodePolicy" for one in PLUGINS if one in each["spec"]}
    types = {each["spec"]["nicSelector"]["nicType"] for each in manifests if each["kind"] == "NicConfigurationTemplate"}
    interfaces = _wanted_interfaces(manifests)
    for each in _live(facts):
        spec, is_own = each.get("spec") or {}, _key(each) in own
        if each["kind"] == "NicClusterPolicy":
            if not is_own:
                yield f"{_called(each)}: another policy beside nic-cluster-policy, and a cluster has one; delete it"
            yield from _second_driver(each, settings)
            yield from _second_plugins(each, policy, by_node)
        elif is_own or _is_ours(each):
            continue
        elif each["kind"] == "NicNodePolicy" and (by_node or any(one in spec and one in policy for one in PLUGINS)):
            remedy = "delete it, or have it select other nodes"
            yield f"{_called(each)}: hands out devices of nodes, as our policies do; {remedy}"
        elif each["kind"] == "NicConfigurationTemplate" and spec["nicSelector"]["nicType"] in types:
            remedy = "delete it, or have it select other NICs"
            yield f"{_called(each)}: sets NICs of type {spec['nicSelector']['nicType']}, as our manifests do; {remedy}"
        elif each["kind"] == "SriovNetworkNodePolicy":
            names = {name.partition("#")[0] for name in spec["nicSelector"].get("pfNames", ())}
            if both := sorted(names & interfaces):
                remedy = "delete it, or have it select other NICs"
                yield f"{_called(each)}: makes virtual functions of {_some(both)}, which our pods use; {remedy}"


def _second_driver(live: Object, settings: Mapping[str, Object | None]) -> Iterator[str]:
    """The operator's driver container, where a host has another source of the driver than what is there."""
    if "ofedDriver" not in (live.get("spec") or {}):
        return
    others = [node for node, own in settings.items() if (own or {}).get("rdma_stack_source") != "keep"]
    if others:
        remedy = "remove spec.ofedDriver, or leave the driver to the operator: rdma_stack_source: keep on all nodes"
        what = "spec.ofedDriver has the operator load a NIC driver, and role rdma_stack owns the hosts' driver"
        yield f"{_called(live)}: {what} ({_some(others)}); {remedy}"


def _second_plugins(live: Object, policy: Object, by_node: set[str]) -> Iterator[str]:
    """Device plug-ins of the whole cluster beside ours, which are of the whole cluster or of nodes."""
    spec = live.get("spec") or {}
    ours = [each for each in PLUGINS if each in policy or each in by_node]
    for plugin in PLUGINS:
        if plugin in spec and plugin not in policy and ours:
            what = f"spec.{plugin} hands out devices, as our {'/'.join(ours)} does"
            if not _is_ours(live):
                yield f"{_called(live)}: {what}; remove it"


def _pools(manifests: Sequence[Object], facts: Object) -> Iterator[str]:
    """Pools of others with addresses of ours."""
    field = {"CIDRPool": "cidr", "SpiderIPPool": "subnet", "IPPool": "subnet"}
    own = {_key(each) for each in manifests}
    ours = {each["spec"][field[each["kind"]]]: each for each in manifests if each["kind"] in field}
    for each in _live(facts):
        if each["kind"] not in field or _key(each) in own or _is_ours(each):
            continue
        try:
            theirs = ipaddress.ip_network(each["spec"][field[each["kind"]]], strict=False)
        except (KeyError, ValueError):
            continue  # the operator's to judge
        for text, mine in ours.items():
            if theirs.overlaps(ipaddress.ip_network(text)):
                yield f"{_called(each)}: {theirs} has addresses of {_called(mine)} ({text}); delete it, or move it"
                break


def _discoveries(facts: Object) -> Iterator[str]:
    found = facts["feature_discovery"]
    if len(found) > 1:
        remedy = "keep one (best the GPU Operator's), and set nfd.enabled=false in the other chart's values"
        yield f"Node Feature Discovery: there are {len(found)}, {', '.join(found)}; {remedy}"


def kubernetes_removed(manifests: Sequence[Object], facts: Object) -> list[dict[str, Any]]:
    """Objects of ours, and of the manifests' site, that the manifests have no more."""
    own = {_key(each) for each in manifests}
    sites = {_labels(each).get(SITE) for each in manifests}
    return [
        {
            "apiVersion": each["apiVersion"],
            "kind": each["kind"],
            "metadata": {key: each["metadata"][key] for key in ("name", "namespace") if key in each["metadata"]},
        }
        for each in _live(facts)
        if _is_ours(each) and _labels(each).get(SITE) in sites and _key(each) not in own
    ]


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "kubernetes_problems": kubernetes_problems,
            "kubernetes_hosts": kubernetes_hosts,
            "kubernetes_removed": kubernetes_removed,
        }
