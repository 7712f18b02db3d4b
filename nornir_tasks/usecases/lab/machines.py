"""The hosts of a design as machines of the lab: their NICs and bonds, and what the leaves have at the other ends."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from nornir_tasks.design.demand.collect_errors import Gathering
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.hosts.bond_needs import BondNeeds, bond_needs
from nornir_tasks.design.hosts.host_bonds import BondPlaneVars, BondVars, bond_interfaces
from nornir_tasks.design.hosts.host_needs import HostNeeds, check_copies, host_needs
from nornir_tasks.design.hosts.host_parts import NicMatch
from nornir_tasks.design.hosts.host_vars import has_rails, rail_interfaces
from nornir_tasks.design.model.links import Circuit
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.intent.core.fields import is_pci
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.lab.machines.manager import Machines
from nornir_tasks.lab.machines.plan import (
    PLACES,
    SITE_SLOT,
    Bond,
    BondVlan,
    MachinePlan,
    Rail,
    has_place,
    machine_plan,
)
from nornir_tasks.usecases.site import SiteDesign

BONDS_OF_A_HOST = 16
"""More than any has: their keys for LACP are apart from other hosts'."""
MBPS = 1000
"""In 1 Gb/s."""


def machine_plans(design: SiteDesign, count: int, routed: Collection[str] = ()) -> tuple[MachinePlan, ...]:
    """The design's first ``count`` hosts as machines. ``routed``: switches of a routed lab, to which rails are cabled.

    Raises LabError when it has fewer, and for what lab machines cannot have; IntentError for what no host can.
    """
    hosts, marks = design.network.hosts, design.site.intent.marks
    if count > len(hosts):
        raise LabError(Problem("--hosts", "the design has fewer hosts", f"at most {len(hosts)}", str(count)))
    if not count:
        return ()
    gathering, of_hosts = Gathering(), tuple(each for each in design.demands if each.attached is None)
    gathering.attempt(lambda: check_copies(of_hosts, marks))
    needs = gathering.attempt(lambda: host_needs(of_hosts, design.catalogue, marks)) or ()
    bonds = gathering.attempt(lambda: bond_needs(of_hosts, marks)) or ()
    gathering.refuse()
    if findings := tuple(_findings(design, of_hosts, hosts[:count])):
        raise LabError(marks.problems(findings))
    return tuple(_plan(design.network, needs, bonds, host, index, routed) for index, host in enumerate(hosts[:count]))


def check_cabled_in(plans: Sequence[MachinePlan]) -> None:
    """Raises LabError that names every machine without a rail at a switch of the routed lab."""
    without = [plan.name for plan in plans if not plan.routed_nics]
    if without:
        have = next((place for place, plan in enumerate(plans) if not plan.routed_nics), 0)
        what = "has no rail at a switch that is routed here, so nothing of it would cross the lab"
        hint = f"--hosts {have}; or name the planes of the others, too, with --plane" if have else "leave out --routed"
        raise LabError(Problem(name, what, hint=hint) for name in without)


def cabled_machines(state_directory: Path) -> frozenset[str]:
    """The hosts that run as machines at the switches of a routed lab."""
    machines = Machines(state_directory)
    return frozenset(name for name in machines.names() if machines.routed(name) and machines.machine(name).pid())


def cabled_elsewhere(plans: Sequence[MachinePlan]) -> str:
    """Which NICs of machines in a routed lab do not lead to its switches; "" if all do."""
    found = [
        f"{plan.name} {', '.join(names)}"
        for plan in plans
        if (names := [nic.name for nic in plan.own_nics if nic.slot != SITE_SLOT])
    ]
    where = "not at the switches of this routed lab, but in the machines' own namespace"
    return f"{where}: {'; '.join(found)}" if found else ""


def _findings(design: SiteDesign, of_hosts: Iterable[Demand], hosts: Sequence[str]) -> Iterator[Finding]:
    """What these hosts have and machines have not."""
    groups = {host.rpartition("-")[0] for host in hosts}
    for demand in of_hosts:
        if demand.group not in groups:
            continue
        if demand.plane.link == "svi":
            what = "lab machines hang on routed links, each at a leaf's end of its own, or on bonds"
            hint = "switches of the lab take hosts in a VLAN; try machines on a copy of the site with link: p2p"
            found = f"link: svi, VLAN {design.network.planes[demand.plane_name].host_vlan}"
            yield Finding(demand.on_plane("link"), what, "link: p2p or subnet/N", found, hint)
        places = {demand.on_nics("at", number): place for number, place in enumerate(demand.nics.at or ())}
        for host, changed in demand.nics.exceptions.items():
            if host in hosts:
                places |= {demand.on_nics("exceptions", host, number): place for number, place in changed.items()}
        for path, place in places.items():
            if is_pci(place) and not has_place(place):
                hint = "try machines on a copy of the site with such places"
                yield Finding(path, "a lab machine has one PCI bus", PLACES, place, hint)


def _plan(
    network: Network,
    needs: Iterable[HostNeeds],
    bonds: Iterable[BondNeeds],
    host: str,
    index: int,
    routed: Collection[str],
) -> MachinePlan:
    rails = rail_interfaces(network, needs, host).rails if has_rails(network, needs, host) else ()
    bonded = bond_interfaces(network, bonds, host)
    at_routed = {each.link.end(host).port for each in network.circuits_of(host) if each.link.upper.device in {*routed}}
    found = [
        _nic(each.name, each.match, f"{each.gateway}/{each.prefix_length}", routed=each.name in at_routed)
        for each in rails
    ]
    ends = []
    for place, bond in enumerate(() if bonded is None else bonded.bonds):
        circuits = [each for each in network.circuits_of(host) if each.use.bundle == bond.name]
        speed_mbps = MBPS * circuits[0].link.speed_gbps
        found += [_nic(each.name, each.match, speed_mbps=speed_mbps) for each in bond.members]
        ends.append(_bond(network, bond, circuits, index * BONDS_OF_A_HOST + place + 1))
    return machine_plan(host, index, tuple(found), tuple(ends))


def _nic(
    name: str, match: NicMatch, leaf_address: str = "", speed_mbps: int | None = None, *, routed: bool = False
) -> Rail:
    return Rail(name, match.pci, match.mac, leaf_address, speed_mbps, routed)


def _bond(network: Network, bond: BondVars, circuits: Sequence[Circuit], key: int) -> Bond:
    leaf = circuits[0].link.upper.device
    pair = next(each.name for each in network.pairs if leaf in each.leaves)
    return Bond(
        name=bond.name,
        members=tuple(each.name for each in bond.members),
        system=_mac(pair),
        key=key,
        is_fast=bond.lacp_rate == "fast",
        vlans=tuple(
            _vlan(pair, plane, next(each for each in circuits if each.owner == plane.plane)) for plane in bond.planes
        ),
    )


def _vlan(pair: str, plane: BondPlaneVars, circuit: Circuit) -> BondVlan:
    """The same for all hosts that are in the VLAN at the pair, whatever their bonds call it."""
    about = f"{pair}:{circuit.use.segment}"
    gateways = [f"{plane.gateway}/{plane.prefix_length}"]
    if plane.gateway_v6 is not None:
        gateways.append(f"{plane.gateway_v6}/{plane.prefix_length_v6}")
    return BondVlan(
        name=f"vlan-{_digest(about)[:8]}",
        about=about,
        tag=plane.vlan,
        mtu_bytes=circuit.use.mtu_bytes,
        mac=_mac(about),
        gateways=tuple(gateways),
    )


def _mac(text: str) -> str:
    """A locally administered address, always the same."""
    digest = _digest(text)
    return ":".join(["02", *(digest[at : at + 2] for at in range(0, 10, 2))])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_bonded(machines: Machines, network: Network, cables: set[str]) -> None:
    """Raises LabError for a cable of a machine's bond: what plays the pair there knows no other cable."""
    for host in machines.names():
        bonded = machines.bonded(host)
        for link in dict.fromkeys(each.link for each in network.circuits_of(host)):
            port = link.end(host).port
            if port in bonded and link.name in cables:
                what = "this cable is of a bond of a machine; what plays its leaves knows no other cable"
                hint = (
                    "nornir lab up --hosts 0 ends the machines; then the switches' ends of such cables can be swapped"
                )
                raise LabError(
                    Problem(f"{host}:{port}", what, "a cable of a rail, or between switches", link.name, hint)
                )


def leaf_ends(network: Network) -> dict[tuple[str, str], str]:
    """Port of a switch, as (device, port), -> its address with length on the routed link to a host."""
    found = {}
    for each in network.circuits:
        upper = each.link.upper
        if each.link.lower.device not in network and each.upper_address and each.use.bundle is None:
            found[upper.device, upper.port] = f"{each.upper_address}/{each.use.prefix_length}"
    return found
