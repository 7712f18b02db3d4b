"""The pairs of a front fabric, on switches of three systems: what they show of themselves, and of a lost member."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from by_hand import Hand

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import stdout_of

pytestmark = pytest.mark.xdist_group("front-site")

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
STATE_BY = {"eos": "show mlag detail", "nxos": "show vpc", "nvue": "mlag"}


def shapes(value: Any, at: str = "") -> Iterator[tuple[str, type]]:
    """Every key with the kind of its value; NX-OS prints one row as a list of one or as itself."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{at}/{key}", dict if isinstance(below, list) else type(below)
            yield from shapes(below, f"{at}/{key}")
    for each in value if isinstance(value, list) else ():
        yield from shapes(each, at)


@pytest.mark.parametrize(
    ("leaf", "command", "recording", "recorded_command"),
    [
        (f"{EOS}-a", "show mlag detail", "eos_show/mlag.txt", "show mlag detail"),
        (f"{EOS}-a", "show mlag config-sanity", "eos_show/mlag_config_sanity.txt", "show mlag config-sanity"),
        (f"{NXOS}-a", "show vpc", "nxos_show/vpc.txt", "show vpc | json native"),
    ],
)
def test_a_pair_is_shown_in_the_keys_and_kinds_that_were_recorded(
    front: Operator, leaf: str, command: str, recording: str, recorded_command: str
) -> None:
    recorded = dict(shapes(json.loads(stdout_of(recording, recorded_command))))
    shown = dict(shapes(front.hands()[leaf].shown(command)))
    assert {key: kind for key, kind in shown.items() if recorded.get(key) != kind} == {}
    assert len(shown) > len(recorded) / 2


def test_what_both_compare_is_shown_in_rows_as_recorded(front: Operator) -> None:
    command = "show vpc consistency-parameters global"
    recorded = json.loads(stdout_of("nxos_show/vpc_consistency.txt", f"{command} | json-pretty"))
    (row,) = recorded["TABLE_vpc_consistency"]["ROW_vpc_consistency"]
    text = stdout_of("nxos_show/vpc_consistency_text.txt", command)
    for each in front.hands()[f"{NXOS}-a"].shown(command)["TABLE_vpc_consistency"]["ROW_vpc_consistency"]:
        assert each.keys() == row.keys()
        assert f"{each['vpc-param-name']:<28}{each['vpc-param-type']}" in text
        assert each["vpc-param-local-val"] == each["vpc-param-peer-val"]


def test_cumulus_linux_shows_the_rows_of_its_table(front: Operator) -> None:
    table = stdout_of("nvue_show/pair_reference.txt", "nv show mlag")
    rows = {line.split()[0].strip("[]") for line in table.splitlines()[2:]}
    for leaf in (f"{NVUE}-a", f"{NVUE}-b"):
        assert front.hands()[leaf].shown("mlag").keys() - {"state"} == rows - {"enable", "debug"}


def up(hand: Hand) -> tuple[bool, bool]:
    """Of a member's peer: over the peer link, and by its keepalive."""
    shown = hand.shown(STATE_BY[hand.os])
    if hand.os == "eos":
        return shown["negStatus"] == "connected", shown["detail"]["udpHeartbeatAlive"]
    if hand.os == "nxos":
        return shown["vpc-peer-status"] == "peer-ok", shown["vpc-peer-keepalive-status"] == "peer-alive"
    return shown["peer-alive"] == "True", shown["backup-active"] == "True"


@pytest.mark.parametrize("pair", [EOS, NXOS, NVUE])
def test_a_member_without_power_is_gone_for_the_other_which_becomes_primary(front: Operator, pair: str) -> None:
    hands = front.hands()
    assert [up(hands[f"{pair}-{leaf}"]) for leaf in "ab"] == [(True, True)] * 2
    left = hands[f"{pair}-b"]
    front.control.ask("switch-off", device=f"{pair}-a")
    try:
        assert up(left) == (False, False)
        assert role(left) in {"primary", "secondary-primary"}
    finally:
        front.control.ask("switch-on", device=f"{pair}-a")
    assert [up(hands[f"{pair}-{leaf}"]) for leaf in "ab"] == [(True, True)] * 2
    assert role(left) == "secondary"


def role(hand: Hand) -> str:
    shown = hand.shown(STATE_BY[hand.os])
    if hand.os == "eos":
        return str(shown["detail"]["mlagState"])
    return str(shown["vpc-role" if hand.os == "nxos" else "local-role"])
