"""What an NX-OS switch has once, or by number, and which lines of others need it (lines as in ownership.py)."""

import re

from nornir_tasks.platforms.announced import Announcing
from nornir_tasks.platforms.platform import needed

_RELAY = r"interface \S+ / ip(?:v6)? dhcp .*|ip(?:v6)? dhcp snooping.*"

DEPENDENTS = (
    needed(r"feature bfd", r"(?!feature )(?:.* )?bfd(?: .*)?"),
    needed(r"bfd .*", r"(?!feature |bfd )(?:.* )?bfd(?: .*)?"),
    needed(r"feature bgp", r"router bgp .*"),
    needed(r"feature lldp", r"(?:.* / )?(?:no )?lldp .*"),
    # a switch has VLAN 1's own line by itself as soon as the feature is on
    needed(r"feature interface-vlan", r"interface Vlan(?!1(?: |$))\d+.*|interface Vlan1 / ip(?:v6)? address .*"),
    needed(r"feature lacp", r"interface \S+ / channel-group \d+(?: force)? mode (?:active|passive)"),
    needed(r"feature hsrp", r".* / hsrp .*"),
    needed(r"feature dhcp|service dhcp|ip(?:v6)? dhcp relay", _RELAY),
    needed(r"feature vpc", r"vpc domain .*|.* / vpc .*"),
    needed(r"vpc domain \d+(?: / .*)?", r"interface \S+ / vpc \d+"),
    needed(r"feature tacacs\+", r"tacacs-server .*|aaa .*tacacs.*"),
    needed(r"vrf context (?P<name>\S+)", r"(?:.* )?vrf (?:member )?<name>(?: .*)?"),
    needed(
        r"vlan (?P<vlan>\d+)",
        r"interface \S+ / switchport (?:access|trunk native|trunk allowed) vlan <vlan>|interface Vlan<vlan>(?: / .*)?",
    ),
)

DISPLACING = (
    # Interfaces Configuration Guide 10.6(x), Overview: a breakout "removes the existing interface configurations"
    needed(
        r"interface breakout module (?P<module>\d+) port (?P<port>\d+) map .*",
        r"interface Ethernet<module>/<port>(?:\.\d+)?(?: / .*)?",
    ),
)

FACTORY_LINES = (
    # published running configurations of switches with nothing configured (napalm 5.2.0 test/nxos, netmiko's tests)
    r"interface \S+ / (?:no switchport|(?:no )?shutdown)",
    r"ip dhcp relay|ipv6 dhcp relay|service dhcp",
    r"interface Ethernet\d+/\d+",  # a part of a split cage is there as long as the cage is split
)
"""What a switch has before it is configured."""

ANNOUNCING = Announcing(
    redistributed=re.compile(
        r"router bgp \S+ / (?:vrf \S+ / )?address-family ipv[46] unicast / "
        r"redistribute (?P<source>\S+)(?: (?!route-map )\S+)*(?: route-map (?P<map>\S+))?"
    ),
    aggregate=re.compile(
        r"router bgp \S+ / (?:vrf \S+ / )?address-family ipv[46] unicast / aggregate-address (?P<prefix>\S+)(?: .*)?"
    ),
)
"""cisco.nxos (ansible 12.3.0) rm_templates/bgp_address_family: redistribute, aggregate_address."""
