"""Which planes of a site a routed lab can have, and where it runs."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nornir_tasks.design.links import Circuit
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.routed import lacking
from nornir_tasks.usecases.site import SiteDesign


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lab runs: in a machine of its own, or in namespaces of this one. ``line``: which machine, and why."""

    in_machine: bool
    line: str = ""


def routed_place(design: SiteDesign, switches: Collection[str], *, on_request: bool) -> Place:
    """Where a routed lab of these switches runs. ``on_request``: in a machine, whatever this kernel has.

    The machine's kernel has all that planes need. Raises LabError that names every plane or fabric for which this one
    lacks something.
    """
    check_routed(design, switches, () if on_request else None)
    return Place(on_request, "the fabric runs in one machine, as --machine says" if on_request else "")


def check_routed(design: SiteDesign, switches: Collection[str], missing: Collection[str] | None = None) -> None:
    """Raises LabError that names every plane or fabric of these switches that needs what the kernel has not.

    ``missing``: what the kernel lacks that the lab is to run on; None: this machine's, which is tried.
    """
    needs = _needs(design, switches)
    absent = set(lacking() if missing is None else missing) if needs else set()
    hint = "name the planes that need none of these, e.g. nornir lab up --routed --plane NAME; or without --routed"
    problems = []
    for owner, what in sorted(needs.items()):
        if gone := sorted(what & absent):
            text = f"a routed lab of {owner} needs {' and '.join(sorted(what))}"
            problems.append(Problem("--routed", text, found=f"this kernel has no {', no '.join(gone)}", hint=hint))
    if problems:
        raise LabError(problems)


def _needs(design: SiteDesign, switches: Collection[str]) -> dict[str, set[str]]:
    """Owner of circuits -> what its circuits at these switches need of the kernel."""
    found: dict[str, set[str]] = {}
    for circuit in design.network.circuits:
        lower = circuit.link.lower.device
        if circuit.link.upper.device in switches and (lower in switches or lower not in design.network):
            for each in _of(circuit):
                found.setdefault(circuit.owner, set()).add(each)
    return found


def _of(circuit: Circuit) -> Iterator[str]:
    use = circuit.use
    if use.vrf is not None:
        yield "VRF"
    if use.tag is not None or use.segment is not None:
        yield "VLAN"
    if use.bundle is not None:
        yield "bond"
