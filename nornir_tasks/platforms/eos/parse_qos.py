"""EOS quality of service parsed into the common model: maps, watchdog, qos profiles with their queues."""

import re
from dataclasses import dataclass, field
from typing import Any

from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass, Watchdog
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.tree import DSCP_DEFAULT
from nornir_tasks.platforms.lines import Block, Negation, leave, look_up, no, number, read, row, starting, table, yes

GUARANTEED_PERCENT = 5
"""Bandwidth guaranteed to a lossless queue, because the watchdog watches only queues with a guarantee.

Source: "Arista_EOS_RoCEv2_Lossless_Config", section 8, citing um-eos; the figure only has to be above zero.
"""

MMU_PROFILE = "platform trident mmu queue profile GPUFABRIC-HEADROOM"
"""The one profile of buffers, which the whole switch applies."""

_ACTION = "priority-flow-control pause watchdog action drop"


def _pair(found: re.Match[str]) -> tuple[int, int]:
    return int(found[1]), int(found[2])


def _code_point(found: re.Match[str]) -> tuple[int, int] | None:
    return _pair(found) if int(found[1]) < len(DSCP_DEFAULT) else None


_MAPS = (
    row(
        r"qos map dscp (\d+) to traffic-class ([0-7])",
        "class_of",
        _code_point,
        single=r"qos map dscp \d+ to traffic-class",
        hidden=(f"qos map dscp {dscp} to traffic-class {default}" for dscp, default in enumerate(DSCP_DEFAULT)),
    ),
    row(
        r"qos map traffic-class ([0-7]) to tx-queue ([0-7])",
        "queue_of",
        _pair,
        single=r"qos map traffic-class \d+ to tx-queue",
        # um-eos Quality of Service: traffic class and transmit queue of the same number belong together
        hidden=(f"qos map traffic-class {number} to tx-queue {number}" for number in range(8)),
    ),
)
_WATCHDOG = (
    row(
        r"priority-flow-control pause watchdog default (timeout|recovery-time|polling-interval) ([\d.]+)",
        "time_ms",
        lambda found: (found[1], round(float(found[2]) * 1000)),
        single=r"priority-flow-control pause watchdog default \S+",
    ),
    row(_ACTION, "drops", yes, single="priority-flow-control pause watchdog action"),
)

PFC_OFF: Negation = (r"priority-flow-control on", "no priority-flow-control")
_PROFILE = (
    row(r"qos trust dscp", "trust", yes),
    # pyavd eos__qos_profiles: "no priority-flow-control" is the opposite of "priority-flow-control on"
    row(r"priority-flow-control on", "pfc", yes, negation=PFC_OFF),
    row(r"priority-flow-control pause watchdog", "watchdog", yes),
)
_NO_DROP = re.compile(r"priority-flow-control priority ([0-7]) no-drop")
_QUEUE_BLOCK = re.compile(r"(tx-queue|uc-tx-queue) ([0-7])")

_ECN = r"random-detect ecn minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes max-mark-probability (\d+)"


def _ecn(found: re.Match[str]) -> Ecn:
    return Ecn(min_bytes=int(found[1]), max_bytes=int(found[2]), probability_percent=int(found[3]))


_QUEUE = (
    row(r"priority strict", "strict", yes),
    row(r"no priority", "strict", no),
    row(r"bandwidth percent (\d+)", "weight_percent", number, single="bandwidth percent"),
    row(r"bandwidth guaranteed percent (\d+)", "guaranteed", number, single="bandwidth guaranteed"),
    row(r"random-detect ecn count", "counts_marks", yes),
)
_MARKS = {
    "tx-queue": row(_ECN, "ecn", _ecn, single="random-detect ecn minimum-threshold"),
    # the weight of the average stands in the line only where the queue is one of unicast (pyavd schema)
    "uc-tx-queue": row(_ECN + " weight 0", "ecn", _ecn, single="random-detect ecn minimum-threshold"),
}

_APPLIED = row(f"{MMU_PROFILE} apply", "applied", yes, single=r"platform trident mmu queue profile \S+ apply")
_HEADROOM = row(r"ingress headroom bytes (\d+)", "headroom_bytes", number, single="ingress headroom")

BLOCKS = (
    Block((), (*_MAPS, *_WATCHDOG, _APPLIED)),
    Block((r"platform trident mmu queue profile ",), (_HEADROOM,)),
    Block((r"qos profile ",), _PROFILE),
    Block(
        (r"qos profile ", r"(?:uc-)?tx-queue "),
        (*_QUEUE, *_MARKS.values()),
        # batfish arista_interface_show_run_all: "no random-detect ecn"
        negations=((r"(random-detect ecn) minimum-threshold .*", r"no \1"),),
    ),
)
"""Which lines of quality of service replace each other, and which are hidden."""

_MAP_LINES, _WATCHDOG_LINES, _PROFILE_LINES = table(*_MAPS), table(*_WATCHDOG), table(*_PROFILE)
_HEADROOM_LINES = table(_HEADROOM)
_QUEUE_LINES = {kind: table(*_QUEUE, marks) for kind, marks in _MARKS.items()}


@dataclass(slots=True)
class _Profile:
    """One profile as it stands in the configuration, before the classes are known."""

    node: ConfigTree
    pfc: tuple[int, ...] = ()
    watchdog: bool = False
    queues: list[tuple[ConfigTree, dict[str, Any]]] = field(default_factory=list)


def queue_kind(asic: str) -> str:
    """``tx-queue`` on Jericho's virtual output queues, ``uc-tx-queue`` on Tomahawk's; the other one is refused."""
    return "tx-queue" if asic.startswith("jericho") else "uc-tx-queue"


def parse_qos(rest: ConfigTree, capabilities: Capabilities, left: ConfigTree) -> Qos | None:
    """Take the lines of this section out of ``rest``; unknown lines inside its blocks go to ``left``."""
    dscp, queue_of, mapped = list(DSCP_DEFAULT), list(range(8)), False
    for node in list(starting(rest, "qos map ")):
        if known := look_up(node.text, _MAP_LINES):
            (number, value), mapped = known[1], True
            (dscp if known[0] == "class_of" else queue_of)[number] = value
            del rest.children[node.text]
    watchdog, guarded = _watchdog(rest)
    blocks = [_block(node, capabilities.asic, left) for node in starting(rest, "qos profile ")]
    for block in blocks:
        del rest.children[block.node.text]
    if not (mapped or guarded or blocks):
        return None
    paused = {priority for block in blocks for priority in block.pfc}
    classes = tuple(
        TrafficClass(
            priority=priority,
            dscp=tuple(code for code, value in enumerate(dscp) if value == priority),
            queue=queue_of[priority],
            lossless=priority in paused,
        )
        for priority in sorted(set(dscp))
    )
    share = GUARANTEED_PERCENT if capabilities.has_guaranteed_bandwidth else None
    profiles = tuple(_profile(block, queue_of, share, left) for block in blocks)
    headroom_bytes = _headroom_bytes(rest, left)
    return Qos(
        classes=classes,
        profiles=profiles,
        watchdog=watchdog,
        lossless_mtu_bytes=None,
        headroom_bytes=headroom_bytes,
    )


def _headroom_bytes(rest: ConfigTree, left: ConfigTree) -> int | None:
    """Of the profile that is applied. One that is not, or says nothing of headroom, has no effect and remains."""
    block, applied = rest.children.get(MMU_PROFILE), rest.children.get(f"{MMU_PROFILE} apply")
    if block is None or applied is None:
        return None
    values, unknown = read(block.children.values(), _HEADROOM_LINES)
    if "headroom_bytes" not in values:
        return None
    leave(left, (MMU_PROFILE,), unknown)
    for line in (block, applied):
        del rest.children[line.text]
    return int(values["headroom_bytes"])


def _watchdog(rest: ConfigTree) -> tuple[Watchdog | None, bool]:
    """The global watchdog, and whether any of its lines exists. An incomplete watchdog is None: its lines remain."""
    known = {node.text: look_up(node.text, _WATCHDOG_LINES) for node in starting(rest, "priority-flow-control ")}
    times = {found[1][0]: (line, found[1][1]) for line, found in known.items() if found and found[0] == "time_ms"}
    drops = known.get(_ACTION) is not None
    if times and (len(times) < 3 or not drops):
        return None, True
    if drops:
        del rest.children[_ACTION]
    if not times:
        return None, drops
    for line, _ in times.values():
        del rest.children[line]
    detect, restore, poll = (times[name][1] for name in ("timeout", "recovery-time", "polling-interval"))
    return Watchdog(poll_ms=poll, detect_ms=detect, restore_ms=restore), True


def _block(node: ConfigTree, asic: str, left: ConfigTree) -> _Profile:
    """Read one profile; unknown lines, and lines without effect at their place, go to the remainder.

    So does missing trust, as its ``no`` form: a port that trusts CoS puts all RDMA into the default class.
    """
    profile = _Profile(node)
    fields: dict[str, Any] = {}
    priorities: list[tuple[ConfigTree, int]] = []
    for line in node.children.values():
        if (queue := _QUEUE_BLOCK.fullmatch(line.text)) and queue[1] == queue_kind(asic):
            values, unknown = read(line.children.values(), _QUEUE_LINES[queue[1]])
            leave(left, (node.text, line.text), unknown)
            profile.queues.append((line, values))
        elif no_drop := _NO_DROP.fullmatch(line.text):
            priorities.append((line, int(no_drop[1])))
        elif known := look_up(line.text, _PROFILE_LINES):
            fields[known[0]] = known[1]
        else:
            leave(left, (node.text,), [line])
    if not fields.get("trust"):
        left.add_path((node.text, "no qos trust dscp"))
    profile.watchdog = fields.get("watchdog", False)
    if fields.get("pfc"):
        profile.pfc = tuple(priority for _, priority in priorities)
    else:
        leave(left, (node.text,), [line for line, _ in priorities])
    return profile


def _profile(block: _Profile, queue_of: list[int], share: int | None, left: ConfigTree) -> PortProfile:
    """The profile. The watchdog counts only if every paused queue has its guarantee, where queues can have one."""
    paused = {queue_of[priority] for priority in block.pfc}
    guaranteed = {int(line.text.split()[1]): values.get("guaranteed") for line, values in block.queues}
    watched = block.watchdog and (share is None or all(guaranteed.get(queue) == share for queue in paused))
    queues = []
    for line, values in block.queues:
        name = int(line.text.split()[1])
        above = (block.node.text, line.text)
        strict = values.get("strict", True)
        if "guaranteed" in values and not (watched and name in paused and values["guaranteed"] == share):
            leave(left, above, starting(line, "bandwidth guaranteed "))
        if strict and "weight_percent" in values:
            leave(left, above, starting(line, "bandwidth percent "))
        counts, ecn = values.get("counts_marks", False), values.get("ecn")
        if counts and ecn is None:  # there is nothing to count
            leave(left, above, starting(line, "random-detect ecn count"))
        weight = None if strict else values.get("weight_percent")
        queues.append(Queue(name, strict, weight, ecn, counts and ecn is not None))
    if block.watchdog and not watched:
        line = block.node.children["priority-flow-control pause watchdog"]
        leave(left, (block.node.text,), [line])
    return PortProfile(
        name=block.node.text.split()[2], pfc_priorities=block.pfc, watchdog=watched, queues=tuple(queues)
    )
