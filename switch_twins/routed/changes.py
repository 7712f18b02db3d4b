"""The lines of ``ip`` and ``bridge`` that turn the interfaces of a namespace into what they should be.

Applied once, they leave nothing to do: what is as it should be is not touched. Words: ip-link(8), ip-address(8),
bridge(8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .names import BRIDGE, LOOPBACK
from .ports import Port

_BRIDGE = "vlan_filtering 1 vlan_default_pvid 0 stp_state 0 mcast_snooping 0"
_ANYWHERE = ("0.0.0.0/0", "::/0")
_LAST_METRIC = 4278198272
"""Of the route that ends the table of a VRF, or packets would be routed by that of another (kernel, networking/vrf)."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines for ``ip -batch``, then for ``bridge -batch``, then again for ``ip -batch``: ports come up last."""

    ip: tuple[str, ...]
    bridge: tuple[str, ...]
    up: tuple[str, ...]


def changes(wanted: Mapping[str, Port], found: Mapping[str, Port]) -> Changes:
    """From what is found to what is wanted; ends of cables that are not there come when they are plugged in."""
    gone = _gone(wanted, found)
    now = {name: _left_by(port, gone) for name, port in found.items() if name not in gone}
    there = {name: port for name, port in wanted.items() if port.kind or name in now}
    deleted = [f"link delete {name}" for name in reversed([*found]) if name in gone and _goes_alone(found[name], gone)]
    added = [line for name, port in there.items() if name not in now for line in _made(name, port)]
    closed = {name: now[name] for name in there if name in now and _must_close(there[name], now[name])}
    lines = [f"link set {name} down" for name, port in closed.items() if port.is_up]
    for name, port in there.items():
        lines += _settings(name, port, now.get(name))
    bridge = [line for name, port in there.items() for line in _bridged(name, port, now.get(name))]
    up = [
        f"link set {name} up"
        for name, port in there.items()
        if port.is_up and (name not in now or name in closed or not now[name].is_up)
    ]
    return Changes((*deleted, *added, *lines), tuple(bridge), tuple(up))


def _gone(wanted: Mapping[str, Port], found: Mapping[str, Port]) -> frozenset[str]:
    """What the lab made and should not be, or should be otherwise; with what is on it, which goes with it."""
    gone = {name for name, port in found.items() if port.kind and not _is_as(port, wanted.get(name))}
    while more := {name for name, port in found.items() if name not in gone and port.below in gone}:
        gone |= more
    return frozenset(gone)


def _is_as(found: Port, wanted: Port | None) -> bool:
    return wanted is not None and (found.kind, found.options, found.below) == (
        wanted.kind,
        wanted.options,
        wanted.below,
    )


def _goes_alone(port: Port, gone: frozenset[str]) -> bool:
    """Does it stay where what is below it stays?"""
    return port.below not in gone


def _left_by(port: Port, gone: frozenset[str]) -> Port:
    """A port whose bond, bridge or VRF is gone; a bond leaves its members shut."""
    if port.master not in gone:
        return port
    v4 = frozenset(each for each in port.addresses if ":" not in each)
    return replace(port, master="", vlans=frozenset(), learns=True, is_up=False, addresses=v4)


def _made(name: str, port: Port) -> Iterator[str]:
    on = f"link {port.below} " if port.below else ""
    mac = f" address {port.mac}" if port.mac else ""
    words = " ".join(f"{word} {value}" for word, value in port.options) if port.kind != "bridge" else _BRIDGE
    if port.kind == "vlan" and port.below != BRIDGE:
        words = words.partition(" bridge_binding")[0]
    yield f"link add {on}name {name}{mac} type {port.kind} {words}".rstrip()
    if port.kind == "vrf":
        table = dict(port.options)["table"]
        yield from (f"route replace unreachable {each} metric {_LAST_METRIC} table {table}" for each in _ANYWHERE)


def _must_close(port: Port, now: Port) -> bool:
    """Should it be down, or be down for a moment: for another MAC address, or to enter or leave something?"""
    other_mac = bool(port.mac) and port.mac != now.mac and not port.kind
    return not port.is_up or other_mac or port.master != now.master


def _settings(name: str, port: Port, now: Port | None) -> Iterator[str]:
    master = now.master if now is not None else ""
    if port.mac and now is not None and port.mac != now.mac:
        yield f"link set {name} address {port.mac}"
    if port.master != master:
        yield f"link set {name} master {port.master}" if port.master else f"link set {name} nomaster"
    if name != LOOPBACK and port.kind != "vrf" and (now is None or port.mtu_bytes != now.mtu_bytes):
        yield f"link set {name} mtu {port.mtu_bytes}"
    has = now.addresses if now is not None else frozenset[str]()
    if now is not None and port.master != master:  # IPv6 addresses do not outlast a port's being down
        has = frozenset(each for each in has if ":" not in each)
    yield from (f"address delete {each} dev {name}" for each in sorted(has - port.addresses))
    yield from (f"address replace {each} dev {name}{_at_once(each)}" for each in sorted(port.addresses - has))


def _at_once(address: str) -> str:
    """Both switches of a pair have a gateway's address, so they do not ask whether it is taken."""
    return " nodad" if ":" in address else ""


def _bridged(name: str, port: Port, now: Port | None) -> Iterator[str]:
    """VLANs, and what is known of addresses."""
    if BRIDGE not in (port.master, name):
        return
    is_new = now is None or BRIDGE not in (now.master, name)
    own = " self" if name == BRIDGE else ""
    has = now.vlans if now is not None and not is_new else frozenset[tuple[int, bool]]()
    answers = now.answers if now is not None else frozenset[tuple[str, int]]()
    yield from (f"fdb delete {mac} dev {name} vlan {vlan} self local" for mac, vlan in sorted(answers - port.answers))
    kept = {number for number, _ in port.vlans}
    for first, last in _ranges(number for number, _ in has if number not in kept):
        yield f"vlan delete dev {name} vid {_range(first, last)}{own}"
    come = port.vlans - has
    for first, last in _ranges(number for number, is_untagged in come if not is_untagged):
        yield f"vlan add dev {name} vid {_range(first, last)}{own}"
    for number in sorted(number for number, is_untagged in come if is_untagged):
        yield f"vlan add dev {name} vid {number} pvid untagged"
    if name != BRIDGE and port.learns != (True if is_new or now is None else now.learns):
        yield f"link set dev {name} learning {'on' if port.learns else 'off'}"
    yield from (f"fdb replace {mac} dev {name} vlan {vlan} self local" for mac, vlan in sorted(port.answers - answers))


def _ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for number in sorted(numbers):
        if first is None or last is None:
            first = last = number
        elif number == last + 1:
            last = number
        else:
            yield first, last
            first = last = number
    if first is not None and last is not None:
        yield first, last


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
