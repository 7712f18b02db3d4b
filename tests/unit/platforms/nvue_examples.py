"""Cumulus Linux configurations for the tests: leaves (plain, drained, with split cages), a spine, random ones."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.bgp import Bfd, Bgp, Neighbor, PeerGroup
from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1, Lldp
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos, Queue, TrafficClass, Watchdog
from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMap, RouteMapRule, RoutingPolicy
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.config.storm_control import StormControl
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Claim, Claims, Owner
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.render.render import render
from tests.unit.platforms.base_drawn import maybe_managed, sections_of
from tests.unit.platforms.dual_stack import POOL6, ROUTES, maybe_dual_stack
from tests.unit.platforms.edge_drawn import maybe_switched
from tests.unit.platforms.filters_drawn import maybe_filtered
from tests.unit.platforms.hosts_in_vlan import maybe_in_a_vlan, maybe_lossy, maybe_with_lags, maybe_with_tags

RELEASES = PLATFORM.facts.releases
PROFILE = "default-global"
POOLS = ("10.255.0.0/16", "10.160.0.0/13", "10.168.0.0/13")


def facts_of(config: DeviceConfig) -> Capabilities:
    return PLATFORM.facts.capabilities(config.release, config.asic)


def rendered(config: DeviceConfig) -> str:
    return render(config, facts_of(config), environment("nvue"))


def claims_of(config: DeviceConfig) -> Claims:
    shut = frozenset(port.name for port in config.interfaces if port.mtu_bytes is None and port.name != "lo")
    used = frozenset(port.name for port in config.interfaces) - shut
    vlans = frozenset({*(each.number for each in config.vlans), *([4094] if config.pair else [])})
    pair_vlan = config.pair.vlan if config.pair else None
    owner = Owner("compute", "plane", "COMPUTE-", (*POOLS, POOL6), vlans, routes=ROUTES, pair_vlan=pair_vlan)
    return Claims(
        (Claim(owner, used, vlans),),
        shut,
        split_part=PLATFORM.facts.split_part,
        has_spanning_tree=config.spanning_tree is not None,
        has_lag_hash=config.hashing is not None and config.hashing.lag_ports,
        base=sections_of(config.base),
    )


def qos(ecn: Ecn, *, watchdog: bool = True) -> Qos:
    roce, cnp = (26,), (48, 56)
    bulk = tuple(code for code in range(64) if code not in {*roce, *cnp})
    queues = (Queue(0, False, 40, None), Queue(3, False, 60, ecn), Queue(6, True, None, None))
    return Qos(
        classes=(
            TrafficClass(0, bulk, 0, lossless=False),
            TrafficClass(3, roce, 3, lossless=True),
            TrafficClass(6, cnp, 6, lossless=False),
        ),
        profiles=(PortProfile(PROFILE, (3,), watchdog, queues),),
        watchdog=Watchdog(100, 300, 100) if watchdog else None,
        lossless_mtu_bytes=None,
    )


def port(number: int, address: str | None, description: str | None, mtu_bytes: int = 9214) -> Interface:
    return Interface(f"swp{number}", description, address, mtu_bytes, enabled=True, qos_profile=PROFILE)


def group(name: str, **changes: object) -> PeerGroup:
    made = PeerGroup(
        name=name,
        keepalive_s=3,
        hold_s=9,
        connect_retry_s=10,
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


def _policy(*prepend: int) -> RoutingPolicy:
    own = PrefixList("COMPUTE-OWN", (PrefixRule(10, True, "10.255.0.1/32"), PrefixRule(20, True, "10.168.0.0/24")))
    fabric = PrefixList(
        "COMPUTE-FABRIC", (PrefixRule(10, True, "10.255.0.0/16", ge=32), PrefixRule(20, True, "10.168.0.0/13", le=24))
    )
    communities = ("65535:0",) if prepend else ()
    return RoutingPolicy(
        (own, fabric),
        (
            RouteMap("COMPUTE-IN", (RouteMapRule(10, True, "COMPUTE-FABRIC", prepend, communities),)),
            RouteMap("COMPUTE-OUT", (RouteMapRule(10, True, "COMPUTE-OWN", prepend, communities),)),
        ),
    )


def leaf(release: str = "5.14", ports: int = 4, spines: int = 2, prepend: tuple[int, ...] = ()) -> DeviceConfig:
    """A leaf with so many host ports and one fabric port to each spine."""
    hosts = [port(n + 1, f"10.168.0.{2 * n}/31", f"gpu-{n} rail0") for n in range(ports)]
    far = [f"10.160.{n // 128}.{2 * (n % 128)}" for n in range(spines)]
    own = [f"10.160.{n // 128}.{2 * (n % 128) + 1}/31" for n in range(spines)]
    fabric = [port(ports + n + 1, address, f"spine-{n} swp1") for n, address in enumerate(own)]
    config = DeviceConfig(
        name="leaf-g0-r0",
        os="nvue",
        release=release,
        model="SN5600",
        asic="spectrum4",
        hashing=Hashing(1),
        lldp=Lldp(enabled=True),
        qos=qos(Ecn(159_744, 1_511_424, 100)),
        bfd=Bfd(300, 300, 3),
        interfaces=(Interface("lo", "router-id", "10.255.0.1/32", None, True, None), *hosts, *fabric),
        routing_policy=_policy(*prepend),
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
            neighbors=tuple(
                Neighbor(address, 4200000000, "COMPUTE-SPINES", f"spine-{n} swp1") for n, address in enumerate(far)
            ),
        ),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def spine(release: str = "5.16", leaves: int = 8) -> DeviceConfig:
    """A spine without BFD whose leaves may each announce their own prefixes only."""
    names = [f"leaf-g0-r{n}" for n in range(leaves)]
    rules = [PrefixRule(10, True, f"10.255.1.{n}/32") for n in range(leaves)]
    lists = tuple(PrefixList(f"COMPUTE-{name}", (rule,)) for name, rule in zip(names, rules, strict=True))
    maps = tuple(RouteMap(f"COMPUTE-{name}-IN", (RouteMapRule(10, True, f"COMPUTE-{name}"),)) for name in names)
    config = replace(
        leaf(release, ports=0, spines=0),
        name="spine-0",
        bfd=None,
        interfaces=(
            Interface("lo", None, "10.255.0.1/32", None, True, None),
            *(port(n + 1, f"10.160.0.{2 * n}/31", f"{name} swp33", 9216) for n, name in enumerate(names)),
        ),
        static_routes=(),
        routing_policy=RoutingPolicy(lists, (*maps, RouteMap("COMPUTE-OUT", (RouteMapRule(10, True, None),)))),
    )
    neighbors = tuple(
        Neighbor(f"10.160.0.{2 * n + 1}", 4200000001 + n, "COMPUTE-LEAVES", f"{name} swp33", f"COMPUTE-{name}-IN")
        for n, name in enumerate(names)
    )
    bgp = replace(
        config.bgp,  # type: ignore[arg-type]
        networks=("10.255.0.1/32",),
        peer_groups=(group("COMPUTE-LEAVES", bfd=False, route_map_in=None, ttl_security=False),),
        neighbors=neighbors,
    )
    return in_order(replace(config, bgp=bgp), PLATFORM.facts.sort_key)


def split_leaf(release: str = "5.14") -> DeviceConfig:
    """Cages whole, in two and in four; every kind of error correction; three ports kept shut."""
    base = leaf(release, ports=7, spines=2)
    layers = {
        "swp1s0": Layer1(400, None, "rs", negotiate=True),
        "swp1s1": Layer1(400, None, "rs", negotiate=True),
        "swp2s0": Layer1(200, None, "rs", negotiate=False),
        "swp2s1": Layer1(200, None, "none", negotiate=False),
        "swp2s2": Layer1(200, None, "fc", negotiate=False),
        "swp3": Layer1(800, None, "rs", negotiate=False),
        "swp10s0": Layer1(100, None, "rs", negotiate=False),
        "swp33": Layer1(800, None, "rs", negotiate=False),
        "swp34": Layer1(800, None, "rs", negotiate=False),
    }
    loopback, *used = base.interfaces
    ports = [replace(port, name=name, layer1=value) for port, (name, value) in zip(used, layers.items(), strict=True)]
    shut = [unused(name) for name in ("swp2s3", "swp4", "swp10s1", "swp20s0", "swp20s1", "swp64")]
    config = replace(
        base,
        name="leaf-g0-r7",
        breakouts=(
            Breakout(1, 2, None, 4),
            Breakout(2, 4, None, 2),
            Breakout(10, 2, None, 1),
            Breakout(20, 2, None, 4),
        ),
        interfaces=(loopback, *ports, *shut),
    )
    return in_order(config, PLATFORM.facts.sort_key)


def unused(name: str) -> Interface:
    return Interface(name, None, None, None, enabled=False, qos_profile=None)


def balanced(release: str) -> DeviceConfig:
    """A leaf whose uplinks take part in adaptive routing."""
    config = leaf(release)
    ports = tuple(port.name for port in config.interfaces if port.mtu_bytes)[-2:]
    return replace(config, load_balancing=LoadBalancing("per_packet", ports, None))


def bundled_leaf(release: str) -> DeviceConfig:
    """A leaf with a routed bond, and one whose host boots by PXE in a VLAN."""
    base = leaf(release)
    loopback, routed, boots, *others = base.interfaces
    boots = replace(boots, address=None, access_vlan=200, edge=True)
    group, member = bundled(boots, 2, Lag("slow", individual=True))
    made = (*bundled(routed, 1, Lag("fast")), group, replace(member, storm=StormControl(1000, 2000, 500)))
    ports = (loopback, *others, *made)
    config = replace(base, name="leaf-g0-r10", vlans=(Vlan(200, None),), interfaces=ports)
    return in_order(config, PLATFORM.facts.sort_key)


def bundled(port: Interface, number: int, lag: Lag) -> tuple[Interface, Interface]:
    """The bond that takes on what the port is, and the port as its member."""
    group = replace(port, name=f"bond{number}", layer1=None, qos_profile=None, lag=lag)
    bare = replace(port, address=None, mtu_bytes=None, vrf=None, ra_interval_ms=None, access_vlan=None, edge=False)
    return group, replace(bare, tagged_vlans=None, native_vlan=None, member=LagMember(group.name, None))


def paired(config: DeviceConfig, vrf: str | None, delay_s: int, priority: int | None) -> DeviceConfig:
    """The switch as one of a pair, whose peer link is two more ports."""
    link = Interface("peerlink", "peer", None, 9216, True, None, lag=Lag("fast"), tagged_vlans=(200,), native_vlan=1)
    carried = next((port.qos_profile for port in config.interfaces if port.qos_profile), None)
    members = (
        Interface(f"swp{number}", "peer", None, None, True, carried, member=LagMember("peerlink", None))
        for number in (61, 62)
    )
    pair = PairSettings(
        peer_link="peerlink",
        keepalive_address="10.255.0.2",
        keepalive_vrf=vrf,
        reload_delay_s=delay_s,
        vlan=4094,
        mac_address="44:38:39:ff:00:07",
        priority=priority,
    )
    return replace(config, interfaces=(*config.interfaces, link, *members), pair=pair)


def paired_leaf(release: str) -> DeviceConfig:
    """A leaf that is one of a pair, with a bond over both."""
    base = bundled_leaf(release)
    ports = (
        replace(port, lag=replace(port.lag, pair_id=2)) if port.lag and port.name == "bond2" else port
        for port in base.interfaces
    )
    config = paired(replace(base, name="leaf-g0-a", interfaces=tuple(ports)), None, 300, 1000)
    return in_order(config, PLATFORM.facts.sort_key)


EXAMPLES = {
    **{f"leaf of a pair {release}": paired_leaf(release) for release in RELEASES},
    **{f"leaf with bonds {release}": bundled_leaf(release) for release in RELEASES},
    **{f"leaf with adaptive routing {release}": balanced(release) for release in RELEASES},
    **{f"leaf with split cages {release}": split_leaf(release) for release in RELEASES},
    **{f"leaf {release}": leaf(release) for release in RELEASES},
    **{f"spine {release}": spine(release) for release in RELEASES},
    **{f"drained leaf {release}": leaf(release, prepend=(4200000001,) * 3) for release in RELEASES},
}

_WORDS = st.text(alphabet="abcdefghij0123456789-_ :#&<>", min_size=1, max_size=30).map(str.strip).filter(bool)


@st.composite
def configs(draw: st.DrawFn) -> DeviceConfig:
    """Any configuration that realise may make of Cumulus Linux."""
    base = draw(st.sampled_from([leaf, spine]))(draw(st.sampled_from(RELEASES)))
    has_bfd = draw(st.booleans())
    bfd = Bfd(*draw(st.tuples(st.integers(50, 60000), st.integers(50, 60000), st.integers(2, 255))))
    assert base.bgp is not None
    changes = {
        "keepalive_s": draw(st.integers(1, 100)),
        "hold_s": draw(st.integers(3, 300)),
        "connect_retry_s": draw(st.none() | st.integers(1, 65535)),
        "advertisement_interval_s": draw(st.none() | st.integers(0, 600)),
        "bfd": has_bfd,
        "ttl_security": draw(st.booleans()),
        "send_community": draw(st.booleans()),
        "max_prefixes": draw(st.integers(1, 10**6)),
        "prefix_restart_min": draw(st.none() | st.integers(1, 65535)),
    }
    groups = tuple(replace(each, **changes) for each in base.bgp.peer_groups)
    bgp = replace(
        base.bgp,
        asn=draw(st.integers(1, 2**32 - 1)),
        maximum_paths=draw(st.integers(1, 128)),
        multipath_relax=draw(st.booleans()),
        graceful_restart_helper_only=draw(st.booleans()),
        peer_groups=groups,
        neighbors=tuple(replace(each, description=draw(_WORDS)) for each in base.bgp.neighbors),
    )
    config = replace(
        base,
        bfd=bfd if has_bfd else None,
        bgp=bgp,
        qos=draw(st.none() | any_qos()),
        lldp=draw(st.sampled_from([None, Lldp(True), Lldp(False)])),
        hashing=draw(st.none() | st.builds(Hashing, st.integers(1, 2**32 - 1))),
    )
    ports = tuple(_any_port(draw, each, config) for each in config.interfaces)
    made = _with_split_cages(draw, replace(config, interfaces=ports))
    made = maybe_in_a_vlan(draw, made, "vlan", st.integers(552, 9216), is_named=False)
    made = maybe_with_tags(draw, made, st.integers(552, 9216), is_named=False)
    made = maybe_lossy(draw, made, "GPUFABRIC-STORAGE-LOSSY")
    made = maybe_with_lags(draw, made, lambda draw, port, number: bundled(port, number, draw(lags(port))))
    if draw(st.booleans()):
        vrf, priority = draw(st.sampled_from((None, "mgmt"))), draw(st.none() | st.integers(0, 65535))
        made = paired(made, vrf, draw(st.integers(1, 900)), priority)
    facts = facts_of(made).acls
    assert facts is not None
    made = maybe_dual_stack(draw, maybe_filtered(draw, made, facts))
    made = maybe_switched(draw, made, facts_of(made))
    made = maybe_managed(draw, made, "mgmt", has_domain=made.release != "5.13")
    routed = [
        port.name
        for port in made.interfaces
        if port.name.startswith("swp") and port.address is not None and port.tag is None
    ]
    chosen = st.lists(st.sampled_from(routed), unique=True).map(tuple) if routed else st.just(())
    paths = st.none() | st.builds(LoadBalancing, st.just("per_packet"), chosen, st.none())
    return in_order(replace(made, load_balancing=draw(paths)), PLATFORM.facts.sort_key)


@st.composite
def lags(draw: st.DrawFn, port: Interface) -> Lag:
    is_switched = port.access_vlan is not None or port.tagged_vlans is not None
    individual = is_switched and draw(st.booleans())
    pair_id = draw(st.none() | st.integers(1, 65535)) if is_switched else None
    return Lag(draw(st.sampled_from(("fast", "slow"))), individual, pair_id=pair_id)


_LAYER1 = st.builds(
    Layer1,
    st.sampled_from([25, 100, 200, 400, 800]),
    st.none(),
    st.sampled_from(["rs", "fc", "none"]),
    st.booleans(),
)


def _with_split_cages(draw: st.DrawFn, config: DeviceConfig) -> DeviceConfig:
    """Some of the first ports moved into the parts of cages 17 and up, some ports unused."""
    loopback, *ports = config.interfaces
    ways = draw(st.lists(st.sampled_from([2, 4]), max_size=min(2, len(ports))))
    breakouts, used, spare = [], [], [unused("swp12")]
    for cage, (count, port) in enumerate(zip(ways, ports, strict=False), start=17):
        layer1 = draw(_LAYER1)
        breakouts.append(Breakout(cage, count, None, draw(st.sampled_from([1, 8 // count]))))
        used.append(replace(port, name=f"swp{cage}s0", layer1=layer1))
        spare += [unused(f"swp{cage}s{leg}") for leg in range(1, count)]
    rest = [replace(port, layer1=draw(st.none() | _LAYER1)) for port in ports[len(used) :]]
    return replace(config, breakouts=tuple(breakouts), interfaces=(loopback, *used, *rest, *spare))


def _any_port(draw: st.DrawFn, base: Interface, config: DeviceConfig) -> Interface:
    if base.mtu_bytes is None:
        return replace(base, description=draw(st.none() | _WORDS))
    return replace(
        base,
        description=draw(st.none() | _WORDS),
        mtu_bytes=draw(st.integers(552, 9216)),
        enabled=draw(st.booleans()),
        address=draw(st.sampled_from([base.address, None])),
        qos_profile=PROFILE if config.qos else None,
    )


@st.composite
def any_qos(draw: st.DrawFn) -> Qos:
    """Two to four classes with priorities of their own, each DSCP in one of them, at most one of them lossless."""
    priorities = sorted(draw(st.lists(st.integers(0, 7), min_size=2, max_size=4, unique=True)))
    members: dict[int, list[int]] = {priority: [] for priority in priorities}
    for dscp in range(64):
        chosen = priorities[dscp] if dscp < len(priorities) else draw(st.sampled_from(priorities))
        members[chosen].append(dscp)
    lossless = draw(st.none() | st.sampled_from(priorities))
    strict = draw(st.none() | st.sampled_from(priorities))
    watchdog = Watchdog(100, 100 * draw(st.integers(1, 9)), 100) if lossless is not None else None
    thresholds = st.builds(Ecn, st.integers(1, 10**6), st.integers(10**6, 10**7), st.integers(0, 100))
    weighted = [Queue(each, False, draw(st.integers(0, 100)), draw(st.none() | thresholds)) for each in priorities]
    queues = tuple(Queue(each.number, True, None, None) if each.number == strict else each for each in weighted)
    return Qos(
        classes=tuple(TrafficClass(each, tuple(members[each]), each, each == lossless) for each in priorities),
        profiles=(PortProfile(PROFILE, () if lossless is None else (lossless,), watchdog is not None, queues),),
        watchdog=watchdog,
        lossless_mtu_bytes=None,
    )
