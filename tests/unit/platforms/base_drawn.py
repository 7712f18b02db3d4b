"""Random configurations in which base configuration is ours, in part, or not at all."""

from dataclasses import replace
from ipaddress import IPv4Network

from hypothesis import strategies as st

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.design.config.access_lists import ICMP, TCP, AccessList, AclBinding, AclRule
from nornir_tasks.design.config.accounts import Account
from nornir_tasks.design.config.base import Base, BaseSection, ManagementPort, Server
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.reach import (
    CONTROL_LIST,
    FABRIC_LISTS,
    ApiSettings,
    ControlPlane,
    Reach,
    SshSettings,
)
from nornir_tasks.design.config.snmp import KEY_FORMS, SNMP_AUTHS, Snmp, SnmpUser
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.account import ROLES

BANNERS = st.lists(st.from_regex(r"[A-Z][a-z0-9 ]{0,20}[a-z.]", fullmatch=True), min_size=1, max_size=4).map("\n".join)
ADDRESSES = st.ip_addresses().filter(lambda each: getattr(each, "scope_id", None) is None).map(str)

PREFIXES = st.builds(
    lambda address, length: str(IPv4Network((address, length), strict=False)),
    st.integers(0, 2**32 - 1),
    st.integers(1, 32),
)
"""Of IPv4, but for all there is, which the intent refuses (nobody is kept out)."""

_SECRETS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True).map(placeholder)


def maybe_managed(
    draw: st.DrawFn, config: DeviceConfig, *management_vrfs: str, has_domain: bool = True
) -> DeviceConfig:
    """The same configuration, perhaps with servers for time and log, all in one VRF: what the intent can hold."""
    vrf = draw(st.sampled_from((None, *management_vrfs)))

    def servers() -> tuple[Server, ...]:
        return tuple(Server(each, vrf) for each in draw(st.lists(ADDRESSES, max_size=3, unique=True)))

    name = draw(st.sampled_from((None, config.name)))
    domain = draw(st.sampled_from((None, "fabric.example.net"))) if has_domain else None
    port = ManagementPort(vrf, "198.51.100.7/24", "198.51.100.254") if vrf and draw(st.booleans()) else None
    made = Base(
        hostname=name,
        banner=draw(st.none() | BANNERS),
        timezone=draw(st.sampled_from((None, "UTC", *([] if config.os == "nxos" else ["Asia/Tokyo", "US/Eastern"])))),
        management=port,
        name_servers=servers(),
        domain=domain,
        time_servers=servers(),
        log_servers=servers(),
    )
    addresses = st.lists(ADDRESSES, min_size=1, max_size=3, unique=True).map(tuple)
    servers_of = st.builds(Tacacs, addresses, st.just(vrf), _SECRETS)
    made = replace(made, accounts=draw(_accounts()), tacacs=draw(st.none() | servers_of))
    if made.tacacs is None:
        seconds = st.none() | st.integers(1, 60).filter(lambda each: config.os != "nxos" or each != 5)
        made = replace(made, radius=draw(st.none() | st.builds(Radius, addresses, st.just(vrf), _SECRETS, seconds)))
    if config.os != "nvue":
        made = replace(made, snmp=draw(st.none() | _snmp(config, vrf)))
    return replace(config, base=replace(made, reach=draw(_reached(config, vrf))))


def _accounts() -> st.SearchStrategy[tuple[Account, ...]]:
    names = st.from_regex(r"[a-z][a-z0-9_-]{0,27}", fullmatch=True)
    accounts = st.builds(Account, names, st.sampled_from(ROLES), _SECRETS)
    return st.lists(accounts, max_size=3, unique_by=lambda each: each.name).map(tuple)


@st.composite
def _snmp(draw: st.DrawFn, config: DeviceConfig, vrf: str | None) -> Snmp:
    """As the design makes it: an engine on EOS; a VRF where something is said of it."""
    forms = st.sampled_from(KEY_FORMS if config.os == "nxos" else ("v1",))
    names = st.from_regex(r"[a-z][a-z0-9_-]{0,27}", fullmatch=True)
    users = st.builds(SnmpUser, names, st.sampled_from(SNMP_AUTHS), _SECRETS, _SECRETS, forms)
    found = draw(st.lists(users, min_size=1, max_size=3, unique_by=lambda each: each.name))
    targets = tuple(draw(st.lists(ADDRESSES, max_size=3, unique=True)))
    texts = st.none() | st.from_regex(r"[A-Z][a-z0-9 ,.@]{0,20}[a-z]", fullmatch=True)
    return Snmp(
        users=tuple(found),
        vrf=vrf if targets or config.os == "eos" else None,
        engine="800075710406" if config.os == "eos" else None,
        location=draw(texts),
        contact=draw(texts),
        targets=targets,
        target_user=found[0].name if targets else None,
    )


def _reached(config: DeviceConfig, vrf: str | None) -> st.SearchStrategy[Reach]:
    names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,31}", fullmatch=True)
    apis = st.builds(ApiSettings, names, st.just(vrf))
    if config.os == "nvue":
        apis = st.builds(ApiSettings, names, st.none(), st.none() | st.ip_addresses(v=4).map(str))
    shells = st.builds(SshSettings, st.integers(1, 29), st.just(None if config.os == "nxos" else vrf))
    control = st.builds(
        lambda prefixes: ControlPlane(_rules(prefixes), vrf if config.os == "eos" else None),
        st.lists(PREFIXES, min_size=1, max_size=3, unique=True),
    )
    if config.os == "eos" and vrf is None:
        control = st.nothing()
    fabric = st.just(())
    if config.os == "eos":
        lists = (AccessList(FABRIC_LISTS["ipv4"], "ipv4", (AclRule(10, False),)), _six())
        fabric = st.sampled_from(((), lists[:1], lists[1:], lists))
    return st.builds(Reach, st.none() | apis, st.none() | shells, st.none() | control, fabric)


def _six() -> AccessList:
    rules = (AclRule(10, True, ICMP["ipv6"], icmp_type=135), AclRule(20, False))
    return AccessList(FABRIC_LISTS["ipv6"], "ipv6", rules)


def sections_of(base: Base) -> frozenset[BaseSection]:
    """The sections that have a line."""
    found: dict[BaseSection, object] = {
        "hostname": base.hostname,
        "management": base.management,
        "banner": base.banner,
        "timezone": base.timezone,
        "dns": base.name_servers or base.domain,
        "ntp": base.time_servers,
        "syslog": base.log_servers,
        "snmp": base.snmp,
        "accounts": base.accounts,
        "aaa": base.tacacs or base.radius,
        "radius": base.radius,
        "api": base.reach.api,
        "api address": base.reach.api and base.reach.api.address,
        "ssh": base.reach.ssh,
        "control": base.reach.control_plane,
        "control fabric": base.reach.fabric,
    }
    return frozenset(section for section, value in found.items() if value)


def with_management(config: DeviceConfig) -> DeviceConfig:
    """The same with the management port among the ports, its VRF and its route among theirs: as others see it."""
    port = config.base.management
    filtered = config.os == "nxos" and config.base.reach.control_plane is not None
    if port is None and not filtered:
        return config
    name = {"eos": "Management1", "nxos": "mgmt0"}[config.os]
    acls = (AclBinding("ipv4", "in", CONTROL_LIST),) if filtered else ()
    address, vrf = (port.address, port.vrf) if port else (None, None)
    made = Interface(name, None, address, None, enabled=True, qos_profile=None, vrf=vrf, acls=acls)
    seen = replace(config, interfaces=(*config.interfaces, made))
    if port is None:
        return seen
    return replace(
        seen,
        vrfs=(*config.vrfs, Vrf(port.vrf)),
        static_routes=(*config.static_routes, StaticRoute("0.0.0.0/0", port.vrf, (port.gateway,))),
    )


def _rules(prefixes: list[str]) -> tuple[AclRule, ...]:
    """Some get in, all others only with answers."""
    permitted = [AclRule(10 * n, True, source=each) for n, each in enumerate(prefixes, start=1)]
    return (*permitted, AclRule(900, True, TCP, established=True), AclRule(910, False))
