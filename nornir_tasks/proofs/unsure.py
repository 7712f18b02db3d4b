"""What running configurations have beside the model, and whether it may decide about who reaches whom.

A line that no parser knows is harmless only where its system's list says so, or where it is about a VRF that no packet
of hosts is in, a list that no port has, or a route to no hosts. Every other one leaves open what is proved.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from nornir_tasks.design.config.bgp import signed_alike
from nornir_tasks.design.config.vrfs import key_name
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.platform import OpenTrunk, Platform
from nornir_tasks.proofs.routing import Routing
from nornir_tasks.proofs.spans import Span, span
from nornir_tasks.proofs.wires import Wires, far_ends, is_routed

MANAGEMENT_PORT = re.compile(r"Management\S*|mgmt0|eth0")
_VRF = re.compile(r"\bvrf (?:member |context |instance )?(\S+)")
_ROUTE = re.compile(r"(?:no )?ip(?:v6)? route (?:vrf (\S+) )?(\S+/\d+)\b.*")
_LIST = re.compile(r"(?:ip|ipv6|mac) access-list (?:standard )?(\S+)")
_DEFAULT_VRF = "default"
_WORDS = 8
_SECRET = re.compile(r"(?i)(?:pass|secret|key|communit|auth|md5|sha|crypt|credential|token)")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one switch runs, as far as it is in the model, and the rest of its lines."""

    config: DeviceConfig
    unread: tuple[Path, ...]
    open_trunks: tuple[OpenTrunk, ...] = ()
    reverts: bool = False
    """An unconfirmed commit waits: what runs is not what will run."""
    missing: frozenset[Path] = frozenset()
    """Of what is unread: lines that are not there, and without which others have not their usual effect."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """What keeps a proof from being one."""

    reasons: Mapping[str, tuple[str, ...]]
    """Switch -> in words. Pairs with an end on its fabric cannot be told."""
    doubtful: frozenset[tuple[str, str]] = frozenset()
    """(switch, access list or port) of which lines are unread: it may let more pass than it seems, or less."""
    has_management: bool = False
    """Lines of management ports were among those that were read, known or not."""


SURE = Unsure({})


def with_open_trunks(seen: Seen) -> DeviceConfig:
    """The configuration; trunks without a list carry every VLAN of the switch."""
    vlans = {each.port: each.vlans for each in seen.open_trunks}
    ports = (replace(e, tagged_vlans=vlans[e.name]) if e.name in vlans else e for e in seen.config.interfaces)
    return replace(seen.config, interfaces=tuple(ports)) if vlans else seen.config


def unsure(
    network: Network,
    wanted: Mapping[str, DeviceConfig],
    seen: Mapping[str, Seen],
    platforms: Mapping[str, Platform],
    unreachable: Mapping[str, str],
) -> Unsure:
    """What of these switches may decide and is not known. ``wanted``: what they should run. ``unreachable``: why."""
    configs = {name: with_open_trunks(each) for name, each in seen.items()}
    reasons: dict[str, list[str]] = {name: [f"could not be read: {why}"] for name, why in unreachable.items()}
    doubtful = set[tuple[str, str]]()
    subnets, wires, routing = _subnets(network), Wires(network, configs), Routing(configs, far_ends(network, configs))
    for name, each in seen.items():
        reader = _Reader(configs[name], each.unread, subnets, _patterns(platforms[each.config.os].harmless))
        unknown = [path for path in each.unread if not reader.is_harmless(path)]
        doubtful |= {(name, about) for path in unknown if (about := _list_of(path) or _port_of(path)) is not None}
        mine = [f"not known what it does: {_printed(path)}" for path in unknown]
        mine += ["an unconfirmed commit waits, and is reverted by itself"] if each.reverts else []
        mine += [*reader.strangers(wanted[name], routing), *_off_the_plan(network, wanted[name], configs[name], wires)]
        if mine:
            reasons[name] = mine
    return Unsure(
        {name: tuple(dict.fromkeys(found)) for name, found in reasons.items()}, frozenset(doubtful), has_management=True
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    config: DeviceConfig
    unread: tuple[Path, ...]
    subnets: tuple[Span, ...]
    harmless: tuple[re.Pattern[str], ...]

    def is_harmless(self, path: Path) -> bool:
        """Does this line, and what is above it, say nothing about who reaches whom?"""
        text = " / ".join(path)
        if any(each.fullmatch(text) for each in self.harmless):
            return True
        if (name := _list_of(path)) is not None:
            of_switch = {each.name for each in self.config.base.reach.fabric}
            return name not in of_switch and all(
                acl.name != name for each in self.config.interfaces for acl in each.acls
            )
        if (port := _port_of(path)) is not None:
            if MANAGEMENT_PORT.fullmatch(port):
                return self._management_vrf(port) not in self.used
            return any(each.name == port and not each.enabled for each in self.config.interfaces)
        vrfs = _vrfs(path)
        if (route := _ROUTE.fullmatch(path[-1])) is not None:
            own = vrfs if route[1] is not None or len(path) > 1 else {*vrfs, None}
            return _is_elsewhere(route[2], self.subnets) or not own & self.used
        return bool(vrfs) and not vrfs & self.used

    def strangers(self, wanted: DeviceConfig, routing: Routing) -> Iterator[str]:
        """Sessions and routes that are not of the plan and leave it; a management port among the other ports."""
        planned = {each.key for each in wanted.bgp.neighbors} if wanted.bgp is not None else set()
        for each in self.config.bgp.neighbors if self.config.bgp is not None else ():
            far = routing.answering(self.config.name, each)
            if each.vrf in self.used and each.key not in planned and far is None:
                yield f"a BGP session that is not of the plan: {key_name(each.key)}"
            if far is not None and not signed_alike(self.config.bgp, each, routing.configs[far[0].device].bgp, far[1]):
                yield f"a BGP session that does not come up: {key_name(each.key)} has another password at {far[0]}"
        for route in self.config.static_routes:
            is_ours = route in wanted.static_routes or all(map(routing.having, route.next_hops))
            if route.vrf in self.used and not is_ours and not _is_elsewhere(route.prefix, self.subnets):
                yield f"a static route that is not of the plan: {key_name(route.key)} to {', '.join(route.next_hops)}"
        own = self.config.base.management
        if own is not None and own.vrf in self.used:
            yield "the management port is in a VRF that other ports are in"
        for port in self.config.interfaces:
            if MANAGEMENT_PORT.fullmatch(port.name) and port.enabled and port.vrf in self.used and port.address:
                yield f"{port.name} is in a VRF that other ports are in"

    @property
    def used(self) -> set[str | None]:
        """The VRFs that a port is in which may carry packets of hosts."""
        ports = (each for each in self.config.interfaces if not MANAGEMENT_PORT.fullmatch(each.name))
        return {each.vrf for each in ports if each.enabled and (each.address or each.ipv6_address)} | {None}

    def _management_vrf(self, port: str) -> str | None:
        if port == "mgmt0":
            return "management"
        lines = (path[-1].split() for path in self.unread if _port_of(path) == port)
        known = (each.vrf for each in self.config.interfaces if each.name == port)
        return next((words[-1] for words in lines if words[0] == "vrf"), next(known, None))


def _off_the_plan(network: Network, wanted: DeviceConfig, config: DeviceConfig, wires: Wires) -> Iterator[str]:
    """Ports that carry VLANs of hosts where the plan has no cable, and hosts' ports of which no line says a VLAN."""
    planned = {each.name: each for each in wanted.interfaces}
    for port in config.interfaces:
        link = network.link_at(config.name, port.name)
        ends = wires.ends(config.name, port.name) if port.enabled and port.lag is None else ()
        vlans = sorted({vlan for _, vlan in ends if isinstance(vlan, int)})
        shared = [str(vlan) for vlan in vlans if wires.wire((config.name, vlan)) in wires.hosts]
        if link is None and shared and not is_routed(port):
            yield f"{port.name} carries VLAN {', '.join(shared)}, and the plan has no cable there"
        is_to_host = link is not None and link.kind == "host" and link.upper.device == config.name
        if is_to_host and port.enabled and not ends and port != planned.get(port.name):
            yield f"{port.name} has a host and no VLAN: it is in the one that its system begins with"


def _subnets(network: Network) -> tuple[Span, ...]:
    """All that hosts of the site may have addresses in."""
    found = {each.pools["hosts"] for each in network.planes.values() if "hosts" in each.pools}
    found |= {each.subnet for each in network.segments} | {*network.host_blocks.values()}
    found |= {each.pool_v6 for each in network.planes.values() if each.pool_v6}
    return tuple(map(span, sorted(found)))


def _is_elsewhere(prefix: str, subnets: Iterable[Span]) -> bool:
    """Has a route to it no packet for hosts of the site?"""
    try:
        found = span(prefix)
    except ValueError:
        return False
    return not any(found.overlaps(each) for each in subnets)


def _list_of(path: Path) -> str | None:
    """The access list that a line is of."""
    if path[0] == "acl" and len(path) > 1:
        return path[1]
    found = _LIST.fullmatch(path[0])
    return found[1] if found else None


def _port_of(path: Path) -> str | None:
    """The interface that a line is of."""
    if path[0] == "interface" and len(path) > 1:
        return path[1]
    return path[0].removeprefix("interface ") if path[0].startswith("interface ") else None


def _vrfs(path: Path) -> set[str | None]:
    """The VRFs that a line or one above it names."""
    named = {path[1]} if path[0] == "vrf" and len(path) > 1 else set()
    named |= {found[1] for line in path for found in _VRF.finditer(line)}
    return {None if each == _DEFAULT_VRF else each for each in named}


@cache
def _patterns(expressions: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, expressions))


def _printed(path: Path) -> str:
    """A line for the operator: up to the first word after which a secret may stand, and not too many words."""
    shown: list[str] = []
    for line in path:
        words = line.split()
        secret = next((at for at, word in enumerate(words) if _SECRET.match(word)), None)
        cut = min(_WORDS, len(words) if secret is None else secret + 1)
        shown.append(" ".join((words[0].split(":")[0] if secret == 0 else each) for each in words[:cut]))
        if secret is not None:
            return " / ".join(shown) + " ..."
    return " / ".join(shown)
