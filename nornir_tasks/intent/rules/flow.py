"""Rules of flows: their ends and services are there, and nothing has the name of something else."""

from collections.abc import Iterator
from difflib import get_close_matches

from nornir_tasks.intent.core.findings import Finding, Path, as_shown
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.bonded_plane import ServiceIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import oob_devices

OUTSIDE = "outside"
"""Any address, as the end of a flow."""


def service(each: ServiceIntent) -> Iterator[Finding]:
    """A service without a port is none."""
    if not each.tcp and not each.udp:
        yield Finding((), "a service without ports", "tcp: 443, or udp: 53, or both")


def flows(intent: Intent) -> Iterator[Finding]:
    """The flows of every plane."""
    for name in intent.planes:
        yield from independent(_networks(name, intent), _flows(name, intent))


def _networks(name: str, intent: Intent) -> Iterator[Finding]:
    for key in intent.planes[name].networks:
        if key == OUTSIDE or key in intent.hosts:
            what, expected = "a network called like hosts or any address", "another name"
            yield Finding(("planes", name, "networks", key), what, expected, key)


def _flows(name: str, intent: Intent) -> Iterator[Finding]:
    plane = intent.planes[name]
    groups = [group for group, hosts in intent.hosts.items() if name in hosts.nics]
    if name in oob_devices.of_trees(intent):
        groups = [*oob_devices.names_on(plane, intent)]
    ends = [*groups, *plane.networks, OUTSIDE]
    for number, flow in enumerate(plane.flows or ()):
        path: Path = ("planes", name, "flows", number)
        for key, end in (("source", flow.source), ("destination", flow.destination)):
            if end not in ends:
                yield _unknown((*path, key), "no group of hosts on this plane, and no network", end, ends)
        for position, each in enumerate(flow.services):
            if each not in plane.services:
                yield _unknown((*path, "services", position), "no such service", each, list(plane.services))
        if {flow.source, flow.destination} <= {*plane.networks, OUTSIDE} - set(groups):
            what, expected = "a flow that no VLAN of the plane has an end of", f"one end of {', '.join(groups)}"
            yield Finding(path, what, expected, f"{flow.source} to {flow.destination}")


def _unknown(path: Path, what: str, found: str, known: list[str]) -> Finding:
    close = get_close_matches(found, known, n=1)
    hint = f"did you mean {close[0]}?" if close else ""
    return Finding(path, what, as_shown(", ".join(known)) or "one that services describes", found, hint)
