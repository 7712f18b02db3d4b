"""What is left of a fabric while a switch is drained, compared with what the intent declares. Pure.

Below a spine or a core: of each switch the links upwards that are left, and how many ``capacity_after_loss`` asks for
of those that the declared oversubscription needs. Below a leaf: the hosts, and those that no other leaf of the fabric
has. A path through a drained switch is only longer: where no other one is, packets still take it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nornir_tasks.design.model.edge_policy import EDGE
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.reports.moves import after_loss, needed_uplinks

MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Left:
    """What one switch below keeps of its links upwards."""

    device: str
    left: int
    there: int
    least: int
    """As declared; at least one, without which nothing is drained."""

    def __str__(self) -> str:
        return f"{self.device} keeps {self.left} of {self.there} uplinks"


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a drain leaves."""

    device: str
    below: tuple[Left, ...] = ()
    hosts: tuple[str, ...] = ()
    """Hosts cabled to the leaf."""
    alone: tuple[str, ...] = ()
    """Those of them that no other leaf of its fabric carries traffic for."""
    others: tuple[str, ...] = ()
    """Of an edge router: the other ones that carry traffic."""
    is_edge: bool = False

    @property
    def short(self) -> tuple[Left, ...]:
        """The switches below that keep less than is declared."""
        return tuple(each for each in self.below if each.left < each.least)

    def lines(self) -> Iterator[str]:
        """In words, what matters most first."""
        if self.below:
            worst = min(self.below, key=lambda each: (each.left / each.there, each.device))
            yield f"{len(self.below)} switches below have fewer paths: {worst}, {worst.least} are declared"
        if self.hosts:
            others = len(self.hosts) - len(self.alone)
            yield f"{len(self.hosts)} hosts are cabled to it: {others} have other leaves of this fabric as well"
            yield "what only this leaf leads to, as the NIC of one rail, is reached through it still: stop jobs there"
        if self.is_edge:
            yield f"the way to upstreams is then {', '.join(self.others) or 'through it alone, as before'}"

    def refusals(self) -> Iterator[tuple[str, str, str]]:
        """(what, expected, found) of all that falls below what is declared."""
        if short := self.short:
            what = f"the drain leaves {_named([each.device for each in short])} less than is declared"
            worst = min(short, key=lambda each: (each.left - each.least, each.device))
            yield what, f"{worst.least} uplinks of {worst.device}, by spine.capacity_after_loss", f"{worst.left}"
        if self.alone:
            what = f"{_named(self.alone)} has no other leaf of this fabric that carries traffic"
            yield what, "another leaf for each host", f"{len(self.alone)} of {len(self.hosts)} hosts without"
        if self.is_edge and not self.others:
            yield "no other edge router carries traffic", "another one", "none"


def consequence(network: Network, device: Device, out: Collection[str]) -> Consequence:
    """What is left if ``device`` is drained beside those in ``out``, which are drained or do not answer."""
    gone = {device.name, *out}
    if network.fabric_of(device).kind == EDGE:
        others = tuple(each.name for each in network.devices if each.fabric == device.fabric and each.name not in gone)
        return Consequence(device.name, others=others, is_edge=True)
    if device.level == 0:
        hosts = tuple(dict.fromkeys(nic.host for nic in network.nics if nic.leaf == device.name))
        alone = tuple(host for host in hosts if not _leaves_of(network, host, device.fabric) - gone)
        return Consequence(device.name, hosts=hosts, alone=alone)
    below = dict.fromkeys(link.lower.device for link in network.links_of(device.name) if _is_below(link, device.name))
    return Consequence(device.name, below=tuple(_left(network, name, gone) for name in below))


def beside(network: Network, device: Device) -> tuple[str, ...]:
    """The switches that take over what a drained one carried: those whose own state decides what is left."""
    if network.fabric_of(device).kind == EDGE:
        found = [each.name for each in network.devices if each.fabric == device.fabric]
    elif device.level == 0:
        hosts = {nic.host for nic in network.nics if nic.leaf == device.name}
        found = [nic.leaf for nic in network.nics if nic.host in hosts]
        found = [name for name in found if network.device(name).fabric == device.fabric]
    else:
        below = {link.lower.device for link in network.links_of(device.name) if _is_below(link, device.name)}
        found = [link.upper.device for link in network.links if link.kind == "fabric" and link.lower.device in below]
    return tuple(name for name in dict.fromkeys(found) if name != device.name)


def _is_below(link: Link, name: str) -> bool:
    return link.kind == "fabric" and link.upper.device == name


def _left(network: Network, name: str, gone: Collection[str]) -> Left:
    links = [link for link in network.links_of(name) if link.kind == "fabric" and link.lower.device == name]
    left = sum(link.upper.device not in gone for link in links)
    needed = needed_uplinks(network, name, links)
    return Left(name, left, len(links), max(1, min(len(links), after_loss(network, name, needed))))


def _leaves_of(network: Network, host: str, fabric: str) -> set[str]:
    nics = network.nics_by_host.get(host, ())
    return {nic.leaf for nic in nics if network.device(nic.leaf).fabric == fabric}


def _named(names: Collection[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join([*names][:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
