"""What one fabric is to be: its intent, that of the plane which rides on it, and of the hosts on that.

The steps of the design take such a demand, never the whole intent. As yet the layout has room for one fabric with one
plane and one group of hosts; whatever comes beside them is refused by its place.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from nornir_tasks.errors import DesignError, IntentError
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
    """Which file of ``design/planes/`` says what the plane wants of a switch."""
    group: str
    """Hosts are called after it."""
    hosts: HostGroupIntent
    nics: NicsIntent
    terms: Terms
    """What the policy leaves to fabric and plane, and they to it."""

    def on_fabric(self, *path: str | int) -> Path:
        """A place in what is said of the fabric."""
        return ("fabrics", self.fabric_name, *path)

    def on_plane(self, *path: str | int) -> Path:
        """A place in what is said of the plane."""
        return ("planes", self.plane_name, *path)

    def on_hosts(self, *path: str | int) -> Path:
        """A place in what is said of the hosts."""
        return ("hosts", self.group, *path)

    @property
    def most(self) -> str:
        """Where it stands for how many hosts the fabric is laid out, for messages."""
        return dotted(self.on_hosts("max"))

    def on_nics(self, *path: str | int) -> Path:
        """A place in what is said of the hosts' NICs on the plane."""
        return self.on_hosts("nics", self.plane_name, *path)


def demands(intent: Intent, kinds: Collection[str]) -> tuple[Demand, ...]:
    """One for each fabric, in the order of the file. ``kinds``: of planes, those that there are.

    Raises IntentError for a kind of plane that nobody knows, DesignError for what the layout has no room for yet.
    """
    unknown = list(independent(_unknown_kinds(intent, kinds)))
    if unknown:
        raise IntentError(intent.marks.problems(unknown))
    more = list(independent(_one_of(intent.fabrics, "fabric"), _one_of(intent.planes, "plane"), _one_group(intent)))
    if more:
        raise DesignError(intent.marks.problems(more))
    return tuple(_demand(intent, name) for name in intent.fabrics)


def _demand(intent: Intent, name: str) -> Demand:
    fabric = intent.fabrics[name]
    plane_name, plane = next(iter(intent.planes.items()), ("", None))
    group, hosts = next(iter(intent.hosts.items()), ("", None))
    if plane is None or hosts is None or plane_name not in hosts.nics or plane.fabric != name:
        raise UnknownValueError  # never in an intent without mistakes
    terms = Terms(intent.policy, name, fabric, plane_name, plane)
    kind, nics = kind_of(plane_name, plane), hosts.nics[plane_name]
    return Demand(name, fabric, plane_name, plane, kind, group, hosts, nics, terms)


def kind_of(name: str, plane: PlaneIntent) -> str:
    """The plane's kind: as declared, else as it is called."""
    return name if plane.kind is None else plane.kind


def _unknown_kinds(intent: Intent, kinds: Collection[str]) -> Iterator[Finding]:
    known = sorted(kinds)
    for name, plane in intent.planes.items():
        kind = kind_of(name, plane)
        if kind not in known:
            close = get_close_matches(kind, known, n=1)
            hint = f"did you mean {close[0]}?" if close else ""
            what = "no such kind of plane" if plane.kind is not None else "no kind of plane is called so: say its kind"
            yield Finding(("planes", name, "kind"), what, f"one of {', '.join(known)}", kind, hint)


def _one_of(parts: dict[str, FabricIntent] | dict[str, PlaneIntent], what: str) -> Iterator[Finding]:
    first = next(iter(parts), "")
    for name in list(parts)[1:]:
        expected = f"{what} {first} alone, for now"
        yield Finding((f"{what}s", name), f"a second {what} is not built yet", expected, name, also=(f"{what}s", first))


def _one_group(intent: Intent) -> Iterator[Finding]:
    first = next(iter(intent.hosts), "")
    for name in list(intent.hosts)[1:]:
        what, expected = "a second group of hosts is not built yet", f"group {first} alone, for now"
        yield Finding(("hosts", name), what, expected, name, also=("hosts", first))
