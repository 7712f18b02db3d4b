"""Where frames would go in a circle: switched ports that stay out of their bridges.

Switches find these by a spanning tree; here the cables are known, so nothing is sent, nor waited for. Both switches of
a pair are one, and the ports of a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..spec import Cable, End
from ..state import InterfaceState, SwitchState

Joint = tuple[str, str]
"""One port of a bridge: switch (of a pair: both), and port, group, or number of a group over both."""


@dataclass(frozen=True, slots=True)
class Cabled:
    """What is known of a lab: its cables that carry light, its switches, and each one's other of its pair."""

    cables: Iterable[Cable]
    interfaces: Mapping[End, InterfaceState]
    states: Mapping[str, SwitchState]
    others: Mapping[str, str]


def closed_ports(lab: Cabled) -> dict[str, frozenset[str]]:
    """The switched ports and groups, by switch, that would close a circle; always the same of one cabling."""
    closed: dict[str, set[str]] = {}
    above: dict[str, str] = {}
    done: set[frozenset[Joint]] = set()
    for ends in sorted(_switched(lab), key=lambda both: [str(each) for each in both]):
        joints = [_joint(lab, each) for each in ends]
        if frozenset(joints) in done and joints[0] != joints[1]:
            continue
        done.add(frozenset(joints))
        one, other = (_root(above, joint[0]) for joint in joints)
        if one != other:
            above[one] = other
            continue
        closed.setdefault(ends[1].device, set()).add(_bridge_port(lab, ends[1]))
    return {device: frozenset(ports) for device, ports in closed.items()}


def _switched(lab: Cabled) -> Iterator[tuple[End, End]]:
    """Both ends of each cable between two bridges, the peer links of pairs apart."""
    for cable in lab.cables:
        first, second = sorted((cable.a, cable.b))
        if all(_is_switched(lab, end) for end in (first, second)):
            yield first, second


def _is_switched(lab: Cabled, end: End) -> bool:
    near = lab.interfaces.get(end)
    if near is None or not near.is_admin_up or near.is_dark:
        return False
    port = lab.interfaces.get(End(end.device, near.group), near) if near.group else near
    pair = lab.states[end.device].pair
    is_peer_link = pair is not None and _bridge_port(lab, end) == pair.peer_link and end.device in lab.others
    return not port.is_routed and port.is_admin_up and not is_peer_link


def _bridge_port(lab: Cabled, end: End) -> str:
    return lab.interfaces[end].group or end.port


def _joint(lab: Cabled, end: End) -> Joint:
    name, other = _bridge_port(lab, end), lab.others.get(end.device)
    device = end.device if other is None else "+".join(sorted((end.device, other)))
    group = lab.interfaces.get(End(end.device, name))
    if group is not None and group.over_both and other is not None:
        return device, f"over both: {group.over_both}"
    return device, f"{end.device} {name}"


def _root(above: Mapping[str, str], device: str) -> str:
    while device in above:
        device = above[device]
    return device
