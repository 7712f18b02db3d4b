"""One switch of a routed lab: its FRR and its namespace's interfaces and filters, told what to be and asked what is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..bgp_paths import BgpPath
from ..clock import Clock
from ..errors import TwinError
from ..policy import prefix_text
from ..sessions import BgpSession
from ..solution import Route
from ..state import SwitchState
from .commands import ip_json
from .conf import DEFAULT, Lines, configuration, text
from .daemons import Frr, release
from .delta import delta
from .form import NO_VRF, Routing, Unplayed
from .kernel import Kernel
from .lists import ruleset
from .names import kernel_name, table_of, vrf_name
from .observed import by_neighbor, link_locals, paths, routes, session
from .ports import Port

_READ_S = 0.1
"""So long the kernel's interfaces are not read again: one answer of a switch asks for each of them."""
_LISTS = "lists"


@dataclass(slots=True)
class RoutedSwitch:
    """``namespace`` and ``frr`` are its own; ``kernel`` is the lab's. ``routing``: as of its last commit."""

    name: str
    namespace: str
    frr: Frr
    kernel: Kernel
    clock: Clock
    routing: Routing = field(default_factory=Routing)
    refused: tuple[Unplayed, ...] = ()
    _given: Lines = field(default_factory=dict)
    _ports: Mapping[str, Port] = field(default_factory=dict)
    _read_at_s: float = float("-inf")

    # -- told ------------------------------------------------------------------------------------------------------

    def learn(self, routing: Routing) -> None:
        """What is translated from now on, and what has no counterpart."""
        self.routing, self.refused = routing, routing.refused
        for each in routing.refused:
            sys.stderr.write(f"{self.name} is not routed: {each}\n")

    def route(self, state: SwitchState) -> None:
        """Have access lists and FRR be what the switch was told; without routing while a line has no counterpart."""
        lists = ruleset(self.routing.lists, self.routing.bound)
        self.kernel.filter(self.namespace, _LISTS, lists, is_empty=not self.routing.bound)
        has_vrfs = self.kernel.has_devices
        self._tell(configuration(state, self.routing, release(), has_vrfs=has_vrfs))

    def _tell(self, wanted: Lines) -> None:
        """Give FRR a configuration. If it takes only a part of a change, it is restarted and given the whole."""
        try:
            self.frr.tell(delta(self._given, wanted))
        except TwinError as error:
            sys.stderr.write(f"{self.name}: FRR is restarted, for it did not take a change: {error}\n")
            self.start_anew()
            self.frr.tell(text(wanted))
        self._given = wanted

    def start_anew(self) -> None:
        """Kill FRR and start one that knows nothing."""
        self._given = {}
        self.frr.stop()
        self.frr.start()

    def set_ports(self, wanted: Mapping[str, Port]) -> None:
        """Make the interfaces what they should be."""
        self.kernel.set(self.namespace, wanted)
        self._read_at_s = float("-inf")

    # -- asked -----------------------------------------------------------------------------------------------------

    def ports(self) -> Mapping[str, Port]:
        """The interfaces as the kernel has them, by its names."""
        if not 0 <= self.clock.now_s() - self._read_at_s <= _READ_S:
            self._ports = self.kernel.shown(self.namespace)
            self._read_at_s = self.clock.now_s()
        return self._ports

    def has_vrf(self, vrf: str) -> bool:
        """Has the switch this VRF, as far as the kernel has any?"""
        return vrf == DEFAULT or (self.kernel.has_devices and vrf_name(vrf) in self.ports())

    def sessions(self, vrf: str, judged: Iterable[BgpSession]) -> list[BgpSession]:
        """Sessions of a VRF as FRR has them. ``judged``: the same as the simulation has them."""
        if not self.has_vrf(vrf):
            return [_idle(each, NO_VRF) for each in judged]
        if self.refused:
            return [_idle(each, f"not routed here: {self.refused[0]}") for each in judged]
        name = _frr_name(vrf)
        try:
            peers = self.frr.ask("bgpd", f"show bgp vrf {name} neighbors json")
            families = ("ipv4", "ipv6") if self.routing.outside.has_ipv6 and vrf == DEFAULT else ("ipv4",)
            shown = [self.frr.ask("bgpd", f"show bgp vrf {name} {each} unicast summary json") for each in families]
            bfd = by_neighbor(self.frr.ask("bfdd", f"show bfd vrf {name} peers json") or [])
        except TwinError as error:
            return [_idle(each, str(error)) for each in judged]
        known = {address: each for summary in shown for address, each in summary.get("peers", {}).items()}
        return [session(each, peers, known, bfd, self.clock.now_s()) for each in judged]

    def rib(self, state: SwitchState, vrf: str, *, is_frozen: bool) -> dict[str, Route]:
        """The IPv4 table as the kernel has it; empty for a VRF that it has not."""
        if not self.has_vrf(vrf):
            return {}
        table = "main" if vrf == DEFAULT else str(table_of(vrf))
        shown = ip_json(self.namespace, "route", "show", "table", table)
        behind = link_locals(ip_json(self.namespace, "neighbor", "show", "nud", "permanent"))
        bgp = self._bgp_table(vrf, is_frozen=is_frozen)
        return routes(state, shown, self._connected(state, vrf), behind, bgp)

    def paths(self, sessions: Iterable[BgpSession], vrf: str, *, is_frozen: bool) -> dict[str, list[BgpPath]]:
        """Every path of BGP as FRR has it."""
        return paths(sessions, self._bgp_table(vrf, is_frozen=is_frozen)) if self.has_vrf(vrf) else {}

    def announced(self, to: BgpSession) -> list[str]:
        """What FRR announces to a neighbour."""
        if not self.has_vrf(to.vrf) or to.state != "established":
            return []
        where = f"show bgp vrf {_frr_name(to.vrf)} {'ipv6' if to.is_ipv6 else 'ipv4'} unicast"
        command = f"{where} neighbors {to.neighbor.address} advertised-routes json"
        try:
            return sorted(self.frr.ask("bgpd", command).get("advertisedRoutes", {}))
        except TwinError:
            return []

    def _bgp_table(self, vrf: str, *, is_frozen: bool) -> dict[str, Any]:
        """FRR's own; empty while bgpd is gone, or stands still: the kernel keeps forwarding without it."""
        if is_frozen:
            return {}
        try:
            shown = self.frr.ask("bgpd", f"show bgp vrf {_frr_name(vrf)} ipv4 unicast json")
        except TwinError:
            return {}
        found: dict[str, Any] = shown.get("routes", {})
        return found

    def _connected(self, state: SwitchState, vrf: str) -> dict[str, str]:
        """The networks of interfaces that are up, with the interface."""
        found: dict[str, str] = {}
        ports = self.ports()
        for each in state.interfaces:
            is_of_vrf = each.is_loopback and vrf != DEFAULT
            name = vrf_name(vrf) if is_of_vrf else kernel_name(each.name, is_loopback=each.is_loopback)
            port = ports.get(name)
            if port is not None and port.carrier and each.vrf == vrf:
                there = (address for address in each.addresses if address in port.addresses)
                found.update({prefix_text(address): each.name for address in there})
        return found


def without_routing(state: SwitchState) -> SwitchState:
    """The same switch, as far as it forwards nothing and talks to no neighbour."""
    return replace(state, bgp=(), static_routes=(), is_routing=False)


def _idle(judged: BgpSession, why: str) -> BgpSession:
    found = BgpSession(judged.device, judged.vrf, judged.local_as, judged.neighbor, "idle", why)
    found.interface, found.local_address, found.peer_address = (
        judged.interface,
        judged.local_address,
        judged.peer_address,
    )
    return found


def _frr_name(vrf: str) -> str:
    return DEFAULT if vrf == DEFAULT else vrf_name(vrf)
