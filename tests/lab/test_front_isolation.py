"""Isolation of the site with storage and business, proved on what its switches run: others' lines are among it."""

from __future__ import annotations

import re

import pytest
from at_terminal import Operator

pytestmark = pytest.mark.xdist_group("front-site")

LEAF = "front-leaf-g1-a"
SVI = "interface Vlan200"
PROCESS = "router bgp 4200200000"
OF_CABLES = ("class-path", "pfc", "headroom-fits", "mtu", "layer-1", "ecn-before-pfc")
THEIRS = "neighbor 203.0.113.9 remote-as 64999"


def test_what_the_switches_run_is_proved_as_what_is_rendered_with_all_lines_of_others(front: Operator) -> None:
    assert front.run("prove", "--running", "--only", "isolation").strip().endswith("isolation 44 of 44 pairs")
    found, rendered = front.json("prove", "--running"), front.json("prove")
    apart = {"time", "command"}
    assert {key: found[key] for key in found.keys() - apart} == {key: rendered[key] for key in rendered.keys() - apart}
    assert {each["proof"]: each["failed"] for each in found["proofs"]} == dict.fromkeys(OF_CABLES, 0)


def test_an_mtu_that_a_hand_changed_is_quoted_with_the_other_end(front: Operator) -> None:
    leaf = front.hands()[LEAF]
    port = re.findall(
        r"(?m)^interface (Ethernet\S+)\n +description front-spine-1 ", leaf.eapi("show running-config")[0]["output"]
    )[0]
    leaf.configure(f"interface {port}", "mtu 9000")
    shown = front.run("prove", "--running", "--only", "mtu", code=8)
    assert "another MTU at each end" in shown
    assert re.search(rf"running configuration of {LEAF}:\d+: interface {re.escape(port)} / mtu 9000", shown)
    assert "running configuration of front-spine-1: interface / swp" in shown
    front.run("prove", "--only", "mtu")
    assert "1 of 14 changed" in front.run("push", "--yes")
    front.run("prove", "--running", "--only", "mtu")


def test_a_list_that_a_hand_took_off_a_gateway_is_named_in_what_runs_and_not_in_what_is_rendered(
    front: Operator,
) -> None:
    front.hands()[LEAF].configure(SVI, "no ip access-group STORAGE-V200-IN in")
    shown = front.run("prove", "--running", code=8)
    assert f"{LEAF} Vlan200: no access list in" in shown
    assert "isolation 44 of 44 pairs" in front.run("prove")
    assert "1 of 10 changed" in front.run("push", "--plane", "storage", "--yes")
    front.run("prove", "--running")


def test_a_session_of_others_in_our_routing_leaves_pairs_open(front: Operator) -> None:
    front.hands()[LEAF].configure(PROCESS, THEIRS)
    found = front.run("prove", "--running", code=9)
    assert f"{LEAF}: isolation could not be told" in found
    assert f"{PROCESS} / {THEIRS}" in found
    assert "isolation 0 of 44 pairs, 44 could not be told" in found
    pairs = front.json("prove", "--running", code=9)["isolation"]["pairs"]
    assert {each["verdict"] for each in pairs} == {"could not tell"}
    front.hands()[LEAF].configure(PROCESS, f"no {THEIRS}")
    front.run("prove", "--running")


def test_a_switch_that_does_not_answer_leaves_pairs_open(front: Operator) -> None:
    front.control.ask("switch-off", device=LEAF)
    try:
        found = front.run("prove", "--running", code=9)
    finally:
        front.control.ask("switch-on", device=LEAF)
    assert f"{LEAF}: isolation could not be told" in found
    assert "could not be read" in found
    assert "0 of 44 pairs" in found
