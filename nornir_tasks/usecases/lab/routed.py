"""Where a routed lab runs: in namespaces of this machine, or in a machine whose kernel has what its planes need."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nornir_tasks.design.model.links import Circuit
from nornir_tasks.lab.routed import lacking
from nornir_tasks.usecases.site import SiteDesign


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lab runs: in a machine of its own, or in namespaces of this one. ``line``: which machine, and why."""

    in_machine: bool
    line: str = ""


def routed_place(design: SiteDesign, switches: Collection[str], *, on_request: bool) -> Place:
    """Where a routed lab of these switches runs. ``on_request``: in a machine, whatever this kernel has.

    This kernel is tried only for what the planes of these switches need, and only by root.
    """
    if on_request:
        return Place(in_machine=True, line="the fabric runs in one machine, as --machine says")
    needs = _needs(design, switches)
    absent = set(lacking()) if needs else set()
    short = {owner: what & absent for owner, what in needs.items() if what & absent}
    if not short:
        return Place(in_machine=False)
    gone = sorted(set().union(*short.values()))
    line = f"the fabric runs in one machine: this kernel has no {', no '.join(gone)}, for {', '.join(sorted(short))}"
    return Place(in_machine=True, line=line)


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
