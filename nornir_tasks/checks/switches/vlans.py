"""VLANs: every host port that should be in the hosts' VLAN is in that one alone, untagged, and no other port is in it.

That the SVI is up and its MTU are judged with the ports (``checks/switches/ports.py``): it is an interface like any
other. What a trunk carries is judged by itself (``checks/switches/trunks.py``); one of another team with our VLAN on
it is not found.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig

ABOUT = About(
    name="vlan",
    each="access port, and VLAN of each switch: who else is in it",
    reads=("ports.vlan",),
    wanted="interfaces: access_vlan; vlans",
    passes="an access port is in its VLAN, untagged, and in no other; the VLAN has no other port",
    fails="a port is in another VLAN, routed or a trunk; or a port that is none of ours is in the VLAN",
    cannot_tell="the switch does not show the port's VLAN, or no port's at all",
)


def check_vlans(evidence: Evidence) -> list[Finding]:
    """One finding for each access port, and one for each switch that has any: who else is in their VLAN."""
    findings = []
    for device in evidence.observed:
        config = evidence.wanted[device]
        access = [port for port in config.interfaces if port.access_vlan is not None]
        vlans = _observed(evidence, device)
        findings += [_access(evidence, device, port, vlans.get(port.name)) for port in access]
        findings += _strangers(evidence, config)
    return findings


def _access(evidence: Evidence, device: str, port: Interface, found: str | None) -> Finding:
    where, expected = evidence.where(device, port.name), f"access port of VLAN {port.access_vlan}"
    if found is None:
        message = f"{where}: the switch shows no VLAN"
        return Finding("vlan", device, port.name, Verdict.ERROR, message, expected)
    verdict = Verdict.PASS if found == str(port.access_vlan) else Verdict.FAIL
    return Finding("vlan", device, port.name, verdict, f"{where}: {_spell(found)}", expected, _spell(found))


def _strangers(evidence: Evidence, config: DeviceConfig) -> Iterator[Finding]:
    """Another team's port in our VLAN has a way to all our hosts."""
    for vlan in config.vlans:
        ours = {port.name for port in config.interfaces if port.access_vlan == vlan.number}
        seen = _observed(evidence, config.name)
        inside = sorted(name for name, found in seen.items() if found == str(vlan.number) and name not in ours)
        name, expected = f"{config.name} VLAN {vlan.number}", "our host ports alone"
        if not seen:
            message = f"{name}: the switch shows no VLANs of ports"
            yield Finding("vlan", config.name, "", Verdict.ERROR, message, expected, subject=str(vlan.number))
            continue
        message = f"{name}: " + (f"{', '.join(inside)} in it as well" if inside else f"{len(ours)} host ports alone")
        verdict = Verdict.FAIL if inside else Verdict.PASS
        yield Finding("vlan", config.name, "", verdict, message, expected, ", ".join(inside), str(vlan.number))


def _observed(evidence: Evidence, device: str) -> dict[str, str]:
    return {state.name: state.vlan for state in evidence.observed[device].ports if state.vlan is not None}


def _spell(vlan: str) -> str:
    return f"access port of VLAN {vlan}" if vlan.isdecimal() else f"{vlan} port"
