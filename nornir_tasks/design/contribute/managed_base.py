"""Base configuration: what the intent manages of it on the switches of each fabric, and in the terms of each OS."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nornir_tasks.design.config.base import NO_BASE, Base, BaseSection, ManagementPort, Server
from nornir_tasks.design.contribute import lockout, managed_aaa, managed_accounts, managed_reach, managed_snmp
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import BasePolicy, DnsPolicy
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.base import DEFAULT_VRF, BaseIntent, DnsIntent
from nornir_tasks.intent.keys.site import Intent


def by_fabric(intent: Intent) -> Mapping[str, BasePolicy]:
    """Fabric -> what is managed there: its own, else the site's. Fabrics where nothing is are not in it."""
    names = [*intent.fabrics]
    if intent.boundary is not None and intent.boundary.edge is not None:
        names.append(intent.boundary.edge.name_prefix)
    found = {name: of_fabric(intent, name) for name in names}
    return {name: _policy(each) for name, each in found.items() if each is not None}


def of_fabric(intent: Intent, name: str) -> BaseIntent | None:
    """What is managed on its switches: its own, else the site's; edge routers are no fabric of the intent."""
    fabric = intent.fabrics.get(name)
    found = intent.base if fabric is None or fabric.base is None else fabric.base
    return found if isinstance(found, BaseIntent) else None


def check(network: Network, intent: Intent) -> None:
    """Raises DesignError where a management port is managed without an address, or a list locks somebody out."""
    findings: list[Finding] = []
    for name, policy in network.base.items():
        path = (*(("fabrics", name) if intent.has_own_base(name) else ()), "base")
        findings += lockout.findings(network, policy, path)
        devices = [each for each in network.devices if each.fabric == name]
        findings += managed_reach.findings(devices, policy, path)
        without = [each.name for each in devices if each.name not in network.management]
        if policy.port and without:
            more = f" and {len(without) - 1} more" if len(without) > 1 else ""
            findings.append(
                Finding(
                    (*path, "management"),
                    f"the management ports of fabric {name} have no address",
                    "a plane of kind oob whose fabric joins the management port of each switch",
                    f"{without[0]}{more} without one",
                    "add such a plane, or leave management out: then it stays as each switch has it",
                )
            )
    if findings:
        raise DesignError(intent.marks.problems(findings))


def _policy(base: BaseIntent) -> BasePolicy:
    ntp, syslog = (None if each is None else tuple(map(str, each)) for each in (base.ntp, base.syslog))
    return BasePolicy(
        None if base.vrf == DEFAULT_VRF else base.vrf,
        hostname=base.hostname is not None,
        banner=base.banner,
        port=base.management is not None,
        dns=_dns(base.dns),
        ntp=ntp,
        syslog=syslog,
        accounts=managed_accounts.policy(base),
        tacacs=managed_aaa.tacacs_policy(base),
        radius=managed_aaa.radius_policy(base),
        snmp=managed_snmp.policy(base),
        reach=managed_reach.policy(base),
    )


def _dns(intent: DnsIntent | None) -> DnsPolicy | None:
    return None if intent is None else DnsPolicy(tuple(map(str, intent.servers)), intent.domain)


def of_switch(network: Network, device: Device) -> BasePolicy | None:
    """What is managed of one switch, with what the design knows of its management port; None: nothing is."""
    policy = network.base.get(device.fabric)
    if policy is None:
        return None
    pools = network.fabric_of(device).pools
    links = tuple(pools[name] for name in ("links", "loopback") if name in pools) if policy.reach.fabric else ()
    return replace(policy, management=network.management.get(device.name), reach=replace(policy.reach, links=links))


def sections(policy: BasePolicy | None, management: ManagementAddress | None = None) -> frozenset[BaseSection]:
    """The sections that are managed on a switch, whose management port has this address."""
    if policy is None:
        return frozenset()
    found: dict[BaseSection, object] = {
        "hostname": policy.hostname or None,
        "management": policy.port or None,
        "banner": policy.banner,
        "dns": policy.dns,
        "ntp": policy.ntp,
        "syslog": policy.syslog,
        "snmp": policy.snmp,
        "accounts": policy.accounts,
        "aaa": policy.tacacs or policy.radius,
        "radius": policy.radius,
    }
    named = frozenset(section for section, value in found.items() if value is not None)
    return named | managed_reach.sections(policy, management)


def vrf_of(policy: BasePolicy | None, capabilities: Capabilities) -> str | None:
    """The management VRF by the name that the switch has for it, which on most systems is the system's own."""
    if policy is None or policy.vrf is None:
        return None
    return capabilities.management_vrf or policy.vrf


def within(policy: BasePolicy | None, device: str, capabilities: Capabilities) -> Base:
    """In the terms of this switch's OS: a management VRF has a name of its own on most."""
    if policy is None:
        return NO_BASE
    vrf = vrf_of(policy, capabilities)
    at = policy.management if policy.port else None
    port = ManagementPort(vrf, at.interface, at.gateway) if vrf and at else None
    dns = policy.dns or DnsPolicy((), None)
    names, time, log = (
        tuple(Server(each, vrf) for each in found or ()) for found in (dns.servers, policy.ntp, policy.syslog)
    )
    return Base(
        hostname=device if policy.hostname else None,
        banner=policy.banner,
        management=port,
        name_servers=names,
        domain=dns.domain,
        time_servers=time,
        log_servers=log,
        accounts=managed_accounts.within(policy, capabilities),
        tacacs=managed_aaa.tacacs_within(policy, vrf, capabilities),
        radius=managed_aaa.radius_within(policy, vrf, capabilities),
        snmp=managed_snmp.within(policy, vrf, device, capabilities),
        reach=managed_reach.within(policy, vrf, capabilities),
    )


def problems(device: str, policy: BasePolicy | None, capabilities: Capabilities) -> Iterator[Problem]:
    """What of the base configuration of one switch it cannot be configured with."""
    if policy is None:
        return
    if policy.port and (policy.management is None or policy.vrf is None):
        what = "its management port is managed, and has no address in a management VRF"
        yield Problem(device, what, "an address, and a default route, of an out-of-band plane")
    yield from managed_snmp.problems(device, policy, capabilities)
    if policy.dns is not None and policy.dns.domain is not None and capabilities.domain_gap:
        what = f"a domain name cannot be configured: {capabilities.domain_gap}"
        hint = "leave dns.domain out in the base of this fabric, or take a later release"
        yield Problem(device, what, "base.dns without domain", policy.dns.domain, hint)
