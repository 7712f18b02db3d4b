"""Cabling as the host sees it: on each rail's wire its own gateway answers.

Nothing else of a host shows two swapped rails: each has its name, address and carrier.
"""

from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

FACT = "gpufabric_gateways"

ABOUT = About(
    name="cabling",
    each="rail: its gateway on its own wire",
    reads=(FACT,),
    wanted="rail_interfaces_rails",
    passes="the gateway answers ARP on this rail's interface",
    fails="it is silent there; if another rail's gateway answers, the cables to swap are named",
    cannot_tell="the rail has no interface or no carrier, or frames could not be sent",
)

Rail = Mapping[str, Any]


def check_cabling(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each rail."""
    judge = Judge(ABOUT.name, evidence)
    rails, facts = evidence.variables["rail_interfaces_rails"], evidence.facts.get(FACT)
    owners = {rail["gateway"]: rail["name"] for rail in rails}
    for rail in rails:
        name, gateway = rail["name"], rail["gateway"]
        knob = Knob(name, "gateway", f"{gateway} answers", f"arping -c 3 -I {name} {gateway}")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
        elif not facts[name]["asked"]:
            judge.undecided(knob, "it has no carrier, or no interface")
        elif gateway in facts[name]["answers"]:
            judge.decide(knob, True, knob.wanted)
        else:
            _silent(judge, knob, owners, facts)
    return judge.findings


def _silent(judge: Judge, knob: Knob, owners: Mapping[str, str], facts: Mapping[str, Any]) -> None:
    """Its own gateway does not answer; whose does?"""
    rail = knob.subject
    others = [address for address in facts[rail]["answers"] if address in owners]
    if not others:
        why = "nor does another rail's: is it in another host's port, or the leaf's port not configured?"
        judge.decide(knob, False, "no answer", why=why)
        return
    there = [owners[address] for address in others]
    back = [other for other in there if _leads_to(facts.get(other), rail, owners)]
    swap = f"swap the cables of {rail} and {back[0]}" if back else f"its cable is in the port of {' or '.join(there)}"
    judge.decide(knob, False, ", ".join(f"{each} of {owners[each]} answers" for each in others), why=swap)


def _leads_to(found: Mapping[str, Any] | None, rail: str, owners: Mapping[str, str]) -> bool:
    return found is not None and any(owners.get(address) == rail for address in found["answers"])
