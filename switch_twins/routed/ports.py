"""The interfaces of a switch's namespace: what its configuration makes of its ports, and what the kernel shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv6Address
from typing import Any

from ..state import SwitchState
from .names import BRIDGE, LOOPBACK, kernel_name

FABRIC_MTU_BYTES = 9216
LOOPBACK_MTU_BYTES = 65536
MADE = frozenset({"bond", "bridge", "dummy", "macvlan", "vlan", "vrf"})
"""Kinds of interfaces that the lab makes for a configuration; all others are ends of cables."""
_BOND_WORDS = {"lacp_active": "ad_lacp_active", "lacp_rate": "ad_lacp_rate"}
"""What ``ip -json`` shows under another name than that by which it is set."""
_DISTRIBUTING = 0x30
"""Collecting and distributing (IEEE 802.1AX, 6.4.2.3: bits of Actor_State)."""
_NOBODY = "00:00:00:00:00:00"


@dataclass(frozen=True, slots=True)
class Port:
    """One interface of a namespace.

    addresses   with length, of both families; link-local ones are the kernel's own business
    carrier     the other end is up as well; False on one that is down itself
    index       the kernel's number; of a veth port it is unlike any other of the lab
    peer_index  the number of the far end of its cable; None for a loopback, for what the lab made, and for a TAP
    kind        of what the lab made: bond, bridge, VLAN ...; "" for ends of cables and the loopback
    options     what it was made with, as words for ``ip link``
    below       the interface it is on: of a VLAN's, and of a gateway's
    master      the bond, bridge or VRF it is part of
    vlans       of a port of the bridge, and of the bridge itself: each VLAN, and whether its frames go out untagged
    learns      a port of the bridge notes which addresses are behind it
    answers     of the bridge: addresses in VLANs that are its own, beside its MAC address
    partner     of a bond: the system that LACP found at the other end, "" if it found none
    is_bundled  of a member of a bond: it takes and sends frames
    """

    is_up: bool
    mtu_bytes: int
    addresses: frozenset[str] = frozenset()
    mac: str = ""
    carrier: bool = False
    index: int = 0
    peer_index: int | None = None
    kind: str = ""
    options: tuple[tuple[str, str], ...] = ()
    below: str = ""
    master: str = ""
    vlans: frozenset[tuple[int, bool]] = frozenset()
    learns: bool = True
    answers: frozenset[tuple[str, int]] = frozenset()
    partner: str = ""
    is_bundled: bool = False


def wanted_ports(state: SwitchState, cabled: Mapping[str, bool]) -> dict[str, Port]:
    """What a switch's configuration makes of its loopback and ports, by the kernel's names; all in the default VRF.

    ``cabled``: its ports with a cable, and whether the cable carries light at this end. Ports without one do not exist.
    """
    loopbacks = [each for each in state.interfaces if each.is_loopback and each.vrf == "default" and each.is_admin_up]
    own = frozenset(address for each in loopbacks for address in each.addresses)
    found = {LOOPBACK: Port(True, LOOPBACK_MTU_BYTES, own)}
    known = {each.name: each for each in state.interfaces}
    for name, is_lit in cabled.items():
        interface = known.get(name)
        if interface is None:
            found[kernel_name(name)] = Port(False, FABRIC_MTU_BYTES)
            continue
        is_open = interface.is_admin_up and not interface.is_dark and is_lit
        is_ours = interface.is_routed and interface.vrf == "default"
        addresses = frozenset(interface.addresses if is_ours else ())
        found[kernel_name(name)] = Port(is_open, interface.mtu_bytes, addresses, mac_of(interface.link_local))
    return found


def mac_of(link_local: str) -> str:
    """The MAC address that gives an interface this link-local address (RFC 4291, appendix A); "" if it has none."""
    if not link_local:
        return ""
    octets = IPv6Address(link_local).packed[8:]
    return ":".join(f"{octet:02x}" for octet in (octets[0] ^ 2, *octets[1:3], *octets[5:]))


# -- what the kernel shows -----------------------------------------------------------------------------------------

Json = Mapping[str, Any]


def read_ports(shown: Iterable[Json], vlans: Iterable[Json] = (), known: Iterable[Json] = ()) -> dict[str, Port]:
    """The interfaces that ``ip -details -json address`` shows.

    ``vlans``: of ``bridge -json vlan``. ``known``: of ``bridge -json fdb``, the table of MAC addresses.
    """
    carried = {each["ifname"]: _vlans(each["vlans"]) for each in vlans}
    found = {each["ifname"]: _port(each, carried.get(each["ifname"], frozenset())) for each in shown if each}
    if BRIDGE in found:
        found[BRIDGE] = _with_answers(found[BRIDGE], known)
    return found


def _vlans(shown: Iterable[Json]) -> frozenset[tuple[int, bool]]:
    return frozenset(
        (number, "PVID" in each.get("flags", ()))
        for each in shown
        for number in range(each["vlan"], each.get("vlanEnd", each["vlan"]) + 1)
    )


def _port(shown: Json, vlans: frozenset[tuple[int, bool]]) -> Port:
    made, is_up = shown.get("linkinfo", {}), "UP" in shown["flags"]
    kind, member = made.get("info_kind", ""), made.get("info_slave_data", {})
    data = made.get("info_data", {}) if kind in MADE else {}
    return Port(
        is_up,
        shown["mtu"],
        frozenset(f"{one['local']}/{one['prefixlen']}" for one in shown.get("addr_info", ()) if _is_given(one)),
        shown.get("address", ""),
        is_up and "LOWER_UP" in shown["flags"],
        shown["ifindex"],
        shown.get("link_index"),
        kind if kind in MADE else "",
        _options(kind, data),
        shown.get("link", "") if kind in MADE else "",
        shown.get("master", ""),
        vlans,
        member.get("learning", True),
        partner=_partner(data.get("ad_info", {})),
        is_bundled=_is_bundled(member),
    )


def _is_given(address: Json) -> bool:
    """Was it given to the interface, and is not the kernel's own?"""
    return address["scope"] != "link" and address["local"] not in ("127.0.0.1", "::1")


def _options(kind: str, data: Json) -> tuple[tuple[str, str], ...]:
    """What can be told apart of how an interface was made."""
    if kind == "vlan":
        binding = "on" if "BRIDGE_BINDING" in data.get("flags", ()) else "off"
        return (("id", str(data["id"])), ("bridge_binding", binding))
    if kind == "bond":
        return tuple((word, str(data.get(_BOND_WORDS.get(word, word)))) for word in bond_words(data["mode"]))
    words = {"macvlan": ("mode",), "vrf": ("table",)}.get(kind, ())
    return tuple((word, str(data.get(word))) for word in words)


def bond_words(mode: str) -> tuple[str, ...]:
    """What a bond of this mode is made with."""
    lacp = ("lacp_active", "lacp_rate", "min_links", "ad_actor_system", "ad_user_port_key")
    return ("mode", "miimon", "xmit_hash_policy", *(lacp if mode == "802.3ad" else ()))


def _partner(lacp: Json) -> str:
    mac = str(lacp.get("partner_mac", _NOBODY))
    return "" if mac == _NOBODY else mac


def _is_bundled(member: Json) -> bool:
    if "ad_actor_oper_port_state" not in member:
        return member.get("state") == "ACTIVE"
    return int(member["ad_actor_oper_port_state"]) & _DISTRIBUTING == _DISTRIBUTING


def _with_answers(bridge: Port, known: Iterable[Json]) -> Port:
    own = (
        (each["mac"], each["vlan"])
        for each in known
        if each["ifname"] == BRIDGE and each.get("master") == BRIDGE and "vlan" in each and each["mac"] != bridge.mac
    )
    return replace(bridge, answers=frozenset(own))
