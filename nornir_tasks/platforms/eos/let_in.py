"""Lines of EOS by which a switch itself hears others, in the default VRF (tests/corpus/eos/accept.txt)."""

from nornir_tasks.design.config.access_lists import TCP, UDP, AclRule
from nornir_tasks.platforms.let_in import hears

_OSPF, _PIM, _VRRP = 89, 103, 112
"""IP protocol numbers (IANA)."""


def _answer(port: int) -> AclRule:
    return AclRule(0, True, UDP, source_ports=(port, port))


HEARS = (
    hears(
        r"router bgp \S+ / neighbor ADDRESS (?:remote-as|peer group) .*",
        "BGP",
        AclRule(0, True, TCP, destination_ports=(179, 179)),
    ),
    hears(r"ntp (?:server|peer) ADDRESS(?: .*)?", "NTP", _answer(123)),
    hears(r"ip name-server vrf default ADDRESS(?: .*)?", "DNS", _answer(53)),
    hears(r"radius-server host ADDRESS(?! vrf)(?: .*)?", "RADIUS", _answer(1812)),
    hears(r"router (?:ospf|ospfv3) \d+", "OSPF", AclRule(0, True, _OSPF)),
    hears(r"interface \S+ / (?:ip ospf|ospfv3) .*", "OSPF", AclRule(0, True, _OSPF)),
    hears(r"interface \S+ / pim .*", "PIM", AclRule(0, True, _PIM)),
    hears(r"interface \S+ / vrrp \d+ .*", "VRRP", AclRule(0, True, _VRRP)),
)
