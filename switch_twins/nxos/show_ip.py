"""show ip interface [brief], show ipv6 interface, show ip arp.

Lines and keys: tests/recorded/nxos_show/ip_interfaces.txt, arp.txt. In the answer of ``show ip interface`` as data each
row is a table of its own, as recorded. An interface's number (``iod``) is its place among them (M).
"""

from __future__ import annotations

from ipaddress import ip_interface

from ..arp import Resolved, resolved
from .interface_facts import Interface, cisco_mac, facts
from .reply import Body, Reply, View, short_name, table
from .show_vrfs import vrf_numbers

_UP_DOWN = {True: "up", False: "down"}
_ON_OFF = {True: "enabled", False: "disabled"}


def _in(view: View, vrf: str) -> dict[str, list[Interface]]:
    """Interfaces with an address, by VRF: one VRF's or all."""
    names = list(vrf_numbers(view)) if vrf == "all" else [vrf]
    found = [each for each in facts(view) if each.address is not None]
    return {name: [each for each in found if each.vrf == name] for name in names}


# -- IPv4 ----------------------------------------------------------------------------------------------------------


def brief(view: View, vrf: str = "default") -> Reply:
    """Show ip interface brief [vrf X]."""
    blocks, rows = [], []
    for name, found in _in(view, vrf).items():
        lines = [
            f'IP Interface Status for VRF "{name}"({vrf_numbers(view).get(name, 1)})',
            "Interface            IP Address      Interface Status",
        ]
        for each in found:
            address = each.address[0] if each.address else ""
            lines.append(f"{short_name(each.name):<20} {address:<15} {_states(each)}")
            rows.append({"vrf-name-out": name, **_state_keys(each), "prefix": address})
        blocks.append("\n".join([*lines, ""]))
    return Reply("\n".join(blocks), table("intf", rows))


def _states(each: Interface) -> str:
    up = _UP_DOWN[each.is_up]
    return f"protocol-{up}/link-{up}/admin-{_UP_DOWN[each.is_admin_up]}"


def _state_keys(each: Interface) -> Body:
    up = _UP_DOWN[each.is_up]
    states = {"proto-state": up, "link-state": up, "admin-state": _UP_DOWN[each.is_admin_up]}
    return {"intf-name": each.name, **states}


def _secondary(each: Interface) -> list[str]:
    nodes = each.node.find("ip address")
    return [node.params["address"] for node in nodes if node.words.endswith(" secondary")]


def _redirects(each: Interface) -> str:
    return _ON_OFF[each.node.first("no ip redirects") is None]


def interface(view: View, vrf: str = "default") -> Reply:
    """Show ip interface [vrf X|all]."""
    blocks, heads, rows = [], [], []
    numbers = {each.name: number for number, each in enumerate(facts(view), start=1)}
    for name, found in _in(view, vrf).items():
        lines = [f'IP Interface Status for VRF "{name}"({vrf_numbers(view).get(name, 1)})']
        for each in found:
            lines += _interface_lines(each, numbers[each.name])
            heads.append({"ROW_vrf": {"vrf-name-out": name}})
            rows.append({"ROW_intf": _interface_row(each, numbers[each.name])})
        blocks.append("\n".join([*lines, ""]))
    return Reply("\n".join(blocks), {"TABLE_vrf": heads, "TABLE_intf": rows} if rows else {})


def _interface_row(each: Interface, number: int) -> Body:
    address, length = each.address or ("", 0)
    row = {
        **_state_keys(each),
        "iod": str(number),
        "prefix": address,
        "subnet": str(ip_interface(f"{address}/{length}").network.network_address),
        "masklen": str(length),
        "num-addr": str(1 + len(_secondary(each))),
        "ip-disabled": "FALSE",
        "bcast-addr": "255.255.255.255",
        "num-maddr": "0",
        "mtu": str(each.mtu_bytes),
        "pref": "0",
        "tag": "0",
        "proxy-arp": "disabled",
        "lcl-proxy-arp": "disabled",
        "mrouting": "disabled",
        "icmp-redirect": _redirects(each),
        "dir-bcast": "disabled",
        "ip-unreach": "disabled",
        "port-unreach": "enabled",
        "urpf-mode": "none",
        "ip-ls-type": "none",
    }
    more = [{"prefix1": a.partition("/")[0], "masklen1": a.partition("/")[2]} for a in _secondary(each)]
    return row | table("secondary_address", more)


def _interface_lines(each: Interface, number: int) -> list[str]:
    address, length = each.address or ("", 0)
    addresses = [
        f"  IP address: {a.partition('/')[0]}, IP subnet: {ip_interface(a).network}{kind} route-preference: 0, tag: 0"
        for a, kind in [(f"{address}/{length}", ""), *((a, " secondary") for a in _secondary(each))]
    ]
    return [
        f"{each.name}, Interface status: {_states(each)}, iod: {number},",
        *addresses,
        "  IP broadcast address: 255.255.255.255",
        "  IP multicast groups locally joined: none",
        f"  IP MTU: {each.mtu_bytes} bytes (using link MTU)",
        "  IP primary address route-preference: 0, tag: 0",
        "  IP proxy ARP : disabled",
        "  IP Local Proxy ARP : disabled",
        "  IP multicast routing: disabled",
        f"  IP icmp redirects: {_redirects(each)}",
        "  IP directed-broadcast: disabled",
        "  IP Forwarding: disabled",
        "  IP icmp unreachables (except port): disabled",
        "  IP icmp port-unreachable: enabled",
        "  IP unicast reverse path forwarding: none",
        "  IP load sharing: none",
    ]


# -- IPv6 ----------------------------------------------------------------------------------------------------------


def ipv6_interface(view: View, vrf: str = "default") -> Reply:
    """Show ipv6 interface [vrf X|all]: interfaces with an address of IPv6."""
    names = list(vrf_numbers(view)) if vrf == "all" else [vrf]
    numbers = {each.name: number for number, each in enumerate(facts(view), start=1)}
    blocks, rows = [], []
    for name in names:
        lines = [f'IPv6 Interface Status for VRF "{name}"({vrf_numbers(view).get(name, 1)})']
        for each in facts(view):
            addresses = [n.params["address"] for n in each.node.find("ipv6 address") if "address" in n.params]
            if addresses and each.vrf == name:
                lines += _ipv6_lines(each, addresses, numbers[each.name])
                rows.append(_ipv6_row(each, addresses, numbers[each.name]))
        blocks.append("\n".join([*lines, ""]))
    return Reply("\n".join(blocks), table("intf", rows))


def _link_local(each: Interface) -> str:
    """Made from the MAC address (RFC 4291, appendix A)."""
    octets = bytearray.fromhex(each.mac.replace(".", ""))
    octets[0] ^= 2
    words = bytes([*octets[:3], 0xFF, 0xFE, *octets[3:]]).hex()
    return str(ip_interface("fe80::" + ":".join(words[at : at + 4] for at in range(0, 16, 4))).ip)


def _ipv6_row(each: Interface, addresses: list[str], number: int) -> Body:
    own = [{"addr": address} for address in addresses]
    return {
        "vrf-name-out": each.vrf,
        **_state_keys(each),
        "iod": str(number),
        **table("addr", own),
        "prefix": str(ip_interface(addresses[0]).network),
        "linklocal-addr": _link_local(each),
        "linklocal-configured": "FALSE",
        "mrouting-enabled": "disabled",
        "report-linklocal-enabled": "disabled",
        "forwarding-enabled": "disabled",
        "mgroup-locally-joined": "TRUE",
        "mcast-sgentries-joined": "FALSE",
        "mtu": str(each.mtu_bytes),
        "urpf-mode": "none",
        "ipv6-lstype": "none",
        "stats-last-reset": "never",
    }


def _ipv6_lines(each: Interface, addresses: list[str], number: int) -> list[str]:
    word = "VALID" if each.is_up else "TENTATIVE"
    return [
        f"{each.name}, Interface status: {_states(each)}, iod: {number}",
        "  IPv6 address:",
        *(f"    {address} [{word}]" for address in addresses),
        f"  IPv6 subnet:  {ip_interface(addresses[0]).network}",
        f"  IPv6 link-local address: {_link_local(each)} (default) [{word}]",
        "  IPv6 virtual addresses configured: none",
        "  IPv6 multicast routing: disabled",
        "  IPv6 report link local: disabled",
        "  IPv6 Forwarding feature: disabled",
        "  IPv6 multicast (S,G) entries joined: none",
        f"  IPv6 MTU: {each.mtu_bytes} (using link MTU)",
        "  IPv6 unicast reverse path forwarding: none",
        "  IPv6 load sharing: none",
        "  IPv6 interface statistics last reset: never",
    ]


# -- ARP -----------------------------------------------------------------------------------------------------------

_FLAGS = """\

Flags: * - Adjacencies learnt on non-active FHRP router
       + - Adjacencies synced via CFSoE
       # - Adjacencies Throttled for Glean
       D - Static Adjacencies attached to down interface

"""


def arp(view: View, vrf: str = "default") -> Reply:
    """Show ip arp [vrf X|all]."""
    found = [each for each in resolved(view.fabric, view.device.name) if vrf in ("all", each.vrf)]
    context = "for all contexts" if vrf == "all" else f"for context {vrf}"
    head = [f"IP ARP Table {context}", f"Total number of entries: {len(found)}"]
    lines = [*head, "Address         Age       MAC Address     Interface"]
    lines += [f"{each.address:<15} {_age()}  {cisco_mac(each.mac)}  {each.interface:<15}" for each in found]
    names = list(dict.fromkeys(each.vrf for each in found)) if vrf == "all" else [vrf]
    rows = [_arp_vrf(name, [each for each in found if each.vrf == name]) for name in names]
    return Reply(_FLAGS + "\n".join([*lines, ""]), table("vrf", rows))


def _arp_vrf(name: str, found: list[Resolved]) -> Body:
    rows = [
        {"ip-addr-out": e.address, "time-stamp": _age(), "mac": cisco_mac(e.mac), "intf-out": e.interface}
        for e in found
    ]
    return {"vrf-name-out": name, "cnt-total": len(rows), **table("adj", rows)}


def _age() -> str:
    """Entries are used all the time, by BFD and BGP; how long ago is not worked out (M)."""
    return "00:00:01"
