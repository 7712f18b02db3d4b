"""Base configuration in operation: the clock, the log, provisioning that has ended, and a management VRF of its own.

Judged is what the intent manages: a switch whose base configuration is others' is not asked.
"""

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.base import NO_BASE, Server
from nornir_tasks.design.contribute.managed_base import vrf_of
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import ClockState, LogTarget, Observed, ShownAccount, VrfPort, ZeroTouch

NTP = About(
    name="ntp",
    each="switch whose time servers the intent has",
    reads=("clock.in_step", "clock.server"),
    wanted="the time servers of the intent",
    passes="the clock follows a server, and that is one of these where the switch shows which",
    fails="it follows none, or another one",
    cannot_tell="the switch does not show what its clock follows",
)
SYSLOG = About(
    name="syslog",
    each="switch whose log servers the intent has, where its system shows to whom it sends",
    reads=("log_targets.reached",),
    wanted="the log servers of the intent, each in its VRF",
    passes="the log is sent to these alone, and none is known to be out of reach",
    fails="one is missing, is one too many, or is out of reach",
    cannot_tell="the switch does not show to whom it sends",
)
ZTP = About(
    name="ztp",
    each="switch of whose base configuration something is managed",
    reads=("zero_touch.ended",),
    wanted="a switch that is in operation",
    passes="provisioning without hands (ZTP, POAP) is off, for the next boot too where that is shown",
    fails="it is on: it may run, or change the switch at its next boot",
    cannot_tell="the switch does not show it",
)
MANAGEMENT = About(
    name="management",
    each="switch with a management VRF in its managed base configuration",
    reads=("vrf_ports", "routes"),
    wanted="the management VRF of the intent, and the ports of the design",
    passes="its management port is in that VRF; no port of the design is, and no route of BGP",
    fails="the management port is elsewhere, or something of a plane is in the VRF",
    cannot_tell="the switch does not show which VRF its ports are in",
)
ACCOUNTS = About(
    name="accounts",
    each="switch whose local accounts the intent has",
    reads=("accounts.role",),
    wanted="the accounts of the intent with their roles; the one that pushes and the system's own may be there too",
    passes="those of the intent are there with their roles, and no other account can log in",
    fails="one is missing or has another role, or another account can log in",
    cannot_tell="the switch does not show its accounts",
)
ABOUT = (NTP, SYSLOG, ZTP, MANAGEMENT, ACCOUNTS)


_MANAGEMENT_PORTS = ("Management", "mgmt", "eth")
"""How ports that are on no front panel begin: Management1 of EOS, mgmt0 of NX-OS, eth0 of Cumulus Linux."""


class _Seen(NamedTuple):
    """What a switch shows, read before anything is judged."""

    clock: ClockState | None
    targets: tuple[LogTarget, ...] | None
    zero_touch: ZeroTouch | None
    ports: tuple[VrfPort, ...] | None
    accounts: tuple[ShownAccount, ...] | None
    routes: tuple[tuple[str | None, str], ...]
    """(VRF, prefix) of BGP's."""


def check_base(evidence: Evidence) -> list[Finding]:
    """One finding for each part of each switch that is managed."""
    findings: list[Finding] = []
    cabled: dict[str, set[str]] = {}
    for device, port in evidence.far:
        if not port.startswith(_MANAGEMENT_PORTS):  # which an out-of-band plane has cables to
            cabled.setdefault(device, set()).add(port)
    for device, observed in evidence.observed.items():
        config, seen = evidence.wanted[device], _seen(observed)
        if config.base.time_servers:
            findings.append(_ntp(config, seen.clock))
        if config.base.log_servers and platform(config.os).observing.shows("log_targets"):
            findings.append(_syslog(config, seen.targets))
        if config.base.accounts:
            kept = evidence.push_accounts | evidence.network.device(device).capabilities.account_facts.kept
            findings.append(_accounts(config, kept, seen.accounts))
        if config.base != NO_BASE:
            findings.append(_ztp(config, seen.zero_touch))
            planned = cabled.get(device, set()) | {each.name for each in config.interfaces}
            findings += _management(config, _vrf(evidence, config), planned, seen)
    return findings


def _seen(observed: Observed) -> _Seen:
    routes = tuple(key for key, _ in observed.routes)
    shown = (observed.clock, observed.log_targets, observed.zero_touch, observed.vrf_ports, observed.accounts)
    return _Seen(*shown, routes)


def _ntp(config: DeviceConfig, seen: ClockState | None) -> Finding:
    servers = [each.address for each in config.base.time_servers]
    expected = f"clock follows {' or '.join(servers)}"
    if seen is None:
        return _finding(config, NTP, Verdict.ERROR, expected, "", "the switch does not show what its clock follows")
    if not seen.in_step:
        return _finding(config, NTP, Verdict.FAIL, expected, "clock follows no server")
    is_right = not seen.server or seen.server in servers
    found = f"clock follows {seen.server or 'a server, which one is not shown'}"
    return _finding(config, NTP, Verdict.PASS if is_right else Verdict.FAIL, expected, found)


def _syslog(config: DeviceConfig, seen: tuple[LogTarget, ...] | None) -> Finding:
    wanted = config.base.log_servers
    expected = f"log goes to {_listed(_name(each) for each in wanted)}"
    if seen is None:
        return _finding(config, SYSLOG, Verdict.ERROR, expected, "", "the switch does not show where its log goes")
    lost = {each.address for each in seen if each.reached is False}
    there = [Server(each.address, each.vrf) for each in seen]
    found = f"log goes to {_listed(_name(each) + ' (unreachable)' * (each.address in lost) for each in there)}"
    is_right = not lost and {*there} == {*wanted}
    return _finding(config, SYSLOG, Verdict.PASS if is_right else Verdict.FAIL, expected, found)


def _name(server: Server) -> str:
    return f"{server.address} in VRF {server.vrf or 'default'}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "no server"


def _ztp(config: DeviceConfig, seen: ZeroTouch | None) -> Finding:
    expected = "provisioning at boot is off"
    if seen is None:
        return _finding(config, ZTP, Verdict.ERROR, expected, "", "the switch does not show its provisioning at boot")
    verdict = Verdict.PASS if seen.ended else Verdict.FAIL
    return _finding(config, ZTP, verdict, expected, f"provisioning at boot is {seen.state or 'on'}")


def _accounts(config: DeviceConfig, kept: Set[str], seen: tuple[ShownAccount, ...] | None) -> Finding:
    """``kept``: accounts that may be there, with whatever role."""
    wanted = {each.name: each.role for each in config.base.accounts}
    expected = f"accounts {_listed(f'{name} ({role})' for name, role in wanted.items())}"
    if seen is None:
        return _finding(config, ACCOUNTS, Verdict.ERROR, expected, "", "the switch does not show its accounts")
    there = {each.name: each.role for each in seen}
    wrong = [f"{name} ({there[name]})" for name, role in wanted.items() if there.get(name, role) != role]
    wrong += [f"no {name}" for name in wanted if name not in there]
    wrong += [f"also {name} ({role})" for name, role in sorted(there.items()) if name not in {*wanted, *kept}]
    found = f"accounts: {', '.join(wrong) or 'as declared'}"
    return _finding(config, ACCOUNTS, Verdict.FAIL if wrong else Verdict.PASS, expected, found)


def _management(config: DeviceConfig, vrf: str | None, planned: Set[str], seen: _Seen) -> Iterator[Finding]:
    if vrf is None:
        return
    expected = f"VRF {vrf} has the management port and nothing of a plane"
    if seen.ports is None:
        words = "the switch does not show which VRF its ports are in"
        yield _finding(config, MANAGEMENT, Verdict.ERROR, expected, "", words)
        return
    own = [each for each in seen.ports if each.port.startswith(_MANAGEMENT_PORTS)]
    wrong = [f"{each.port} in VRF {each.vrf or 'default'}" for each in own if each.vrf != vrf]
    wrong += [] if own else ["no management port"]
    wrong += sorted(each.port for each in seen.ports if each.vrf == vrf and each.port in planned)
    wrong += sorted(f"route {prefix}" for place, prefix in seen.routes if place == vrf)
    found = ", ".join(wrong[:_MOST]) + (f" and {len(wrong) - _MOST} more" if len(wrong) > _MOST else "")
    verdict = Verdict.FAIL if wrong else Verdict.PASS
    yield _finding(config, MANAGEMENT, verdict, expected, found or f"{own[0].port} in VRF {vrf}")


_MOST = 3
"""Things that a message names."""


def _vrf(evidence: Evidence, config: DeviceConfig) -> str | None:
    """The management VRF by the switch's own name for it; None: management shares the default one."""
    device = evidence.network.device(config.name)
    return vrf_of(evidence.network.base.get(device.fabric), device.capabilities)


def _finding(
    config: DeviceConfig, about: About, verdict: Verdict, expected: str, found: str, message: str = ""
) -> Finding:
    return Finding(about.name, config.name, "", verdict, f"{config.name}: {message or found}", expected, found)
