"""Single changes of a site that may open a way, or block one: access lists, VLANs, VRFs, routes, hosts that forward."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from tests.unit.proofs.random_sites import SPARE
from tests.unit.proofs.site_proved import Site

PORTS = (22, 67, 68, 111, 443, 623, 2049, 33434, 33523, 33524, 50000)

Mutation = Callable[[Random, Site], Site | None]
"""None: this site has nothing of the kind."""


# -- access lists ------------------------------------------------------------------------------------------------------


def lists(draw: Random, site: Site) -> tuple[str, str, tuple[AclRule, ...]]:
    device = draw.choice([name for name, each in site.configs.items() if each.access_lists])
    found = draw.choice([each for each in site.configs[device].access_lists if each.family == "ipv4"])
    return device, found.name, found.rules


def rule_added(draw: Random, site: Site) -> Site:
    device, name, rules = lists(draw, site)
    port = draw.choice(PORTS)
    kinds = (
        AclRule(1, permit=True),
        AclRule(1, True, 6, destination_ports=(port, port)),
        AclRule(1, True, 17, source_ports=(port, port)),
        AclRule(1, permit=False, protocol=draw.choice((6, 17))),
        AclRule(1, False, 6, destination_ports=(port, port)),
    )
    return site.with_rules(device, name, (draw.choice(kinds), *rules))


def rule_widened(draw: Random, site: Site) -> Site:
    device, name, rules = lists(draw, site)
    victim = draw.choice([each for each in rules if each.permit])
    wide = replace(victim, **draw.choice(WIDER))
    return site.with_rules(device, name, tuple(wide if each is victim else each for each in rules))


WIDER: tuple[dict[str, bool | None], ...] = (
    {"source": None},
    {"destination": None},
    {"source_ports": None, "destination_ports": None},
    {"established": False},
    {"protocol": None, "source_ports": None, "destination_ports": None, "established": False, "icmp_type": None},
)


def rule_gone(draw: Random, site: Site) -> Site:
    device, name, rules = lists(draw, site)
    victim = draw.choice(rules)
    return site.with_rules(device, name, tuple(each for each in rules if each is not victim))


def list_unbound(draw: Random, site: Site) -> Site:
    device, port = draw.choice([(name, each) for name, each in site.ports() if each.acls])
    victim = draw.choice(port.acls)
    return site.with_port(device, port.name, acls=tuple(each for each in port.acls if each is not victim))


def every_list_of_a_direction_open(draw: Random, site: Site) -> Site:
    """What a script does that was run on all leaves."""
    ending = draw.choice(("-IN", "-OUT"))
    for name, each in site.configs.items():
        opened = (
            replace(one, rules=(AclRule(1, permit=True),)) if one.name.endswith(ending) else one
            for one in each.access_lists
        )
        site = site.with_device(name, access_lists=tuple(opened))
    return site


# -- VLANs -------------------------------------------------------------------------------------------------------------


def other_vlan(draw: Random, site: Site) -> Site:
    """A host's group in another VLAN of its pair; on a trunk one VLAN more."""
    groups = [(name, each) for name, each in site.ports() if each.lag is not None and each.lag.pair_id is not None]
    device, port = draw.choice(groups)
    vlan = draw.choice([each.number for each in site.configs[device].vlans])
    if port.tagged_vlans is not None:
        return site.with_port(device, port.name, tagged_vlans=tuple(sorted({*port.tagged_vlans, vlan})))
    return site.with_port(device, port.name, access_vlan=vlan)


def vlan_without_lists(draw: Random, site: Site) -> Site | None:
    """A host's group in a VLAN that somebody made for a test, with a gateway that filters nothing."""
    groups = [(name, each) for name, each in site.ports() if each.access_vlan and each.lag is not None]
    if not groups:
        return None
    device, port = draw.choice(groups)
    svi = gateway(site, device, 1001, "10.199.0.1/24")
    return site.with_port(device, port.name, access_vlan=1001).with_ports(device, svi)


def vlan_over_the_fabric(draw: Random, site: Site) -> Site:
    """Uplinks of two leaves and the spine between them switched: one VLAN on both, under its own number at each."""
    spine = draw.choice([each.name for each in site.network.devices if each.fabric == "front" and each.role == "spine"])
    links = [each for each in site.network.links_of(spine) if each.upper.device == spine]
    for link in draw.sample(links, 2):
        leaf = link.lower.device
        vlan = draw.choice(vlans_of(site, leaf))
        site = switched(site, leaf, link.lower.port, vlan)
        site = switched(site, spine, link.upper.port, 1002)
    return site


def uplink_in_a_vlan(draw: Random, site: Site) -> Site:
    """The leaf's end of an uplink is switched: its spine hears the hosts, and routes for whoever asks it to."""
    link = draw.choice([each for each in site.network.links if each.kind == "fabric" and not each.name.startswith(SPARE)
                        and vlans_of(site, each.lower.device)])  # fmt: skip
    return switched(site, link.lower.device, link.lower.port, draw.choice(vlans_of(site, link.lower.device)))


def switched(site: Site, device: str, port: str, vlan: int) -> Site:
    return site.with_ports(device, Interface(port, None, None, 9214, True, None, access_vlan=vlan))


def vlans_of(site: Site, device: str) -> list[int]:
    """The VLANs of hosts on a leaf."""
    return sorted({each.vlan for each in site.network.segments if device in dict(each.leaves)})


# -- VRFs, routes, fabrics joined --------------------------------------------------------------------------------------


def routed_in(site: Site, device: str) -> str | None:
    """The VRF in which a switch routes its hosts: where its loopback is."""
    loopbacks = (each for each in site.configs[device].interfaces if each.name.lower() in ("lo", "loopback0"))
    return next(loopbacks).vrf


def other_vrf(draw: Random, site: Site) -> Site:
    """A gateway of hosts, or an uplink, in another VRF."""
    ports = [(name, each) for name, each in site.ports() if each.address and each.enabled]
    device, port = draw.choice(ports)
    return site.with_port(device, port.name, vrf=None if port.vrf is not None else "TEST")


def network_gone(draw: Random, site: Site) -> Site:
    device = draw.choice([name for name in site.configs if "leaf" in name])
    bgp = site.configs[device].bgp
    assert bgp is not None
    if bgp.networks:
        victim = draw.choice(bgp.networks)
        return site.with_device(device, bgp=replace(bgp, networks=tuple(e for e in bgp.networks if e != victim)))
    vrf = draw.choice(bgp.vrfs)
    less = replace(vrf, networks=tuple(e for e in vrf.networks if e != draw.choice(vrf.networks)))
    return site.with_device(device, bgp=replace(bgp, vrfs=tuple(less if e is vrf else e for e in bgp.vrfs)))


Ends = tuple[tuple[str, str], tuple[str, str]]


def spare(draw: Random, site: Site) -> Ends | None:
    """Both ends of a cable between two fabrics: (front leaf, port), (leaf of the other, port)."""
    links = [each for each in site.network.links if each.name.startswith(SPARE)]
    link = draw.choice(links) if links else None
    return None if link is None else ((link.upper.device, link.upper.port), (link.lower.device, link.lower.port))


ADDRESSES = ("10.198.0.0", "10.198.0.1")


def routed(site: Site, ends: Ends) -> Site:
    """The cable between both fabrics with addresses at both ends, in the VRF in which each routes its hosts."""
    for (device, port), address in zip(ends, ADDRESSES, strict=True):
        made = Interface(port, None, f"{address}/31", 9000, True, None, vrf=routed_in(site, device))
        site = site.with_ports(device, made)
    return site


def static_routes_between_fabrics(draw: Random, site: Site) -> Site | None:
    """One leaf sends what it has no route to, or a part of it, over to the other fabric."""
    if (ends := spare(draw, site)) is None:
        return None
    (device, _), hop = draw.choice(((ends[0], ADDRESSES[1]), (ends[1], ADDRESSES[0])))
    prefix = draw.choice(("0.0.0.0/0", "10.128.0.0/9", "10.171.1.0/24", "10.171.1.0/25", "10.168.0.0/15"))
    route, made = StaticRoute(prefix, routed_in(site, device), (hop,)), routed(site, ends)
    return made.with_device(device, static_routes=(*made.configs[device].static_routes, route))


def session_between_fabrics(draw: Random, site: Site) -> Site | None:
    """A session between leaves of both, without lists, each end in its own VRF."""
    ends = spare(draw, site)
    return None if ends is None else with_session(routed(site, ends), ends)


def with_session(made: Site, ends: Ends) -> Site:
    for number, (device, _) in enumerate(ends):
        bgp, far = made.configs[device].bgp, made.configs[ends[1 - number][0]].bgp
        assert bgp is not None
        assert far is not None
        group = replace(bgp.peer_groups[0], name="TEST", route_map_in=None, route_map_out=None)
        neighbor = Neighbor(ADDRESSES[1 - number], far.asn, "TEST", "test", vrf=routed_in(made, device))
        more = replace(bgp, peer_groups=(*bgp.peer_groups, group), neighbors=(*bgp.neighbors, neighbor))
        made = made.with_device(device, bgp=more)
    return made


def vlan_between_fabrics(draw: Random, site: Site) -> Site | None:
    """A VLAN of hosts of the front fabric on a leaf of another: on a port there, or with a gateway."""
    if (ends := spare(draw, site)) is None:
        return None
    (one, port), (other, far) = ends
    site = switched(switched(site, one, port, draw.choice(vlans_of(site, one))), other, far, 1003)
    if draw.random() < 0.5:
        return site.with_ports(other, gateway(site, other, 1003, "10.197.0.1/24"))
    hosts = [each for each in site.network.links_of(other) if each.kind == "host" and each.upper.device == other]
    return switched(site, other, draw.choice(hosts).upper.port, 1003)


def gateway(site: Site, device: str, vlan: int, address: str) -> Interface:
    """An SVI without lists, where a switch routes its hosts."""
    name = f"{'v' if site.configs[device].os == 'nvue' else 'V'}lan{vlan}"
    return Interface(name, None, address, 9000, True, None, vrf=routed_in(site, device))


# -- out of band -------------------------------------------------------------------------------------------------------


def management_among_the_ports(draw: Random, site: Site) -> Site | None:
    """The management port of a switch in the VRF in which it routes hosts, or other switches."""
    if not site.network.management:
        return None
    device = draw.choice(sorted(site.network.management))
    name = next(each.port for each in site.network.attached if each.host == device)
    return site.with_port(device, name, vrf=routed_in(site, device))


def management_port_with_its_route(draw: Random, site: Site) -> Site | None:
    """The same with its default route: the switch hands on what it knows no other way for."""
    if not site.network.management:
        return None
    device = draw.choice(sorted(site.network.management))
    name, vrf = next(each.port for each in site.network.attached if each.host == device), routed_in(site, device)
    was = site.port(device, name).vrf
    routes = tuple(replace(e, vrf=vrf) if e.vrf == was else e for e in site.configs[device].static_routes)
    return site.with_port(device, name, vrf=vrf).with_device(device, static_routes=routes)


def bmc_shares_a_port(draw: Random, site: Site) -> Site | None:
    """NC-SI: the BMC of a host is on a port that its host uses."""
    if "oob" not in site.network.planes:
        return None
    own = [each for each in site.attached if each.host in site.network.hosts and each.tag is None]
    at = draw.choice([each for each in own if each.plane in ("storage", "business")])
    return replace(site, shared_bmcs={at.host: at.plane}, before=site)


def another_vlan_out_of_band(draw: Random, site: Site) -> Site | None:
    """The port of a device in a VLAN that somebody made for a test, with a gateway that filters nothing."""
    if "oob" not in site.network.planes:
        return None
    at = draw.choice([each for each in site.attached if each.plane == "oob"])
    made = gateway(site, at.leaf, 1004, "10.196.0.1/24")
    return switched(site, at.leaf, at.port, 1004).with_ports(at.leaf, made)


def networks_of_another_vrf(draw: Random, site: Site) -> Site | None:
    """What a leaf announces in its VRF it announces in another one."""
    leaves = [name for name, each in site.configs.items() if each.bgp is not None and each.bgp.vrfs and "leaf" in name]
    if not leaves:
        return None
    device = draw.choice(leaves)
    bgp = site.configs[device].bgp
    assert bgp is not None
    vrf: BgpVrf = bgp.vrfs[0]
    moved: Bgp = replace(bgp, networks=vrf.networks, vrfs=(replace(vrf, networks=()),))
    return site.with_device(device, bgp=moved)


# -- hosts -------------------------------------------------------------------------------------------------------------


def hosts_forward(draw: Random, site: Site) -> Site:
    planes = sorted(site.guarded["gpu"])
    return site.guarding({"gpu": frozenset(draw.sample(planes, draw.randint(0, len(planes) - 1)))})


MUTATIONS: tuple[Mutation, ...] = (
    rule_added, rule_widened, rule_gone, list_unbound, every_list_of_a_direction_open, other_vlan, vlan_without_lists,
    vlan_over_the_fabric, uplink_in_a_vlan, other_vrf, network_gone, static_routes_between_fabrics,
    session_between_fabrics, vlan_between_fabrics, networks_of_another_vrf, management_among_the_ports,
    management_port_with_its_route, bmc_shares_a_port, another_vlan_out_of_band, hosts_forward,
)  # fmt: skip


def mutants(draw: Random, site: Site) -> Iterator[tuple[str, Site]]:
    """Without end: the name of a change, and the site with it."""
    while True:
        mutation = draw.choice(MUTATIONS)
        if (made := mutation(draw, site)) is not None:
            yield mutation.__name__, made
