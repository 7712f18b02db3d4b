"""The lab with a second plane that has IPv6 beside IPv4, static routes to next hops and DHCP relays, on every switch.

In a VRF of its own it has the default routes; in the default VRF routes to prefixes that are nobody's pools.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.demand.kinds import Kinds, PlaneKind
from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design.toys import ONE_OF_EACH, with_kind, with_storage
from tests.unit.design.wanted_of import wanted_of

VRF = "STORAGE"
POOL6 = "2001:db8:32::/48"
VLAN = 640
DEFAULTS = frozenset({"0.0.0.0/0", "::/0"})
SERVERS: dict[Family, str] = {"ipv4": "192.0.2.53", "ipv6": "2001:DB8:FFFF::53"}
ELSEWHERE = frozenset({"198.51.100.0/24", "2001:db8:ffff::/48"})
DEVICES = {**ONE_OF_EACH, "nvue-5.14": "spine-2"}


def owner(plane: Plane, fabric: Fabric) -> Owner:
    routes = DEFAULTS if plane.vrf else ELSEWHERE
    pools = (plane.pools["hosts"], POOL6)
    made = Owner(plane.name, "plane", "STORAGE-", pools, frozenset({VLAN}), plane.vrf, routes=routes)
    return replace(made, has_gateways=True, has_dhcp_relay=True)


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    """A host's port, on leaves an SVI, discard routes of both families, and routes out."""
    (circuit,) = (each for each in network.circuits_of(device.name) if each.owner == plane.name)
    number, vrf = int(str(circuit.upper_address).split(".")[2]), plane.vrf
    net = f"2001:DB8:32:{16 + number:04X}"  # as no switch prints it
    port = PartialPort(address=f"{circuit.upper_address}/31", ipv6_address=f"{net}:0::/127", mtu_bytes=9000, vrf=vrf)
    ports = {circuit.link.upper.port: port}
    svi = PartialPort(
        enabled=True,
        address=f"10.32.{100 + number}.1/24",
        ipv6_address=f"{net}:64::1/64",
        mtu_bytes=9000,
        vrf=vrf,
        gateway=_gateway(device, number, net),
        dhcp_servers=frozenset(SERVERS[family] for family in device.capabilities.dhcp_relay),
    )
    if device.level == 0:
        ports[f"{device.capabilities.svi_prefix}{VLAN}"] = svi
        yield PartialConfig(vlans={VLAN: Vlan(VLAN, "STORAGE-HOSTS")})
    four, six = sorted(DEFAULTS if vrf else ELSEWHERE)
    routes = (
        StaticRoute(f"10.32.{number}.0/24", vrf),
        StaticRoute(f"{net}::/64", vrf),
        StaticRoute(four, vrf, (str(circuit.lower_address),), tag=7),
        StaticRoute(six, vrf, (f"{net}:64::3", f"{net}:64::2")),
    )
    yield PartialConfig(
        ports=ports,
        profiles=plane.profiles,
        static_routes={each.key: each for each in routes},
        vrfs=None if vrf is None else {vrf: PartialVrf()},
    )


def _gateway(device: Device, number: int, net: str) -> Gateway | None:
    """That of the SVI, where its OS has lines for it."""
    if not device.capabilities.has_gateways:
        return None
    return Gateway(f"10.32.{100 + number}.254", f"{net}:64::FE", "00:1C:73:00:00:40", 64, 110, preempt=True)


DUAL_STACK = PlaneKind(owner, lambda *_: (), partial_configs)


def among() -> Kinds:
    """The kinds of the package, and this one."""
    return with_kind(DUAL_STACK)


@cache
def realised(name: str, vrf: str | None = None) -> Realised:
    """One switch of the lab with both planes."""
    return device_config(with_storage(vrf), with_storage(vrf).device(name), among=among())


@cache
def both(name: str, *planes: str, vrf: str | None = None) -> Wanted:
    """What one switch shall hold of these planes; of all, if none is named."""
    return wanted_of(realised(name, vrf), planes)
