"""The knobs of a rail under a policy: wanted values, comparison with found values, and their spelling.

Pure, standard library only (it runs on hosts, Python 3.9). Values have the shapes that roce_state reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_commands import ROCE_V2
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_policy import Policy
except ImportError:  # installed beside the service
    from roce_commands import ROCE_V2
    from roce_policy import Policy


def wanted_values(policy: Policy, rail: str) -> dict[str, Any]:
    """Knob -> value, for the knobs that this policy has on this rail."""
    always = {
        "dcbx": "os",
        "trust": "dscp",
        "dscp_to_priority": policy.dscp_to_priority,
        "pfc": policy.pfc,
        "ets": {"prio_tc": policy.ets.prio_tc, "tc_tsa": policy.ets.tc_tsa, "tc_bw": policy.ets.tc_bw},
        "pause_rx": False,
        "pause_tx": False,
        "rdma_cm_mode": ROCE_V2,
        "rdma_cm_tos": policy.traffic_class,
        "traffic_class": policy.traffic_class,
        "ecn_np": policy.ecn_enabled,
        "ecn_rp": policy.ecn_enabled,
    }
    cable = {} if policy.cable_m is None else {"cable_m": policy.cable_m}
    sizes = {"buffer_bytes": policy.buffer_bytes, "priority_buffer": policy.priority_buffer}
    buffer = {key: value for key, value in sizes.items() if value}
    marks = {"cnp_dscp": policy.cnp_dscp, "cnp_priority": policy.cnp_priority} if policy.ecn else {}
    reorder = {"reorder": True} if rail in policy.reorder_rails else {}
    return {**always, **cable, **({"buffer": buffer} if buffer else {}), **marks, **reorder}


def holds(knob: str, found: Any, wanted: Any, source: str = "") -> bool:  # noqa: ANN401 - a knob's value has its shape
    """Is the knob as wanted? For a knob with several parts, only the wanted parts count.

    If only the firmware shows the priorities on which DCQCN works (``source``), it must be on where it is wanted. Other
    priorities, which are on by default, have no effect: no switch of the policy marks their packets.
    """
    if found is None:
        return False
    if source == "firmware" and knob in ("ecn_np", "ecn_rp") and any(wanted):
        return all(on for on, needed in zip(found, wanted) if needed)  # noqa: B905 - Python 3.9
    if isinstance(wanted, dict):
        return all(_same_part(knob, key, found[key], part, wanted) for key, part in wanted.items())
    return (list(found) == list(wanted)) if isinstance(wanted, tuple) else bool(found == wanted)


def _same_part(knob: str, key: str, found: Sequence[object], part: Sequence[object], wanted: dict[str, Any]) -> bool:
    """mlnx_qos does not list a traffic class that no priority uses: its scheduling has no effect."""
    if knob != "ets" or key == "prio_tc":
        return list(found) == list(part)
    used = set(wanted["prio_tc"])
    return all(found[each] == part[each] for each in sorted(used))


def spell(knob: str, value: Any) -> str:  # noqa: ANN401 - as above
    """A knob's value in a few words, for comparison by an operator."""
    if value is None:
        return "not set"
    if knob in _SPELLERS:
        return _SPELLERS[knob](value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return f"on for {_listed(index for index, on in enumerate(value) if on)}" if any(value) else "off"
    return str(value)


def _spell_buffer(value: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {_listed(part) if isinstance(part, (list, tuple)) else part}" for key, part in value.items()
    )


def _spell_code_points(table: Sequence[int | None]) -> str:
    """The rule and its exceptions: ``26 to 3, 48 to 6, others to 0``."""
    usual = Counter(table).most_common(1)[0][0]
    words = []
    for priority in sorted(set(table), key=str):
        if priority != usual:
            points = (point for point, mapped in enumerate(table) if mapped == priority)
            words.append(f"{_listed(points)} to {priority}")
    return ", ".join([*words, f"{'others' if words else 'all'} to {usual}"]).replace("None", "none")


def _spell_ets(ets: dict[str, Sequence[Any]]) -> str:
    """Each traffic class in use with its priorities: ``tc 3 ets 60 % (priority 3)``."""
    words = []
    for tc in sorted(set(ets["prio_tc"])):
        how = f"ets {ets['tc_bw'][tc]} %" if ets["tc_tsa"][tc] == "ets" else str(ets["tc_tsa"][tc])
        priorities = (priority for priority, mapped in enumerate(ets["prio_tc"]) if mapped == tc)
        words.append(f"tc {tc} {how} (priority {_listed(priorities)})")
    return ", ".join(words)


def _listed(values: Any) -> str:  # noqa: ANN401 - any iterable
    return " ".join(str(each) for each in values)


_SPELLERS = {"dscp_to_priority": _spell_code_points, "ets": _spell_ets, "buffer": _spell_buffer}
