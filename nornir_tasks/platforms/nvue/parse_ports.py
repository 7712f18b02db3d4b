"""Ports of NVUE data parsed: split cages, loopback, bonds, used ports with their layer 1, and unused ports."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.storm_control import StormControl, storm_control
from nornir_tasks.design.model.order import prefix_key
from nornir_tasks.platforms.nvue.access_lists import bindings
from nornir_tasks.platforms.nvue.capabilities import PROFILE, NvueCapabilities, Spelling
from nornir_tasks.platforms.nvue.parse_gateways import has_gateways, take_gateway
from nornir_tasks.platforms.nvue.parse_pair import SUBINTERFACE
from nornir_tasks.platforms.nvue.port_map import LAG, PEER_LINK
from nornir_tasks.platforms.nvue.reading import (
    Data,
    drop_if_empty,
    entries,
    look,
    take,
    take_empty,
    take_int,
    take_text,
    take_word,
)
from nornir_tasks.platforms.nvue.tree import BRIDGE

_DEFAULT_MTU_BYTES = 9216  # docs514 Interface-Configuration-and-Management: every swp port
_FEC_OF = {"rs": "rs", "baser": "fc", "off": "none"}
_CAGE = re.compile(r"swp(\d+)")
_SPEED = re.compile(r"(\d+)G")
_BOND = re.compile(rf"{LAG}\d+|{PEER_LINK}")
_PEERING = re.compile(SUBINTERFACE)
_SVI = re.compile(r"vlan(\d+)")
_SUBINTERFACE = re.compile(r"(swp\w+)\.\d+")
_MEMBER = ("bridge", "domain", BRIDGE)
_SPLIT = {"2x": 2, "4x": 4, "8x": 8}


@dataclass(frozen=True)
class Carried:
    """The QoS profiles of ports."""

    own: Mapping[str, str]
    """Ports with a profile other than the default."""
    watched: frozenset[str]
    """Ports with a PFC watchdog."""

    def profile_of(self, port: str) -> str | None:
        """None for a port without the watchdog that others of its profile have."""
        name = self.own.get(port, PROFILE)
        return name if port in self.watched or name not in self.guarded else None

    @cached_property
    def guarded(self) -> frozenset[str]:
        """Profiles with the watchdog on some port."""
        return frozenset(self.own.get(port, PROFILE) for port in self.watched)


def parse_ports(
    data: Data, known: NvueCapabilities, carried: Carried | None, lists: Mapping[str, Family]
) -> tuple[tuple[Interface, ...], tuple[Breakout, ...]]:
    """All ports, and the split cages. ``carried``: None without QoS; ``lists``: the family of each access list."""
    cages = {name: ways for name, _ in entries(data, "interface") if (ways := _ways(data, name))}
    groups = _groups(data)
    acls = {name: bindings(port, lists) for name, port in entries(data, "interface") if name not in cages}
    ports = tuple(
        replace(
            _interface(data, name, known, carried, is_member=name in groups),
            member=groups.get(name),
            acls=acls[name],
        )
        for name, _ in entries(data, "interface")
        if name not in cages and not _PEERING.fullmatch(name)
    )
    found = (_breakout(data, name, ways) for name, ways in cages.items())
    return ports, tuple(each for each in found if each is not None)


def _groups(data: Data) -> dict[str, LagMember]:
    """Member -> what makes it one; a port that is in a second bond, or has no entry of its own, stays in the data."""
    there = {name for name, _ in entries(data, "interface")}
    found: dict[str, LagMember] = {}
    for bond in sorted(each for each in there if _BOND.fullmatch(each)):
        at = ("interface", bond, "bond", "member")
        for port in [name for name, below in entries(data, *at) if name in there and not below and name not in found]:
            take_empty(data, *at, port)
            found[port] = LagMember(bond, None)
    return found


def _lag(port: Data, spelling: Spelling) -> Lag:
    """A bond's own settings: those that it always has with us, each with the value that the OS has without it."""
    take_word(port, "lacp", "bond", "mode")
    rate = look(port, "bond", "lacp-rate")
    if rate in ("fast", "slow"):
        take(port, "bond", "lacp-rate")
    individual = look(port, "bond", "lacp-bypass") == spelling.on
    take_word(port, spelling.on if individual else spelling.off, "bond", "lacp-bypass")
    # FRONT_NOTES.md: fast is the default
    pair_id = take_int(port, "bond", "mlag", "id") if _is_over_both(port, spelling) else None
    if pair_id is not None:
        take(port, "bond", "mlag", spelling.switch)
    return Lag("slow" if rate == "slow" else "fast", individual, pair_id=pair_id)


def _is_over_both(port: Data, spelling: Spelling) -> bool:
    """Does a bond go over both switches of a pair?"""
    is_on: bool = look(port, "bond", "mlag", spelling.switch) == spelling.on
    return is_on


def _ways(data: Data, name: str) -> int | None:
    """Number of parts of a cage; None for a whole port."""
    modes = look(data, "interface", name, "link", "breakout") if _CAGE.fullmatch(name) else None
    return _SPLIT.get(next(iter(modes))) if isinstance(modes, dict) and len(modes) == 1 else None


def _breakout(data: Data, name: str, ways: int) -> Breakout | None:
    """The split of one cage; one without lanes is not ours."""
    at = ("interface", name, "link", "breakout", f"{ways}x")
    lanes = look(data, *at, "lanes-per-port")
    if not isinstance(lanes, str) or not lanes.isdecimal():
        return None
    take_word(data, "swp", "interface", name, "type")
    take(data, *at, "lanes-per-port")
    return Breakout(int(name.removeprefix("swp")), ways, None, int(lanes))


def _interface(
    data: Data, name: str, known: NvueCapabilities, carried: Carried | None, *, is_member: bool = False
) -> Interface:
    port = data["interface"][name]
    if svi := _SVI.fullmatch(name):
        return _svi(data, name, int(svi[1]), known)
    if sub := _SUBINTERFACE.fullmatch(name):
        return _subinterface(data, name, sub[1], known)
    is_loopback, is_bond = name == known.loopback_name, _BOND.fullmatch(name) is not None
    take_word(port, "loopback" if is_loopback else name if name == PEER_LINK else "bond" if is_bond else "swp", "type")
    lag = _lag(port, known.spelling) if is_bond else None
    access_vlan = None if is_loopback else take_int(port, *_MEMBER, "access")
    tagged_vlans, native_vlan = (None, None) if is_loopback or access_vlan is not None else _trunk(port)
    is_switched = access_vlan is not None or tagged_vlans is not None
    edge = is_switched and _edge(port, known.spelling)
    storm = _storm(port) if is_switched or is_member else None
    undisclosed = not is_switched and not is_loopback and take_word(port, "disabled", "lldp", "state")
    address = _address(port, known.spelling.address, "address")
    ipv6_address = None if is_switched else _address(port, known.spelling.ipv6, "address", is_ipv6=True)
    mtu_bytes = take_int(port, "link", "mtu")
    layer1 = None if is_loopback or is_bond else _layer1(port, known.spelling)
    ra_interval_ms = _router_advertisements(port, known.spelling)
    is_down = take_empty(port, "link", "state", "down")
    if not is_down and not is_loopback and not is_bond:
        take_empty(port, "link", "state", "up")
    description = take_text(port, "description")
    vrf = None if is_loopback or is_switched else take_text(port, *known.spelling.vrf)
    if is_loopback and address is None and ipv6_address is None:
        vrf, address, ipv6_address = _in_a_vrf(data)
    is_unused = is_down and not is_switched and not is_bond and not is_member
    is_unused = is_unused and {address, ipv6_address, mtu_bytes, layer1, description, ra_interval_ms, vrf} == {None}
    has_mtu = not (is_loopback or is_unused or is_member)
    has_profile = carried is not None and not (is_loopback or is_unused or is_bond)
    drop_if_empty(data, "interface", name)
    return Interface(
        name=name,
        description=description,
        address=address,
        mtu_bytes=_DEFAULT_MTU_BYTES if mtu_bytes is None and has_mtu else mtu_bytes,
        enabled=not is_down,
        qos_profile=carried.profile_of(name) if carried is not None and has_profile else None,
        layer1=layer1,
        ra_interval_ms=ra_interval_ms,
        access_vlan=access_vlan,
        edge=edge,
        vrf=vrf,
        tagged_vlans=tagged_vlans,
        native_vlan=native_vlan,
        lag=lag,
        ipv6_address=ipv6_address,
        storm=storm,
        undisclosed=undisclosed,
    )


def _trunk(port: Data) -> tuple[tuple[int, ...] | None, int | None]:
    """The tagged VLANs (None: no trunk), and the untagged one. If none is listed, all VLANs of the bridge use it."""
    member = look(port, *_MEMBER)
    if not isinstance(member, dict) or not {"untagged", "vlan"} & member.keys():
        return None, None
    native = take_int(port, *_MEMBER, "untagged")
    if native is None:
        take_word(port, "none", *_MEMBER, "untagged")
    numbers = [number for number, below in entries(port, *_MEMBER, "vlan") if number.isdecimal() and not below]
    for number in numbers:
        take_empty(port, *_MEMBER, "vlan", number)
    return tuple(sorted(map(int, numbers))), native


def _subinterface(data: Data, name: str, parent: str, known: NvueCapabilities) -> Interface:
    """``swp1.100``. Type and port stay in the data if they differ from the name."""
    port = data["interface"][name]
    take_word(port, "sub", "type")
    take_word(port, parent, "base-interface")
    found = replace(_logical(port, name, known), tag=take_int(port, "vlan"))
    drop_if_empty(data, "interface", name)
    return found


def _svi(data: Data, name: str, number: int, known: NvueCapabilities) -> Interface:
    """``vlan900``. Type and VLAN stay in the data if they differ from the name."""
    port = data["interface"][name]
    take_word(port, "svi", "type")
    if look(port, "vlan") == number:
        take(port, "vlan")
    found = _logical(port, name, known)
    if has_gateways(data, known.spelling):
        found = replace(found, gateway=take_gateway(port, known.spelling, found.address, found.ipv6_address))
    drop_if_empty(data, "interface", name)
    return found


def _logical(port: Data, name: str, known: NvueCapabilities) -> Interface:
    """The common part of SVIs and subinterfaces."""
    return Interface(
        name=name,
        description=take_text(port, "description"),
        address=_address(port, known.spelling.address, "address"),
        mtu_bytes=take_int(port, "link", "mtu") or _DEFAULT_MTU_BYTES,
        enabled=not take_empty(port, "link", "state", "down"),
        qos_profile=None,
        vrf=take_text(port, *known.spelling.vrf),
        ipv6_address=_address(port, known.spelling.ipv6, "address", is_ipv6=True),
    )


def _edge(port: Data, spelling: Spelling) -> bool:
    """Both or none: either alone is not ours."""
    keys = [(*_MEMBER, "stp", key) for key in ("admin-edge", "bpdu-guard")]
    if any(look(port, *key) != spelling.on for key in keys):
        return False
    for key in keys:
        take(port, *key)
    return True


def _storm(port: Data) -> StormControl | None:
    found = {kind: take_int(port, "storm-control", kind) for kind in ("broadcast", "multicast", "unknown-unicast")}
    return storm_control(*found.values())


def _router_advertisements(port: Data, spelling: Spelling) -> int | None:
    """Their interval in milliseconds, if they are sent and have one; anything else stays in the data."""
    at = (spelling.ipv6, "neighbor-discovery", "router-advertisement")
    if look(port, *at, spelling.switch) != spelling.on or not isinstance(look(port, *at, "interval"), int):
        return None
    take(port, *at, spelling.switch)
    return take_int(port, *at, "interval")


def _layer1(port: Data, spelling: Spelling) -> Layer1 | None:
    """All of it or none: a speed without negotiation is forced, one without FEC is the firmware's choice."""
    link = port.get("link")
    if not isinstance(link, dict):
        return None
    speed, fec, negotiate = (link.get(key) for key in ("speed", "fec", "auto-negotiate"))
    found = _SPEED.fullmatch(speed) if isinstance(speed, str) else None
    if found is None or fec not in _FEC_OF or negotiate not in (spelling.on, spelling.off):
        return None
    for key in ("speed", "fec", "auto-negotiate"):
        take(port, "link", key)
    return Layer1(int(found[1]), None, _FEC_OF[fec], negotiate == spelling.on)  # type: ignore[arg-type]


def _in_a_vrf(data: Data) -> tuple[str | None, str | None, str | None]:
    """The VRF whose own interface is the loopback, with its addresses; a second such VRF stays in the data."""
    for vrf in (name for name, _ in entries(data, "vrf") if name != "default"):
        at = ("vrf", vrf, "loopback", "ip", "address")
        found = _address(data, *at), _address(data, *at, is_ipv6=True)
        if found != (None, None):
            return vrf, *found
    return None, None, None


def _address(data: Data, *at: str, is_ipv6: bool = False) -> str | None:
    """The lowest address of a family; a second one stays in the data."""
    addresses = [key for key, below in entries(data, *at) if not below and (":" in key) is is_ipv6 and "/" in key]
    if not addresses:
        return None
    first = min(addresses, key=prefix_key)
    take_empty(data, *at, first)
    return first
