"""From intent to fabric to one configuration per switch: the table of contents of the design.

choose        which model, OS and release each switch is      choices.py
lay_out       the cheapest number of switches and links       topology.py
check_limits  what no switch may exceed                       limits.py, buffers.py, overrides.py
cable_up      which port is joined to which                   cabling.py
check_racks   what stands in a rack is there                  racks.py
number        ASNs                                            asn.py
cut_pools, address_devices   pools, loopbacks, blocks         addressing.py
run_over      what runs over each link: addresses and MTU     circuits.py
contributions what each plane wants of a switch               planes/<plane>.py
merge         joined; a clash is an error                     merge.py
realise       what OS and ASIC will hold                      realise.py

Steps that do not need one another are all tried before anything is refused (gather.py).
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import Protocol

from nornir_tasks.design import addressing, asn, front_panel
from nornir_tasks.design.cabling import FABRIC, Cabling, cable_up
from nornir_tasks.design.capabilities import OsFacts
from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.choices import Choices, choose
from nornir_tasks.design.circuits import Circuits
from nornir_tasks.design.claims import Claims, PlaneClaim
from nornir_tasks.design.fabric import Circuit, Device, Fabric, Plane
from nornir_tasks.design.gather import Gathering
from nornir_tasks.design.joints import Joints, join
from nornir_tasks.design.layout import Layout, Sizing
from nornir_tasks.design.limits import check_limits
from nornir_tasks.design.merge import Contribution, assemble, merge
from nornir_tasks.design.planes import compute
from nornir_tasks.design.racks import check_racks
from nornir_tasks.design.realise import Adjustment, Realised, realise
from nornir_tasks.design.topology import lay_out
from nornir_tasks.errors import Problem
from nornir_tasks.intent.model import Intent
from nornir_tasks.intent.unknown import UnknownValueError

__all__ = ["Adjustment", "Realised", "design", "device_config", "device_configs"]

PLANE = "compute"

DRAIN_PREPEND = 3
"""A path through a drained switch is this much longer: more than any detour in a fabric of three tiers is."""


class PlaneContributions(Protocol):
    """What ``planes/<plane>.py`` offers."""

    def __call__(self, fabric: Fabric, device: Device, *, drained: bool) -> Iterator[Contribution]:
        """Everything the plane wants of one switch."""


PLANES: Mapping[str, PlaneContributions] = {"compute": compute.contributions}


def design(intent: Intent, catalogue: Catalogue, os_facts: Mapping[str, OsFacts]) -> Fabric:
    """The fabric that the intent asks for.

    Raises IntentError for what the catalogue or the capabilities do not know, DesignError for what cannot be built;
    both carry everything found in their step.
    """
    choices = choose(intent, catalogue, os_facts)
    sizing = lay_out(intent, choices)
    layout = sizing.chosen.layout
    joints, cut = _checked(intent, choices, layout, os_facts)
    cabling = cable_up(choices, layout, os_facts, joints)
    check_racks(intent, {each.name for each in cabling.devices}, {nic.host for nic in cabling.nics})
    devices = asn.number(cabling.devices, intent, layout)
    devices = addressing.address_devices(devices, choices.plane.pools.loopback, cut)
    circuits = tuple(_circuits(intent, cut, cabling, devices))
    plane = _plane(intent, sizing, cut)
    models = {choice.model.model: choice.model for choice in choices.all}
    links, cables, nics = cabling.links, cabling.cables, cabling.nics
    return Fabric(intent, os_facts, {PLANE: plane}, devices, links, circuits, cables, nics, models)


def _circuits(
    intent: Intent, cut: addressing.Addressing, cabling: Cabling, devices: tuple[Device, ...]
) -> Iterator[Circuit]:
    compute = intent.planes.compute
    makes = Circuits(cut, {each.name: each for each in devices}, intent.policy.mtu.fabric)
    between_switches = (link for link in cabling.links if link.kind == "fabric")
    is_numbered = compute.routing.addressing == "numbered"
    yield from makes.of_fabric(FABRIC, between_switches, is_numbered=is_numbered)
    yield from makes.of_hosts(PLANE, cabling.nics, compute.hosts.prefix_length)


def mistakes(intent: Intent, catalogue: Catalogue, os_facts: Mapping[str, OsFacts]) -> tuple[Problem, ...]:
    """Everything that stands against this intent, as far as an intent with unknown values can be judged."""
    gathering = Gathering()
    choices = gathering.attempt(lambda: choose(intent, catalogue, os_facts))
    sizing = gathering.attempt(lambda: lay_out(intent, choices)) if choices is not None else None
    if choices is not None and sizing is not None:
        gathering.attempt(lambda: _checked(intent, choices, sizing.chosen.layout, os_facts))
    return tuple(gathering.problems)


def _checked(
    intent: Intent, choices: Choices, layout: Layout, os_facts: Mapping[str, OsFacts]
) -> tuple[Joints, addressing.Addressing]:
    """How cables join their ends and how pools are cut. Raises DesignError with all that speaks against the layout."""
    gathering = Gathering()
    core_gbps = layout.pods.core_gbps if layout.pods else None
    gathering.attempt(lambda: check_limits(intent, choices, layout, os_facts))
    joints = gathering.attempt(lambda: join(intent, choices, layout.uplink_gbps, core_gbps))
    cut = gathering.attempt(lambda: addressing.cut_pools(intent, choices, layout))
    gathering.attempt(lambda: asn.check_pool(intent, layout))
    gathering.refuse()
    if joints is None or cut is None:
        raise UnknownValueError  # never in an intent without mistakes
    return joints, cut


def _plane(intent: Intent, sizing: Sizing, cut: addressing.Addressing) -> Plane:
    asked, layout = intent.planes.compute, sizing.chosen.layout
    leaves = layout.leaves
    down = layout.hosts_per_group * layout.nics_per_host * asked.hosts.speed
    return Plane(
        name=PLANE,
        pools={
            "loopback": str(asked.pools.loopback),
            "links": str(asked.pools.links),
            "hosts": str(asked.pools.hosts),
        },
        host_block_length=cut.hosts.length,
        rail_supernets=tuple(
            str(cut.hosts.supernet(rail if layout.leaf_rails[0] is not None else None)) for rail in range(layout.rails)
        ),
        rails=layout.rails,
        mtu_bytes=intent.policy.mtu.host,
        leaf_groups=layout.leaf_groups,
        hosts_per_group=layout.hosts_per_group,
        uplinks=layout.uplinks,
        spines=layout.spines,
        oversubscription=float(Fraction(down, layout.uplinks * layout.uplink_gbps)),
        # Two prefixes of each leaf, one of each spine, and half as much again for a drain or a growth under way.
        max_prefixes=ceil(2 * (leaves + layout.spines + layout.cores) * 1.5),
        bfd=asked.routing.bfd,
        drain_prepend=DRAIN_PREPEND,
        rail_spine_group=tuple(
            layout.rail_group(rail if layout.leaf_rails[0] is not None else None) for rail in range(layout.rails)
        ),
        cores=layout.cores,
        switches=leaves + layout.spines + layout.cores,
        max_paths=layout.most_uplinks(),
        sizing=sizing,
    )


def device_configs(
    fabric: Fabric,
    *,
    drained: Collection[str] = (),
    planes: Mapping[str, PlaneContributions] = PLANES,
) -> Iterator[Realised]:
    """Every switch's configuration, one at a time, in the order of declared identity.

    ``drained`` names switches whose route maps make every path through them longer.
    """
    for device in fabric.devices:
        yield device_config(fabric, device, drained=device.name in drained, planes=planes)


def device_config(
    fabric: Fabric,
    device: Device,
    *,
    drained: bool = False,
    planes: Mapping[str, PlaneContributions] = PLANES,
) -> Realised:
    """One switch's configuration as its OS will hold it."""
    pieces = [piece for contribute in planes.values() for piece in contribute(fabric, device, drained=drained)]
    cabled = {piece.key for piece in pieces if piece.section == "interfaces"}
    pieces += front_panel.contributions(fabric, device, cabled)
    wish = assemble(device.name, merge(device.name, pieces))
    facts = fabric.facts[device.os]
    return realise(wish, device, facts, claims_on(fabric, device), fabric.intent.policy.mtu.fabric)


def claims_on(fabric: Fabric, device: Device) -> Claims:
    """What each plane may call its own on one switch: its cabled ports and loopback, its pools, its names."""
    ports = {each.link.end(device.name).port for each in fabric.circuits_of(device.name)}
    ports.add(device.capabilities.loopback_name)
    plane = fabric.planes[device.plane]
    spare = front_panel.spare_ports(fabric, device)
    vlans = frozenset(each.number for each in compute.vlans(fabric, device))
    return Claims((PlaneClaim(plane.name, frozenset(ports), tuple(plane.pools.values()), vlans),), frozenset(spare))
