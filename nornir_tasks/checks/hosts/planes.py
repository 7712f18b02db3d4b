"""Planes: nothing is forwarded between them, and the services that ensure this start at boot."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

FACT = "gpufabric_plane_guard"
"""Result of ``nft -j list table``: exit code, output, errors."""
UNITS_FACT = "gpufabric_units"
"""Result of ``systemctl list-unit-files`` for our services; missing services are not listed."""
LIST_UNITS = ("systemctl", "list-unit-files", "--no-legend", "--no-pager", "--")
TABLE = ("inet", "gpufabric_plane_guard")
SHOW = ("nft", "-j", "list", "table", *TABLE)
GUARD_UNIT = "gpufabric-plane-guard.service"
ROCE_UNIT = "gpufabric-roce-qos.service"
IRQ_UNIT = "gpufabric-irq-affinity.service"
READ_REQUEST_UNIT = "gpufabric-gpudirect.service"
LLDP_UNIT = "lldpd.service"
FILTER_PRIORITY = 0
"""The priority of a CNI's chains (nft's name for it is filter); ours runs before them."""

Rule = Mapping[str, Any]

GUARD = About(
    name="plane_guard",
    each="ordered pair of planes, the chain, and rules that are not ours",
    reads=(FACT,),
    wanted="plane_guard_planes",
    passes="what comes from one plane for another is dropped, in a chain before every filter, with no other rule in it",
    fails="a pair is not dropped, the chain is missing or stands later, or holds a rule of another tool",
    cannot_tell="nft could not be asked",
)
BOOT = About(
    name="boot",
    each="service that puts the host right again at boot",
    reads=(UNITS_FACT,),
    wanted="the services of the roles that the host has (host_tuning_rails, gpudirect_rails, rail_interfaces_lldp)",
    passes="it is enabled",
    fails="it is not enabled, or not installed",
    cannot_tell="systemd could not be asked",
)


def check_planes(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each ordered pair of planes, one for the chain, and one for foreign rules; none for one plane."""
    judge = Judge(GUARD.name, evidence)
    if GUARD.wanted not in evidence.variables:  # a host on one plane alone
        return judge.findings
    planes = {name: is_dropped for name, is_dropped in evidence.variables["plane_guard_planes"].items() if is_dropped}
    pairs = list(permutations(planes, 2))
    show = " ".join(word for word in SHOW if word != "-j")
    knobs = {pair: Knob(f"{pair[0]} to {pair[1]}", "forwarding", "dropped", show) for pair in pairs}
    chain = Knob("", "chain", "hook forward, before filter", show)
    others = Knob("", "other rules", "none", show)
    answer = evidence.facts.get(FACT)
    failed = answer is None or (answer["rc"] != 0 and "No such file" not in answer["stderr"])
    if failed:
        why = answer["stderr"].strip() if answer else evidence.why_unread(FACT)
        for knob in (*knobs.values(), chain, others):
            judge.undecided(knob, why)
        return judge.findings
    hook, rules = _forward_chain(json.loads(answer["stdout"] or "{}").get("nftables", []) if answer else [])
    dropped = [ends for rule in rules if (ends := _ends(rule)) is not None]
    for (origin, target), knob in knobs.items():
        is_dropped = any(
            set(planes[origin]) <= inward and set(planes[target]) <= outward for inward, outward in dropped
        )
        judge.compare(knob, "dropped" if is_dropped else "not dropped")
    judge.compare(chain, hook)
    judge.compare(others, [json.dumps(rule) for rule in rules if _ends(rule) is None])
    return judge.findings


def units(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """Services that restore a host's configuration at boot."""
    needed = {
        GUARD_UNIT: GUARD.wanted in variables,
        ROCE_UNIT: "roce_qos_rails" in variables,
        IRQ_UNIT: variables.get("host_tuning_rails") and not variables.get("host_tuning_limits_only"),
        READ_REQUEST_UNIT: variables.get("gpudirect_rails") and variables.get("gpudirect_read_request_bytes"),
        LLDP_UNIT: variables.get("rail_interfaces_lldp"),
    }
    return tuple(unit for unit, is_needed in needed.items() if is_needed)


def check_boot(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each service that restores a host's configuration at boot."""
    judge = Judge(BOOT.name, evidence)
    answer = evidence.facts.get(UNITS_FACT)
    lines = [line.split() for line in answer["stdout"].splitlines()] if answer else []
    states = {words[0]: words[1] for words in lines if len(words) > 1}
    for unit in units(evidence.variables):
        knob = Knob(unit, "service", "enabled", f"systemctl is-enabled {unit}")
        if answer is None or answer["stderr"].strip():
            judge.undecided(knob, answer["stderr"].strip() if answer else evidence.why_unread(UNITS_FACT))
        else:
            judge.compare(knob, states.get(unit, "not installed"))
    return judge.findings


def _forward_chain(listing: Sequence[Mapping[str, Any]]) -> tuple[str, list[Rule]]:
    """The base chain of the table in words, and its rules."""
    chains = [each["chain"] for each in listing if "chain" in each and each["chain"].get("hook")]
    rules = [each["rule"] for each in listing if "rule" in each]
    if not chains:
        return "none", rules
    chain = chains[0]
    early = "before filter" if chain["prio"] < FILTER_PRIORITY else f"priority {chain['prio']}"
    return f"hook {chain['hook']}, {early}", [rule for rule in rules if rule["chain"] == chain["name"]]


def _ends(rule: Rule) -> tuple[set[str], set[str]] | None:
    """(interfaces in, interfaces out) of a rule that only drops between them; None for any other rule."""
    expressions = [each for each in rule["expr"] if "counter" not in each]
    matches = dict(_matches(expressions))
    drops = bool(expressions) and "drop" in expressions[-1]
    if drops and len(expressions) == 3 and matches.keys() == {"iifname", "oifname"}:
        return matches["iifname"], matches["oifname"]
    return None


def _matches(expressions: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, set[str]]]:
    for each in expressions:
        match = each.get("match")
        if match and match["op"] == "==" and "meta" in match["left"]:
            right = match["right"]
            yield match["left"]["meta"]["key"], set(right["set"] if isinstance(right, dict) else [right])
