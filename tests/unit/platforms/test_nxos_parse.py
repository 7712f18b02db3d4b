"""What NX-OS templates print is read back whole, and nothing that differs goes unseen."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.design.config.bgp import Bfd
from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1
from nornir_tasks.design.config.load_balancing import Hashing
from nornir_tasks.design.config.qos import Ecn, Queue
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.nxos.dscp import to_list, to_text
from nornir_tasks.platforms.platform import Parsed
from tests.unit.platforms.base_drawn import maybe_managed
from tests.unit.platforms.dual_stack import maybe_dual_stack, maybe_gateways
from tests.unit.platforms.edge_drawn import maybe_switched
from tests.unit.platforms.filters_drawn import maybe_filtered
from tests.unit.platforms.hosts_in_vlan import maybe_in_a_vlan, maybe_with_lags
from tests.unit.platforms.nxos_examples import (
    FACTS,
    PROFILE,
    bundled,
    bundled_leaf,
    lags,
    leaf,
    maybe_paired,
    paired_leaf,
    rendered,
    spine,
    split_leaf,
)

EXAMPLES = [leaf(), leaf(32, 0), spine(), spine(32), split_leaf(), bundled_leaf(), paired_leaf()]
IDS = [
    "leaf",
    "leaf without uplinks",
    "spine",
    "spine of 32",
    "leaf with split cages",
    "leaf with groups",
    "leaf of a pair",
]


def read_back(tree: ConfigTree, config: DeviceConfig) -> Parsed:
    return PLATFORM.parse(tree, FACTS, config.name, config.model)


@pytest.mark.parametrize("config", EXAMPLES, ids=IDS)
def test_a_rendered_configuration_is_read_back_whole(config: DeviceConfig) -> None:
    tree = PLATFORM.to_tree(rendered(config))
    assert read_back(tree, config) == Parsed(config, ConfigTree())
    assert read_back(PLATFORM.canonical(tree), config) == Parsed(config, ConfigTree())


@pytest.mark.parametrize("config", EXAMPLES, ids=IDS)
def test_text_and_tree_are_the_same_thing(config: DeviceConfig) -> None:
    tree = PLATFORM.to_tree(rendered(config))
    assert PLATFORM.to_tree(PLATFORM.to_text(tree)) == tree


@pytest.mark.parametrize(
    "config",
    [leaf(), spine(), split_leaf(), bundled_leaf(), paired_leaf()],
    ids=["leaf", "spine", "split leaf", "groups", "pair"],
)
def test_every_deleted_line_changes_what_is_read(config: DeviceConfig) -> None:
    whole = PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))
    judged = 0
    for path in sorted(whole.paths()):
        cut = whole.copy()
        parent = cut.get(*path[:-1])
        assert parent is not None
        del parent.children[path[-1]]
        assert read_back(cut, config) != Parsed(config, ConfigTree()), f"nobody misses {' / '.join(path)}"
        assert list(difference(cut, whole)), path
        judged += 1
    assert judged > 80


def _mutants(path: tuple[str, ...]) -> list[str]:
    """The line with each number in it counted up, each name changed, and the line negated."""
    words = path[-1].split()
    mutants = [path[-1][3:] if path[-1].startswith("no ") else f"no {path[-1]}"]
    for place, word in enumerate(words):
        if word.isdigit():
            mutants.append(" ".join([*words[:place], str(int(word) + 1), *words[place + 1 :]]))
        elif word.startswith(("COMPUTE-", "GPUFABRIC-")):
            mutants.append(" ".join([*words[:place], f"{word}X", *words[place + 1 :]]))
    return mutants


@pytest.mark.parametrize(
    "config",
    [leaf(), spine(), split_leaf(), bundled_leaf(), paired_leaf()],
    ids=["leaf", "spine", "split leaf", "groups", "pair"],
)
def test_every_changed_line_changes_what_is_read(config: DeviceConfig) -> None:
    whole = PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))
    for path, node in list(whole.walk()):
        for mutant in _mutants(path):
            changed = whole.copy()
            parent = changed.get(*path[:-1])
            assert parent is not None
            del parent.children[path[-1]]
            parent.add(mutant).merge(node)
            assert read_back(changed, config) != Parsed(config, ConfigTree()), f"{path} -> {mutant}"


FOREIGN_LINES = [
    ("interface Ethernet1/33", "ip access-group acl_in in"),
    ("interface Ethernet1/33", "flowcontrol receive on"),
    ("interface loopback0", "ip router ospf 100 area 0.0.0.0"),
    ("router bgp 4200000002", "bestpath always-compare-med"),
    ("router bgp 4200000002", "address-family ipv4 unicast", "redistribute direct route-map BLOBB"),
    ("router bgp 4200000002", "template peer COMPUTE-SPINES", "address-family ipv4 unicast", "allowas-in 1"),
    ("router bgp 4200000002", "template peer COMPUTE-SPINES", "local-as 65537"),
    ("router bgp 4200000002", "neighbor 10.160.0.0", "shutdown"),
    ("router bgp 4200000002", "neighbor 10.160.0.0", "address-family ipv4 unicast", "as-override"),
    ("route-map COMPUTE-OUT permit 10", "set local-preference 1"),
    ("class-map type qos match-any GPUFABRIC-QG3", "match precedence 3-4"),
    ("policy-map type network-qos GPUFABRIC-NETWORK", "class type network-qos c-8q-nq5", "pause pfc-cos 5"),
    ("policy-map type queuing GPUFABRIC-EGRESS", "class type queuing c-out-8q-q7", "priority level 2"),
    ("system qos", "service-policy type queuing input ROCE-INQ"),
    ("ip prefix-list COMPUTE-OWN seq 30 permit 10.10.0.0/16 ge 20 le 24",),
    ("lldp timer 35",),
    ("bfd slow-timer 2000",),
]


@pytest.mark.parametrize("path", FOREIGN_LINES, ids=" / ".join)
def test_a_valid_line_that_nobody_rendered_is_seen(path: tuple[str, ...]) -> None:
    config = leaf()
    tree = PLATFORM.to_tree(rendered(config))
    tree.add_path(path)
    assert read_back(tree, config) != Parsed(config, ConfigTree())


def test_one_port_without_pfc_among_many_is_named() -> None:
    config = leaf()
    tree = PLATFORM.to_tree(rendered(config))
    port = tree.get("interface Ethernet1/34")
    assert port is not None
    del port.children["priority-flow-control mode on"]
    assert read_back(tree, config).remainder.paths() == {
        ("interface Ethernet1/34",),
        ("interface Ethernet1/34", "no priority-flow-control mode on"),
    }


def test_what_nx_os_does_not_print_is_its_default() -> None:
    tree = PLATFORM.to_tree(
        "feature bfd\ninterface Ethernet1/1\n  no switchport\n  no ip redirects\ninterface loopback0\n"
    )
    config = read_back(tree, leaf()).config
    assert config.bfd == Bfd(50, 50, 3)
    assert config.interfaces == (
        Interface("Ethernet1/1", None, None, 1500, enabled=False, qos_profile=None),
        Interface("loopback0", None, None, None, enabled=True, qos_profile=None),
    )


def test_hidden_defaults_are_left_out_and_nothing_else() -> None:
    config = replace(leaf(), bfd=Bfd(50, 50, 3))
    tree = PLATFORM.to_tree(rendered(config))
    canonical = PLATFORM.canonical(tree)
    assert tree.paths() - canonical.paths() == {("bfd interval 50 min_rx 50 multiplier 3",)}
    assert read_back(canonical, config) == Parsed(config, ConfigTree())


def test_all_64_code_points_stand_exactly_once() -> None:
    qos = read_back(PLATFORM.to_tree(rendered(leaf())), leaf()).config.qos
    assert qos is not None
    points = [point for each in qos.classes for point in each.dscp]
    assert sorted(points) == list(range(64))
    assert {each.priority: each.dscp for each in qos.classes if each.priority} == {3: (26,), 7: (48, 56)}


def test_the_cnp_queue_is_seven_and_strict() -> None:
    text = rendered(leaf())
    assert "  class type queuing c-out-8q-q7\n    priority level 1\n" in text
    assert FACTS.cnp_priority == 7


@given(st.sets(st.integers(0, 63), min_size=1))
def test_lists_of_code_points_read_back(points: set[int]) -> None:
    assert to_list(to_text(points)) == tuple(sorted(points))


@st.composite
def configurations(draw: st.DrawFn) -> DeviceConfig:
    config = leaf(draw(st.integers(0, 6)), draw(st.integers(1, 4)))
    assert config.qos is not None
    assert config.bgp is not None
    weight = draw(st.integers(1, 99))
    ecn = draw(
        st.none() | st.builds(Ecn, st.integers(1, 900).map(_kb), st.integers(901, 9000).map(_kb), st.integers(1, 100))
    )
    queues = (Queue(0, False, 100 - weight, None), Queue(3, False, weight, ecn), Queue(7, True, None, None))
    watched = draw(st.booleans())
    profile = replace(config.qos.profiles[0], queues=queues, watchdog=watched)
    group = replace(
        config.bgp.peer_groups[0],
        keepalive_s=draw(st.sampled_from([1, 3, 10, 60])),
        hold_s=draw(st.sampled_from([9, 30, 180])),
        connect_retry_s=draw(st.integers(1, 60)),
        ttl_security=draw(st.booleans()),
        bfd=draw(st.booleans()),
        send_community=draw(st.booleans()),
        max_prefixes=draw(st.integers(1, 2**32 - 1)),
        prefix_restart_min=draw(st.none() | st.integers(1, 65535)),
        route_map_in=draw(st.none() | st.just("COMPUTE-IN")),
    )
    moved = draw(st.sets(st.integers(0, 63).filter(lambda point: point not in (26, 48)), max_size=20))
    points = {3: (26,), 7: tuple(sorted({48} | moved)), 0: tuple(p for p in range(64) if p not in {26, 48} | moved)}
    classes = tuple(replace(each, dscp=points[each.priority]) for each in config.qos.classes)
    port = draw(st.sampled_from(config.interfaces[:-1]))
    shut = replace(
        port,
        enabled=draw(st.booleans()),
        mtu_bytes=draw(st.sampled_from([1500, 9000, 9214, 9216])),
        description=draw(
            st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 :/_.-]{0,40}[A-Za-z0-9]", fullmatch=True).map(_blanks)
        ),
    )
    made = _with_layer1(
        draw,
        replace(
            config,
            hashing=draw(st.none() | st.integers(1, 2**32 - 1).map(Hashing)),
            bfd=draw(st.just(config.bfd) | st.just(Bfd(50, 50, 3))),
            qos=replace(
                config.qos, classes=classes, profiles=(profile,), watchdog=config.qos.watchdog if watched else None
            ),
            interfaces=tuple(shut if each is port else each for each in config.interfaces),
            bgp=replace(
                config.bgp,
                maximum_paths=draw(st.integers(1, 128)),
                multipath_relax=draw(st.booleans()),
                graceful_restart_helper_only=draw(st.booleans()),
                log_neighbor_changes=draw(st.booleans()),
                peer_groups=(group,),
            ),
        ),
    )
    made = maybe_in_a_vlan(draw, made, "Vlan", st.sampled_from((1500, 9216)))
    if made.vlans:
        made = replace(made, services=(*made.services, "interface-vlan"))
    made = maybe_with_lags(draw, made, lambda draw, port, number: bundled(port, number, *draw(lags(port))))
    if any(port.lag for port in made.interfaces):
        made = replace(made, services=(*made.services, "lacp"))
    made = maybe_paired(draw, made)
    assert FACTS.acls is not None
    made = maybe_filtered(draw, made, FACTS.acls)
    made = maybe_gateways(draw, maybe_dual_stack(draw, made), "Vlan", "hsrp")
    made = maybe_switched(draw, made, FACTS)
    made = maybe_managed(draw, made, "management")
    return in_order(made, PLATFORM.facts.sort_key)


def _with_layer1(draw: st.DrawFn, config: DeviceConfig) -> DeviceConfig:
    """Some of the first ports moved into the parts of cages 17 and up, some ports unused, any layer 1."""
    speeds = {(1, 2): 200, (1, 4): 100}
    layers = st.builds(
        Layer1, st.sampled_from([25, 100, 200, 400]), st.none(), st.sampled_from(["rs", "fc", "none"]), st.booleans()
    )
    cages = draw(st.dictionaries(st.integers(17, 24), st.sampled_from(sorted(speeds)), max_size=3))
    breakouts = tuple(Breakout(cage, ways, speeds[one, ways]) for cage, (one, ways) in sorted(cages.items()))
    parts = [f"Ethernet1/{each.port}/{leg + 1}" for each in breakouts for leg in range(each.ways)]
    *ports, loopback = config.interfaces
    names = dict(zip([port.name for port in ports[: draw(st.integers(0, len(ports)))]], parts, strict=False))
    used = [replace(port, name=names.get(port.name, port.name), layer1=draw(st.none() | layers)) for port in ports]
    shut = [name for name in [*parts, "Ethernet1/12"] if name not in names.values()]
    spare = [Interface(name, None, None, None, enabled=False, qos_profile=None) for name in shut]
    return in_order(replace(config, breakouts=breakouts, interfaces=(*used, *spare, loopback)), PLATFORM.facts.sort_key)


def _kb(number: int) -> int:
    return number * 1000


def _blanks(text: str) -> str:
    return " ".join(text.split())


@settings(max_examples=150, deadline=None)
@given(configurations())
def test_any_configuration_is_read_back_whole(config: DeviceConfig) -> None:
    tree = PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))
    assert read_back(tree, config) == Parsed(config, ConfigTree())


def test_a_profile_is_named_by_its_classification_policy() -> None:
    config = read_back(PLATFORM.to_tree(rendered(leaf())), leaf()).config
    assert config.qos is not None
    assert [profile.name for profile in config.qos.profiles] == [PROFILE]
    assert {port.qos_profile for port in config.interfaces if port.mtu_bytes} == {PROFILE}


def without(config: DeviceConfig, lost: str) -> Parsed:
    tree = PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))
    port = tree.get("interface Ethernet1/1/1")
    assert port is not None
    del port.children[lost]
    return read_back(tree, config)


def test_layer_1_without_its_speed_is_handed_back_and_not_completed_by_guessing() -> None:
    read = without(split_leaf(), "speed 200000")
    assert read.remainder.get("interface Ethernet1/1/1", "fec rs-fec") is not None
    assert next(port for port in read.config.interfaces if port.name == "Ethernet1/1/1").layer1 is None


def test_without_a_line_error_correction_is_the_hardwares_and_never_the_wanted_one() -> None:
    config = split_leaf()
    read = without(config, "fec rs-fec")
    assert not read.remainder
    found = next(port for port in read.config.interfaces if port.name == "Ethernet1/1/1").layer1
    assert found is not None
    assert (found.speed_gbps, found.fec) == (200, None)
    assert read.config != config


@pytest.mark.parametrize(("speed_gbps", "word"), [(25, "rs-ieee"), (100, "rs-fec"), (400, "rs-fec")])
def test_rs_fec_is_the_code_of_the_ieee_at_every_speed_as_a_nic_has_it(speed_gbps: int, word: str) -> None:
    """Interfaces Configuration Guide 10.6(x), "fec ?": rs-fec is the consortium's at 25G."""
    config = split_leaf()
    first, *others = config.interfaces
    port = replace(first, layer1=Layer1(speed_gbps, None, "rs", negotiate=True))
    text = rendered(replace(config, interfaces=(port, *others)))
    block = text.split(f"interface {first.name}\n")[1].partition("\ninterface")[0]
    assert f"\n  fec {word}\n" in block


def test_the_consortiums_code_at_25g_is_handed_back_as_another_one() -> None:
    tree = PLATFORM.canonical(PLATFORM.to_tree(rendered(split_leaf())))
    port = tree.get("interface Ethernet1/1/1")
    assert port is not None
    del port.children["speed 200000"]
    port.add_path(("speed 25000",))
    read = read_back(tree, split_leaf())
    assert read.remainder.get("interface Ethernet1/1/1", "fec rs-fec") is not None


def test_breakouts_read_the_same_however_the_switch_groups_their_ports() -> None:
    merged = PLATFORM.to_tree("interface breakout module 1 port 10,18,20,25-26 map 10g-4x\n")
    assert merged == PLATFORM.to_tree(
        "".join(f"interface breakout module 1 port {port} map 10g-4x\n" for port in (10, 18, 20, 25, 26))
    )
    found = read_back(merged, leaf())
    assert [(each.port, each.ways, each.speed_gbps) for each in found.config.breakouts] == [
        (port, 4, 10) for port in (10, 18, 20, 25, 26)
    ]
    assert not found.remainder


def test_an_unused_port_prints_that_it_is_shut_and_a_routed_one_that_it_is_up() -> None:
    canonical = PLATFORM.canonical(PLATFORM.to_tree(rendered(split_leaf())))
    assert set(canonical.get("interface Ethernet1/4").children) == {"shutdown"}  # type: ignore[union-attr]
    assert "no shutdown" in canonical.get("interface Ethernet1/3").children  # type: ignore[union-attr]
    down = PLATFORM.to_tree("interface Ethernet1/3\n  no switchport\n  shutdown\n  mtu 9216\n")
    assert set(PLATFORM.canonical(down).get("interface Ethernet1/3").children) == {"no switchport", "mtu 9216"}  # type: ignore[union-attr]
    up = PLATFORM.to_tree("interface Ethernet1/3\n  no shutdown\n")
    assert set(PLATFORM.canonical(up).get("interface Ethernet1/3").children) == set()  # type: ignore[union-attr]
