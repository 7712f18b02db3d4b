"""The owner of each part of NVUE's tree. The shared containers are in tree.py: no change ever consists of them.

The switch owns what exists once: RoCE and the objects on ``default-global``, the BGP process of the default VRF with
its address family, LLDP, the ECMP hash. VRFs of others, other profiles, and policies and lists with another name have
no owner.
"""

import re

from nornir_tasks.design.config.reach import CONTROL_LIST
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.nvue.capabilities import PROFILE
from nornir_tasks.platforms.nvue.tree import QOS_KINDS
from nornir_tasks.platforms.ownership import Key, Rule, rule

_ANYTHING = rule(r".*", "switch")


def _container(pattern: str, *children: Rule) -> Rule:
    return rule(pattern, "switch", shared=True, children=children)


def _inner(pattern: str, *children: Rule) -> Rule:
    return rule(pattern, "enclosing", shared=True, children=children)


def _servers(by: Key, pattern: str = "server") -> Rule:
    """Servers, each of them an object with an address."""
    return rule(pattern, by, shared=True, children=(rule(r"(?P<key>\S+)", "enclosing"),))


_REST = rule(r".*", "enclosing")
_BY_NAME = rule(r"(?P<key>[^:]+)", "name")
_BY_POOL_ANNOUNCED = rule(r"(?P<key>[\d.]+/\d+)", "pool announced")
_BY_POOL = rule(r"(?P<key>[\d.]+/\d+)", "pool")
_ROUTE = r"(?P<key>[0-9a-f:.]+/\d+)"
_BY_ADDRESS = rule(r"(?P<key>[0-9a-f:.]+/\d+)", "address")

# in a VRF of ours, too, others may have sessions and routes: with and to what is in none of the pools
_BGP_IN_VRF = _inner(
    r"bgp",
    _inner(r"neighbor", rule(r"(?P<key>[\d.]+)", "pool"), rule(r"(?P<key>swp\w+)", "port")),
    _inner(r"peer-group", _BY_NAME),
    _inner(
        r"address-family",
        _inner(r"ipv4-unicast", _inner(r"network", _BY_POOL_ANNOUNCED), _inner(r"aggregate-route", _BY_POOL), _REST),
    ),
    _REST,
)
_OWN_VRF = (_inner(r"router", _inner(r"static", rule(_ROUTE, "pool route")), _BGP_IN_VRF, _REST), _REST)

_BY_PREFIX = rule(r"(?P<key>[\d.]+/\d+)", "address")

_BY_PREFIX6 = rule(r"(?P<key>[0-9a-f:.]+/\d+)", "address")

_IPV6_UNICAST = _container(
    r"ipv6-unicast",
    _container(r"network", _BY_PREFIX6),
    _container(r"aggregate-route", _BY_PREFIX6),
    _ANYTHING,
)

_IPV4_UNICAST = _container(
    r"ipv4-unicast",
    _container(r"network", rule(r"(?P<key>[\d.]+/\d+)", "announced")),
    _container(r"aggregate-route", _BY_PREFIX),
    # redistribution into the fabric's address family would announce what the design does not
    _ANYTHING,
)

_DEFAULT_BGP = _container(
    r"bgp",
    _container(
        r"neighbor",
        rule(r"peerlink\.(?P<key>\d+)", "vlan"),
        rule(r"(?P<key>[0-9a-f:.]*[:.][0-9a-f:.]*)", "address"),
        rule(r"(?P<key>swp\w+)", "port"),
    ),
    _container(r"peer-group", _BY_NAME),
    _container(r"address-family", _IPV4_UNICAST, _IPV6_UNICAST),
    # the process itself, path selection; no listener (dynamic-neighbor) may exist on a fabric port
    _ANYTHING,
)

# of a port's VLANs with tags each is its plane's; what a port has but one of is its owner's
_TAGS = _inner(r"vlan", rule(r"(?P<key>\d+)", "vlan", last="enclosing"), _REST)
# a list's name goes with the list: on a port of several owners it is its list's
_FILTERS = _inner(r"acl", rule(r"(?P<key>[^:]+)", "name", last="enclosing"), _REST)
_TRUNK = (_FILTERS, _inner(r"bridge", _inner(r"domain", _inner(r"br_default", _TAGS, _REST), _REST), _REST), _REST)
_OF_SUBINTERFACE = (rule(r'vrf: "(?P<key>[^"]+)"', "vrf"), _BY_ADDRESS)

# of a relay each SVI of ours has a group of servers of its own, which is called like it; option 82 has no owner here,
# but whose address servers answer to counts for all groups of the VRF
_BY_SVI = rule(r"vlan(?P<key>\d+)", "vlan")
_ANSWERED = r"source-ip: .*|gateway-interface"
_RELAYED = (
    _container(r"downstream-interface", _BY_SVI),
    _container(r"server-group", _BY_SVI),
    rule(_ANSWERED, "dhcp relay"),
)
_RELAYED_IN_VRF = (
    _inner(r"downstream-interface", _BY_SVI),
    _inner(r"server-group", _BY_SVI),
    rule(_ANSWERED, "enclosing"),
)

# where time is from; keys and the interface that it is asked for on stay as they are. Until 5.14 it is so for each VRF.
_TIME = tuple(_servers("base ntp", each) for each in ("server", "pool", "peer"))

_DEFAULT_OF_MANAGEMENT = rule(r"(?P<key>0\.0\.0\.0/0)", "base management")
_OF_MANAGEMENT = rule(r"address|gateway|dhcp-client|vrf: .*", "base management")

OWNERSHIP: tuple[Rule, ...] = (
    _container(r"acl", rule(rf"(?P<key>{CONTROL_LIST})", "base control"), _BY_NAME),
    # the VLANs of the default bridge and its spanning tree; its other settings have no owner here
    _container(
        r"bridge",
        _container(
            r"domain",
            _container(
                r"br_default", _container(r"vlan", rule(r"(?P<key>\d+)", "vlan")), rule(r"stp", "spanning tree")
            ),
        ),
    ),
    _container(
        r"interface",
        rule(r"(?P<key>swp\w+|lo|bond\d+|peerlink)", "port", children=_TRUNK),
        # of the management port its VRF, addresses of IPv4, default route and lists; the rest of it is others'
        rule(
            r"(?P<key>eth0)",
            "base port",
            shared=True,
            children=(
                rule(r"ip(?:v4)?", "base management", shared=True, children=(_OF_MANAGEMENT,)),
                rule(r"vrf: .*", "base management"),
                rule(r"acl", "base control"),
            ),
        ),
        rule(r"peerlink\.(?P<key>\d+)", "vlan"),
        # A subinterface of an earlier design: by its VRF or address, else by the owner of the port.
        rule(r"(?P<key>swp\w+\.\d+)", "subinterface", below=_OF_SUBINTERFACE, last="parent"),
        rule(r"vlan(?P<key>\d+)", "vlan", below=(_BY_ADDRESS,)),
    ),
    rule(r"(?P<key>mlag)", "pair"),
    _container(
        r"qos",
        rule(r"roce|pfc-watchdog|traffic-pool", "switch"),
        _container("|".join(QOS_KINDS), rule(PROFILE, "switch"), _BY_NAME),
    ),
    _container(
        r"router",
        # adaptive routing sprays packets, which is a load balancing the intent must ask for
        rule(r"bgp|adaptive-routing", "switch"),
        rule(r"vrr", "gateways"),
        # later updates of 5.18 have ``offload: {mode: kernel}`` (docs518 at 2739a8df, BFD page)
        _container(r"bfd", rule(r"state: .*|offload(?:: .*)?", "switch"), _container(r"profile", _BY_NAME)),
        _container(r"policy", _container(r"prefix-list|route-map|as-path-list", _BY_NAME)),
    ),
    _container(
        r"service",
        rule(r"lldp", "switch"),
        _container(r"dns", rule(r"[^:]+", "base dns", shared=True, children=(_servers("base dns"),))),
        _container(r"ntp", rule(r"[^:]+", "base ntp", shared=True, children=_TIME)),
        _container(
            r"dhcp-relay",
            _container(r"default", *_RELAYED),
            rule(r"(?P<key>[^:]+)", "vrf", shared=True, children=_RELAYED_IN_VRF),
        ),
    ),
    _container(
        r"system",
        rule(r"lldp", "switch"),
        rule(r"hostname: .*", "base hostname"),
        _container(r"message", rule(r"pre-login: .*", "base banner")),
        rule(r"timezone: .*", "base timezone"),
        _container(r"date-time", rule(r"timezone: .*", "base timezone")),
        _container(r"dns", _servers("base dns"), rule(r"domain: .*", "base dns")),
        _container(r"ntp", *_TIME, rule(r"vrf: .*|state: .*", "base ntp")),
        _container(
            r"aaa",
            _container(r"user", rule(r"(?P<key>[^:]+)", "account")),
            _container(r"authentication", rule(r"order: .*", "base aaa")),
            rule(r"(?P<key>authentication-order)", "base order"),
            rule(r"tacacs", "base aaa", shared=True, children=(_servers("enclosing"), _REST)),
            rule(r"radius", "base radius", shared=True, children=(_servers("enclosing"), _REST)),
        ),
        _container(r"syslog", _servers("base syslog")),
        # ports, limits, users and algorithms stay as they are
        _container(r"ssh-server", rule(r"(?:inactive-timeout|permit-root-login|state): .*|vrf", "base ssh")),
        # port, tokens and clients' certificates stay as they are
        _container(
            r"api",
            rule(r"certificate: .*|state: .*", "base api"),
            rule(r"listening-address", "base api address"),
        ),
        _container(r"forwarding", rule(r"ecmp-hash|hash-seed: .*", "switch"), rule(r"lag-hash", "lag hash")),
    ),
    _container(
        r"vrf",
        _container(r"default", _container(r"router", _DEFAULT_BGP, _container(r"static", rule(_ROUTE, "prefix")))),
        # a default route of the management VRF that is not the port's gateway would be a second one
        _container(r"mgmt", _container(r"router", _container(r"static", _DEFAULT_OF_MANAGEMENT))),
        rule(r"(?P<key>[^:]+)", "vrf", shared=True, children=_OWN_VRF),
    ),
)

PROTECTED: tuple[str, ...] = (
    r"interface / eth\d",
    r"vrf / mgmt / (?!router(?: / static)?$)",
    r"platform\b",
    r"maintenance\b",
    r"system / (?:aaa|acl|api|boot|config|control-plane|gnmi-server|packages|reboot|security|ssh-server)\b",
    r"system / hostname: ",
)
"""Accounts and AAA, the management port, VRF and default route, API and SSH with their certificates, which ACLs the
control plane has, how configuration is saved, and maintenance mode, which takes ports down."""


def management_path(running: ConfigTree) -> tuple[str, ...]:
    """Patterns of further protected lines on this switch: of the ACLs that packets to it pass.

    Those of the control plane and of management ports, and those that other ports have for the control plane.
    """
    interfaces = (running.get("interface") or ConfigTree()).children
    # with the management port in the default VRF, answers to us go by that one's default route
    own = [(port.get("ip") or ConfigTree()).children for name, port in interfaces.items() if name[:3] == "eth"]
    named = [[line for line in each if line.startswith("vrf: ") and "default" not in line] for each in own if each]
    is_default = not all(named)
    defaults = (r"vrf / default / router / static / (?:0\.0\.0\.0/0|::/0|default6?)(?: |$)",) if is_default else ()
    blocks = [running.get("system", "control-plane"), *(port for name, port in interfaces.items() if name[:3] == "eth")]
    names = {name for block in blocks if block is not None for name in (block.get("acl") or ConfigTree()).children}
    for port in interfaces.values():
        for name, acl in (port.get("acl") or ConfigTree()).children.items():
            if any(path[-1] == "control-plane" for path, _ in acl.walk()):
                names.add(name)
    return (*defaults, *(rf"acl / {re.escape(name)}(?: |$)" for name in sorted(names)))
