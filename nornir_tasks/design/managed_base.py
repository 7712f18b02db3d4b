"""Base configuration: what the intent manages of it on the switches of each fabric, and in the terms of each OS."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nornir_tasks.design import managed_accounts, managed_reach
from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.config.base import NO_BASE, Base, BaseSection, Server
from nornir_tasks.design.management import ManagementAddress
from nornir_tasks.design.partial_config import BasePolicy, DnsPolicy
from nornir_tasks.errors import Problem
from nornir_tasks.intent.base_model import DEFAULT_VRF, BaseIntent, DnsIntent
from nornir_tasks.intent.model import Intent


def by_fabric(intent: Intent) -> Mapping[str, BasePolicy]:
    """Fabric -> what is managed there: its own, else the site's. Fabrics where nothing is are not in it."""
    found = {name: intent.base if fabric.base is None else fabric.base for name, fabric in intent.fabrics.items()}
    return {name: _policy(each) for name, each in found.items() if isinstance(each, BaseIntent)}


def _policy(base: BaseIntent) -> BasePolicy:
    ntp, syslog = (None if each is None else tuple(map(str, each)) for each in (base.ntp, base.syslog))
    return BasePolicy(
        None if base.vrf == DEFAULT_VRF else base.vrf,
        hostname=base.hostname is not None,
        dns=_dns(base.dns),
        ntp=ntp,
        syslog=syslog,
        accounts=managed_accounts.policy(base),
        reach=managed_reach.policy(base),
    )


def _dns(intent: DnsIntent | None) -> DnsPolicy | None:
    return None if intent is None else DnsPolicy(tuple(map(str, intent.servers)), intent.domain)


def of_switch(policy: BasePolicy, management: ManagementAddress | None) -> BasePolicy:
    """The same for one switch, whose management port has this address."""
    return replace(policy, management=management)


def sections(policy: BasePolicy | None, management: ManagementAddress | None = None) -> frozenset[BaseSection]:
    """The sections that are managed on a switch, whose management port has this address."""
    if policy is None:
        return frozenset()
    found: dict[BaseSection, object] = {
        "hostname": policy.hostname or None,
        "dns": policy.dns,
        "ntp": policy.ntp,
        "syslog": policy.syslog,
        "accounts": policy.accounts,
    }
    named = frozenset(section for section, value in found.items() if value is not None)
    return named | managed_reach.sections(policy.reach, management)


def within(policy: BasePolicy | None, device: str, capabilities: Capabilities) -> Base:
    """In the terms of this switch's OS: a management VRF has a name of its own on most."""
    if policy is None:
        return NO_BASE
    vrf = policy.vrf and (capabilities.management_vrf or policy.vrf)
    dns = policy.dns or DnsPolicy((), None)
    names, time, log = (
        tuple(Server(each, vrf) for each in found or ()) for found in (dns.servers, policy.ntp, policy.syslog)
    )
    return Base(
        hostname=device if policy.hostname else None,
        name_servers=names,
        domain=dns.domain,
        time_servers=time,
        log_servers=log,
        accounts=managed_accounts.within(policy, capabilities),
        reach=managed_reach.within(policy, vrf, capabilities),
    )


def problems(device: str, policy: BasePolicy | None, capabilities: Capabilities) -> Iterator[Problem]:
    """What of the base configuration of one switch its OS cannot be configured with."""
    if policy is None:
        return
    if policy.dns is not None and policy.dns.domain is not None and capabilities.domain_gap:
        what = f"a domain name cannot be configured: {capabilities.domain_gap}"
        hint = "leave dns.domain out in the base of this fabric, or take a later release"
        yield Problem(device, what, "base.dns without domain", policy.dns.domain, hint)
