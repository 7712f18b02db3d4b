"""Trunks: every one carries the VLANs of the design, as the switch shows it, and no other of ours.

VLANs that the design does not have are others' own, and not looked at. Which VLAN is untagged is compared in the
configuration: only Cumulus Linux shows it. What an access port carries is judged by itself
(``checks/switches/vlans.py``).
"""

from collections.abc import Iterable

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface

ABOUT = About(
    name="trunks",
    each="trunk: of hosts, and the peer link of a pair",
    reads=("carried.vlans",),
    wanted="interfaces: tagged_vlans, native_vlan; vlans",
    passes="the port carries its VLANs, and no other one of the design",
    fails="a VLAN of the design is not carried, or one that belongs elsewhere is",
    cannot_tell="the switch does not show which ports carry a VLAN",
)


def check_trunks(evidence: Evidence) -> list[Finding]:
    """One finding for each trunk; the members of a group carry what the group does."""
    findings = []
    for device, observed in evidence.observed.items():
        config = evidence.wanted[device]
        ours = frozenset(each.number for each in config.vlans)
        shown = {each.port: each.vlans for each in observed.carried or ()}
        for port in config.interfaces:
            if port.tagged_vlans is None or port.member is not None:
                continue
            wanted = _wanted(port)
            seen = shown.get(port.name, frozenset()) & (ours | wanted)
            findings.append(_judged(evidence, device, port.name, wanted, None if observed.carried is None else seen))
    return findings


def _judged(evidence: Evidence, device: str, port: str, wanted: frozenset[int], seen: frozenset[int] | None) -> Finding:
    where, expected = evidence.where(device, port), _spell(wanted)
    if seen is None:
        message = f"{where}: the switch does not show the VLANs of its ports"
        return Finding("trunks", device, port, Verdict.ERROR, message, expected)
    verdict = Verdict.PASS if seen == wanted else Verdict.FAIL
    return Finding("trunks", device, port, verdict, f"{where}: {_spell(seen)}", expected, _spell(seen))


def _wanted(port: Interface) -> frozenset[int]:
    native = () if port.native_vlan is None else (port.native_vlan,)
    return frozenset((*(port.tagged_vlans or ()), *native))


def _spell(vlans: Iterable[int]) -> str:
    numbers = ", ".join(map(str, sorted(vlans)))
    return f"carries VLANs {numbers}" if numbers else "carries no VLAN"
