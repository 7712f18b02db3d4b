"""Addresses from declared identity, never from a position in a list or a count of existing devices.

A pool is cut into one slice for each rail (a power of two), a slice into one block for each leaf group. So rail 3's
addresses are one prefix, which hosts route by, and a leaf's block follows from its group and rail alone. Blocks are
sized for as many ports as the leaf's model could ever have at that speed.

    loopbacks   lower half: leaves, sliced by rail, numbered by group; third quarter: spines; last: cores
    links, hosts   slice by rail, block by group, /31 by place; the upper end (spine, leaf) has the even address
    hosts, svi     the block is one subnet: its first address is the leaf's, the others the hosts' by place
    core links     with three tiers, the upper half of the links: a block by number of the spine, /31 by place
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network

from nornir_tasks.design.choices import Choices
from nornir_tasks.design.demand import Demand
from nornir_tasks.design.layout import Layout
from nornir_tasks.design.network import Device
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.findings import Finding, Marks, Path


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
class Addressing:
    """The division of the pools of a fabric and its plane."""

    loopbacks: Blocks
    links: Blocks
    hosts: Blocks
    core_links: Blocks | None = None
    """One slice; a block for each spine."""

    def host_link(self, group: int, rail: int | None, place: int, length: int | None) -> tuple[int, int, int]:
        """(the leaf's address, the host's, prefix length) of the host link at this place (from 0) of a leaf.

        ``length`` None: all hosts of the leaf are in one subnet, which is its block, and so have one gateway.
        """
        block = self.hosts.block(group, rail)
        base = int(block.network_address)
        if length is None:
            return base + 1, base + 2 + place, block.prefixlen
        low = base + (place << (32 - length)) + (0 if length == 31 else 1)
        return low, low + 1, length

    def core_block(self, spine: int) -> IPv4Network:
        """The block of the links from this spine (from 1) to the cores."""
        return (self.core_links or self.links).block(spine, None)


def cut_pools(choices: Choices, layout: Layout, marks: Marks) -> Addressing:
    """Cut the pools of fabric and plane. Raises DesignError for every pool that is too small for the layout."""
    demand, rails = choices.demand, len(layout.leaf_rails)
    models = [choice.model for choice in choices.leaves]
    host_ports = max(model.max_logical_ports(demand.nics.speed) for model in models)
    link_ports = max(model.max_logical_ports(layout.uplink_gbps) for model in models)
    lower_half = IPv4Network(
        (demand.fabric.pools.loopback.network_address, min(32, demand.fabric.pools.loopback.prefixlen + 1))
    )
    pool, core_links = demand.fabric.pools.links, None
    if layout.pods is not None and pool.prefixlen < 31:
        core_ports = max(choice.model.max_logical_ports(layout.pods.core_gbps) for choice in choices.spines)
        pool, upper = pool.subnets()
        core_links = Blocks.cut(upper, 1, 2 * core_ports)
    cut = Addressing(
        loopbacks=Blocks.cut(lower_half, rails, 1),
        links=Blocks.cut(pool, rails, 2 * link_ports),
        hosts=Blocks.cut(demand.plane.pools.hosts, rails, _host_addresses(demand.plane.prefix_length, host_ports)),
        core_links=core_links,
    )
    findings = list(_too_small(pool, demand.on_fabric("pools", "links"), cut.links, layout))
    findings += _too_small(demand.plane.pools.hosts, demand.on_plane("pools", "hosts"), cut.hosts, layout)
    if core_links is not None and core_links.groups < layout.spines:
        each = f"half of it for {layout.spines} spines, a /{core_links.length} for each spine's links to the cores"
        needed = core_links.length - (layout.spines - 1).bit_length() - 1
        findings.append(
            Finding(
                demand.on_fabric("pools", "links"),
                "too small",
                f"/{max(needed, 0)} or larger: {each}",
                str(demand.fabric.pools.links),
            )
        )
    findings += _too_few_loopbacks(demand, cut.loopbacks, layout)
    if findings:
        raise DesignError(marks.problems(findings))
    return cut


def _host_addresses(length: int | None, ports: int) -> int:
    """Addresses for this number of host ports; in one subnet plus its network, broadcast and gateway address."""
    return ports + 3 if length is None else ports << (32 - length)


def _too_small(pool: IPv4Network, path: Path, blocks: Blocks, layout: Layout) -> Iterator[Finding]:
    if blocks.groups < layout.leaf_groups:
        rail_bits = blocks.slice_length - pool.prefixlen
        needed = blocks.length - rail_bits - (layout.leaf_groups - 1).bit_length()
        each = f"{layout.leaf_groups} leaf groups x {len(layout.leaf_rails)} rails, a /{blocks.length} for each leaf"
        yield Finding(path, "too small", f"/{max(needed, 0)} or larger: {each}", str(pool))


def _too_few_loopbacks(demand: Demand, blocks: Blocks, layout: Layout) -> Iterator[Finding]:
    # Numbers begin with 1; a quarter of the pool is the spines'.
    pool = demand.fabric.pools.loopback
    leaves_short = blocks.groups <= layout.leaf_groups
    upper = max(layout.spines, layout.cores)
    if leaves_short or pool.num_addresses // 4 <= upper:
        rail_bits = blocks.slice_length - blocks.pool.prefixlen
        needed = min(31 - rail_bits - layout.leaf_groups.bit_length(), 30 - upper.bit_length())
        each = f"half of it for {layout.leaf_groups} leaf groups x {len(layout.leaf_rails)} rails"
        each += f", a quarter for {layout.spines} spines"
        each += f", a quarter for {layout.cores} cores" if layout.cores else ""
        yield Finding(
            demand.on_fabric("pools", "loopback"), "too small", f"/{max(needed, 0)} or larger: {each}", str(pool)
        )


def dotted(address: int) -> str:
    """An IPv4 address as text; much faster than the standard library's objects."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def host_blocks(devices: Iterable[Device], plane: str, cut: Addressing) -> Iterator[tuple[tuple[str, str], str]]:
    """(leaf, plane) and the prefix of the plane's hosts there."""
    for device in devices:
        if device.level == 0:
            yield (device.name, plane), str(cut.hosts.block(device.index, device.rail))


def address_devices(devices: Iterable[Device], pool: IPv4Network, cut: Addressing) -> tuple[Device, ...]:
    """The devices with loopbacks."""
    quarter = pool.num_addresses // 4
    addressed = []
    for device in devices:
        if device.level == 0:
            loopback = cut.loopbacks.supernet(device.rail).network_address + device.index
            addressed.append(replace(device, loopback=str(loopback)))
        else:
            part = (device.level + 1) * quarter
            addressed.append(replace(device, loopback=str(pool.network_address + part + device.index)))
    return tuple(addressed)
