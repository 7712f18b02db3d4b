"""show spanning-tree in its other forms, and the VLANs that a switch allocates itself.

JSON keys: tests/recorded/eos_show/front_states.txt. A port's state is what trees.py has, forwarding, unless a test
seeded another one (``stpState``). A port that came up has changed once.
"""

from __future__ import annotations

from typing import Any

from ...trees import trees
from ..extract import active_vlans, numbers
from ..view import View
from .trees import instance_bridge, switched_ports

_MODES = {"mstp": "mstp", "rstp": "rstp", "rapid-pvst": "rapidPvst"}
_FIRST_INTERNAL, _LAST_INTERNAL = 1006, 4094
"""Default of ``vlan internal order`` (um-eos, VLANs)."""


def mode(view: View) -> str | None:
    """The protocol in EOS's word of answers; None where there is none."""
    line = view.tree.first("spanning-tree mode")
    return _MODES.get(line.words.split()[-1]) if line is not None and not line.negated else "mstp"


def _without_tree(view: View) -> frozenset[int]:
    """The VLANs that have no spanning tree."""
    lines = [each for each in view.tree.find("no spanning-tree vlan-id") if each.negated]
    return frozenset(number for line in lines for number in numbers(line.params["vlans"]))


def _states(view: View) -> dict[str, str]:
    return {name: view.word("stpState", name) or "forwarding" for name in switched_ports(view)}


def vlan_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree vlan N``."""
    found = {str(n): _instance(view, n) for n in numbers(params["vlans"]) if n in active_vlans(view.tree)}
    return {"spanningTreeVlanInstances": {vlan: each for vlan, each in found.items() if each}}


def vlans_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree vlan detail``: a VLAN without a tree is empty."""
    return {"spanningTreeVlanInstances": {str(n): _instance(view, n) for n in sorted(active_vlans(view.tree))}}


def _instance(view: View, vlan: int) -> dict[str, Any]:
    protocol = mode(view)
    if protocol is None or vlan in _without_tree(view):
        return {}
    found: dict[str, Any] = {"protocol": protocol}
    for tree in trees(view.fabric, view.device.name):
        found["bridge"] = instance_bridge(tree.own)
    return {"spanningTreeVlanInstance": found}


def blocked_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree blockedports``: instances that have such ports."""
    blocked = [name for name, state in _states(view).items() if state != "forwarding"]
    names = [each.lines.name for each in trees(view.fabric, view.device.name)]
    return {"spanningTreeInstances": {name: {"spanningTreeBlockedPorts": blocked} for name in names} if blocked else {}}


def counters_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree counters``."""
    kinds = ("bpduTaggedError", "bpduOtherError")
    return {
        "interfaces": {
            name: {
                **dict.fromkeys(("bpduSent", "bpduReceived", "bpduRateLimitCount"), 0),
                **{kind: view.counter(kind, name) for kind in kinds},
            }
            for name in switched_ports(view)
        }
    }


def topology_json(view: View, params: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree topology [vlan N] status [detail]``; ``Cist`` is instance 0 of MSTP."""
    wanted = frozenset(numbers(params["vlans"])) if "vlans" in params else active_vlans(view.tree)
    vlans = sorted((wanted & active_vlans(view.tree)) - _without_tree(view))
    if mode(view) is None or ("vlans" in params and not vlans):
        return {"unmappedVlans": [], "topologies": {}}
    ports = {name: _status(view, name, state, params) for name, state in _states(view).items()}
    found = {"Cist": {"vlans": vlans, "interfaces": ports}}
    if "vlans" not in params:
        routed = (each.name for each in view.state.interfaces if each.is_routed and each.name.startswith("Ethernet"))
        up = [name for name in routed if view.fabric.is_up(view.device.name, name)]
        found["NoStp"] = {"vlans": [], "interfaces": {each: _status(view, each, "forwarding", params) for each in up}}
    return {"unmappedVlans": [], "topologies": found}


def _status(view: View, name: str, state: str, params: dict[str, str]) -> dict[str, Any]:
    if "detail" not in params:
        return {"state": state}
    changes = 1 + view.counter("topologyChanges", name)
    return {"state": state, "numChanges": changes, "lastChange": view.timestamp(view.booted_s)}


def root_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show spanning-tree root detail``."""
    found = trees(view.fabric, view.device.name)
    return {"instances": {each.lines.name: {"rootBridge": instance_bridge(each.root)} for each in found}}


# -- VLANs of the switch's own ------------------------------------------------------------------------------------


def internal_policy_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show vlan internal allocation policy``."""
    line = view.tree.first("vlan internal order")
    if line is None or line.negated:
        return {"policy": "ascending", "startVlanId": _FIRST_INTERNAL, "endVlanId": _LAST_INTERNAL}
    first, last = int(line.params["first"]), int(line.params["last"])
    return {"policy": line.words.split()[3], "startVlanId": first, "endVlanId": last}


def dynamic_vlans_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show vlan dynamic``: sources that have made VLANs; nothing in the lab makes any."""
    made = view.word("dynamicVlans").split()
    return {"dynamicVlans": {made[0]: {"vlanIds": [int(vlan) for vlan in made[1:]]}} if made else {}}
