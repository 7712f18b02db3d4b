"""Spanning tree of a front fabric, on switches of three systems: what they show of it, and what a hand changed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from test_front_pairs import repaired_by_a_push, shapes

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import stdout_of

pytestmark = pytest.mark.xdist_group("front-site")

EOS, NXOS, NVUE, NEW_NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g3", "front-leaf-g4"


def test_eos_shows_its_tree_in_the_keys_and_kinds_that_were_recorded(front: Operator) -> None:
    recorded = json.loads(stdout_of("eos_show/spanning_tree.txt", "show spanning-tree"))
    shown = front.hands()[f"{EOS}-a"].shown("show spanning-tree")
    trees = [each["spanningTreeInstances"]["MST0"] for each in (recorded, shown)]
    kinds = [dict(shapes({**tree, "interfaces": next(iter(tree["interfaces"].values()))})) for tree in trees]
    assert kinds[0] == kinds[1]
    assert shown["spanningTreeInstances"].keys() == {"MST0"}


def forms(text: str) -> set[str]:
    """Lines with every number and address as one character, and blanks as one."""
    return {" ".join(re.sub(r"[0-9a-f]*\d[0-9a-f.]*", "#", line).split()) for line in text.splitlines()}


def test_nxos_shows_its_trees_in_lines_as_recorded(front: Operator) -> None:
    recorded = forms(stdout_of("nxos_show/spanning_tree_text.txt", "show spanning-tree"))
    for leaf in "ab":
        (text,) = front.hands()[f"{NXOS}-{leaf}"].nxapi("show spanning-tree")
        assert forms(text) - recorded == set()


def test_cumulus_linux_shows_the_rows_of_its_table(front: Operator) -> None:
    table = stdout_of("nvue_show/spanning_tree.txt", "nv show interface swp1 bridge domain br_default").splitlines()
    rows = {line.split()[0] for line in table[2:] if line.startswith("  ")}
    for pair in (NVUE, NEW_NVUE):
        shown = front.hands()[f"{pair}-a"].shown("interface/bond1/bridge/domain/br_default")
        assert shown["stp"].keys() <= rows
        assert shown["stp"]["state"] == "forwarding"


def trees(report: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Failed findings, by switch and port or tree."""
    return {
        (each["device"], each["port"] or each["id"].split()[-1]): each
        for each in report["findings"]
        if each["check"] == "stp" and each["verdict"] == "fail"
    }


def test_another_root_priority_is_named_at_both_switches_with_both_values_and_repaired_by_just_that(
    front: Operator,
) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-b"].configure("spanning-tree mst 0 priority 0")
    hands[f"{NXOS}-b"].configure("spanning-tree vlan 1-3967 priority 0")
    report = front.json("validate", code=8)
    wrong = trees(report)
    assert wrong.keys() == {
        (f"{pair}-{leaf}", tree)
        for pair, tree in ((EOS, "MST0"), (NXOS, "VLAN0200"), (NXOS, "VLAN3967"))
        for leaf in "ab"
    }
    for (device, _), each in wrong.items():
        pair = device[:-2]
        assert each["expected"].startswith(f"root is one of {device} and {pair}-")
        assert each["expected"].endswith(", priority 4096")
        assert each["found"].endswith(", priority 0")
        assert each["cause"].startswith(f"config {pair}-b")
    assert {wrong[f"{NXOS}-{leaf}", "VLAN0200"]["found"] for leaf in "ab"} == {f"root is {NXOS}-b, priority 0"}
    assert len(report["causes"]) == 2
    repaired_by_a_push(front, before, switches=2)


def test_a_port_of_hosts_that_is_no_edge_port_is_named_and_repaired_by_just_that(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-a"].configure("interface Port-Channel1", "no spanning-tree portfast")
    off = {"stp": {"admin-edge": "off", "bpdu-guard": "on"}}
    hands[f"{NVUE}-b"].nvue({"interface": {"bond1": {"bridge": {"domain": {"br_default": off}}}}})
    off = {"stp": {"admin-edge": "enabled", "bpdu-guard": "disabled"}}
    hands[f"{NEW_NVUE}-b"].nvue({"interface": {"bond1": {"bridge": {"domain": {"br_default": off}}}}})
    report = front.json("validate", code=8)
    assert {key: (each["expected"], each["found"]) for key, each in trees(report).items()} == {
        (f"{EOS}-a", "Port-Channel1"): ("forwards, edge port", "forwards, no edge port"),
        (f"{NVUE}-b", "bond1"): ("forwards, edge port, BPDU guard", "forwards, no edge port, BPDU guard"),
        (f"{NEW_NVUE}-b", "bond1"): ("forwards, edge port, BPDU guard", "forwards, edge port, no BPDU guard"),
    }
    assert len(report["causes"]) == 3
    repaired_by_a_push(front, before, switches=3)


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_of_a_pair_that_lost_a_member_the_other_one_is_the_root(front: Operator, pair: str) -> None:
    front.control.ask("switch-off", device=f"{pair}-a")
    try:
        report = front.json("validate", code=8)
    finally:
        front.control.ask("switch-on", device=f"{pair}-a")
    assert trees(report) == {}
    assert len(report["causes"]) == 1
