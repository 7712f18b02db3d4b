"""RoCE: every knob of each rail has the policy's value, as read back from the kernel, the driver and the firmware.

The effect of a value on the wire (pause frames, marks, buffers) cannot be checked on a host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob, ShownOn

FACT = "gpufabric_roce"
CODE_POINTS, PRIORITIES = 64, 8
ROCE_MTUS = (4096, 2048, 1024, 512, 256)
ROCE_OVERHEAD_BYTES = 96
"""GRH, UDP, BTH, XRC and atomic headers and ICRC, as the kernel calculates them (Linux include/rdma/ib_addr.h,
iboe_get_mtu)."""
RDMA_KNOBS = ("rdma_cm_mode", "rdma_cm_tos", "traffic_class", "active_mtu")
"""Knobs that are read through the rail's RDMA device."""
SHOWN_ON = {
    **dict.fromkeys(("active_mtu", "rdma_cm_mode", "rdma_cm_tos"), ShownOn.MACHINE),
    **dict.fromkeys(("dcbx", "trust", "dscp_to_priority", "pfc", "ets", "cable_m", "buffer"), ShownOn.DRIVER),
}
"""For all other knobs: on stand-ins only."""

REORDER = "roce_qos_reorder_rails"
NEVER_ABSENT = ("reorder",)
"""Where switches balance packet by packet, a NIC that does not reorder loses most of its speed."""

VIRTUAL_FUNCTIONS = "virtual_functions"
"""No role sets the QoS of virtual functions: each has an RDMA device with a ToS and a traffic class of its own."""

IN_FIRMWARE = {
    "ecn_np": "ROCE_CC_PRIO_MASK",
    "ecn_rp": "ROCE_CC_PRIO_MASK",
    "cnp_dscp": "CNP_DSCP",
    "cnp_priority": "CNP_802P_PRIO",
}
"""Knobs that the kernel's own mlx5 leaves to the firmware, and the setting for each."""

Variables = Mapping[str, Any]
Expectation = tuple[str, Callable[[Any], str]]
"""The expected value of a knob, and the spelling of a found value."""

ABOUT = About(
    name="roce",
    each="rail and knob of the policy",
    reads=(FACT,),
    wanted="roce_qos_*, and the MTU of the rail or of the bond that it is a member of",
    passes="the value that is read back is the policy's; where only the firmware holds it, now and at its next start",
    fails="it is another one, or was never set; the interface or its RDMA device is missing; the NIC's port has more "
    "virtual functions, whose QoS is not set, than roce_qos_virtual_functions_allowed (0)",
    cannot_tell="no tool on the host shows it (as under the kernel's lockdown), or two of them contradict one another",
    skipped="Soft-RoCE has no such knob, or roce_qos_absent_allowed names it and the NIC has none",
)


def check_roce(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each rail and each knob of the policy."""
    return judge_rails(evidence, expectations_by_rail(evidence.variables))


def expectations_by_rail(variables: Variables) -> dict[str, dict[str, Expectation]]:
    """What each rail's knobs should be, from the host's variables."""
    mtus = {rail["name"]: rail["mtu_bytes"] for rail in variables.get("rail_interfaces_rails", ())}
    for bond in variables.get("bond_interfaces_bonds") or ():
        mtus |= {member["name"]: bond["mtu_bytes"] for member in bond["members"]}
    found = {rail: _expectations(variables, mtus[rail]) for rail in variables["roce_qos_rails"]}
    for rail in found.keys() & set(variables.get(REORDER, ())):
        found[rail]["reorder"] = ("on", _spell_switch)
    return found


def judge_rails(evidence: HostEvidence, wanted_by_rail: Mapping[str, Mapping[str, Expectation]]) -> list[HostFinding]:
    """One finding for each rail and each knob of which something is expected; of others nothing is said."""
    judge = Judge(ABOUT.name, evidence)
    facts, variables = evidence.facts.get(FACT), evidence.variables
    for rail, expectations in wanted_by_rail.items():
        if facts is None or rail not in facts:
            for name, (wanted, _) in expectations.items():
                why = evidence.why_unread(FACT) if facts is None else f"{rail} was not looked at"
                judge.undecided(Knob(rail, name, wanted, "ip -br link"), why)
        else:
            _judge_rail(judge, rail, expectations, facts[rail], variables)
    return judge.findings


def _expectations(variables: Variables, mtu_bytes: int) -> dict[str, Expectation]:
    """Every knob of the policy, from the variables alone."""
    own = {name.removeprefix("roce_qos_"): value for name, value in variables.items() if name.startswith("roce_qos_")}
    ecn = own["priority"] if own["ecn"] else None
    paused = next((each["priority"] for each in own["classes"] if each["lossless"]), None)
    expectations: dict[str, Expectation] = {
        "dcbx": ("os", str),
        "trust": ("dscp", str),
        "dscp_to_priority": (_spell_table(_table(own["classes"])), _spell_table),
        "pfc": (_spell_priorities(_only(paused)), _spell_priorities),
        "ets": (_spell_ets(own["classes"]), lambda found: _spell_found_ets(own["classes"], found)),
        "pause_rx": ("off", _spell_switch),
        "pause_tx": ("off", _spell_switch),
        "rdma_cm_mode": ("RoCE v2", str),
        "rdma_cm_tos": (str(own["traffic_class"]), str),
        "traffic_class": (str(own["traffic_class"]), str),
        "ecn_np": (_spell_priorities(_only(ecn)), _spell_priorities),
        "ecn_rp": (_spell_priorities(_only(ecn)), _spell_priorities),
        "active_mtu": (str(roce_mtu(mtu_bytes)), str),
        VIRTUAL_FUNCTIONS: (f"at most {own['virtual_functions_allowed']}", str),
    }
    if own["ecn"]:
        expectations["cnp_dscp"] = (str(own["cnp_dscp"]), str)
        expectations["cnp_priority"] = (str(own["cnp_priority"]), str)
    if own["cable_m"] is not None:
        expectations["cable_m"] = (str(own["cable_m"]), str)
    sizes = {key: own[key] for key in ("buffer_bytes", "priority_buffer") if own.get(key)}
    if sizes:
        expectations["buffer"] = (_spell_buffer(sizes, sizes), lambda found: _spell_buffer(sizes, found))
    return expectations


def _judge_rail(
    judge: Judge, rail: str, expectations: Mapping[str, Expectation], facts: Mapping[str, Any], variables: Variables
) -> None:
    for name, (wanted, spelt) in expectations.items():
        knob = Knob(rail, name, wanted, facts["shown_by"].get(name, ""), SHOWN_ON.get(name, ShownOn.STAND_IN))
        found, reason = facts.get(name), facts["reason"].get(name, "")
        if facts["netdev"] is None:
            judge.decide(knob, False, f"no interface {rail}", why="the role rail_interfaces names it")
        elif name in RDMA_KNOBS and facts["rdma_device"] is None:
            judge.decide(knob, False, "no RDMA device", why="the role rdma_stack loads its driver")
        elif facts["source"].get(name) == "absent":
            _judge_absent(judge, knob, reason, variables)
        elif facts["source"].get(name) == "firmware":
            _judge_in_firmware(judge, knob, facts["firmware"]["settings"][IN_FIRMWARE[name]], variables)
        elif found is not None and name == VIRTUAL_FUNCTIONS:
            _judge_virtual_functions(judge, knob, found, variables)
        elif found is not None:
            judge.decide(knob, spelt(found) == wanted, spelt(found))
        elif facts["source"].get(name) in (None, "unreadable", "conflict"):
            judge.undecided(knob, reason or "the host does not show it")
        else:
            judge.decide(knob, False, "never set", why=reason)


def _judge_virtual_functions(judge: Judge, knob: Knob, found: int, variables: Variables) -> None:
    remove = f"echo 0 > /sys/class/net/{knob.subject}/device/sriov_numvfs"
    remedy = f"remove them ({remove}), or set their QoS otherwise and raise roce_qos_virtual_functions_allowed"
    why = f"no role sets the QoS of virtual functions: {remedy}"
    judge.decide(knob, found <= variables["roce_qos_virtual_functions_allowed"], found, why=why)


def _judge_in_firmware(judge: Judge, knob: Knob, setting: Mapping[str, int], variables: Variables) -> None:
    """Judge a knob that only the firmware has: its value now and at the NIC's next start.

    For DCQCN's mask it is enough that it includes the lossless priority: the switches mark no other.
    """
    now, later = (_in_firmware(knob, setting[when], variables) for when in ("current", "next_boot"))
    found = now[1] if now == later else f"{now[1]}, and at the NIC's next start {later[1]}"
    judge.decide(knob, now[0] and later[0], found, why="nic_firmware_policy: true has role nic_firmware set it")


def _in_firmware(knob: Knob, number: int, variables: Variables) -> tuple[bool, str]:
    """Is this number as wanted, and how is it spelt?"""
    if not knob.name.startswith("ecn_"):
        return str(number) == knob.wanted, str(number)
    on = [bool(number >> priority & 1) for priority in range(PRIORITIES)]
    good = on[variables["roce_qos_priority"]] if variables["roce_qos_ecn"] else not any(on)
    return good, _spell_priorities(on)


def _judge_absent(judge: Judge, knob: Knob, reason: str, variables: Variables) -> None:
    """Soft-RoCE lacks many of a ConnectX's knobs. A ConnectX may lack only those that the site allows by name."""
    if variables["rdma_stack_provider"] == "rxe":
        judge.skip(knob, f"Soft-RoCE: {reason}")
    elif knob.name in NEVER_ABSENT:
        judge.decide(knob, False, "no such knob", why=reason)
    elif knob.name in variables.get("roce_qos_absent_allowed", ()):
        judge.skip(knob, f"allowed to be absent: {reason}")
    else:
        judge.decide(knob, False, "no such knob", why=f"{reason}; roce_qos_absent_allowed does not name it")


def roce_mtu(mtu_bytes: int) -> int:
    """The largest RoCE payload that fits an interface's MTU; 0 if none does."""
    return next((size for size in ROCE_MTUS if size <= mtu_bytes - ROCE_OVERHEAD_BYTES), 0)


def _table(classes: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Code point -> priority."""
    priorities = {point: each["priority"] for each in classes for point in each["dscp"]}
    return [priorities.get(point) for point in range(CODE_POINTS)]


def _spell_table(table: Sequence[int | None]) -> str:
    """``0: 0-25 27-47 49-63, 3: 26, 6: 48``, so that a difference of one code point is visible."""
    points: dict[int | None, list[int]] = {}
    for point, priority in enumerate(table):
        points.setdefault(priority, []).append(point)
    listed = sorted(points.items(), key=lambda each: PRIORITIES if each[0] is None else each[0])
    return ", ".join(f"{'no entry' if key is None else key}: {_ranges(code_points)}" for key, code_points in listed)


def _ranges(points: Sequence[int]) -> str:
    words: list[str] = []
    start = points[0]
    for point, after in zip(points, [*points[1:], None], strict=True):
        if after != point + 1:
            words.append(str(point) if start == point else f"{start}-{point}")
            start = after if after is not None else point
    return " ".join(words)


def _only(priority: int | None) -> list[bool]:
    return [each == priority for each in range(PRIORITIES)]


def _spell_priorities(enabled: Sequence[bool]) -> str:
    found = [str(priority) for priority, on in enumerate(enabled) if on]
    return f"on for {' '.join(found)}" if found else "off"


def _spell_switch(on: object) -> str:
    return "on" if on else "off"


def _spell_ets(classes: Sequence[Mapping[str, Any]]) -> str:
    """Each class with its scheduling; the number of its traffic class in the NIC does not matter."""
    words = []
    for each in sorted(classes, key=lambda one: one["priority"]):
        how = "strict" if each["strict"] else f"{each['weight_percent']} %"
        words.append(f"priority {each['priority']} {how}")
    return ", ".join(words)


def _spell_found_ets(classes: Sequence[Mapping[str, Any]], found: Mapping[str, Sequence[Any]]) -> str:
    """The same for the found values; priorities that share a traffic class are named."""
    own = sorted(each["priority"] for each in classes)
    words = []
    for priority in own:
        tc = found["prio_tc"][priority]
        how = f"{found['tc_bw'][tc]} %" if found["tc_tsa"][tc] == "ets" else str(found["tc_tsa"][tc])
        shared = [str(other) for other in own if other != priority and found["prio_tc"][other] == tc]
        words.append(f"priority {priority} {how}" + (f" shared with {' '.join(shared)}" if shared else ""))
    return ", ".join(words)


def _spell_buffer(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {' '.join(str(each) for each in found[key])}" for key in wanted)
