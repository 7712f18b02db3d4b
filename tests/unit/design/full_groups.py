"""Planes with link aggregation groups, and on these and their SVIs all else: access lists, IPv6, redundant gateways."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import bundled, filtered
from tests.unit.design.wanted_of import wanted_of

NETS = {"storage": "2001:db8:34", "business": "2001:db8:35"}
DEVICES = bundled.DEVICES


def _owner(plane: Plane, fabric: Fabric) -> Owner:
    owner = bundled.KIND.owner(plane, fabric)
    return replace(owner, pools=(*owner.pools, f"{NETS[plane.name]}::/48"), has_gateways=True)


def _wanted(site: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    parts = [*bundled.KIND.partial_configs(site, plane, device)]
    for each in parts:
        ports = {name: _with_more(site, plane.name, device, name, port) for name, port in (each.ports or {}).items()}
        yield replace(each, ports=ports or None)
    if parts:
        yield PartialConfig(access_lists=filtered.lists(plane.name))


def _with_more(site: Network, plane: str, device: Device, name: str, port: PartialPort) -> PartialPort:
    number = [each.name for each in site.devices].index(device.name)
    known, net = device.capabilities, NETS[plane]
    if port.member_of is not None:
        return port
    if port.lag is None:
        gateway = Gateway(_last(bundled.POOLS[plane], number), f"{net}:{number:x}::fe", "00:1c:73:00:00:40", 64, 110)
        port = replace(port, gateway=gateway if known.has_gateways else None)
        return replace(port, acls=filtered.uses(plane, device), ipv6_address=f"{net}:{number:x}::1/64")
    if port.address is None:
        return replace(port, acls=filtered.on_trunk(plane, device))
    taken = known.acls.not_on_groups if known.acls is not None else frozenset()
    acls = {use: acl for use, acl in filtered.uses(plane, device).items() if " ".join(use) not in taken}
    return replace(port, acls=acls, ipv6_address=f"{net}:ff::/127")


def _last(pool: str, number: int) -> str:
    return pool.replace("0.0/16", f"{number}.254")


KIND = PlaneKind(_owner, lambda *_: (), _wanted)


def with_kinds() -> Kinds:
    """The kinds of the package and both of these."""
    return kinds().with_plane("storage", KIND).with_plane("business", KIND)


@cache
def realised(name: str) -> Realised:
    """One switch with all three planes."""
    return device_config(bundled.bundled(), bundled.bundled().device(name), among=with_kinds())


@cache
def part(name: str, *planes: str) -> Wanted:
    """What is wanted of one switch for these planes; for all, if none is named."""
    return wanted_of(realised(name), planes)
