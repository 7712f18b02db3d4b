"""QoS read back: class-maps, the three kinds of policy-map, ``system qos`` and the lines on the ports.

NX-OS has no "trust dscp": the classification policy on each port is what trusts. The network-qos and queuing policies
hold for the whole switch, so every port profile shares them; what a profile has of its own is which ports bear it.
"""

import re
from dataclasses import dataclass, field

from nornir_tasks.design.device_config import Ecn, PortProfile, Qos, Queue, TrafficClass
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nxos.capabilities import LOSSY_QUEUES, WATCHDOG
from nornir_tasks.platforms.nxos.dscp import CODE_POINTS, to_list
from nornir_tasks.platforms.nxos.reading import Remainder, Table, table

CLASS_MAP = "GPUFABRIC-QG"
NETWORK_POLICY = "GPUFABRIC-NETWORK"
QUEUING_POLICY = "GPUFABRIC-EGRESS"

_SYSTEM_LINES = (
    f"service-policy type queuing output {QUEUING_POLICY}",
    f"service-policy type network-qos {NETWORK_POLICY}",
)


def class_suffix(group: int) -> str:
    """How the system-defined classes of qos-group ``group`` end: ``default`` for 0, else the number."""
    return "-default" if group == 0 else str(group)


def _group(suffix: str) -> int:
    return 0 if suffix == "-default" else int(suffix)


@dataclass(slots=True)
class _QueueRead:
    strict: bool = False
    weight: int | None = None
    ecn: Ecn | None = None


@dataclass(slots=True)
class PortQosLines:
    """What one port says of QoS."""

    profile: str | None = None
    pfc: str | None = None
    watchdog: bool = False


@dataclass(slots=True)
class QosReader:
    """Gathers the QoS lines of one switch; ``finish`` makes the section of them."""

    remainder: Remainder
    watchdog: bool = False
    dscp: dict[int, tuple[int, ...]] = field(default_factory=dict)
    policies: dict[str, set[int]] = field(default_factory=dict)
    default_group: int | None = None
    mtus: dict[int, int] = field(default_factory=dict)
    paused: set[int] = field(default_factory=set)
    queues: dict[int, _QueueRead] = field(default_factory=dict)
    attached: set[str] = field(default_factory=set)
    ports: dict[str, PortQosLines] = field(default_factory=dict)

    def global_watchdog(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``priority-flow-control watch-dog-interval on``."""
        self.watchdog = True
        self.remainder.leaf(node, above)

    def class_map(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``class-map type qos match-any GPUFABRIC-QG3``."""
        group = int(found["group"])

        def match(line: re.Match[str], child: ConfigTree, _: Path) -> bool:
            try:
                self.dscp[group] = to_list(line["list"])
            except ValueError:
                return False
            return not child

        self.remainder.read(node, (*above, node.text), table((r"match dscp (?P<list>[\d,-]+)", match)))

    def classify(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type qos <profile>``."""
        groups = self.policies.setdefault(found["name"], set())

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            def set_group(value: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
                group = int(value["group"])
                if line["group"] is None:
                    if self.default_group not in (None, group):
                        return False
                    self.default_group = group
                elif group != int(line["group"]):
                    return False
                groups.add(group)
                return not leaf

            self.remainder.read(child, (*over, child.text), table((r"set qos-group (?P<group>[0-7])", set_group)))

        shape = rf"class (?:{CLASS_MAP}(?P<group>[0-7])|class-default)"
        self.remainder.read(node, (*above, node.text), table((shape, one)))

    def network(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type network-qos GPUFABRIC-NETWORK``."""

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            group = _group(line["suffix"])

            def mtu(value: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
                self.mtus[group] = int(value["mtu"])
                return not leaf

            def pause(value: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
                if int(value["cos"]) != group:
                    return False
                self.paused.add(group)
                return not leaf

            shapes = table((r"mtu (?P<mtu>\d+)", mtu), (r"pause pfc-cos (?P<cos>[0-7])", pause))
            self.remainder.read(child, (*over, child.text), shapes)

        shape = r"class type network-qos c-8q-nq(?P<suffix>[1-7]|-default)"
        self.remainder.read(node, (*above, node.text), table((shape, one)))

    def queuing(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``policy-map type queuing GPUFABRIC-EGRESS``."""

        def one(line: re.Match[str], child: ConfigTree, over: Path) -> None:
            queue = self.queues.setdefault(_group(line["suffix"].removeprefix("q")), _QueueRead())
            self.remainder.read(child, (*over, child.text), _queue_lines(queue))

        shape = r"class type queuing c-out-8q-(?P<suffix>q[1-7]|q-default)"
        self.remainder.read(node, (*above, node.text), table((shape, one)))

    def system(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``system qos``."""

        def attach(found: re.Match[str], child: ConfigTree, _: Path) -> bool:
            if found.string not in _SYSTEM_LINES:
                return False
            self.attached.add(found.string)
            return not child

        self.remainder.read(node, (*above, node.text), table((r"service-policy .+", attach)))

    def finish(self) -> Qos | None:
        """The section, or None when no QoS line of ours stands anywhere. Absent lines go to the remainder."""
        if not (self.policies or self.queues or self.mtus or self.attached or self.watchdog or self.dscp):
            self._strangers(frozenset())
            return None
        groups = {*self.dscp, *(() if self.default_group is None else (self.default_group,))}
        self._require(groups)
        classes = tuple(
            TrafficClass(group, self._dscp_of(group), group, lossless=group in self.paused) for group in sorted(groups)
        )
        profiles = tuple(self._profile(name) for name in sorted(self.policies))
        self._strangers(frozenset(self.policies))
        watchdog = WATCHDOG if self.watchdog else None
        return Qos(classes, profiles, watchdog, self.mtus.get(0))

    def _dscp_of(self, group: int) -> tuple[int, ...]:
        if group in self.dscp:
            return self.dscp[group]
        taken = {point for points in self.dscp.values() for point in points}
        return tuple(point for point in range(CODE_POINTS) if point not in taken)

    def _require(self, groups: set[int]) -> None:
        """Name the lines without which the rest would not do what it seems to."""
        for line in _SYSTEM_LINES:
            if line not in self.attached:
                self.remainder.missing("system qos", line)
        for name, held in self.policies.items():
            for group in sorted(groups - held):
                line = "class class-default" if group not in self.dscp else f"class {CLASS_MAP}{group}"
                self.remainder.missing(f"policy-map type qos {name}", line)
        for group in sorted({0, *groups}):
            if self.mtus.get(group) != self.mtus.get(0) or 0 not in self.mtus:
                header = f"class type network-qos c-8q-nq{class_suffix(group)}"
                self.remainder.missing(f"policy-map type network-qos {NETWORK_POLICY}", header, "mtu")
        for number in range(LOSSY_QUEUES):
            path = (f"policy-map type queuing {QUEUING_POLICY}", f"class type queuing c-out-8q-q{class_suffix(number)}")
            queue = self.queues.get(number)
            if queue is None:
                self.remainder.missing(*path)
            elif queue.weight is None and not queue.strict:
                self.remainder.missing(*path, "bandwidth remaining percent")

    def _profile(self, name: str) -> PortProfile:
        ports = {port: lines for port, lines in self.ports.items() if lines.profile == name}
        pfc = any(lines.pfc == "on" for lines in ports.values()) or not ports
        watchdog = any(lines.watchdog for lines in ports.values()) or (not ports and self.watchdog)
        wanted = "on" if pfc and self.paused else "off"
        for port, lines in ports.items():
            if lines.pfc != wanted:
                self.remainder.missing(f"interface {port}", f"priority-flow-control mode {wanted}")
            if lines.watchdog != watchdog:
                self.remainder.missing(f"interface {port}", "priority-flow-control watch-dog-interval on")
        queues = tuple(
            Queue(number, queue.strict, queue.weight, queue.ecn)
            for number, queue in sorted(self.queues.items())
            if queue.strict or queue.weight or queue.ecn
        )
        return PortProfile(name, tuple(sorted(self.paused)) if pfc else (), watchdog, queues)

    def _strangers(self, known: frozenset[str]) -> None:
        """PFC lines on a port without a profile of ours, or a profile that is not defined."""
        for port, lines in self.ports.items():
            above = f"interface {port}"
            if lines.profile is not None and lines.profile not in known:
                self.remainder.missing(f"policy-map type qos {lines.profile}")
            if lines.profile is None and lines.pfc is not None:
                self.remainder.tree.add_path((above, f"priority-flow-control mode {lines.pfc}"))
            if lines.profile is None and lines.watchdog:
                self.remainder.tree.add_path((above, "priority-flow-control watch-dog-interval on"))


def _queue_lines(queue: _QueueRead) -> Table:
    def strict(_: re.Match[str], leaf: ConfigTree, __: Path) -> bool:
        queue.strict = True
        return not leaf

    def weight(value: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
        queue.weight = int(value["percent"])
        return not leaf

    def marks(value: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
        queue.ecn = Ecn(int(value["low"]) * 1000, int(value["high"]) * 1000, int(value["probability"]))
        return not leaf

    return table(
        (r"priority level 1", strict),
        (r"bandwidth remaining percent (?P<percent>\d+)", weight),
        (
            r"random-detect minimum-threshold (?P<low>\d+) kbytes maximum-threshold (?P<high>\d+) kbytes"
            r" drop-probability (?P<probability>\d+) weight 0 ecn",
            marks,
        ),
    )
