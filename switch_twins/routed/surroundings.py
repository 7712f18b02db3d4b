"""What a switch's interfaces depend on beside its own configuration: the other of its pair, and circles of cables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..lacp_systems import system_of
from ..spec import End
from ..state import InterfaceState, SwitchState
from ..wiring import Wiring
from .circles import Cabled, closed_ports


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Of one switch.

    mac      of its bridge
    systems  who sends LACP for each group, as a MAC address: both of a pair send as one
    closed   switched ports and groups by which frames would go in a circle
    """

    mac: str
    systems: Mapping[str, str] = field(default_factory=dict)
    closed: Collection[str] = ()


def others(states: Mapping[str, SwitchState], wiring: Wiring) -> dict[str, str]:
    """The other switch of each one's pair, at the far end of the first cable of its peer link, be that up or down."""
    found = {}
    for name, state in states.items():
        members = (each.name for each in state.interfaces if state.pair and each.group == state.pair.peer_link)
        ends = (wiring.far(End(name, port))[0] for port in members)
        far = next((end.device for end in ends if end is not None and end.device in states), None)
        if far is not None and states[far].pair is not None:
            found[name] = far
    return found


def surroundings(
    states: Mapping[str, SwitchState], interfaces: Mapping[End, InterfaceState], wiring: Wiring
) -> dict[str, Surroundings]:
    """Of each switch. ``states``: as configured, whether they have power or not: a pair does not forget who it is.

    ``interfaces``: as they are now.
    """
    pairs = others(states, wiring)
    lit = (each for each in wiring.plugged() if wiring.is_lit(each.a, interfaces))
    closed = closed_ports(Cabled(lit, interfaces, states, pairs))
    found = {}
    for name, state in states.items():
        both = "+".join(sorted((name, pairs[name]))) if name in pairs else name
        systems = {each.name: _mac(both if each.over_both else name) for each in state.interfaces if each.is_group}
        found[name] = Surroundings(_mac(name), systems, closed.get(name, frozenset()))
    return found


def _mac(system: str) -> str:
    return ":".join(system_of(system))
