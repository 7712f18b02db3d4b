"""The fabric of a routed lab: cables are veth pairs, and each switch's FRR decides which sessions and routes there are.

The simulation stays beside it: it says what the switches' configurations mean, and what a veth pair cannot know (speed,
FEC). Everything else is read from FRR and the kernel when it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ..bgp_paths import BgpPath
from ..clock import Clock
from ..consistency import as_agreed
from ..errors import TwinError
from ..fabric import FabricSim
from ..groups import Member
from ..seeds import Value
from ..sessions import BgpSession
from ..solution import Route
from ..spec import End, LabSpec, RoutedSpec
from ..state import SwitchState
from ..twin import Twin
from ..wiring import Link, LldpNeighbor
from . import filters, upstreams
from .bridging import all_ports
from .cabling import Cabling, check_names
from .conf import DEFAULT
from .daemons import Frr
from .delays import Delays
from .form import Unplayed
from .kernel import Kernel, has_devices
from .leftovers import remove
from .legs import TABLE, Watch, as_bundled, is_leg_up, rules, sent_already
from .machines import Machines
from .names import LOOPBACK, kernel_name
from .ports import Port, wanted_ports
from .startup import check_system, routing_of
from .surroundings import Surroundings, others, surroundings
from .switch import RoutedSwitch, without_routing

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
        self._kernel = Kernel(has_devices=False)
        self._switches: dict[str, RoutedSwitch] = {}
        self._around: dict[str, Surroundings] = {}
        self._machines = Machines(self._cabling)
        self._delays = Delays(self._cabling)
        self._watch = Watch(self._legs_changed)
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
        self._kernel = Kernel(has_devices=has_devices())
        self._cabling.make(self.wiring.plugged(), has_devices=self._kernel.has_devices)
        self._switches = {name: self._switch(name) for name in self._twins}
        with ThreadPoolExecutor(_STARTED_AT_A_TIME) as several:
            list(several.map(Frr.start, (each.frr for each in self._switches.values())))
        upstreams.start(self._upstreams, self._cabling)
        self._around = self._surroundings()
        for name in self._twins:
            self._follow(name)
        self._follow_legs(self._twins)

    def _switch(self, name: str) -> RoutedSwitch:
        frr = Frr(self.namespace(name), self._cabling.folder(name))
        return RoutedSwitch(name, self.namespace(name), frr, self._kernel, self._clock)

    def close(self) -> None:
        """End every FRR and remove what the lab made on this machine."""
        if self._is_up:
            self._machines.close()
            self._watch.close()
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
            self._switches[name].refused = (Unplayed("", f"FRR does not follow: {error}"),)
            sys.stderr.write(f"{name}: FRR does not follow its configuration: {error}\n")

    def _follow(self, name: str) -> None:
        """Have a switch's kernel and FRR do what it was told; without routing while a line has no counterpart."""
        switch, state = self._switches[name], self.state(name)
        routing = routing_of(self._twins[name], has_devices=self._kernel.has_devices)
        switch.learn(routing.with_slower_bfd(self._spec.bfd_factor))
        if switch.refused:
            state = without_routing(state)
        self._cabling.route(name, is_routing=state.is_routing)
        self._set_ports(name)
        switch.route(state)

    def _set_ports(self, name: str) -> None:
        wanted = self._wanted(name)
        self._switches[name].set_ports(wanted)
        self._machines.follow(name, {port for port, each in wanted.items() if each.is_up})

    def _wanted(self, name: str) -> dict[str, Port]:
        """A switch's interfaces. One that hangs keeps them as they were."""
        state, cabled = as_agreed(self._configured(name), self._now().groups), self._lit(name)
        if name in self._off:
            state = state.switched_off()
        if not self._kernel.has_devices:
            return wanted_ports(state, cabled)
        return all_ports(state, cabled, self._switches[name].routing, self._around[name])

    def _configured(self, name: str) -> SwitchState:
        """A switch as it was told to be, and as far as its ports let it."""
        self._now()
        return self._twins[name].state().without_ports(self._shut_ports(name))

    def _surroundings(self) -> dict[str, Surroundings]:
        if not self._kernel.has_devices:
            return {}
        states = {name: self._configured(name) for name in self._twins}
        return surroundings(states, self._now().interfaces, self.wiring)

    def _legs_changed(self, namespaces: Collection[str]) -> None:
        self._follow_legs([name for name in self._twins if self.namespace(name) in namespaces])

    def _follow_legs(self, changed: Collection[str]) -> None:
        """Have members of pairs send frames of the peer link by those bonds alone that the other cannot use.

        ``changed``: switches of which bonds may have come up or gone down.
        """
        if not self._kernel.has_devices:
            return
        states = {name: self._configured(name) for name in self._twins}
        pairs = others(states, self.wiring)
        self._watch.follow(self.namespace(name) for name in pairs)
        for name in [each for each, other in pairs.items() if other in changed]:
            other = pairs[name]
            bonds = sent_already(states[name], states[other], self._kernel.shown(self.namespace(other)))
            pair = states[name].pair
            lines = rules(pair.peer_link if pair is not None else "", bonds)
            self._kernel.filter(self.namespace(name), TABLE, lines, is_empty=not bonds)

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
        """Ports at the other ends of cables, after something changed here; and all others that it concerns."""
        around = self._surroundings()
        concerned = {name for name, each in around.items() if each != self._around.get(name)}
        self._around = around
        names = sorted(concerned | {end.device for end in ends if end.device in self._twins})
        for name in names:
            self._set_ports(name)
        self._follow_legs(names)

    # -- a technician's hands --------------------------------------------------------------------------------------

    def swap_cables(self, first: str, second: str) -> tuple[str, str]:
        """Exchange the far ends of two cables: both are taken out and plugged in again."""
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
            self._switches[device].start_anew()
            filters.be_heard(self.namespace(device))
        self._follow(device)
        self._light(())

    def switch_on(self, device: str) -> None:
        """Give a switch its power again."""
        super().switch_on(device)
        self._follow(device)
        self._light(())

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
        """Has this kernel netem?"""
        return self._delays.are_possible()

    def delay(self, cable: str, time_ms: float) -> None:
        """Hold back the packets of a cable, each way. Raises TwinError for that of a machine."""
        ends = self.wiring.ends(cable)
        if self._delays.can_hold(ends):
            super().delay(cable, time_ms)
        self._delays.hold(ends, time_ms)

    def _drop(self, cable: str, percent: float) -> None:
        """Both ways are filtered at the upper end, which is a switch's."""
        end = self.wiring.ends(cable)[0]
        filters.lose(self.namespace(end.device), kernel_name(end.port), percent)

    def _filter_again(self, cable: str) -> None:
        """Filters and queues go with their port: after something else was plugged in."""
        if percent := self.wiring.lossy().get(cable):
            self._drop(cable, percent)
        if time_ms := self.wiring.slow().get(cable):
            if self._delays.can_hold(self.wiring.ends(cable)):
                self._delays.hold(self.wiring.ends(cable), time_ms)
            else:  # a machine was plugged in
                self.wiring.delay(cable, 0)
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
            port = self._switches[tap.at.device].ports().get(kernel_name(tap.at.port))
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
        self._follow_legs([device])

    # -- questions -------------------------------------------------------------------------------------------------

    def unplayed(self, device: str) -> dict[str, list[str]]:
        """The lines of a switch that FRR is not told: those for which it is not routed, and those that are left out."""
        switch = self._switches.get(device)
        return {
            "refused": [str(each) for each in switch.refused] if switch is not None else [],
            "left_out": [str(each) for each in switch.routing.left_out] if switch is not None else [],
        }

    def namespace(self, name: str) -> str:
        """The network namespace of a switch or host."""
        return self._cabling.namespace(name)

    def simulated(self, device: str) -> tuple[tuple[BgpSession, ...], dict[str, Route]]:
        """Sessions and routes of the default VRF as the simulation has them, to be compared with FRR's."""
        return super().sessions(device, DEFAULT), super().rib(device, DEFAULT)

    def link(self, device: str, port: str) -> Link:
        """The link of a port: its far end and its state as the kernel has them."""
        judged, found = super().link(device, port), self._switches[device].ports().get(kernel_name(port))
        if found is None:
            return Link(port, judged.peer, False, judged.reason or "no such port in the kernel")
        peer = self._cabling.far_end(device, found)
        return Link(port, peer, found.carrier, "" if found.carrier else judged.reason or "no carrier")

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up: a port by its carrier, others as their configuration says."""
        ports = self._switches[device].ports()
        found = ports.get(kernel_name(interface)) if interface != LOOPBACK else None
        if found is None:
            return super().is_up(device, interface)
        return is_leg_up(kernel_name(interface), ports) if found.kind == "bond" else found.carrier

    def members(self, device: str, group: str) -> tuple[Member, ...]:
        """The members of a group; bundled are those of which the kernel's bond takes and sends frames."""
        judged, ports = super().members(device, group), self._switches[device].ports()
        return as_bundled(judged, kernel_name(group), ports) if kernel_name(group) in ports else judged

    def lacp_system(self, near: End, name: str) -> tuple[str, ...]:
        """As the kernel's bond has it."""
        ports = self._switches[near.device].ports()
        port = ports.get(kernel_name(near.port))
        bond = ports.get(port.master) if port is not None else None
        return tuple(bond.partner.split(":")) if bond is not None and bond.partner else super().lacp_system(near, name)

    def lldp(self, device: str) -> tuple[LldpNeighbor, ...]:
        """The LLDP neighbours: who is at the other end of a veth pair, if both ends' configurations let them talk.

        Of a machine, what it announces.
        """
        solved = self._now()
        links = [self.link(device, port) for port in solved.links[device]]
        return self.wiring.lldp(device, links, solved.states, solved.interfaces, self._machines.heard(device))

    def sessions(self, device: str, vrf: str | None = None) -> tuple[BgpSession, ...]:
        """A switch's configured BGP sessions as FRR has them; those of VRFs that the kernel has not are idle."""
        judged = super().sessions(device, vrf)
        switch, found = self._switches[device], dict[object, BgpSession]()
        for name in {each.vrf for each in judged}:
            here = switch.sessions(name, [each for each in judged if each.vrf == name])
            found.update({each.key: each for each in here})
        return tuple(found[each.key] for each in judged)

    def rib(self, device: str, vrf: str = DEFAULT) -> dict[str, Route]:
        """A switch's IPv4 table as the kernel has it; empty for another VRF where the kernel has none."""
        return self._switches[device].rib(self.state(device), vrf, is_frozen=device in self._frozen)

    def paths(self, device: str, vrf: str = DEFAULT) -> dict[str, list[BgpPath]]:
        """Every path of BGP as FRR has it."""
        return self._switches[device].paths(self.sessions(device, vrf), vrf, is_frozen=device in self._frozen)

    def looped(self, session: BgpSession) -> int:
        """FRR does not count them."""
        return 0

    def announced(self, session: BgpSession) -> list[str]:
        """What FRR announces to a neighbour."""
        return self._switches[session.device].announced(session)
