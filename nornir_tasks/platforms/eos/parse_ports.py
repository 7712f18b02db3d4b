"""Interfaces of an EOS configuration: ports, link aggregation groups, subinterfaces, SVIs and loopbacks."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.storm_control import storm_control
from nornir_tasks.design.realise.relay_rules import in_order
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.access_lists import APPLIED
from nornir_tasks.platforms.eos.layer1 import ROWS as LAYER1_ROWS
from nornir_tasks.platforms.eos.layer1 import read_layer1
from nornir_tasks.platforms.eos.parse_layer3 import LOOPBACK as LOOPBACK_LAYER3
from nornir_tasks.platforms.eos.parse_layer3 import PORT as PORT_LAYER3
from nornir_tasks.platforms.eos.parse_layer3 import SVI as SVI_LAYER3
from nornir_tasks.platforms.eos.parse_layer3 import advertised_ms, gateway_of, ipv6_of
from nornir_tasks.platforms.eos.parse_pair import OF_GROUP, OF_PEER_LINK, OF_SVI, note
from nornir_tasks.platforms.eos.port_map import INDIVIDUAL_AFTER_S, LAG
from nornir_tasks.platforms.lines import Fields, Table, no, number, read, row, table, text, yes
from nornir_tasks.platforms.vlan_lists import ALLOWED

_DEFAULT_MTU_BYTES = 1500
"""MTU of a routed port without an ``mtu`` line. Source: pyavd eos__ethernet_interfaces, "show interfaces" of EOS."""

Reader = Callable[[ConfigTree, re.Match[str], Fields], list[ConfigTree] | None]
"""(block, match of its first line, fields so far) -> unknown lines of the block; None: all of it."""

_STORM = ("broadcast_pps", "multicast_pps", "unknown_unicast_pps")

_SILENCES = frozenset({"no lldp transmit", "no lldp receive"})
"""Of a routed port; either alone is not ours."""


def _whole(found: re.Match[str]) -> str:
    return found[0]


_TRUNK_DEFAULT = (r"(switchport trunk (?:allowed|native) vlan) .*", r"default \1")

PORT = (
    row(r"description (.+)", "description", text, single="description"),
    row(r"shutdown", "enabled", no),
    # batfish arista_interface_show_run_all: only "show running-config all" prints it
    row(r"no shutdown", "enabled", yes, hidden=("no shutdown",)),
    row(r"mtu (\d+)", "mtu_bytes", number, single="mtu"),
    row(r"no switchport", "routed", yes),
    row(r"vrf (\S+)", "vrf", text, single="vrf"),
    # a second or virtual address is independent of the first
    row(r"ip address (\d+\.\d+\.\d+\.\d+/\d+)", "address", text, single=r"ip address(?= (?!virtual )\S+$)"),
    row(r"service-profile (\S+)", "qos_profile", text, single="service-profile"),
    # tests/corpus/eos/NOTES.md: by default a port is switched, and then an access port
    row(r"switchport", "switched", yes, hidden=("switchport",)),
    row(r"switchport mode access", "switched", yes, single="switchport mode", hidden=("switchport mode access",)),
    row(r"switchport access vlan (\d+)", "access_vlan", number, single="switchport access vlan"),
    row(r"switchport mode trunk", "is_trunk", yes, single="switchport mode"),
    row(
        r"switchport trunk allowed vlan (\d+)",
        "allowed_vlans",
        number,
        single=ALLOWED.strip(),
        many=True,
        # arista.eos (ansible 12.3.0) eos_l2_interfaces: "no switchport trunk allowed vlan", without the list
        negation=_TRUNK_DEFAULT,
    ),
    row(
        r"switchport trunk native vlan (\d+)",
        "native_vlan",
        number,
        single="switchport trunk native vlan",
        # batfish arista_interface_show_run_all: only "show running-config all" prints it
        hidden=("switchport trunk native vlan 1",),
        negation=_TRUNK_DEFAULT,
    ),
    row(r"encapsulation dot1q vlan (\d+)", "tag", number, single="encapsulation dot1q vlan"),
    row(
        r"channel-group (\d+) mode active",
        "group",
        number,
        single="channel-group",
        # arista.eos (ansible 12.3.0) config/lag_interfaces: "no channel-group", without number and mode
        negation=(r"(channel-group) .*", r"no \1"),
    ),
    row(r"lacp timer fast", "lacp_rate", lambda _: "fast", single="lacp timer"),
    # tests/corpus/eos/NOTES.md: by default a member asks for an LACPDU each 30 s
    row(r"lacp timer normal", "lacp_rate", lambda _: "slow", single="lacp timer", hidden=("lacp timer normal",)),
    row(r"port-channel min-links (\d+)", "min_links", number, single="port-channel min-links"),
    row(
        r"port-channel lacp fallback individual",
        "individual",
        yes,
        single=r"port-channel lacp fallback(?= (?:individual|static)$)",
    ),
    row(
        r"port-channel lacp fallback timeout (\d+)",
        "individual_after_s",
        number,
        single="port-channel lacp fallback timeout",
        # pyavd 6.4.0 schema, port_channel_interfaces[].lacp_fallback_timeout: 90 unless set
        hidden=("port-channel lacp fallback timeout 90",),
    ),
    OF_GROUP,
    OF_PEER_LINK,
    row(r"spanning-tree portfast", "portfast", yes),
    row(r"spanning-tree bpduguard enable", "bpduguard", yes, single="spanning-tree bpduguard"),
    # pyavd 6.4.0 eos__ethernet_interfaces prints the two apart; RUNALL: a port does both unless told otherwise
    row(r"no lldp transmit", "silences", _whole, many=True, hidden=("lldp transmit",)),
    row(r"no lldp receive", "silences", _whole, many=True, hidden=("lldp receive",)),
    *(
        row(
            rf"storm-control {kind} level pps (\d+)",
            field,
            number,
            single=f"storm-control {kind} level",
            # batfish arista_interface_show_run_all_3: "no storm-control broadcast", without the level
            negation=(r"(storm-control .*?)(?: level .*)?", r"no \1"),
        )
        for kind, field in zip(("broadcast", "multicast", "unknown-unicast"), _STORM, strict=True)
    ),
    *PORT_LAYER3,
    *APPLIED,
    *LAYER1_ROWS,
)
_TRUNK = {"is_trunk", "allowed_vlans", "native_vlan"}
_EDGE = {"portfast": "spanning-tree portfast", "bpduguard": "spanning-tree bpduguard enable"}
"""Either alone is not ours."""
_SWITCHED = {"access_vlan", *_EDGE, *_STORM}
"""Settings of switched ports only."""
_LAYER3 = {"address", "vrf", "ipv6_addresses", "is_silent"}
_ROUTED = {"mtu_bytes", "qos_profile", *_LAYER3}
"""Settings of routed ports only; a switched port without any of them is unused."""
_LAG = {"min_links", "individual", "individual_after_s", "pair_id", "trunk_groups"}
_MEMBER = {"group", "lacp_rate"}
_PORT_LINES = table(*(each for each in PORT if each.field not in {"tag", *_LAG}))
_NOT_OF_LAG = {"tag", "silences", *_MEMBER, *(each.field for each in LAYER1_ROWS)}
_LAG_LINES = table(*(each for each in PORT if each.field not in _NOT_OF_LAG))
_OF_LOOPBACK = {"description", "enabled", "address", "vrf"}
_LOOPBACK_LINES = table(*(each for each in PORT if each.field in _OF_LOOPBACK), *LOOPBACK_LAYER3)
_OF_SVI = {"description", "enabled", "mtu_bytes", "acls", *_LAYER3}
_OF_SUBINTERFACE = {*_OF_SVI, "tag"}
_SUBINTERFACE_LINES = table(*(each for each in PORT if each.field in _OF_SUBINTERFACE))
SVI = (*SVI_LAYER3, OF_SVI)
_SVI_LINES = table(*(each for each in PORT if each.field in _OF_SVI), *SVI)


def _svi(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    return _logical(node, found, fields, _SVI_LINES)


def _subinterface(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    return _logical(node, found, fields, _SUBINTERFACE_LINES)


def _logical(node: ConfigTree, found: re.Match[str], fields: Fields, lines: Table) -> list[ConfigTree]:
    """An SVI or a subinterface."""
    values, unknown = read(node.children.values(), lines)
    if "is_always_up" in values:
        note(fields, node.text, "no autostate")
    enabled, mtu = values.get("enabled", True), values.get("mtu_bytes", _DEFAULT_MTU_BYTES)
    port = Interface(found[1], values.get("description"), values.get("address"), mtu, enabled, None)
    ipv6_address, left = ipv6_of(values, node.children)
    port = replace(port, vrf=values.get("vrf"), tag=values.get("tag"), ra_interval_ms=advertised_ms(values))
    gateway, more = gateway_of(values, node.children)
    acls = tuple(sorted(values.get("acls", ())))
    servers = in_order(values.get("dhcp_servers", ()))
    port = replace(port, ipv6_address=ipv6_address, gateway=gateway, acls=acls, dhcp_servers=servers)
    fields["interfaces"].append(port)
    return unknown + left + more


def _contradicts(values: Fields) -> bool:
    """Does a port have a setting of another kind of port?"""
    if "group" in values and ("routed" in values or {"mtu_bytes", *_LAYER3} & values.keys()):
        return True
    if values.get("routed", False):
        return bool((_SWITCHED | _TRUNK) & values.keys() or "switched" in values)
    if "is_trunk" in values:
        return bool({"mtu_bytes", "access_vlan", *_LAYER3} & values.keys())
    if "access_vlan" in values:
        return bool({"mtu_bytes", *_LAYER3} & values.keys())
    alone = _ROUTED - {"qos_profile"} if "group" in values else _ROUTED
    return bool((alone | _SWITCHED) & values.keys())


def _left_of_trunk(values: Fields, lines: Iterable[ConfigTree]) -> list[ConfigTree]:
    """Trunk settings of a port that is none, or that does not allow its native VLAN."""
    found = [line for line in lines if line.text.startswith("switchport trunk ")]
    if "is_trunk" not in values:
        return found
    native = values.get("native_vlan")
    if native is None or native in values.get("allowed_vlans", ()):
        return []
    return [line for line in found if line.text.startswith("switchport trunk native ")]


def _lag(values: Fields) -> Lag:
    individual = "individual" in values
    wait_s = values.get("individual_after_s", INDIVIDUAL_AFTER_S) if individual else None
    return Lag(None, individual, wait_s, values.get("min_links"), values.get("pair_id"))


def _member(values: Fields) -> LagMember | None:
    return LagMember(f"{LAG}{values['group']}", values.get("lacp_rate", "slow")) if "group" in values else None


def _left_of_lag(values: Fields, lines: Iterable[ConfigTree]) -> list[ConfigTree]:
    """A rate of a port that is no member; a wait for what is not to come."""
    beginnings = [] if "group" in values else ["lacp timer "]
    beginnings += [] if "individual" in values else ["port-channel lacp fallback timeout "]
    known = {"lacp_rate", "individual_after_s"} & values.keys()
    return [line for line in lines if known and line.text.startswith(tuple(beginnings))]


def _interface(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree] | None:
    loopback = found[1].startswith("Loopback")
    is_lag = found[1].startswith(LAG)
    lines = _LOOPBACK_LINES if loopback else _LAG_LINES if is_lag else _PORT_LINES
    values, unknown = read(node.children.values(), lines)
    routed = values.get("routed", False)
    if not loopback and _contradicts(values):
        return None
    edge = _EDGE.keys() <= values.keys()
    if not edge:
        unknown += [node.children[text] for field, text in _EDGE.items() if field in values]
    undisclosed = routed and set(values.get("silences", ())) == _SILENCES
    if not undisclosed:
        unknown += [node.children[text] for text in sorted(values.get("silences", ()))]
    layer1, left = read_layer1(values, node.children.values())
    lag, member = _lag(values) if is_lag else None, _member(values)
    unknown += _left_of_lag(values, node.children.values())
    if "is_trunk" in values:
        for group in values.get("trunk_groups", ()):
            note(fields, node.text, f"switchport trunk group {group}")
    unlike_trunk = _left_of_trunk(values, node.children.values())
    ipv6_address, unlike_ipv6 = ipv6_of(values, node.children)
    is_trunk, native = "is_trunk" in values, None if unlike_trunk else values.get("native_vlan")
    fields["interfaces"].append(
        Interface(
            name=found[1],
            description=values.get("description"),
            address=values.get("address"),
            mtu_bytes=values.get("mtu_bytes", _DEFAULT_MTU_BYTES) if routed else None,
            enabled=values.get("enabled", True),
            qos_profile=values.get("qos_profile"),
            layer1=layer1,
            access_vlan=values.get("access_vlan"),
            edge=edge,
            vrf=values.get("vrf"),
            tagged_vlans=tuple(sorted({*values.get("allowed_vlans", ())} - {native})) if is_trunk else None,
            native_vlan=native,
            lag=lag,
            member=member,
            acls=tuple(sorted(values.get("acls", ()))),
            ra_interval_ms=None if loopback else advertised_ms(values),
            ipv6_address=ipv6_address,
            storm=storm_control(*(values.get(field) for field in _STORM)),
            undisclosed=undisclosed,
        )
    )
    left += [*unlike_trunk, *unlike_ipv6]
    return [*unknown, *(line for line in left if line not in unknown)]


READERS: tuple[tuple[str, Reader], ...] = (
    (r"interface ((?:Ethernet|Loopback|Port-Channel)[\d/]+)", _interface),
    (r"interface (Vlan\d+)", _svi),
    (r"interface (Ethernet[\d/]+\.\d+)", _subinterface),
)
"""By the pattern of a block's first line."""
