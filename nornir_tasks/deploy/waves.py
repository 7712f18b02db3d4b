"""The order of a push, from the topology: a canary, then spines and cores, then rail by rail.

A leaf is one rail of its hosts, so leaves of one rail may go together and no host ever loses more than one rail. A
spine serves all rails of its spine group or pod, so of each of these one goes at a time, and of all the one in the same
position: with three tiers these are the spines that share their cores, and no second path between pods is lost. Cores
go alone. A wave starts only when all of the one before is done.
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
    position: int
    """Of a spine: its place in its spine group or pod, whoever else is pushed. Of all others: as ``index``."""


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
    together: dict[str, list[str]] = {}
    for member in left:
        if member.tier != "leaf":
            together.setdefault(f"{member.tier} {member.position}", []).append(member.device)
    for member in left:
        if member.tier == "leaf":
            together.setdefault(f"rail {member.rail or 0}", []).append(member.device)
    return (
        Wave("canary", (canary.device,)),
        *(Wave(name, tuple(devices)) for name, devices in together.items()),
    )
