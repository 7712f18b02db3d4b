"""How switches are reached: what the intent manages of it, and in the terms of each OS."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AclRule, PortRange
from nornir_tasks.design.config.reach import ApiSettings, ControlPlane, Reach, SshSettings
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import SwitchBase
from nornir_tasks.intent.keys.base import BaseIntent


def within(base: SwitchBase, vrf: str | None, capabilities: Capabilities) -> Reach:
    """In the terms of this switch's OS; ``vrf``: its name for the management VRF, None for the default one."""
    ssh, ssh_vrf = base.settings.ssh, vrf if capabilities.ssh_is_in_one_vrf else None
    return Reach(
        api=_api(base, vrf, capabilities),
        ssh=None if ssh is None else SshSettings(ssh.idle_minutes, ssh_vrf),
        control_plane=_control_plane(base.settings, vrf, capabilities),
    )


def _api(base: SwitchBase, vrf: str | None, capabilities: Capabilities) -> ApiSettings | None:
    if base.settings.api is None:
        return None
    certificate, management = base.settings.api.certificate, base.management
    if capabilities.api_is_bound_to == "vrf":
        return ApiSettings(certificate, vrf)
    return ApiSettings(certificate, None, management.address if management else None)


_NTP, _DNS, _SNMP, _DHCP_SERVER, _DHCP_CLIENT = (123, 123), (53, 53), (161, 161), (67, 67), (68, 68)
_STEP = 10


def _control_plane(base: BaseIntent, vrf: str | None, capabilities: Capabilities) -> ControlPlane | None:
    if base.control_plane is None or (vrf is None and base.control_plane.fabric):
        return None  # in the default VRF there is one list, with all that gets in
    rules = numbered(_rules(base))
    return ControlPlane(rules, vrf if capabilities.control_list_is_of_vrf else None)


def numbered(rules: Iterable[AclRule]) -> tuple[AclRule, ...]:
    """With their numbers."""
    return tuple(replace(each, sequence=_STEP * n) for n, each in enumerate(rules, start=1))


def managers(base: BaseIntent) -> Iterator[AclRule]:
    """Who gets in, for all or for SNMP alone."""
    allowed = base.control_plane.allowed if base.control_plane else ()
    for prefix in allowed:
        yield AclRule(0, True, source=str(prefix))
    for prefix in (base.snmp and base.snmp.managers) or ():
        if prefix not in allowed:
            yield AclRule(0, True, UDP, source=str(prefix), destination_ports=_SNMP)


def _rules(base: BaseIntent) -> Iterator[AclRule]:
    """Who gets in; ICMP; answers to what the switch opened or asked; then nothing."""
    yield from managers(base)
    yield AclRule(0, True, ICMP["ipv4"])
    yield AclRule(0, True, TCP, established=True)
    for servers, port in ((base.ntp, _NTP), (base.dns.servers if base.dns else None, _DNS)):
        yield from (_answer(each, port) for each in sorted(servers or (), key=int) if each.version == 4)
    yield AclRule(0, True, UDP, source_ports=_DHCP_SERVER, destination_ports=_DHCP_CLIENT)
    yield AclRule(0, False)


def _answer(server: IPv4Address | IPv6Address, port: PortRange) -> AclRule:
    return AclRule(0, True, UDP, source=f"{server}/32", source_ports=port)
