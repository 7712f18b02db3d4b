"""Where a host is in the network, for schedulers: which hosts reach one another over how few switches.

Tier 0 is the leaf group: hosts whose NICs of each rail are cabled to the same leaf. With three tiers a pod is next, and
last comes the whole fabric. Names follow from the cabling alone, so growth changes none of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nornir_tasks.design.model.network import Device, Network


@dataclass(frozen=True, slots=True)
class RailPort:
    """One NIC port of a host."""

    rail: int
    port: str
    """The interface, as the host calls it."""
    leaf: str
    """The switch that it is cabled to."""


@dataclass(frozen=True, slots=True)
class Locality:
    """Where one host is."""

    host: str
    tiers: tuple[str, ...]
    """From the nearest: leaf group, pod where there are pods, fabric."""
    rack: str
    """Empty where the intent does not say it."""
    rails: tuple[RailPort, ...]

    @property
    def group(self) -> str:
        """The host's group in the intent."""
        return self.host.rpartition("-")[0]

    @property
    def leaf_group(self) -> str:
        """The name of tier 0."""
        return self.tiers[0]


def localities(network: Network, plane: str) -> tuple[Locality, ...]:
    """Every host with NICs on this plane, in the order of declared identity. KeyError for an unknown plane."""
    return tuple(_localities(network, plane))


def _localities(network: Network, plane: str) -> Iterator[Locality]:
    has_pods = network.fabrics[network.planes[plane].fabric].cores > 0
    for host in network.hosts:
        nics = network.rails_of(host, plane)
        if not nics:
            continue
        leaf = network.device(nics[0].at.leaf)
        place = network.places.get(host)
        rails = tuple(RailPort(nic.rail, nic.port, nic.at.leaf) for nic in nics)
        yield Locality(host, _tiers(leaf, has_pods=has_pods), place.rack if place else "", rails)


def _tiers(leaf: Device, *, has_pods: bool) -> tuple[str, ...]:
    """All leaves of a group are in one pod, so one of them says it."""
    pod = (f"{leaf.fabric}-p{leaf.spine_group}",) if has_pods else ()
    return (f"{leaf.fabric}-g{leaf.index}", *pod, leaf.fabric)
