"""Configuration: the owned sections of every switch hold exactly what the intent asks for, and nothing else."""

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change


def check_config(evidence: Evidence) -> list[Finding]:
    """One passing finding for each switch as wanted; else one for each line that is missing or too many."""
    findings = []
    for device, changes in evidence.changes.items():
        if not changes:
            message = f"{device}: runs exactly what the intent asks for"
            findings.append(Finding("config", device, "", Verdict.PASS, message))
        findings += [_line(evidence, evidence.wanted[device], change) for change in changes]
    return findings


def _line(evidence: Evidence, config: DeviceConfig, change: Change) -> Finding:
    port = _port(evidence, config, change)
    where = evidence.where(config.name, port) if port else config.name
    line = " / ".join(change.path)
    if change.op == "+":
        message, expected, found = f"{where}: missing line '{line}'", line, "missing"
    else:
        message, expected, found = f"{where}: line '{line}' is not asked for", "no such line", line
    return Finding("config", config.name, port, Verdict.FAIL, message, expected, found)


def _port(evidence: Evidence, config: DeviceConfig, change: Change) -> str:
    """The port a line is about: named in it, or the one that leads to the neighbour named in it."""
    words = {word.strip('":,') for text in change.path for word in text.split()}
    for interface in config.interfaces:
        if interface.name in words:
            return interface.name
    for neighbor in config.bgp.neighbors if config.bgp else ():
        if neighbor.key in words:
            return evidence.port_of_neighbor(config.name, neighbor.key)
    return ""
