"""From intent to network to one configuration per switch: the table of contents of the design.

demands       what each fabric is to be, with what rides   demand.py
attaching     what has a port on an out-of-band plane       attached.py
choose        which model, OS and release each switch is      choices.py
alike         thresholds of ECN, one figure a tier           ecn_alike.py
sections      the cheapest number of switches and links       sections.py, topology.py
over_limits   what no switch may exceed                       limits.py, buffers.py, overrides.py
cable_up      which port is joined to which                   cabling.py
check_racks   what stands in a rack is there                  racks.py
number        ASNs                                            asn.py
cut_pools, address_devices   pools, loopbacks, blocks         addressing.py
run_over      what runs over each link: addresses and MTU     circuits.py
opened        what first boots need of lists (day0.open)     first_boot_flows.py
declared      the owners; no two can be confused            owners.py
contributions what fabric and planes want of a switch         fabrics/<kind>.py, planes/<kind>.py
merge         joined, each field by its rule                  merge.py
realise       what OS and ASIC will hold                      realise.py

Steps that do not need one another are all tried before anything is refused (gather.py). A step that fails without a
refusal is a fault of ours, which names it (faults.py).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from nornir_tasks.design.addresses import addressing, asn, bond_vlans, mtu, network_objects
from nornir_tasks.design.addresses.circuits import Circuits
from nornir_tasks.design.capacity import (
    first_boot_flows,
    lossless_cables,
    management_paths,
    servers_reached,
    throughput,
)
from nornir_tasks.design.capacity.ecn_alike import alike
from nornir_tasks.design.capacity.limits import over_limits
from nornir_tasks.design.capacity.profile_limits import check_profiles
from nornir_tasks.design.capacity.tables import check_tables
from nornir_tasks.design.contribute import managed_aaa, managed_accounts, managed_base, managed_snmp, unused_ports
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.contribute.merge import Contribution, merge
from nornir_tasks.design.contribute.owners import claims_on, declared
from nornir_tasks.design.demand import edge_router_limits, qos
from nornir_tasks.design.demand.choices import Choices, choose
from nornir_tasks.design.demand.collect_errors import Gathering
from nornir_tasks.design.demand.fabric_demand import Demand, demands
from nornir_tasks.design.demand.findings_by_group import Whose
from nornir_tasks.design.demand.kinds import Kinds
from nornir_tasks.design.layout import switch_names
from nornir_tasks.design.layout.cabling import Cabling, cable_up, planned_switches
from nornir_tasks.design.layout.edge_network import EdgeNetwork, edge_network
from nornir_tasks.design.layout.link_types import Joints, join
from nornir_tasks.design.layout.oob_ports import Attaching, PlannedSwitch
from nornir_tasks.design.layout.racks import check_racks, places
from nornir_tasks.design.layout.sections import Section, by_fabric, sections, sharing
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import Catalogue, SwitchModel
from nornir_tasks.design.model.claims import THE_BASE, THE_SWITCH, fabric_key
from nornir_tasks.design.model.drain import Drain, noted
from nornir_tasks.design.model.faults import guarded
from nornir_tasks.design.model.links import Circuit, ManagementAddress, NicPort
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.model.places import Place
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.model.sizing import CannotBuildError
from nornir_tasks.design.realise import lag
from nornir_tasks.design.realise.configuration import Adjustment, Realised, realise
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.intent.core.unknown import UnknownValueError
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import of_trees, tool
from nornir_tasks.intent.settings import Terms

__all__ = ["Adjustment", "Realised", "design", "device_config", "device_configs"]


@dataclass(frozen=True)
class _Built:
    """One fabric, the planes on it, and everything that is theirs."""

    fabric: Fabric
    planes: tuple[Plane, ...]
    devices: tuple[Device, ...]
    circuits: tuple[Circuit, ...]
    host_blocks: Mapping[tuple[str, str], str]
    cabling: Cabling
    models: Mapping[str, SwitchModel]
    places: Mapping[str, Place]
    planned: tuple[PlannedSwitch, ...] = ()
    """Its switches for ``hosts.max``."""
    attached_prefixes: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """See ``Network``."""
    beyond: frozenset[str] = frozenset()
    """Machines beyond ways out, which are no hosts of the site."""

    @property
    def of_hosts(self) -> tuple[NicPort, ...]:
        """The ports of all others."""
        nics = self.cabling.nics
        return tuple(nic for nic in nics if nic.host not in self.beyond) if self.beyond else nics


@dataclass(frozen=True, slots=True)
class _Known:
    """What holds whatever fabric is worked on."""

    catalogue: Catalogue
    os_facts: Mapping[str, OsFacts]
    marks: Marks
    """Where each value of the intent stands."""
    allow_memory: tuple[str, ...]
    """Line shapes known only from memory that may be rendered."""

    def choose(self, demand: Demand) -> Choices:
        """Which model, OS and release each switch of a demand is."""
        return choose(demand, self.catalogue, self.os_facts, self.marks, self.allow_memory)

    @property
    def attaching(self) -> Attaching:
        """Makes the demands of out-of-band planes."""
        return Attaching(self.os_facts, self.choose, self.marks)


@guarded
def design(intent: Intent, catalogue: Catalogue, os_facts: Mapping[str, OsFacts]) -> Network:
    """The network that the intent asks for.

    Raises IntentError for what the catalogue or the capabilities do not know, DesignError for what cannot be built;
    both carry everything found in their step.
    """
    known = _Known(catalogue, os_facts, intent.marks, intent.allow_memory)
    switch_names.check(intent, os_facts)
    edge_router_limits.check(intent, catalogue, os_facts)
    built = [_build(each, known) for each in by_fabric(demands(intent, kinds().planes)).values()]
    edge = edge_network(intent, catalogue, os_facts)
    built += [_built_edge(edge)] if edge is not None else []
    trees = [_build((each,), known) for each in known.attaching.demands(intent, _planned(built))]
    order = [*intent.fabrics, *(each.fabric.name for each in built)]  # edge routers, which are no part of it, come last
    built = sorted((*built, *trees), key=lambda each: order.index(each.fabric.name))
    network = Network(
        site=intent.site,
        fabrics={each.fabric.name: each.fabric for each in built},
        planes={plane.name: plane for each in built for plane in each.planes},
        devices=tuple(device for each in built for device in each.devices),
        links=tuple(link for each in built for link in each.cabling.links),
        circuits=tuple(circuit for each in built for circuit in each.circuits),
        host_blocks={place: block for each in built for place, block in each.host_blocks.items()},
        cables=tuple(cable for each in built for cable in each.cabling.cables),
        nics=tuple(nic for each in built if each not in trees for nic in each.of_hosts),
        beyond=tuple(nic for each in built for nic in each.cabling.nics if nic.host in each.beyond),
        attached=tuple(nic for each in trees for nic in each.cabling.nics),
        attached_prefixes={at: found for each in trees for at, found in each.attached_prefixes.items()},
        management={device: found for each in trees for device, found in _management(each, built)},
        facts=os_facts,
        models={name: model for each in built for name, model in each.models.items()},
        places={device: place for each in built for device, place in each.places.items()},
        base=managed_base.by_fabric(intent),
        tool=tool(intent) or "",
        edge=None if edge is None else edge.terms,
    )
    network = first_boot_flows.opened(network, intent)
    management_paths.check(network, intent.marks)
    declared(network, kinds(), intent.marks)
    managed_accounts.check(intent, network)
    managed_aaa.check(intent, network)
    managed_snmp.check(intent, network)
    managed_base.check(network, intent)
    servers_reached.check(network, intent)
    check_tables(network, intent.marks)
    lossless_cables.check(network, intent.marks)
    throughput.check(network, demands(intent, kinds().planes), intent.marks)
    return network


@guarded
def every_demand(intent: Intent, catalogue: Catalogue, os_facts: Mapping[str, OsFacts]) -> tuple[Demand, ...]:
    """What the intent asks of each fabric, out-of-band trees included, whose ports follow from all other fabrics."""
    known, own = _Known(catalogue, os_facts, intent.marks, intent.allow_memory), demands(intent, kinds().planes)
    if not of_trees(intent):
        return own
    built = [_build(each, known) for each in by_fabric(own).values()]
    edge = edge_network(intent, catalogue, os_facts)
    built += [_built_edge(edge)] if edge is not None else []
    return (*own, *known.attaching.demands(intent, _planned(built)))


def _build(on_fabric: Sequence[Demand], known: _Known) -> _Built:
    """One fabric with what rides on it."""
    marks, os_facts, fabric = known.marks, known.os_facts, on_fabric[0].fabric
    own = [each for each in on_fabric if each.has_leaves]
    chosen = alike([known.choose(each) for each in own], on_fabric)
    parts = sections(chosen, marks)
    every = (*parts, *sharing(on_fabric, parts))
    joints, cuts = _checked(every, os_facts, marks)
    cabling = cable_up(parts, os_facts, joints)
    check_racks(on_fabric, {each.name for each in cabling.devices}, {nic.host for nic in cabling.nics}, marks)
    devices = asn.number(cabling.devices, fabric.pools.asn, parts[0].layout)
    devices = addressing.address_devices(devices, cuts)
    mtu_bytes, vrf = on_fabric[0].terms.fabric_mtu_bytes, on_fabric[0].plane.vrf  # all planes' alike
    makes = Circuits(cuts, {each.name: each for each in devices}, mtu_bytes, vrf)
    links = qos.on_links([each.terms for each in on_fabric])
    planes = {name: [each for each in every if each.demand.plane_name == name] for name in _planes(on_fabric)}
    return _Built(
        fabric=network_objects.fabric(every, links),
        planes=tuple(network_objects.plane(of_plane, cuts, links) for of_plane in planes.values()),
        devices=devices,
        circuits=tuple(_circuits(every, makes, cabling)),
        host_blocks=dict(pair for part in every for pair in addressing.host_blocks(devices, part, cuts)),
        cabling=cabling,
        models={choice.model.model: choice.model for each in chosen for choice in each.all},
        places=places(fabric.racks),
        planned=_planned_of(parts, joints, known, {each.name for each in devices}),
        attached_prefixes=dict(addressing.attached_prefixes(devices, parts[0], cuts)),
        beyond=frozenset(name for part in every for name in part.demand.machines),
    )


def _built_edge(edge: EdgeNetwork) -> _Built:
    """The edge routers beside the fabrics; no plane rides on them."""
    return _Built(
        fabric=edge.fabric,
        planes=(),
        devices=edge.devices,
        circuits=edge.circuits,
        host_blocks={},
        cabling=Cabling(edge.devices, edge.links, edge.cables, ()),
        models={edge.choice.model.model: edge.choice.model},
        places={},
        planned=tuple(PlannedSwitch(each.name, each.os, is_there=True) for each in edge.devices),
    )


def _planned_of(
    parts: Sequence[Section], joints: Sequence[Joints], known: _Known, there: Collection[str]
) -> tuple[PlannedSwitch, ...]:
    switches = planned_switches(parts, known.os_facts, joints)
    return tuple(PlannedSwitch(each.name, each.os, each.name in there) for each in switches)


def _planned(built: Sequence[_Built]) -> dict[str, tuple[PlannedSwitch, ...]]:
    return {each.fabric.name: each.planned for each in built}


def _management(tree: _Built, built: Sequence[_Built]) -> Iterator[tuple[str, ManagementAddress]]:
    """(switch, the address of its management port) of all that are attached to this tree."""
    switches = {device.name for each in built for device in each.devices}
    for each in tree.circuits:
        if each.link.kind == "host" and each.link.lower.device in switches:
            address = ManagementAddress(each.lower_address, each.use.prefix_length, each.upper_address)
            yield each.link.lower.device, address


def _planes(on_fabric: Sequence[Demand]) -> dict[str, Terms]:
    """What holds for each plane on a fabric, by its name."""
    return {each.plane_name: each.terms for each in on_fabric}


@guarded
def mistakes(intent: Intent, catalogue: Catalogue, os_facts: Mapping[str, OsFacts]) -> tuple[Problem, ...]:
    """Everything that stands against this intent, as far as an intent with unknown values can be judged."""
    gathering, known = Gathering(), _Known(catalogue, os_facts, intent.marks, intent.allow_memory)
    for each in by_fabric(gathering.attempt(lambda: demands(intent, kinds().planes)) or ()).values():
        _mistakes_of(each, known, gathering)
    gathering.attempt(lambda: switch_names.check(intent, os_facts))
    gathering.attempt(lambda: edge_router_limits.check(intent, catalogue, os_facts))
    return tuple(dict.fromkeys(gathering.problems))


def _mistakes_of(on_fabric: Sequence[Demand], known: _Known, gathering: Gathering) -> None:
    marks, os_facts = known.marks, known.os_facts
    chosen = [
        gathering.attempt(partial(choose, each, known.catalogue, os_facts, marks, known.allow_memory))
        for each in on_fabric
        if each.has_leaves
    ]
    there = [each for each in chosen if each is not None]
    whole = bool(there) and None not in chosen
    parts = gathering.attempt(lambda: sections(alike(there, on_fabric), marks)) if whole else None
    if parts is not None:
        gathering.attempt(lambda: _checked((*parts, *sharing(on_fabric, parts)), os_facts, marks))


def _checked(
    parts: Sequence[Section], os_facts: Mapping[str, OsFacts], marks: Marks
) -> tuple[tuple[Joints, ...], tuple[addressing.Addressing, ...]]:
    """The joints of sections with leaves, and how pools are divided in each copy of the fabric.

    Raises DesignError with all that prevents the layout.
    """
    gathering, joints = Gathering(), list[Joints]()
    limits, cables = Whose(), Whose()
    for part in parts:
        found = gathering.attempt(partial(over_limits, part.choices, part.layout, os_facts))
        limits.add(part.demand, found or ())
        if part.demand.has_leaves:
            joined = gathering.attempt(partial(_joined, part, cables))
            joints += [] if joined is None else [joined]
    gathering.problems += [*marks.problems(limits.attributed()), *marks.problems(cables.attributed())]
    terms = tuple(_planes([each.demand for each in parts]).values())
    choices = [choice for each in parts for choice in each.choices.all]
    gathering.attempt(lambda: check_profiles(terms, choices, marks))
    gathering.attempt(lambda: bond_vlans.check(parts, marks))
    cuts = gathering.attempt(lambda: addressing.cut_pools(parts, marks))
    gathering.attempt(lambda: asn.check_pool(parts[0].demand, parts[0].layout, marks))
    gathering.refuse()
    if not joints or cuts is None:
        raise UnknownValueError  # never in an intent without mistakes
    return tuple(joints), cuts


def _joined(part: Section, whose: Whose) -> Joints | None:
    """The joints of one section; None, with findings, if its cables cannot be built."""
    layout = part.layout
    try:
        found = join(part.choices, layout.uplink_gbps, layout.pods.core_gbps if layout.pods else None)
    except CannotBuildError as refusal:
        whose.add(part.demand, refusal.findings)
        return None
    whose.add(part.demand, ())
    return found


def _circuits(parts: Sequence[Section], makes: Circuits, cabling: Cabling) -> Iterator[Circuit]:
    first = parts[0].demand
    between_switches = (link for link in cabling.links if link.kind == "fabric")
    is_numbered = first.fabric.routing.addressing == "numbered"
    yield from makes.of_fabric(fabric_key(first.fabric_name), between_switches, is_numbered=is_numbered)
    for part in parts:
        demand = part.demand
        there = (nic for nic in cabling.nics if part.layout.has_group(makes.devices[nic.leaf].index))
        nics = (nic for nic in there if nic.nic < demand.nics.rails and demand.has_host(nic.host))
        if demand.is_bonded:
            yield from makes.of_bonds(demand, nics)
        else:
            yield from makes.of_hosts(demand.plane_name, nics, demand.plane.prefix_length, demand.plane.tag)


def device_configs(
    network: Network, *, drained: Collection[str] = (), among: Kinds | None = None
) -> Iterator[Realised]:
    """Every switch's configuration, one at a time, in the order of declared identity.

    ``drained`` names switches whose route maps make every path through them longer; ``among``: the kinds of fabrics
    and planes there are, those of this package if not said otherwise.
    """
    for device in network.devices:
        yield device_config(network, device, drained=device.name in drained, among=among)


@guarded
def device_config(
    network: Network, device: Device, *, drained: Drain | bool = False, among: Kinds | None = None
) -> Realised:
    """One switch's configuration as its OS will hold it. Raises DesignError where owners want different things.

    A ``Drain`` is noted in it; True: drained, and nothing says by whom.
    """
    among = among or kinds()
    parts = list(contributions(network, device, among, drained=bool(drained)))
    used = {port for each in parts for port in each.config.ports or ()}
    parts.append(Contribution(THE_SWITCH, device.name, unused_ports.partial_config(network, device, used)))
    if (base := managed_base.of_switch(network, device)) is not None:
        parts.append(Contribution(THE_BASE, device.name, PartialConfig(base=base)))
    config, claims = merge(device.name, parts), claims_on(network, device, among)
    if claims.has_lags and (problems := [*lag.disagreements(device.name, parts)]):
        raise DesignError(problems)
    cables = tuple(lossless_cables.cables_of(network, device))
    made = realise(config, device, network.facts[device.os], claims, mtu.of_ports(network, device), cables)
    return replace(made, config=noted(made.config, drained)) if isinstance(drained, Drain) else made


def contributions(network: Network, device: Device, among: Kinds, *, drained: bool) -> Iterator[Contribution]:
    """What its fabric wants of one switch, and what the planes that ride on it do; no other plane is asked."""
    fabric = network.fabric_of(device)
    planes = [(among.planes[plane.kind], plane) for plane in network.planes_on(device.fabric)]

    def announced(switch: Device) -> tuple[str, ...]:
        return tuple(prefix for kind, plane in planes for prefix in kind.announced(network, plane, switch))

    underlay = among.fabrics[fabric.kind]
    for config in underlay.partial_configs(network, device, announced, drained=drained):
        yield Contribution(underlay.owner(fabric), device.name, config)
    for kind, plane in planes:
        owner = kind.owner(plane, fabric)
        for config in kind.partial_configs(network, plane, device):
            yield Contribution(owner, device.name, config)
