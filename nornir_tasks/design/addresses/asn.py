"""Allocation of AS numbers.

Every leaf has its own; all spines of one spine group or pod share one, all cores share one, so that a route which came
down from a spine is refused by every other spine of the group: the AS loop check keeps the fabric valley-free. Leaves
count up from the pool's first number, spine groups down from its last, which is the cores'; growth renumbers nothing.
Of a fabric in several copies each copy has an equal part of the pool.
"""

from collections.abc import Iterable
from dataclasses import replace

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.fields import AsnRange
from nornir_tasks.intent.core.findings import Finding, Marks


def check_pool(demand: Demand, layout: Layout, marks: Marks) -> None:
    """Raise DesignError when the pool is too small for the layout."""
    pool = demand.fabric.pools.asn
    needed = layout.last_group * layout.fabric_rails + layout.spine_groups + 1
    size, copies = pool.last - pool.first + 1, layout.copies
    if needed > size // copies:
        each = f"{copies} x {needed} for {copies} copies" if copies > 1 else f"{needed}"
        finding = Finding(
            demand.on_fabric("pools", "asn"),
            "too few ASNs",
            f"{each}: one for each leaf at {demand.most}, one for each spine group, one for the cores",
            f"{pool} holds {size}",
            "4200000000-4294967294 is private (RFC 6996)",
        )
        raise DesignError(marks.problem(finding))


def number(devices: Iterable[Device], pool: AsnRange, layout: Layout) -> tuple[Device, ...]:
    """The devices with their ASNs, from a pool that is large enough."""
    return tuple(replace(device, asn=_asn(device, pool, layout)) for device in devices)


def _asn(device: Device, pool: AsnRange, layout: Layout) -> int:
    first, last = _part(pool, device.copy, layout.copies)
    if device.level == 0:
        return first + (device.index - 1) * layout.fabric_rails + (device.rail or 0)
    return last - (device.spine_group if device.level == 1 else 0)


def _part(pool: AsnRange, copy: int | None, copies: int) -> tuple[int, int]:
    """First and last number of a copy's part of the pool."""
    if copy is None:
        return pool.first, pool.last
    size = (pool.last - pool.first + 1) // copies
    first = pool.first + (copy - 1) * size
    return first, first + size - 1
