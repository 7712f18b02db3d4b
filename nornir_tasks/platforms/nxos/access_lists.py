"""The words of NX-OS's access lists. NX-OS prints a host as /32, and keeps host bits and wildcards as typed."""

from nornir_tasks.design.config.access_lists import TCP, UDP
from nornir_tasks.platforms.acl_lines import AclWords, applied


def _numbers(names: str) -> dict[str, int]:
    return {name: int(number) for name, number in (each.split() for each in names.split(","))}


# batfish/batfish at cba1873, CiscoNxosControlPlaneExtractor: names of ports for each protocol, numbers of NamedPort
_TCP = _numbers("""
    echo 7, discard 9, daytime 13, chargen 19, ftp-data 20, ftp 21, telnet 23, smtp 25, time 37, whois 43,
    tacacs 49, domain 53, gopher 70, finger 79, www 80, hostname 101, pop2 109, pop3 110, sunrpc 111,
    ident 113, nntp 119, bgp 179, irc 194, pim-auto-rp 496, exec 512, login 513, cmd 514, lpd 515, talk 517,
    uucp 540, klogin 543, kshell 544, drip 3949
""")
_UDP = _numbers("""
    echo 7, discard 9, time 37, nameserver 42, tacacs 49, domain 53, bootps 67, bootpc 68, tftp 69, sunrpc 111,
    ntp 123, netbios-ns 137, netbios-dgm 138, netbios-ss 139, snmp 161, snmptrap 162, xdmcp 177, dnsix 195,
    mobile-ip 434, pim-auto-rp 496, isakmp 500, biff 512, who 513, syslog 514, talk 517, rip 520,
    non500-isakmp 4500
""")

WORDS = AclWords(
    counters="statistics per-entry",
    # batfish nxos_ipv6_access_list: ICMP of IPv6 is "icmp" as well
    icmp={"ipv4": "icmp", "ipv6": "icmp"},
    # cisco.nxos 11.1.0 config/acls/acls.py: the table of protocols
    protocols={"igmp": 2, "gre": 47, "esp": 50, "ahp": 51, "eigrp": 88, "ospf": 89, "nos": 94, "pim": 103, "pcp": 108}
    | {"sctp": 132},
    # batfish nxos_ip_access_list, nxos_ipv6_access_list; numbers of RFC 792, RFC 4443 and RFC 4861
    icmp_types={
        "ipv4": {"echo-reply": 0, "unreachable": 3, "redirect": 5, "echo": 8, "time-exceeded": 11},
        "ipv6": {"unreachable": 1, "packet-too-big": 2, "time-exceeded": 3, "echo-request": 128, "echo-reply": 129}
        | {"router-solicitation": 133, "router-advertisement": 134, "nd-ns": 135, "nd-na": 136},
    },
    # cisco.nxos 11.1.0 nxos_acls: messages of ICMP by number or word, of ICMPv6 by word alone
    named_types=frozenset({"ipv6"}),
    ports={TCP: _TCP, UDP: _UDP},
    has_wildcards=True,
)

_IPV4, _IPV6 = "ip access-group", "ipv6 traffic-filter"
APPLIED = (applied(_IPV4, "ipv4"), applied(_IPV6, "ipv6"))
"""The rows of lines that apply lists to a routed port, a subinterface or an SVI."""
_PORT_IPV4, _PORT_IPV6 = "ip port access-group", "ipv6 port traffic-filter"
APPLIED_TO_SWITCHED = (applied(_PORT_IPV4, "ipv4", "port_acls"), applied(_PORT_IPV6, "ipv6", "port_acls"))
"""The rows of lines that apply lists to a switched port."""
LINES = {"acls": {"ipv4": _IPV4, "ipv6": _IPV6}, "port_acls": {"ipv4": _PORT_IPV4, "ipv6": _PORT_IPV6}}
"""What stands before a list's name, by field and family."""
