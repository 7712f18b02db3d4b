"""What the lab has at the far ends of edge routers' links: firewalls, and upstreams' routers that speak BGP."""

from collections.abc import Iterator

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary import ANY
from nornir_tasks.design.model.edge_policy import OutsideLink, family_of
from nornir_tasks.design.model.links import Link
from nornir_tasks.intent.rules.edge import LONGEST
from nornir_tasks.lab.plan import LabHost, LabHostEnd, LabSpeaker
from nornir_tasks.usecases.site import SiteDesign


def beyond(design: SiteDesign, link: Link) -> LabHost:
    """What stands at the far end of an edge router's link: a firewall, or an upstream's router that speaks BGP."""
    network = design.network
    edge, near = network.edge, link.upper if link.upper.device in network else link.lower
    far, switch = link.far(near.device), (near.device, near.port)
    mtu_bytes = network.fabrics[link.fabric].mtu_bytes
    outside = next((each for each in edge.outside_links if each.name == far.device), None) if edge else None
    if edge is None or outside is None:
        addresses = tuple(_length_of(each.firewalls, each.subnet) for each in edge.inside_links) if edge else ()
        return LabHost(far.device, far.port, switch, mtu_bytes, link.name, end=LabHostEnd(addresses=addresses))
    addresses = tuple(_length_of(each.peer, each.address) for each in outside.sessions)
    peers = tuple((each.address.partition("/")[0], edge.asn) for each in outside.sessions)
    families = {each.family for each in outside.sessions}
    announces = tuple(prefix for family, prefix in _announced(design, outside) if family in families)
    signs = any(each.password or each.ao for each in outside.sessions)
    speaks, end = LabSpeaker(outside.asn, peers, announces, signs), LabHostEnd(addresses=addresses)
    return LabHost(far.device, far.port, switch, mtu_bytes, link.name, end=end, speaks=speaks)


def _announced(design: SiteDesign, link: OutsideLink) -> Iterator[tuple[Family, str]]:
    """What an upstream announces: the default route; where more is taken, the networks outside that the intent names.

    A network longer than others take from one another is part of one that they take.
    """
    yield from ANY.items()
    boundary = design.site.intent.boundary
    for each in (one for named in boundary.networks.values() for one in named) if boundary is not None else ():
        if link.takes == "partial":
            whole = each.supernet(new_prefix=min(each.prefixlen, LONGEST[each.version]))
            yield family_of(str(whole)), str(whole)


def _length_of(address: str, prefix: str) -> str:
    """An address with the length of a prefix."""
    return f"{address}/{prefix.partition('/')[2]}"
