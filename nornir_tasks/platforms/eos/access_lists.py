"""The words of EOS's access lists, and what stands beside them. EOS prints ports by name and clears host bits."""

from nornir_tasks.design.config.access_lists import TCP, UDP
from nornir_tasks.platforms.acl_lines import AclWords, applied
from nornir_tasks.platforms.eos.port_names import PORT_OF
from nornir_tasks.platforms.lines import Block

WORDS = AclWords(
    counters="counters per-entry",
    icmp={"ipv4": "icmp", "ipv6": "icmpv6"},
    # um-eos ACLs and Route Maps, deny (IPv4 ACL) and deny (IPv6 ACL)
    protocols={"igmp": 2, "rsvp": 46, "gre": 47, "esp": 50, "ahp": 51, "ospf": 89, "pim": 103, "vrrp": 112}
    | {"icmp": 1, "icmpv6": 58},
    # aristanetworks/avd molecule, ip-access-lists.cfg; EOS takes numbers as well
    # of ICMPv6 words alone: arista.eos (ansible 12.3.0) eos_acls, protocol_options.icmpv6
    icmp_types={
        "ipv4": {"echo-reply": 0, "unreachable": 3, "echo": 8},
        "ipv6": {"unreachable": 1, "packet-too-big": 2, "time-exceeded": 3, "parameter-problem": 4}
        | {"echo-request": 128, "echo-reply": 129, "router-solicitation": 133, "router-advertisement": 134}
        | {"neighbor-solicitation": 135, "neighbor-advertisement": 136, "redirect-message": 137},
    },
    named_types=frozenset({"ipv6"}),
    ports={TCP: PORT_OF, UDP: PORT_OF},
)

BESIDE_LISTS = {
    "acl-update-permits": "hardware access-list update default-result permit",
    "acl-counters-ipv4-out": "hardware counter feature acl out ipv4",
    "acl-counters-ipv6-out": "hardware counter feature acl out ipv6",
    "acl-sharing-ipv6-out": "hardware access-list resource sharing vlan ipv6 out",
}
"""Entries of DeviceConfig.services, and their lines."""

LIST_BLOCK = Block(
    (r"ip(?:v6)? access-list ",),
    (),
    # um-eos ACLs and Route Maps, Deleting a Rule: "no 20"
    negations=((r"(\d+) .*", r"no \1"),),
)

APPLIED = (applied("ip access-group", "ipv4"), applied("ipv6 access-group", "ipv6"))
"""The rows of lines that apply lists to a port."""
