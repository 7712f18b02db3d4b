"""Storm control: the limits of a switched port that an OS has no line for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialPort
from nornir_tasks.errors import Problem

HINT = "leave the limit out, or give these hosts leaves of another system or release (leaf.overrides)"


@dataclass(frozen=True, slots=True)
class Gap:
    """One limit that an OS does not take."""

    field: str
    what: str
    expected: str
    wanted_pps: int


def gaps(storm: StormControl, known: Capabilities) -> Iterator[Gap]:
    """The limits that switches of this OS and release do not take."""
    facts = known.storm_control
    for each in fields(storm):
        kind, wanted_pps = each.name.removesuffix("_pps"), getattr(storm, each.name)
        if wanted_pps is None:
            continue
        if facts is None or kind not in facts.kinds:
            what = f"switches with {known.os} {known.release} have no such limit: {known.storm_control_gap}"
            yield Gap(each.name, what, "no limit", wanted_pps)
        elif not facts.min_pps <= wanted_pps <= facts.max_pps:
            what = f"a limit that switches with {known.os} {known.release} do not take"
            yield Gap(each.name, what, f"{facts.min_pps} to {facts.max_pps} a second", wanted_pps)


def problems(device: str, ports: Mapping[str, PartialPort], known: Capabilities) -> Iterator[Problem]:
    """All limits of one switch that its OS has no line for, and those of ports that are in no VLAN."""
    for name, port in ports.items():
        if port.storm is None:
            continue
        where = f"{device} {name}"
        if port.access_vlan is None and port.tagged_vlans is None:
            yield Problem(where, "storm control of a routed port", "a port in a VLAN: a router copies no broadcasts")
        for gap in gaps(port.storm, known):
            yield Problem(f"{where} {gap.field}", gap.what, gap.expected, f"{gap.wanted_pps} a second", HINT)
