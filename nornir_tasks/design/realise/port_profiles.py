"""The classes of a switch and the profiles of its ports, in the numbers and names of its OS.

A code point means the same on all ports, because packets of all planes cross the same links. Ports may differ in which
priorities they pause, how they share bandwidth, and when they mark, each where the OS has the setting per port
(``Capabilities.knobs``); a difference in a setting per switch is refused by the setting's name. Ports of one profile
whose speeds mark by other published figures have a profile of their own, named by the speed of the figure's source.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.design.addresses.mtu import of_lossless_classes
from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass
from nornir_tasks.design.model.capabilities import MARKS, NO_DROP, PAUSE, WEIGHT, Capabilities
from nornir_tasks.design.model.claims import THE_SWITCH
from nornir_tasks.design.model.ecn_figures import EcnFigure
from nornir_tasks.design.model.headroom import PortCable, configured_bytes, configured_m
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, ClassPolicy, PartialConfig
from nornir_tasks.design.realise.buffers import ecn_in_cells
from nornir_tasks.errors import Problem

Note = Callable[[str, object, object, str], None]
"""(field, intended, adjusted, reason): records a value that is configured otherwise than intended."""

PER_PORT = {"lossless": PAUSE, "weight_percent": WEIGHT, "ecn": MARKS}
"""Field of a class -> the knob in which ports may differ, if the OS has it per port."""

NO_POOLS = "no source shows a line of this system that shares memory between lossless and other classes by percentages"
COUNTED = "of each profile; every port that has it takes one counter of the ASIC for each, of those that lists share"
"""What it costs that queues count what they mark."""
TABLE = ("dscp", "priority", "strict")
"""Fields of a class that are the same on the whole switch."""


def profile_name(neutral: str, capabilities: Capabilities, figure: EcnFigure | None = None) -> str:
    """The name of a profile on the switch; ``figure``: what its ports mark by, where it is not the ASIC's first one."""
    own = capabilities.queue_profile_name if neutral == FABRIC_PROFILE else THE_SWITCH.prefix + neutral.upper()
    return own if figure is None else f"{own}-{figure.gbps}G"


def queue_numbers(classes: tuple[ClassPolicy, ...], capabilities: Capabilities) -> dict[str, int]:
    """Class -> priority and queue. Where strict queues must be the highest, they move there and keep their order."""
    adjusted = {each.name: each.priority for each in classes}
    top = capabilities.cnp_priority
    if top is not None:
        strict = sorted((each for each in classes if each.strict), key=lambda each: -each.priority)
        adjusted.update({each.name: top - position for position, each in enumerate(strict)})
    return adjusted


@dataclass(frozen=True)
class PortProfiles:
    """The classes and profiles of one switch, and the problems with them."""

    intended: PartialConfig
    capabilities: Capabilities
    device: str
    system: str
    """OS, release and ASIC, for the operator."""
    note: Note
    cables: tuple[PortCable, ...] = ()
    """Those of its lossless ports."""

    def qos(self) -> Qos | None:
        """The whole section; None if no owner sets classes."""
        if not self.table:
            return None
        known, numbers = self.capabilities, self.numbers
        watchdog = known.watchdog if any(each.lossless for each in self.table) else None
        if watchdog is not None and not known.has_guaranteed_bandwidth and known.guarantee_gap:
            self.note("qos.queues.guaranteed", "lossless queues", None, known.guarantee_gap)
        profiles = tuple(
            self._profile(name, classes, figure)
            for name, classes in self.treatments.items()
            for figure in self._figures(name, classes)
        )
        return Qos(
            classes=tuple(self._traffic_class(each, numbers[each.name]) for each in self.table),
            profiles=profiles,
            watchdog=watchdog,
            lossless_mtu_bytes=of_lossless_classes(known),
            cable_m=configured_m(self.cables, known.cables),
            headroom_bytes=configured_bytes(self.cables, known.cables),
            lossless_memory_percent=self._lossless_memory(),
        )

    def _lossless_memory(self) -> int | None:
        """What is asked for, where there is a lossless class and a line to say it by."""
        wanted = self.intended.lossless_memory_percent
        if wanted is None or not any(each.lossless for each in self.table) or self.capabilities.lossless_memory_source:
            return wanted if any(each.lossless for each in self.table) else None
        self.note("qos.lossless_memory_percent", wanted, None, NO_POOLS)
        return None

    def problems(self) -> Iterator[Problem]:
        """Differences between ports in settings that this kind of switch has once."""
        for name, policy in (self.intended.profiles or {}).items():
            where = f"{self.device} profile {name}"
            if [each.name for each in policy.classes] != [each.name for each in self.table]:
                expected, found = _names(self.table), _names(policy.classes)
                yield Problem(where, "other classes than the switch has", expected, found, _SHARED_LINKS)
                continue
            for own, shared in zip(policy.classes, self.table, strict=True):
                yield from self._against_table(where, own, shared)
            yield from self._against_no_drop(where, policy.classes)

    def _against_table(self, where: str, own: ClassPolicy, shared: ClassPolicy) -> Iterator[Problem]:
        for field in TABLE:
            if (found := getattr(own, field)) != (expected := getattr(shared, field)):
                what = f"class {own.name} has another {field} than on the rest of the switch"
                yield Problem(where, what, _text(expected), _text(found), _SHARED_LINKS)
        if own.lossless and not shared.lossless:
            what = f"class {own.name} is lossless here and not on links between switches"
            yield Problem(where, what, "lossless on both, or on neither", hint=_SHARED_LINKS)
        for field, knob in PER_PORT.items():
            if getattr(own, field) != getattr(shared, field) and not self.capabilities.is_per_port(knob):
                what = f"class {own.name} wants a {knob} of its own, which is once for all ports on {self.system}"
                found, expected = _text(getattr(own, field)), _text(getattr(shared, field))
                yield Problem(where, what, expected, found, self._once(knob))

    def _against_no_drop(self, where: str, classes: tuple[ClassPolicy, ...]) -> Iterator[Problem]:
        """If the no-drop classes are set for the whole switch, a port pauses all of them or none."""
        own = [each for each in classes if each.lossless]
        shared = [each for each in self.table if each.lossless]
        if own and len(own) < len(shared) and not self.capabilities.is_per_port(NO_DROP):
            what = f"some of the {NO_DROP} only, which are once for all ports on {self.system}"
            expected = f"{_names(shared)}, or none of them"
            yield Problem(where, what, expected, _names(own), self._once(NO_DROP))

    def _once(self, knob: str) -> str:
        """The alternatives."""
        line = f"{self.capabilities.knobs[knob].line}: " if knob in self.capabilities.knobs else ""
        free = [each for each in (PAUSE, WEIGHT, MARKS) if self.capabilities.is_per_port(each)]
        return f"{line}ports may differ in {', '.join(free) or 'nothing'}; else give the plane a fabric of its own"

    @cached_property
    def table(self) -> tuple[ClassPolicy, ...]:
        """The classes: how the switch classifies packets and how links between switches treat them."""
        return self.intended.classes or ()

    @cached_property
    def treatments(self) -> dict[str, tuple[ClassPolicy, ...]]:
        """Neutral name of each profile -> how it treats the classes."""
        own = {name: each.classes for name, each in (self.intended.profiles or {}).items()}
        return {FABRIC_PROFILE: self.table, **own}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Class -> priority and queue."""
        return queue_numbers(self.table, self.capabilities)

    def name_of(self, port: str, neutral: str) -> str:
        """The name on the switch of the profile that a port carries."""
        figure = self._figure(self.treatments.get(neutral, ()), self._speeds.get(port))
        return profile_name(neutral, self.capabilities, figure)

    @cached_property
    def _speeds(self) -> Mapping[str, int]:
        """Port -> Gb/s; of a group those of its members."""
        ports = self.intended.ports or {}
        own = {name: port.layer1.speed_gbps for name, port in ports.items() if port.layer1 is not None}
        return {**{port.member_of: own[name] for name, port in ports.items() if port.member_of and name in own}, **own}

    def _figure(self, classes: tuple[ClassPolicy, ...], gbps: int | None) -> EcnFigure | None:
        """What ports of this speed mark by; None: by the ASIC's first figure, or by none that is published."""
        found = self.capabilities.ecn_at(gbps) if any(each.ecn == "auto" for each in classes) else None
        return None if found is None or found.gbps == self.capabilities.ecn_gbps else found

    def _figures(self, neutral: str, classes: tuple[ClassPolicy, ...]) -> list[EcnFigure | None]:
        """All that ports of one profile mark by. Links between switches always have the first one's profile."""
        found = {self._figure(classes, gbps) for gbps in self._carrying(neutral)}
        if neutral == FABRIC_PROFILE or not found:
            found.add(None)
        return sorted(found, key=lambda each: 0 if each is None else each.gbps or 0)

    def _carrying(self, neutral: str) -> set[int | None]:
        """Speeds of the ports that carry a profile."""
        ports = self.intended.ports or {}
        return {self._speeds.get(name) for name, port in ports.items() if port.profile == neutral}

    def _profile(self, neutral: str, classes: tuple[ClassPolicy, ...], figure: EcnFigure | None) -> PortProfile:
        lossless = tuple(self.numbers[each.name] for each in classes if each.lossless)
        return PortProfile(
            name=profile_name(neutral, self.capabilities, figure),
            pfc_priorities=lossless,
            watchdog=bool(lossless),
            queues=tuple(self._queue(each, self._ecn(each, neutral, figure)) for each in classes),
        )

    def _queue(self, each: ClassPolicy, ecn: Ecn | None) -> Queue:
        counts = ecn is not None and bool(self.intended.counts_marks) and self.capabilities.counts_marks_by is not None
        return Queue(self.numbers[each.name], each.strict, each.weight_percent, ecn, counts)

    def _traffic_class(self, each: ClassPolicy, priority: int) -> TrafficClass:
        reason = f"{self.system} wants strict queues from {self.capabilities.cnp_priority} downwards"
        self.note(f"qos.classes.{each.name}.priority", each.priority, priority, reason)
        return TrafficClass(priority, each.dscp, priority, each.lossless)

    def _ecn(self, each: ClassPolicy, neutral: str, figure: EcnFigure | None) -> Ecn | None:
        if each.ecn is None:
            return None
        known, name = self.capabilities, "" if neutral == FABRIC_PROFILE else f".{neutral}"
        path = f"qos.profiles{name}{'' if figure is None else f'.{figure.gbps}G'}.queues.{each.name}.ecn"
        if each.ecn != "auto":
            adjusted, reason = ecn_in_cells(each.ecn, known), f"cells of {known.ecn_cell_bytes} B"
        else:
            published = figure or known.ecn_at(None)
            adjusted = ecn_in_cells("auto", known, figure.gbps if figure else None)
            reason = known.ecn_source if published is None else self._published(neutral, published)
        self.note(path, each.ecn, adjusted, reason)
        return adjusted

    def _published(self, neutral: str, figure: EcnFigure) -> str:
        """The source of a figure, and the speeds of ports that it stands in for."""
        carrying = (gbps for gbps in self._carrying(neutral) if gbps is not None)
        alike = [gbps for gbps in carrying if self.capabilities.ecn_at(gbps) == figure and not figure.is_for(gbps)]
        if not alike:
            return figure.source
        speeds = " and ".join(f"{gbps}G" for gbps in sorted(alike))
        return f"{figure.source}; no source has one of {self.capabilities.asic} for ports of {speeds}: it stands in"


_SHARED_LINKS = "packets of all planes on a fabric cross the same links; give the plane a fabric of its own"


def _names(classes: tuple[ClassPolicy, ...] | list[ClassPolicy]) -> str:
    return ", ".join(each.name for each in classes) or "none"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)
