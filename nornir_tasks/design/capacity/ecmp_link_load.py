"""What the fullest link gets when a hash spreads RDMA over equal-cost paths, in patterns of traffic that GPUs have.

All NICs send at their full speed. A figure is the load of the fullest link of all the fabric's leaves, as a multiple of
the link's speed: a collective waits for its slowest flow, so 2.0 there means half the speed for everybody.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from nornir_tasks.design.capacity.ecmp_hash_model import even, fullest_of
from nornir_tasks.design.model.sizing import Layout

Pattern = Literal["ring", "all-to-all"]
Lost = Literal["", "one uplink", "one spine", "one link of the far leaf"]

COMPARED_QUEUE_PAIRS = (1, 4, 16)
"""One is NCCL's default (NVIDIA/nccl 2.31.2, src/transport/net_ib/common.cc, IB_QPS_PER_CONNECTION), and what is left
of any number where a hash does not see UDP ports."""
_WHO = {
    "ring": "each NIC sends to one other, at another leaf: the order of ranks that loads uplinks most",
    "all-to-all": "each NIC sends to its rail on all other hosts alike",
}
_MODEL = (
    "a queue pair is a flow, by its UDP source port (Linux 6.1, drivers/infiniband/hw/mlx5/qp.c, "
    "mlx5_set_path_udp_sport); flows take paths by chance: no vendor's hash is modelled"
)


@dataclass(frozen=True, slots=True)
class PathLoad:
    """The fullest link of one tier, in one pattern."""

    pattern: Pattern
    lost: Lost
    links: Literal["uplinks of leaves", "links of spines to a leaf"]
    flows: int
    """Of one leaf."""
    paths: int
    """Of a leaf that is concerned by what is lost."""
    even: float
    """Load of each of these if all were alike, as a multiple of its speed."""
    expected: float
    """Of the fullest link, on average."""
    rare: float
    """The fullest link has so much or less in 99 of 100 cases."""


@dataclass(frozen=True, slots=True)
class Senders:
    """The NICs of one group of hosts, and how many flows they have."""

    layout: Layout
    hosts: int
    """All of the plane that send to one another, planned ones included."""
    nic_gbps: int
    queue_pairs: int
    """Flows of one connection that a hash tells apart."""

    @property
    def nics_per_leaf(self) -> int:
        """NIC ports of a full leaf."""
        return self.layout.hosts_per_group * self.layout.nics_per_host


def path_loads(senders: Senders) -> Iterator[PathLoad]:
    """Every pattern, with nothing lost and after each failure that leaves several paths: the fullest link of all."""
    layout = senders.layout
    if layout.leaves == len(layout.leaf_rails):  # one leaf of each rail: nothing goes up
        return
    of_spine = layout.leaves_per_spine
    without_spine = layout.uplinks - layout.parallel
    cases: dict[Lost, tuple[_Leaves, ...]] = {
        "": ((even(layout.uplinks), layout.leaves),),
        "one uplink": ((even(layout.uplinks - 1), 1), (even(layout.uplinks), layout.leaves - 1)),
        "one spine": (
            (even(without_spine), of_spine),
            (even(layout.uplinks), layout.leaves - of_spine),
        ),
    }
    if layout.parallel > 1:
        cases["one link of the far leaf"] = ((_far(layout), 1), (even(layout.uplinks), layout.leaves - 1))
    for pattern in ("ring", "all-to-all"):
        for lost, leaves in cases.items():
            if all(len(shares) > 1 for shares, _ in leaves):
                yield _load(senders, pattern, lost, leaves)


_Leaves = tuple[list[float], int]
"""Shares of the paths of a leaf, and how many leaves there are like it."""


def _far(layout: Layout) -> list[float]:
    """Shares of a leaf's links from its spines, one link lost: senders do not know, so its spine gets as much."""
    spines, parallel = layout.spines_per_group, layout.parallel
    others = [1 / (spines * parallel)] * ((spines - 1) * parallel)
    return [*others, *[1 / (spines * (parallel - 1))] * (parallel - 1)]


def _load(senders: Senders, pattern: Pattern, lost: Lost, leaves: tuple[_Leaves, ...]) -> PathLoad:
    """``leaves``: first those that what is lost concerns."""
    layout, paths = senders.layout, len(leaves[0][0])
    flows, gbps = _flows(senders, pattern)
    found = fullest_of((flows, shares, count) for shares, count in leaves)
    unit = gbps / layout.uplink_gbps
    return PathLoad(
        pattern=pattern,
        lost=lost,
        links="links of spines to a leaf" if lost == "one link of the far leaf" else "uplinks of leaves",
        flows=flows,
        paths=paths,
        even=flows * unit / paths,
        expected=found.expected * unit,
        rare=found.rare * unit,
    )


def _flows(senders: Senders, pattern: Pattern) -> tuple[int, float]:
    """Flows that leave a full leaf, and what each of them has.

    In a ring each NIC sends to one other, here always at another leaf: the order of ranks that loads uplinks most.
    All-to-all, each sends to its rail on all other hosts alike, and those at its own leaf stay there.
    """
    if pattern == "ring":
        return senders.nics_per_leaf * senders.queue_pairs, senders.nic_gbps / senders.queue_pairs
    peers = senders.hosts - 1
    far = senders.hosts - min(senders.hosts, senders.layout.hosts_per_group)
    return senders.nics_per_leaf * far * senders.queue_pairs, senders.nic_gbps / peers / senders.queue_pairs


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, as ``--explain`` shows it."""

    name: str
    value: str
    rule: str
    inputs: Mapping[str, int | float]


def figure_rows(senders: Senders) -> Iterator[Row]:
    """Name, value, rule and inputs of each figure: with these queue pairs, and with other numbers of them."""
    for count in sorted({senders.queue_pairs, *COMPARED_QUEUE_PAIRS}):
        is_chosen = count == senders.queue_pairs
        condition = "" if is_chosen else f", if policy.queue_pairs.per_connection were {count}"
        for each in path_loads(replace(senders, queue_pairs=count)):
            if is_chosen or not each.lost:
                yield _row(each, count, condition)


def _row(each: PathLoad, queue_pairs: int, condition: str) -> Row:
    lost = f", {each.lost} lost" if each.lost else ""
    name = f"asked of the fullest of all {each.links}, {each.pattern}{lost}{condition}"
    value = f"{each.expected:.2f} x its speed; at most {each.rare:.2f} in 99 of 100 cases"
    inputs = {"flows": each.flows, "paths": each.paths, "queue_pairs": queue_pairs, "even": round(each.even, 3)}
    return Row(name, value, f"{_WHO[each.pattern]}; {_MODEL}", inputs)
