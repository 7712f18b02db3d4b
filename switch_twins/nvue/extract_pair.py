"""The pair (MLAG) of NVUE's objects.

Both members need MLAG on, a peer link (an interface of type ``peerlink``) and the subinterface of it that both talk
over; another system MAC address is a conflict that the consistency checker shows of peers that talk
(Multi-Chassis-Link-Aggregation-MLAG.md, Troubleshooting).

What is compared, and what is done about a conflict: the table in Peer Link Consistency Check of that page
(tests/corpus/pairs/consistency.tsv). That a row of one bond takes that bond down alone is inferred from its type (M).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..state import Compared, InterfaceState, PairState
from .dialect import Dialect
from .tree import Tree, get_or

DEFAULT_PRIORITY = 32768
NONE = "-"
"""A value that is not there, as the checker prints it."""
_BRIDGE = "br_default"
_DEFAULT_PVID = 1


def pair_state(tree: Tree, dialect: Dialect, ports: Iterable[InterfaceState]) -> PairState | None:
    """The pair; None while MLAG is off, or lacks something."""
    mlag, interfaces = get_or(tree, {}, "mlag"), get_or(tree, {}, "interface")
    link = next((name for name, each in interfaces.items() if each.get("type") == "peerlink"), None)
    talks_on = next((name for name, each in interfaces.items() if link and _is_above(name, each, link)), None)
    if link is None or talks_on is None or not dialect.is_on(mlag, False):
        return None
    backups: Tree = mlag.get("backup", {})
    backup = next(iter(backups), "")
    address = str(mlag.get("peer-ip", "linklocal"))
    return PairState(
        domain=str(mlag.get("mac-address", "")).lower(),
        peer_link=link,
        needs_same_domain=False,
        talks_on=talks_on,
        peer_address="" if address == "linklocal" else address,
        keepalive=backup,
        keepalive_vrf=str(get_or(backups, "default", backup, "vrf")),
        priority=int(mlag.get("priority", DEFAULT_PRIORITY)),
        shuts_apart="groups",
        compared=tuple(_compared(tree, link, {each.name: each for each in ports})),
    )


def _compared(tree: Tree, link: str, ports: dict[str, InterfaceState]) -> Iterator[Compared]:
    """The rows of the whole switch, then those of each bond over both."""
    bridge = get_or(tree, {}, "bridge", "domain", _BRIDGE)
    vlans, native = ports[link].vlans, ports[link].native_vlan
    if ports[link].is_routed:  # a peer link is a member of the bridge by itself
        native = bridge.get("untagged", _DEFAULT_PVID)
        vlans = frozenset({native, *(int(each) for each in bridge.get("vlan", {}) if each.isdecimal())})
    stp, mac = bridge.get("stp", {}), str(get_or(tree, NONE, "mlag", "mac-address")).lower()
    yield Compared("bridge-priority", str(stp.get("priority", DEFAULT_PRIORITY)), action="secondary")
    yield Compared("bridge-stp-mode", str(stp.get("mode", "rstp")), action="secondary")
    yield Compared("peerlink-mtu", str(ports[link].mtu_bytes), action="secondary")
    yield Compared("peerlink-native-vlan", str(native or NONE), action="secondary", is_conflict=not native)
    yield Compared("peerlink-vlans", _listed(vlans), action="vlans")
    yield Compared("system-mac", mac, action="secondary")
    for bond in (each for each in ports.values() if each.over_both):
        yield from _of_bond(bond)


def _of_bond(bond: InterfaceState) -> Iterator[Compared]:
    name, number = bond.name, bond.over_both
    native, is_member = str(bond.access_vlan or bond.native_vlan or NONE), not bond.is_routed
    yield Compared("native-vlan", native, "", name, number, "secondary")
    yield Compared("vlan-id", _listed(bond.vlans), "", name, number, "vlans")
    yield Compared("mtu", str(bond.mtu_bytes), "", name, number)
    yield Compared("master", _BRIDGE if is_member else NONE, "", name, number, "own", is_conflict=not is_member)


def _listed(vlans: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(vlans))) or NONE


def _is_above(name: str, settings: Tree, link: str) -> bool:
    port, _, _ = name.rpartition(".")
    return settings.get("type") == "sub" and settings.get("base-interface", port) == link
