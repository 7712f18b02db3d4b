"""Neighbours on the out-of-band plane: which device is at each port, by LLDP, else by the address it sends from.

BMCs and power distribution speak no LLDP as a rule, or say names of their own. The access switch has learned the
addresses that they send from; where devices.yml declares them, a wrong cable shows. So it is with management ports of
switches that say nothing.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.lldp import ends_heard

ABOUT = About(
    name="macs",
    each="port of an access switch with a device whose MAC address is declared",
    uncounted="devices without a declared MAC address: which they are, in one finding",
    reads=("macs.mac", "lldp.remote_device"),
    wanted="the cabling plan; devices.yml: mac, of attached devices and of switches' management ports",
    passes="LLDP names the plan's device; else its address is learned there, and no other device's",
    fails="LLDP names another device of the plan; else another address is learned there, or the device's own elsewhere",
    cannot_tell="nothing is learned there: the device is silent, or the switch shows no learned addresses",
    skipped="LLDP names no device of the plan, and no address is declared",
)


def check_macs(evidence: Evidence) -> list[Finding]:
    """One finding for each port of a device with a declared address; one for all devices without, if LLDP is silent."""
    learned, heard = evidence.learned, evidence.heard
    places = learned_at(evidence)
    findings, unknown = [], []
    for end, name in attached_ports(evidence):
        devices = {device for device, _ in ends_heard(evidence, *end)} & evidence.planned if end in heard else set()
        if name not in evidence.macs:
            unknown += [] if devices else [name]
        elif devices:
            findings.append(_by_lldp(evidence, end, name, devices))
        else:
            findings.append(_by_mac(evidence, end, name, learned.get(end, ()), places.get(evidence.macs[name])))
    return [*findings, *_not_declared(evidence, unknown)]


def attached_ports(evidence: Evidence) -> Iterator[tuple[End, str]]:
    """(port, device) of what is attached to the switches that were read, on the planes that are judged."""
    for end, name in evidence.attached.items():
        if end[0] in evidence.observed and end in evidence.interfaces:
            yield end, name


def learned_at(evidence: Evidence) -> dict[str, End]:
    """Address -> where it is learned, on the ports of attached devices."""
    return {mac: end for end in evidence.attached for mac in evidence.learned.get(end, ())}


def others_at(evidence: Evidence, end: End) -> list[str]:
    """Devices whose declared addresses are learned at a port that the plan has for another one."""
    owners = {mac: name for name, mac in evidence.macs.items()}
    found = (owners.get(mac) for mac in evidence.learned.get(end, ()))
    return sorted({name for name in found if name is not None} - {evidence.attached[end]})


def _by_lldp(evidence: Evidence, end: End, name: str, devices: set[str]) -> Finding:
    expected, found = f"{name}, by LLDP", " and ".join(sorted(devices))
    verdict = Verdict.PASS if devices == {name} else Verdict.FAIL
    message = f"{evidence.where(*end)}: hears {found}" + ("" if verdict is Verdict.PASS else f", not {name}")
    return Finding(ABOUT.name, *end, verdict, message, expected, found)


def _by_mac(evidence: Evidence, end: End, name: str, here: tuple[str, ...], elsewhere: End | None) -> Finding:
    declared, where, others = evidence.macs[name], evidence.where(*end), others_at(evidence, end)
    expected, found = f"{declared} of {name}", ", ".join(here)
    if others:
        found = ", ".join(f"{evidence.macs[other]} of {other}" for other in others)
        message = f"{where}: has learned {found}, not only {declared} of {name}"
        message = message if declared in here else f"{where}: has learned {found}, not {declared} of {name}"
        swap = "".join(_swap(evidence, end, other) for other in others) if declared not in here else ""
        return Finding(ABOUT.name, *end, Verdict.FAIL, message + swap, expected, found)
    if declared in here:
        message = f"{where}: has learned {declared}, the address of {name}"
        return Finding(ABOUT.name, *end, Verdict.PASS, message, expected)
    if elsewhere is not None:
        found = f"{elsewhere[0]} {elsewhere[1]}"
        message = f"{where}: {declared} of {name} is learned at {found}; is its cable plugged in there?"
        return Finding(ABOUT.name, *end, Verdict.FAIL, message, expected, found)
    if here:
        message = f"{where}: has learned {found}, which is not declared, and not {declared} of {name}"
        remedy = f"another device, or a new part of {name}: then declare its address (devices.yml: attached)"
        return Finding(ABOUT.name, *end, Verdict.FAIL, f"{message}; {remedy}", expected, found)
    shown = evidence.observed[end[0]].macs is not None
    why = f"has learned nothing; ping {name} from the bastion and validate again" if shown else "shows no addresses"
    return Finding(ABOUT.name, *end, Verdict.ERROR, f"{where}: {why}", expected)


def _swap(evidence: Evidence, end: End, other: str) -> str:
    planned = next((port for port, name in evidence.attached.items() if name == other), None)
    if planned is None:
        return ""
    return f"; swap the ends of {evidence.far[end].cable} and {evidence.far[planned].cable}"


def _not_declared(evidence: Evidence, names: list[str]) -> Iterator[Finding]:
    """One line for all: which they are, and what would tell."""
    if names:
        many = f"{len(names)} device{'s' * (len(names) > 1)} of the out-of-band plane"
        what = f"{many} {'are' if len(names) > 1 else 'is'} not told apart: LLDP names none, no MAC address is declared"
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        part = "devices" if names[0] in evidence.network else "attached"
        remedy = f"{part}: {{{names[0]}: {{mac: ...}}}} in devices.yml"
        yield Finding(ABOUT.name, "", "", Verdict.SKIPPED, f"{what}: {shown} ({remedy})", counted=False)


_SHOWN = 8
"""Names in one line."""
