"""What trunks of a front fabric carry, on switches of three systems: as they show it, and when a hand changed it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from test_front_pairs import repaired_by_a_push, shapes

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import stdout_of

pytestmark = pytest.mark.xdist_group("front-site")

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"


def keys(value: Any) -> dict[str, type]:
    """As ``shapes``, whatever the numbers of VLANs and the names of ports."""
    found = {}
    for key, kind in shapes(value):
        parts = [
            "*" if part.isdecimal() or (part[:1].isupper() and part[-1:].isdecimal()) else part
            for part in key.split("/")
        ]
        found["/".join("*" if part == "Cpu" else part for part in parts)] = kind
    return found


@pytest.mark.parametrize(
    ("leaf", "recording", "recorded_command"),
    [
        (f"{EOS}-a", "eos_show/vlan.txt", "show vlan brief"),
        (f"{NXOS}-a", "nxos_show/vlan.txt", "show vlan brief | json native"),
    ],
)
def test_vlans_are_shown_in_the_keys_and_kinds_that_were_recorded(
    front: Operator, leaf: str, recording: str, recorded_command: str
) -> None:
    recorded = keys(json.loads(stdout_of(recording, recorded_command)))
    assert keys(front.hands()[leaf].shown("show vlan brief")) == recorded


def trunks(report: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Failed findings on trunks, by switch and port."""
    return {
        (each["device"], each["port"]): each
        for each in report["findings"]
        if each["check"] == "trunks" and each["verdict"] == "fail"
    }


def test_a_vlan_out_of_a_trunk_is_named_with_port_and_both_values_and_repaired_by_just_that(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-b"].configure("interface Port-Channel1", "switchport trunk allowed vlan 200")
    hands[f"{NXOS}-a"].configure("interface port-channel1000", "switchport trunk allowed vlan none")
    other = {"bridge": {"domain": {"br_default": {"vlan": {"999": {}}}}}}  # with no list a port carries all VLANs
    hands[f"{NVUE}-b"].nvue({"interface": {"peerlink": other}}, "interface/peerlink/bridge/domain/br_default/vlan/310")
    report = front.json("validate", code=8)
    wrong = trunks(report)
    assert {key: (each["expected"], each["found"]) for key, each in wrong.items()} == {
        (f"{EOS}-b", "Port-Channel1"): ("carries VLANs 200, 300", "carries VLANs 200"),
        (f"{NXOS}-a", "port-channel1000"): ("carries VLANs 200, 3967", "carries no VLAN"),
        (f"{NVUE}-b", "peerlink"): ("carries VLANs 1, 310, 390", "carries VLANs 1, 390"),
    }
    for (device, port), each in wrong.items():
        assert each["cause"].startswith(f"config {device} {port}")
    assert len(report["causes"]) == 3
    repaired_by_a_push(front, before, switches=3)


def test_a_vlan_that_was_suspended_is_carried_by_no_trunk_of_that_switch_alone(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-a"].configure("vlan 300", "state suspend")
    report = front.json("validate", code=8)
    assert trunks(report).keys() == {(f"{EOS}-a", f"Port-Channel{number}") for number in (1, 2, 1000)}
    hands[f"{EOS}-a"].configure("vlan 300", "state active")
    assert front.running() == before
