"""Configuration: the owned sections of every switch are exactly the wanted ones."""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, OthersLine, Verdict
from nornir_tasks.checks.field_diff import both
from nornir_tasks.design.config.bgp import Neighbor
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change

ABOUT = About(
    name="config",
    each="switch",
    uncounted="each differing line after a switch's first, and each line of others that may matter to the fabric",
    configuration="all owned sections, line by line, as a push compares them",
    wanted="what is rendered for the switch",
    passes="the owned sections hold what is wanted and nothing else: a push would send nothing",
    fails="a line is missing, or is there and not asked for, or a line of others announces prefixes of ours",
)


def check_config(evidence: Evidence) -> list[Finding]:
    """One finding for each switch that is as wanted; else one for each missing or extra line.

    The switch counts once, however many lines differ.
    """
    findings = []
    for device, changes in evidence.changes.items():
        if not changes:
            message = f"{device}: runs exactly what the intent asks for"
            findings.append(Finding("config", device, "", Verdict.PASS, message))
            continue
        ports, values = _ports_by_word(evidence, evidence.wanted[device]), _values(evidence, device)
        for number, change in enumerate(changes):
            words = (word.strip('":,') for text in change.path for word in text.split())
            port = next((ports[word] for word in words if word in ports), "")
            findings.append(_line(evidence, device, port, change, values.get(port, ""), number == 0))
    findings += [_of_others(device, each) for device, lines in evidence.others.items() for each in lines]
    return findings


def _of_others(device: str, each: OthersLine) -> Finding:
    message = f"{device}: line of others '{each.line}': {each.reason}"
    return Finding("config", device, "", each.verdict, message, found=each.line, subject=each.line, counted=False)


def _line(evidence: Evidence, device: str, port: str, change: Change, values: str, counted: bool) -> Finding:
    where = evidence.where(device, port) if port else device
    line = " / ".join(change.path)
    if change.op == "+":
        message, expected, found = f"{where}: missing line '{line}'", line, "missing"
    else:
        message, expected, found = f"{where}: line '{line}' is not asked for", "no such line", line
    message, subject = f"{message} ({values})" if values else message, f"{change.op}{line}"
    return Finding("config", device, port, Verdict.FAIL, message, expected, found, subject, counted)


def _values(evidence: Evidence, device: str) -> dict[str, str]:
    """Port -> both values of all that differs there: a line that is missing does not say what holds without it."""
    there = {port.name: port for port in evidence.running[device].interfaces}
    return {port.name: both(there.get(port.name), port) for port in evidence.wanted[device].interfaces}


def _ports_by_word(evidence: Evidence, config: DeviceConfig) -> dict[str, str]:
    """The port a line is about: named in it, or of the neighbour or access list that is named in it."""
    neighbors = {each.peer: evidence.port_of_neighbor(config.name, each.key) for each in _neighbors(config)}
    lists = {use.name: port.name for port in config.interfaces for use in port.acls}
    return {**neighbors, **lists, **{port.name: port.name for port in config.interfaces}}


def _neighbors(config: DeviceConfig) -> tuple[Neighbor, ...]:
    return config.bgp.neighbors if config.bgp else ()
