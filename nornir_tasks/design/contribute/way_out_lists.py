"""The access lists of a way out: what goes there is the plane's own, and what comes from there is for it.

All planes of a fabric may share the routing in which the default route is. Hosts of another plane would leave the site
by it, to machines that need not filter: these lists keep them from it, whether or not a plane says what may pass.
"""

from collections.abc import Iterator

from nornir_tasks.design.config.access_lists import AccessList, AclRule, Direction, Family
from nornir_tasks.design.demand.flows import DIRECTIONS, FAMILIES, Terms, always, numbered, vlan_of
from nornir_tasks.design.demand.gateway_lists import Vlan, collapsed, of_switches
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.plane import Plane

TO_NEIGHBOURS: dict[Family, str] = {"ipv4": "224.0.0.0/24", "ipv6": "ff02::/16"}
"""Never forwarded (RFC 5771, section 4; RFC 4291, 2.7): VRRP of the machines, HSRP of the leaves."""


def lists_of_way_out(
    network: Network, plane: Plane, prefix: str, segment: Segment, known: Capabilities
) -> dict[tuple[Family, Direction], AccessList]:
    """Those of its VLAN on one leaf. ``prefix``: of the plane's names.

    IPv6 is on one pair alone; where a system has no list for it in one direction, it has none.
    """
    found: dict[tuple[Family, Direction], AccessList] = {}
    facts = known.acls
    if facts is None:
        return found
    terms = Terms(
        site={},
        has_dhcp=False,
        whole_icmp=frozenset(FAMILIES) - facts.icmp_types,
        takes_bridged=facts.svi_takes_bridged,
    )
    for family in FAMILIES:
        vlan = vlan_of(segment, family, terms)
        for direction in DIRECTIONS if vlan is not None else ():
            if vlan is None or (family == "ipv6" and f"routed {family} {direction}" not in facts.places):
                continue
            rules = [*always(family, direction, vlan, has_dhcp=False), *of_switches(vlan, direction)]
            rules += _of_plane(vlan, direction, _own(network, plane, family))
            name = f"{prefix}V{segment.vlan}-{direction}".upper() + ("-V6" if family == "ipv6" else "")
            found[family, direction] = AccessList(name, family, numbered(rules))
    return found


def _of_plane(vlan: Vlan, direction: Direction, own: tuple[str, ...]) -> Iterator[AclRule]:
    if direction == "in" or vlan.takes_bridged:
        yield AclRule(0, permit=True, source=vlan.subnet, destination=TO_NEIGHBOURS[vlan.family])
    for each in own:
        if direction == "in":
            yield AclRule(0, permit=True, destination=each)
        else:
            yield AclRule(0, permit=True, source=each)


def _own(network: Network, plane: Plane, family: Family) -> tuple[str, ...]:
    """All addresses of the plane, the way out's among them, as few prefixes as hold just these."""
    every = [*plane.pools.values(), *([] if plane.pool_v6 is None else [plane.pool_v6])]
    every += [each.subnet_v6 for each in network.segments if each.plane == plane.name and each.subnet_v6 is not None]
    return tuple(each for each in collapsed(every) if (":" in each) == (family == "ipv6"))
