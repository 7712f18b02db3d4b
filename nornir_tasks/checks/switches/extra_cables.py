"""Extra cables: no device of the plan is plugged in where the plan has no cable.

Such a cable is a way around the design: a loop, a rail joined to another, a leftover of a move. ``lldp`` judges the
ports that have a cable; a switch's end in a wrong place is its finding, so here are those with neither end in the plan.
"""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.lldp import ends_heard

ABOUT = About(
    name="extra-cables",
    each="switch with cabled ports of the planes that are judged",
    reads=("lldp.remote_device", "lldp.remote_port"),
    wanted="the cabling plan",
    passes="at its ports without a cable no switch and no host of the plan is heard",
    fails="one is heard there: a host, or a switch at a port that has no cable in the plan either",
)


def check_extra_cables(evidence: Evidence) -> list[Finding]:
    """One finding for each switch, with all its extra cables."""
    cabled = {device for device, port in evidence.interfaces if (device, port) in evidence.far}
    return [_switch(evidence, device) for device in evidence.observed if device in cabled]


def _switch(evidence: Evidence, device: str) -> Finding:
    ports = [port for at, port in evidence.heard if at == device]
    extra = {port: ends for port in ports if (ends := _unplanned(evidence, (device, port)))}
    if not extra:
        return Finding("extra-cables", device, "", Verdict.PASS, f"{device}: no extra cable is heard", "none")
    found = "; ".join(f"{port} to {' and '.join(map(' '.join, ends))}" for port, ends in sorted(extra.items()))
    message = f"{device}: the plan has no cable from {found}; unplug it, or have it in the intent"
    return Finding("extra-cables", device, "", Verdict.FAIL, message, "none", found)


def _unplanned(evidence: Evidence, end: End) -> list[End]:
    """The devices of the plan that are heard at a port without a cable, of switches those at such a port too."""
    if end in evidence.far:
        return []
    heard = (each for each in ends_heard(evidence, *end) if each[0] in evidence.planned)
    return [each for each in heard if each[0] not in evidence.wanted or each not in evidence.far]
