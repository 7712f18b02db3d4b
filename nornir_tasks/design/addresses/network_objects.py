"""Fabrics and planes of the network as what was chosen says: plain data for all later steps."""

from collections.abc import Sequence
from fractions import Fraction

from nornir_tasks.design.addresses import bond_vlans
from nornir_tasks.design.addresses.addressing import Addressing
from nornir_tasks.design.addresses.prefix_limits import LeafPrefixes, announced
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.demand import flows, qos
from nornir_tasks.design.layout.sections import Section
from nornir_tasks.design.model.network import DRAIN_PREPEND, ROLES, Fabric, FabricPart
from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.intent.keys.bonded_plane import StormControlIntent


def fabric(parts: Sequence[Section], links: tuple[ClassPolicy, ...]) -> Fabric:
    """One fabric, from its sections. ``links``: how links between its switches treat the classes."""
    demand, layout = parts[0].demand, parts[0].layout
    intent, terms = demand.fabric, demand.terms
    switches = layout.all_leaves + layout.spines + layout.cores
    own = [each for each in parts if each.demand.has_leaves]
    above = (intent.spine, intent.core) if intent.core is not None else (intent.spine,)
    widest = max((each.layout for each in parts), key=lambda each: each.rails)
    return Fabric(
        name=demand.fabric_name,
        kind=intent.design,
        roles=ROLES,
        pools={"loopback": str(intent.pools.loopback), "links": str(intent.pools.links)},
        mtu_bytes=terms.fabric_mtu_bytes,
        classes=links,
        load_balancing=terms.load_balancing,
        shuts_unused=terms.policy.unused_ports == "shut",
        parts=tuple(_part(each) for each in parts),
        spines=layout.spines,
        cores=layout.cores,
        switches=switches,
        declared_oversubscription=tuple(tier.oversubscription for tier in above),
        capacity_after_loss=intent.spine.capacity_after_loss,
        max_paths=max(each.layout.most_uplinks() for each in parts),
        prefixes_from=announced(
            [LeafPrefixes(each.layout, 1 + each.demand.sharers + _vlans_more(each)) for each in own]
        ),
        bfd=intent.routing.bfd,
        password=None if intent.routing.password is None else placeholder(intent.routing.password.name),
        drain_prepend=DRAIN_PREPEND,
        rail_spine_group=tuple(widest.rail_group(_leaf_rail(widest, rail)) for rail in range(widest.rails)),
        vrf=parts[0].demand.plane.vrf,
        copies=layout.copies,
        copies_there=layout.copies_there,
        incast_ports=terms.policy.incast_ports,
        lossless_memory_percent=terms.policy.lossless_memory_percent,
        counters=terms.policy.telemetry is not None and terms.policy.telemetry.counters,
    )


def _vlans_more(section: Section) -> int:
    """What a leaf announces beside a subnet for each plane: of other groups on it, and the default route."""
    way = section.demand.way_out
    has_way = way is not None and (way.leaves_of or way.group) == section.demand.group
    return max(0, len(section.demand.guests) - 1) + has_way


def _part(section: Section) -> FabricPart:
    layout, demand = section.layout, section.demand
    down = layout.hosts_per_group * layout.nics_per_host * demand.nics.speed
    ratio = float(Fraction(down, layout.uplinks * layout.uplink_gbps))
    return FabricPart(demand.plane_name, demand.group, section.sizing, ratio)


def plane(parts: Sequence[Section], cuts: Sequence[Addressing], links: tuple[ClassPolicy, ...]) -> Plane:
    """One plane, from the sections that its hosts are on; ``cuts``: how the pools are divided in each copy."""
    demand, widest = parts[0].demand, max((each.layout for each in parts), key=lambda each: each.rails)
    rails, blocks = max(each.demand.nics.rails for each in parts), [cut.hosts[demand.plane_name].blocks for cut in cuts]
    profile, classes = qos.on_ports(demand.terms, links)
    return Plane(
        name=demand.plane_name,
        kind=demand.kind,
        fabric=demand.fabric_name,
        pools={"hosts": str(demand.plane.pools.hosts), **bond_vlans.subnets(demand)},
        host_block_length=blocks[0].length,
        rails=rails,
        rail_supernets=tuple(
            str(each.supernet(None if demand.is_bonded else _leaf_rail(widest, rail)))
            for each in blocks
            for rail in range(rails)
        ),
        copy_pools=tuple(str(each.pool) for each in blocks) if len(blocks) > 1 else (),
        mtu_bytes=demand.terms.host_mtu_bytes,
        host_vlan=demand.plane.host_vlan,
        is_bonded=demand.is_bonded,
        vlans=bond_vlans.of_plane(demand),
        allowed=flows.allowed(demand),
        entry=frozenset(demand.plane.entry),
        dhcp_servers=frozenset(map(str, demand.plane.dhcp_relay)),
        storm=_storm(demand.plane.storm_control),
        bonds=bond_vlans.bonds([each.demand for each in parts]),
        pool_v6=None if demand.plane.pools.hosts_v6 is None else str(demand.plane.pools.hosts_v6),
        vrf=demand.plane.vrf,
        profile=profile,
        classes=classes,
    )


def _storm(intended: StormControlIntent | None) -> StormControl | None:
    return None if intended is None else StormControl(**intended.model_dump())


def _leaf_rail(layout: Layout, rail: int) -> int | None:
    """The rail of the leaf that serves this rail; None where one leaf serves all."""
    return rail if layout.leaf_rails[0] is not None else None
