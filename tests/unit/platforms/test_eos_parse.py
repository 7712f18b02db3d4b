"""EOS: what is rendered reads back as it was, and nothing is understood that is not."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.eos import PLATFORM
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import to_text, to_tree
from nornir_tasks.platforms.platform import Parsed
from tests.unit.platforms.eos_examples import configs, examples, facts_of, leaf, rendered, split_leaf, with_guarantee


def parsed(tree: ConfigTree, like: DeviceConfig) -> Parsed:
    return PLATFORM.parse(tree, facts_of(like), like.name, like.model)


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_rendered_text_reads_back_as_the_same_configuration(config: DeviceConfig) -> None:
    tree = to_tree(rendered(config))
    read = parsed(tree, config)
    assert read.config == config
    assert to_text(read.remainder) == ""
    hidden = parsed(canonical(tree), config)
    assert hidden.config == config
    assert to_text(hidden.remainder) == ""


@given(configs())
@settings(max_examples=60, deadline=None)
def test_any_configuration_reads_back_with_and_without_hidden_defaults(config: DeviceConfig) -> None:
    tree = to_tree(rendered(config))
    for seen in (tree, canonical(tree), to_tree(to_text(tree))):
        read = parsed(seen, config)
        assert read.config == config
        assert to_text(read.remainder) == ""


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_every_line_counts(config: DeviceConfig, figure: Callable[[str], None]) -> None:
    """A line deleted, its last word changed, or a foreign one added in its block is a difference of the trees."""
    whole = canonical(to_tree(rendered(config)))
    mutated = 0
    for path, node in list(whole.walk()):
        without = whole.copy()
        without.get(*path[:-1]).children.pop(node.text)  # type: ignore[union-attr]
        assert list(difference(without, whole))
        changed = without.copy()
        changed.add_path((*path[:-1], node.text + "7"))
        assert list(difference(changed, whole))
        foreign = whole.copy()
        foreign.add_path((*path[:-1], "a line nobody knows"))
        read = parsed(foreign, config)
        assert "a line nobody knows" in to_text(read.remainder)
        assert read.config == config
        mutated += 3
    figure(f"{config.name}: {mutated} mutants")
    assert mutated > 300


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_a_deleted_line_is_never_read_as_the_same_configuration_unless_it_has_no_place_in_the_model(
    config: DeviceConfig,
) -> None:
    whole = canonical(to_tree(rendered(config)))
    silent = []
    for path, node in list(whole.walk()):
        without = whole.copy()
        without.get(*path[:-1]).children.pop(node.text)  # type: ignore[union-attr]
        read = parsed(without, config)
        if read.config == config and not read.remainder:
            silent.append(node.text)
    # every one of these says what the model takes for granted; the plan sees their loss all the same
    assert set(silent) <= {"no bgp default ipv4-unicast", "priority strict", _ACTION}


_ACTION = "priority-flow-control pause watchdog action drop"


@pytest.mark.parametrize(
    ("block", "line"),
    [
        (("interface Ethernet1/1",), "speed 100g-1"),
        (("interface Ethernet1/1",), "ip address 10.9.9.9/24 secondary"),
        (("router bgp 4200000001",), "neighbor COMPUTE-SPINES allowas-in 1"),
        (("router bgp 4200000001",), "neighbor COMPUTE-SPINES maximum-routes 30 warning-only"),
        (("router bgp 4200000001",), "neighbor COMPUTE-SPINES idle-restart-timer 90"),
        (("router bgp 4200000001",), "neighbor 10.160.0.1 shutdown"),
        (("router bgp 4200000001",), "redistribute connected"),
        (("router bgp 4200000001", "address-family ipv4"), "neighbor 10.160.0.1 activate"),
        (("qos profile GPUFABRIC-ROCE",), "tx-queue 3"),
        (("qos profile GPUFABRIC-ROCE", "uc-tx-queue 6"), "bandwidth percent 10"),
        (("qos profile GPUFABRIC-ROCE", "uc-tx-queue 0"), "bandwidth guaranteed percent 5"),
        (("route-map COMPUTE-OUT permit 10",), "set local-preference 5"),
        ((), "ip route 203.0.113.0/24 Null0 254"),
        ((), "ip route vrf STORAGE 203.0.113.0/24 Null0 254 tag 7"),
        ((), "ipv6 route 2001:db8:100::/40 Null0 250"),
        ((), "ip route 203.0.113.0/24 192.0.2.1 200"),
        ((), "priority-flow-control all off"),
        ((), "qos rewrite dscp"),
    ],
)
def test_a_line_outside_the_model_is_handed_back_with_its_place(block: tuple[str, ...], line: str) -> None:
    config = leaf()
    tree = canonical(to_tree(rendered(config)))
    if line.endswith(" 90"):
        del tree.get(*block).children["neighbor COMPUTE-SPINES idle-restart-timer 300"]  # type: ignore[union-attr]
    tree.add_path((*block, line))
    assert parsed(tree, config).remainder.get(*block, line) is not None


def test_a_profile_whose_ports_do_not_trust_dscp_is_not_taken_for_whole() -> None:
    config = leaf()
    tree = canonical(to_tree(rendered(config)))
    del tree.get("qos profile GPUFABRIC-ROCE").children["qos trust dscp"]  # type: ignore[union-attr]
    assert to_text(parsed(tree, config).remainder) == "qos profile GPUFABRIC-ROCE\n   no qos trust dscp\n"


def test_half_a_watchdog_is_no_watchdog() -> None:
    config = leaf()
    tree = canonical(to_tree(rendered(config)))
    del tree.children[_ACTION]
    read = parsed(tree, config)
    assert read.config.qos is not None
    assert read.config.qos.watchdog is None
    assert "watchdog default timeout 0.2" in to_text(read.remainder)


def test_a_watchdog_over_a_queue_without_guaranteed_bandwidth_watches_nothing() -> None:
    config = leaf()
    facts, text = with_guarantee(config)
    tree = canonical(to_tree(text))
    assert PLATFORM.parse(tree, facts, config.name, config.model) == Parsed(config, ConfigTree())
    queue = tree.get("qos profile GPUFABRIC-ROCE", "uc-tx-queue 3")
    assert queue is not None
    del queue.children["bandwidth guaranteed percent 5"]
    read = PLATFORM.parse(tree, facts, config.name, config.model)
    assert read.config.qos is not None
    assert not read.config.qos.profiles[0].watchdog
    assert "priority-flow-control pause watchdog" in to_text(read.remainder)


def test_a_promise_of_bandwidth_is_a_strangers_line_where_no_source_has_it_for_the_asic() -> None:
    config = leaf()
    assert "bandwidth guaranteed" not in rendered(config)
    tree = canonical(to_tree(with_guarantee(config)[1]))
    read = parsed(tree, config)
    assert read.config == config
    assert to_text(read.remainder).split("\n")[-2].strip() == "bandwidth guaranteed percent 5"


def test_pfc_that_is_not_switched_on_pauses_nothing() -> None:
    config = leaf()
    tree = canonical(to_tree(rendered(config)))
    profile = tree.get("qos profile GPUFABRIC-ROCE")
    assert profile is not None
    del profile.children["priority-flow-control on"]
    read = parsed(tree, config)
    assert read.config.qos is not None
    assert read.config.qos.profiles[0].pfc_priorities == ()
    assert not any(each.lossless for each in read.config.qos.classes)


def test_a_group_that_is_not_active_and_its_neighbours_are_not_taken_for_sessions() -> None:
    config = leaf()
    tree = canonical(to_tree(rendered(config)))
    family = tree.get("router bgp 4200000001", "address-family ipv4")
    assert family is not None
    del family.children["neighbor COMPUTE-SPINES activate"]
    read = parsed(tree, config)
    assert read.config.bgp is not None
    assert read.config.bgp.peer_groups == ()
    assert read.config.bgp.neighbors == ()


def test_an_unconfigured_switch_reads_as_nothing() -> None:
    config = leaf()
    read = parsed(to_tree("no ip routing\n!\nrouter bgp 4200000001\n!\nend\n"), config)
    assert read.config == DeviceConfig(
        name=config.name, os="eos", release=config.release, model=config.model, asic=config.asic, lldp=config.lldp
    )
    assert not read.remainder


def test_all_64_code_points_come_back_in_whatever_groups_the_switch_prints_them() -> None:
    config = leaf()
    text = rendered(config)
    split = to_text(to_tree(text))
    assert split.count("qos map dscp ") == 64
    assert to_tree(split) == to_tree(text)


def test_a_large_leaf_renders_and_parses_in_a_few_milliseconds(figure: Callable[[str], None]) -> None:
    config = leaf(ports=64, spines=32)
    text = rendered(config)
    tree = to_tree(text)
    best = min(_timed(lambda: parsed(tree, config)) for _ in range(5))
    best_render = min(_timed(lambda: rendered(config)) for _ in range(5))
    figure(f"EOS leaf of 64 ports and 32 spines: render {best_render * 1000:.1f} ms, parse {best * 1000:.1f} ms")
    assert parsed(tree, config).config == config
    assert replace(config, name="x") != config


def _timed(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("lost", "left"),
    [
        ("speed auto 200g-4", ["error-correction encoding reed-solomon"]),
        ("error-correction encoding reed-solomon", ["speed auto 200g-4"]),
    ],
)
def test_half_of_layer_1_is_handed_back_and_not_completed_by_guessing(lost: str, left: list[str]) -> None:
    config = split_leaf()
    tree = canonical(to_tree(rendered(config)))
    del tree.get("interface Ethernet1/1").children[lost]  # type: ignore[union-attr]
    read = parsed(tree, config)
    assert [path[-1] for path in read.remainder.paths() if len(path) == 2] == left
    assert next(port for port in read.config.interfaces if port.name == "Ethernet1/1").layer1 is None


@pytest.mark.parametrize(
    "line",
    ["error-correction encoding fire-code", "no error-correction encoding", "speed 400g", "phy link training"],
)
def test_a_second_word_on_layer_1_is_never_taken_for_ours(line: str) -> None:
    config = split_leaf()
    tree = canonical(to_tree(rendered(config)))
    tree.add_path(("interface Ethernet4/1", line))
    read = parsed(tree, config)
    assert read.remainder.get("interface Ethernet4/1", line) is not None


@pytest.mark.parametrize(
    ("port", "line"),
    [
        ("Ethernet7/1", "spanning-tree portfast"),  # nobody's port, no access port
        ("Ethernet1/1", "switchport access vlan 9"),  # a routed port
        ("Ethernet1/1", "spanning-tree bpduguard enable"),
    ],
)
def test_lines_of_an_access_port_on_any_other_port_are_not_understood(port: str, line: str) -> None:
    config = split_leaf()
    tree = canonical(to_tree(rendered(config)))
    tree.add_path((f"interface {port}", line))
    assert parsed(tree, config).remainder.get(f"interface {port}", line) is not None


def test_several_vlans_in_one_line_are_one_line_each() -> None:
    tree = to_tree("vlan 10,20-22\n!\nvlan 20\n   name USED\n")
    assert sorted(tree.children) == ["vlan 10", "vlan 20", "vlan 21", "vlan 22"]
    assert tree.get("vlan 20", "name USED") is not None


def test_a_switched_port_that_somebody_uses_is_no_unused_port() -> None:
    config = split_leaf()
    tree = canonical(to_tree(rendered(config)))
    tree.add_path(("interface Ethernet7/1", "switchport access vlan 9"))
    found = next(port for port in parsed(tree, config).config.interfaces if port.name == "Ethernet7/1")
    assert (found.access_vlan, found.edge) == (9, False)
    tree.add_path(("interface Ethernet7/1", "switchport trunk allowed vlan 9"))
    assert parsed(tree, config).remainder.get("interface Ethernet7/1", "switchport trunk allowed vlan 9") is not None
    del tree.get("interface Ethernet7/1").children["shutdown"]  # type: ignore[union-attr]
    found = next(port for port in parsed(tree, config).config.interfaces if port.name == "Ethernet7/1")
    assert found.enabled
