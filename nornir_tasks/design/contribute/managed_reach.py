"""How switches are reached: what the intent manages of it, and in the terms of each OS."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_address

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AclRule, PortRange
from nornir_tasks.design.config.base import BaseSection
from nornir_tasks.design.config.reach import ApiSettings, ControlPlane, Reach, SshSettings
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.model.partial_config import BasePolicy, ReachPolicy
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.base import BaseIntent


def policy(base: BaseIntent) -> ReachPolicy:
    """What the intent says of it."""
    return ReachPolicy(
        certificate=None if base.api is None else base.api.certificate,
        ssh_idle_minutes=None if base.ssh is None else base.ssh.idle_minutes,
        allowed=None if base.control_plane is None else tuple(map(str, base.control_plane.allowed)),
        fabric=base.control_plane is not None and base.control_plane.fabric,
    )


def sections(base: BasePolicy, management: ManagementAddress | None) -> frozenset[BaseSection]:
    """The sections that are managed on a switch, whose management port has this address."""
    policy = base.reach
    found: dict[BaseSection, object] = {
        "api": policy.certificate,
        "api address": policy.certificate and management,
        "ssh": policy.ssh_idle_minutes,
        "control": None if base.vrf is None else policy.allowed,
        "control fabric": policy.fabric or None,
    }
    return frozenset(section for section, value in found.items() if value is not None)


def within(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> Reach:
    """In the terms of this switch's OS; ``vrf``: its name for the management VRF, None for the default one."""
    minutes = base.reach.ssh_idle_minutes
    ssh_vrf = vrf if capabilities.ssh_is_in_one_vrf else None
    return Reach(
        api=_api(base, vrf, capabilities),
        ssh=None if minutes is None else SshSettings(minutes, ssh_vrf),
        control_plane=_control_plane(base, vrf, capabilities),
    )


def _api(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> ApiSettings | None:
    certificate, management = base.reach.certificate, base.management
    if certificate is None:
        return None
    if capabilities.api_is_bound_to == "vrf":
        return ApiSettings(certificate, vrf)
    return ApiSettings(certificate, None, management.address if management else None)


_NTP, _DNS, _SNMP, _DHCP_SERVER, _DHCP_CLIENT = (123, 123), (53, 53), (161, 161), (67, 67), (68, 68)
_STEP = 10


def _control_plane(base: BasePolicy, vrf: str | None, capabilities: Capabilities) -> ControlPlane | None:
    if base.reach.allowed is None or (vrf is None and base.reach.fabric):
        return None  # in the default VRF there is one list, with all that gets in
    rules = numbered(_rules(base, base.reach.allowed))
    return ControlPlane(rules, vrf if capabilities.control_list_is_of_vrf else None)


def numbered(rules: Iterable[AclRule]) -> tuple[AclRule, ...]:
    """With their numbers."""
    return tuple(replace(each, sequence=_STEP * n) for n, each in enumerate(rules, start=1))


def managers(base: BasePolicy, allowed: tuple[str, ...]) -> Iterator[AclRule]:
    """Who gets in, for all or for SNMP alone."""
    for prefix in allowed:
        yield AclRule(0, True, source=prefix)
    for prefix in base.snmp.managers if base.snmp else ():
        if prefix not in allowed:
            yield AclRule(0, True, UDP, source=prefix, destination_ports=_SNMP)


def _rules(base: BasePolicy, allowed: tuple[str, ...]) -> Iterator[AclRule]:
    """Who gets in; ICMP; answers to what the switch opened or asked; then nothing."""
    yield from managers(base, allowed)
    yield AclRule(0, True, ICMP["ipv4"])
    yield AclRule(0, True, TCP, established=True)
    for servers, port in ((base.ntp, _NTP), (base.dns.servers if base.dns else None, _DNS)):
        yield from (_answer(each, port) for each in sorted(servers or (), key=_number) if ":" not in each)
    yield AclRule(0, True, UDP, source_ports=_DHCP_SERVER, destination_ports=_DHCP_CLIENT)
    yield AclRule(0, False)


def findings(devices: Iterable[Device], policy: BasePolicy, base: Path) -> Iterator[Finding]:
    """One for each system that has no list of the default VRF, and shall; ``base``: its place in the intent."""
    gaps: dict[str, list[str]] = {}
    for each in devices if policy.reach.fabric else ():
        if each.capabilities.fabric_list_gap:
            gaps.setdefault(each.capabilities.fabric_list_gap, []).append(f"{each.name} ({each.os} {each.release})")
    for gap, names in gaps.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Finding(
            (*base, "control_plane", "fabric"),
            f"what comes by ports other than the management port can have no list: {gap}",
            "switches of systems that have one, or no list there",
            f"{names[0]}{more}",
            "leave it out here, and name it for fabrics that can have it; docs/not-shown.md: what holds without",
        )


def _answer(server: str, port: PortRange) -> AclRule:
    return AclRule(0, True, UDP, source=f"{server}/32", source_ports=port)


def _number(address: str) -> tuple[int, int]:
    value = ip_address(address)
    return value.version, int(value)
