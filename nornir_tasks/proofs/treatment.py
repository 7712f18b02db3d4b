"""How one end of a cable treats packets: its classes, which of them it pauses, which queues mark and go first.

Ends whose lines come to the same are one object, whatever they are called, so that a verdict about two ends serves all
cables between ends like these. Of a switch it follows from its parsed configuration and from what the parser says is
missing or unread; of a host from the variables of its roles.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.qos import PortProfile, Qos, Queue
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.lossless import Effect, Known, LosslessLines, Setting

CODE_POINTS = range(64)
_TWO_CLASSES = -1


@dataclass(frozen=True, slots=True)
class Treatment:
    """How packets fare at one end. Classes are called by their lowest code point, as systems number them apart."""

    classes: tuple[int, ...]
    """Code point -> its class."""
    priorities: tuple[int, ...]
    """Code point -> the priority of its class, in this system's numbers; -1 where two classes take it."""
    queues: tuple[int, ...]
    """Code point -> the queue it leaves by; of a host its priority."""
    pauses: frozenset[int]
    """Priorities that PFC pauses."""
    strict: frozenset[int]
    """Classes whose queue goes before all others."""
    marks: frozenset[int]
    """Classes whose packets are marked; of a host: that slow down when they were."""
    unqueued: frozenset[int] = frozenset()
    """Classes whose queue no line describes."""
    void_marks: frozenset[int] = frozenset()
    """Classes whose marking has no effect: its thresholds are upside down or its probability is nothing."""
    effects: frozenset[Effect] = frozenset()
    """What lines beside the model do."""
    watched: bool = True
    """A queue that is paused for too long is emptied."""

    def shares_queue(self, code_point: int) -> tuple[int, ...]:
        """Code points of other classes that leave by the same queue."""
        queue, own = self.queues[code_point], self.classes[code_point]
        return tuple(each for each in CODE_POINTS if self.queues[each] == queue and self.classes[each] != own)


@dataclass(frozen=True, slots=True)
class ReadSwitch:
    """One switch as it was read: rendered lines, or what it runs."""

    config: DeviceConfig
    unread: tuple[Path, ...]
    """Lines that the parser does not know."""
    missing: tuple[Path, ...]
    """Lines that are not there, and without which others have not their usual effect."""
    lossless: LosslessLines
    has_class_mtu: bool
    """Each class has an MTU of its own, beside the port's."""
    reverts: bool = False
    """An unconfirmed commit waits: what runs is not what will run."""


@dataclass(slots=True)
class Ports:
    """The ports of one switch, each with its treatment."""

    switch: ReadSwitch
    shared: dict[Treatment, Treatment]
    """Equal treatments of the whole site, as one object."""
    interfaces: dict[str, Interface] = field(init=False)
    _effects: dict[str, dict[Effect, list[Path]]] = field(init=False)
    """Port, or profile in brackets -> what lines beside the model do there, and these; empty key: everywhere."""
    _doubts: dict[str, tuple[str, ...]] = field(init=False)
    _made: dict[tuple[str | None, frozenset[Effect]], Treatment | None] = field(init=False)

    def __post_init__(self) -> None:
        self.interfaces = {each.name: each for each in self.switch.config.interfaces}
        self._made = {}
        self._effects, self._doubts = _beside(self.switch)

    def doubts(self, port: str) -> tuple[str, ...]:
        """Lines that are not known and may be about this port's packets."""
        name = self.switch.config.name
        if self.switch.reverts:
            return (f"{name}: an unconfirmed commit waits, and is reverted by itself",)
        found = (*self._doubts.get(port, ()), *self._doubts.get("", ()))
        return tuple(f"{name}: not known what it does: {each}" for each in found)

    def has_unread(self, setting: Setting) -> bool:
        """Is there a line that the parser does not know of this setting, the first of those that say it?"""
        lines = self.switch.lossless.lines_of(setting)[:1]
        patterns = [re.compile(each) for line in lines for each in line.patterns]
        texts = [" / ".join(path) for path in self.switch.unread]
        return any(pattern.fullmatch(text) for text in texts for pattern in patterns)

    def profile_of(self, port: str) -> str | None:
        """The profile that the port has; None: none."""
        return self.interfaces[port].qos_profile or self.switch.lossless.profile or None

    def effects(self, port: str) -> frozenset[Effect]:
        """What lines beside the model do at this port."""
        if not self._effects:
            return frozenset()
        return frozenset(effect for key in self._keys(port) for effect in self._effects.get(key, ()))

    def lines_of(self, effect: Effect, port: str) -> tuple[Path, ...]:
        """The lines that do it, there or missing; ``port`` empty: on the whole switch."""
        return tuple(path for key in self._keys(port) for path in self._effects.get(key, {}).get(effect, ()))

    def _keys(self, port: str) -> tuple[str, ...]:
        return ("", port, f"[{self.profile_of(port)}]") if port else ("",)

    def treatment(self, port: str) -> Treatment | None:
        """None: no profile that the switch has is on the port."""
        effects, own = self.effects(port), self.interfaces[port].qos_profile
        key = own, effects
        if key not in self._made:
            made = self._treatment(port, effects)
            self._made[key] = None if made is None else self.shared.setdefault(made, made)
        return self._made[key]

    def _treatment(self, port: str, effects: frozenset[Effect]) -> Treatment | None:
        qos, name = self.switch.config.qos, self.profile_of(port)
        profile = next((each for each in qos.profiles if each.name == name), None) if qos is not None else None
        if qos is None or profile is None:
            return None
        is_named = self.interfaces[port].qos_profile is not None
        return of_switch(qos, profile, effects, is_named=is_named)


def of_switch(qos: Qos, profile: PortProfile, effects: frozenset[Effect], *, is_named: bool) -> Treatment:
    """A port with this profile. ``is_named``: it says so itself; the default profile alone brings no watchdog."""
    priorities, queues = [_TWO_CLASSES] * 64, [_TWO_CLASSES] * 64
    classes = list(CODE_POINTS)
    for each in qos.classes:
        for point in each.dscp:
            twice = priorities[point] != _TWO_CLASSES
            priorities[point] = _TWO_CLASSES if twice else each.priority
            queues[point] = each.queue
            classes[point] = min(each.dscp)
    described = {each.number: each for each in profile.queues}
    queue_of = {min(each.dscp): described.get(each.queue) for each in qos.classes if each.dscp}
    marked = {label: queue.ecn for label, queue in queue_of.items() if queue is not None and queue.ecn is not None}
    void = {
        label
        for label, ecn in marked.items()
        if not (0 < ecn.min_bytes < ecn.max_bytes and 0 < ecn.probability_percent <= 100)
    }
    pauses = frozenset(profile.pfc_priorities)
    if "always pause" in effects:
        pauses = frozenset(each.priority for each in qos.classes if each.lossless)
    if "no pause" in effects:
        pauses = frozenset()
    watched = profile.watchdog and qos.watchdog is not None and is_named and "no watchdog" not in effects
    return Treatment(
        classes=tuple(classes),
        priorities=tuple(priorities),
        queues=tuple(queues),
        pauses=pauses,
        strict=frozenset(label for label, queue in queue_of.items() if queue is not None and queue.strict),
        marks=frozenset(marked),
        unqueued=frozenset(label for label, queue in queue_of.items() if queue is None),
        void_marks=frozenset(void),
        effects=effects & {"trust", "classes", "no queues", "rewrite", "global pause"},
        watched=watched,
    )


@dataclass(frozen=True, slots=True)
class Rdma:
    """How a host marks RDMA, and what it expects of the network."""

    dscp: int
    cnp_dscp: int
    ecn: bool


def rdma_of(variables: Mapping[str, Any]) -> Rdma | None:
    """None: no role of the host has a rail with RDMA."""
    if "roce_qos_classes" not in variables:
        return None
    dscp, cnp_dscp = variables["roce_qos_dscp"], variables["roce_qos_cnp_dscp"]
    return Rdma(dscp, cnp_dscp, bool(variables["roce_qos_ecn"]))


def of_host(variables: Mapping[str, Any], rdma: Rdma) -> Treatment:
    """A NIC as role roce_qos sets it: a queue for each class, PFC on RDMA's priority if a class is lossless."""
    priorities, classes = [_TWO_CLASSES] * 64, list(CODE_POINTS)
    for each in variables["roce_qos_classes"]:
        for point in each["dscp"]:
            twice = priorities[point] != _TWO_CLASSES
            priorities[point] = _TWO_CLASSES if twice else each["priority"]
            classes[point] = min(each["dscp"])
    lossless = {each["priority"] for each in variables["roce_qos_classes"] if each["lossless"]}
    return Treatment(
        classes=tuple(classes),
        priorities=tuple(priorities),
        queues=tuple(priorities),
        pauses=frozenset({variables["roce_qos_priority"], *lossless} if lossless else ()),
        strict=frozenset(
            min(each["dscp"]) for each in variables["roce_qos_classes"] if each["strict"] and each["dscp"]
        ),
        marks=frozenset({classes[rdma.dscp]} if rdma.ecn else ()),
    )


def queue_of(ports: Ports, port: str, code_point: int) -> Queue | None:
    """The queue that a class leaves a switch's port by."""
    qos, name = ports.switch.config.qos, ports.profile_of(port)
    found = [each.queue for each in qos.classes if code_point in each.dscp] if qos is not None else []
    profiles = (each for each in qos.profiles if each.name == name) if qos is not None else iter(())
    return next((each for profile in profiles for each in profile.queues if each.number in found), None)


_Beside = tuple[dict[str, dict[Effect, list[Path]]], dict[str, tuple[str, ...]]]


def _beside(switch: ReadSwitch) -> _Beside:
    """What lines beside the model do, and which of them are not known, by port; empty key: on the whole switch."""
    effects: dict[str, dict[Effect, list[Path]]] = {}
    doubts: dict[str, list[str]] = {}
    for path, is_missing in _lines(switch):
        text = " / ".join(path)
        known = [
            (found.groupdict(), effect)
            for pattern, effect, of_missing in _known(switch.lossless.known)
            if of_missing is is_missing and (found := pattern.fullmatch(text))
        ]
        for groups, effect in known:
            profile = f"[{groups['profile']}]" if groups.get("profile") else ""
            effects.setdefault(groups.get("port") or profile, {}).setdefault(effect, []).append(path)
        if not known and (
            found := next((m for each in _may(switch.lossless.may_matter) if (m := each.fullmatch(text))), None)
        ):
            doubts.setdefault(found.groupdict().get("port") or "", []).append(text)
    return effects, {key: tuple(each) for key, each in doubts.items()}


def _lines(switch: ReadSwitch) -> Iterator[tuple[Path, bool]]:
    yield from ((path, False) for path in switch.unread)
    yield from ((path, True) for path in switch.missing)


@cache
def _known(lines: tuple[Known, ...]) -> tuple[tuple[re.Pattern[str], Effect, bool], ...]:
    return tuple((re.compile(each.pattern, re.DOTALL), each.effect, each.is_missing) for each in lines)


@cache
def _may(lines: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each, re.DOTALL) for each in lines)


def points_in_words(points: Iterable[int]) -> str:
    """``26``, ``0-23, 27``."""
    found: list[list[int]] = []
    for each in sorted(points):
        if found and found[-1][-1] == each - 1:
            found[-1].append(each)
        else:
            found.append([each])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in found)
