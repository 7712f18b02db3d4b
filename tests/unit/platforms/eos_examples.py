"""EOS configurations for the tests: leaves on Tomahawk (plain, drained, with split cages), a spine, random ones."""

from dataclasses import replace
from pathlib import Path

import jinja2
from hypothesis import strategies as st

from nornir_tasks.design.config.bgp import Bfd, Bgp, Neighbor, PeerGroup
from nornir_tasks.design.config.interfaces import Interface, Layer1, Lldp
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass, Watchdog
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMap, RouteMapRule, RoutingPolicy
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Claim, Claims, Owner
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms.eos import PLATFORM
from nornir_tasks.render.render import render
from tests.unit.platforms.base_drawn import maybe_managed, sections_of
from tests.unit.platforms.dual_stack import POOL6, ROUTES, maybe_dual_stack, maybe_gateways
from tests.unit.platforms.edge_drawn import maybe_switched
from tests.unit.platforms.eos_filters import filtered
from tests.unit.platforms.eos_lags import bundled, lags, maybe_paired, paired
from tests.unit.platforms.filters_drawn import maybe_filtered
from tests.unit.platforms.hosts_in_vlan import maybe_in_a_vlan, maybe_lossy, maybe_with_lags, maybe_with_tags

RELEASE = "4.33.1F"
TEMPLATES = Path(__file__).parents[3] / "templates" / "eos"


def environment() -> jinja2.Environment:
    """As files/templates.py makes it."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    made.filters.update(PLATFORM.template_filters)
    return made


ENVIRONMENT = environment()


def facts_of(config: DeviceConfig) -> Capabilities:
    return PLATFORM.facts.capabilities(config.release, config.asic)


def rendered(config: DeviceConfig) -> str:
    return render(config, facts_of(config), ENVIRONMENT)


def with_guarantee(config: DeviceConfig) -> tuple[Capabilities, str]:
    """The record and the text of an ASIC whose queues can be promised bandwidth; none of ours has a source for it."""
    facts = replace(facts_of(config), has_guaranteed_bandwidth=True)
    return facts, render(config, facts, ENVIRONMENT)


def counting_marks() -> str:
    """The text of a Jericho whose queues count what they mark."""
    config = leaf(asic="jericho2")
    assert config.qos is not None
    profile = config.qos.profiles[0]
    queues = tuple(replace(each, counts_marks=each.ecn is not None) for each in profile.queues)
    quality = replace(config.qos, profiles=(replace(profile, queues=queues),))
    return rendered(replace(config, qos=quality, services=(*config.services, "mark-counters")))


def qos(asic: str = "tomahawk4", *, watchdog: bool = True) -> Qos:
    ecn = PLATFORM.facts.capabilities(RELEASE, asic).ecn_auto
    roce, cnp = (26,), (48, 56)
    bulk = tuple(code for code in range(64) if code not in {*roce, *cnp})
    queues = (
        Queue(number=0, strict=False, weight_percent=40, ecn=None),
        Queue(number=3, strict=False, weight_percent=60, ecn=ecn),
        Queue(number=6, strict=True, weight_percent=None, ecn=None),
    )
    return Qos(
        classes=(
            TrafficClass(priority=0, dscp=bulk, queue=0, lossless=False),
            TrafficClass(priority=3, dscp=roce, queue=3, lossless=True),
            TrafficClass(priority=6, dscp=cnp, queue=6, lossless=False),
        ),
        profiles=(PortProfile("GPUFABRIC-ROCE", (3,), watchdog, queues),),
        watchdog=Watchdog(poll_ms=100, detect_ms=200, restore_ms=200) if watchdog else None,
        lossless_mtu_bytes=None,
    )


def port(number: int, address: str, description: str) -> Interface:
    return Interface(f"Ethernet{number}/1", description, address, 9214, enabled=True, qos_profile="GPUFABRIC-ROCE")


def group(name: str, **changes: object) -> PeerGroup:
    made = PeerGroup(
        name=name,
        keepalive_s=3,
        hold_s=9,
        connect_retry_s=None,
        advertisement_interval_s=0,
        bfd=True,
        ttl_security=True,
        send_community=True,
        max_prefixes=30,
        prefix_restart_min=5,
        route_map_in="COMPUTE-IN",
        route_map_out="COMPUTE-OUT",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def leaf(ports: int = 4, spines: int = 2, asic: str = "tomahawk4") -> DeviceConfig:
    """A leaf with so many host ports and as many fabric ports as spines."""
    hosts = [port(n + 1, f"10.168.0.{2 * n}/31", f"gpu-{n} rail0") for n in range(ports)]
    fabric = [port(ports + n + 1, f"10.160.{n // 128}.{2 * (n % 128)}/31", f"spine-{n} swp1") for n in range(spines)]
    neighbors = [
        Neighbor(f"10.160.{n // 128}.{2 * (n % 128) + 1}", 4200000000, "COMPUTE-SPINES", f"spine-{n} swp1")
        for n in range(spines)
    ]
    config = DeviceConfig(
        name="leaf-g0-r0",
        os="eos",
        release=RELEASE,
        model="7060DX5-64S",
        asic=asic,
        services=("ip-routing", "multi-agent"),
        hashing=Hashing(seed=1),
        lldp=Lldp(enabled=True),
        qos=qos(asic),
        bfd=Bfd(interval_ms=500, min_rx_ms=500, multiplier=3),
        interfaces=(
            Interface("Loopback0", "router-id", "10.255.0.1/32", None, enabled=True, qos_profile=None),
            *hosts,
            *fabric,
        ),
        routing_policy=RoutingPolicy(
            (
                PrefixList(
                    "COMPUTE-LOCAL", (PrefixRule(10, True, "10.255.0.1/32"), PrefixRule(20, True, "10.168.0.0/24"))
                ),
            ),
            (
                RouteMap("COMPUTE-IN", (RouteMapRule(10, permit=True, match_prefix_list=None),)),
                RouteMap("COMPUTE-OUT", (RouteMapRule(10, permit=True, match_prefix_list="COMPUTE-LOCAL"),)),
            ),
        ),
        static_routes=(StaticRoute("10.168.0.0/24"),),
        bgp=Bgp(
            asn=4200000001,
            router_id="10.255.0.1",
            maximum_paths=64,
            multipath_relax=True,
            graceful_restart_helper_only=True,
            log_neighbor_changes=True,
            networks=("10.168.0.0/24", "10.255.0.1/32"),
            peer_groups=(group("COMPUTE-SPINES"),),
            neighbors=tuple(neighbors),
            wait_for_install=True,
        ),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def spine() -> DeviceConfig:
    """A spine on Jericho, each leaf with an inbound policy of its own, one port down, no watchdog, no BFD."""
    base = leaf(ports=0, spines=8, asic="jericho2")
    assert base.bgp is not None
    lists = tuple(
        PrefixList(
            f"COMPUTE-leaf-{n}",
            (PrefixRule(10, True, "10.168.0.0/13", ge=24, le=32), PrefixRule(20, False, "0.0.0.0/0")),
        )
        for n in range(8)
    )
    maps = tuple(
        RouteMap(f"COMPUTE-leaf-{n}-IN", (RouteMapRule(10, permit=True, match_prefix_list=f"COMPUTE-leaf-{n}"),))
        for n in range(8)
    )
    neighbors = tuple(
        replace(each, peer_group="COMPUTE-LEAVES", remote_as=4200000001 + n, route_map_in=f"COMPUTE-leaf-{n}-IN")
        for n, each in enumerate(base.bgp.neighbors)
    )
    groups = (group("COMPUTE-LEAVES", route_map_in=None, bfd=False, prefix_restart_min=None),)
    config = replace(
        base,
        name="spine-0",
        model="7280R3",
        bfd=None,
        hashing=Hashing(seed=2),
        qos=qos("jericho2", watchdog=False),
        interfaces=(replace(base.interfaces[0], enabled=False), *base.interfaces[1:]),
        routing_policy=RoutingPolicy(
            (*base.routing_policy.prefix_lists, *lists), (*base.routing_policy.route_maps, *maps)
        ),
        static_routes=(),
        bgp=replace(
            base.bgp, networks=("10.255.0.1/32",), peer_groups=groups, neighbors=neighbors, wait_for_convergence=True
        ),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def drained() -> DeviceConfig:
    """A leaf whose announcements nobody should prefer."""
    base = leaf()
    rule = RouteMapRule(10, True, "COMPUTE-LOCAL", prepend=(4200000001, 4200000001), communities=("65535:0",))
    maps = tuple(
        replace(each, rules=(rule,)) if each.name == "COMPUTE-OUT" else each for each in base.routing_policy.route_maps
    )
    return replace(base, routing_policy=replace(base.routing_policy, route_maps=maps))


UNUSED = frozenset({"Ethernet3/5", "Ethernet7/1", "Ethernet65"})


def split_leaf() -> DeviceConfig:
    """Cages whole, in two and in four; copper and optics; every kind of error correction; three ports kept shut."""
    base = leaf(ports=9, spines=2)
    layers = {
        "Ethernet1/1": Layer1(200, 4, "rs", negotiate=True),
        "Ethernet1/5": Layer1(200, 4, "rs", negotiate=True),
        "Ethernet2/1": Layer1(100, 2, "rs", negotiate=False),
        "Ethernet2/3": Layer1(100, 2, "rs", negotiate=False),
        "Ethernet2/5": Layer1(50, 1, "none", negotiate=False),
        "Ethernet2/7": Layer1(25, 1, "fc", negotiate=True),
        "Ethernet3/1": Layer1(200, 4, "rs", negotiate=False),
        "Ethernet4/1": Layer1(400, 8, "rs", negotiate=False),
        "Ethernet5/1": Layer1(100, 4, "none", negotiate=False),
        "Ethernet33/1": Layer1(400, 8, "rs", negotiate=False),
        "Ethernet34/1": Layer1(400, 8, "rs", negotiate=False),
    }
    loopback, *used = base.interfaces if not base.interfaces[0].mtu_bytes else base.interfaces[::-1]
    ports = [replace(port, name=name, layer1=value) for port, (name, value) in zip(used, layers.items(), strict=True)]
    shut = [Interface(name, None, None, None, enabled=False, qos_profile=None) for name in UNUSED]
    config = replace(base, name="leaf-g0-r7", interfaces=(loopback, *ports, *shut))
    return in_order(config, PLATFORM.facts.sort_key)


def vlan_leaf() -> DeviceConfig:
    """A leaf whose host ports are in one VLAN; one of them without spanning tree's edge."""
    base, storm = leaf(), StormControl(1000, 2000, 500)
    ports = [
        replace(port, address=None, mtu_bytes=None, access_vlan=200, edge=port.name != "Ethernet2/1", storm=storm)
        if (port.description or "").startswith("gpu")
        else port
        for port in base.interfaces
    ]
    svi = Interface("Vlan200", "hosts of leaf-g0-r9", "10.168.4.1/23", 9214, enabled=True, qos_profile=None)
    config = replace(base, name="leaf-g0-r9", vlans=(Vlan(200, "COMPUTE-HOSTS"),), interfaces=(*ports, svi))
    return in_order(config, PLATFORM.facts.sort_key)


def balanced() -> DeviceConfig:
    """A leaf whose uplinks are balanced by load."""
    return replace(leaf(), name="leaf-g0-r2", load_balancing=LoadBalancing("flowlet", None, 4))


def filtered_leaf() -> DeviceConfig:
    """A leaf on Jericho whose host ports filter both families both ways."""
    base = replace(leaf(asic="jericho2"), name="leaf-g0-r4")
    return in_order(filtered(base, facts_of(base).acls), PLATFORM.facts.sort_key)


def paired_leaf() -> DeviceConfig:
    """A leaf that is one of a pair, with a group over both."""
    base = bundled_leaf()
    ports = (
        replace(port, lag=replace(port.lag, pair_id=2)) if port.lag and port.name == "Port-Channel2" else port
        for port in base.interfaces
    )
    config = paired(replace(base, name="leaf-g0-a", interfaces=tuple(ports)), "10.255.0.2", None, 300, 330, 5)
    return in_order(config, PLATFORM.facts.sort_key)


def examples() -> tuple[DeviceConfig, ...]:
    plain = (leaf(), spine(), drained(), split_leaf(), vlan_leaf(), bundled_leaf(), balanced(), filtered_leaf())
    return (*plain, paired_leaf())


def flags(config: DeviceConfig) -> dict[str, bool]:
    """What of the switch's own lines are ours, as ``realise`` tells."""
    hashing = config.hashing is not None and config.hashing.lag_ports
    trees = config.spanning_tree is not None
    return {"has_acls": bool(config.access_lists), "has_spanning_tree": trees, "has_lag_hash": hashing}


def claims(config: DeviceConfig) -> Claims:
    shut = frozenset(port.name for port in config.interfaces if not port.enabled and port.name in UNUSED)
    ports = frozenset(port.name for port in config.interfaces) - shut
    pools = ("10.255.0.0/16", "10.160.0.0/13", "10.168.0.0/13", POOL6)
    vlans = frozenset(each.number for each in config.vlans)
    pair_vlan = config.pair.vlan if config.pair else None
    owner = Owner(
        "compute",
        "plane",
        "COMPUTE-",
        pools,
        vlans,
        routes=ROUTES,
        has_gateways=True,
        pair_vlan=pair_vlan,
    )
    vrf = config.base.management.vrf if config.base.management else None
    return Claims(
        (Claim(owner, ports, vlans),), shut, base=sections_of(config.base), management_vrf=vrf, **flags(config)
    )


SPEEDS_AND_LANES = [(25, 1), (50, 1), (50, 2), (100, 1), (100, 2), (100, 4), (200, 1), (200, 2), (200, 4)]
SPEEDS_AND_LANES += [(400, 2), (400, 4), (400, 8), (800, 4), (800, 8)]
"""The pairs EOS has a word for (tests/corpus/eos)."""
LAYER1 = st.builds(
    lambda mode, fec, negotiate: Layer1(*mode, fec, negotiate),
    st.sampled_from(SPEEDS_AND_LANES),
    st.sampled_from(["rs", "fc", "none"]),
    st.booleans(),
)


def bundled_leaf() -> DeviceConfig:
    """A leaf with three groups: a routed one, a trunk, and one of an access VLAN whose host boots by PXE."""
    base = vlan_leaf()
    ports = {port.name: port for port in base.interfaces}
    boots, trunk, routed = ports["Ethernet1/1"], ports["Ethernet3/1"], ports["Ethernet5/1"]
    trunk = replace(trunk, access_vlan=None, tagged_vlans=(200,))
    made = (
        bundled(boots, 1, Lag(None, individual=True, individual_after_s=30, min_links=1), "fast"),
        bundled(trunk, 2, Lag(None, min_links=2), "slow"),
        bundled(routed, 3, Lag(None), "fast"),
    )
    kept = [each for each in base.interfaces if each not in (boots, ports["Ethernet3/1"], routed)]
    config = replace(base, name="leaf-g0-r10", interfaces=(*kept, *(each for pair in made for each in pair)))
    config = replace(config, spanning_tree=SpanningTree("mst", 8192), hashing=Hashing(1, lag_ports=True))
    return in_order(config, PLATFORM.facts.sort_key)


FLOW_SET = st.none() | st.integers(1, 7)


@st.composite
def configs(draw: st.DrawFn) -> DeviceConfig:
    """Any configuration the hinge can hold on EOS."""
    base = leaf(
        draw(st.integers(0, 4)), draw(st.integers(1, 4)), draw(st.sampled_from(["tomahawk4", "tomahawk5", "jericho2"]))
    )
    assert base.qos is not None
    assert base.bgp is not None
    word = st.from_regex(r"[A-Za-z][A-Za-z0-9_.:/-]{0,12}", fullmatch=True)
    moved = draw(st.dictionaries(st.integers(0, 63), st.sampled_from([0, 3, 6]), max_size=20))
    home = {code: each.priority for each in base.qos.classes for code in each.dscp} | moved | {0: 0, 26: 3, 48: 6}
    classes = tuple(
        replace(each, dscp=tuple(code for code in range(64) if home[code] == each.priority))
        for each in base.qos.classes
    )
    ecn = Ecn(draw(st.integers(1, 10**6)), draw(st.integers(10**6, 10**7)), draw(st.integers(1, 100)))
    profile = base.qos.profiles[0]
    counts = draw(st.booleans())
    marking = [replace(each, ecn=ecn, counts_marks=counts) if each.number == 3 else each for each in profile.queues]
    queues = tuple(marking)
    profile = replace(profile, queues=queues, watchdog=draw(st.booleans()))
    times = st.integers(1, 6000).map(lambda each: each * 10)
    watchdog = draw(st.none() | st.builds(Watchdog, poll_ms=st.integers(5, 30000), detect_ms=times, restore_ms=times))
    groups = (
        group(
            "COMPUTE-SPINES",
            keepalive_s=draw(st.integers(1, 3600)),
            hold_s=draw(st.integers(3, 3600)),
            advertisement_interval_s=draw(st.none() | st.integers(0, 600)),
            bfd=draw(st.booleans()),
            ttl_security=draw(st.booleans()),
            send_community=draw(st.booleans()),
            max_prefixes=draw(st.integers(1, 4294967294)),
            prefix_restart_min=draw(st.none() | st.integers(1, 60)),
            route_map_in=draw(st.none() | word),
            route_map_out=draw(st.none() | word),
        ),
    )
    neighbors = tuple(
        replace(
            each,
            remote_as=draw(st.integers(1, 4294967295)),
            description=draw(st.just("") | word),
            route_map_in=draw(st.none() | word),
        )
        for each in base.bgp.neighbors
    )
    interfaces = tuple(
        replace(
            each,
            description=draw(st.none() | word),
            enabled=draw(st.booleans()),
            layer1=draw(st.none() | LAYER1) if each.mtu_bytes else None,
        )
        for each in base.interfaces
    )
    spare = draw(st.sets(st.integers(40, 64), max_size=3))
    interfaces += tuple(
        Interface(f"Ethernet{cage}/1", None, None, None, enabled=False, qos_profile=None) for cage in spare
    )
    config = replace(
        base,
        bfd=draw(st.builds(Bfd, interval_ms=st.sampled_from([300, 500]), min_rx_ms=st.just(300), multiplier=st.just(3)))
        if groups[0].bfd
        else None,
        hashing=draw(st.none() | st.builds(Hashing, seed=st.integers(1, facts_of(base).max_hash_seed))),
        load_balancing=draw(st.none() | st.builds(LoadBalancing, st.just("flowlet"), st.none(), FLOW_SET)),
        lldp=Lldp(draw(st.booleans())),
        qos=draw(st.none() | st.just(replace(base.qos, classes=classes, profiles=(profile,), watchdog=watchdog))),
        interfaces=interfaces,
        bgp=replace(
            base.bgp,
            asn=draw(st.integers(1, 4294967295)),
            maximum_paths=draw(st.integers(1, 128)),
            multipath_relax=draw(st.booleans()),
            graceful_restart_helper_only=draw(st.booleans()),
            log_neighbor_changes=draw(st.booleans()),
            wait_for_install=draw(st.booleans()),
            wait_for_convergence=draw(st.booleans()),
            peer_groups=groups,
            neighbors=neighbors,
        ),
    )
    config = maybe_in_a_vlan(draw, config, "Vlan", st.none())
    config = maybe_lossy(draw, maybe_with_tags(draw, config, st.none()), "GPUFABRIC-STORAGE-LOSSY")
    config = maybe_with_lags(draw, config, lambda draw, port, number: bundled(port, number, *draw(lags(port))))
    facts = facts_of(config).acls
    assert facts is not None
    config = maybe_filtered(draw, config, facts)
    config = maybe_gateways(draw, maybe_dual_stack(draw, config, "ipv6-routing"), "Vlan")
    config = maybe_paired(draw, config)
    config = maybe_switched(draw, config, facts_of(config))
    config = maybe_managed(draw, config, "MGMT", "mgmt-1")
    return in_order(config, PLATFORM.facts.sort_key)
