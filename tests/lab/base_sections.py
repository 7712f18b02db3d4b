"""TACACS+, RADIUS and SNMPv3, each managed alone: what others have of it, what somebody changes of ours or adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.config.snmp import KeyForm
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.platforms.config_tree import Path
from tests.lab.typed_switches import SWITCHES, Switch
from tests.unit.design import managed

EOS, NXOS, NVUE, NVUE_OLD = (managed.DEVICES[each] for each in ("eos", "nxos", "nvue 5.16", "nvue 5.14"))
KEY = "8da526cd35b9ea9b42d819036f7fad058576ea0a"
OUR_TACACS = "aaa group server tacacs+ GPUFABRIC"
OUR_RADIUS = "aaa group server radius GPUFABRIC-RADIUS"
LOCAL_ALONE = ("aaa authentication login default local",)
LOCAL_ALONE_NVUE = ("system", "aaa", "authentication", 'order: ["local"]')
Lines = Mapping[str, tuple[Path, ...]]


class Section(NamedTuple):
    """A section of base that is managed alone."""

    field: str
    """Its field of Base."""
    wanted: Callable[..., Wanted]
    """Of a device, and the VRF of its management."""
    of_ours: Lines
    """Device -> what somebody may change of what is ours where it is managed."""
    beside: Lines
    """Device -> what they may add beside it."""
    gone: str
    """Lines of others at day 0, by a pattern: all go with those who adopt them."""
    theirs: Lines = MappingProxyType({})
    """Device -> what others have besides what they have on each switch of tests."""
    named: tuple[str, ...] = ("",)
    """Patterns of lines of others: of each some stay, and are named."""
    guarded: tuple[str, ...] = (EOS, NXOS, NVUE, NVUE_OLD)
    """The devices on which a change of it is one of our own path."""
    least: tuple[int, int] = (5, 2)
    """So many of its lines can go, and so many can have another value."""

    def brownfield(self, each: Wanted) -> Switch:
        """A switch as day 0 and others leave it."""
        switch = SWITCHES[each.config.os].at_day0(each.config)
        for path in self.theirs.get(each.config.name, ()):
            switch.type(path)
        return switch


def alone(device: str, settings: BaseIntent, sections: frozenset[str], **without: Any) -> Wanted:
    """These sections of a device's base alone, ``without`` what they need besides."""
    network = managed.network(settings)
    made = managed.device_config(network, network.device(device))
    claims = replace(made.claims, base=made.claims.base & sections)
    config = replace(made.config, base=replace(made.config.base, **without))
    return wanted(config, made.capabilities, claims, environment(config.os), planes=("base",))


def tacacs(device: str, vrf: str = "MGMT") -> Wanted:
    """But for the local accounts that it needs."""
    settings = managed.settings(vrf=vrf, accounts=managed.ACCOUNTS, aaa=managed.POLICY.aaa)
    return alone(device, settings, frozenset({"aaa"}), accounts=())


def radius(device: str, vrf: str = "MGMT", timeout_s: int | None = 10) -> Wanted:
    """But for the local accounts that it needs."""
    servers = {"radius": {**managed.RADIUS, "timeout_s": timeout_s}}
    settings = managed.settings(vrf=vrf, accounts=managed.ACCOUNTS, aaa=servers)
    return alone(device, settings, frozenset({"aaa", "radius"}), accounts=())


def snmp(device: str, vrf: str = "MGMT", form: KeyForm = "v1", sections: frozenset[str] = frozenset()) -> Wanted:
    """With further sections, if they are named."""
    keys = {"accounts": managed.ACCOUNTS} if sections else {}
    settings = managed.settings(vrf=vrf, snmp={**managed.SNMP, "keys": form}, **keys)
    return alone(device, settings, frozenset({"snmp", *sections}))


SECTIONS = {
    "TACACS+": Section(
        field="tacacs",
        wanted=tacacs,
        of_ours={
            EOS: ((OUR_TACACS, "server 192.0.2.99 vrf MGMT"), LOCAL_ALONE),
            NXOS: ((OUR_TACACS, "server 192.0.2.99"), LOCAL_ALONE),
            NVUE: (LOCAL_ALONE_NVUE,),
            NVUE_OLD: (("system", "aaa", "authentication-order", "3", "radius"),),
        },
        beside={
            EOS: (
                ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",),
                ("tacacs-server timeout 10",),
                ("aaa group server tacacs+ THEIRS",),
            ),
            NXOS: (
                ('tacacs-server host 192.0.2.99 key 7 "fewhg123"',),
                ("tacacs-server timeout 10",),
                ("aaa group server tacacs+ THEIRS",),
            ),
            NVUE: (
                ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
                ("system", "aaa", "tacacs", "timeout: 20"),
            ),
            NVUE_OLD: (
                ("system", "aaa", "tacacs", "server", "192.0.2.99", "priority: 8"),
                ("system", "aaa", "tacacs", "timeout: 20"),
            ),
        },
        gone=r"tacacs.* 192\.0\.2\.9( |$)|SITE-TACACS",
    ),
    "RADIUS": Section(
        field="radius",
        wanted=radius,
        of_ours={
            EOS: (
                (OUR_RADIUS, "server 192.0.2.199 vrf MGMT"),
                ("radius-server host 192.0.2.95 vrf MGMT key 7 071B245F5A",),
                LOCAL_ALONE,
            ),
            NXOS: ((OUR_RADIUS, "server 192.0.2.199"), ("radius-server timeout 20",), LOCAL_ALONE),
            NVUE: (("system", "aaa", "radius", "timeout: 20"), LOCAL_ALONE_NVUE),
            NVUE_OLD: (("system", "aaa", "authentication-order", "3", "tacacs"),),
        },
        beside={
            EOS: (("radius-server deadtime 10",), ("tacacs-server host 192.0.2.99 vrf MGMT key 7 071B245F5A",)),
            NXOS: (('radius-server key 7 "ljw3976!"',),),
            NVUE: (("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),),
            NVUE_OLD: (
                ("system", "aaa", "radius", "server", "192.0.2.199", "priority: 8"),
                ("system", "aaa", "radius", "retransmit: 2"),
            ),
        },
        theirs={
            EOS: (
                ("radius-server host 192.0.2.199 vrf MGMT key 7 071B245F5A",),
                ("aaa group server radius THEIRS", "server 192.0.2.199 vrf MGMT"),
            ),
            NXOS: (
                ('radius-server host 192.0.2.199 key 7 "ljw3976!" authentication accounting',),
                ("aaa group server radius THEIRS", "server 192.0.2.199"),
            ),
            NVUE: (("system", "aaa", "radius", "server", "192.0.2.199", "port: 1812"),),
            NVUE_OLD: (("system", "aaa", "radius", "server", "192.0.2.199", "port: 1812"),),
        },
        named=(r"192\.0\.2\.199", "tacacs"),
        gone=r"192\.0\.2\.199|SITE-TACACS|^(?!.*access-list).*tacacs",
    ),
    "SNMPv3": Section(
        field="snmp",
        wanted=snmp,
        of_ours={
            EOS: (
                (f"snmp-server user nms GPUFABRIC v3 localized 424242 auth sha {KEY} priv aes {KEY[:32]}",),
                ("snmp-server group GPUFABRIC v3 noauth",),
                ("snmp-server view GPUFABRIC iso excluded",),
                ("snmp-server view GPUFABRIC snmpMIB excluded",),
                ("snmp-server contact somebody else",),
            ),
            NXOS: (
                (f"snmp-server user nms network-operator auth sha 0x{KEY} priv aes-128 0x{KEY} localizedkey",),
                ("snmp-server contact somebody else",),
            ),
        },
        beside={
            EOS: (
                ("snmp-server community public ro",),
                ("snmp-server group THEIRS v3 auth",),
                (f"snmp-server user them THEIRS v3 localized 424242 auth sha {KEY}",),
                ("snmp-server host 192.0.2.61 vrf MGMT version 2c public",),
                ("snmp-server vrf OTHER",),
            ),
            NXOS: (
                ("snmp-server community public group network-operator",),
                (f"snmp-server user them network-admin auth sha 0x{KEY} priv aes-128 0x{KEY} localizedkey",),
                ("snmp-server host 192.0.2.61 traps version 2c public",),
            ),
        },
        gone=r"telemetry|198\.51\.100\.30",
        guarded=(NXOS,),
        least=(6, 2),
    ),
}
