"""The planes told apart by tags, each with access lists of its own: on SVIs, subinterfaces and a trunk of both."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclRule, Direction, Family
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import tagged
from tests.unit.design.wanted_of import wanted_of

TRUNK: dict[str, Family] = {"storage": "ipv4", "business": "ipv6"}
"""The family that each plane filters on the trunk they share."""


def lists(plane: str) -> dict[str, AccessList]:
    """What a plane lets in from its hosts, and out to them."""
    net, prefix = tagged.POOLS[plane]["hosts"], plane.upper()
    inward = (
        AclRule(10, True, ICMP["ipv4"], icmp_type=3),
        AclRule(20, True, TCP, net, None, None, (443, 443)),
        AclRule(30, True, TCP, net, "192.0.2.7/32", (1024, 65535), (22, 22)),
        AclRule(40, True, UDP, None, None, (68, 68), (67, 67)),
        AclRule(50, True, 89, net),
        AclRule(1000, permit=False),
    )
    outward = (
        AclRule(10, True, ICMP["ipv4"]),
        AclRule(20, True, TCP, established=True),
        AclRule(30, True, UDP, None, net, (53, 53)),
        AclRule(1000, permit=False),
    )
    inward6 = (
        AclRule(10, True, ICMP["ipv6"]),
        AclRule(20, True, TCP, "2001:db8::/32", "2001:db8::7/128", None, (2049, 2049)),
        AclRule(1000, permit=False),
    )
    found = (
        AccessList(f"{prefix}-IN", "ipv4", inward),
        AccessList(f"{prefix}-OUT", "ipv4", outward),
        AccessList(f"{prefix}-IN6", "ipv6", inward6),
        AccessList(f"{prefix}-OUT6", "ipv6", (AclRule(10, True, ICMP["ipv6"]), AclRule(1000, permit=False))),
    )
    return {each.name: each for each in found}


Uses = dict[tuple[Family, Direction], str]


def uses(plane: str, device: Device) -> Uses:
    """The lists of a plane's routed ports: all that this switch can apply there."""
    prefix, known = plane.upper(), device.capabilities.acls
    all_of_them: Uses = {
        ("ipv4", "in"): f"{prefix}-IN",
        ("ipv4", "out"): f"{prefix}-OUT",
        ("ipv6", "in"): f"{prefix}-IN6",
        ("ipv6", "out"): f"{prefix}-OUT6",
    }
    places = known.places if known is not None else ()
    return {use: name for use, name in all_of_them.items() if f"routed {use[0]} {use[1]}" in places}


def _wanted(site: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    svi = device.capabilities.svi_prefix
    used = False
    for each in tagged.KIND.partial_configs(site, plane, device):
        ports = {}
        for name, port in (each.ports or {}).items():
            if name.startswith(svi) or port.tag is not None:
                ports[name] = replace(port, acls=uses(plane.name, device))
            elif port.tagged_vlans is not None:
                ports[name] = replace(port, acls=on_trunk(plane.name, device))
            else:
                ports[name] = port
        used = used or any(port.acls for port in ports.values())
        yield replace(each, ports=ports or None)
    if used:
        yield PartialConfig(access_lists=lists(plane.name))


def on_trunk(plane: str, device: Device) -> Uses:
    """The list of a plane on a trunk that it shares: of one family, as the other plane has the other."""
    family = TRUNK[plane]
    return {(family, "in"): uses(plane, device)[family, "in"]}


KIND = PlaneKind(tagged.KIND.owner, tagged.KIND.announced, _wanted)


def with_kinds() -> Kinds:
    """The kinds of the package and both of these."""
    return kinds().with_plane("storage", KIND).with_plane("business", KIND)


@cache
def realised(name: str, gone: str = "") -> Realised:
    """One switch with all three planes, but for one that is gone."""
    return device_config(tagged.tagged(gone), tagged.tagged(gone).device(name), among=with_kinds())


@cache
def part(name: str, *planes: str, gone: str = "") -> Wanted:
    """What is wanted of one switch for these planes; for all, if none is named."""
    return wanted_of(realised(name, gone), planes)
