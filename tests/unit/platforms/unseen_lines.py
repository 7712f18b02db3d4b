"""Line shapes of templates/<os>/SOURCES.yml that no parser of the resource modules sees, as the tests hold to be exact.

Their facts are the same without such a line, and with another value in it. Judged are lines that switches of the sites
print (``crosscheck_switches.py``), or those made by hand.
"""

SECTIONS_UNSEEN: dict[str, set[str]] = {
    "eos": {"bfd", "breakouts", "hashing", "lldp", "load_balancing", "pair", "qos", "services", "spanning_tree"},
    "nxos": {"bfd", "hashing", "lldp", "load_balancing", "pair", "qos", "services", "spanning_tree", "vlans"},
}
"""Sections of which they see no line at all."""

UNSEEN: dict[str, dict[str, set[str]]] = {
    "eos": {
        "access_lists": {
            "counters per-entry",
        },
        "base": {
            "dns domain <name>",
            "ip name-server vrf <name> <server>",
            "management api http-commands / no shutdown",
            "management api http-commands / protocol https ssl profile GPUFABRIC",
            "management api http-commands / vrf <name>",
            "management security / ssl profile GPUFABRIC",
            "management security / ssl profile GPUFABRIC / certificate <name>.crt key <name>.key",
            "management security / ssl profile GPUFABRIC / tls versions 1.2",
            # arista.eos reads them with a pattern that does not come to an end on a user's line
            "snmp-server engineID local <engine>",
            "snmp-server contact <text>",
            "snmp-server location <text>",
            "snmp-server view <name> iso included",
            "snmp-server group <name> v3 priv read <name>",
            "snmp-server user <name> <name> v3 localized <engine> auth sha|sha256 <placeholder> priv aes <placeholder>",
            "snmp-server host <server> [vrf <name>] version 3 priv <name>",
            "no snmp-server vrf default",
            "snmp-server vrf <name>",
            "tacacs-server host <server> [vrf <name>] key 7 <placeholder>",
            "aaa group server tacacs+ <name>",
            "aaa group server tacacs+ <name> / server <server> [vrf <name>]",
            "radius-server host <server> [vrf <name>] [timeout <seconds>] key 7 <placeholder>",
            "aaa group server radius <name>",
            "aaa group server radius <name> / server <server> [vrf <name>]",
            "aaa authentication login default group <name> local",
            "aaa authorization exec default group <name> local",
            "username <name> privilege 15|1 role network-admin|network-operator secret sha512 <placeholder>",
            "management ssh / idle-timeout <minutes>",
            "management ssh / shutdown",
            "management ssh / vrf <name>",
            "no ip routing vrf <name>",
            "system control-plane / ip access-group GPUFABRIC-BASE-CONTROL vrf <name> in",
        },
        "bgp": {
            "neighbor <address> description <text>",
            "neighbor <group|address> route-map <name> in|out",
            "no bgp default ipv4-unicast",
        },
        "interfaces": {
            "encapsulation dot1q vlan <tag>",
            "error-correction encoding reed-solomon|fire-code",
            "ip helper-address <ipv4>",
            "ip virtual-router address <ipv4>",
            "ip virtual-router mac-address <mac>",
            "ipv6 dhcp relay destination <ipv6>",
            "ipv6 nd ra disabled",
            "ipv6 virtual-router address <ipv6>",
            "mlag <n>",
            "no autostate",
            "no error-correction encoding",
            "port-channel min-links <n>",
            "service-profile <name>",
            "spanning-tree bpduguard enable",
            "spanning-tree portfast",
            "storm-control broadcast level pps <n>",
            "storm-control multicast level pps <n>",
            "storm-control unknown-unicast level pps <n>",
            "switchport trunk group MLAG",
            "vrf <name>",
        },
        "routing_policy": {
            "set as-path prepend <asn>...",
        },
        "vlans": {
            "trunk group MLAG",
        },
        "vrfs": {
            "ip routing vrf <name>",
            "ipv6 unicast-routing vrf <name>",
        },
    },
    "nxos": {
        "base": {
            "ip domain-name <name>",
            "feature nxapi",
            "line vty / exec-timeout <minutes>",
            "nxapi certificate enable",
            "nxapi certificate httpscrt certfile bootflash:/<name>.crt",
            "nxapi certificate httpskey keyfile bootflash:/<name>.key",
            "nxapi use-vrf <name>",
            "feature tacacs+",
            "tacacs-server host <server> key 7 <placeholder>",
            "aaa group server tacacs+ <name>",
            "aaa group server tacacs+ <name> / server <server>",
            "aaa group server tacacs+ <name> / use-vrf <name>",
            "radius-server host <server> key 7 <placeholder> authentication accounting",
            "radius-server timeout <seconds>",
            "aaa group server radius <name>",
            "aaa group server radius <name> / server <server>",
            "aaa group server radius <name> / use-vrf <name>",
            "aaa authentication login default group <name>",
            "username <name> password 5 <placeholder>  role network-admin|network-operator",
        },
        "access_lists": {
            "statistics per-entry",
        },
        "interfaces": {
            "fec <rs-fec|rs-ieee|fc-fec|off>",
            "ipv6 nd suppress-ra",
            "no negotiate auto",
            "preempt",
            "priority-flow-control mode <on|off>",
            "priority-flow-control watch-dog-interval on",
            "spanning-tree bpduguard enable",
            "spanning-tree port type edge",
            "spanning-tree port type edge trunk",
            "spanning-tree port type network",
            "storm-control broadcast level pps <n>",
            "storm-control multicast level pps <n>",
            "vpc <n>",
            "vpc peer-link",
        },
    },
}
"""Of the other sections: their lines that they do not see."""

NOT_JUDGED: dict[str, set[str]] = {
    "eos": {
        "banner login",
        "[no] bgp bestpath as-path multipath-relax",
        "[no] bgp log-neighbor-changes",
        "[no] graceful-restart",
        "[no] lldp run",
        # of edge routers, which are not among these switches: tests/unit/platforms/test_eos_pyavd.py has them
        "aggregate-address <prefix> summary-only",
        "ip as-path access-list <name> permit|deny <regex> any",
        "ip as-path regex-mode string",
        "ip route <prefix> <port> <address>",
        "ipv6 route <ipv6prefix> <port> <ipv6address>",
        "match as-path <name>",
        "match ipv6 address prefix-list <name>",
        "neighbor <group> next-hop-self",
        "bandwidth guaranteed percent 5",
        "platform trident mmu queue profile <profile> / ingress headroom bytes <bytes>",
        "platform trident mmu queue profile <profile> apply",
        "qos map traffic-class <0-7> to tx-queue <0-7>",
        "reload-delay mlag <seconds>",
        "switchport",
        "switchport mode access",
    },
    "nxos": {
        "banner motd ^",
        "advertisement-interval <n>",
        "dlb-interface <port>",
        "hardware profile dlb",
        "ip port access-group <name> in (switched port)",
        "ipv6 port traffic-filter <name> in (switched port)",
        "mode flowlet | mode per-packet",
        "negotiate auto",
        "spanning-tree mode rapid-pvst",
        "switchport",
        "switchport mode access",
    },
}
"""Lines that none of these switches prints: defaults that the OS hides, what only other models have, and banners, of
which the text is a part of the line."""
