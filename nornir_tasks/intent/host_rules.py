"""Rules of the hosts as machines: every rail has one NIC port, every port and interface serves one purpose."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nornir_tasks.intent.findings import Finding, Path
from nornir_tasks.intent.unknown import independent

if TYPE_CHECKING:
    from nornir_tasks.intent import model

_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_RAIL_NAME = re.compile(r"rail\d+")


def groups(intent: "model.Intent") -> Iterator[Finding]:
    """Each group is one that a plane cables, and is complete."""
    for name, group in intent.hosts.items():
        yield from independent(
            _group(("hosts", name), group, intent), _interfaces(("hosts", name, "interfaces"), group)
        )


def _group(path: Path, group: "model.HostGroupIntent", intent: "model.Intent") -> Iterator[Finding]:
    hosts, name = intent.planes.compute.hosts, path[-1]
    if name != hosts.group:
        yield Finding(path, "no plane cables this group of hosts", hosts.group, str(name))
        return
    rules = (_all_rails(path, group, hosts), _twice((*path, "rails"), group.rails))
    yield from independent(*rules, _exceptions((*path, "exceptions"), group, hosts))


def _all_rails(path: Path, group: "model.HostGroupIntent", hosts: "model.HostsIntent") -> Iterator[Finding]:
    if len(group.rails) != hosts.rails:
        expected = f"one place for each of the {hosts.rails} rails (planes.compute.hosts.rails)"
        yield Finding((*path, "rails"), "not as many NIC ports as rails", expected, str(len(group.rails)))


def _twice(path: Path, places: tuple[str, ...]) -> Iterator[Finding]:
    for rail, place in enumerate(places):
        if place in places[:rail]:
            first = places.index(place)
            yield Finding((*path, rail), f"{place} serves two rails", "each port one rail", f"rail {first} as well")


def _exceptions(path: Path, group: "model.HostGroupIntent", hosts: "model.HostsIntent") -> Iterator[Finding]:
    for host, places in group.exceptions.items():
        stem, _, number = host.rpartition("-")
        if stem != hosts.group or not _NUMBER.fullmatch(number) or not 1 <= int(number) <= hosts.max:
            yield Finding((*path, host), "no such host", f"{hosts.group}-1 to {hosts.group}-{hosts.max}", host)
        for rail in places:
            if not 0 <= rail < hosts.rails:
                yield Finding((*path, host, str(rail)), "no such rail", f"0-{hosts.rails - 1}", str(rail))
        if len(set(group.rails)) == len(group.rails):
            all_places = tuple(places.get(rail, place) for rail, place in enumerate(group.rails))
            for finding in _twice((), all_places):
                yield Finding((*path, host), finding.what, finding.expected, finding.found)


def _interfaces(path: Path, group: "model.HostGroupIntent") -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for plane, names in group.interfaces.items():
        if plane == "compute":
            hint = "say under rails where its ports are"
            yield Finding((*path, plane), "the compute plane's interfaces are the rails", "another plane", plane, hint)
        for position, name in enumerate(names):
            at = (*path, plane, position)
            if _RAIL_NAME.fullmatch(name):
                yield Finding(at, "rails are named so", "an interface that is not a rail", name)
            if name in seen:
                yield Finding(at, f"{name} is on two planes", "each interface on one", f"also on {seen[name]}")
            seen.setdefault(name, plane)
