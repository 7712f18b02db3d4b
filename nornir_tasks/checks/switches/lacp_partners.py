"""Partners of LACP: all members of a group lead to one system, on both switches of a pair, that asks for our rate.

That a member is in its group and used is judged by itself (``checks/switches/lacp.py``). Cumulus Linux does not show
partners.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import LacpRate
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import LacpPartner

ABOUT = About(
    name="partners",
    each="group, at each switch that has it, where its system shows partners",
    reads=("partners.system", "partners.rate"),
    wanted="interfaces: lag, member; both ends of a group have one rate",
    passes="LACP hears one system on all members, those of the other switch of a pair included, at the wanted rate",
    fails="it hears no partner, or several systems, or one that asks for another rate",
    cannot_tell="the switch does not show partners, or not their rate",
)

Group = tuple[str, str]
"""(switch, group)."""


def check_partners(evidence: Evidence) -> list[Finding]:
    """One finding for each group of the design, at each switch that has it."""
    heard = {(device, each.port): each for device, seen in evidence.observed.items() for each in seen.partners or ()}
    members = members_of(evidence)
    over_both = dict(other_groups(evidence))
    findings = []
    for device, observed in evidence.observed.items():
        config = evidence.wanted[device]
        if not platform(config.os).observing.shows("partners"):
            continue
        for port in (each for each in config.interfaces if each.lag is not None):
            own = members.get((device, port.name), ())
            theirs = members.get(over_both.get((device, port.name), ("", "")), ())
            rate = _rate(evidence, port, own)
            expected = f"one partner, {rate}"
            verdict, found = Verdict.ERROR, ""
            if observed.partners is not None:
                verdict, found = _judged(
                    rate, [(end, heard.get(end)) for end in own], [heard.get(end) for end in theirs]
                )
            message = f"{device} {port.name}: {found or 'the switch does not show partners'}"
            findings.append(Finding("partners", device, port.name, verdict, message, expected, found))
    return findings


def members_of(evidence: Evidence) -> dict[Group, tuple[End, ...]]:
    """The members of each group of the design."""
    found: dict[Group, list[End]] = {}
    for (device, name), port in evidence.interfaces.items():
        if port.member is not None:
            found.setdefault((device, port.member.group), []).append((device, name))
    return {group: tuple(ends) for group, ends in found.items()}


def other_groups(evidence: Evidence) -> Iterator[tuple[Group, Group]]:
    """A group over both switches of a pair -> the same one on the other switch."""
    pairs = pairs_of(evidence)
    numbered = {
        (device, port.lag.pair_id): (device, name)
        for (device, name), port in evidence.interfaces.items()
        if port.lag is not None and port.lag.pair_id is not None
    }
    for (device, number), group in numbered.items():
        if device in pairs and (pairs[device].other(device), number) in numbered:
            yield group, numbered[pairs[device].other(device), number]


def _rate(evidence: Evidence, group: Interface, members: tuple[End, ...]) -> LacpRate | None:
    """Said by the group or by its members, whichever the OS has."""
    rates = [group.lag.lacp_rate if group.lag is not None else None]
    rates += [port.member.lacp_rate for end in members if (port := evidence.interfaces[end]).member is not None]
    return next((each for each in rates if each is not None), None)


def _judged(
    rate: LacpRate | None, own: list[tuple[End, LacpPartner | None]], theirs: list[LacpPartner | None]
) -> tuple[Verdict, str]:
    here = [each for _, each in own if each is not None]
    if not here:
        return Verdict.FAIL, "no partner"
    systems = dict.fromkeys(each.system for each in (*here, *theirs) if each is not None)
    rates = dict.fromkeys(each.rate for each in here)
    found = f"{_counted(list(systems))}, {' and '.join(each or 'rate not shown' for each in rates)}"
    if len(systems) > 1 or any(each not in (rate, None) for each in rates):
        return Verdict.FAIL, found
    return (Verdict.ERROR if None in rates else Verdict.PASS), found


def _counted(systems: list[str]) -> str:
    return f"partner {systems[0]}" if len(systems) == 1 else f"partners {' and '.join(systems)}"
