"""What is sent to Cumulus Linux: the least that makes the owned part as wanted, and never anything else."""

import copy
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.model.claims import BASE, SWITCH
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms.config_tree import Change, ConfigTree, difference
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.platforms.nvue.candidate import diff_text, keys_of, pointer, server_changes
from nornir_tasks.platforms.nvue.tree import CONTAINERS, from_data, to_data, to_tree
from nornir_tasks.platforms.ownership import join, split
from tests.unit.platforms.nvue_examples import EXAMPLES, claims_of, configs, leaf, rendered, split_leaf, unused

FOREIGN: dict[str, Any] = {
    "interface": {
        "eth0": {"ip": {"address": {"192.0.2.10/24": {}}, "vrf": "mgmt"}, "type": "eth"},
        "swp60": {"description": "somebody else's", "type": "swp"},
    },
    "qos": {"pfc": {"my_pfc": {"switch-priority": {"4": {}}}}, "link-pause": {"old": {"tx": "enable"}}},
    "router": {"policy": {"prefix-list": {"LEGACY": {"rule": {"10": {"action": "permit"}}}}}},
    "service": {"ntp": {"mgmt": {"server": {"192.0.2.123": {}}}}},
    "system": {
        "aaa": {"user": {"oncall": {"hashed-password": "*", "role": "system-admin"}}},
        "forwarding": {"lag-hash": {"source-mac": "off"}},
        "hostname": "leaf-g0-r0",
    },
    "vrf": {
        "CORP": {"router": {"bgp": {"enable": "on", "neighbor": {"203.0.113.1": {"remote-as": 64999}}}}},
        "default": {
            "router": {
                "static": {"198.51.100.0/24": {"via": {"blackhole": {"type": "blackhole"}}}},
                "bgp": {"neighbor": {"203.0.113.9": {"remote-as": 64998}}, "peer-group": {"OLD": {}}},
            }
        },
    },
}


def merged(base: dict, extra: dict) -> dict:
    result = copy.deepcopy(base)
    for key, value in extra.items():
        existing = result.get(key)
        result[key] = merged(existing, value) if isinstance(existing, dict) and isinstance(value, dict) else value
    return result


def applied(data: dict, payload: dict) -> dict:
    """What a switch holds after the DELETEs and the PATCH: the plain way."""
    result = copy.deepcopy(data)
    for each in payload["delete"]:
        *above, last = keys_of(each)
        node = result
        for key in above:
            node = node[key]
        del node[last]
    return merged(result, payload["patch"])


def diff(new: dict, old: dict) -> dict:
    """As the switch prints it: the patch that turns ``old`` into ``new``."""
    patch: dict = {key: None for key in old if key not in new}
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            if inner := diff(value, old[key]):
                patch[key] = inner
        elif key not in old or old[key] != value:
            patch[key] = value
    return patch


def split_of(config, tree: ConfigTree) -> tuple[ConfigTree, ConfigTree]:
    parts = split(tree, PLATFORM.ownership, claims_of(config))
    ours = (parts.get(owner) or ConfigTree() for owner in (SWITCH, "compute", BASE))
    return join(ours), parts[None]


def check(running: dict, config) -> None:
    """From what runs to what is wanted: exact, minimal, foreign lines untouched, and the switch's diff is the plan."""
    tree, wanted = from_data(running), to_tree(rendered(config))
    owned, foreign = split_of(config, tree)
    made = PLATFORM.candidate(tree, owned, wanted)
    after = applied(running, made.payload)
    again, left = split_of(config, from_data(after))
    assert again == wanted
    assert left == foreign
    assert made.changes == tuple(difference(owned, wanted))
    assert server_changes(diff_text(diff(after, running), diff(running, after))) == frozenset(made.changes)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_brownfield_switch_gets_ours_and_keeps_its_own(name: str) -> None:
    check(FOREIGN, EXAMPLES[name])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configs(), configs())
def test_from_any_configuration_to_any_other_of_the_same_ports(before, after) -> None:
    running = to_data(to_tree(rendered(before)))
    check(merged(FOREIGN, running), after)


def test_nothing_to_do_is_an_empty_request() -> None:
    wanted = to_tree(rendered(leaf()))
    made = PLATFORM.candidate(wanted, wanted, wanted)
    assert made.payload == {"delete": (), "patch": {}}
    assert made.changes == ()


def test_a_container_is_never_deleted_whatever_is_wanted() -> None:
    running = from_data(merged(FOREIGN, to_data(to_tree(rendered(leaf())))))
    owned, _ = split_of(leaf(), running)
    made = PLATFORM.candidate(running, owned, ConfigTree())
    paths = {keys_of(each) for each in made.payload["delete"]}
    assert paths
    assert not paths & {*CONTAINERS, ()}
    assert not any(key in {"eth0", "CORP", "OLD", "LEGACY", "aaa"} for path in paths for key in path)


def test_a_value_that_changes_is_patched_and_not_deleted() -> None:
    running = to_data(to_tree(rendered(leaf())))
    running["interface"]["swp1"]["link"]["mtu"] = 1500
    made = PLATFORM.candidate(from_data(running), from_data(running), to_tree(rendered(leaf())))
    assert made.payload == {"delete": (), "patch": {"interface": {"swp1": {"link": {"mtu": 9214}}}}}


def test_pointers_escape_what_a_prefix_needs() -> None:
    keys = ("vrf", "default", "router", "static", "10.168.0.0/24", "a~b")
    assert pointer(keys) == "/vrf/default/router/static/10.168.0.0~124/a~0b"
    assert keys_of(pointer(keys)) == keys


def test_the_switchs_diff_of_a_new_entry_names_all_of_it_and_no_container() -> None:
    coming = {
        "vrf": {"default": {"router": {"static": {"10.168.0.0/24": {"via": {"blackhole": {"type": "blackhole"}}}}}}}
    }
    going = {"vrf": {"default": {"router": {"static": None}}}}
    static = ("vrf", "default", "router", "static", "10.168.0.0/24")
    assert server_changes(diff_text(coming, going)) == {
        Change(static, "+"),
        Change((*static, "via"), "+"),
        Change((*static, "via", "blackhole"), "+"),
        Change((*static, "via", "blackhole", 'type: "blackhole"'), "+"),
    }


@pytest.mark.parametrize(
    ("line", "worst"),
    [
        ("system / forwarding / hash-seed: 7", Disruption.PORT_FLAP),
        ("interface / swp1", Disruption.PORT_FLAP),
        ("interface / swp1 / link / state / down", Disruption.PORT_FLAP),
        ("interface / swp1 / link / mtu: 9000", Disruption.DATAPLANE_BLIP),
        ("interface / swp1 / description: \"x\"", Disruption.NONE),
        ("qos / mapping / default-global / dscp / 26 / switch-priority: 3", Disruption.DATAPLANE_BLIP),
        ("router / bgp / autonomous-system: 1", Disruption.AGENT_RESTART),
        ("vrf / default / router / bgp / neighbor / 10.0.0.1 / remote-as: 1", Disruption.DATAPLANE_BLIP),
        ("vrf / default / router / bgp / neighbor / 10.0.0.1 / description: \"x\"", Disruption.NONE),
        ("router / policy / prefix-list / COMPUTE-OWN", Disruption.NONE),
    ],
)  # fmt: skip
def test_each_change_is_tagged_with_what_it_does_to_traffic(line: str, worst: Disruption) -> None:
    assert PLATFORM.disruption(Change(tuple(line.split(" / ")), "+")) is worst


@pytest.mark.parametrize(
    "line",
    [
        "interface / eth0 / ip / address / 192.0.2.10/24",
        "system / aaa / user / oncall",
        "system / api / certificate: \"x\"",
        "system / control-plane / acl / MGMT-ONLY",
        "vrf / mgmt / router / static / 0.0.0.0/0",
    ],
)  # fmt: skip
def test_our_own_path_to_the_switch_is_protected(line: str) -> None:
    assert any(re.match(pattern, line) for pattern in PLATFORM.protected)
    wanted = to_tree(rendered(leaf())).paths() - to_tree("{}").paths()  # containers that every tree has say nothing
    assert not [path for path in wanted if any(re.match(each, " / ".join(path)) for each in PLATFORM.protected)]


def owned_of(config, tree: ConfigTree) -> ConfigTree:
    parts = split(tree, PLATFORM.ownership, claims_of(config))
    return join(part for owner, part in parts.items() if owner is not None)


def test_a_port_becomes_a_split_cage_in_one_patch() -> None:
    wanted = split_leaf()
    running = to_tree(rendered(wanted))
    cage = running.get("interface")
    for name in ("swp1", "swp1s0", "swp1s1"):
        del cage.children[name]  # type: ignore[union-attr]
    running.add_path(("interface", "swp1", 'type: "swp"'))
    running.add_path(("interface", "swp1", "link", "mtu: 9000"))
    made = PLATFORM.candidate(running, owned_of(wanted, running), to_tree(rendered(wanted)))
    assert made.payload["delete"] == ("/interface/swp1/link/mtu",)
    assert made.payload["patch"]["interface"]["swp1"] == {"link": {"breakout": {"2x": {"lanes-per-port": "4"}}}}
    assert set(made.payload["patch"]["interface"]) == {"swp1", "swp1s0", "swp1s1"}
    assert applied(to_data(running), made.payload) == to_data(to_tree(rendered(wanted)))


def test_a_cage_is_put_together_after_its_parts_are_gone() -> None:
    before = split_leaf()
    ports = [port for port in before.interfaces if not port.name.startswith("swp10s")]
    after = in_order(
        replace(
            before,
            breakouts=tuple(each for each in before.breakouts if each.port != 10),
            interfaces=(*ports, unused("swp10")),
        ),
        PLATFORM.facts.sort_key,
    )
    running = to_tree(rendered(before))
    made = PLATFORM.candidate(running, owned_of(after, running), to_tree(rendered(after)))
    assert made.payload["delete"] == (
        "/interface/swp10s0",
        "/interface/swp10s1",
        "/interface/swp10/link/breakout",
    )
    assert made.payload["patch"] == {"interface": {"swp10": {"link": {"state": {"down": {}}}}}}
    assert {PLATFORM.disruption(change) for change in made.changes} >= {Disruption.PORT_FLAP}


def test_a_cage_split_otherwise_changes_its_mode_and_keeps_its_key() -> None:
    before = split_leaf()
    after = replace(before, breakouts=tuple(replace(each, lanes=4) for each in before.breakouts[:1]))
    running = to_tree(rendered(replace(before, breakouts=(replace(before.breakouts[0], ways=4, lanes=2),))))
    made = PLATFORM.candidate(running, owned_of(after, running), to_tree(rendered(after)))
    assert made.payload == {
        "delete": ("/interface/swp1/link/breakout/4x",),
        "patch": {"interface": {"swp1": {"link": {"breakout": {"2x": {"lanes-per-port": "4"}}}}}},
    }


@pytest.mark.parametrize(
    "path",
    [
        ("interface", "swp1", "link", "breakout", "2x"),
        ("interface", "swp1", "link", "breakout", "2x", 'lanes-per-port: "4"'),
        ("interface", "swp1s0", "link", 'speed: "400G"'),
        ("interface", "swp1s0", "link", 'fec: "rs"'),
        ("interface", "swp1s0", "link", 'auto-negotiate: "on"'),
        ("interface", "swp4", "link", "state", "down"),
    ],
)
def test_layer_1_changes_take_the_port_down(path: tuple[str, ...]) -> None:
    assert PLATFORM.disruption(Change(path, "+")) is Disruption.PORT_FLAP


MANAGED = {
    "system": {"control-plane": {"acl": {"ACL-CPU": {"inbound": {}}}}},
    "interface": {
        "eth0": {"acl": {"ACL-PORT": {"inbound": {}}}},
        "swp1": {"acl": {"COMPUTE-HOSTS": {"inbound": {}}, "ACL-LOCAL": {"inbound": {"control-plane": {}}}}},
    },
}


@pytest.mark.parametrize("name", ["ACL-CPU", "ACL-PORT", "ACL-LOCAL"])
def test_a_list_on_our_own_path_is_protected_and_any_other_is_not(name: str) -> None:
    patterns = PLATFORM.management_path(PLATFORM.to_tree(json.dumps(MANAGED)))
    assert any(re.match(pattern, f"acl / {name} / rule / 10") for pattern in patterns)
    for line in ("acl / COMPUTE-HOSTS / rule / 10", "interface / swp1 / acl / COMPUTE-HOSTS", f"acl / {name}-2 / type"):
        assert not any(re.match(pattern, line) for pattern in (*PLATFORM.protected, *patterns))


def rule_of_a_list(ports: dict[str, object] | None) -> dict[str, object]:
    match = {"ip": {"protocol": "tcp", "tcp": ports}}
    return {"acl": {"A": {"rule": {"30": {"action": {"permit": {}}, "match": match}}}}}


def test_the_word_any_that_the_switch_adds_for_a_port_is_no_change_of_its_own() -> None:
    ssh, anything = {"22": {}}, {"ANY": {}}
    gone = {"acl": {"A": {"rule": {"30": None}}}}
    for ports in ({"dest-port": ssh}, {"source-port": ssh}):
        filled = {"source-port": anything, "dest-port": anything, **ports}
        shown = server_changes(diff_text(rule_of_a_list(filled), gone))
        assert shown == server_changes(diff_text(rule_of_a_list(dict(ports)), gone))
        assert any(change.path[-2:] == (*ports, "22") for change in shown)
    both = {"source-port": anything, "dest-port": anything}
    shown = server_changes(diff_text(rule_of_a_list(both), gone))
    assert shown == server_changes(diff_text(rule_of_a_list(None), gone))


def test_a_port_that_a_rule_begins_to_say_is_new_and_its_other_port_is_not() -> None:
    def ports(**keys: object) -> dict[str, object]:
        return {"acl": {"A": {"rule": {"30": {"match": {"ip": {"tcp": {"dest-port": keys}}}}}}}}

    path = ("acl", "A", "rule", "30", "match", "ip", "tcp", "dest-port")
    coming, going = ports(**{"22": {}, "ANY": None}), ports(**{"22": None, "ANY": {}})
    assert server_changes(diff_text(coming, going)) == {Change(path, "+"), Change((*path, "22"), "+")}
    assert server_changes(diff_text(going, coming)) == {Change(path, "-"), Change((*path, "22"), "-")}
