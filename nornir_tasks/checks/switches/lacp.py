"""Link aggregation: every port that should be a member of a group is one, and the group uses it.

Whether the group itself is up is judged with the ports (``checks/switches/ports.py``), its lines, LACP's rate among
them, with the configuration; who the far end is and which rate it asks for by itself
(``checks/switches/lacp_partners.py``).
"""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import LagMember
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import GroupMember

ABOUT = About(
    name="lacp",
    each="port that should be a member of a group",
    reads=("groups.group", "groups.bundled"),
    wanted="interfaces: member",
    passes="the port is in its group, and the group uses it",
    fails="it is in another group or in none, or the group does not use it: LACP hears nothing, or another partner",
    cannot_tell="the switch shows no groups, or not whether its group uses the port",
)


def check_lacp(evidence: Evidence) -> list[Finding]:
    """One finding for each member of a group of the design."""
    findings = []
    for device, observed in evidence.observed.items():
        members = {each.port: each for each in observed.groups}
        for port in evidence.wanted[device].interfaces:
            if port.member is None:
                continue
            if not members:
                message = f"{evidence.where(device, port.name)}: the switch shows no groups"
                findings.append(Finding("lacp", device, port.name, Verdict.ERROR, message, f"in {port.member.group}"))
                continue
            findings.append(_member(evidence, device, port, port.member, members.get(port.name)))
    return findings


def _member(evidence: Evidence, device: str, port: Interface, wanted: LagMember, seen: GroupMember | None) -> Finding:
    shows = platform(evidence.wanted[device].os).observing.shows("groups.bundled")
    expected = f"bundled in {wanted.group}" if shows else f"a member of {wanted.group}"
    where, found = evidence.where(device, port.name), _spell(seen)
    return Finding("lacp", device, port.name, _verdict(wanted, seen, shows=shows), f"{where}: {found}", expected, found)


def _verdict(wanted: LagMember, seen: GroupMember | None, *, shows: bool) -> Verdict:
    if seen is None or seen.group != wanted.group or seen.bundled is False:
        return Verdict.FAIL
    return Verdict.ERROR if shows and seen.bundled is None else Verdict.PASS


def _spell(seen: GroupMember | None) -> str:
    if seen is None:
        return "in no group"
    if seen.bundled is None:
        return f"a member of {seen.group}"
    return f"bundled in {seen.group}" if seen.bundled else f"not bundled in {seen.group}: {seen.reason or 'no reason'}"
