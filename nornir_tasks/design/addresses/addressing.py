"""Addresses from declared identity, never from a position in a list or a count of existing devices.

A pool is cut into one slice for each rail (a power of two), a slice into one block for each leaf group. So rail 3's
addresses are one prefix, which hosts route by, and a leaf's block follows from its group and rail alone. Blocks are
sized for as many ports as the leaf's model could ever have at that speed; with three tiers and a declared number of
hosts of a leaf group, for these.

    loopbacks   lower half: leaves, sliced by rail, numbered by group; third quarter: spines; last: cores
    links, hosts   slice by rail, block by group, /31 by place; the upper end (spine, leaf) has the even address
    hosts, svi     the block is one subnet: its first address is the leaf's, the others the hosts' by place
    hosts, bond    the block is one subnet of a pair of leaves: gateway, both leaves, then the hosts by place
    core links     with three tiers, the upper half of the links: a block by number of the spine, /31 by place

Of a fabric in several copies each copy has an equal part of each pool and cuts it in this way, so that a copy's
addresses are one prefix. If ports of a NIC share an address, each copy has all of the hosts pool instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, collapse_addresses

from nornir_tasks.design.demand.choices import Choice
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.layout.sections import Section
from nornir_tasks.design.model.mlag import FIRST_HOST, GATEWAY, KEPT_ADDRESSES
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks, Path

FIRST_ATTACHED = 2
"""Place of the first host's address in the block of a leaf whose hosts share a subnet."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """One pool, cut into equal blocks by rail and leaf group."""

    pool: IPv4Network
    length: int
    """Prefix length of a block."""
    slice_length: int
    """Prefix length of a rail's slice."""

    @classmethod
    def cut(cls, pool: IPv4Network, rails: int, addresses: int) -> "Blocks":
        """Blocks of at least this many addresses, a slice for each rail."""
        return cls(pool, 32 - (addresses - 1).bit_length(), pool.prefixlen + (rails - 1).bit_length())

    @property
    def groups(self) -> int:
        """Leaf groups there is room for."""
        return 1 << max(0, self.length - self.slice_length) if self.length >= self.slice_length else 0

    def block(self, group: int, rail: int | None) -> IPv4Network:
        """The block of this leaf group (from 1) and rail."""
        base = int(self.pool.network_address) + ((rail or 0) << (32 - self.slice_length))
        return IPv4Network((base + ((group - 1) << (32 - self.length)), self.length))

    def supernet(self, rail: int | None) -> IPv4Network:
        """The slice of one rail."""
        base = int(self.pool.network_address) + ((rail or 0) << (32 - self.slice_length))
        return IPv4Network((base, self.slice_length))


@dataclass(frozen=True, slots=True)
class HostBlocks:
    """How the pool of one plane is cut, block by block for the leaves that its hosts are cabled to."""

    blocks: Blocks
    groups_before: int
    """Leaf groups of the fabric that are numbered before the first with hosts of this plane."""

    def block(self, group: int, rail: int | None) -> IPv4Network:
        """The block of this leaf, by the number of its group in the fabric (from 1) and its rail."""
        return self.blocks.block(group - self.groups_before, rail)

    def link(self, group: int, rail: int | None, place: int, length: int | None) -> tuple[int, int, int]:
        """(the leaf's address, the host's, prefix length) of the host link at this place (from 0) of a leaf.

        ``length`` None: all hosts of the leaf are in one subnet, which is its block, and so have one gateway.
        """
        block = self.block(group, rail)
        base = int(block.network_address)
        if length is None:
            return base + 1, base + FIRST_ATTACHED + place, block.prefixlen
        low = base + (place << (32 - length)) + (0 if length == 31 else 1)
        return low, low + 1, length

    def bond(self, group: int, place: int) -> tuple[int, int, int]:
        """(the gateway's address, the host's, prefix length) of the host at this place (from 0) of a pair of leaves."""
        return in_subnet(self.block(group, None), place)


def in_subnet(subnet: IPv4Network, place: int) -> tuple[int, int, int]:
    """(the gateway's address, the host's, prefix length) of the host at this place (from 0) of a VLAN of bonds."""
    base = int(subnet.network_address)
    return base + GATEWAY, base + FIRST_HOST + place, subnet.prefixlen


@dataclass(frozen=True, slots=True)
class Addressing:
    """How the pools of a fabric and of the planes on it are cut; of a fabric in several copies, in one of them."""

    loopback_pool: IPv4Network
    loopbacks: Blocks
    """Of the leaves."""
    links: Blocks
    hosts: Mapping[str, HostBlocks]
    """Plane -> its hosts' addresses."""
    core_links: Blocks | None = None
    """One slice; a block for each spine."""

    def core_block(self, spine: int) -> IPv4Network:
        """The block of the links from this spine (from 1) to the cores."""
        return (self.core_links or self.links).block(spine, None)


def cut_pools(sections: Sequence[Section], marks: Marks) -> tuple[Addressing, ...]:
    """Cut the pools of a fabric and its planes, for each of its copies.

    Raises DesignError for every pool that is too small for the layout.
    """
    cuts = tuple(_cut(sections, copy) for copy in range(1, sections[0].layout.copies + 1))
    findings = list(_all_too_small(sections, cuts[0]))
    if findings:
        raise DesignError(marks.problems(findings))
    return cuts


def part_of(pool: IPv4Network, copy: int, copies: int) -> IPv4Network:
    """The part of a pool for one copy (from 1) of a fabric; of a pool too small to be divided, a single address."""
    length = min(32, pool.prefixlen + _bits(copies))
    return IPv4Network((int(pool.network_address) + ((copy - 1) << (32 - length)), length))


def _bits(copies: int) -> int:
    return (copies - 1).bit_length()


def _cut(sections: Sequence[Section], copy: int) -> Addressing:
    choices, layout = sections[0].choices, sections[0].layout
    pools, rails = choices.demand.fabric.pools, layout.fabric_rails
    link_ports = max(choice.model.max_logical_ports(layout.uplink_gbps) for choice in choices.leaves_of_fabric)
    loopbacks = part_of(pools.loopback, copy, layout.copies)
    lower_half = IPv4Network((loopbacks.network_address, min(32, loopbacks.prefixlen + 1)))
    pool, core_links = part_of(pools.links, copy, layout.copies), None
    if layout.pods is not None and pool.prefixlen < 31:
        core_ports = max(choice.model.max_logical_ports(layout.pods.core_gbps) for choice in choices.spines)
        pool, upper = pool.subnets()
        core_links = Blocks.cut(upper, 1, 2 * core_ports)
    hosts = {name: _host_blocks(on_it, copy) for name, on_it in _by_plane(sections).items()}
    links = Blocks.cut(pool, rails, 2 * link_ports)
    return Addressing(loopbacks, Blocks.cut(lower_half, rails, 1), links, hosts, core_links)


def _by_plane(sections: Sequence[Section]) -> dict[str, list[Section]]:
    planes: dict[str, list[Section]] = {}
    for section in sections:
        planes.setdefault(section.demand.plane_name, []).append(section)
    return planes


def _all_too_small(sections: Sequence[Section], cut: Addressing) -> Iterator[Finding]:
    """``cut``: of any copy, as their parts are equal."""
    demand, layout = sections[0].demand, sections[0].layout
    path, copies = demand.on_fabric("pools", "links"), layout.copies
    yield from _too_small(cut.links, path, (layout.last_group, layout.fabric_rails), copies)
    for name, on_it in _by_plane(sections).items():
        one, shape = on_it[0].demand, (_groups_of(on_it), _rails_of(on_it))
        divided = 1 if one.nics.copy_addressing == "shared" else copies
        yield from _too_small(cut.hosts[name].blocks, one.on_plane("pools", "hosts"), shape, divided)
    core_links = cut.core_links
    if core_links is not None and core_links.groups < layout.spines:
        each = f"half of it for {layout.spines} spines, a /{core_links.length} for each spine's links to the cores"
        needed = core_links.length - (layout.spines - 1).bit_length() - 1 - _bits(copies)
        larger = f"/{max(needed, 0)} or larger: {each}{_in_each(copies)}"
        yield Finding(path, "too small", larger, str(demand.fabric.pools.links))
    yield from _too_few_loopbacks(demand, cut.loopbacks, layout)


def _in_each(copies: int) -> str:
    return f", in each of {copies} copies" if copies > 1 else ""


def _host_blocks(sections: Sequence[Section], copy: int) -> HostBlocks:
    """Of one plane: blocks of one size, whichever of its groups of hosts a leaf has."""
    plane, nics = sections[0].demand.plane, sections[0].demand.nics
    pool = plane.pools.hosts if nics.copy_addressing == "shared" else part_of(plane.pools.hosts, copy, nics.ports)
    addresses = [
        _host_addresses(each.demand, _host_ports(each, choice)) for each in sections for choice in each.choices.leaves
    ]
    blocks = Blocks.cut(pool, _rails_of(sections), max(addresses))
    return HostBlocks(blocks, min(each.layout.groups_before for each in sections))


def _host_ports(section: Section, leaf: Choice) -> int:
    """Host ports that a leaf has addresses for: as many as its model could have, so that they stay as it fills.

    With three tiers and a declared number of hosts of a leaf group, those alone: there the leaves are many.
    """
    if section.demand.fabric.design == "clos3" and section.demand.nics.per_group is not None:
        return section.layout.hosts_per_group * section.layout.nics_per_host
    return leaf.model.max_logical_ports(section.demand.nics.speed)


def _rails_of(sections: Sequence[Section]) -> int:
    """Slices of a plane's pool: both leaves of a pair have one block for bonds."""
    if sections[0].demand.is_bonded:
        return 1
    return max(len(each.layout.leaf_rails) for each in sections)


def _groups_of(sections: Sequence[Section]) -> int:
    """Leaf groups from the first to the last that a plane has hosts at."""
    last = max(each.layout.groups_before + each.layout.leaf_groups for each in sections)
    return last - min(each.layout.groups_before for each in sections)


def _host_addresses(demand: Demand, ports: int) -> int:
    """Addresses for this number of host ports; in one subnet plus those that are no host's."""
    length = demand.plane.prefix_length
    if length is not None:
        return ports << (32 - length)
    return ports + (KEPT_ADDRESSES if demand.is_bonded else 3)


def _too_small(blocks: Blocks, path: Path, shape: tuple[int, int], copies: int) -> Iterator[Finding]:
    """``shape``: leaf groups and rails that there must be blocks for; ``copies``: that the pool is divided among."""
    groups, rails = shape
    if blocks.groups < groups:
        rail_bits = blocks.slice_length - blocks.pool.prefixlen
        needed = blocks.length - rail_bits - (groups - 1).bit_length() - _bits(copies)
        each = f"{groups} leaf groups x {rails} rails, a /{blocks.length} for each leaf{_in_each(copies)}"
        found = f"{blocks.pool} for each copy" if copies > 1 else str(blocks.pool)
        yield Finding(path, "too small", f"/{max(needed, 0)} or larger: {each}", found)


def _too_few_loopbacks(demand: Demand, blocks: Blocks, layout: Layout) -> Iterator[Finding]:
    # Numbers begin with 1; a quarter of the pool is the spines'.
    pool, groups = demand.fabric.pools.loopback, layout.last_group
    leaves_short = blocks.groups <= groups
    upper = max(layout.spines, layout.cores)
    if leaves_short or pool.num_addresses // (4 * layout.copies) <= upper:
        rail_bits = blocks.slice_length - blocks.pool.prefixlen
        needed = min(31 - rail_bits - groups.bit_length(), 30 - upper.bit_length()) - _bits(layout.copies)
        each = f"half of it for {groups} leaf groups x {layout.fabric_rails} rails"
        each += f", a quarter for {layout.spines} spines"
        each += f", a quarter for {layout.cores} cores" if layout.cores else ""
        each += _in_each(layout.copies)
        yield Finding(
            demand.on_fabric("pools", "loopback"), "too small", f"/{max(needed, 0)} or larger: {each}", str(pool)
        )


def dotted(address: int) -> str:
    """An IPv4 address as text; much faster than the standard library's objects."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def host_blocks(
    devices: Iterable[Device], section: Section, cuts: Sequence[Addressing]
) -> Iterator[tuple[tuple[str, str], str]]:
    """(leaf, plane) and the prefix of the plane's hosts there, of the leaves of one section.

    A plane on some of another's ports has none at the leaves of the other rails.
    """
    plane, rails = section.demand.plane_name, section.demand.nics.rails
    for device in devices:
        if device.level == 0 and section.layout.has_group(device.index) and (device.rail or 0) < rails:
            if section.demand.own_subnet is not None:
                continue
            rail = None if section.demand.is_bonded else device.rail
            yield (device.name, plane), str(in_copy(cuts, device).hosts[plane].block(device.index, rail))


def attached_prefixes(
    devices: Iterable[Device], section: Section, cuts: Sequence[Addressing]
) -> Iterator[tuple[tuple[str, str], dict[str, tuple[str, ...]]]]:
    """((access switch, plane), group -> prefixes of just the addresses kept for it there) of an out-of-band plane."""
    demand, attached = section.demand, section.demand.attached
    if attached is None:
        return
    for device in (each for each in devices if each.level == 0):
        block = in_copy(cuts, device).hosts[demand.plane_name].block(device.index, None)
        first, found = block.network_address + FIRST_ATTACHED, dict[str, list[IPv4Network]]()
        for place, end in enumerate(attached.rows[device.index - 1]):
            if end is not None:
                found.setdefault(end.group, []).append(IPv4Network(first + place))
        yield (
            (device.name, demand.plane_name),
            {group: tuple(map(str, collapse_addresses(hosts))) for group, hosts in found.items()},
        )


def in_copy(cuts: Sequence[Addressing], device: Device) -> Addressing:
    """The addresses of the copy that a switch belongs to."""
    return cuts[(device.copy or 1) - 1]


def address_devices(devices: Iterable[Device], cuts: Sequence[Addressing]) -> tuple[Device, ...]:
    """The devices with loopbacks."""
    addressed = []
    for device in devices:
        cut = in_copy(cuts, device)
        pool, quarter = cut.loopback_pool, cut.loopback_pool.num_addresses // 4
        if device.level == 0:
            loopback = cut.loopbacks.supernet(device.rail).network_address + device.index
            addressed.append(replace(device, loopback=str(loopback)))
        else:
            part = (device.level + 1) * quarter
            addressed.append(replace(device, loopback=str(pool.network_address + part + device.index)))
    return tuple(addressed)
