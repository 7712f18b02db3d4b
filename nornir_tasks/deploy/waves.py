"""The order of a push, from the topology: a canary, then spines one by one, then rail by rail.

A spine serves all rails at once, so never two spines together; a leaf is one rail of its hosts, so leaves of one rail
may go together and no host ever loses more than one rail. A wave starts only when all of the one before is done.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """What the order depends on."""

    device: str
    tier: str
    rail: int | None
    index: int


@dataclass(frozen=True, slots=True)
class Wave:
    """Switches that are pushed at the same time."""

    name: str
    devices: tuple[str, ...]


def waves(members: Iterable[Member]) -> tuple[Wave, ...]:
    """Every device in exactly one wave."""
    left = sorted(members, key=lambda member: (member.tier != "leaf", member.rail or 0, member.index))
    if not left:
        return ()
    canary, *left = left
    order = [Wave("canary", (canary.device,))]
    order += [Wave(f"{member.tier} {member.index}", (member.device,)) for member in left if member.tier != "leaf"]
    rails: dict[int, list[str]] = {}
    for member in left:
        if member.tier == "leaf":
            rails.setdefault(member.rail or 0, []).append(member.device)
    order += [Wave(f"rail {rail}", tuple(devices)) for rail, devices in sorted(rails.items())]
    return tuple(order)
