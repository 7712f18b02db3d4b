"""Addresses from declared identity, never from a position in a list or a count of what is there.

A pool is cut into one slice for each rail (a power of two), a slice into one block for each leaf group. So rail 3's
addresses are one prefix, which hosts route by, and a leaf's block follows from its group and rail alone. Blocks are
sized for as many ports as the leaf's model could ever have at that speed.

    loopbacks   lower half: leaves, sliced by rail, numbered by group; third quarter: spines; last: cores
    links, hosts   slice by rail, block by group, /31 by place; the upper end (spine, leaf) has the even address
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Network

from nornir_tasks.design.cabling import Cabling
from nornir_tasks.design.choices import Choices
from nornir_tasks.design.fabric import Device, HostNic, Link
from nornir_tasks.design.topology import Layout
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import Intent


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
    """How the pools of a plane are cut."""

    loopbacks: Blocks
    links: Blocks
    hosts: Blocks


def cut_pools(intent: Intent, choices: Choices, layout: Layout) -> Addressing:
    """Cut the plane's pools. Raises DesignError for every pool that is too small for the layout."""
    plane, rails = choices.plane, len(layout.leaf_rails)
    models = [choice.model for choice in choices.leaves]
    host_ports = max(model.max_logical_ports(plane.hosts.speed) for model in models)
    link_ports = max(model.max_logical_ports(layout.uplink_gbps) for model in models)
    lower_half = IPv4Network((plane.pools.loopback.network_address, min(32, plane.pools.loopback.prefixlen + 1)))
    cut = Addressing(
        loopbacks=Blocks.cut(lower_half, rails, 1),
        links=Blocks.cut(plane.pools.links, rails, 2 * link_ports),
        hosts=Blocks.cut(plane.pools.hosts, rails, 2 * host_ports),
    )
    findings = list(_too_small(plane.pools.links, "links", cut.links, layout))
    findings += _too_small(plane.pools.hosts, "hosts", cut.hosts, layout)
    findings += _too_few_loopbacks(plane.pools.loopback, cut.loopbacks, layout)
    if findings:
        above = ("planes", "compute", "pools")
        raise DesignError(intent.marks.problems(findings, above))
    return cut


def _too_small(pool: IPv4Network, name: str, blocks: Blocks, layout: Layout) -> Iterator[Finding]:
    if blocks.groups < layout.leaf_groups:
        rail_bits = blocks.slice_length - pool.prefixlen
        needed = blocks.length - rail_bits - (layout.leaf_groups - 1).bit_length()
        each = f"{layout.leaf_groups} leaf groups x {len(layout.leaf_rails)} rails, a /{blocks.length} for each leaf"
        yield Finding((name,), "too small", f"/{max(needed, 0)} or larger: {each}", str(pool))


def _too_few_loopbacks(pool: IPv4Network, blocks: Blocks, layout: Layout) -> Iterator[Finding]:
    # Numbers begin with 1; a quarter of the pool is the spines'.
    leaves_short = blocks.groups <= layout.leaf_groups
    if leaves_short or pool.num_addresses // 4 <= layout.spines:
        rail_bits = blocks.slice_length - blocks.pool.prefixlen
        needed = min(31 - rail_bits - layout.leaf_groups.bit_length(), 30 - layout.spines.bit_length())
        each = f"half of it for {layout.leaf_groups} leaf groups x {len(layout.leaf_rails)} rails"
        each += f", a quarter for {layout.spines} spines"
        yield Finding(("loopback",), "too small", f"/{max(needed, 0)} or larger: {each}", str(pool))


def address_devices(devices: Iterable[Device], pool: IPv4Network, cut: Addressing) -> tuple[Device, ...]:
    """The devices with loopbacks and, for leaves, host blocks."""
    quarter = pool.num_addresses // 4
    addressed = []
    for device in devices:
        if device.tier == "leaf":
            loopback = cut.loopbacks.supernet(device.rail).network_address + device.index
            block = str(cut.hosts.block(device.index, device.rail))
            addressed.append(replace(device, loopback=str(loopback), host_block=block))
        else:
            part = 2 if device.tier == "spine" else 3
            addressed.append(replace(device, loopback=str(pool.network_address + part * quarter + device.index)))
    return tuple(addressed)


def address_links(
    cabling: Cabling, cut: Addressing, fabric_mtu_bytes: int
) -> tuple[tuple[Link, ...], tuple[HostNic, ...]]:
    """Links and NICs with addresses and MTU. A link's MTU is the least of what the intent and both ends allow."""
    devices = {device.name: device for device in cabling.devices}
    nics = {(nic.host, nic.port): nic for nic in cabling.nics}
    first = {
        (kind, leaf.name): blocks.block(leaf.index, leaf.rail).network_address
        for leaf in cabling.devices
        if leaf.tier == "leaf"
        for kind, blocks in (("fabric", cut.links), ("host", cut.hosts))
    }
    links = []
    for link in cabling.links:
        leaf = link.lower if link.kind == "fabric" else link.upper
        even = first[link.kind, leaf.device] + 2 * (link.place - 1)
        upper, lower = str(even), str(even + 1)
        held = [
            devices[end.device].capabilities.max_mtu_bytes for end in (link.upper, link.lower) if end.device in devices
        ]
        mtu = min(fabric_mtu_bytes, *held)
        links.append(replace(link, upper_address=upper, lower_address=lower, mtu_bytes=mtu))
        if link.kind == "host":
            end = (link.lower.device, link.lower.port)
            nics[end] = replace(nics[end], address=lower, gateway=upper)
    return tuple(links), tuple(nics.values())
