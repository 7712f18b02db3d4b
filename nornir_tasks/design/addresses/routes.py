"""The routes that each switch learns in a VRF, and their next hops, from the cabling and the announced prefixes.

A leaf announces its loopback and its host blocks, every other switch its loopback; a leaf forwards no announcement, a
spine or core forwards those from below to all neighbours and those from above only downwards (BGP refuses the rest, as
its own ASN is in the path). Of several paths all the shortest ones count. Sets of switches are bits of one integer, so
that thousands of them are joined fast.
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.network import Device, Network

Reach = list[int]
"""Distance in AS hops -> the switches whose routes have exactly this distance."""


@dataclass(frozen=True, slots=True)
class RouteCount:
    """The entries of one switch's forwarding table. A limit without a source is None."""

    connected: int
    """Subnets of its own connected ports; an unnumbered one has none, and one equal to the host block counts there."""
    own: int
    """Its loopback and, on a leaf, the discard route of each of its host blocks."""
    learned: int
    """Routes learned by BGP."""
    groups: int
    """Sets of two or more next hops, each counted once."""
    members: int
    """Next hops in all these sets."""
    widest: int
    """Next hops of the largest set; 1 if there is none."""
    max_routes: int | None
    max_groups: int | None
    max_widest: int | None

    @property
    def total(self) -> int:
        """Number of all IPv4 routes."""
        return self.connected + self.own + self.learned


@dataclass(frozen=True, slots=True)
class SharedPath:
    """Switches that one switch reaches over the same next hops."""

    members: int
    """The switches reached, as bits."""
    width: int
    """Next hops: links to the neighbours below."""
    neighbours: tuple[str, ...]
    distance: int
    """AS hops to them."""


@dataclass(frozen=True, slots=True)
class LearnedPaths:
    """The number of next hops from each switch to the routes of each other one."""

    shared: Mapping[str, tuple[SharedPath, ...]]
    """Switch -> its paths; each switch that it reaches is in one of them."""
    bit: Mapping[str, int]
    """Switch -> its bit."""
    links: Mapping[str, Mapping[str, int]]
    """Switch -> neighbour -> links to it."""

    def of(self, device: str) -> Iterator[tuple[str, int]]:
        """(announcing switch, next hops) of everything that ``device`` learns."""
        for path in self.shared.get(device, ()):
            bits = reversed(f"{path.members:b}")
            yield from ((name, path.width) for name, bit in zip(self.bit, bits, strict=False) if bit == "1")

    def to(self, device: str, owner: str) -> SharedPath | None:
        """The path from ``device`` to the routes of ``owner``; None if it does not learn them."""
        bit = self.bit[owner]
        return next((path for path in self.shared.get(device, ()) if path.members & bit), None)

    def to_any(self, device: str, owners: Collection[str]) -> SharedPath | None:
        """The path to a prefix that each of ``owners`` announces (both leaves of a pair): all next hops to the nearest.

        None for a switch that learns it from no other, or is one of them and has it itself.
        """
        if device in owners:
            return None
        found = [path for path in (self.to(device, owner) for owner in owners) if path is not None]
        if not found:
            return None
        distance = min(path.distance for path in found)
        nearest = [path for path in found if path.distance == distance]
        hops = tuple(dict.fromkeys(hop for path in nearest for hop in path.neighbours))
        members = _union(path.members for path in nearest)
        return SharedPath(members, sum(self.links[device][hop] for hop in hops), hops, distance)


def learned_paths(network: Network, lost: Container[str] = (), vrf: str | None = None) -> LearnedPaths:
    """The routes that each switch learns in one VRF if the links in ``lost`` have no session of it."""
    tables = _Tables(network, lost, lambda circuit: circuit.use.vrf == vrf)
    tables.count()
    links = {name: tables.up[name] + tables.down[name] for name in tables.bit}
    return LearnedPaths(tables.shared, tables.bit, links)


def count_routes(network: Network) -> dict[str, RouteCount]:
    """Every switch's forwarding table with all links up, for the VRF of its fabric's routing."""
    return _Tables(network, (), lambda circuit: circuit.is_underlay).count()


@dataclass
class _Tables:
    network: Network
    lost: Container[str]
    """Names of links without a session."""
    carries: Callable[[Circuit], bool]
    """Is a circuit between switches part of the counted routing?"""
    bit: dict[str, int] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=list)
    """The bits of all switches that announce one block of hosts, of those that announce a second one, and so on."""
    up: dict[str, Counter[str]] = field(default_factory=dict)
    down: dict[str, Counter[str]] = field(default_factory=dict)
    """Switch -> neighbours above or below -> links."""
    climbed: dict[str, Reach] = field(default_factory=dict)
    reached: dict[str, Reach] = field(default_factory=dict)
    behind: dict[int, int] = field(default_factory=dict)
    """ASN -> its switches and all below them: routes learned from them contain the ASN."""
    shared: dict[str, tuple[SharedPath, ...]] = field(default_factory=dict)
    bonded: dict[tuple[str, str], int] = field(default_factory=dict)
    """Leaves of a pair -> the blocks for bonds that both announce."""

    def count(self) -> dict[str, RouteCount]:
        """Upwards first, then downwards."""
        self._join()
        upwards = sorted(self.network.devices, key=lambda device: device.level)
        for device in upwards:
            self._climb(device)
        downwards = sorted(self.network.devices, key=lambda device: -device.level)
        found = {device.name: self._table(device) for device in downwards}
        return {device.name: found[device.name] for device in self.network.devices}

    def _join(self) -> None:
        for number, device in enumerate(self.network.devices):
            self.bit[device.name] = 1 << number
            for place, _ in enumerate(self._announced(device)):
                self.blocks += [0] * (place + 1 - len(self.blocks))
                self.blocks[place] |= 1 << number
            self.up[device.name], self.down[device.name] = Counter(), Counter()
        blocks = Counter(each.pair for each in self.network.segments)
        self.bonded = {each.leaves: blocks[each.name] for each in self.network.pairs if blocks[each.name]}
        for circuit in self.network.circuits:
            link = circuit.link
            if link.kind == "fabric" and self.carries(circuit) and link.name not in self.lost:
                self.up[link.lower.device][link.upper.device] += 1
                self.down[link.upper.device][link.lower.device] += 1

    def _climb(self, device: Device) -> None:
        """The switches whose routes reach a switch from below, by distance."""
        reach = [self.bit[device.name]]
        for lower in self.down[device.name]:
            for distance, bits in enumerate(self.climbed[lower], start=1):
                reach += [0] * (distance + 1 - len(reach))
                reach[distance] |= bits
        self.climbed[device.name] = reach
        self.behind[device.asn] = self.behind.get(device.asn, 0) | _union(reach)

    def _table(self, device: Device) -> RouteCount:
        name = device.name
        offers = [(self.climbed[lower], lower, -1) for lower in self.down[name]]
        offers += [(self.reached[upper], upper, ~self.behind[device.asn]) for upper in self.up[name]]
        links = self.up[name] + self.down[name]
        done, reach = self.bit[name], [self.bit[name]]
        parts: list[tuple[int, list[str], int]] = []
        for distance in range(max((len(each) for each, *_ in offers), default=0)):
            shares: dict[int, list[str]] = {}
            for bits, neighbour, allowed in offers:
                new = bits[distance] & allowed & ~done if distance < len(bits) else 0
                if new:
                    shares.setdefault(new, []).append(neighbour)
            parts += [(bits, hops, distance + 1) for bits, hops in _refined(shares)]
            reach.append(_union(shares))
            done |= reach[-1]
        self.reached[name] = reach
        self.shared[name] = tuple(
            SharedPath(bits, sum(links[n] for n in hops), tuple(hops), distance) for bits, hops, distance in parts
        )
        widths = [sum(links[each] for each in hops) for hops in {frozenset(hops) for _, hops, _ in parts}]
        widths += [sum(self.down[name][leaf] for leaf in leaves) for leaves in self._pairs_below(name)]
        return self._count(device, done & ~self.bit[name], [width for width in widths if width > 1])

    def _count(self, device: Device, learned: int, widths: list[int]) -> RouteCount:
        model = self.network.models.get(device.model)
        most = [device.capabilities.max_ecmp_paths, model.max_ecmp_paths if model else None]
        return RouteCount(
            connected=sum(
                each.is_numbered and not self._is_block(each, device)
                for each in self.network.circuits_of(device.name)
                if each.link.fabric == device.fabric  # the link of a management port is another fabric's
            ),
            own=1 + len(self.network.prefixes_at(device.name)),
            learned=learned.bit_count()
            + sum((learned & bits).bit_count() for bits in self.blocks)
            - self._announced_twice(learned | self.bit[device.name]),
            groups=len(widths),
            members=sum(widths),
            widest=max(widths, default=1),
            max_routes=model.ipv4_routes if model else None,
            max_groups=model.max_ecmp_groups if model else None,
            max_widest=min((each for each in most if each is not None), default=None),
        )

    def _pairs_below(self, name: str) -> Iterator[tuple[str, str]]:
        """Pairs of leaves whose blocks for bonds this switch reaches by either leaf; one set of next hops for each."""
        for leaves in self.bonded:
            if all(self.down[name][leaf] for leaf in leaves):
                yield leaves

    def _announced_twice(self, known: int) -> int:
        """Blocks for bonds that both leaves of a pair announce, where ``known`` has both: each is one route."""
        return sum(blocks for leaves, blocks in self.bonded.items() if all(known & self.bit[leaf] for leaf in leaves))

    def _is_block(self, circuit: Circuit, device: Device) -> bool:
        """Is the subnet the leaf's whole host block, as an SVI's is? Then one route is enough for both."""
        if circuit.use.bundle is not None:
            return True
        block = self.network.host_block(device.name, circuit.owner) or ""
        return circuit.link.kind == "host" and block.endswith(f"/{circuit.use.prefix_length}")

    def _announced(self, device: Device) -> list[str]:
        """The host blocks of a switch in the VRF of its fabric's routing."""
        planes, vrf = self.network.planes, self.network.fabric_of(device).vrf
        return [prefix for plane, prefix in self.network.prefixes_at(device.name) if planes[plane].vrf == vrf]


def _union(sets: Iterable[int]) -> int:
    joined = 0
    for each in sets:
        joined |= each
    return joined


def _refined(shares: Mapping[int, list[str]]) -> list[tuple[int, list[str]]]:
    """(switches as bits, next hops): switches with the same neighbours offering them have the same next hops."""
    parts: list[tuple[int, list[str]]] = []
    seen = 0
    for bits, neighbours in shares.items():
        if bits & seen:
            split = []
            for part, hops in parts:
                split += [(part & bits, hops + neighbours)] if part & bits else []
                split += [(part & ~bits, hops)] if part & ~bits else []
            parts = split
        parts += [(bits & ~seen, neighbours)] if bits & ~seen else []
        seen |= bits
    return parts
