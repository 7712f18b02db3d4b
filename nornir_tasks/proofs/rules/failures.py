"""Single failures of a pair of firewalls: what each of both then has, and so what passes by it.

All shared addresses move together, with the routes that come with them (keepalived's group of all instances). So the
one that has none left must let nothing pass that may not, and by the other one all must pass that must.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary import Boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars
from nornir_tasks.proofs.rules.judge import End, Guarded, Pair, judge
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.planned import planned_routes

Routes = Mapping[Family, Sequence[Mapping[str, Any]]]


def failures(found: Boundary, states: Sequence[State]) -> Iterator[Pair]:
    """Of each single failure whether all passes that must, and nothing else: as one pair, everyone to everyone.

    ``states``: both as they are while they have the shared addresses.
    """
    known: dict[str, Guarded] = {}

    def judged(name: str, its: Sequence[tuple[str, State]]) -> Pair:
        for key, state in its:
            if key not in known:
                known[key] = judge(found, (state,))
        pairs = [each for key, _ in its for each in known[key].pairs]
        breaches = dict.fromkeys(each for pair in pairs for each in pair.breaches)
        undecided = dict.fromkeys(line for pair in pairs for line in pair.undecided)
        return Pair(End("everyone"), End(f"everyone without {name}"), tuple(breaches), tuple(undecided))

    for one, other in zip(states, reversed(states), strict=True):
        active = (f"{other.name} active", other)
        yield judged(one.name, [active])
        for port in _zones(one):
            idle = (f"{one.name} without {port}", without_port(standby(one), port))
            yield judged(f"the cable of {port} at {one.name}", [active, idle])
    for one, other in zip(states, reversed(states), strict=True):
        sync = "" if one.firewall is None else one.firewall.sync.port
        its = [(f"{one.name} active, without {sync}", without_port(one, sync))]
        its += [(f"{other.name} standby, without {sync}", without_port(standby(other), sync))]
        yield judged(f"the cable between both, {one.name} active", its)


def _zones(state: State) -> Iterator[str]:
    if state.firewall is not None:
        yield from (zone.port for zone in state.firewall.zones)


def standby(state: State) -> State:
    """The same without the shared addresses."""
    firewall: FirewallVars | None = state.firewall
    if firewall is None:
        return replace(state, has_shared=False)
    return replace(state, routes=planned_routes(firewall, has_shared=False), has_shared=False)


def without_port(state: State, port: str) -> State:
    """The same with a port without carrier: the kernel has no route by it. Its own addresses stay."""
    left: dict[Family, list[Mapping[str, Any]]] = {}
    for family, its in state.routes.items():
        left[family] = [each for each in its if each.get("dev") != port or each.get("type") == "local"]
    return replace(state, routes=left)
