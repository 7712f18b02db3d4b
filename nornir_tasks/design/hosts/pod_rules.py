"""Whether pods can have RDMA on a plane: all that is in the way, each with its place in the intent and a remedy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nornir_tasks.design.demand.collect_errors import Gathering
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.hosts.host_needs import HostNeeds, check_copies, host_needs
from nornir_tasks.design.hosts.pod_networks import (
    GroupNics,
    PodNetworks,
    PodPool,
    node_policy_name,
    places_at,
    pod_networks,
)
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.intent.core.fields import is_pci
from nornir_tasks.intent.core.findings import Finding, Marks, Path

DRIVER = "mlx5"
"""The only one that the operators' NICs have."""
LONGEST_NODE_POLICY = 26
"""Of a NicNodePolicy's name: it is part of a label that has 63 characters (tests/corpus/kubernetes)."""


@dataclass(frozen=True, slots=True)
class PodDemand:
    """What pods are to have."""

    plane: str
    pods_per_node: int
    vfs: int = 0
    """Virtual functions of each NIC port; 0: none."""


def checked_networks(
    network: Network, demands: Sequence[Demand], catalogue: Catalogue, marks: Marks, wanted: PodDemand
) -> PodNetworks:
    """The rails of a plane as pods use them. Raises IntentError or DesignError for everything that is in the way.

    ``demands``: of all groups and planes of the site.
    """
    plane, pods_per_node = wanted.plane, wanted.pods_per_node
    there = {host.rpartition("-")[0] for host in network.hosts if network.rails_of(host, plane)}
    own = [each for each in demands if each.plane_name == plane and each.group in there]
    gathering = Gathering()
    gathering.attempt(lambda: check_copies(own, marks))
    gathering.attempt(lambda: _refuse(_names(own), marks))
    gathering.attempt(lambda: _refuse(_ports(own), marks))
    gathering.attempt(lambda: _refuse(_one_pod(own, pods_per_node), marks))
    gathering.attempt(lambda: _refuse(_functions(own, wanted), marks))
    several = any(each.nics.copies for each in own)
    nics = [gathering.attempt(partial(_nics, each, demands, catalogue, marks)) for each in own if not several]
    made = pod_networks(network, plane, [each for each in nics if each is not None], pods_per_node)
    if not several:
        gathering.attempt(partial(_enough, network, own, made, marks))
    gathering.refuse()
    return replace(made, vfs=wanted.vfs)


def intended_networks(
    network: Network, demands: Sequence[Demand], catalogue: Catalogue, marks: Marks, plane: str
) -> PodNetworks:
    """The rails of a plane, to judge objects that others wrote: what those may lack of the intent is left open.

    Raises IntentError where hosts have NICs of several ports, or groups name their ports differently.
    """
    there = {host.rpartition("-")[0] for host in network.hosts if network.rails_of(host, plane)}
    own = [each for each in demands if each.plane_name == plane and each.group in there]
    gathering = Gathering()
    gathering.attempt(lambda: check_copies(own, marks))
    gathering.attempt(lambda: _refuse(_ports(own), marks))
    needs = [gathering.attempt(partial(host_needs, [each], catalogue, marks, with_places=False)) for each in own]
    gathering.refuse()
    nics = [
        GroupNics(one, (catalogue.nics[each.nics.model].pci_device if each.nics.model else None) or "", _places(one))
        for each, found in zip(own, needs, strict=True)
        for one in found or ()
    ]
    return pod_networks(network, plane, nics, pods_per_node=1)


def _refuse(findings: Iterator[Finding], marks: Marks) -> None:
    found = list(findings)
    if found:
        raise IntentError(marks.problems(found))


def _names(own: Sequence[Demand]) -> Iterator[Finding]:
    """Kubernetes' names are DNS labels."""
    named: list[tuple[str, Path]] = [(own[0].plane_name, own[0].on_plane())] if own else []
    for name, path in (*named, *((each.group, each.on_hosts()) for each in own)):
        if "_" in name:
            yield Finding(path, "no name for Kubernetes' objects", "letters, digits and dashes", name)


def _ports(own: Sequence[Demand]) -> Iterator[Finding]:
    """A network of Kubernetes names the interface, so it has one name on all hosts."""
    names = {each.nics.port_names: each for each in reversed(own)}
    if len(names) > 1:
        first = own[0]
        for each in own:
            if each.nics.port_names != first.nics.port_names:
                what = "other names of ports than another group on this plane: a network for pods names the interface"
                expected, found = first.nics.port_names, each.nics.port_names
                also = first.on_nics("port_names")
                yield Finding(each.on_nics("port_names"), what, expected, found, also=also)


def _one_pod(own: Sequence[Demand], pods_per_node: int) -> Iterator[Finding]:
    if own and own[0].plane.link == "p2p" and pods_per_node > 1:
        what = f"{pods_per_node} pods a node, but each link has one address for a host: a pod takes the NIC port whole"
        yield Finding(own[0].on_plane("link"), what, "--pods-per-node 1, or link: subnet/N or svi", own[0].plane.link)


def _functions(own: Sequence[Demand], wanted: PodDemand) -> Iterator[Finding]:
    """Virtual functions share their port's link: each pod needs an address of its own there."""
    if own and wanted.vfs and own[0].plane.link == "p2p":
        what = "each link has one address for a host, and pods on virtual functions need addresses of their own"
        yield Finding(own[0].on_plane("link"), what, "link: subnet/N or svi, or --attach-by multus", own[0].plane.link)


def _nics(demand: Demand, demands: Sequence[Demand], catalogue: Catalogue, marks: Marks) -> GroupNics:
    (needs,) = host_needs([demand], catalogue, marks, with_places=False)
    findings = []
    device = catalogue.nics[demand.nics.model].pci_device if demand.nics.model else None
    if needs.provider != DRIVER or device is None:
        known = ", ".join(sorted(name for name, each in catalogue.nics.items() if each.pci_device))
        what = "no NIC model that the operators configure, or no source has its PCI device ID"
        findings.append(Finding(demand.on_nics("model"), what, f"one of {known}", str(demand.nics.model)))
    findings += _unclear(demand, demands, needs)
    if demand.plane.link == "p2p":
        findings += _whole_ports(demand, needs)
    if findings:
        raise IntentError(marks.problems(findings))
    return GroupNics(needs, device or "", _places(needs))


def _places(needs: HostNeeds) -> tuple[str, ...]:
    """PCI addresses of the ports, those of exceptional hosts included."""
    exceptional = (place for places in needs.exceptions.values() for place in places.values())
    return tuple(dict.fromkeys((*needs.places, *exceptional)))


def _whole_ports(demand: Demand, needs: HostNeeds) -> Iterator[Finding]:
    """A whole port is selected by its PCI address alone, and all nodes of a group have one configuration."""
    if not needs.places:
        what = "pods take whole ports here, which the device plug-in selects by their PCI addresses alone"
        hint = "lspci -D shows them on a host"
        yield Finding(demand.on_nics(), what, "at: [PCI address of rail 0, ...]", "no at", hint)
    for host, places in needs.exceptions.items():
        for rail, place in places.items():
            if needs.places and place != needs.places[rail]:
                what = "a group's nodes have one configuration of the device plug-in, with one address for a rail"
                hint = "make hosts with NICs elsewhere a group of their own"
                expected = f"{needs.places[rail]}, as the group's other hosts have it"
                yield Finding(demand.on_nics("exceptions", host, rail), what, expected, place, hint)
    name = node_policy_name(demand.plane_name, demand.group)
    if len(name) > LONGEST_NODE_POLICY:
        what = f"the policy of this group's nodes would be called {name}, too long for the network operator"
        expected = f"a name of {LONGEST_NODE_POLICY - len(name) + len(demand.group)} characters at most"
        yield Finding(demand.on_hosts(), what, expected, f"{demand.group}, {len(demand.group)} characters")


def _unclear(demand: Demand, demands: Sequence[Demand], needs: HostNeeds) -> Iterator[Finding]:
    """NICs that the operator must leave alone are told from the rails by their PCI addresses."""
    places = _places(needs)
    macs = [place for place in places if not is_pci(place)]
    if macs:
        what = "the operator finds NICs by PCI addresses, not by MAC addresses"
        yield Finding(demand.on_nics("at"), what, 'at: ["0000:18:00.0", ...]', macs[0])
    for other in demands:
        if other.group != demand.group or other.plane_name == demand.plane_name or other.nics.ports_of is not None:
            continue
        if not places and demand.plane.link != "p2p":
            what = f"hosts have NICs on plane {other.plane_name} too, and nothing tells them from these"
            yield Finding(demand.on_nics(), what, "at: [PCI address of rail 0, ...]", also=other.on_nics())
            continue
        theirs = {*(other.nics.at or ()), *(each for at in other.nics.exceptions.values() for each in at.values())}
        for place in sorted(theirs & set(places)):
            what = f"a NIC of plane {other.plane_name} on another host of the group has this PCI address"
            hint = "make hosts with NICs elsewhere a group of their own"
            yield Finding(demand.on_nics("exceptions"), what, found=place, hint=hint, also=other.on_nics())


def _enough(network: Network, own: Sequence[Demand], made: PodNetworks, marks: Marks) -> None:
    """Raise DesignError where pools have fewer addresses than pods may want."""
    short = [
        (pool.size // hosts, hosts, pool)
        for rail in made.rails
        for pool in rail.pools
        for hosts in (_hosts_of(network, made.plane, pool),)
        if pool.size < made.pods_per_node * hosts
    ]
    if not short:
        return
    most, hosts, pool = min(short, key=lambda each: each[0])
    wanted = made.pods_per_node * hosts
    what = f"the rail's addresses at {pool.name} hold no {wanted} pods ({made.pods_per_node} on each of {hosts} hosts)"
    larger = "fewer hosts at a leaf (per_group)" if hosts > 1 else "a larger block: link: subnet/N with a smaller N"
    expected = f"--pods-per-node {most} at most, or {larger}" if most > 0 else larger
    finding = Finding(own[0].on_plane("link"), what, expected, f"{max(0, pool.size)} addresses of {pool.subnet}")
    raise DesignError(marks.problem(finding))


def _hosts_of(network: Network, plane: str, pool: PodPool) -> int:
    """Hosts whose pods take from a pool, planned ones included."""
    return 1 if pool.name in pool.hosts else places_at(network, plane, pool.name)
