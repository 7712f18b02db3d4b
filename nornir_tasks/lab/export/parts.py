"""What of a site an export has: the chosen switches, the hosts at them, and the cables between these."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.design.model.links import Circuit, Link
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.order import natural_key


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the site that the export has not."""

    where: str
    what: str
    why: str


@dataclass(frozen=True)
class Parts:
    """Switches, hosts and cables of an export."""

    network: Network
    switches: tuple[Device, ...]
    hosts: tuple[str, ...]
    """Hosts, and what else is cabled to these switches, in natural order."""
    cables: tuple[Link, ...]
    """Each connection once; a breakout cable is as many as it has legs in use."""
    left_out: tuple[LeftOut, ...]

    @cached_property
    def _cables_at(self) -> Mapping[str, list[Link]]:
        """Node -> the cables that end there."""
        found: dict[str, list[Link]] = defaultdict(list)
        for link in self.cables:
            found[link.upper.device].append(link)
            found[link.lower.device].append(link)
        return found

    def cabled_ports(self, device: str) -> tuple[str, ...]:
        """The ports of a switch or host that a cable of the export ends at, in natural order."""
        ports = (link.end(device).port for link in self._cables_at.get(device, ()))
        return tuple(sorted(ports, key=natural_key))

    def circuits(self, host: str) -> tuple[Circuit, ...]:
        """The uses of a host's cables, in the order of its ports."""
        return tuple(each for link in self._cables_at.get(host, ()) for each in self.network.circuits_on(link))


def parts(network: Network, switches: Iterable[Device]) -> Parts:
    """Of these switches: the cables between them, and to hosts. What ends elsewhere is left out, each with its reason.

    A management port has no cable here: the lab's own management network stands for the out-of-band plane.
    """
    chosen = tuple(switches)
    names, everywhere = {each.name for each in chosen}, {each.name: each for each in network.devices}
    ports = {os: facts.management_port for os, facts in network.facts.items()}
    cables, left_out = [], []
    for link in network.links:
        ends = (link.upper, link.lower)
        mine = [end for end in ends if end.device in names]
        others = [end for end in ends if end.device in everywhere and end.device not in names]
        managed = [end for end in ends if end.device in everywhere and end.port == ports[everywhere[end.device].os]]
        if not mine:
            continue
        if managed:
            why = "a management port: the lab's own management network is there instead"
            left_out.append(LeftOut(link.name, _ends(link), why))
        elif link.kind == "outside":
            why = "a firewall or an upstream's router at its other end: neither is a node of an exported lab"
            left_out.append(LeftOut(link.name, _ends(link), why))
        elif others:
            left_out.append(LeftOut(link.name, _ends(link), f"{others[0].device} was not chosen"))
        else:
            cables.append(link)
    hosts = {link.lower.device for link in cables} - names
    return Parts(network, chosen, tuple(sorted(hosts, key=natural_key)), tuple(cables), tuple(left_out))


def _ends(link: Link) -> str:
    return f"{link.upper.device} {link.upper.port} - {link.lower.device} {link.lower.port}"
