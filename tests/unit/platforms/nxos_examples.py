"""Hand-made NX-OS switches: leaves and a spine as ``realise`` would hand them over, and the claims on them."""

from dataclasses import replace
from pathlib import Path

import jinja2
from hypothesis import strategies as st

from nornir_tasks.design.config.bgp import Bfd, Bgp, Neighbor, PeerGroup
from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1, Lldp
from nornir_tasks.design.config.lag import LacpRate, Lag, LagMember
from nornir_tasks.design.config.load_balancing import Hashing
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMap, RouteMapRule, RoutingPolicy
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Claim, Claims, Owner
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.nxos.capabilities import WATCHDOG, capabilities
from nornir_tasks.render.render import render
from tests.unit.platforms.base_drawn import sections_of
from tests.unit.platforms.dual_stack import POOL6, ROUTES

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "tests" / "corpus" / "nxos"
FACTS: Capabilities = capabilities("10.4(3)", "cloudscale-gx2")
PROFILE = FACTS.queue_profile_name
MODEL = "N9K-C9332D-GX2B"


def environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ROOT / "templates" / "nxos"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters.update(PLATFORM.template_filters)
    return made


ENVIRONMENT = environment()


def rendered(config: DeviceConfig) -> str:
    return render(config, FACTS, ENVIRONMENT)


def qos() -> Qos:
    named = {26: 3, 48: 7, 56: 7}
    points: dict[int, list[int]] = {0: [], 3: [], 7: []}
    for dscp in range(64):
        points[named.get(dscp, 0)].append(dscp)
    return Qos(
        classes=tuple(
            TrafficClass(priority, tuple(value), priority, lossless=priority == 3) for priority, value in points.items()
        ),
        profiles=(
            PortProfile(
                name=PROFILE,
                pfc_priorities=(3,),
                watchdog=True,
                queues=(
                    Queue(0, strict=False, weight_percent=40, ecn=None),
                    Queue(3, strict=False, weight_percent=60, ecn=Ecn(950_000, 3_000_000, 7)),
                    Queue(7, strict=True, weight_percent=None, ecn=None),
                ),
            ),
        ),
        watchdog=WATCHDOG,
        lossless_mtu_bytes=9216,
    )


def group(name: str, *, route_map_in: str | None, bfd: bool = True) -> PeerGroup:
    return PeerGroup(
        name=name,
        keepalive_s=3,
        hold_s=9,
        connect_retry_s=10,
        advertisement_interval_s=None,
        bfd=bfd,
        ttl_security=True,
        send_community=True,
        max_prefixes=36,
        prefix_restart_min=5,
        route_map_in=route_map_in,
        route_map_out="COMPUTE-OUT",
    )


def _port(number: int, address: str, description: str, mtu: int = 9216) -> Interface:
    return Interface(f"Ethernet1/{number}", description, address, mtu, enabled=True, qos_profile=PROFILE)


def leaf(hosts: int = 4, uplinks: int = 2) -> DeviceConfig:
    ports = [_port(n + 1, f"10.168.0.{2 * n}/31", f"gpu-{n} rail0", 9000) for n in range(hosts)]
    ports += [_port(33 + n, f"10.160.0.{2 * n + 1}/31", f"spine-{n} swp1") for n in range(uplinks)]
    neighbors = tuple(Neighbor(f"10.160.0.{2 * n}", 4200000000, "COMPUTE-SPINES", f"spine-{n}") for n in range(uplinks))
    return DeviceConfig(
        name="leaf-g0-r1",
        os="nxos",
        release="10.4(3)",
        model=MODEL,
        asic="cloudscale-gx2",
        services=("bfd", "bgp"),
        hashing=Hashing(seed=1002),
        lldp=Lldp(enabled=True),
        qos=qos(),
        bfd=Bfd(300, 300, 3),
        interfaces=(*ports, Interface("loopback0", "router-id", "10.255.0.2/32", None, True, None)),
        routing_policy=RoutingPolicy(
            prefix_lists=(
                PrefixList("COMPUTE-ANY", (PrefixRule(10, True, "0.0.0.0/0", le=32),)),
                PrefixList(
                    "COMPUTE-OWN", (PrefixRule(10, True, "10.168.0.0/24"), PrefixRule(20, True, "10.255.0.2/32"))
                ),
            ),
            route_maps=(
                RouteMap("COMPUTE-IN", (RouteMapRule(10, True, "COMPUTE-ANY"),)),
                RouteMap(
                    "COMPUTE-OUT",
                    (RouteMapRule(10, True, "COMPUTE-OWN", (4200000002, 4200000002), ("65535:0",)),),
                ),
            ),
        ),
        static_routes=(StaticRoute("10.168.0.0/24"),),
        bgp=Bgp(
            asn=4200000002,
            router_id="10.255.0.2",
            maximum_paths=16,
            multipath_relax=True,
            graceful_restart_helper_only=True,
            log_neighbor_changes=True,
            networks=("10.168.0.0/24", "10.255.0.2/32"),
            peer_groups=(group("COMPUTE-SPINES", route_map_in="COMPUTE-IN"),),
            neighbors=neighbors,
        ),
    )


UNUSED = frozenset({"Ethernet1/2/4", "Ethernet1/4", "Ethernet1/32"})


def split_leaf() -> DeviceConfig:
    """Cages whole, in two and in four; every kind of error correction; three ports kept shut."""
    base = leaf(6, 2)
    layers = {
        "Ethernet1/1/1": Layer1(200, None, "rs", negotiate=False),
        "Ethernet1/1/2": Layer1(200, None, "rs", negotiate=False),
        "Ethernet1/2/1": Layer1(100, None, "rs", negotiate=True),
        "Ethernet1/2/2": Layer1(100, None, "fc", negotiate=True),
        "Ethernet1/2/3": Layer1(100, None, "none", negotiate=True),
        "Ethernet1/3": Layer1(400, None, "rs", negotiate=False),
        "Ethernet1/30": Layer1(400, None, "rs", negotiate=False),
        "Ethernet1/31/1": Layer1(200, None, "rs", negotiate=False),
    }
    *used, loopback = base.interfaces
    ports = [replace(port, name=name, layer1=value) for port, (name, value) in zip(used, layers.items(), strict=True)]
    shut = [Interface(name, None, None, None, enabled=False, qos_profile=None) for name in UNUSED | {"Ethernet1/31/2"}]
    config = replace(
        base,
        name="leaf-g0-r6",
        breakouts=(Breakout(1, 2, 200), Breakout(2, 4, 100), Breakout(31, 2, 200)),
        interfaces=(*ports, *shut, loopback),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def bundled(port: Interface, number: int, lag: Lag, rate: LacpRate) -> tuple[Interface, Interface]:
    """The group that takes on what the port is, and the port as its member."""
    group = replace(port, name=f"port-channel{number}", layer1=None, lag=lag)
    member = LagMember(group.name, rate)
    return group, replace(port, address=None, vrf=None, edge=False, storm=None, member=member)


@st.composite
def lags(draw: st.DrawFn, port: Interface) -> tuple[Lag, LacpRate]:
    individual = port.access_vlan is not None and draw(st.booleans())
    is_switched = port.access_vlan is not None or port.tagged_vlans is not None
    pair_id = draw(st.none() | st.integers(1, 16384)) if is_switched else None
    return Lag(None, individual, None, draw(st.integers(1, 32)), pair_id), draw(st.sampled_from(("fast", "slow")))


def bundled_leaf() -> DeviceConfig:
    """A leaf with a routed group and one in a VLAN whose host boots by PXE."""
    base = leaf()
    routed, boots, *others = base.interfaces
    boots = replace(boots, address=None, access_vlan=200, mtu_bytes=9216, edge=True, storm=StormControl(1000, 2000))
    groups = (
        bundled(routed, 1, Lag(None, min_links=1), "fast"),
        bundled(boots, 2, Lag(None, individual=True, min_links=2), "slow"),
    )
    config = replace(
        base,
        name="leaf-g0-r5",
        services=(*base.services, "interface-vlan", "lacp"),
        vlans=(Vlan(200, "COMPUTE-HOSTS"),),
        interfaces=(*others, *(each for pair in groups for each in pair)),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def paired(config: DeviceConfig, keepalive_vrf: str | None, delay_s: int, priority: int) -> DeviceConfig:
    """The switch as one of a pair, whose peer link is a trunk of two more ports."""
    link, speed = "port-channel1000", Layer1(100, None, None, negotiate=True)
    group = _port(62, "10.168.0.254/31", "peer")
    group = replace(group, name=link, address=None, tagged_vlans=(200,), lag=Lag(None, min_links=1))
    member = replace(group, lag=None, layer1=speed, member=LagMember(link, "fast"))
    pair = PairSettings(
        peer_link=link,
        keepalive_address="10.255.0.2",
        keepalive_source="10.255.0.1",
        keepalive_vrf=keepalive_vrf,
        reload_delay_s=delay_s,
        number=7,
        priority=priority,
        gateway_delay_s=delay_s,
    )
    return replace(
        config,
        services=tuple({*config.services, "lacp", "vpc"}),
        interfaces=(*config.interfaces, group, *(replace(member, name=f"Ethernet1/{n}") for n in (61, 62))),
        pair=pair,
    )


def paired_leaf() -> DeviceConfig:
    """A leaf that is one of a pair, with a group over both."""
    base = bundled_leaf()
    ports = (
        replace(port, lag=replace(port.lag, pair_id=2)) if port.lag and port.name == "port-channel2" else port
        for port in base.interfaces
    )
    config = paired(replace(base, name="leaf-g0-a", interfaces=tuple(ports)), None, 300, 1000)
    return in_order(config, PLATFORM.facts.sort_key)


def maybe_paired(draw: st.DrawFn, config: DeviceConfig) -> DeviceConfig:
    """Sometimes one of a pair; else no group of its goes over both, which NX-OS takes with ``feature vpc`` alone."""
    if config.qos is None or not draw(st.booleans()):
        ports = (replace(port, lag=replace(port.lag, pair_id=None)) if port.lag else port for port in config.interfaces)
        return replace(config, interfaces=tuple(ports))
    vrf = draw(st.sampled_from((None, "management", "COMPUTE-BLUE")))
    delay_s, priority = draw(st.sampled_from((1, 30, 300, 3600))), draw(st.sampled_from((1, 1000, 32667, 65535)))
    return paired(config, vrf, delay_s, priority)


def spine(leaves: int = 8) -> DeviceConfig:
    return in_order(_spine(leaves), PLATFORM.facts.sort_key)


def _spine(leaves: int) -> DeviceConfig:
    lists = tuple(
        PrefixList(
            f"COMPUTE-leaf-{n}", (PrefixRule(10, True, f"10.168.{n}.0/24"), PrefixRule(20, True, f"10.255.0.{n}/32"))
        )
        for n in range(leaves)
    )
    maps = tuple(
        RouteMap(f"COMPUTE-leaf-{n}-IN", (RouteMapRule(10, True, f"COMPUTE-leaf-{n}"),)) for n in range(leaves)
    )
    return DeviceConfig(
        name="spine-0",
        os="nxos",
        release="10.4(3)",
        model=MODEL,
        asic="cloudscale-gx2",
        services=("bgp",),
        hashing=Hashing(seed=7),
        lldp=Lldp(enabled=True),
        qos=qos(),
        bfd=None,
        interfaces=(
            *(_port(n + 1, f"10.160.{n}.0/31", f"leaf-{n} Ethernet1/33") for n in range(leaves)),
            Interface("loopback0", None, "10.255.1.0/32", None, True, None),
        ),
        routing_policy=RoutingPolicy(lists, maps),
        bgp=Bgp(
            asn=4200000000,
            router_id="10.255.1.0",
            maximum_paths=64,
            multipath_relax=True,
            graceful_restart_helper_only=False,
            log_neighbor_changes=True,
            networks=("10.255.1.0/32",),
            peer_groups=(group("COMPUTE-LEAVES", route_map_in=None, bfd=False),),
            neighbors=tuple(
                Neighbor(f"10.160.{n}.1", 4200000001 + n, "COMPUTE-LEAVES", f"leaf-{n}", f"COMPUTE-leaf-{n}-IN")
                for n in range(leaves)
            ),
        ),
    )


def claims(config: DeviceConfig) -> Claims:
    shut = frozenset(port.name for port in config.interfaces if port.mtu_bytes is None and port.name[0] == "E")
    ports = frozenset(port.name for port in config.interfaces) - shut
    pools = ("10.255.0.0/16", "10.160.0.0/13", "10.168.0.0/13", POOL6)
    vlans = frozenset({*(each.number for each in config.vlans), *([4094] if config.pair else [])})
    lags = frozenset(int(port.name.removeprefix("port-channel")) for port in config.interfaces if port.lag is not None)
    pair_vlan = 4094 if config.pair else None
    owner = Owner("compute", "plane", "COMPUTE-", pools, vlans, routes=ROUTES, has_gateways=True, pair_vlan=pair_vlan)
    trees = config.spanning_tree is not None
    return Claims(
        (Claim(owner, ports, vlans, lags),),
        shut,
        split_part=PLATFORM.facts.split_part,
        has_spanning_tree=trees,
        base=sections_of(config.base),
    )
