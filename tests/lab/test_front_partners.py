"""Partners of groups of a front fabric, on both systems that show them: as recorded, and when a hand changed a rate."""

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

EOS, NXOS = "front-leaf-g1", "front-leaf-g2"
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000"}
COMMAND = "show lacp neighbor"


def test_eos_shows_partners_in_the_keys_and_kinds_that_were_recorded(front: Operator) -> None:
    recorded = json.loads(stdout_of("eos_show/lacp.txt", COMMAND))["portChannels"]["Port-Channel101"]["interfaces"]
    shown = front.hands()[f"{EOS}-a"].shown(COMMAND)["portChannels"]["Port-Channel1"]["interfaces"]
    assert dict(shapes(shown["Ethernet1"])) == dict(shapes(recorded["Ethernet1"]))


def forms(text: str) -> set[str]:
    """Lines with every number and address as one character, and blanks as one."""
    return {" ".join(re.sub(r"[0-9a-fx]*\d[0-9a-fx,-]*", "#", line).split()) for line in text.splitlines()}


def test_nxos_shows_partners_in_lines_as_recorded(front: Operator) -> None:
    (text,) = front.hands()[f"{NXOS}-a"].nxapi(COMMAND)
    assert forms(text) == forms(stdout_of("nxos_show/lacp_neighbor_text.txt", COMMAND))


def partners(report: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Failed findings, by switch and group."""
    return {
        (each["device"], each["port"]): each
        for each in report["findings"]
        if each["check"] == "partners" and each["verdict"] == "fail"
    }


def test_a_slow_member_of_a_peer_link_is_named_at_the_other_switch_and_repaired_by_just_that(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-a"].configure("interface Ethernet55/1", "no lacp timer fast")
    hands[f"{NXOS}-a"].configure("interface Ethernet1/53", "no lacp rate fast")
    report = front.json("validate", code=8)
    wrong = partners(report)
    assert wrong.keys() == {(f"{pair}-b", link) for pair, link in LINK.items()}
    for (device, _), each in wrong.items():
        assert each["expected"] == "one partner, fast"
        assert each["found"].endswith(", slow and fast")
        assert each["cause"].startswith(f"config {device[:-1]}a Ethernet")
    assert len(report["causes"]) == 2
    repaired_by_a_push(front, before, switches=2)
