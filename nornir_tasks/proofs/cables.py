"""The cables that carry hosts' packets, each with how both its ends treat these.

Which port is cabled to which is the plan's; everything else is as the ends say themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.platforms.lossless import Setting
from nornir_tasks.proofs.treatment import Ports, Rdma, ReadSwitch, Treatment, of_host, rdma_of
from nornir_tasks.proofs.verdicts import Broken, Place, Statement, Tally

Variables = Mapping[str, Any]

UNUSED = "cabled, and used by no plane yet"
ATTACHED = "to management ports, BMCs and devices: nothing there says how it sends"
NO_RDMA = "to hosts without RDMA: no variable of theirs says how they mark, queue or pause"


def is_unused(network: Network, link: Link) -> bool:
    """Is it unused, or does it lead out of the site? Links between both leaves of a pair are the pair's."""
    return link.kind == "outside" or (link.kind != "peer" and not network.circuits_on(link))


@dataclass(frozen=True, slots=True)
class End:
    """One end of a cable."""

    at: Place
    ports: Ports | None
    """Of a switch; None: a host."""
    treatment: Treatment | None
    """None: no QoS profile is on the port."""

    def says(self, found: str, setting: Setting | None = None, variable: str = "") -> Statement:
        """What of this end decides: of a switch a setting, of a host a variable."""
        if self.ports is None or setting is None:
            return Statement(self.at, found, variable=variable)
        profile = self.ports.profile_of(self.at.port) or ""
        placed = Setting(setting.kind, self.at.port, profile, setting.number, setting.priority)
        return Statement(self.at, found, placed)

    def says_line(self, found: str, line: tuple[str, ...]) -> Statement:
        """A line beside the model, as it stands there."""
        return Statement(self.at, found, line=line)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Lines that may be about its packets and are not known."""
        return self.ports.doubts(self.at.port) if self.ports is not None else ()


@dataclass(frozen=True, slots=True)
class Cable:
    """One link with both its ends, and how hosts on its fabric mark RDMA; None: none of them has it."""

    link: Link
    upper: End
    lower: End
    rdma: Rdma | None

    @property
    def ends(self) -> tuple[End, End]:
        """In the direction of a packet from a host."""
        return self.lower, self.upper

    def __str__(self) -> str:
        return f"{self.lower.at} to {self.upper.at}"


@dataclass
class Read:
    """A site as it was read: cables of the plan, configurations of switches, variables of hosts."""

    network: Network
    switches: Mapping[str, ReadSwitch]
    hosts: Mapping[str, Variables]
    unreachable: Mapping[str, str] = field(default_factory=dict)
    """Switch -> why it could not be read."""
    no_hosts: str = ""
    """Why there are no variables of hosts; empty: there are."""

    @cached_property
    def ports(self) -> dict[str, Ports]:
        """Of each switch; equal treatments are one object."""
        shared: dict[Treatment, Treatment] = {}
        return {name: Ports(each, shared) for name, each in self.switches.items()}

    @cached_property
    def nics(self) -> dict[str, tuple[Rdma, Treatment]]:
        """Host -> how it marks, and how its NICs treat packets; without hosts that have no RDMA."""
        shared: dict[str, tuple[Rdma, Treatment]] = {}
        found = {}
        for host, variables in self.hosts.items():
            if (rdma := rdma_of(variables)) is not None:
                key = repr([value for name, value in variables.items() if name in _OF_NICS])
                found[host] = shared.setdefault(key, (rdma, of_host(variables, rdma)))
        return found

    @cached_property
    def rdma(self) -> dict[str, Rdma]:
        """Fabric -> how RDMA on it is marked, by most of its hosts."""
        found: dict[str, dict[Rdma, int]] = {}
        for nic in self.network.nics:
            if nic.host in self.nics and nic.port in set(self.hosts[nic.host]["roce_qos_rails"]):
                counts = found.setdefault(nic.link.fabric, {})
                counts[self.nics[nic.host][0]] = counts.get(self.nics[nic.host][0], 0) + 1
        return {fabric: max(counts, key=lambda each: counts[each]) for fabric, counts in found.items()}

    @cached_property
    def spreading(self) -> dict[str, str]:
        """Fabric -> its first switch that sends each packet by a path of its own."""
        found: dict[str, str] = {}
        for name, each in self.switches.items():
            balancing = each.config.load_balancing
            if balancing is not None and balancing.mode == "per_packet" and balancing.ports != ():
                found.setdefault(self.network.device(name).fabric, name)
        return found

    @cached_property
    def may_spread(self) -> dict[str, str]:
        """Fabric -> its first switch with a line about spreading that the parser does not know."""
        found: dict[str, str] = {}
        for name, ports in self.ports.items():
            if ports.has_unread(Setting("spread")):
                found.setdefault(self.network.device(name).fabric, name)
        return found

    def is_attached(self, link: Link) -> bool:
        """Is its lower end no port of a host's kernel: a BMC, a device, a management port?"""
        return link.kind == "host" and link.lower.device not in self._hosts

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(self.network.hosts)

    def cables(self, tally: Tally) -> Iterator[Cable]:
        """Those of which both ends were read. Counts all others: skipped, undecided, or broken."""
        for link in self.network.links:
            if is_unused(self.network, link):
                tally.skipped[UNUSED] += 1
            elif self.is_attached(link):
                tally.skipped[ATTACHED] += 1
            elif reason := self._unread(link):
                tally.count((), (reason,))
            elif link.kind == "host" and link.lower.device not in self.nics:
                tally.skipped[self.no_hosts or NO_RDMA] += 1
            elif (absent := self._absent(link)) is not None:
                tally.count((absent,))
            else:
                yield Cable(link, self._end(link, upper=True), self._end(link, upper=False), self.rdma.get(link.fabric))

    def _unread(self, link: Link) -> str:
        """Why an end is not known; empty: both are."""
        for end in (link.upper, link.lower):
            if end.device in self.unreachable:
                return f"{end.device} could not be read: {self.unreachable[end.device]}"
            ports = self.ports.get(end.device)
            if ports is None and end.device not in self._hosts:
                return f"{end.device} was not read"
            if ports is not None and end.port not in ports.interfaces and (doubts := ports.doubts(end.port)):
                return doubts[0]
        return ""

    def _absent(self, link: Link) -> Broken | None:
        for end in (link.upper, link.lower):
            ports = self.ports.get(end.device)
            if ports is not None and end.port not in ports.interfaces:
                at = Place(end.device, end.port)
                stated = Statement(at, "no line of this port", Setting("profile", end.port))
                return Broken(
                    f"{link.lower.device} to {link.upper.device}", "a cabled port is not configured", (stated,)
                )
        return None

    def _end(self, link: Link, *, upper: bool) -> End:
        end = link.upper if upper else link.lower
        at, ports = Place(end.device, end.port), self.ports.get(end.device)
        if ports is None:
            return End(at, None, self.nics[end.device][1])
        return End(at, ports, ports.treatment(end.port))


_OF_NICS = {"roce_qos_classes", "roce_qos_dscp", "roce_qos_priority", "roce_qos_ecn", "roce_qos_cnp_dscp"}


def each_once(
    cables: Iterable[Cable], tally: Tally, judge: Callable[[Cable], Iterable[Broken]], *, is_worth: bool = True
) -> Iterator[tuple[Cable, tuple[Broken, ...]]]:
    """Judge cables between ends of equal settings once where nothing is broken, and count how many that spares.

    Ends are told apart by their parsed settings alone. What is broken is judged for each cable, as its lines are.
    """
    sound = set[tuple[int, int, Rdma | None]]()
    for cable in cables:
        key = id(cable.lower.treatment), id(cable.upper.treatment), cable.rdma
        if is_worth and key in sound:
            tally.by_symmetry += 1
            yield cable, ()
            continue
        broken = tuple(judge(cable))
        if not broken:
            sound.add(key)
        yield cable, broken
