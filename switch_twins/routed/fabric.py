"""The fabric of a routed lab: cables are veth pairs, and each switch's FRR decides which sessions and routes there are.

The simulation stays beside it: it says what the switches' configurations mean, and what a veth pair cannot know (speed,
FEC). Everything else is read from FRR and the kernel when it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..bgp_paths import BgpPath
from ..clock import Clock
from ..errors import Problem, TwinError
from ..fabric import FabricSim
from ..policy import prefix_text
from ..seeds import Value
from ..sessions import BgpSession
from ..solution import Route
from ..spec import End, LabSpec, RoutedSpec
from ..state import SwitchState
from ..twin import Twin
from ..wiring import Link, LldpNeighbor
from . import delays, filters
from .cabling import Cabling, check_names
from .commands import ip, ip_json
from .conf import DEFAULT, Lines, configuration, text
from .daemons import Frr, release
from .delta import delta
from .form import Unplayed
from .leftovers import remove
from .machines import Machines
from .names import LOOPBACK, kernel_name
from .observed import by_neighbor, link_locals, paths, routes, session
from .ports import Port, changes, read_ports, wanted_ports
from .startup import check_system, routing_of

_READ_S = 0.05
"""So long the kernel's ports are not read again: one answer of a switch asks for each of them."""


_STARTED_AT_A_TIME = 4
"""Daemons mostly wait for one another while they start."""


class RoutedFabric(FabricSim):
    """As FabricSim, answered from FRR and the kernel."""

    sends_packets = True

    def __init__(self, spec: LabSpec, routed: RoutedSpec, clock: Clock) -> None:
        super().__init__(spec.cables, spec.hosts, clock)
        self._spec = routed
        check_names(self.wiring.plugged())
        self._cabling = Cabling(routed, (each.name for each in spec.devices), spec.hosts)
        self._frr: dict[str, Frr] = {}
        self._given: dict[str, Lines] = {}
        self._refused: dict[str, tuple[Unplayed, ...]] = {}
        self._left_out: dict[str, tuple[Unplayed, ...]] = {}
        self._ports: dict[str, tuple[float, dict[str, Port]]] = {}
        self._machines = Machines(self._cabling)
        self._has_netem: bool | None = None
        self._is_up = False

    def attach(self, twin: Twin) -> None:
        """Add a twin; its FRR follows every commit of it. Raises TwinError for a system without ``to_frr.py``."""
        check_system(twin)
        super().attach(twin)
        noted = twin.on_commit
        twin.on_commit = partial(self._committed_by, twin.name, noted)

    def settle(self) -> None:
        """Make namespaces and cables, start every FRR and tell it what its switch was told. Raises TwinError."""
        super().settle()
        self._is_up = True
        self._cabling.make(self.wiring.plugged())
        self._frr = {name: Frr(self.namespace(name), self._cabling.folder(name)) for name in self._twins}
        with ThreadPoolExecutor(_STARTED_AT_A_TIME) as several:
            list(several.map(Frr.start, self._frr.values()))
        for name in self._twins:
            self._follow(name)

    def close(self) -> None:
        """End every FRR and remove what the lab made on this machine."""
        if self._is_up:
            self._machines.close()
            remove(self._spec.name, self._spec.run_folder)
            self._is_up = False

    # -- following the switches ------------------------------------------------------------------------------------

    def _committed_by(self, name: str, noted: Callable[[], None]) -> None:
        noted()
        if not self._is_up or name in self._frozen:  # by its timer, while it hangs: followed once it goes on
            return
        try:
            self._follow(name)
            self._light(self.wiring.ends(*self.wiring.cables_of(name)))
        except TwinError as error:  # the commit was made; the switch's own client must not suffer from the lab
            self._refused[name] = (Unplayed("", f"FRR does not follow: {error}"),)
            sys.stderr.write(f"{name}: FRR does not follow its configuration: {error}\n")

    def _follow(self, name: str) -> None:
        """Have a switch's kernel and FRR do what it was told; without routing while a line has no counterpart."""
        twin, state = self._twins[name], self.state(name)
        routing = routing_of(twin)
        self._left_out[name], self._refused[name] = routing.left_out, routing.refused
        for each in routing.refused:
            sys.stderr.write(f"{name} is not routed: {each}\n")
        if routing.refused:
            state = _without_routing(state)
        self._cabling.route(name, is_routing=state.is_routing)
        self._set_ports(name)
        self._tell(name, configuration(state, routing, release()))

    def _tell(self, name: str, wanted: Lines) -> None:
        """Give FRR a configuration. If it takes only a part of a change, it is started anew and given the whole."""
        try:
            self._frr[name].tell(delta(self._given.get(name, {}), wanted))
        except TwinError as error:
            sys.stderr.write(f"{name}: FRR is started anew, for it did not take a change: {error}\n")
            self._start_anew(name)
            self._frr[name].tell(text(wanted))
        self._given[name] = wanted

    def _start_anew(self, name: str) -> None:
        """Kill a switch's FRR and start one that knows nothing."""
        self._given.pop(name, None)
        self._frr[name].stop()
        self._frr[name].start()

    def _set_ports(self, name: str) -> None:
        namespace = self._cabling.namespace(name)
        found = read_ports(ip_json(namespace, "address", "show"))
        wanted = wanted_ports(self.state(name), self._lit(name))
        ip(namespace, changes(wanted, found))
        self._ports.pop(name, None)
        self._machines.follow(name, {port for port, each in wanted.items() if each.is_up})

    def _lit(self, name: str) -> dict[str, bool]:
        """A switch's ports with a cable, and whether light comes through it."""
        interfaces = self._now().interfaces
        return {
            port: self.wiring.is_lit(End(name, port), interfaces)
            for port in sorted(self.wiring.ports_of(name))
            if name not in self._off
        } or dict.fromkeys(sorted(self.wiring.ports_of(name)), False)

    def _ports_of(self, name: str) -> list[str]:
        """The kernel's names of a switch's ports with a cable."""
        return [kernel_name(each) for each in sorted(self.wiring.ports_of(name))]

    def _light(self, ends: Iterable[End]) -> None:
        """Ports at the other ends of cables, after something changed here."""
        for name in sorted({end.device for end in ends if end.device in self._twins}):
            self._set_ports(name)

    # -- a technician's hands --------------------------------------------------------------------------------------

    def swap_cables(self, first: str, second: str) -> tuple[str, str]:
        """Exchange the far ends of two cables: both are taken out and plugged in anew."""
        ends = self.wiring.ends(first, second)
        swapped = super().swap_cables(first, second)
        lossy = {*swapped} & self.wiring.lossy().keys()
        for cable in lossy:
            self._drop(cable, 0)  # a machine's TAP would take the filter along
        for end in (ends[0], ends[2]):
            self._cabling.unplug(end)
            self._machines.forget(end)
        self._cabling.plug(each for each in self.wiring.plugged() if each.id in swapped)
        self._light(ends)
        for cable in swapped:
            self._filter_again(cable)
        return swapped

    def cut_cable(self, cable: str) -> None:
        """Cut a cable: no light at either end."""
        super().cut_cable(cable)
        self._light(self.wiring.ends(cable))

    def mend_cable(self, cable: str) -> None:
        """Mend a cut cable."""
        super().mend_cable(cable)
        self._light(self.wiring.ends(cable))

    def switch_off(self, device: str) -> None:
        """Take a switch's power: its ports are dark at once, and its FRR forgets its sessions."""
        hung = device in self._frozen
        super().switch_off(device)
        self._set_ports(device)
        if hung:
            self._start_anew(device)
            filters.be_heard(self.namespace(device))
        self._follow(device)

    def switch_on(self, device: str) -> None:
        """Give a switch its power again."""
        super().switch_on(device)
        self._follow(device)

    def freeze(self, device: str) -> None:
        """Hang a switch: its ports stay up, it forwards nothing, and its FRR stands still with its sessions open."""
        super().freeze(device)
        if device in self._frozen:
            filters.hang(self.namespace(device), self._ports_of(device))

    def thaw(self, device: str) -> None:
        """Let it go on."""
        hung = device in self._frozen
        super().thaw(device)
        if hung:
            filters.go_on(self.namespace(device))
            self._follow(device)

    def lose(self, cable: str, percent: float) -> None:
        """Drop this share of the packets of a cable, each way."""
        super().lose(cable, percent)
        self._drop(cable, percent)

    def can_delay(self) -> bool:
        """Has this kernel netem? Tried once."""
        if self._has_netem is None:
            self._has_netem = delays.is_there(self._cabling.namespace("probe"))
        return self._has_netem

    def delay(self, cable: str, time_ms: float) -> None:
        """Hold back the packets of a cable, each way. Raises TwinError for that of a machine: it sends by itself."""
        if self.wiring.ends(cable)[1] in self._cabling.taps:
            raise TwinError(Problem(cable, "leads to a host that is a machine, whose packets cannot be held back"))
        super().delay(cable, time_ms)
        self._slow_down(cable, time_ms)

    def _slow_down(self, cable: str, time_ms: float) -> None:
        """Each end holds back what it sends."""
        for end in self.wiring.ends(cable):
            delays.hold(self.namespace(end.device), kernel_name(end.port), time_ms)

    def _drop(self, cable: str, percent: float) -> None:
        """Both ways are filtered at the upper end, which is a switch's."""
        end = self.wiring.ends(cable)[0]
        filters.lose(self.namespace(end.device), kernel_name(end.port), percent)

    def _filter_again(self, cable: str) -> None:
        """Filters and queues go with their port: after something else was plugged in."""
        if percent := self.wiring.lossy().get(cable):
            self._drop(cable, percent)
        if time_ms := self.wiring.slow().get(cable):
            self._slow_down(cable, time_ms)
        for each in sorted({end.device for end in self.wiring.ends(cable)} & self._frozen):
            filters.hang(self.namespace(each), self._ports_of(each))

    # -- hosts that are machines -----------------------------------------------------------------------------------

    def plug_machine(self, host: str, port: str, tap: str, monitor: Path | None) -> None:
        """Have the TAP of a machine's NIC be the switch's port at its cable. Raises TwinError."""
        cable = self.wiring.cable_at(End(host, port))
        self._machines.plug(cable, tap, monitor)
        self._light([cable.a])
        self._filter_again(cable.id)

    def unplug_machine(self, host: str) -> None:
        """A machine has ended: its TAPs go, and its cables lead to the host's namespace again."""
        for end in [each for each in self._cabling.taps if each.device == host]:
            cable = self.wiring.cable_at(end)
            self._machines.unplug(cable)
            self._light([cable.a])
            self._filter_again(cable.id)

    def machines(self) -> dict[str, dict[str, list[str]]]:
        """The NICs of machines that are cabled in, each with the switch and port where it is in the kernel."""
        found: dict[str, dict[str, list[str]]] = {}
        for end, tap in self._cabling.taps.items():
            port = self._kernel(tap.at.device).get(kernel_name(tap.at.port))
            if port is not None and self._cabling.far_end(tap.at.device, port) == end:
                found.setdefault(end.device, {})[end.port] = [tap.at.device, tap.at.port]
        return found

    def played(self) -> dict[str, dict[str, object]]:
        """The hosts that are no machines."""
        there = {end.device for end in self._cabling.taps}
        return {name: each for name, each in super().played().items() if name not in there}

    def seed(self, device: str, what: str, on: str, value: Value | None) -> None:
        """Seed a counter or a state: a port that is shut by it is dark."""
        super().seed(device, what, on, value)
        self._follow(device)

    # -- questions -------------------------------------------------------------------------------------------------

    def unplayed(self, device: str) -> dict[str, list[str]]:
        """The lines of a switch that FRR is not told: those for which it is not routed, and those that are left out."""
        return {
            "refused": [str(each) for each in self._refused.get(device, ())],
            "left_out": [str(each) for each in self._left_out.get(device, ())],
        }

    def namespace(self, name: str) -> str:
        """The network namespace of a switch or host."""
        return self._cabling.namespace(name)

    def simulated(self, device: str) -> tuple[tuple[BgpSession, ...], dict[str, Route]]:
        """Sessions and routes of the default VRF as the simulation has them, to be compared with FRR's."""
        return super().sessions(device, DEFAULT), super().rib(device, DEFAULT)

    def link(self, device: str, port: str) -> Link:
        """The link of a port: its far end and its state as the kernel has them."""
        judged, found = super().link(device, port), self._kernel(device).get(kernel_name(port))
        if found is None:
            return Link(port, judged.peer, False, judged.reason or "no such port in the kernel")
        peer = self._cabling.far_end(device, found)
        return Link(port, peer, found.carrier, "" if found.carrier else judged.reason or "no carrier")

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up: a port by its carrier, others as their configuration says."""
        found = self._kernel(device).get(kernel_name(interface)) if interface != LOOPBACK else None
        return super().is_up(device, interface) if found is None else found.carrier

    def lldp(self, device: str) -> tuple[LldpNeighbor, ...]:
        """The LLDP neighbours: who is at the other end of a veth pair, if both ends' configurations let them talk.

        Of a machine, what it announces.
        """
        solved = self._now()
        links = [self.link(device, port) for port in solved.links[device]]
        return self.wiring.lldp(device, links, solved.states, solved.interfaces, self._machines.heard(device))

    def sessions(self, device: str, vrf: str | None = None) -> tuple[BgpSession, ...]:
        """A switch's configured BGP sessions as FRR has them; those of other VRFs are idle."""
        judged = super().sessions(device, vrf)
        here = [each for each in judged if each.vrf == DEFAULT]
        found = {each.key: each for each in self._sessions_of(device, here)} if here else {}
        return tuple(found.get(each.key) or _elsewhere(each) for each in judged)

    def _sessions_of(self, device: str, judged: Iterable[BgpSession]) -> list[BgpSession]:
        if self._refused.get(device):
            why = f"not routed here: {self._refused[device][0]}"
            return [_idle(each, why) for each in judged]
        frr = self._frr[device]
        try:
            peers = frr.ask("bgpd", "show bgp vrf default neighbors json")
            summary = frr.ask("bgpd", "show bgp vrf default ipv4 unicast summary json")
            bfd = by_neighbor(frr.ask("bfdd", "show bfd peers json") or [])
        except TwinError as error:
            return [_idle(each, str(error)) for each in judged]
        known = summary.get("peers", {})
        return [session(each, peers, known, bfd, self._clock.now_s()) for each in judged]

    def rib(self, device: str, vrf: str = DEFAULT) -> dict[str, Route]:
        """A switch's IPv4 table as the kernel has it; empty for another VRF."""
        if vrf != DEFAULT:
            return {}
        shown = ip_json(self.namespace(device), "route", "show", "table", "main")
        behind = link_locals(ip_json(self.namespace(device), "neighbor", "show", "nud", "permanent"))
        return routes(self.state(device), shown, self._connected(device), behind, self._bgp_table(device))

    def paths(self, device: str, vrf: str = DEFAULT) -> dict[str, list[BgpPath]]:
        """Every path of BGP as FRR has it; none in another VRF."""
        return paths(self.sessions(device, vrf), self._bgp_table(device)) if vrf == DEFAULT else {}

    def looped(self, session: BgpSession) -> int:
        """FRR does not count them."""
        return 0

    def announced(self, session: BgpSession) -> list[str]:
        """What FRR announces to a neighbour."""
        if session.vrf != DEFAULT or session.state != "established":
            return []
        command = f"show bgp vrf default ipv4 unicast neighbors {session.neighbor.address} advertised-routes json"
        try:
            return sorted(self._frr[session.device].ask("bgpd", command).get("advertisedRoutes", {}))
        except TwinError:
            return []

    def _bgp_table(self, device: str) -> dict[str, Any]:
        """FRR's own; empty while bgpd is gone, or stands still: the kernel keeps forwarding without it."""
        if device in self._frozen:
            return {}
        try:
            shown = self._frr[device].ask("bgpd", "show bgp vrf default ipv4 unicast json")
        except TwinError:
            return {}
        found: dict[str, Any] = shown.get("routes", {})
        return found

    def _connected(self, device: str) -> dict[str, str]:
        """The networks of a switch's interfaces that are up, with the interface."""
        found: dict[str, str] = {}
        ports = self._kernel(device)
        for each in self.state(device).interfaces:
            port = ports.get(kernel_name(each.name, is_loopback=each.is_loopback))
            if port is not None and port.carrier and each.vrf == DEFAULT:
                there = (address for address in each.addresses if address in port.addresses)
                found.update({prefix_text(address): each.name for address in there})
        return found

    def _kernel(self, device: str) -> Mapping[str, Port]:
        now_s = self._clock.now_s()
        at_s, ports = self._ports.get(device, (float("-inf"), {}))
        if not 0 <= now_s - at_s <= _READ_S:
            ports = read_ports(ip_json(self.namespace(device), "address", "show"))
            self._ports[device] = (now_s, ports)
        return ports


def _without_routing(state: SwitchState) -> SwitchState:
    return replace(state, bgp=(), static_routes=(), is_routing=False)


def _idle(judged: BgpSession, why: str) -> BgpSession:
    found = BgpSession(judged.device, judged.vrf, judged.local_as, judged.neighbor, "idle", why)
    found.interface, found.local_address, found.peer_address = (
        judged.interface,
        judged.local_address,
        judged.peer_address,
    )
    return found


def _elsewhere(judged: BgpSession) -> BgpSession:
    return _idle(judged, "a routed lab has no VRF")
