"""Where the switches' configurations send a packet: connected subnets, static routes, and what BGP may carry.

Announcements are bits of one integer, so that thousands of them travel together. BGP is taken at its widest: a route is
known wherever its sessions and their lists let it come; which of several paths is best does not matter for whether a
packet arrives. IPv4 alone: IPv6 is connected on a leaf, and no session carries it.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from nornir_tasks.design.config.bgp import Bgp, Neighbor
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.routing_policy import PrefixRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.proofs.spans import Span, span
from nornir_tasks.proofs.subnets import addresses_of, subnets_of
from nornir_tasks.proofs.ways import Met, Way, least

Port = tuple[str, str]
"""(device, interface)."""


class Router(NamedTuple):
    """One routing table of a switch. None: the default VRF."""

    device: str
    vrf: str | None

    def __str__(self) -> str:
        """In words."""
        return self.device if self.vrf is None else f"{self.device} in VRF {self.vrf}"


@dataclass(frozen=True)
class Routing:
    """The routing of all switches together. ``far``: the other end of each cable between two switches."""

    configs: Mapping[str, DeviceConfig]
    far: Mapping[Port, Port]
    _exits: dict[tuple[Router, Span], Mapping[Router, tuple[Way, ...]]] = field(default_factory=dict)
    _covers: dict[Span, list[tuple[Span, int]]] = field(default_factory=dict)
    _parts: dict[Span, list[Span]] = field(default_factory=dict)
    _turns: dict[tuple[int, Span], list[Router]] = field(default_factory=dict)
    _maps: dict[tuple[str, str | None], int] = field(default_factory=dict)

    def exits(self, router: Router, subnet: Span) -> Mapping[Router, tuple[Way, ...]]:
        """The routers from which a packet to this subnet goes out to it, if it comes to ``router``; none: dropped.

        With routes for parts of the subnet, those from which a packet to some part of it does. Each with the ways to
        it: the lists that a packet meets where it follows a static route.
        """
        key = router, subnet
        if key not in self._exits:
            nothing: Way = frozenset()
            found, seen, waiting = dict[Router, list[Way]](), {router: [nothing]}, [(router, nothing)]
            while waiting:
                at, met = waiting.pop()
                if connected := self._connected_to(at, subnet):
                    found.setdefault(at, []).append(met)
                    if connected == "all":
                        continue
                for each, lists in self._next(at, subnet):
                    known, way = seen.setdefault(each, []), met | lists
                    if not any(other <= way for other in known):
                        known.append(way)
                        waiting.append((each, way))
            self._exits[key] = {at: least(ways) for at, ways in found.items()}
        return self._exits[key]

    def _connected_to(self, router: Router, subnet: Span) -> Literal["all", "part", ""]:
        firsts, lasts = self._connected.get((router, subnet.version), ((), ()))
        # Subnets of a router have no address in common, so the last one that begins before the end decides.
        place = bisect_right(firsts, subnet.last) - 1
        if place < 0 or lasts[place] < subnet.first:
            return ""
        return "all" if firsts[place] <= subnet.first and subnet.last <= lasts[place] else "part"

    def _next(self, router: Router, subnet: Span) -> Iterator[tuple[Router, Way]]:
        """Where a router sends a packet to this subnet, or to a part of it for which it has a route of its own.

        That is who announces the prefix, or has the next hop, and who on the way there sends it elsewhere; with the
        lists that it meets on its way there.
        """
        bits, hops = self._best(router, subnet)
        for prefix, found in self.statics.get(router, {}).items():
            if prefix != subnet and subnet.holds(prefix):
                hops += found
        table = self.tables.get(router, 0)
        for prefix in self._inside(subnet):
            bits |= self._announcing[prefix] & table
        nothing: Way = frozenset()
        yield from ((origin, nothing) for origin in self._origins(bits) if origin != router)
        yield from ((each, nothing) for each in self._turning(bits, subnet))
        for hop in hops:
            for owner, there, port in self._owners.get(hop, ()):
                if self._hears(router, owner, there):
                    yield owner, self._between(router, owner, there, port)

    def _between(self, router: Router, owner: Router, subnet: Span, port: Interface) -> Way:
        """The lists of both interfaces between a router and its next hop, where both are in one subnet.

        A router filters what enters and what leaves by an interface (RFC 1812, 5.3.9), the next router's too. A next
        hop that another router leads to may be come to by any interface: then by none that is known.
        """
        if self._connected_to(router, subnet) != "all":
            return frozenset()
        met = [
            Met(router.device, each.name, each.acls, "out")
            for each in self.configs[router.device].interfaces
            if each.acls and each.vrf == router.vrf and subnet in subnets_of(each)
        ]
        return frozenset((*met, *([Met(owner.device, port.name, port.acls, "in")] if port.acls else [])))

    def _hears(self, router: Router, owner: Router, subnet: Span) -> bool:
        """Can a router reach a next hop there: in its own VRF, or on a subnet of its own, as at the end of a cable?"""
        return owner != router and (owner.vrf == router.vrf or self._connected_to(router, subnet) == "all")

    def _best(self, router: Router, subnet: Span) -> tuple[int, tuple[str, ...]]:
        """By the longest prefix that holds the subnet: the announcements of it, or static next hops."""
        best, hops = -1, tuple[str, ...]()
        for prefix, found in self.statics.get(router, {}).items():
            if prefix.length > best and prefix.holds(subnet):
                best, hops = prefix.length, found
        table = self.tables.get(router, 0)
        for prefix, bits in self._covering(subnet):
            if prefix.length > best and table & bits:
                return table & bits, ()
        return 0, hops

    def _turning(self, bits: int, subnet: Span) -> list[Router]:
        """Routers that pass these announcements on, and have other ways to some of the subnet: packets come by them."""
        if (bits, subnet) not in self._turns:
            its = (router for router, passed_on in self._transits if passed_on & bits)
            self._turns[bits, subnet] = [each for each in its if self._has_other_ways(each, subnet)]
        return self._turns[bits, subnet]

    def _has_other_ways(self, router: Router, subnet: Span) -> bool:
        statics = self.statics.get(router, {})
        known = any(hops and (each.holds(subnet) or subnet.holds(each)) for each, hops in statics.items())
        return known or self._connected_to(router, subnet) != ""

    @cached_property
    def _transits(self) -> list[tuple[Router, int]]:
        """Routers with others' announcements that they pass on."""
        passed_on: dict[Router, int] = defaultdict(int)
        for sender, _, allowed in self._all_sessions:
            passed_on[sender] |= allowed & self.tables.get(sender, 0)
        own: dict[Router, int] = defaultdict(int)
        for number, (router, _) in enumerate(self.announcements):
            own[router] |= 1 << number
        found = ((router, bits & ~own[router]) for router, bits in passed_on.items())
        return [(router, bits) for router, bits in found if bits]

    def _covering(self, subnet: Span) -> list[tuple[Span, int]]:
        """The announced prefixes that hold a subnet, longest first, with their bits."""
        if subnet not in self._covers:
            found = [(prefix, bits) for prefix, bits in self._announcing.items() if prefix.holds(subnet)]
            self._covers[subnet] = sorted(found, key=lambda each: -each[0].length)
        return self._covers[subnet]

    def _inside(self, subnet: Span) -> list[Span]:
        """The announced prefixes that are parts of a subnet."""
        if subnet not in self._parts:
            place = bisect_left(self._sorted, Span(subnet.version, subnet.first, -1))
            found = []
            while place < len(self._sorted) and self._sorted[place][:2] <= (subnet.version, subnet.last):
                found += [each for each in (self._sorted[place],) if each != subnet and subnet.holds(each)]
                place += 1
            self._parts[subnet] = found
        return self._parts[subnet]

    def _origins(self, bits: int) -> Iterator[Router]:
        while bits:
            bit = bits & -bits
            yield self.announcements[bit.bit_length() - 1][0]
            bits ^= bit

    # -- what each router has by itself ----------------------------------------------------------------------------

    @cached_property
    def _connected(self) -> dict[tuple[Router, int], tuple[list[int], list[int]]]:
        """(router, version of IP) -> first and last addresses of its interfaces' subnets, ascending."""
        found: dict[tuple[Router, int], set[tuple[int, int]]] = defaultdict(set)
        for device, config in self.configs.items():
            for each in config.interfaces:
                for subnet in subnets_of(each):
                    found[Router(device, each.vrf), subnet.version].add((subnet.first, subnet.last))
        return {
            router: ([first for first, _ in sorted(ranges)], [last for _, last in sorted(ranges)])
            for router, ranges in found.items()
        }

    @cached_property
    def statics(self) -> dict[Router, dict[Span, tuple[str, ...]]]:
        """The static routes of a router with their next hops; without any the packet is dropped."""
        found: dict[Router, dict[Span, tuple[str, ...]]] = defaultdict(dict)
        for device, config in self.configs.items():
            for each in config.static_routes:
                found[Router(device, each.vrf)][span(each.prefix)] = each.next_hops
        return dict(found)

    @cached_property
    def _owners(self) -> dict[str, list[tuple[Router, Span, Interface]]]:
        """Address -> the routers that have it, its subnet there, and the interface."""
        found: dict[str, list[tuple[Router, Span, Interface]]] = defaultdict(list)
        for device, config in self.configs.items():
            for each in config.interfaces:
                for address, subnet in addresses_of(each):
                    found[address].append((Router(device, each.vrf), subnet, each))
        return dict(found)

    # -- what BGP brings -------------------------------------------------------------------------------------------

    @cached_property
    def announcements(self) -> list[tuple[Router, Span]]:
        """Every ``network`` of every BGP process; its place here is its bit."""
        return [
            (Router(device, vrf), span(prefix))
            for device, config in self.configs.items()
            if config.bgp is not None
            for vrf, prefixes in _networks(config.bgp)
            for prefix in prefixes
        ]

    @cached_property
    def _announcing(self) -> dict[Span, int]:
        """Prefix -> the bits of those that announce it."""
        found: dict[Span, int] = defaultdict(int)
        for number, (_, prefix) in enumerate(self.announcements):
            found[prefix] |= 1 << number
        return dict(found)

    @cached_property
    def tables(self) -> dict[Router, int]:
        """Router -> the announcements that it knows, its own among them."""
        found: dict[Router, int] = defaultdict(int)
        for number, (router, _) in enumerate(self.announcements):
            found[router] |= 1 << number
        outgoing: dict[Router, list[tuple[Router, int]]] = defaultdict(list)
        for sender, receiver, allowed in self._all_sessions:
            outgoing[sender].append((receiver, allowed))
        waiting = list(found)
        while waiting:
            sender = waiting.pop()
            for receiver, allowed in outgoing[sender]:
                new = found[sender] & allowed & ~found[receiver]
                if new:
                    found[receiver] |= new
                    waiting.append(receiver)
        return dict(found)

    @cached_property
    def _all_sessions(self) -> list[tuple[Router, Router, int]]:
        return list(self._sessions())

    def _sessions(self) -> Iterator[tuple[Router, Router, int]]:
        """(sender, receiver, what may pass) of every session that both ends are configured for."""
        for device, config in self.configs.items():
            bgp = config.bgp
            for neighbor in bgp.neighbors if bgp is not None else ():
                sender = Router(device, neighbor.vrf)
                found = self._answering(sender, bgp.asn, neighbor) if bgp is not None else None
                if found is not None:
                    receiver, back = found
                    out = self._allowed(device, _policy(bgp, neighbor, "out"))
                    theirs = _policy(self.configs[receiver.device].bgp, back, "in")
                    yield sender, receiver, out & self._allowed(receiver.device, theirs)

    def answering(self, device: str, neighbor: Neighbor) -> tuple[Router, Neighbor] | None:
        """The far end of a session, if it is one of these switches and configured for it."""
        bgp = self.configs[device].bgp
        return None if bgp is None else self._answering(Router(device, neighbor.vrf), bgp.asn, neighbor)

    def best(self, router: Router, subnet: Span) -> tuple[list[Router], tuple[str, ...]]:
        """Who announces the longest prefix that holds a subnet, or the static next hops to it; neither: no route."""
        bits, hops = self._best(router, subnet)
        return [*self._origins(bits)], hops

    def having(self, address: str) -> list[Router]:
        """The routers that have an address, or answer it as a gateway."""
        return [router for router, _, _ in self._owners.get(address, ())]

    def is_beside(self, router: Router, address: str) -> bool:
        """Is an address in a subnet of one of the router's interfaces?"""
        return self._connected_to(router, span(f"{address}/{128 if ':' in address else 32}")) != ""

    def _answering(self, sender: Router, asn: int, neighbor: Neighbor) -> tuple[Router, Neighbor] | None:
        """The far end of a session, if it is configured for this one."""
        if neighbor.interface is not None:
            far = self.far.get((sender.device, neighbor.interface))
            return None if far is None else self._unnumbered.get(far)
        for receiver, subnet, _ in self._owners.get(neighbor.address or "", ()):
            bgp, mine = self.configs[receiver.device].bgp, self._addresses.get((sender, subnet))
            back = self._numbered.get((receiver, mine or ""))
            if back is not None and back.remote_as == asn and bgp is not None and bgp.asn == neighbor.remote_as:
                return receiver, back
        return None

    @cached_property
    def _addresses(self) -> dict[tuple[Router, Span], str]:
        """A router's own address in a subnet."""
        return {
            (Router(device, each.vrf), span(each.address)): each.address.partition("/")[0]
            for device, config in self.configs.items()
            for each in config.interfaces
            if each.enabled and each.address is not None
        }

    @cached_property
    def _numbered(self) -> dict[tuple[Router, str], Neighbor]:
        return {(router, each.address): each for router, each in self._neighbors if each.address is not None}

    @cached_property
    def _neighbors(self) -> list[tuple[Router, Neighbor]]:
        return [
            (Router(device, each.vrf), each)
            for device, config in self.configs.items()
            for each in (config.bgp.neighbors if config.bgp is not None else ())
        ]

    @cached_property
    def _unnumbered(self) -> dict[Port, tuple[Router, Neighbor]]:
        return {
            (router.device, each.interface): (router, each)
            for router, each in self._neighbors
            if each.interface is not None
        }

    # -- lists and maps --------------------------------------------------------------------------------------------

    def _allowed(self, device: str, route_map: str | None) -> int:
        """The announcements that a route map lets through; without one, or with one that does not exist, all."""
        key = device, route_map
        if key not in self._maps:
            self._maps[key] = self._through(device, route_map)
        return self._maps[key]

    def _through(self, device: str, name: str | None) -> int:
        everything = (1 << len(self.announcements)) - 1
        policy = self.configs[device].routing_policy
        found = next((each for each in policy.route_maps if each.name == name), None)
        if found is None:
            return everything
        lists = {each.name: each.rules for each in policy.prefix_lists}
        left, through = everything, 0
        for rule in found.rules:
            rules = None if rule.match_prefix_list is None else lists.get(rule.match_prefix_list)
            matched = left if rules is None else left & self._listed(rules)
            through |= matched if rule.permit else 0
            left &= ~matched
        return through

    def _listed(self, rules: tuple[PrefixRule, ...]) -> int:
        matched = permitted = 0
        for rule in rules:
            bits = self._matching(rule) & ~matched
            matched |= bits
            permitted |= bits if rule.permit else 0
        return permitted

    def _matching(self, rule: PrefixRule) -> int:
        prefix = span(rule.prefix)
        if rule.ge is None and rule.le is None:
            return self._announcing.get(prefix, 0)
        least = prefix.length if rule.ge is None else rule.ge
        most = (32 if prefix.version == 4 else 128) if rule.le is None else rule.le
        bits = 0
        for place in range(bisect_left(self._sorted, Span(prefix.version, prefix.first, -1)), len(self._sorted)):
            each = self._sorted[place]
            if each.version != prefix.version or each.first > prefix.last:
                break
            if least <= each.length <= most and prefix.holds(each):
                bits |= self._announcing[each]
        return bits

    @cached_property
    def _sorted(self) -> list[Span]:
        return sorted(self._announcing)


def _networks(bgp: Bgp) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    yield None, bgp.networks
    for each in bgp.vrfs:
        yield each.name, each.networks


def _policy(bgp: Bgp | None, neighbor: Neighbor, direction: str) -> str | None:
    """The route map of a session: the neighbour's own, else its group's."""
    group = next((each for each in bgp.peer_groups if each.name == neighbor.peer_group), None) if bgp else None
    if direction == "in":
        return neighbor.route_map_in or (group.route_map_in if group else None)
    return group.route_map_out if group else None
