"""The way of a flow through a fabric: route by route, each switch choosing among equal ones by its own hash.

Left out: access lists, adaptive routing and flowlets (a flow stays on its path), hosts behind bonds.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..reach import ports_of
from ..spec import End
from ..state import InterfaceState
from .flows import Flow, Nic
from .rules import SwitchRules

if TYPE_CHECKING:
    from ..fabric import FabricSim
    from ..solution import NextHop, Route

_MOST_HOPS = 16
_DEFAULT_BITS_PER_S = 100e9


@dataclass(frozen=True, slots=True)
class Path:
    """``ports``: out of which a flow goes, its host's first; ``is_whole``: it arrives, else it is lost there."""

    ports: tuple[End, ...]
    is_whole: bool


class _Table:
    """One VRF's routes, looked up by address."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._by_length: dict[int, dict[int, Route]] = {}
        for prefix, route in routes.items():
            address, _, length = prefix.partition("/")
            self._by_length.setdefault(int(length), {})[int(ipaddress.IPv4Address(address))] = route
        self._lengths = sorted(self._by_length, reverse=True)

    def find(self, address: int) -> Route | None:
        for length in self._lengths:
            found = self._by_length[length].get(address >> (32 - length) << (32 - length) if length else 0)
            if found is not None:
                return found
        return None


class Router:
    """Follows flows through a fabric as it is now; made again when it has changed."""

    def __init__(self, fabric: FabricSim, rules: Mapping[str, SwitchRules]) -> None:
        self._fabric, self._rules = fabric, rules
        self._tables: dict[tuple[str, str], _Table] = {}
        self._interfaces: dict[str, dict[str, InterfaceState]] = {}
        self._dead = frozenset(fabric.counted.impairments.of_kind("dead-member"))

    def path(self, flow: Flow) -> Path:
        """The way of one flow."""
        ports = [flow.source]
        target = int(ipaddress.IPv4Address(flow.destination_address))
        at = self.far(flow.source)
        while at is not None and len(ports) < _MOST_HOPS:
            if at == flow.destination:
                return Path(tuple(ports), is_whole=True)
            following = self._next(at, flow, target)
            if following is None:
                break
            ports.append(following)
            at = self.far(following)
        return Path(tuple(ports), is_whole=False)

    def far(self, end: End) -> End | None:
        """Where a cable leads that is up at both ends."""
        far, is_whole = self._fabric.wiring.far(end)
        if far is None or not is_whole:
            return None
        switch = end if self._fabric.knows(end.device) else far
        return far if self._fabric.knows(switch.device) and self._fabric.is_up(switch.device, switch.port) else None

    def _next(self, at: End, flow: Flow, target: int) -> End | None:
        """The port by which a switch sends a flow on that came in at one of its ports."""
        if not self._fabric.knows(at.device):
            return None
        interface = self._interface(at.device, at.port)
        route = self._table(at.device, interface.vrf if interface is not None else "default").find(target)
        if route is None:
            return None
        choices = sorted(self._members(at.device, route.next_hops, flow), key=lambda end: end.port)
        alive = [each for each in choices if each not in self._dead] or choices
        return alive[self._hash(at.device, flow) % len(alive)] if alive else None

    def _members(self, device: str, hops: Sequence[NextHop], flow: Flow) -> Iterator[End]:
        for hop in hops:
            interface = self._interface(device, hop.interface)
            if interface is None:
                continue
            ports = [End(device, port) for port in ports_of(self._fabric, device, interface)]
            is_last = not hop.address and len(ports) > 1  # a VLAN: the one port behind which the host is
            yield from (each for each in ports if not is_last or self.far(each) == flow.destination)

    def _hash(self, device: str, flow: Flow) -> int:
        rules = self._rules.get(device)
        seed = rules.seed if rules is not None and rules.seed else device
        ports = flow.udp_source if rules is None or rules.hashes_ports else ""
        text = f"{seed} {flow.source_address} {flow.destination_address} {ports}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    def _table(self, device: str, vrf: str) -> _Table:
        if (device, vrf) not in self._tables:
            self._tables[device, vrf] = _Table(self._fabric.rib(device, vrf))
        return self._tables[device, vrf]

    def _interface(self, device: str, name: str) -> InterfaceState | None:
        if device not in self._interfaces:
            self._interfaces[device] = {each.name: each for each in self._fabric.state(device).interfaces}
        return self._interfaces[device].get(name)

    def bits_per_s(self, end: End) -> float:
        """The speed of the cable at a port: as either end is set to (M: 100G where neither says)."""
        far, _ = self._fabric.wiring.far(end)
        for each in (end, far):
            if each is not None and self._fabric.knows(each.device):
                interface = self._interface(each.device, each.port)
                if interface is not None and interface.speed is not None:
                    return float(interface.speed.removesuffix("g")) * 1e9
        return _DEFAULT_BITS_PER_S

    def nics(self, dscp: int) -> list[Nic]:
        """The ports of hosts that have an address of their own, in order of hosts and ports.

        Where some are at ports of switches that pause this class, those alone: others are of another network.
        """
        found = []
        for end, host in self._fabric.wiring.hosts.items():
            if host.end is not None and host.end.bond is None and host.speaks is None:
                four = [each for each in host.end.addresses if ":" not in each]
                if four:
                    found.append(Nic(end, four[0].partition("/")[0], self.bits_per_s(end)))
        pausing = [nic for nic in found if self._is_lossless(nic.end, dscp)]
        return pausing or found

    def _is_lossless(self, host: End, dscp: int) -> bool:
        far, _ = self._fabric.wiring.far(host)
        rules = self._rules.get(far.device) if far is not None else None
        port = rules.ports.get(far.port) if rules is not None and far is not None else None
        return port is not None and port.classes[dscp] in port.pauses
