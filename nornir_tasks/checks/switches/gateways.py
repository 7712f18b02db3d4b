"""Redundant gateways: both switches of a pair have the address that hosts use as their router, and no one else has it.

Addresses of IPv4 alone: no system shows those of IPv6 in a form with a source.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.platforms.observed import GatewayState

ABOUT = About(
    name="gateways",
    each="redundant gateway of IPv4, at each switch that has it",
    reads=("gateways.is_up", "gateways.is_active", "gateways.mac_address"),
    configuration="interfaces: the addresses of all switches",
    wanted="interfaces: gateway",
    passes="the address is there with its MAC address; of both switches one is active with HSRP, else both are up",
    fails="it is another one or none, is down, or has another MAC address; HSRP is active on both or on neither; or "
    "the address is an interface's own as well, or the gateway of another one",
    cannot_tell="the switch does not show the gateway's state",
)

VrfAddress = tuple[str | None, str]
"""(VRF, IPv4 address without length)."""


@dataclass(frozen=True, slots=True)
class Holder:
    """An interface that has an address of a gateway, as one of its own or as its gateway's."""

    end: End
    own: str
    """With length; empty where the address is its gateway's."""


def check_gateways(evidence: Evidence) -> list[Finding]:
    """One finding for each gateway of each switch."""
    twice = wrong_holders(evidence)
    other = {leaf: pair.other(leaf) for leaf, pair in pairs_of(evidence).items()}
    shown = {device: dict(_by_port(evidence, device)) for device in evidence.observed}
    findings = []
    for device, seen in shown.items():
        for port in evidence.wanted[device].interfaces:
            if port.gateway is None or port.gateway.address is None:
                continue
            theirs = shown.get(other.get(device, ""), {}).get(port.name)
            expected = _spell_wanted(port.gateway)
            is_shown = evidence.observed[device].gateways is not None
            verdict, found = _judged(port.gateway, seen.get(port.name), theirs, is_shown=is_shown)
            holders = twice.get((port.vrf, port.gateway.address), ())
            if holders:
                verdict, found = Verdict.FAIL, "; ".join((found, *(_spell_holder(evidence, each) for each in holders)))
            message = f"{evidence.where(device, port.name)}: {found}"
            findings.append(Finding("gateways", device, port.name, verdict, message, expected, found))
    return findings


def wrong_holders(evidence: Evidence) -> dict[VrfAddress, list[Holder]]:
    """Gateways' addresses -> the interfaces that have them and should not."""
    wanted: dict[VrfAddress, set[End]] = {}
    for end, port in evidence.interfaces.items():
        if port.gateway is not None and port.gateway.address is not None:
            wanted.setdefault((port.vrf, port.gateway.address), set()).add(end)
    found: dict[VrfAddress, list[Holder]] = {}
    for device, config in evidence.running.items() if wanted else ():
        for port in config.interfaces:
            end, own = (device, port.name), port.address or ""
            key = port.vrf, own.partition("/")[0]
            if key in wanted:
                found.setdefault(key, []).append(Holder(end, own))
            key = port.vrf, (port.gateway.address or "") if port.gateway is not None else ""
            if key in wanted and end not in wanted[key]:
                found.setdefault(key, []).append(Holder(end, ""))
    return found


def _by_port(evidence: Evidence, device: str) -> Iterator[tuple[str, GatewayState]]:
    """Each SVI's gateway: of several addresses the wanted one comes last."""
    wanted = {
        (port.name, port.gateway.address) for port in evidence.wanted[device].interfaces if port.gateway is not None
    }
    for each in sorted(evidence.observed[device].gateways or (), key=lambda each: (each.port, each.address) in wanted):
        yield each.port, each


def _judged(
    wanted: Gateway, seen: GatewayState | None, theirs: GatewayState | None, *, is_shown: bool
) -> tuple[Verdict, str]:
    """The verdict, and what was found."""
    if not is_shown:
        return Verdict.ERROR, "the switch does not show its gateways"
    if seen is None:
        return Verdict.FAIL, "no gateway"
    if seen.is_up is None:
        return Verdict.ERROR, f"gateway {seen.address}, its state is not shown"
    state, is_right = _state(wanted, seen, theirs)
    found = f"gateway {seen.address} {state}"
    if wanted.mac_address is not None and seen.mac_address is not None:
        found += f" with {seen.mac_address}"
        is_right = is_right and seen.mac_address == wanted.mac_address
    return Verdict.PASS if is_right and seen.address == wanted.address else Verdict.FAIL, found


def _state(wanted: Gateway, seen: GatewayState, theirs: GatewayState | None) -> tuple[str, bool]:
    """In words, and whether it is as it should be."""
    if not seen.is_up:
        return f"down ({seen.state})", False
    if wanted.group is None:
        return "up", True
    if theirs is not None and theirs.is_active is seen.is_active:
        return f"{seen.state}, active on {'both' if seen.is_active else 'neither'}", False
    return seen.state, True


def _spell_wanted(wanted: Gateway) -> str:
    state = "up" if wanted.group is None else "active on one of both"
    mac = f" with {wanted.mac_address}" if wanted.mac_address is not None else ""
    return f"gateway {wanted.address} {state}{mac}"


def _spell_holder(evidence: Evidence, holder: Holder) -> str:
    device, name = holder.end
    port = evidence.interfaces.get(holder.end)
    if not holder.own:
        here = port.gateway.address if port is not None and port.gateway is not None else None
        return f"it is the gateway of {device} {name} as well, where {here or 'none'} is wanted"
    here = port.address if port is not None else None
    return f"{device} {name} has {holder.own} for its own, where {here or 'none'} is wanted"
