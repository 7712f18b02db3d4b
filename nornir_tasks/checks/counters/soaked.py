"""What the rules of a soak look at: rates of switches and hosts beside the design. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from nornir_tasks.checks.counters.rates import Rates
from nornir_tasks.checks.evidence import End
from nornir_tasks.design.config.qos import PortProfile, Qos
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import drain_of
from nornir_tasks.design.model.links import Endpoint, Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import Problem
from nornir_tasks.platforms.counted import Counter, Place

Key = tuple[str, ...]
"""Identifies a cause: hits of one key are one finding."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that a rule found wrong."""

    device: str
    port: str
    message: str
    expected: str
    found: str
    key: Key
    """Of its cause, unless another cause explains it."""
    remedy: str = ""
    amount: float = 0.0
    """How much of it, to sort those of one rule by; in the rule's unit."""
    covers: frozenset[End] = frozenset()
    """Ports at which it has effects, which are no causes of their own. An empty port: anything of the device."""
    is_certain: bool = True
    """Not: that it is wrong cannot be told, and neither that it is right."""


@dataclass(frozen=True)
class Soak:
    """All that was counted, by device. What was not read is in ``unread`` only."""

    network: Network
    wanted: Mapping[str, DeviceConfig]
    rates: Mapping[str, Rates]
    unread: Mapping[str, Problem] = field(default_factory=dict)
    """Device -> why it has no two readings."""
    hosts: frozenset[str] = frozenset()
    """Hosts that were read, or were to be."""

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """Those that were read both times, and can be judged."""
        return tuple(name for name, each in self.rates.items() if each.is_whole and name in self.network)

    @cached_property
    def read_hosts(self) -> tuple[str, ...]:
        """The same of hosts."""
        return tuple(name for name, each in self.rates.items() if each.is_whole and name in self.hosts)

    @cached_property
    def drained(self) -> frozenset[str]:
        """Switches that paths go round: what is not carried there is no fault."""
        return frozenset(name for name, config in self.wanted.items() if drain_of(config) is not None)

    @cached_property
    def _profiles(self) -> Mapping[End, tuple[Qos, PortProfile]]:
        found: dict[End, tuple[Qos, PortProfile]] = {}
        for name, config in self.wanted.items():
            if config.qos is None:
                continue
            named = {each.name: each for each in config.qos.profiles}
            for port in config.interfaces:
                if port.qos_profile is not None and port.qos_profile in named:
                    found[name, port.name] = config.qos, named[port.qos_profile]
        return found

    def lossless(self, device: str, port: str) -> frozenset[int]:
        """The priorities that this port of a switch pauses, by the design, in this system's own numbers."""
        found = self._profiles.get((device, port))
        return frozenset(found[1].pfc_priorities) if found else frozenset()

    def lossless_queues(self, device: str, port: str) -> frozenset[int]:
        """The queues of these priorities."""
        found = self._profiles.get((device, port))
        if found is None:
            return frozenset()
        return frozenset(each.queue for each in found[0].classes if each.priority in found[1].pfc_priorities)

    def shared_queues(self, device: str, port: str) -> frozenset[int]:
        """The queues of classes that are neither lossless nor strict: where packets land that bear no mark of ours."""
        found = self._profiles.get((device, port))
        if found is None:
            return frozenset()
        strict = {each.number for each in found[1].queues if each.strict}
        return frozenset({each.queue for each in found[0].classes} - strict - self.lossless_queues(device, port))

    def marking_queues(self, device: str, port: str) -> frozenset[int]:
        """The queues that mark at this port, by the design."""
        found = self._profiles.get((device, port))
        return frozenset(each.number for each in found[1].queues if each.ecn is not None) if found else frozenset()

    @cached_property
    def _lossless_ports(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for (device, port), (_, profile) in self._profiles.items():
            if profile.pfc_priorities:
                found.setdefault(device, []).append(port)
        return {device: tuple(ports) for device, ports in found.items()}

    def lossless_ports(self, device: str) -> tuple[str, ...]:
        """The ports of a switch that have a lossless class, by the design."""
        return self._lossless_ports.get(device, ())

    @cached_property
    def classes_of_hosts(self) -> Mapping[End, tuple[frozenset[int], frozenset[int]]]:
        """(host, its port) -> priorities that are lossless there, and those that are neither that nor strict.

        In the policy's own numbers, which hosts use.
        """
        found: dict[End, tuple[frozenset[int], frozenset[int]]] = {}
        for each in self.network.circuits:
            plane = self.network.planes.get(each.owner)
            if each.link.kind == "host" and plane is not None:
                classes = plane.classes or self.network.fabrics[plane.fabric].classes
                lossless = {one.priority for one in classes if one.lossless}
                shared = {one.priority for one in classes if not one.lossless and not one.strict}
                before = found.get((each.link.lower.device, each.link.lower.port), (frozenset(), frozenset()))
                whole = before[0] | lossless
                found[each.link.lower.device, each.link.lower.port] = whole, (before[1] | shared) - whole
        return found

    def far(self, device: str, port: str) -> Endpoint | None:
        """What is cabled to this port."""
        return self.network.far_end(device, port)

    def link(self, device: str, port: str) -> Link | None:
        """The link at this port."""
        return self.network.link_at(device, port)

    def is_switch(self, name: str) -> bool:
        """Is it one of the design's switches?"""
        return name in self.network

    def grown(self, counter: Counter, device: str, port: str, among: frozenset[int]) -> float | None:
        """How much a counter grew at one port in these priorities or queues. None: not read there.

        What a system counts for the port alone (no index) stands for all of them.
        """
        rates = self.rates.get(device)
        if rates is None or not rates.reads(counter):
            return None
        counts = rates.grown[counter]
        each = counts.layout.of_port.get(port)
        if each is None:
            return None
        return sum(counts.numbers[at] for index, at in each if index is None or index in among)

    def seconds(self, device: str) -> float:
        """Between both readings of a device."""
        return self.rates[device].seconds

    def where(self, device: str, port: str) -> str:
        """``leaf-g1-r0 Ethernet1/1 <-> spine-1 swp1``."""
        far = self.far(device, port)
        return f"{device} {port}".rstrip() + (f" <-> {far.device} {far.port}" if far else "")

    def standing(self, device: str) -> str:
        """A device with its place: ``leaf-1 (rack r1, unit 42)``."""
        place = self.network.places.get(device)
        return f"{device} (rack {place.rack}, unit {place.unit})" if place else device

    def cable(self, device: str, port: str) -> str:
        """The cable at a port, its label, and where both ends are; empty where the plan has none."""
        link = self.link(device, port)
        if link is None:
            return ""
        ends = " to ".join(f"{self.standing(end.device)} {end.port}" for end in (link.upper, link.lower))
        return f"cable {link.cable}: {ends}"

    def cable_key(self, device: str, port: str) -> Key:
        """One cause for both ends of a cable."""
        link = self.link(device, port)
        return ("cable", link.cable) if link else ("port", device, port)

    def ends_of(self, device: str, port: str) -> frozenset[End]:
        """A port and its far end."""
        far = self.far(device, port)
        return frozenset({(device, port)} | ({(far.device, far.port)} if far else set()))

    def positive(self, counter: Counter, device: str) -> Iterator[tuple[Place, float]]:
        """Places of a device where a counter grew."""
        return ((place, value) for place, value in self.rates[device].of(counter).items() if value > 0)


def number(value: float) -> str:
    """``12,345``; below ten with a decimal where it has one."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"
