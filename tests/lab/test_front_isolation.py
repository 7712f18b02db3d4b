"""Isolation of the site with storage and business, proved on what its switches run: others' lines are among it."""

from __future__ import annotations

import pytest
from at_terminal import Operator

pytestmark = pytest.mark.xdist_group("front-site")

LEAF = "front-leaf-g1-a"
SVI = "interface Vlan200"
PROCESS = "router bgp 4200200000"
THEIRS = "neighbor 203.0.113.9 remote-as 64999"


def test_what_the_switches_run_is_proved_as_what_is_rendered_with_all_lines_of_others(front: Operator) -> None:
    assert front.run("prove", "--running").strip().endswith("isolation 24 of 24 pairs")
    assert front.json("prove", "--running") == front.json("prove")


def test_a_list_that_a_hand_took_off_a_gateway_is_named_in_what_runs_and_not_in_what_is_rendered(
    front: Operator,
) -> None:
    front.hands()[LEAF].configure(SVI, "no ip access-group STORAGE-V200-IN in")
    shown = front.run("prove", "--running", code=8)
    assert f"{LEAF} Vlan200: no access list in" in shown
    assert "isolation 24 of 24 pairs" in front.run("prove")
    assert "1 of 10 changed" in front.run("push", "--plane", "storage", "--yes")
    front.run("prove", "--running")


def test_a_session_of_others_in_our_routing_leaves_pairs_open(front: Operator) -> None:
    front.hands()[LEAF].configure(PROCESS, THEIRS)
    found = front.run("prove", "--running", code=9)
    assert f"{LEAF}: isolation could not be told" in found
    assert f"{PROCESS} / {THEIRS}" in found
    assert "isolation 0 of 24 pairs, 24 could not be told" in found
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
    assert "0 of 24 pairs" in found
