"""The place of each device, as the intent declares it. An undeclared place stays empty and is never guessed."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.places import Place
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Marks

Racks = Mapping[str, Mapping[str, str]]
"""Rack -> rack unit -> switch or host."""


def places(racks: Racks) -> Mapping[str, Place]:
    """Device -> its place; devices without a declared place are left out."""
    return {device: Place(rack, int(unit)) for rack, units in racks.items() for unit, device in units.items()}


def check_racks(demands: Sequence[Demand], devices: Collection[str], hosts: Collection[str], marks: Marks) -> None:
    """Raise IntentError for every device in a rack that is not in the site, ``hosts.max`` included."""
    racks, above = demands[0].fabric.racks, demands[0].on_fabric("racks")
    later = {f"{each.group}-{index}" for each in demands for index in range(1, each.hosts.max + 1)} if racks else ()
    attached = (name for each in demands if each.attached for name in each.attached.names)
    known = {*devices, *hosts, *later, *attached}
    findings = list(_unknown(racks, known, sorted(devices)))
    if findings:
        raise IntentError(marks.problems(findings, above))


def _unknown(racks: Racks, known: Collection[str], switches: list[str]) -> Iterator[Finding]:
    for rack, units in racks.items():
        for unit, device in units.items():
            if device not in known:
                names = f"a switch ({switches[0]} to {switches[-1]}) or a host of the design"
                yield Finding(
                    (rack, unit), "no such device", names, device, "without it, `nornir design` lists the names"
                )
