"""NX-OS QoS parsed: class-maps, the three kinds of policy-map, ``system qos`` and the lines on the ports.

NX-OS has no "trust dscp": the classification policy on each port has that function. The network-qos policy is global.
The switch's queuing policy is for the links between switches; a profile with other queues has a queuing policy of its
own on each of its ports.
"""

import re
from dataclasses import dataclass, field

from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, number, row, table, yes
from nornir_tasks.platforms.nxos.capabilities import LOSSY_QUEUES, PROFILE, WATCHDOG
from nornir_tasks.platforms.nxos.dscp import CODE_POINTS, to_list
from nornir_tasks.platforms.nxos.reading import Remainder

CLASS_MAP = "GPUFABRIC-QG"
NETWORK_POLICY = "GPUFABRIC-NETWORK"
QUEUING_POLICY = "GPUFABRIC-EGRESS"

_SYSTEM_LINES = (
    f"service-policy type queuing output {QUEUING_POLICY}",
    f"service-policy type network-qos {NETWORK_POLICY}",
)


_MARKS = (
    r"random-detect minimum-threshold (\d+) kbytes maximum-threshold (\d+) kbytes drop-probability (\d+) weight 0 ecn"
)


def _points(found: re.Match[str]) -> tuple[int, ...] | None:
    try:
        return to_list(found[1])
    except ValueError:
        return None


_CLASS_MAP = (row(r"match dscp ([\d,-]+)", "dscp", _points, single="match dscp"),)
_CLASSIFY = (row(r"set qos-group ([0-7])", "group", number, single="set qos-group"),)
_NETWORK = (
    row(r"mtu (\d+)", "mtu_bytes", number, single="mtu"),
    row(r"pause pfc-cos ([0-7])", "paused", number, single="pause pfc-cos"),
)
_QUEUING = (
    row(r"priority level 1", "strict", yes, single="priority level"),
    row(r"bandwidth remaining percent (\d+)", "weight", number, single="bandwidth remaining percent"),
    row(
        _MARKS,
        "ecn",
        lambda found: Ecn(int(found[1]) * 1000, int(found[2]) * 1000, int(found[3])),
        single="random-detect",
    ),
)
_SYSTEM = tuple(
    row(line, "attached", lambda found: found[0], single=r"service-policy type \S+(?: input| output)?", many=True)
    for line in _SYSTEM_LINES
)

BLOCKS = (
    Block((r"class-map type qos ",), _CLASS_MAP),
    Block((r"policy-map type qos ", r"class "), _CLASSIFY),
    Block((r"policy-map type network-qos ", r"class "), _NETWORK),
    Block((r"policy-map type queuing ", r"class "), _QUEUING),
    Block((r"system qos$",), _SYSTEM),
)
"""Which lines of quality of service replace each other, and which are hidden."""

_CLASS_MAP_LINES, _CLASSIFY_LINES, _NETWORK_LINES = table(*_CLASS_MAP), table(*_CLASSIFY), table(*_NETWORK)
_QUEUING_LINES, _SYSTEM_TABLE, _NO_LINES = table(*_QUEUING), table(*_SYSTEM), table()
_CLASS_HEAD = re.compile(rf"class (?:{CLASS_MAP}(?P<group>[0-7])|class-default)")
_NETWORK_HEAD = re.compile(r"class type network-qos c-8q-nq(?P<suffix>[1-7]|-default)")
_QUEUE_HEAD = re.compile(r"class type queuing c-out-8q-(?P<suffix>q[1-7]|q-default)")


def class_suffix(group: int) -> str:
    """The suffix of the system-defined classes of qos-group ``group``: ``default`` for 0, else the number."""
    return "-default" if group == 0 else str(group)


def _group(suffix: str) -> int:
    return 0 if suffix == "-default" else int(suffix)


def queuing_policy(profile: PortProfile) -> str:
    """Name of the profile's queuing policy: its own if its queues differ from the switch's."""
    return queuing_name(profile.name)


def queuing_name(profile: str) -> str:
    """The same from the profile's name."""
    return QUEUING_POLICY if profile == PROFILE else f"{profile}-OUT"


@dataclass(slots=True)
class _QueueRead:
    strict: bool = False
    weight: int | None = None
    ecn: Ecn | None = None


_Queues = dict[int, _QueueRead]
"""The settings of each queue in a queuing policy."""


@dataclass(slots=True)
class PortQosLines:
    """The QoS lines of one port."""

    profile: str | None = None
    queuing: str | None = None
    pfc: str | None = None
    watchdog: bool = False


@dataclass(slots=True)
class QosReader:
    """Gathers the QoS lines of one switch; ``finish`` builds the section."""

    remainder: Remainder
    watchdog: bool = False
    dscp: dict[int, tuple[int, ...]] = field(default_factory=dict)
    policies: dict[str, set[int]] = field(default_factory=dict)
    default_group: int | None = None
    mtus: dict[int, int] = field(default_factory=dict)
    paused: set[int] = field(default_factory=set)
    queuing_policies: dict[str, tuple[ConfigTree, _Queues]] = field(default_factory=dict)
    attached: set[str] = field(default_factory=set)
    ports: dict[str, PortQosLines] = field(default_factory=dict)

    def class_map(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``class-map type qos match-any GPUFABRIC-QG3``."""
        values = self.remainder.read(node, (*above, node.text), _CLASS_MAP_LINES)
        if "dscp" in values:
            self.dscp[int(found["group"])] = values["dscp"]

    def classify(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type qos <profile>``."""
        groups = self.policies.setdefault(found["name"], set())

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            group = self.remainder.read(child, (*over, child.text), _CLASSIFY_LINES).get("group")
            if group is None:
                return
            expected = self.default_group if line["group"] is None else int(line["group"])
            if expected not in (None, group):
                self.remainder.unknown(child.children[f"set qos-group {group}"], (*over, child.text))
                return
            if line["group"] is None:
                self.default_group = group
            groups.add(group)

        self.remainder.read(node, (*above, node.text), _NO_LINES, ((_CLASS_HEAD, one),))

    def network(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type network-qos GPUFABRIC-NETWORK``."""

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            group = _group(line["suffix"])
            values = self.remainder.read(child, (*over, child.text), _NETWORK_LINES)
            if "mtu_bytes" in values:
                self.mtus[group] = values["mtu_bytes"]
            paused = values.get("paused", group)
            if paused != group:
                self.remainder.unknown(child.children[f"pause pfc-cos {paused}"], (*over, child.text))
            elif "paused" in values:
                self.paused.add(group)

        self.remainder.read(node, (*above, node.text), _NO_LINES, ((_NETWORK_HEAD, one),))

    def queuing(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type queuing GPUFABRIC-EGRESS``."""
        queues: _Queues = {}

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            values = self.remainder.read(child, (*over, child.text), _QUEUING_LINES)
            group = _group(line["suffix"].removeprefix("q"))
            queues[group] = _QueueRead("strict" in values, values.get("weight"), values.get("ecn"))

        self.remainder.read(node, (*above, node.text), _NO_LINES, ((_QUEUE_HEAD, one),))
        self.queuing_policies[found["name"]] = node, queues

    def system(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``system qos``."""
        values = self.remainder.read(node, (*above, node.text), _SYSTEM_TABLE)
        self.attached.update(values.get("attached", ()))

    def finish(self, *, watchdog: bool) -> Qos | None:
        """The section, or None if there is no QoS line of ours. Absent lines go to the remainder.

        ``watchdog``: whether it is enabled globally.
        """
        self.watchdog = watchdog
        if not (self.policies or self.queuing_policies or self.mtus or self.attached or self.watchdog or self.dscp):
            self._strangers(frozenset())
            return None
        groups = {*self.dscp, *(() if self.default_group is None else (self.default_group,))}
        self._require(groups)
        classes = tuple(
            TrafficClass(group, self._dscp_of(group), group, lossless=group in self.paused) for group in sorted(groups)
        )
        profiles = tuple(self._profile(name) for name in sorted(self.policies))
        self._strangers(frozenset(self.policies))
        return Qos(classes, profiles, WATCHDOG if self.watchdog else None, self.mtus.get(0))

    def _dscp_of(self, group: int) -> tuple[int, ...]:
        if group in self.dscp:
            return self.dscp[group]
        taken = {point for points in self.dscp.values() for point in points}
        return tuple(point for point in range(CODE_POINTS) if point not in taken)

    def _require(self, groups: set[int]) -> None:
        """Report missing lines without which the others do not have their usual effect."""
        for line in _SYSTEM_LINES:
            if line not in self.attached:
                self.remainder.missing("system qos", line)
        for name, present in self.policies.items():
            for group in sorted(groups - present):
                line = "class class-default" if group not in self.dscp else f"class {CLASS_MAP}{group}"
                self.remainder.missing(f"policy-map type qos {name}", line)
        for group in sorted({0, *groups}):
            if self.mtus.get(group) != self.mtus.get(0) or 0 not in self.mtus:
                header = f"class type network-qos c-8q-nq{class_suffix(group)}"
                self.remainder.missing(f"policy-map type network-qos {NETWORK_POLICY}", header, "mtu")
        for name in dict.fromkeys((QUEUING_POLICY, *self.queuing_policies)):
            self._require_queues(name)

    def _require_queues(self, name: str) -> None:
        queues = self._queues_of(name)
        for queue_number in range(LOSSY_QUEUES):
            header = f"class type queuing c-out-8q-q{class_suffix(queue_number)}"
            path = (f"policy-map type queuing {name}", header)
            queue = queues.get(queue_number)
            if queue is None:
                self.remainder.missing(*path)
            elif queue.weight is None and not queue.strict:
                self.remainder.missing(*path, "bandwidth remaining percent")

    def _queues_of(self, name: str) -> _Queues:
        return self.queuing_policies[name][1] if name in self.queuing_policies else {}

    def _profile(self, name: str) -> PortProfile:
        ports = {port: lines for port, lines in self.ports.items() if lines.profile == name}
        is_all = not ports and (name.startswith(PROFILE) or "-LOSSLESS" in name)  # no port is left that shows it
        pfc = any(lines.pfc == "on" for lines in ports.values()) or is_all
        watchdog = any(lines.watchdog for lines in ports.values()) or (is_all and self.watchdog)
        wanted = "on" if pfc and self.paused else "off"
        for port, lines in ports.items():
            if lines.pfc != wanted:
                self.remainder.missing(f"interface {port}", f"priority-flow-control mode {wanted}")
            if lines.watchdog != watchdog:
                self.remainder.missing(f"interface {port}", "priority-flow-control watch-dog-interval on")
        return PortProfile(name, tuple(sorted(self.paused)) if pfc else (), watchdog, self._queues(name, ports))

    def _queues(self, name: str, ports: dict[str, PortQosLines]) -> tuple[Queue, ...]:
        """The queues of the profile's own policy, if it has one (all its ports must have it); else the switch's."""
        own, shared = queuing_name(name), self._queues_of(QUEUING_POLICY)
        queues = self._queues_of(own)
        has_own = name != PROFILE and own in self.queuing_policies and queues != shared
        if has_own:
            del self.queuing_policies[own]
        wanted = own if has_own else None
        for port, lines in ports.items():
            if wanted is not None and lines.queuing != wanted:
                self.remainder.missing(f"interface {port}", f"service-policy type queuing output {wanted}")
            if lines.queuing not in (None, wanted):
                if lines.queuing not in self.queuing_policies:
                    self.remainder.missing(f"interface {port}", f"policy-map type queuing {lines.queuing}")
                self._stranger(port, f"service-policy type queuing output {lines.queuing}")
        return tuple(
            Queue(number, queue.strict, queue.weight, queue.ecn)
            for number, queue in sorted((queues if has_own else shared).items())
            if queue.strict or queue.weight or queue.ecn
        )

    def _stranger(self, port: str, line: str) -> None:
        self.remainder.tree.add_path((f"interface {port}", line))

    def _strangers(self, known: frozenset[str]) -> None:
        """Report PFC lines on ports without a profile of ours, or with an undefined profile."""
        for port, lines in self.ports.items():
            if lines.profile is not None and lines.profile not in known:
                self.remainder.missing(f"policy-map type qos {lines.profile}")
            if lines.profile is None and lines.pfc is not None:
                self._stranger(port, f"priority-flow-control mode {lines.pfc}")
            if lines.profile is None and lines.watchdog:
                self._stranger(port, "priority-flow-control watch-dog-interval on")
            if lines.profile not in known and lines.queuing is not None:
                self._stranger(port, f"service-policy type queuing output {lines.queuing}")
        for name, (node, _) in self.queuing_policies.items():
            if name != QUEUING_POLICY:
                self.remainder.unknown(node, ())
