"""The host's part of the RoCE policy: the variables, their validation, and the tables for a NIC.

Pure, standard library only (it runs on hosts, Python 3.9). Used by the role roce_qos (module and service) and by
comparisons of a host with its policy. Nothing here reads or changes a host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CODE_POINTS = 64
PRIORITIES = 8
NOT_ECT, ECT_0, CE = 0b00, 0b10, 0b11  # RFC 3168, section 5; 0b01 is ECT(1)
BACKENDS = ("auto", "dcb", "mlnx_qos")
LONGEST_NAME = 15  # the kernel's IFNAMSIZ less the final zero
LONGEST_CABLE_M = 1000

KNOBS = (
    "rdma_cm_module",
    "dcbx",
    "dscp_to_priority",
    "trust",
    "pfc",
    "ets",
    "pause_rx",
    "pause_tx",
    "cable_m",
    "buffer",
    "rdma_cm_mode",
    "rdma_cm_tos",
    "traffic_class",
    "ecn_np",
    "ecn_rp",
    "cnp_dscp",
    "cnp_priority",
    "reorder",
)
"""All settings, in the order in which they are set."""
NEVER_ABSENT = ("reorder",)
"""A NIC without it loses most of its speed where switches balance packet by packet: no site can allow that."""

OPTIONAL = {
    "backend": "auto",
    "cable_m": None,
    "buffer_bytes": (),
    "priority_buffer": (),
    "firmware": False,
    "absent_allowed": ("traffic_class",),
    "reorder_rails": (),
}
REQUIRED = ("rails", "classes", "dscp", "priority", "traffic_class", "ecn", "cnp_dscp", "cnp_priority")
_CLASS_KEYS = ("name", "dscp", "priority", "lossless", "strict", "weight_percent")


class PolicyError(ValueError):
    """The variables are no valid policy; ``problems`` names each with variable, value and remedy."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Ets:
    """Transmission selection (IEEE 802.1Qaz): priority -> traffic class, and how each traffic class is served."""

    prio_tc: tuple[int, ...]
    tc_tsa: tuple[str, ...]
    """``strict`` or ``ets`` per traffic class."""
    tc_bw: tuple[int, ...]
    """Percent per traffic class; those of ``ets`` sum to 100."""


@dataclass(frozen=True)
class Policy:
    """The settings of every rail of this host."""

    rails: tuple[str, ...]
    dscp_to_priority: tuple[int, ...]
    """All 64 code points."""
    priority: int
    """The priority of RDMA, to which DCQCN applies."""
    lossless: bool
    """PFC pauses it."""
    ets: Ets
    traffic_class: int
    """The whole byte: DSCP and ECN bits."""
    ecn: bool
    cnp_dscp: int
    cnp_priority: int
    cable_m: int | None
    buffer_bytes: tuple[int, ...]
    priority_buffer: tuple[int, ...]
    backend: str
    firmware: bool
    """Role nic_firmware brings what only the firmware holds to the policy, which may wait for a reset."""
    absent_allowed: tuple[str, ...]
    reorder_rails: tuple[str, ...]
    """Rails whose NICs are told to accept reordered packets; the others are left as they are."""

    @property
    def pfc(self) -> tuple[bool, ...]:
        """Pause per priority: on for RDMA's, or for none."""
        return only(self.priority) if self.lossless else (False,) * PRIORITIES

    @property
    def ecn_enabled(self) -> tuple[bool, ...]:
        """DCQCN per priority: on for RDMA's, or for none."""
        return only(self.priority) if self.ecn else (False,) * PRIORITIES


def only(priority: int) -> tuple[bool, ...]:
    """Eight values, True for this priority only."""
    return tuple(each == priority for each in range(PRIORITIES))


def read_policy(values: Mapping[str, Any]) -> Policy:
    """The policy from the role's variables (without their ``roce_qos_``). Raises PolicyError with all mistakes."""
    problems = tuple(find_problems(values))
    if problems:
        raise PolicyError(problems)
    given = {**OPTIONAL, **values}
    classes = given["classes"]
    table = [0] * CODE_POINTS
    for each in classes:
        for point in each["dscp"]:
            table[point] = each["priority"]
    return Policy(
        rails=tuple(given["rails"]),
        dscp_to_priority=tuple(table),
        priority=given["priority"],
        lossless=any(each["lossless"] for each in classes),
        ets=_ets(classes, table[0]),
        traffic_class=given["traffic_class"],
        ecn=given["ecn"],
        cnp_dscp=given["cnp_dscp"],
        cnp_priority=given["cnp_priority"],
        cable_m=given["cable_m"],
        buffer_bytes=tuple(given["buffer_bytes"]),
        priority_buffer=tuple(given["priority_buffer"]),
        backend=given["backend"],
        firmware=given["firmware"],
        absent_allowed=tuple(given["absent_allowed"]),
        reorder_rails=tuple(given["reorder_rails"]),
    )


def _ets(classes: list[Mapping[str, Any]], best_effort: int) -> Ets:
    """One traffic class per class, with its priority as number; other priorities are served with best effort.

    A traffic class that no priority uses is strict with no share: drivers refuse an ETS class of 0 percent.
    """
    prio_tc = [best_effort] * PRIORITIES
    tsa, shares = ["strict"] * PRIORITIES, [0] * PRIORITIES
    for each in classes:
        priority = each["priority"]
        prio_tc[priority] = priority
        if not each["strict"]:
            tsa[priority], shares[priority] = "ets", each["weight_percent"]
    return Ets(tuple(prio_tc), tuple(tsa), tuple(shares))


def find_problems(values: Mapping[str, Any]) -> list[str]:
    """Every mistake in the role's variables, one line each; empty if there is none."""
    missing = [name for name in REQUIRED if values.get(name) is None]
    if missing:
        remedy = "The inventory plug-in gpufabric takes it from the intent; a host outside of it needs it in host_vars"
        return [_say(name, "no value", remedy) for name in missing]
    unknown = sorted(set(values) - set(REQUIRED) - set(OPTIONAL))
    if unknown:
        return [_say(name, "not a variable of this role", "Remove it") for name in unknown]
    given = {**OPTIONAL, **values}
    problems = _rail_problems(given["rails"]) + _class_problems(given["classes"])
    if problems:
        return problems  # the following checks rely on the shape
    return [
        *(_lossless_problems(given) or _marking_problems(given)),
        *_cnp_problems(given),
        *_weight_problems(given["classes"]),
        *_option_problems(given),
    ]


def _say(variable: str, what: str, remedy: str) -> str:
    return f"roce_qos_{variable}: {what}. {remedy}"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(each) for each in sorted(numbers))


def _rail_problems(rails: list[str]) -> list[str]:
    problems = [] if rails else [_say("rails", "[]", "Name the interfaces of this host's rails, as [rail0, rail1]")]
    for name in sorted(set(rails)):
        if not 0 < len(name) <= LONGEST_NAME or "/" in name or name.split() != [name]:
            remedy = f"At most {LONGEST_NAME} characters, no blank, no slash"
            problems.append(_say("rails", f"{name!r} cannot be the name of an interface", remedy))
        if rails.count(name) > 1:
            problems.append(_say("rails", f"{name} twice", "Name each interface once"))
    return problems


def _class_problems(classes: list[Mapping[str, Any]]) -> list[str]:
    """Each class is complete; together they have all 64 code points once; each has a priority of its own."""
    problems = [
        _say("classes", f"{each.get('name', each)} has no {key}", "Give each class all keys")
        for each in classes
        for key in _CLASS_KEYS
        if key not in each
    ]
    if problems:
        return problems
    problems = _code_point_problems(classes)
    for each in classes:
        if each["priority"] not in range(PRIORITIES):
            problems.append(_say("classes", f"{each['name']} has priority {each['priority']}", "Priorities are 0 to 7"))
    for priority in range(PRIORITIES):
        names = [each["name"] for each in classes if each["priority"] == priority]
        if len(names) > 1:
            problems.append(_say("classes", f"{' and '.join(names)} share priority {priority}", "Give each its own"))
    return problems


def _code_point_problems(classes: list[Mapping[str, Any]]) -> list[str]:
    problems: list[str] = []
    seen: dict[int, str] = {}
    for each in classes:
        name = each["name"]
        for point in each["dscp"]:
            if point not in range(CODE_POINTS):
                problems.append(_say("classes", f"{name} has DSCP {point}", "DSCPs are 0 to 63"))
            elif point in seen:
                problems.append(_say("classes", f"DSCP {point} is in {seen[point]} and in {name}", "Put it into one"))
            seen.setdefault(point, name)
    without = [point for point in range(CODE_POINTS) if point not in seen]
    if without:
        problems.append(_say("classes", f"no class has DSCP {_listed(without)}", "Put each of the 64 into a class"))
    return problems


def _lossless_problems(given: Mapping[str, Any]) -> list[str]:
    classes, priority = given["classes"], given["priority"]
    lossless = {each["priority"]: each["name"] for each in classes if each["lossless"]}
    if len(lossless) > 1:
        named = " and ".join(f"{key} ({lossless[key]})" for key in sorted(lossless))
        remedy = "PFC is for one of them: set lossless: false in the others"
        return [_say("classes", f"priorities {named} are lossless", remedy)]
    declared = {each["priority"]: each["name"] for each in classes}
    if priority not in declared:
        what = f"{priority} is no class's priority"
        return [_say("priority", what, f"Take one of {_listed(declared)} (roce_qos_classes)")]
    if not lossless and given["ecn"]:
        return []  # marks alone slow senders down, and NICs retransmit what is lost
    if priority not in lossless:
        what = f"{priority} is the priority of {declared[priority]}, which is not lossless"
        remedy = f"Take {_listed(lossless)}" if lossless else f"Set lossless: true in the class {declared[priority]}"
        return [_say("priority", what, remedy)]
    return []


def _marking_problems(given: Mapping[str, Any]) -> list[str]:
    """The DSCP is in the lossless class, and the traffic class consists of it and the right ECN bits."""
    dscp, priority = given["dscp"], given["priority"]
    if dscp not in range(CODE_POINTS):
        return [_say("dscp", str(dscp), "DSCPs are 0 to 63")]
    carrier = _carrier(given["classes"], dscp)
    if carrier["priority"] != priority:
        what = f"{dscp} is in the class {carrier['name']}, priority {carrier['priority']}, not {priority}"
        return [_say("dscp", what, f"Move it into the class of roce_qos_priority {priority}")]
    problem = _byte_problem(given["traffic_class"], dscp, given["ecn"])
    wanted = 4 * dscp + (ECT_0 if given["ecn"] else NOT_ECT)
    remedy = f"Write {wanted}: 4 x DSCP {dscp} + ECN bits"
    return [_say("traffic_class", f"{given['traffic_class']} {problem}", remedy)] if problem else []


def _carrier(classes: list[Mapping[str, Any]], dscp: int) -> Mapping[str, Any]:
    return next(each for each in classes if dscp in each["dscp"])


def _byte_problem(byte: int, dscp: int, ecn: bool) -> str | None:
    """The problem with this traffic class; the common mistakes (a) and (b) by their names."""
    if byte not in range(256):
        return "is more than a byte holds"
    if byte >> 2 != dscp:
        return "is the DSCP, not the traffic class" if byte == dscp else f"bears DSCP {byte >> 2}, not {dscp}"
    bits = byte & 0b11
    if bits == CE:
        return "says in every packet that it met congestion (CE)"
    if ecn and bits == NOT_ECT:
        return "is Not-ECT while roce_qos_ecn is true: switches drop what they should mark"
    if not ecn and bits != NOT_ECT:
        return "is ECN-capable while roce_qos_ecn is false: switches mark, no sender slows down"
    return None


def _cnp_problems(given: Mapping[str, Any]) -> list[str]:
    if not given["ecn"]:
        return []  # no notification is sent
    dscp, priority = given["cnp_dscp"], given["cnp_priority"]
    if dscp not in range(CODE_POINTS):
        return [_say("cnp_dscp", str(dscp), "DSCPs are 0 to 63")]
    carrier = _carrier(given["classes"], dscp)
    if carrier["priority"] != priority:
        what = f"{priority}, but its DSCP {dscp} is in the class {carrier['name']}, priority {carrier['priority']}"
        return [_say("cnp_priority", what, f"Take {carrier['priority']}, or another roce_qos_cnp_dscp")]
    if carrier["lossless"]:
        what = f"{priority} is lossless: notifications would be paused with the data they are to slow down"
        return [_say("cnp_priority", what, "Give notifications a class of their own, strict")]
    return []


def _weight_problems(classes: list[Mapping[str, Any]]) -> list[str]:
    weighted = [each for each in classes if not each["strict"]]
    wrong = [each for each in weighted if each["weight_percent"] not in range(1, 101)]
    if wrong:
        remedy = "Give it 1 to 100, or strict: true"
        return [
            _say("classes", f"{each['name']} has weight_percent {each['weight_percent']}", remedy) for each in wrong
        ]
    total = sum(each["weight_percent"] for each in weighted)
    if weighted and total != 100:
        named = " + ".join(f"{each['name']} {each['weight_percent']}" for each in weighted)
        return [_say("classes", f"weights are {named} = {total}", "Make them 100")]
    return []


def _option_problems(given: Mapping[str, Any]) -> list[str]:
    problems: list[str] = []
    if given["backend"] not in BACKENDS:
        problems.append(_say("backend", str(given["backend"]), f"One of {', '.join(BACKENDS)}"))
    cable = given["cable_m"]
    if cable is not None and cable not in range(1, LONGEST_CABLE_M + 1):
        remedy = f"Metres, 1 to {LONGEST_CABLE_M}, or null to leave it to the NIC"
        problems.append(_say("cable_m", str(cable), remedy))
    sizes, buffers = list(given["buffer_bytes"]), list(given["priority_buffer"])
    if sizes and (len(sizes) != PRIORITIES or min(sizes) < 0):
        problems.append(_say("buffer_bytes", str(sizes), "Eight sizes in bytes, or [] to leave them to the NIC"))
    if buffers and (len(buffers) != PRIORITIES or not set(buffers) <= set(range(PRIORITIES))):
        problems.append(_say("priority_buffer", str(buffers), "Eight buffers, 0 to 7, or [] to leave them to the NIC"))
    known = [name for name in KNOBS if name not in NEVER_ABSENT]
    unknown = [name for name in given["absent_allowed"] if name not in known]
    if unknown:
        problems.append(_say("absent_allowed", ", ".join(unknown), f"Each is one of {', '.join(known)}"))
    strangers = [name for name in given["reorder_rails"] if name not in given["rails"]]
    if strangers:
        remedy = f"Each is one of roce_qos_rails: {', '.join(given['rails'])}"
        problems.append(_say("reorder_rails", ", ".join(strangers), remedy))
    return problems
