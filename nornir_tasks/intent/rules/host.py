"""Rules of the hosts: their names are their own, and each NIC port and interface serves one purpose."""

import re
from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.site import Intent

SWITCH_NAMES = ("leaf", "spine", "core")

ANSIBLE_NAMES = ("all", "ungrouped", "localhost")
"""What Ansible itself calls so; a group of hosts of that name would be another one."""

_NUMBER = re.compile(r"[1-9][0-9]{0,5}")


def group(each: HostGroupIntent) -> Iterator[Finding]:
    """Growth is inside the declared maximum."""
    if each.count > each.max:
        yield Finding(("max",), "fewer hosts at most than there are now", f"at least {each.count}", str(each.max))


def groups(intent: Intent) -> Iterator[Finding]:
    """Each group has a name of its own, and NICs on planes that are there."""
    if not intent.hosts:
        yield Finding(("hosts",), "no hosts at all", "a group, as gpu: {count: 4, max: 4, nics: {...}}")
    for name, each in intent.hosts.items():
        yield from independent(_group(name, each, intent))


def _group(name: str, each: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    above: Path = ("hosts", name)
    yield from independent(
        _name(above, name),
        _name_of_switch(above, name, intent),
        _name_of_host(above, name, intent),
        _port_names((*above, "nics"), each),
        _some_nics(above, each, intent),
        _ports(above, each),
        _interfaces((*above, "interfaces"), each, intent),
        *(_places((*above, "nics", plane), nics, name, each) for plane, nics in each.nics.items()),
    )


def _name(path: Path, name: str) -> Iterator[Finding]:
    if name in SWITCH_NAMES:
        yield Finding(path, "hosts would be named like switches", f"any name but {', '.join(SWITCH_NAMES)}", name)
    if name in ANSIBLE_NAMES:
        yield Finding(path, "a name that Ansible keeps", f"any name but {', '.join(ANSIBLE_NAMES)}", name)


def _name_of_switch(path: Path, name: str, intent: Intent) -> Iterator[Finding]:
    """A fabric's switches begin with its prefix, the hosts of a group with the group's name."""
    for fabric, each in intent.fabrics.items():
        if each.name_prefix is not None and name in (each.switch_name(role) for role in SWITCH_NAMES):
            prefix: Path = ("fabrics", fabric, "name_prefix")
            what, expected = "hosts would be named like switches", "another name"
            yield Finding(path, what, expected, name, also=prefix)


def _name_of_host(path: Path, name: str, intent: Intent) -> Iterator[Finding]:
    """A group is a group of Ansible's, and a host a host."""
    stem, _, number = name.rpartition("-")
    if stem in intent.hosts and _NUMBER.fullmatch(number):
        yield Finding(path, f"called like a host of group {stem}", "another name", name, also=("hosts", stem))


def _port_names(above: Path, each: HostGroupIntent) -> Iterator[Finding]:
    """What a host calls a port says which plane and rail it is."""
    seen: dict[str, str] = {}
    for plane, nics in ((plane, nics) for plane, nics in each.nics.items() if nics.ports_of is None):
        before = seen.setdefault(nics.port_names, plane)
        if before != plane:
            what = f"ports would be called like those on plane {before}"
            expected = "port_names, other than there"
            also = (*above, before, "port_names")
            yield Finding((*above, plane, "port_names"), what, expected, nics.port_names, also=also)


def _some_nics(above: Path, each: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    if not each.nics:
        expected = "nics: {<plane>: {rails: ..., speed: ...}}"
        yield Finding(above, "hosts without a NIC on any plane", expected)
    for plane in each.nics:
        if plane not in intent.planes:
            known = as_shown(", ".join(intent.planes))
            yield Finding((*above, "nics", plane), "no such plane", known, plane)


def _places(path: Path, nics: NicsIntent, name: str, each: HostGroupIntent) -> Iterator[Finding]:
    yield from independent(_all_rails(path, nics), _exceptions((*path, "exceptions"), nics, name, each.max))


def _all_rails(path: Path, nics: NicsIntent) -> Iterator[Finding]:
    if nics.at is None or len(nics.at) == nics.port_count:
        return
    expected, what = f"one place for each of the {nics.rails} rails", "not as many NIC ports as rails"
    if nics.copies is not None:
        expected = f"one place for each of the {nics.port_count} ports of {nics.rails} NICs with copies: {nics.copies}"
        what = "not as many places as NIC ports"
    yield Finding((*path, "at"), what, expected, str(len(nics.at)))


def _ports(above: Path, each: HostGroupIntent) -> Iterator[Finding]:
    """Each NIC port is one rail of one plane."""
    seen: dict[str, tuple[Path, str]] = {}
    for plane, nics in each.nics.items():
        for number, place in enumerate(nics.at or ()):
            path = (*above, "nics", plane, "at", number)
            if place not in seen:
                seen[place] = (path, f"{_served(nics, number)} of {plane}")
                continue
            before, what = seen[place]
            shared = "a plane may share the ports of another by ports_of, with a tag that tells them apart"
            hint = shared if before[3] != plane else ""
            twice = f"{place} serves two rails" if nics.copies is None else f"{place} is two ports"
            yield Finding(path, twice, "each port one rail", f"{what} as well", hint, also=before)
    yield from _exceptional_ports(above, each)


def _served(nics: NicsIntent, number: int) -> str:
    """What the port with this place in ``at`` is."""
    rail, copy = divmod(number, nics.ports)
    return f"rail {rail}" if nics.copies is None else f"rail {rail} on copy {copy + 1}"


def _exceptional_ports(above: Path, each: HostGroupIntent) -> Iterator[Finding]:
    """The same for hosts whose NICs are elsewhere: two planes there do not have one port either."""
    for host in dict.fromkeys(host for nics in each.nics.values() for host in nics.exceptions):
        seen: dict[str, tuple[str, int]] = {}
        for plane, nics in each.nics.items():
            own = nics.exceptions.get(host, {})
            for rail, place in enumerate(nics.at or ()):
                other, number = seen.setdefault(own.get(rail, place), (plane, rail))
                usual = (each.nics[other].at or ())[number] == place
                if other != plane and not usual:
                    what, found = (
                        f"{own.get(rail, place)} serves two rails of {host}",
                        f"rail {number} of {other} as well",
                    )
                    path = (*above, "nics", plane, *(("exceptions", host) if rail in own else ("at", rail)))
                    also = (*above, "nics", other)
                    yield Finding(path, what, "each port one rail", found, also=also)


def _exceptions(path: Path, nics: NicsIntent, group: str, most: int) -> Iterator[Finding]:
    for host, places in nics.exceptions.items():
        stem, _, number = host.rpartition("-")
        if stem != group or not _NUMBER.fullmatch(number) or not 1 <= int(number) <= most:
            yield Finding((*path, host), "no such host", f"{group}-1 to {group}-{most}", host)
        for rail in places:
            if not 0 <= rail < nics.rails:
                yield Finding((*path, host, str(rail)), "no such rail", f"0-{nics.rails - 1}", str(rail))
        usual = nics.at or ()
        if len(set(usual)) == len(usual):
            yield from _twice((*path, host), tuple(places.get(rail, place) for rail, place in enumerate(usual)))


def _twice(path: Path, places: tuple[str, ...]) -> Iterator[Finding]:
    for rail, place in enumerate(places):
        if place in places[:rail]:
            first = places.index(place)
            yield Finding(path, f"{place} serves two rails", "each port one rail", f"rail {first} as well")


def _interfaces(path: Path, each: HostGroupIntent, intent: Intent) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    stems = "|".join(f"{nics.port_names}" for nics in each.nics.values())
    for plane, names in each.interfaces.items():
        if plane in intent.planes:
            hint = f"say under nics.{plane} where its ports are"
            what = f"the interfaces of plane {plane} are its NIC ports"
            yield Finding((*path, plane), what, "a plane that is not described", plane, hint)
        for position, name in enumerate(names):
            at = (*path, plane, position)
            if re.fullmatch(rf"({stems})\d+(c\d)?", name):
                yield Finding(at, "rails are named so", "an interface that is not a rail", name)
            if name in seen:
                yield Finding(at, f"{name} is on two planes", "each interface on one", f"also on {seen[name]}")
            seen.setdefault(name, plane)
