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

    Raises LabError that names every plane or fabric which a routed lab cannot have.
    """
    check_routed(design, switches)
    return Place(on_request, "the fabric runs in one machine, as --machine says" if on_request else "")


def check_routed(design: SiteDesign, switches: Collection[str]) -> None:
    """Raises LabError that names every plane or fabric of these switches that needs what a routed lab has not.

    What is pushed is not translated to VRFs, VLANs and bonds of the kernel, whether it has them or not: switches would
    come up without them.
    """
    needs = _needs(design, switches)
    missing = set(lacking()) if needs else set()
    hint = "name the planes that need none of these, e.g. nornir lab up --routed --plane NAME; or without --routed"
    problems = []
    for owner, what in sorted(needs.items()):
        gone = sorted(what & missing)
        found = (
            f"this kernel has no {', no '.join(gone)}"
            if gone
            else "this kernel has them, but nothing is translated to them"
        )
        text = f"a routed lab of {owner} needs {' and '.join(sorted(what))}, which it cannot have yet"
        problems.append(Problem("--routed", text, found=found, hint=hint))
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
