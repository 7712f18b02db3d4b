"""Cumulus Linux: what is rendered is read back to the last field, and nothing that changes on a switch goes unseen."""

import json
from io import StringIO

import pytest
from hypothesis import HealthCheck, given, settings
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from nornir_tasks.design.config.base import Server
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.platforms.nvue.capabilities import capabilities
from nornir_tasks.platforms.nvue.tree import CONTAINERS, from_data, to_data, to_text, to_tree
from nornir_tasks.platforms.ownership import Rule, split
from tests.unit.platforms.nvue_examples import (
    EXAMPLES,
    RELEASES,
    claims_of,
    configs,
    facts_of,
    leaf,
    rendered,
    spine,
    split_leaf,
)


def parsed(config, tree: ConfigTree):
    return PLATFORM.parse(tree, facts_of(config), config.name, config.model)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_rendered_is_parsed_back_to_the_same_configuration(name: str) -> None:
    config = EXAMPLES[name]
    found = parsed(config, PLATFORM.canonical(to_tree(rendered(config))))
    assert found.config == config
    assert not found.remainder, list(found.remainder.paths())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configs())
def test_any_configuration_is_parsed_back_to_itself(config) -> None:
    found = parsed(config, to_tree(rendered(config)))
    assert found.config == config
    assert not found.remainder, list(found.remainder.paths())


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_independent_yaml_parser_reads_the_rendered_file_to_the_same_data(name: str) -> None:
    text = rendered(EXAMPLES[name])
    assert YAML(typ="safe", pure=True).load(StringIO(text)) == to_data(to_tree(text))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_tree_survives_its_own_text_and_json(name: str) -> None:
    tree = to_tree(rendered(EXAMPLES[name]))
    assert to_tree(to_text(tree)) == tree
    assert to_tree(json.dumps(to_data(tree))) == tree
    assert to_data(from_data(to_data(tree))) == to_data(tree)


KINDS = [name.rpartition(" ")[0] for name in EXAMPLES if name.endswith(RELEASES[0])]
SAMPLE = [f"{kind} {RELEASES[number % len(RELEASES)]}" for number, kind in enumerate(KINDS)]
"""Every kind of switch once, and among them every release."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.long) for name in EXAMPLES]
)
def test_each_deleted_or_changed_line_is_a_difference_for_plan_and_parser(name: str) -> None:
    """Every line of a configuration; of each kind of switch one release, with ``-m long`` each other one."""
    config = EXAMPLES[name]
    wanted = to_tree(rendered(config))
    known_defaults = 0
    for path, node in list(wanted.walk()):
        if path in CONTAINERS:
            continue
        without = wanted.copy()
        del without.get(*path[:-1]).children[path[-1]]  # type: ignore[union-attr]
        assert list(difference(without, wanted)), path
        known_defaults += parsed(config, without).config == config
        if not node and ": " in path[-1]:
            other = without.copy()
            key, _, value = path[-1].partition(": ")
            changed = json.loads(value) + 1 if value.isdecimal() else json.loads(value) + "x"
            other.add_path((*path[:-1], f"{key}: {json.dumps(changed)}"))
            again = parsed(config, other)
            assert again.config != config or again.remainder, path
    # only lines that say a default may be absent without the meaning changing
    assert known_defaults < len(wanted.paths()) / 2


FOREIGN = [
    ("interface", "swp1", "link", 'speed: "200G"'),
    ("interface", "swp1", "bridge", "domain", "br_default"),
    ("interface", "swp1", "qos", "pfc", 'profile: "mine"'),
    ("qos", "mapping", "default-global", "pcp", "3", "switch-priority: 0"),
    ("qos", "remark", "default-global", 'rewrite: "l3"'),
    ("qos", "pfc", "default-global", "switch-priority", "5"),
    ("qos", "egress-scheduler", "default-global", "traffic-class", "5", 'mode: "strict"'),
    ("qos", "traffic-pool", "roce-lossless", "memory-percent: 90"),
    ("router", "bgp", "convergence-wait", "time: 30"),
    ("router", "policy", "route-map", "COMPUTE-OUT", "rule", "20", "action", "permit"),
    ("router", "policy", "prefix-list", "COMPUTE-X", "rule", "10", 'action: "permit"'),
    ("vrf", "default", "router", "bgp", "neighbor", "10.160.0.77", "remote-as: 65000"),
    ("vrf", "default", "router", "bgp", "neighbor", "swp1", 'remote-as: "external"'),
    ("vrf", "default", "router", "bgp", "dynamic-neighbor", "limit: 5"),
    ("vrf", "default", "router", "bgp", "address-family", "ipv4-unicast", "redistribute", "connected", 'enable: "on"'),
    ("vrf", "default", "router", "bgp", "address-family", "ipv4-unicast", "network", "10.168.9.0/24"),
    ("vrf", "default", "router", "static", "10.168.7.0/24", "via", "blackhole", 'type: "blackhole"'),
    ("system", "forwarding", "ecmp-hash", 'gtp-teid: "on"'),
    ("router", "adaptive-routing", 'enable: "on"'),
    ("vrf", "default", "router", "bgp", "route-reflection", 'enable: "on"'),
    ("qos", "advance-buffer-config", "default-global", "ingress-lossless-buffer", "xoff-threshold: 1"),
]


@pytest.mark.parametrize("path", FOREIGN, ids=" / ".join)
def test_a_line_that_somebody_adds_to_a_section_of_ours_is_seen_by_plan_and_parser(path: tuple[str, ...]) -> None:
    config = leaf()
    wanted = to_tree(rendered(config))
    running = wanted.copy()
    running.add_path(path)
    owned = split(running, PLATFORM.ownership, claims_of(config))
    both = ConfigTree()
    both.merge(owned[SWITCH])
    both.merge(owned["compute"])
    assert [change.op for change in difference(both, wanted)].count("-") >= 1
    found = parsed(config, both)
    assert found.config != config or found.remainder


def test_a_neighbour_on_our_port_that_takes_any_as_stays_in_the_remainder_and_breaks_nothing() -> None:
    config = leaf()
    tree = to_tree(rendered(config))
    at = ("vrf", "default", "router", "bgp", "neighbor", "swp1")
    for line in ('peer-group: "COMPUTE-SPINES"', 'remote-as: "external"', 'type: "unnumbered"'):
        tree.add_path((*at, line))
    found = parsed(config, tree)
    assert found.config == config
    assert (*at, 'type: "unnumbered"') in found.remainder.paths()


def test_the_two_releases_differ_in_their_words_and_agree_in_their_meaning() -> None:
    older, newer = to_data(to_tree(rendered(leaf("5.14")))), to_data(to_tree(rendered(leaf("5.16"))))
    assert older["qos"]["roce"] == {"enable": "on", "mode": "lossless"}
    assert newer["qos"]["roce"] == {"state": "enabled", "mode": "lossless"}
    assert older["interface"]["swp1"]["ip"] == newer["interface"]["swp1"]["ipv4"]
    assert (older["service"], newer["system"]["lldp"]) == ({"lldp": {"state": "enabled"}}, {"state": "enabled"})
    assert newer["router"]["bfd"]["profile"]["GPUFABRIC-BFD"]["detect-multiplier"] == 3
    assert older["vrf"]["default"]["router"]["bgp"]["peer-group"]["COMPUTE-SPINES"]["bfd"]["enable"] == "on"


def test_the_configuration_of_one_release_is_not_taken_for_that_of_the_other() -> None:
    tree = to_tree(rendered(leaf("5.14")))
    found = PLATFORM.parse(tree, capabilities("5.16", "spectrum4"), "leaf", "SN5600")
    assert found.config.bgp is None
    assert found.config.qos is None
    assert found.remainder


def test_all_64_code_points_are_said_in_full() -> None:
    data = to_data(to_tree(rendered(spine())))
    mapping = data["qos"]["mapping"]["default-global"]
    assert sorted(map(int, mapping["dscp"])) == list(range(64))
    priorities = {int(code): entry["switch-priority"] for code, entry in mapping["dscp"].items()}
    assert {code for code, priority in priorities.items() if priority == 3} == {26}
    assert mapping["trust"] == "l3"


def test_a_switch_with_nothing_of_ours_parses_to_nothing() -> None:
    found = parsed(leaf(), to_tree('{"header": {"model": "SN5600"}}'))
    assert found.config.bgp is None
    assert found.config.interfaces == ()
    assert found.remainder.paths() == {("header",), ("header", 'model: "SN5600"')}


def test_the_containers_are_exactly_what_the_ownership_rules_share() -> None:
    def shared(rules: tuple[Rule, ...], above: tuple[str, ...]) -> set[tuple[str, ...]]:
        found = set()
        for each in rules:
            is_section = each.shared and each.by == "switch"  # a VRF of somebody's is an entry, not a section
            for name in each.pattern.pattern.split("|") if is_section else ():
                found |= {(*above, name)} | shared(each.children, (*above, name))
        return found

    assert shared(PLATFORM.ownership, ()) == set(CONTAINERS)


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words", "a: [1, 2\n", "a: 1\n  b: 2\n"])
def test_text_that_is_no_nvue_data_is_refused_and_not_half_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"NVUE configuration is a mapping|not YAML"):
        to_tree(text)


def test_yaml_a_person_wrote_means_the_same_as_ours() -> None:
    written = (
        "qos:\n  roce: {enable: 'on', mode: lossless}  # by hand\n  pfc: {default-global: {switch-priority: {3: }}}\n"
    )
    assert to_data(to_tree(written))["qos"] == {
        "roce": {"enable": "on", "mode": "lossless"},
        "pfc": {"default-global": {"switch-priority": {"3": {}}}},
    }


@pytest.mark.parametrize("lost", ['speed: "400G"', 'fec: "rs"', 'auto-negotiate: "on"'])
def test_part_of_layer_1_is_handed_back_and_not_completed_by_guessing(lost: str) -> None:
    config = split_leaf()
    tree = to_tree(rendered(config))
    link = tree.get("interface", "swp1s0", "link")
    del link.children[lost]  # type: ignore[union-attr]
    found = parsed(config, tree)
    assert len(found.remainder.get("interface", "swp1s0", "link").children) == 2  # type: ignore[union-attr]
    assert next(port for port in found.config.interfaces if port.name == "swp1s0").layer1 is None


def test_a_split_that_says_no_lanes_stays_in_the_remainder() -> None:
    config = split_leaf()
    tree = to_tree(rendered(config))
    tree.add_path(("interface", "swp50", "link", "breakout", "2x"))
    found = parsed(config, tree)
    assert found.config == config
    assert found.remainder.get("interface", "swp50", "link", "breakout", "2x") is not None


def test_what_is_left_of_a_whole_port_at_a_split_cage_is_seen() -> None:
    config = split_leaf()
    tree = to_tree(rendered(config))
    tree.add_path(("interface", "swp1", "link", "mtu: 9000"))
    assert parsed(config, tree).remainder.get("interface", "swp1", "link", "mtu: 9000") is not None
    owned = split(tree, PLATFORM.ownership, claims_of(config))["compute"]
    assert owned.get("interface", "swp1", "link", "mtu: 9000") is not None


def test_a_strangers_split_is_nobodys_and_an_unused_part_the_switchs() -> None:
    config = split_leaf()
    tree = to_tree(rendered(config))
    tree.add_path(("interface", "swp50", "link", "breakout", "2x"))
    parts = split(tree, PLATFORM.ownership, claims_of(config))
    assert set(parts[None].get("interface").children) == {"swp50"}  # type: ignore[union-attr]
    assert set(parts[SWITCH].get("interface").children) == {
        *("swp2s3", "swp4", "swp10s1", "swp64"),
        *("swp20", "swp20s0", "swp20s1"),
    }  # type: ignore[union-attr]
    assert "swp1" in parts["compute"].get("interface").children  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "row", ["enabled", "On", "NULL", "True", "y", "NaN", "a b", "a: b", "x # y", "_1", "1_0", "e1", "STORAGE-1", "a_b"]
)
def test_plain_words_mean_what_any_yaml_parser_takes_them_for(row: str) -> None:
    for text in (f"interface:\n  {row}:\n    type: svi\n", f"system:\n  hostname: {row}\n"):
        try:
            wanted = YAML(typ="safe", pure=True).load(StringIO(text))
        except YAMLError:
            with pytest.raises(ValueError, match="not YAML"):
                to_tree(text)
            continue
        (below,) = wanted.values()
        assert list(to_data(to_tree(text)).values()) == [
            {str(key): {} if value is None else value for key, value in below.items()}
        ]


@pytest.mark.parametrize("release", ["5.14", "5.16"])
@pytest.mark.parametrize("kind", ["ntp", "dns", "syslog"])
def test_a_server_that_goes_by_a_name_stays_in_the_remainder_and_breaks_nothing(release: str, kind: str) -> None:
    name, address = "0.pool.example.org", "192.0.2.120"
    in_service = release == "5.14" and kind != "syslog"
    at = ("service", kind, "mgmt", "server") if in_service else ("system", kind, "server")
    leaves: tuple[str, ...] = () if in_service or kind == "ntp" else ('vrf: "mgmt"',)
    tree = to_tree(rendered(leaf(release)))
    if kind == "ntp" and not in_service:
        tree.add_path(("system", "ntp", 'vrf: "mgmt"'))
    for each in (name, address):
        tree.add_path((*at, each, *leaves))
    found = parsed(leaf(release), tree)
    base = found.config.base
    servers = {"ntp": base.time_servers, "dns": base.name_servers, "syslog": base.log_servers}
    assert servers[kind] == (Server(address, "mgmt"),)
    assert {path for path in found.remainder.paths() if address in path} == set()
    assert (*at, name) in found.remainder.paths()
