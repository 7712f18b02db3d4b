"""The groups of hosts that playbooks address. Each host is in one of them, whatever planes it is on."""

from collections.abc import Iterable

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.kinds import Kinds
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Marks

SERVICES = "services"
"""Hosts that neither have GPUs nor serve data: logins, interfaces of applications, notebooks."""
PLANNED = "planned"
"""Hosts of the design that the lab has no machine for. No playbook addresses them."""


def playbook_groups(among: Kinds) -> tuple[str, ...]:
    """All groups that playbooks address; those of GPU hosts and of servers are called like their kind of plane."""
    return (*(name for name, kind in among.planes.items() if kind.joins_gpus or kind.has_transport), SERVICES)


def playbook_group_of(demands: Iterable[Demand], among: Kinds, marks: Marks) -> dict[str, str]:
    """Group of hosts -> the group of playbooks that brings it up.

    Raises IntentError for groups that have the name of one of the latter, and belong to another.
    """
    of_group: dict[str, list[Demand]] = {}
    for demand in (each for each in demands if not each.is_of_machines):
        of_group.setdefault(demand.group, []).append(demand)
    found = {group: _group(group, on, among) for group, on in of_group.items()}
    kept = {name: name for name in (*playbook_groups(among), PLANNED)}
    findings = [
        Finding(("hosts", group), _what(group, into), f"any name but {', '.join(kept)}", group)
        for group, into in found.items()
        if kept.get(group, into) != into
    ]
    if findings:
        raise IntentError(marks.problems(findings))
    return found


def _what(group: str, into: str) -> str:
    return f"playbooks address other hosts as {group}; these are among {into}"


def _group(group: str, on: list[Demand], among: Kinds) -> str:
    """That of GPU hosts goes first; then a plane that the group serves, or may serve as none is said to."""
    kinds = {demand.kind: among.planes[demand.kind] for demand in on}
    of_gpus = [name for name, kind in kinds.items() if kind.joins_gpus]
    serving = [demand.kind for demand in on if group in demand.plane.servers]
    may_serve = all(kinds[demand.kind].has_transport and not demand.plane.servers for demand in on)
    return next(iter((*of_gpus, *serving, *(kinds if may_serve else ()))), SERVICES)
