"""Prefix lists and route maps, evaluated as BGP does: first match, implicit deny at the end."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from types import MappingProxyType

from .state import AsPathList, PrefixList, PrefixListEntry, RouteMap, RouteMapEntry, SwitchState

NO_COMMUNITIES: frozenset[str] = frozenset()
Lists = dict[str, PrefixList]


@lru_cache(maxsize=100_000)
def network_of(cidr: str) -> tuple[int, int]:
    """(network, length) of a prefix or interface address, as numbers."""
    network = _interface(cidr).network
    return int(network.network_address), network.prefixlen


@lru_cache(maxsize=100_000)
def prefix_text(cidr: str) -> str:
    """Canonical text of the network of an interface address or prefix."""
    return str(_interface(cidr).network)


def _interface(cidr: str) -> ipaddress.IPv4Interface | ipaddress.IPv6Interface:
    return ipaddress.IPv6Interface(cidr) if ":" in cidr else ipaddress.IPv4Interface(cidr)


def bits_of(address: str) -> int:
    """The length of addresses of this one's family."""
    return 128 if ":" in address else 32


@lru_cache(maxsize=100_000)
def address_number(address: str) -> int:
    """An address (a length after it is ignored) as a number."""
    return int(_interface(address.partition("/")[0]).ip)


@lru_cache(maxsize=100_000)
def neighbor_number(neighbor: str) -> int:
    """The rank of a neighbour among those of a switch: IPv4 addresses, port names by their numbers, IPv6 addresses."""
    if ":" in neighbor:
        return (1 << 200) + address_number(neighbor)
    if neighbor[0].isdecimal():
        return address_number(neighbor)
    return reduce(lambda left, part: left << 12 | int(part), re.findall(r"\d+", neighbor), 1 << 32)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The effect of a policy on a route that it permits."""

    prepend: tuple[int, ...] = ()
    communities: frozenset[str] = NO_COMMUNITIES
    local_preference: int = 100


class Judge:
    """The effect of a neighbour's prefix list and route map of one direction. Equal policies share one judge."""

    def __init__(
        self,
        prefix_list: PrefixList | None,
        route_map: RouteMap | None,
        lists: Lists,
        *,
        denies: bool,
        as_paths: Mapping[int, AsPathList] = MappingProxyType({}),
    ) -> None:
        self._prefix_list, self._lists, self._denies = prefix_list, lists, denies
        self._entries = sorted(route_map.entries, key=lambda entry: entry.sequence) if route_map else None
        self._as_paths = as_paths
        self._seen: dict[tuple[str, frozenset[str], tuple[int, ...]], Verdict | None] = {}

    def verdict(self, prefix: str, communities: frozenset[str], as_path: tuple[int, ...] = ()) -> Verdict | None:
        """The verdict on a route; None if it is denied."""
        key = (prefix, communities, as_path if self._as_paths else ())
        if key not in self._seen:
            self._seen[key] = self._judge(*key)
        return self._seen[key]

    def _judge(self, prefix: str, communities: frozenset[str], as_path: tuple[int, ...]) -> Verdict | None:
        if self._denies or (self._prefix_list is not None and not _permits(self._prefix_list, prefix)):
            return None
        if self._entries is None:
            return Verdict(communities=communities)
        for entry in self._entries:
            listed = self._as_paths.get(entry.sequence)
            if self._matches(entry, prefix, communities) and (listed is None or _finds(listed, as_path)):
                return _set(entry, communities) if entry.permit else None
        return None

    def _matches(self, entry: RouteMapEntry, prefix: str, communities: frozenset[str]) -> bool:
        lists = entry.match_prefix_lists
        if lists and not any(_permits(self._lists[name], prefix) for name in lists):
            return False
        return not entry.match_communities or bool(communities & set(entry.match_communities))


class Policies:
    """The policies of one switch. ``judges`` is the fabric's, so that switches with equal policies share judgements."""

    def __init__(self, state: SwitchState, judges: dict[object, Judge]) -> None:
        self._missing_permits = state.missing_route_map_permits
        outside = state.outside
        self._prefix_lists = {item.name: item for item in (*state.prefix_lists, *outside.prefix_lists)}
        self._as_path_lists = {item.name: item for item in outside.as_path_lists}
        self._as_paths = outside.as_paths
        self._route_maps = {item.name: item for item in state.route_maps}
        self._judges = judges
        self._known: dict[tuple[str | None, str | None], Judge] = {}

    def judge_of(self, prefix_list: str | None, route_map: str | None) -> Judge:
        """The judge of a neighbour's prefix list and route map of one direction."""
        names = (prefix_list, route_map)
        if names not in self._known:
            self._known[names] = self._made(prefix_list, route_map)
        return self._known[names]

    def _made(self, prefix_list: str | None, route_map: str | None) -> Judge:
        found = self._route_maps.get(route_map) if route_map is not None else None
        denies = route_map is not None and found is None and not self._missing_permits
        named = None if prefix_list is None else self._list(prefix_list)
        entries = found.entries if found else ()
        lists = {name: self._list(name) for entry in entries for name in entry.match_prefix_lists}
        as_paths = {each.sequence: self._as_path_list(route_map, each) for each in entries if self._as_paths}
        matched = {sequence: each for sequence, each in as_paths.items() if each is not None}
        content = (named, found, tuple(lists.values()), denies, tuple(matched.items()))
        if content not in self._judges:
            self._judges[content] = Judge(named, found, lists, denies=denies, as_paths=matched)
        return self._judges[content]

    def _as_path_list(self, route_map: str | None, entry: RouteMapEntry) -> AsPathList | None:
        """What a rule wants of AS paths; a list that does not exist finds nothing."""
        name = self._as_paths.get((route_map or "", entry.sequence))
        return None if name is None else self._as_path_lists.get(name, AsPathList(name, ()))

    def _list(self, name: str) -> PrefixList:
        """A prefix list; one that does not exist permits nothing."""
        return self._prefix_lists.get(name, PrefixList(name, ()))


def _permits(prefix_list: PrefixList, prefix: str) -> bool:
    """Does a prefix list permit a prefix?"""
    for entry in sorted(prefix_list.entries, key=lambda entry: entry.sequence):
        if _covers(entry, prefix):
            return entry.permit
    return False


def _finds(as_paths: AsPathList, path: tuple[int, ...]) -> bool:
    """Does a list permit a path? ``_`` stands for either end of it and for what is between numbers."""
    words = " ".join(map(str, path))
    for permit, pattern in as_paths.rules:
        if re.search(pattern.replace("_", "(?:^|[ ,{}()]|$)"), words):
            return permit
    return False


def _set(entry: RouteMapEntry, communities: frozenset[str]) -> Verdict:
    after = communities
    if entry.communities:
        after = frozenset(entry.communities) | (communities if entry.communities_additive else NO_COMMUNITIES)
    preference = 100 if entry.local_preference is None else entry.local_preference
    return Verdict(entry.prepend, after, preference)


def _covers(entry: PrefixListEntry, prefix: str) -> bool:
    inside, length = network_of(prefix)
    outer, outer_length = network_of(entry.prefix)
    bits = bits_of(prefix)
    if bits != bits_of(entry.prefix):
        return False
    if length < outer_length or (inside >> (bits - outer_length)) != (outer >> (bits - outer_length)):
        return False
    if entry.ge is None and entry.le is None:
        return length == outer_length
    longest = entry.le if entry.le is not None else bits
    return (entry.ge if entry.ge is not None else outer_length) <= length <= longest
