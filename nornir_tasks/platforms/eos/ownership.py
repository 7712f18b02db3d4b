"""The owner of each line of an EOS configuration.

Order matters: the first rule that matches decides. Lines that no rule claims are never changed, so neighbours,
networks, VRFs and address families of others remain in the shared containers.
"""

import re
from dataclasses import replace

from nornir_tasks.design.config.reach import CONTROL_LIST, FABRIC_LISTS
from nornir_tasks.design.model.claims import MANAGEMENT_VRF
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse_reach import PROFILE as API_PROFILE
from nornir_tasks.platforms.management_acls import filters, in_band_ports
from nornir_tasks.platforms.ownership import ANNOUNCED, Key, Rule, rule

_IPV4, _IPV6 = r"\d+\.\d+\.\d+\.\d+", r"[0-9a-f:.]*:[0-9a-f:.]*"
_ANY = rf"(?:{_IPV4}|{_IPV6})"
_FABRIC_LIST = rf"(?:{'|'.join(FABRIC_LISTS.values())})"


def _sessions(address: Key) -> tuple[Rule, ...]:
    return (
        rule(rf"(?:no )?neighbor (?P<key>{_ANY})(?: .*)?", address),
        rule(r"(?:no )?neighbor interface (?P<key>\S+)(?: .*)?", "port"),
        rule(r"(?:no )?neighbor (?P<key>\S+)(?: .*)?", "name"),
        rule(rf"network (?P<key>{_ANY}/\d+)(?: .*)?", ANNOUNCED[address]),
        rule(r"bgp listen range (?P<key>\S+) .*", address),
    )


def _family(address: Key, rest: Key, family: str = "ipv4") -> Rule:
    return rule(rf"address-family {family}", rest, shared=True, children=(*_sessions(address), rule(r".*", rest)))


# Others may have sessions in our VRFs too, and other address families are independent.
_BGP_IN_VRF = (
    *_sessions("pool"),
    _family("pool", "enclosing"),
    rule(r"address-family .*", "nobody"),
    rule(r".*", "enclosing"),
)

_BGP = (
    *_sessions("address"),
    _family("address", "switch"),
    # without sessions with other networks nothing of ours is in it
    _family("address", "outside", "ipv6"),
    # one that covers networks of ours would hide them, so it has no other owner
    rule(r"aggregate-address (?P<key>\S+)(?: .*)?", "address", last="switch"),
    rule(r"vrf (?P<key>\S+)", "vrf", shared=True, children=_BGP_IN_VRF),
    # other people's VRFs, other address families and MAC-VRFs are independent
    rule(r"(?:vrf|address-family|vlan|vlan-aware-bundle|vpws|monitoring|session tracker) ?.*", "nobody"),
    # how AS numbers are written is the operators' choice: we read both notations (NX-OS has the line outside of BGP)
    rule(r"bgp asn notation .*", "nobody"),
    # what is left governs the whole process (timers, redistribution, best path): it exists once per switch
    rule(r".*", "switch"),
)

# the line goes with the list: on a port of several owners it is its list's
_APPLIED = rule(r"ip(?:v6)? access-group (?P<key>\S+) (?:in|out)", "name", last="enclosing")
_TRUNK = (
    # a line for each VLAN, as tree.py reads the list; what a port has but one of is its owner's
    rule(r"switchport trunk allowed vlan (?P<key>\d+)", "vlan", last="enclosing"),
    _APPLIED,
    rule(r".*", "enclosing"),
)
_OF_MEMBER = (rule(r"channel-group (?P<key>\d+)(?: .*)?", "lag"),)
_BY_ADDRESS = (rule(r"ip(?:v6)? address (?P<key>\S+)", "address"),)
_OF_SUBINTERFACE = (rule(r"vrf (?P<key>\S+)", "vrf"), *_BY_ADDRESS)

OWNERSHIP = (
    rule(r"service routing protocols model .*", "switch"),
    rule(r"(?:no )?ip routing", "switch"),
    # ours only where an owner has IPv6 addresses: elsewhere it is there for others'
    rule(r"(?:no )?ipv6 unicast-routing", "ipv6"),
    rule(r"(?:no )?ip virtual-router mac-address .*", "gateways"),
    rule(r"(?:no )?ip load-sharing .*", "switch"),
    rule(r"(?:no )?port-channel load-balance trident fields ip .*", "lag hash"),
    # where an owner makes the switch the root: its mode and priorities, and no VLAN left out (a pair's peer VLAN is)
    rule(r"(?:no )?spanning-tree (?:mode|priority|root|mst|vlan-id \S+ priority)(?: .*)?", "spanning tree"),
    # dynamic load balancing must be asked for by the intent; "ip hardware fib optimize" is another team's
    rule(r"(?:no )?ip hardware fib load-balance .*", "switch"),
    rule(r"(?:no )?lldp run", "switch"),
    # of ports of hosts in VLANs; how long it takes, and other causes, stay as they are
    rule(r"(?:no )?errdisable recovery cause bpduguard", "vlans"),
    rule(r"(?:no )?hostname .*", "base hostname"),
    rule(r"(?s:banner login.*)", "base banner"),
    rule(r"(?:no )?clock timezone.*", "base timezone"),
    # who is asked for names; from which port, and what names are completed with, stay as they are
    rule(r"(?:no )?(?:ip name-server|dns domain) .*", "base dns"),
    # what names a group of servers goes with it
    rule(r"(?:no )?aaa group server tacacs\+ (?P<key>\S+)", "base aaa"),
    rule(
        r"(?:no )?(?:tacacs-server .*|aaa authentication login default .*"
        r"|aaa authorization exec default .*|aaa (?:authentication|authorization|accounting) .* group .*)",
        "base aaa",
    ),
    # others may ask RADIUS servers for more than who logs in: they are ours where the intent has some
    rule(r"(?:no )?aaa group server radius (?P<key>\S+)", "base radius"),
    rule(r"(?:no )?radius-server .*", "base radius"),
    # who may ask, by whatever version, and where notifications go; which ones, source interfaces and filters stay
    rule(r"(?:no )?snmp-server (?:view|group|user) (?P<key>\S+) .*", "base snmp"),
    rule(r"(?:no )?snmp-server (?:(?:engineID|contact|location|community|host) .*|vrf \S+)", "base snmp"),
    # all lines of an account: password, role, SSH keys
    rule(r"username (?P<key>\S+) .+", "account"),
    # where time is from and where the log goes; keys, source interfaces and what is logged stay as they are
    rule(r"(?:no )?ntp (?:server|peer) .*", "base ntp"),
    rule(r"(?:no )?logging (?:vrf \S+ )?host .*", "base syslog"),
    # the API by HTTPS: its profile, and the VRFs that it is served in; its port, filters and other services stay
    rule(
        r"management api http-commands",
        "base api",
        shared=True,
        children=(
            rule(r"(?:no )?(?:shutdown|protocol http(?: .*)?|protocol https(?: ssl .*)?)", "base api"),
            rule(r"vrf \S+", "base api", shared=True, children=(rule(r"(?:no )?shutdown", "base api"),)),
        ),
    ),
    rule(
        r"management security",
        "base api",
        shared=True,
        children=(rule(rf"ssl profile (?P<key>{API_PROFILE})", "base api"),),
    ),
    # SSH: where it is on, and when idle sessions end; ciphers, limits and filters stay
    rule(
        r"management ssh",
        "base ssh",
        shared=True,
        children=(
            rule(r"(?:no )?shutdown|idle-timeout .*", "base ssh"),
            rule(r"vrf \S+", "base ssh", shared=True, children=(rule(r"(?:no )?shutdown", "base ssh"),)),
        ),
    ),
    # the control plane's list in VRFs; the default VRF has one of ours where the intent asks for it, and else none
    rule(
        r"system control-plane",
        "base controls",
        shared=True,
        children=(
            rule(r"ip access-group \S+ vrf (?!default )\S+ in", "base control"),
            rule(rf"ip(?:v6)? access-group {_FABRIC_LIST} in", "base controls"),
            rule(r"ip(?:v6)? access-group \S+ (?:vrf default )?in", "base control fabric"),
        ),
    ),
    rule(rf"ip access-list (?P<key>{CONTROL_LIST})", "base control"),
    rule(rf"ip(?:v6)? access-list (?P<key>{_FABRIC_LIST})", "base controls"),
    # "qos map cos" rules ports that trust CoS: none of ours. A rewrite of DSCP would break the classes.
    rule(r"(?:no )?qos map (?:dscp|traffic-class) .*", "switch"),
    rule(r"(?:no )?qos rewrite dscp", "switch"),
    rule(r"(?:no )?qos random-detect ecn .*", "switch"),
    rule(r"(?:no )?priority-flow-control .*", "switch"),
    rule(r"qos profile (?P<key>\S+)", "name"),
    # one profile of buffers is in force on the whole switch, wherever it is described
    rule(r"(?:no )?platform trident mmu queue profile \S+ apply", "switch"),
    rule(r"platform trident mmu queue profile (?P<key>\S+)", "name"),
    rule(r"router bfd", "switch", shared=True, children=(rule(r"interval .* default", "switch"),)),
    # A VLAN or SVI of ours with another number: it has our name, or one of our addresses.
    rule(r"vlan (?P<key>\d+)", "vlan", below=(rule(r"name (?P<key>\S+-HOSTS)", "name"),)),
    rule(r"interface Vlan(?P<key>\d+)", "vlan", below=_BY_ADDRESS),
    rule(r"(?:no )?spanning-tree vlan-id (?P<key>\d+)", "vlan"),
    rule(r"(?:no )?(?P<key>mlag) configuration", "pair"),
    # A subinterface of an earlier design: by its VRF or address, else by the owner of the port.
    rule(r"interface (?P<key>Ethernet[\d/]+\.\d+)", "subinterface", below=_OF_SUBINTERFACE, last="parent"),
    # A port that is no longer used leaves the group of ours that it is in: else the group would never go.
    # of the management port its VRF and addresses of IPv4; the rest of it, and other such ports, are others'
    rule(
        r"interface (?P<key>Management1)",
        "base management",
        shared=True,
        children=(rule(r"vrf \S+|ip address .*", "base management"),),
    ),
    replace(rule(r"interface (?P<key>\S+)", "port", children=_TRUNK), strays=_OF_MEMBER),
    # with lists of ours on the switch; they serve others' lists as well, so they stay when ours go
    rule(r"(?:no )?hardware access-list (?:update default-result permit|resource sharing vlan ipv6 out)", "acls"),
    rule(r"(?:no )?hardware counter feature acl out ipv[46]", "acls"),
    rule(r"(?:no )?hardware counter feature ecn out", "switch"),
    rule(r"ip(?:v6)? access-list (?P<key>\S+)", "name"),
    rule(r"ip(?:v6)? prefix-list (?P<key>\S+)(?: .*)?", "name"),
    rule(r"ip as-path access-list (?P<key>\S+) .*", "name"),
    rule(r"(?:no )?ip as-path regex-mode .*", "outside"),
    rule(r"route-map (?P<key>\S+) (?:permit|deny) \d+", "name"),
    rule(rf"ip route (?P<key>{_IPV4}/\d+) .*", "prefix"),
    rule(rf"ipv6 route (?P<key>{_IPV6}/\d+) .*", "prefix"),
    # the management VRF, which does not route, and its default route; others' are what else it has
    rule(rf"vrf instance (?P<key>{MANAGEMENT_VRF.pattern})", "management vrf", shared=True),
    rule(rf"(?:no )?ip routing vrf (?P<key>{MANAGEMENT_VRF.pattern})", "management vrf"),
    rule(rf"ip route vrf (?P<key>{MANAGEMENT_VRF.pattern}) 0\.0\.0\.0/0 .*", "management vrf"),
    # others may have routes in our VRFs too: to prefixes outside its owner's pools that it does not declare
    rule(rf"ip route vrf (?P<key>\S+ {_IPV4}/\d+) .*", "route"),
    rule(rf"ipv6 route vrf (?P<key>\S+ {_IPV6}/\d+) .*", "route"),
    rule(r"vrf instance (?P<key>\S+)", "vrf"),
    rule(r"(?:no )?(?:ip routing|ipv6 unicast-routing) vrf (?P<key>\S+)", "vrf"),
    rule(r"router bgp \S+", "switch", shared=True, children=_BGP),
)

PROTECTED = (
    r"(?:no )?(?:username|aaa|tacacs-server|radius-server|enable|role|ip tacacs|ip radius) ?.*",
    r"(?:no )?management (?:api|ssh|security|console|telnet|accounts).*",
    r"(?:no )?interface Management.*",
    # of our VRFs none is called so; whichever the management port is in, what runs tells (management_path)
    rf"(?:no )?vrf instance {MANAGEMENT_VRF.pattern}$",
    r"(?:no )?vrf definition .*",
    rf"(?:no )?(?:ip routing|ipv6 unicast-routing) vrf {MANAGEMENT_VRF.pattern}$",
    rf"(?:no )?ip(?:v6)? route vrf {MANAGEMENT_VRF.pattern} ",
    r"(?:no )?(?:system )?control-plane.*",
    r"(?:no )?boot .*",
    r"(?:no )?(?:daemon|hostname|ip name-server|security) .*",
)
"""Lines whose change could cut our own path to the switch: accounts, AAA, management port and VRF, API, boot.

Access lists on this path are known from what runs (management_path)."""

_API = "management api http-commands"


_ACCESS = ("interface Management", "management ", "system control-plane", "control-plane")
"""Beginnings of the blocks that our path to the switch runs through."""
_APPLIES = re.compile(r"ip(?:v6)? access-group (?P<name>\S+).*")


def management_path(running: ConfigTree) -> tuple[str, ...]:
    """Patterns of further protected lines on this switch.

    Of the VRFs of its management ports and API, and of the access lists that packets to it pass.
    """
    blocks = [node for text, node in running.children.items() if text.startswith("interface Management")]
    api = running.get(_API) or ConfigTree()
    names = {line.removeprefix("vrf ") for node in (*blocks, api) for line in node.children if line.startswith("vrf ")}
    of_vrfs = (
        pattern
        for name in sorted(map(re.escape, names))
        for pattern in (
            rf"(?:no )?(?:vrf instance|ip routing vrf|ipv6 unicast-routing vrf) {name}(?: |$)",
            rf"(?:no )?ip(?:v6)? route vrf {name} ",
            rf"router bgp \S+ / vrf {name}(?: |$)",
        )
    )
    access = [node for text, node in running.children.items() if text.startswith(_ACCESS)]
    of_api = frozenset({line.removeprefix("vrf ") for line in api.children if line.startswith("vrf ")} or {""})
    in_band = in_band_ports(running, "interface Management", of_api, "vrf ") if _API in running.children else []
    # with a management port in the default VRF, answers to us go by that one's default route
    is_default = any(not any(line.startswith("vrf ") for line in node.children) for node in blocks)
    defaults = (r"(?:no )?ip(?:v6)? route (?:0\.0\.0\.0/0|::/0) ",) if is_default else ()
    return (*of_vrfs, *defaults, *filters(access, in_band, _APPLIES))
