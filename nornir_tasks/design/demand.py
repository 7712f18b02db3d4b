"""The input for one fabric: its intent, that of the plane on it, and of the plane's hosts.

The steps of the design take such a demand, never the whole intent. At present the layout of a fabric supports one plane
and one group of hosts; others are refused with their place in the file.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from nornir_tasks.errors import IntentError
from nornir_tasks.intent.fabric_model import FabricIntent
from nornir_tasks.intent.findings import Finding, Path, dotted
from nornir_tasks.intent.host_model import HostGroupIntent, NicsIntent
from nornir_tasks.intent.model import Intent
from nornir_tasks.intent.plane_model import PlaneIntent
from nornir_tasks.intent.terms import Terms
from nornir_tasks.intent.unknown import UnknownValueError, independent


@dataclass(frozen=True, slots=True)
class Demand:
    """One fabric, one plane on it, one group of hosts on that."""

    fabric_name: str
    fabric: FabricIntent
    plane_name: str
    plane: PlaneIntent
    kind: str
    """The file of ``design/planes/`` that makes the plane's contributions."""
    group: str
    """The prefix of the hosts' names."""
    hosts: HostGroupIntent
    nics: NicsIntent
    terms: Terms
    sharers: int
    """Planes more that use the same NIC ports, each with a tag."""
    """The values that apply, from policy, fabric and plane."""

    def on_fabric(self, *path: str | int) -> Path:
        """A place in the fabric's part of the intent."""
        return ("fabrics", self.fabric_name, *path)

    def on_plane(self, *path: str | int) -> Path:
        """A place in the plane's part of the intent."""
        return ("planes", self.plane_name, *path)

    def on_hosts(self, *path: str | int) -> Path:
        """A place in the host group's part of the intent."""
        return ("hosts", self.group, *path)

    @property
    def most(self) -> str:
        """The place of the number of hosts that the fabric is laid out for, for messages."""
        return dotted(self.on_hosts("max"))

    def on_nics(self, *path: str | int) -> Path:
        """A place in the part about the hosts' NICs on the plane."""
        return self.on_hosts("nics", self.plane_name, *path)


def demands(intent: Intent, kinds: Collection[str]) -> tuple[Demand, ...]:
    """One for each fabric, in the order of the file. ``kinds``: of planes, those that there are.

    Raises IntentError for an unknown kind of plane, DesignError for what the layout does not support yet.
    """
    unknown = list(independent(_unknown_kinds(intent, kinds)))
    if unknown:
        raise IntentError(intent.marks.problems(unknown))
    return tuple(each for name in intent.fabrics for each in _on_fabric(intent, name))


def _on_fabric(intent: Intent, name: str) -> Iterator[Demand]:
    fabric = intent.fabrics[name]
    on_it = [(plane_name, plane) for plane_name, plane in intent.planes.items() if plane.fabric == name]
    there = [
        Demand(name, fabric, plane_name, plane, kind_of(plane_name, plane), group, hosts, nics, terms, sharers)
        for plane_name, plane in on_it
        for group, hosts in intent.hosts.items()
        if plane_name in hosts.nics
        for nics in (hosts.nics[plane_name],)
        for terms in (Terms(intent.policy, name, fabric, plane_name, plane),)
        for sharers in (sum(each.ports_of == plane_name for each in hosts.nics.values()),)
    ]
    if not there:
        raise UnknownValueError  # never in an intent without mistakes
    yield from there


def kind_of(name: str, plane: PlaneIntent) -> str:
    """The plane's kind: as declared, else its name."""
    return name if plane.kind is None else plane.kind


def _unknown_kinds(intent: Intent, kinds: Collection[str]) -> Iterator[Finding]:
    known = sorted(kinds)
    for name, plane in intent.planes.items():
        kind = kind_of(name, plane)
        if kind not in known:
            close = get_close_matches(kind, known, n=1)
            hint = f"did you mean {close[0]}?" if close else ""
            what = (
                "no such kind of plane"
                if plane.kind is not None
                else "no kind of plane has this name: declare its kind"
            )
            yield Finding(("planes", name, "kind"), what, f"one of {', '.join(known)}", kind, hint)
