"""Spanning tree as switches show it: a pair is the root of its trees, and ports of hosts forward as edge ports."""

from dataclasses import replace
from typing import Any

import pytest
from simulated import Network

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.switches.spanning_tree import check_trees
from nornir_tasks.platforms.observed import Observed

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
TREE = {EOS: "MST0", NXOS: "VLAN0200"}
TREES = {EOS: ("MST0",), NXOS: ("VLAN0200", "VLAN3967")}
"""All that a leaf shows; over VLAN 3967 both members of a pair route to one another."""
HOST = {EOS: "Port-Channel1", NXOS: "port-channel1", NVUE: "bond1"}


def found(network: Network) -> dict[tuple[str, str], Finding]:
    """By switch, and port or tree."""
    return {(each.device, each.port or each.subject): each for each in check_trees(network.evidence())}


def of_trees(cause: Cause) -> set[tuple[str, str]]:
    every = (cause.lead, *cause.follows)
    return {(each.device, each.port or each.subject) for each in every if each.check == "stp"}


def shows(network: Network, device: str, rows: str, which: tuple[str, str], changes: dict[str, Any]) -> None:
    def changed(seen: Observed) -> Observed:
        table = getattr(seen, rows)
        new = tuple(replace(each, **changes) if getattr(each, which[0]) == which[1] else each for each in table)
        return replace(seen, **{rows: new})

    network.show_more(device, changed)


def tree_shows(network: Network, device: str, **changes: Any) -> None:
    shows(network, device, "trees", ("name", TREE[device[:-2]]), changes)


def port_shows(network: Network, device: str, **changes: Any) -> None:
    shows(network, device, "tree_ports", ("port", HOST[device[:-2]]), changes)


def test_every_tree_that_is_shown_and_every_edge_port_is_judged_at_both_switches_and_passes() -> None:
    findings = found(Network("front"))
    trees = {(f"{pair}-{leaf}", name) for pair, names in TREES.items() for name in names for leaf in "ab"}
    hosts = {(f"{pair}-{leaf}", f"{HOST[pair][:-1]}{number}") for pair in TREE for leaf in "ab" for number in (1, 2)}
    bonds = {(f"{pair}-{leaf}", "bond1") for pair in ("front-leaf-g3", NVUE) for leaf in "ab"}
    bonds |= {
        (f"{NVUE}-{leaf}", bond) for bond in ("bond5", "bond6") for leaf in "ab"
    }  # to the machines of the way out
    assert findings.keys() == trees | hosts | bonds
    assert {each.verdict for each in findings.values()} == {Verdict.PASS}
    assert {pair: findings[f"{pair}-a", HOST[pair]].expected for pair in HOST} == {
        EOS: "forwards, edge port",
        NXOS: "forwards",
        NVUE: "forwards, edge port, BPDU guard",
    }
    roots = {findings[f"{NXOS}-{leaf}", TREE[NXOS]].found for leaf in "ab"}
    assert len(roots) == 1 and roots < {f"root is {NXOS}-{leaf}, priority 4096" for leaf in "ab"}


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_each_field_that_is_shown_of_a_tree_is_judged(pair: str) -> None:
    for change in ({"name": "MST9"}, {"root": "02:00:5e:00:00:99"}, {"priority": 0}, {"bridge": "02:00:5e:00:00:99"}):
        network = Network("front")
        for leaf in "ab":
            tree_shows(network, f"{pair}-{leaf}", **change)
        bad = network.judge().failed
        assert {(each.check, each.subject) for each in bad} == {("stp", TREE[pair])}
        assert all(each.found != each.expected for each in bad)


def test_each_field_that_is_shown_of_a_port_is_judged() -> None:
    for pair, fields in {
        EOS: ("port", "forwards", "edge"),
        NXOS: ("port", "forwards"),
        NVUE: ("edge", "guarded"),
    }.items():
        for field in fields:
            network = Network("front")
            port_shows(network, f"{pair}-a", **{field: "Ethernet99" if field == "port" else False})
            (bad,) = network.judge().failed
            assert (bad.check, bad.device, bad.port) == ("stp", f"{pair}-a", HOST[pair])
            assert bad.found != bad.expected


def test_a_port_that_blocks_is_named_by_the_switchs_word_and_leads() -> None:
    network = Network("front")
    port_shows(network, f"{NXOS}-a", forwards=False, state="BLK")
    (cause,) = network.judge().causes
    assert cause.lead.message == f"{NXOS}-a port-channel1: BLK"
    assert of_trees(cause) == {(f"{NXOS}-a", "port-channel1")}


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_a_stranger_that_is_the_root_is_one_cause_for_both_with_its_address(pair: str) -> None:
    network = Network("front")
    for leaf in "ab":
        tree_shows(network, f"{pair}-{leaf}", root="02:00:5e:00:00:99", priority=0)
    (cause,) = network.judge().causes
    assert of_trees(cause) == {(f"{pair}-{leaf}", TREE[pair]) for leaf in "ab"}
    assert cause.lead.expected == f"root is one of {pair}-a and {pair}-b, priority 4096"
    assert cause.lead.found == "root is 02:00:5e:00:00:99, priority 0"


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_another_priority_in_the_lines_of_one_switch_is_their_cause_at_both(pair: str) -> None:
    network = Network("front")
    lines = network.running[f"{pair}-b"].spanning_tree
    assert lines is not None
    network.config(f"{pair}-b", spanning_tree=replace(lines, priority=8192))
    (cause,) = network.judge().causes
    assert of_trees(cause) == set()  # the other one is the root still
    for leaf in "ab":
        network.config(f"{pair}-{leaf}", spanning_tree=replace(lines, priority=8192))
    causes = network.judge().causes
    assert {(each.lead.check, each.lead.device) for each in causes} == {("config", f"{pair}-{leaf}") for leaf in "ab"}
    assert set().union(*map(of_trees, causes)) == {(f"{pair}-{leaf}", name) for name in TREES[pair] for leaf in "ab"}


def test_a_port_that_its_lines_make_no_edge_port_follows_them() -> None:
    network = Network("front")
    network.port(f"{NVUE}-a", "bond1", edge=False)
    (cause,) = network.judge().causes
    assert cause.lead.check == "config"
    assert of_trees(cause) == {(f"{NVUE}-a", "bond1")}
    assert found(network)[f"{NVUE}-a", "bond1"].found == "forwards, no edge port, no BPDU guard"


@pytest.mark.parametrize("pair", [EOS, NXOS, NVUE])
def test_a_group_that_is_shut_is_in_no_tree_and_follows_its_lines(pair: str) -> None:
    network = Network("front")
    network.port(f"{pair}-a", HOST[pair], enabled=False)
    (cause,) = network.judge().causes
    assert of_trees(cause) == {(f"{pair}-a", HOST[pair])}


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_switches_whose_peer_link_is_out_are_each_a_root_and_no_failure(pair: str) -> None:
    network = Network("front")
    leaves = {f"{pair}-{leaf}" for leaf in "ab"}
    network.cut = {name for name, ends in network.cables.items() if {end.device for end in ends} == leaves}
    assert {found(network)[leaf, TREE[pair]].found for leaf in leaves} == {
        f"root is {leaf}, priority 4096" for leaf in leaves
    }
    assert {each.lead.check for each in network.judge().causes} == {"port"}


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_a_root_that_may_be_a_peer_that_was_not_read_could_not_be_told_and_follows_its_silence(pair: str) -> None:
    network = Network("front")
    root = found(network)[f"{pair}-a", TREE[pair]].found.split()[2].rstrip(",")
    other = f"{pair}-{'b' if root.endswith('a') else 'a'}"
    network.silence(root, dead=False)
    (cause,) = network.judge().causes
    assert cause.lead.check == "reach"
    assert (other, TREE[pair]) in of_trees(cause)
    assert found(network)[other, TREE[pair]].verdict is Verdict.ERROR


def test_a_switch_that_shows_no_trees_could_not_be_told_by_one_cause() -> None:
    network = Network("front")
    network.shows(f"{EOS}-a", lambda seen: replace(seen, trees=None, tree_ports=None))
    undecided = {(each.device, each.port or each.subject) for each in network.judge().undecided}
    assert {(f"{EOS}-a", each) for each in ("MST0", "Port-Channel1", "Port-Channel2")} <= undecided
