"""A switch's ports in the kernel: what they shall be, what they are, and the lines of ``ip`` between the two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any

from ..state import SwitchState
from .names import LOOPBACK, kernel_name

FABRIC_MTU_BYTES = 9216
_HOST_NET = "127.0.0.0/8"


@dataclass(frozen=True, slots=True)
class Port:
    """One interface of a namespace.

    carrier     the other end is up as well; False on one that is down itself
    index       the kernel's number; of a veth port it is unlike any other of the lab
    peer_index  the number of the far end of its cable; None for a loopback, and for a TAP
    """

    is_up: bool
    mtu_bytes: int
    addresses: frozenset[str] = frozenset()
    mac: str = ""
    carrier: bool = False
    index: int = 0
    peer_index: int | None = None


def wanted_ports(state: SwitchState, cabled: Mapping[str, bool]) -> dict[str, Port]:
    """What a switch's configuration makes of its interfaces, by the kernel's names.

    ``cabled``: its ports with a cable, and whether the cable carries light at this end. Ports without one do not exist.
    """
    loopbacks = [each for each in state.interfaces if each.is_loopback and each.vrf == "default" and each.is_admin_up]
    own = frozenset(address for each in loopbacks for address in each.addresses)
    found = {LOOPBACK: Port(True, 65536, own)}
    known = {each.name: each for each in state.interfaces}
    for name, is_lit in cabled.items():
        interface = known.get(name)
        if interface is None:
            found[kernel_name(name)] = Port(False, FABRIC_MTU_BYTES)
            continue
        is_open = interface.is_admin_up and not interface.is_dark and is_lit
        is_ours = interface.is_routed and interface.vrf == "default"
        addresses = frozenset(interface.addresses if is_ours else ())
        found[kernel_name(name)] = Port(is_open, interface.mtu_bytes, addresses, _mac_of(interface.link_local))
    return found


def _mac_of(link_local: str) -> str:
    """The MAC address that gives an interface this link-local address (RFC 4291, appendix A); "" if it has none."""
    if not link_local:
        return ""
    octets = IPv6Address(link_local).packed[8:]
    return ":".join(f"{octet:02x}" for octet in (octets[0] ^ 2, *octets[1:3], *octets[5:]))


def read_ports(shown: Iterable[Mapping[str, Any]]) -> dict[str, Port]:
    """The interfaces that ``ip -json address`` shows."""
    found = {}
    for each in shown:
        if not each:
            continue
        addresses = frozenset(
            f"{one['local']}/{one['prefixlen']}"
            for one in each.get("addr_info", ())
            if one["family"] == "inet" and one["local"] != "127.0.0.1"
        )
        is_up = "UP" in each["flags"]
        found[each["ifname"]] = Port(
            is_up,
            each["mtu"],
            addresses,
            each.get("address", ""),
            is_up and "LOWER_UP" in each["flags"],
            each["ifindex"],
            each.get("link_index"),
        )
    return found


def changes(wanted: Mapping[str, Port], found: Mapping[str, Port]) -> Iterator[str]:
    """Lines for ``ip -batch``. A port goes down first and comes up last, so that no route uses it half-made."""
    for name, port in wanted.items():
        now = found.get(name)
        if now is None:
            continue
        if now.is_up and (not port.is_up or (port.mac and port.mac != now.mac)):
            yield f"link set {name} down"
        if name != LOOPBACK and port.mtu_bytes != now.mtu_bytes:
            yield f"link set {name} mtu {port.mtu_bytes}"
        if port.mac and port.mac != now.mac:
            yield f"link set {name} address {port.mac}"
        yield from (f"address delete {each} dev {name}" for each in sorted(now.addresses - port.addresses))
        yield from (f"address add {each} dev {name}" for each in sorted(port.addresses - now.addresses))
    for name, port in wanted.items():
        now = found.get(name)
        if port.is_up and now is not None and (not now.is_up or (port.mac and port.mac != now.mac)):
            yield f"link set {name} up"
