"""The owner of each line of an NX-OS running configuration, as data.

``router bgp``, its address families and ``system qos`` are containers that several owners share. Lines of other VRFs,
other address families (that of IPv6 too, but on an edge router), and objects outside our names and pools have no owner
and stay unchanged.
"""

import re
from dataclasses import replace

from nornir_tasks.design.config.reach import CONTROL_LIST
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.management_acls import filters, in_band_ports
from nornir_tasks.platforms.ownership import ANNOUNCED, Key, Rule, rule


def _family(address: Key, rest: Key, family: str = "ipv4") -> Rule:
    children = (
        rule(r"network (?P<key>\S+)(?: .+)?", ANNOUNCED[address]),
        rule(r"aggregate-address (?P<key>\S+)(?: .+)?", address),
        rule(r".+", rest),
    )
    return rule(rf"address-family {family} unicast", rest, shared=True, children=children)


# Others may have sessions in our VRFs too, and other address families are independent.
_BGP_IN_VRF = (
    _family("pool", "enclosing"),
    rule(r"address-family .+", "nobody"),
    rule(r"neighbor (?P<key>\S+)(?: .+)?", "pool"),
    rule(r".+", "enclosing"),
)

_BGP = (
    rule(r"vrf (?P<key>\S+)", "vrf", shared=True, children=_BGP_IN_VRF),
    rule(r"vrf .+", "nobody"),
    _family("address", "switch"),
    _family("address", "outside", "ipv6"),
    rule(r"address-family .+", "nobody"),
    rule(r"template peer (?P<key>\S+)", "name"),
    rule(r"template .+", "nobody"),
    rule(r"neighbor (?P<key>\S+)(?: .+)?", "address"),
    rule(r".+", "switch"),
)

# the line goes with the list: on a port of several owners it is its list's
_APPLIED = rule(
    r"(?:ip access-group|ipv6 traffic-filter|ip port access-group|ipv6 port traffic-filter) (?P<key>\S+) (?:in|out)",
    "name",
    last="enclosing",
)
_ROUTE = r"ip(?:v6)? route (?P<key>[0-9a-f:.]+/\d+)"

_TRUNK = (
    # a line for each VLAN, as config_text.py reads the list; what a port has but one of is its owner's
    rule(r"switchport trunk allowed vlan (?P<key>\d+)", "vlan", last="enclosing"),
    _APPLIED,
    rule(r".*", "enclosing"),
)
_OF_MEMBER = (rule(r"channel-group (?P<key>\d+)(?: .*)?", "lag"),)
_BY_ADDRESS = (rule(r"ip(?:v6)? address (?P<key>\S+)", "address"),)
_OF_SUBINTERFACE = (rule(r"vrf member (?P<key>\S+)", "vrf"), *_BY_ADDRESS)

OWNERSHIP = (
    rule(r"feature (?:bfd|bgp|lldp)", "switch"),
    # Ours only where we have SVIs: elsewhere it is there for other people's.
    rule(r"feature interface-vlan", "vlans"),
    # Likewise where we may have groups of links.
    rule(r"feature lacp", "lags"),
    rule(r"feature hsrp", "gateways"),
    rule(r"feature dhcp|(?:no )?(?:service dhcp|ip dhcp relay|ipv6 dhcp relay)", "dhcp relay"),
    rule(r"feature (?P<key>vpc)", "pair"),
    rule(r"vpc (?P<key>domain) \d+", "pair"),
    # Of ports of hosts in VLANs; how long it takes, and other causes, stay as they are.
    rule(r"(?:no )?errdisable recovery cause bpduguard", "vlans"),
    rule(r"bfd .+", "switch"),
    rule(r"(?:no )?lldp .+", "switch"),
    rule(r"hostname .+", "base hostname"),
    rule(r"(?s:banner motd.*)", "base banner"),
    rule(r"clock (?:timezone|summer-time) .+", "base timezone"),
    # who is asked for names; what names are completed with, and whether any are, stay as they are
    rule(r"ip (?:name-server|domain-name) .+", "base dns"),
    # what names a group of servers goes with it
    rule(r"aaa group server tacacs\+ (?P<key>\S+)", "base aaa"),
    rule(
        r"feature tacacs\+|tacacs-server .+|aaa authentication login default .+"
        r"|aaa (?:authentication|authorization|accounting) .+ group .+|aaa accounting default group .+",
        "base aaa",
    ),
    # others may ask RADIUS servers for more than who logs in: they are ours where the intent has some
    rule(r"aaa group server radius (?P<key>\S+)", "base radius"),
    rule(r"radius-server .+", "base radius"),
    # who may ask, by whatever version, and where notifications go; which ones, source interfaces and filters stay.
    # A user with the name of an account is the account's: who deletes the one deletes the other (Nexus 5000 CLI
    # configuration guide, OL-16597-01, CLI and SNMP User Synchronization)
    rule(r"snmp-server (?:contact|location|community|host) .+", "base snmp"),
    replace(rule(r"snmp-server user (?P<key>\S+) .+", "snmp user"), account="username {} "),
    # all lines of an account: password, role, SSH keys
    rule(r"username (?P<key>\S+) .+", "account"),
    # where time is from and where the log goes; keys, source interfaces and what is logged stay as they are
    rule(r"ntp (?:server|peer) .+", "base ntp"),
    rule(r"logging server .+", "base syslog"),
    # the API by HTTPS; its port and its clients' certificates stay as they are
    rule(r"feature nxapi|(?:no )?nxapi (?:http|sandbox|ssl|certificate|use-vrf)(?: .+)?", "base api"),
    # SSH, which is on by default, and no Telnet; keys, ciphers and filters stay as they are
    rule(r"no feature ssh|feature telnet", "base ssh"),
    rule(r"line vty", "base ssh", shared=True, children=(rule(r"exec-timeout \d+", "base ssh"),)),
    rule(rf"ip access-list (?P<key>{CONTROL_LIST})", "base control"),
    rule(r"ip load-sharing .+", "switch"),
    rule(r"port-channel load-balance .+", "lag hash"),
    # where an owner makes the switch the root: its mode and priorities
    rule(
        r"spanning-tree (?:mode|mst \S+ (?:priority|root)|mst configuration|vlan \S+ (?:priority|root)) ?.*",
        "spanning tree",
    ),
    # the one profile there is: what it says beside mode and ports changes where packets go as much as they do
    rule(r"hardware profile dlb", "switch"),
    rule(r"(?:no )?priority-flow-control .+", "switch"),
    rule(r"class-map type \S+ (?:match-(?:any|all) )?(?P<key>\S+)", "name"),
    rule(r"policy-map type \S+ (?P<key>\S+)", "name"),
    rule(r"system qos", "switch", shared=True, children=(rule(r".+", "switch"),)),
    rule(r"ip(?:v6)? access-list (?P<key>\S+)", "name"),
    rule(r"ip(?:v6)? prefix-list (?P<key>\S+) .+", "name"),
    rule(r"ip as-path access-list (?P<key>\S+) .+", "name"),
    rule(r"route-map (?P<key>\S+) (?:permit|deny) \d+", "name"),
    rule(rf"{_ROUTE} .+", "prefix"),
    # The management VRF is always there: what stands below is its section's, and all else in it others'.
    rule(
        r"vrf context management",
        "base network",
        shared=True,
        children=(
            rule(r"ip name-server .+", "base dns"),
            rule(r"ip route (?P<key>0\.0\.0\.0/0) .+", "base management"),
        ),
    ),
    # Others may have routes, a name server and the like in our VRFs too.
    rule(r"vrf context (?P<key>\S+)", "vrf", shared=True, children=(rule(rf"{_ROUTE} .+", "pool route"),)),
    rule(r"interface breakout module 1 port (?P<key>\d+) map \S+", "port", prefix="Ethernet1/"),
    # A VLAN or SVI of ours with another number: it has our name, or one of our addresses.
    rule(r"vlan (?P<key>\d+)", "vlan", below=(rule(r"name (?P<key>\S+-HOSTS)", "name"),)),
    rule(r"interface Vlan(?P<key>\d+)", "vlan", below=_BY_ADDRESS),
    # A subinterface of an earlier design: by its VRF or address, else by the owner of the port.
    rule(r"interface (?P<key>Ethernet[\d/]+\.\d+)", "subinterface", below=_OF_SUBINTERFACE, last="parent"),
    # Of the management port its VRF, addresses of IPv4 and what gets in; the rest of it is others'.
    rule(
        r"interface (?P<key>mgmt0)",
        "base port",
        shared=True,
        children=(
            rule(r"vrf member .+|ip address .+", "base management"),
            rule(r"ip access-group \S+ in", "base control"),
        ),
    ),
    # A port that is no longer used leaves the group of ours that it is in: else the group would never go.
    replace(rule(r"interface (?P<key>\S+)", "port", children=_TRUNK), strays=_OF_MEMBER),
    rule(r"router bgp \S+", "switch", shared=True, children=_BGP),
)

PROTECTED = (
    r"(?:no )?(?:username|password|role|userpassphrase|ssh|ssl|crypto|nxapi|aaa|tacacs-server|radius-server)\b",
    r"(?:no )?snmp-server user\b",  # an account, too, if there is one of that name
    r"(?:no )?(?:ip )?(?:tacacs|radius)\b",
    r"(?:no )?feature (?:nxapi|ssh|telnet|scp-server|sftp-server|tacacs\+|radius|password)",
    r"interface mgmt\d",
    r"vrf context management\b",
    r"(?:no )?(?:vdc|boot|copp|hostname) ",
    r"control-plane\b",
    r"line (?:vty|console)\b",
)
"""Regular expressions, each matched at the beginning of a path whose lines are joined by ``" / "``."""

_API = "feature nxapi"
_ACCESS = ("interface mgmt", "line ", "control-plane", "class-map type control-plane ")
"""Beginnings of the blocks that our path to the switch runs through."""
_APPLIES = re.compile(
    r"(?:ip |ipv6 |match )?(?:access-group name|access-group|traffic-filter|access-class) (?P<name>\S+).*"
)


def management_path(running: ConfigTree) -> tuple[str, ...]:
    """Patterns of further protected lines on this switch: of the access lists that packets to it pass."""
    access = [node for text, node in running.children.items() if text.startswith(_ACCESS)]
    has_api = _API in running.children
    in_band = in_band_ports(running, "interface mgmt", frozenset({""}), "vrf member ") if has_api else []
    return tuple(filters(access, in_band, _APPLIES))
