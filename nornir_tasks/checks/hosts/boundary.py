"""A host of the boundary holds what its roles generate: files, rules, services, settings of the kernel."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.boundary_parts import FACT, GENERATED, files, parts, settings, units
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

GENERATED_TEXT = "as generated"
_COUNTER = re.compile(r"(?:^|[{};])\s*counter\s+(\w+)\s*\{", re.MULTILINE)
"""A named counter of a ruleset, on a line of its own or not; a rule's ``counter name`` has no brace."""
FILES = About(
    name="boundary_files",
    each="file that a role of the boundary writes",
    reads=(FACT,),
    wanted="the role's template, with the host's variables",
    passes="its text is what the template gives now",
    fails="the text is another one, or there is no such file",
)
RULES = About(
    name="boundary_rules",
    each="table of nftables, its counters, and chains of others that packets through the host meet",
    reads=(FACT,),
    wanted="the role's ruleset, as nft itself lists it",
    passes="the kernel's table is what the ruleset makes, each named counter counts, and no other chain does anything",
    fails="a line is missing, or one is there that should not be, or a chain of another tool filters or translates",
    cannot_tell="nft could not be asked, or does not take the ruleset",
)
SERVICES = About(
    name="boundary_services",
    each="service of the host's roles",
    reads=(FACT,),
    wanted="the services of the roles",
    passes="it runs, and does so after a restart",
    fails="it does not run, is not enabled, or not installed",
)
KERNEL = About(
    name="boundary_kernel",
    each="setting of the kernel",
    reads=(FACT,),
    wanted="the role's file in /etc/sysctl.d",
    passes="the kernel has the value",
    fails="it has another one",
    cannot_tell="the kernel has no such setting",
    skipped="a setting of the whole kernel that is applied at boot alone (firewall_kernel_at_run_time)",
)
LOGS = About(
    name="boundary_logs",
    each="log that says from time to time that it is alive",
    reads=(FACT,),
    wanted="the logs of the roles, and how often they say so",
    passes="its newest word is young enough",
    fails="it has been silent for longer, or there is no such log",
)


def check_boundary_files(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each file."""
    judge, facts = Judge(FILES.name, evidence), evidence.facts.get(FACT)
    generated = evidence.variables.get(GENERATED) or {}
    for path in files(evidence.variables):
        knob = Knob(path, "text", GENERATED_TEXT, f"ansible-playbook playbooks/boundary.yml --check --diff; {path}")
        if facts is None or path not in generated:
            judge.undecided(knob, evidence.why_unread(FACT) if facts is None else "it was not generated")
            continue
        found = facts["files"].get(path)
        good = found == hashlib.sha256(str(generated[path]).encode()).hexdigest()
        judge.decide(
            knob, good, GENERATED_TEXT if good else "another text" if found else "no such file", why="run the playbook"
        )
    return judge.findings


def check_boundary_rules(evidence: HostEvidence) -> list[HostFinding]:
    """Two findings for each table, and one for the chains of others."""
    judge, facts = Judge(RULES.name, evidence), evidence.facts.get(FACT)
    tables = [name for part in parts(evidence.variables) for name in part.tables]
    for name in tables:
        _judge_table(judge, evidence, name, facts)
    if tables:
        knob = Knob("", "other chains", "none", "nft list ruleset")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
        else:
            judge.compare(knob, facts["strangers"], why="no rules of others belong on a host of the boundary")
    return judge.findings


def _judge_table(judge: Judge, evidence: HostEvidence, name: str, facts: Mapping[str, Any] | None) -> None:
    show = f"nft list table {name}"
    rules = Knob(name, "rules", GENERATED_TEXT, show)
    names = _counters(evidence.variables, name)
    dropped = Knob(name, "counters", ", ".join(names) or "none", f"nft list counters table {name}")
    if facts is None:
        for knob in (rules, dropped):
            judge.undecided(knob, evidence.why_unread(FACT))
        return
    table = facts["tables"][name]
    if table["same"] is None:
        judge.undecided(rules, table["reason"])
    else:
        found = GENERATED_TEXT if table["same"] else table["differs"] if table["there"] else "no such table"
        judge.decide(rules, table["same"], found, why="run the playbook")
    counted = facts["counters"][name]
    found = ", ".join(f"{each} {packets}" for each, packets in counted.items())
    judge.decide(dropped, set(counted) >= set(names), found, why="run the playbook")


def _counters(variables: Mapping[str, Any], table: str) -> list[str]:
    """Named counters of a table, as its ruleset has them."""
    generated = variables.get(GENERATED) or {}
    path = next(part.tables[table] for part in parts(variables) if table in part.tables)
    return _COUNTER.findall(str(generated.get(path, "")))


def check_boundary_services(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each service."""
    judge, facts = Judge(SERVICES.name, evidence), evidence.facts.get(FACT)
    for unit in units(evidence.variables):
        knob = Knob(unit, "service", "enabled, active", f"systemctl status {unit}")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
        else:
            judge.compare(knob, facts["units"].get(unit, "not installed"), why=f"journalctl -u {unit} says why")
    return judge.findings


def check_boundary_kernel(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each setting."""
    judge, facts = Judge(KERNEL.name, evidence), evidence.facts.get(FACT)
    at_once = evidence.variables.get("firewall_kernel_at_run_time", True)
    for name, value in settings(evidence.variables).items():
        knob = Knob("", name, value, f"sysctl {name}")
        if name == "net.netfilter.nf_conntrack_max" and not at_once:
            judge.skip(knob, "firewall_kernel_at_run_time is false: it holds after a restart")
        elif facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
        else:
            found = facts["settings"].get(name)
            judge.compare(knob, found, why="" if found else "the kernel has no such setting")
    return judge.findings


def check_boundary_logs(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each log."""
    judge, facts = Judge(LOGS.name, evidence), evidence.facts.get(FACT)
    for path, limit_s in ((path, limit) for part in parts(evidence.variables) for path, limit in part.logs.items()):
        knob = Knob(path, "newest word", f"at most {limit_s} s ago", f"tail -n 1 {path}")
        if facts is None:
            judge.undecided(knob, evidence.why_unread(FACT))
            continue
        age_s = facts["logs"].get(path)
        found = "no such log" if age_s is None else f"{age_s} s ago"
        judge.decide(
            knob, age_s is not None and age_s <= limit_s, found, why="the service that writes it, or a full disk"
        )
    return judge.findings
