"""Who is where: groups of hosts on a plane, the networks they share, and where these meet a router.

Which cable leads to whom comes from the cabling; which VLAN, subnet and list a port has, from the switches' lines.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import AclBinding, Family
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.design.network import Network
from nornir_tasks.proofs.routing import Router

_SVI = re.compile(r"(?i)vlan(\d+)")


class End(NamedTuple):
    """A group of hosts on one plane."""

    plane: str
    group: str

    def __str__(self) -> str:
        """In words: ``gpu on storage``."""
        return f"{self.group} on {self.plane}"


class Gate(NamedTuple):
    """An interface by which packets of a network come to a router, and go out to it."""

    router: Router
    interface: str
    acls: tuple[AclBinding, ...]

    def line(self, by: str) -> str:
        """What decides here, in words: ``leaf-1 Vlan200: rule 20 of STORAGE-V200-IN``."""
        return f"{self.router.device} {self.interface}: {by}"


@dataclass(frozen=True, slots=True)
class Domain:
    """Hosts of a plane that share a network: a VLAN of a leaf or pair, or the rails of a leaf."""

    plane: str
    groups: tuple[str, ...]
    name: str
    """``VLAN 200 of front-leaf-g1``."""
    subnets: Mapping[Family, str]
    gates: tuple[Gate, ...]
    """Of ports with the same lists and VRF one stands for all."""


class Joined(NamedTuple):
    """Two groups of hosts in one VLAN that the plan does not put there together."""

    one: End
    other: End
    by: str
    """The port by which the first came in, and its VLAN."""


def domains(network: Network, configs: Mapping[str, DeviceConfig]) -> tuple[Domain, ...]:
    """Every network of hosts, in the order of the design."""
    return (*_of_segments(network, configs), *_of_leaves(network, configs))


def _of_segments(network: Network, configs: Mapping[str, DeviceConfig]) -> Iterator[Domain]:
    for each in network.segments:
        subnets: dict[Family, str] = {"ipv4": each.subnet}
        if each.subnet_v6 is not None:
            subnets["ipv6"] = each.subnet_v6
        svis = [(leaf, port) for leaf, _ in each.leaves for port in svis_of(configs.get(leaf), each.vlan)]
        yield Domain(each.plane, each.groups, f"VLAN {each.vlan} of {each.pair}", subnets, _gates(svis))


def _of_leaves(network: Network, configs: Mapping[str, DeviceConfig]) -> Iterator[Domain]:
    """Planes without bonds: hosts of a leaf, each on a routed port, or together in the leaf's VLAN."""
    found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in network.circuits:
        if each.link.kind == "host" and not network.planes[each.owner].is_bonded:
            leaf, host = each.link.upper.device, each.link.lower.device
            found[leaf, each.owner][group_of(host)].append(each.interface(leaf))
    for (leaf, owner), groups in found.items():
        plane, block, config = network.planes[owner], network.host_block(leaf, owner), configs.get(leaf)
        if block is None or config is None:
            continue
        if plane.host_vlan is not None:
            ports = svis_of(config, plane.host_vlan)
        else:
            wanted = {name for names in groups.values() for name in names}
            ports = [each for each in config.interfaces if each.name in wanted]
        name = f"ports of {leaf}" if plane.host_vlan is None else f"VLAN {plane.host_vlan} of {leaf}"
        yield Domain(owner, tuple(groups), name, {"ipv4": block}, _gates((leaf, port) for port in ports))


def svis_of(config: DeviceConfig | None, vlan: int) -> list[Interface]:
    """The routed interfaces of a VLAN on one switch: one, or none."""
    interfaces = config.interfaces if config is not None else ()
    return [each for each in interfaces if svi_vlan(each.name) == vlan and each.enabled]


def svi_vlan(name: str) -> int | None:
    """The VLAN of a switch's routed VLAN interface; None for any other."""
    found = _SVI.fullmatch(name)
    return int(found[1]) if found else None


def group_of(host: str) -> str:
    """The group of a host, by its name: ``gpu`` of ``gpu-12``."""
    return host.rpartition("-")[0]


def _gates(ports: Iterable[tuple[str, Interface]]) -> tuple[Gate, ...]:
    found: dict[tuple[Router, tuple[AclBinding, ...]], Gate] = {}
    for leaf, port in ports:
        if port.enabled:
            router = Router(leaf, port.vrf)
            found.setdefault((router, port.acls), Gate(router, port.name, port.acls))
    return tuple(found.values())


def joined(network: Network, configs: Mapping[str, DeviceConfig], known: Iterable[Domain]) -> Iterator[Joined]:
    """Groups that a port's VLANs put into a network which the plan does not give them."""
    ends = {each.group: each for domain in known for each in (End(domain.plane, name) for name in domain.groups)}
    allowed: dict[tuple[str, int], tuple[str, tuple[str, ...]]] = {}
    for each in network.segments:
        allowed.update(((leaf, each.vlan), (each.plane, each.groups)) for leaf, _ in each.leaves)
    shared: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for leaf, port, group, vlan in _members(network, configs):
        pair = network.device(leaf).pair or leaf
        plane, groups = allowed.get((leaf, vlan), ("", ()))
        if group in groups or _is_in_vlan_of_leaf(network, leaf, vlan, group):
            continue
        by = f"{leaf} {port}, VLAN {vlan}"
        others = dict(shared[pair, vlan]) if not plane else dict.fromkeys(groups, "")
        shared[pair, vlan].setdefault(group, by)
        for other in others:
            if other != group and {group, other} <= ends.keys():
                yield Joined(ends[group], End(plane, other) if plane else ends[other], by)


def _members(network: Network, configs: Mapping[str, DeviceConfig]) -> Iterator[tuple[str, str, str, int]]:
    """(leaf, port, group, VLAN) of every VLAN in which a host's frames are, once for each port of a group."""
    by_name = {device: {each.name: each for each in config.interfaces} for device, config in configs.items()}
    seen = set()
    for link in network.links:
        if link.kind != "host" or link.upper.device not in by_name:
            continue
        leaf, group = link.upper.device, group_of(link.lower.device)
        port = by_name[leaf].get(link.upper.port)
        for each in (port, _lag_of(port, by_name[leaf])):
            for vlan in vlans_of(each) if each is not None and each.enabled else ():
                if (leaf, link.upper.port, vlan) not in seen:
                    seen.add((leaf, link.upper.port, vlan))
                    yield leaf, link.upper.port, group, vlan


def _lag_of(port: Interface | None, interfaces: Mapping[str, Interface]) -> Interface | None:
    """The group that a port is a member of."""
    return None if port is None or port.member is None else interfaces.get(port.member.group)


def vlans_of(port: Interface) -> tuple[int, ...]:
    """The VLANs whose frames a port takes."""
    own = (port.access_vlan, port.native_vlan)
    return tuple(dict.fromkeys((*(each for each in own if each is not None), *(port.tagged_vlans or ()))))


def _is_in_vlan_of_leaf(network: Network, leaf: str, vlan: int, group: str) -> bool:
    """Is it the VLAN that hosts of this group share at this leaf, without bonds?"""
    return any(
        plane.host_vlan == vlan and not plane.is_bonded and network.host_block(leaf, plane.name) is not None
        and any(part.group == group for part in network.fabrics[plane.fabric].parts_of(plane.name))
        for plane in network.planes.values()
    )  # fmt: skip
