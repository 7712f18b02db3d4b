"""A judge of the addresses that manifests hand out to pods, by the cables and addresses of the design.

It reads manifests alone, and from the network links, circuits and blocks; it shares no code with the export.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from typing import Any

from nornir_tasks.design.model.links import HostNic
from nornir_tasks.design.model.network import Network

Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class Handed:
    """Addresses, from first to last, that pods on these nodes may be given on a network."""

    pool: str
    nodes: tuple[str, ...]
    first: IPv4Address
    last: IPv4Address
    gateway: IPv4Address


def of_kind(manifests: Iterable[Manifest], *kinds: str) -> list[Manifest]:
    """The objects of these kinds."""
    return [each for each in manifests if each["kind"] in kinds]


def name_of(manifest: Manifest) -> str:
    """Its name."""
    return str(manifest["metadata"]["name"])


def faults(manifests: Iterable[Manifest], network: Network, plane: str, grown: Network) -> list[str]:
    """What is wrong with the addresses, and with names of objects that are not there.

    ``grown``: the same site with all hosts that it has places for, whose addresses are kept.
    """
    every = list(manifests)
    try:
        found = [*_cidr_faults(every), *_spider_faults(every), *_references(every)]
        handed = list(handed_out(every))
    except ValueError as error:
        return [f"no address: {error}"]
    return [
        *found,
        *_against_the_design(handed, every, network, plane),
        *_kept(handed, grown, plane),
        *_overlaps(handed),
    ]


def handed_out(manifests: Iterable[Manifest]) -> Iterator[Handed]:
    """Everything that pods may be given."""
    for pool in of_kind(manifests, "CIDRPool"):
        for each in pool["spec"]["staticAllocations"]:
            gateway = IPv4Address(each["gateway"])
            prefix = IPv4Network(each["prefix"], strict=False)
            excluded = {
                prefix[index]
                for span in pool["spec"].get("perNodeExclusions", ())
                for index in range(span["startIndex"], min(span["endIndex"], prefix.num_addresses - 1) + 1)
            }
            for address in set(prefix) - {gateway} - excluded:
                yield Handed(name_of(pool), (each["nodeName"],), address, address, gateway)
    for pool in of_kind(manifests, "SpiderIPPool"):
        for span in pool["spec"]["ips"]:
            first, _, last = span.partition("-")
            gateway = IPv4Address(pool["spec"]["gateway"])
            nodes = tuple(pool["spec"]["nodeName"])
            yield Handed(name_of(pool), nodes, IPv4Address(first), IPv4Address(last or first), gateway)


def _cidr_faults(manifests: list[Manifest]) -> Iterator[str]:
    """As nv-ipam's webhook judges."""
    for pool in of_kind(manifests, "CIDRPool"):
        spec, name = pool["spec"], name_of(pool)
        cidr, length = IPv4Network(spec["cidr"]), spec["perNodeNetworkPrefix"]
        if spec.get("routes") and "gatewayIndex" not in spec:
            yield f"{name}: routes without a gateway"
        if spec.get("gatewayIndex", 0) not in range(0 if length >= 31 else 1, 2 ** (32 - length)):
            yield f"{name}: gatewayIndex"
        yield from (f"{name}: {each['dst']}" for each in spec.get("routes", ()) if IPv4Network(each["dst"]) != cidr)
        if any(
            not 0 <= each["startIndex"] <= each["endIndex"] < 2 ** (32 - length) for each in spec["perNodeExclusions"]
        ):
            yield f"{name}: exclusions beyond the prefix"
        static = spec["staticAllocations"]
        for key in ("nodeName", "prefix"):
            if len({each[key] for each in static}) < len(static):
                yield f"{name}: {key} twice"
        for each in static:
            prefix = IPv4Network(each["prefix"])
            if prefix.prefixlen != length or not prefix.subnet_of(cidr):
                yield f"{name}: {prefix} is no part of the pool"
            if IPv4Address(each["gateway"]) not in prefix:
                yield f"{name}: gateway outside {prefix}"


def _spider_faults(manifests: list[Manifest]) -> Iterator[str]:
    for pool in of_kind(manifests, "SpiderIPPool"):
        subnet = IPv4Network(pool["spec"]["subnet"])
        if IPv4Address(pool["spec"]["gateway"]) not in subnet:
            yield f"{name_of(pool)}: gateway outside {subnet}"
    for each in handed_out(of_kind(manifests, "SpiderIPPool")):
        if each.last < each.first:
            yield f"{each.pool}: from {each.first} to {each.last}"


def _against_the_design(handed: list[Handed], manifests: list[Manifest], network: Network, plane: str) -> Iterator[str]:
    nics: dict[tuple[str, str], HostNic] = {}
    for host in network.hosts:
        nics.update({(host, nic.port): nic for nic in network.rails_of(host, plane)})
    of_hosts = {IPv4Address(nic.address): host for (host, _), nic in nics.items()}
    of_switches = {IPv4Address(each.upper_address) for each in network.circuits if each.upper_address}
    of_switches |= {
        IPv4Address(each.lower_address) for each in network.circuits if each.is_underlay and each.is_numbered
    }
    of_switches |= {IPv4Address(each.loopback) for each in network.devices}
    rails = dict(_rail_of_pools(manifests))
    masked = {pool: kind for pool, kind in ((name_of(each), each["kind"]) for each in manifests) if kind == "CIDRPool"}
    served: dict[str, set[str]] = defaultdict(set)
    for each in handed:
        port = rails.get(each.pool)
        if port is None:
            yield f"{each.pool}: no network has it"
            continue
        served[port] |= set(each.nodes)
        own = {address for address in of_hosts if each.first <= address <= each.last}
        if own and (each.pool not in masked or {of_hosts[address] for address in own} != set(each.nodes)):
            yield f"{each.pool}: {own} are hosts'"
        if any(each.first <= address <= each.last for address in of_switches):
            yield f"{each.pool}: has a switch's address"
        for node in each.nodes:
            nic = nics.get((node, port))
            if nic is None:
                yield f"{each.pool}: {node} has no {port}"
                continue
            subnet = IPv4Network(f"{nic.address}/{nic.prefix_length}", strict=False)
            block = IPv4Network(network.host_blocks[nic.at.leaf, plane])
            if not (subnet.subnet_of(block) and each.first in subnet and each.last in subnet):
                yield f"{each.pool}: {each.first} is not on {nic.at.leaf}"
            if subnet.num_addresses > 2 and {each.first, each.last} & {subnet[0], subnet[-1]}:
                yield f"{each.pool}: has the ends of {subnet}"
            if each.gateway != IPv4Address(nic.gateway):
                yield f"{each.pool}: {each.gateway} is not the gateway of {node}"
            if each.pool in masked and each.first != IPv4Address(nic.address):
                yield f"{each.pool}: not the address of {node}"
    for host, port in nics:
        if host not in served[port]:
            yield f"{host}: no addresses on {port}"
    yield from _subnets(manifests, nics, rails)


def _kept(handed: list[Handed], grown: Network, plane: str) -> Iterator[str]:
    """No address of a host is handed out, now or later; of a /31 to its own host's pods alone."""
    of_hosts = {IPv4Address(nic.address): nic.host for host in grown.hosts for nic in grown.rails_of(host, plane)}
    for each in handed:
        if each.first == each.last:
            own = {of_hosts[each.first]} if each.first in of_hosts else set()
        else:
            own = {host for address, host in of_hosts.items() if each.first <= address <= each.last}
        if own - set(each.nodes):
            yield f"{each.pool}: has addresses of {sorted(own)}"


def _subnets(
    manifests: list[Manifest], nics: Mapping[tuple[str, str], HostNic], rails: Mapping[str, str]
) -> Iterator[str]:
    for pool in of_kind(manifests, "SpiderIPPool"):
        for node in pool["spec"]["nodeName"]:
            nic = nics.get((node, rails.get(name_of(pool), "")))
            if nic and IPv4Network(pool["spec"]["subnet"]) != IPv4Network(
                f"{nic.address}/{nic.prefix_length}", strict=False
            ):
                yield f"{name_of(pool)}: {pool['spec']['subnet']} is not the subnet of {node}"


def _overlaps(handed: list[Handed]) -> Iterator[str]:
    ordered = sorted(handed, key=lambda each: each.first)
    for one, other in pairwise(ordered):
        if other.first <= one.last:
            yield f"{one.pool} and {other.pool} share {other.first}"


def _rail_of_pools(manifests: list[Manifest]) -> Iterator[tuple[str, str]]:
    """(pool, interface on the host) by the networks that take from pools."""
    for each in of_kind(manifests, "HostDeviceNetwork"):
        yield json.loads(each["spec"]["ipam"])["poolName"], each["spec"]["resourceName"]
    for each in of_kind(manifests, "NetworkAttachmentDefinition"):
        resource = each["metadata"]["annotations"]["k8s.v1.cni.cncf.io/resourceName"]
        main = json.loads(each["spec"]["config"])["plugins"][0]
        yield main["ipam"]["poolName"], resource.removeprefix("nvidia.com/")
    for each in of_kind(manifests, "SriovNetwork"):
        pools = json.loads(each["spec"]["ipam"])["default_ipv4_ippool"]
        yield from ((pool, each["spec"]["resourceName"]) for pool in pools)
    for each in of_kind(manifests, "SpiderMultusConfig"):
        (master,) = each["spec"]["macvlan"]["master"]
        yield from ((pool, master) for pool in each["spec"]["macvlan"]["ippools"]["ipv4"])


def _references(manifests: list[Manifest]) -> Iterator[str]:
    """Every name of another object is one that is there."""
    pools = {name_of(each) for each in of_kind(manifests, "CIDRPool", "SpiderIPPool")}
    rails = dict(_rail_of_pools(manifests))
    yield from (f"{pool}: no such pool" for pool in rails.keys() - pools)
    networks = _networks(manifests)
    for pool in of_kind(manifests, "SpiderIPPool"):
        yield from (f"{each}: no such network" for each in pool["spec"]["multusName"] if each not in networks)
    offered = _offered(manifests)
    wanted = {each["spec"]["macvlan"]["rdmaResourceName"] for each in of_kind(manifests, "SpiderMultusConfig")}
    devices = of_kind(manifests, "HostDeviceNetwork", "SriovNetwork")
    wanted |= {f"nvidia.com/{each['spec']['resourceName']}" for each in devices}
    configured = {name_of(each) for each in of_kind(manifests, "ConfigMap")}
    for pod in of_kind(manifests, "Pod"):
        attached = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(", ")
        yield from (f"{each}: no such network" for each in attached if each not in networks)
        (container,) = pod["spec"]["containers"]
        limits = set(container["resources"]["limits"]) - {"nvidia.com/gpu"}
        if len(limits) != len(attached):
            yield f"{name_of(pod)}: {len(attached)} networks, {len(limits)} devices"
        wanted |= limits
        named = {each["configMapRef"]["name"] for each in container.get("envFrom", ())}
        yield from (f"{each}: no such ConfigMap" for each in named - configured)
    yield from (f"{each}: nothing offers it" for each in wanted - offered)


def _networks(manifests: list[Manifest]) -> set[str]:
    made = of_kind(manifests, "HostDeviceNetwork", "SriovNetwork")
    found = {f"{each['spec']['networkNamespace']}/{name_of(each)}" for each in made}
    own = of_kind(manifests, "SpiderMultusConfig", "NetworkAttachmentDefinition")
    return found | {f"{each['metadata']['namespace']}/{name_of(each)}" for each in own}


def _offered(manifests: list[Manifest]) -> set[str]:
    """Resources of the device plug-ins."""
    found = {f"nvidia.com/{each['spec']['resourceName']}" for each in of_kind(manifests, "SriovNetworkNodePolicy")}
    for policy in of_kind(manifests, "NicClusterPolicy", "NicNodePolicy"):
        if plugin := policy["spec"].get("sriovDevicePlugin"):
            every = json.loads(plugin["config"])["resourceList"]
            found |= {f"{each['resourcePrefix']}/{each['resourceName']}" for each in every}
        if plugin := policy["spec"].get("rdmaSharedDevicePlugin"):
            found |= {f"rdma/{each['resourceName']}" for each in json.loads(plugin["config"])["configList"]}
    return found
