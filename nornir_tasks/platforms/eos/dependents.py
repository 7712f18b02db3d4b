"""What an EOS switch has once, or by number, and which lines of others need it (lines as in ownership.py)."""

import re

from nornir_tasks.platforms.announced import Announcing
from nornir_tasks.platforms.platform import needed

_ON_PORT = r"interface (?!Management)\S+ / "

DEPENDENTS = (
    needed(r"ip routing", rf"ip route (?!vrf ).*|router \S+.*|{_ON_PORT}ip address .*"),
    needed(
        r"ipv6 unicast-routing",
        rf"{_ON_PORT}ipv6 .*|ipv6 (?:route (?!vrf )|router ).*|router (?:\S+ \S+ / address-family ipv6|ospfv3).*",
    ),
    needed(r"(?:vrf instance|ip routing vrf|ipv6 unicast-routing vrf) (?P<name>\S+)", r"(?:.* )?vrf <name>(?: .*)?"),
    # a VRF that does not route has a line that says so, which was not typed
    needed(r"ip routing vrf (?P<name>\S+)", r"vrf instance <name>"),
    needed(r"ip virtual-router mac-address .*", r"interface \S+ / ip(?:v6)? virtual-router address .*"),
    needed(
        r"vlan (?P<vlan>\d+)",
        r"interface \S+ / switchport (?:access|trunk native|trunk allowed) vlan <vlan>|interface Vlan<vlan>(?: / .*)?"
        r"|interface Vxlan\d+ / vxlan vlan <vlan> .*|router bgp \S+ / vlan <vlan>(?: / .*)?",
    ),
    needed(r"mlag configuration(?: / .*)?", r"interface \S+ / mlag \d+"),
    needed(r"ip as-path regex-mode .*", r"ip as-path access-list .*"),
    needed(r"router bfd / .*", r"(?!router )(?:.* )?bfd(?: .*)?"),
)

FACTORY_LINES = (
    # published running configurations of switches with nothing configured (napalm 5.2.0 test/eos, batfish arista tests)
    r"spanning-tree mode mstp",
    r"service routing protocols model (?:ribd|multi-agent)",
    r"no ip routing",
    r"interface Ethernet[\d/]+",
)
"""What a switch has before it is configured."""

ANNOUNCING = Announcing(
    redistributed=re.compile(
        r"router bgp \S+ / (?:vrf \S+ / )?(?:address-family ipv[46] / )?"
        r"redistribute (?P<source>\S+)(?: (?!route-map )\S+)*(?: route-map (?P<map>\S+))?"
    ),
    aggregate=re.compile(
        r"router bgp \S+ / (?:vrf \S+ / )?(?:address-family ipv[46] / )?aggregate-address (?P<prefix>\S+)(?: .*)?"
    ),
)
"""arista.eos (ansible 12.3.0) rm_templates/bgp_global: redistribute, aggregate_address."""
