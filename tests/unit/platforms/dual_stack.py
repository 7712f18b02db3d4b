"""Random configurations with IPv6 on whatever is routed, and with static routes of all kinds in all their VRFs."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.model.device_config import DeviceConfig

POOL6 = "2001:db8::/40"
ROUTES = frozenset({"0.0.0.0/0", "::/0", "198.51.100.0/24", "2001:db8:ffff::/48"})
"""What the owner of these configurations declares."""

_PREFIXES = {
    4: ("0.0.0.0/0", "198.51.100.0/24", "10.168.0.0/24", "10.169.4.0/22"),
    6: ("::/0", "2001:db8:ffff::/48", "2001:db8:1::/64", "2001:db8:2::/47"),
}
_HOPS = {4: ("10.168.0.1", "10.168.7.9", "10.168.200.1"), 6: ("2001:db8::1", "2001:db8:0:1::2", "2001:db8::f")}
_TAGS = st.none() | st.sampled_from((1, 7, 4294967295))


def maybe_dual_stack(draw: st.DrawFn, config: DeviceConfig, service: str | None = None) -> DeviceConfig:
    """Some addresses and routes added; ``service``: what the OS must have on for IPv6, else each VRF routes both."""
    if not draw(st.booleans()):
        return config
    ports = tuple(_port(draw, number, port) for number, port in enumerate(config.interfaces))
    vrfs = tuple(Vrf(each.name, service is not None and draw(st.booleans())) for each in config.vrfs)
    services = (*config.services, service) if service is not None and draw(st.booleans()) else config.services
    routes = {each.key: each for each in config.static_routes}
    for vrf in (None, *(each.name for each in vrfs)):
        for route in draw(_ROUTES):
            routes[vrf, route.prefix] = replace(route, vrf=vrf)
    return replace(config, interfaces=ports, vrfs=vrfs, services=services, static_routes=tuple(routes.values()))


def _port(draw: st.DrawFn, number: int, port: Interface) -> Interface:
    if port.address is None or not draw(st.booleans()):
        return port
    length = draw(st.sampled_from((64, 127, 128)))
    return replace(port, ipv6_address=f"2001:db8:0:{number + 1:x}::{draw(st.sampled_from(('1', 'ab:2')))}/{length}")


def maybe_gateways(draw: st.DrawFn, config: DeviceConfig, svi: str, service: str | None = None) -> DeviceConfig:
    """Some SVIs with a redundant gateway, all with one MAC address, or with groups where they need a service."""
    mac = None if service else draw(st.sampled_from(("00:1c:73:00:00:99", "02:00:00:00:00:01")))
    ports = []
    for port in config.interfaces:
        four, six = draw(_GATEWAYS) if port.name.startswith(svi) else (None, None)
        made = Gateway(four, six, mac, *(draw(_ROLES) if service else ())) if four or six else None
        ports.append(port if made is None else replace(port, gateway=made))
    services = (*config.services, service) if service and any(each.gateway for each in ports) else config.services
    return replace(config, interfaces=tuple(ports), services=services)


_ROLES = st.tuples(st.integers(0, 4095), st.sampled_from((0, 100, 110, 255)), st.booleans())
_GATEWAYS = st.tuples(
    st.sampled_from((None, "10.168.4.254", "10.168.6.9")), st.sampled_from((None, "2001:db8:0:1::fe", "2001:db8::9"))
)


@st.composite
def _routes(draw: st.DrawFn) -> tuple[StaticRoute, ...]:
    found = []
    for version in (4, 6):
        for prefix in draw(st.sets(st.sampled_from(_PREFIXES[version]), max_size=2)):
            hops = tuple(draw(st.sets(st.sampled_from(_HOPS[version]), max_size=2)))
            found.append(StaticRoute(prefix, None, hops, draw(_TAGS)))
    return tuple(found)


_ROUTES = _routes()
