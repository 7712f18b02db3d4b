"""Allocation of AS numbers.

Every leaf has its own; all spines of one spine group or pod share one, all cores share one, so that a route which came
down from a spine is refused by every other spine of the group: the AS loop check keeps the fabric valley-free. Leaves
count up from the pool's first number, spine groups down from its last, which is the cores'; growth renumbers nothing.
"""

from collections.abc import Iterable
from dataclasses import replace

from nornir_tasks.design.demand import Demand
from nornir_tasks.design.layout import Layout
from nornir_tasks.design.network import Device
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.fields import AsnRange
from nornir_tasks.intent.findings import Finding, Marks


def check_pool(demand: Demand, layout: Layout, marks: Marks) -> None:
    """Raise DesignError when the pool is too small for the layout."""
    pool = demand.fabric.pools.asn
    needed = layout.last_group * layout.fabric_rails + layout.spine_groups + 1
    size = pool.last - pool.first + 1
    if needed > size:
        finding = Finding(
            demand.on_fabric("pools", "asn"),
            "too few ASNs",
            f"{needed}: one for each leaf at {demand.most}, one for each spine group, one for the cores",
            f"{pool} holds {size}",
            "4200000000-4294967294 is private (RFC 6996)",
        )
        raise DesignError(marks.problem(finding))


def number(devices: Iterable[Device], pool: AsnRange, layout: Layout) -> tuple[Device, ...]:
    """The devices with their ASNs, from a pool that is large enough."""
    return tuple(replace(device, asn=_asn(device, pool, layout)) for device in devices)


def _asn(device: Device, pool: AsnRange, layout: Layout) -> int:
    if device.level == 0:
        return pool.first + (device.index - 1) * layout.fabric_rails + (device.rail or 0)
    return pool.last - (device.spine_group if device.level == 1 else 0)
