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
DETECTING = {"eos_show/mlag.txt": "eos_show/front_states.txt"}
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
    if recording in DETECTING:  # of a pair that looks for two primaries, only what is more was published
        recorded |= dict(shapes(json.loads(stdout_of(DETECTING[recording], recorded_command))))
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


PAIRS = (EOS, NXOS, NVUE)
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}


def of_pairs(report: Any, subject: str) -> dict[str, dict[str, Any]]:
    """Failed findings on this subject, by switch."""
    return {
        each["device"]: each
        for each in report["findings"]
        if each["check"] == "pairs" and each["id"].split()[-1] == subject and each["verdict"] == "fail"
    }


def repaired_by_a_push(front: Operator, before: dict[str, str], switches: int) -> None:
    assert f"{switches} of 14 changed" in front.run("push", "--yes")
    assert front.running() == before
    report = front.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])


def members(*pairs: str) -> set[str]:
    return {f"{pair}-{leaf}" for pair in pairs for leaf in "ab"}


def test_a_peer_link_shut_by_hand_takes_the_pair_along_at_both_members_and_is_one_cause(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    for pair in (EOS, NXOS):
        hands[f"{pair}-a"].configure(f"interface {LINK[pair]}", "shutdown")
    hands[f"{NVUE}-a"].nvue({"interface": {"peerlink": {"link": {"state": {"down": {}}}}}})
    report = front.json("validate", code=8)
    apart = of_pairs(report, "peer")
    assert apart.keys() == members(*PAIRS)
    assert apart[f"{EOS}-b"]["expected"] == f"peer in domain {EOS} over Port-Channel1000"
    assert apart[f"{EOS}-b"]["found"] == f"no peer in domain {EOS} over Port-Channel1000 (connecting)"
    assert apart[f"{NXOS}-a"]["found"].endswith("(peer-link-down)")
    assert apart[f"{NVUE}-b"]["found"].endswith("(not alive)")
    assert of_pairs(report, "keepalive").keys() == members(EOS)  # its secondary has disabled its uplinks as well
    for pair, uplinks in ((EOS, False), (NXOS, True), (NVUE, True)):
        assert [up_ports(hands, f"{pair}-{leaf}") for leaf in "ab"] == [(True, True), (False, uplinks)], pair
    assert len(report["causes"]) == len(PAIRS), report["causes"]
    assert {each["cause"].split()[1] for each in apart.values()} == {f"{pair}-a" for pair in PAIRS}
    repaired_by_a_push(front, before, switches=3)


def up_ports(hands: dict[str, Hand], leaf: str) -> tuple[bool, bool]:
    """Is one of its hosts' groups up, and is one of its uplinks?"""
    names = {EOS: ("Port-Channel1", "Ethernet53/1"), NXOS: ("port-channel1", "Ethernet1/51"), NVUE: ("bond1", "swp53")}
    group, uplink = (shown_up(hands[leaf], name) for name in names[leaf.rpartition("-")[0]])
    return group, uplink


def shown_up(hand: Hand, name: str) -> bool:
    if hand.os == "eos":
        return bool(hand.shown("show interfaces")["interfaces"][name]["lineProtocolStatus"] == "up")
    if hand.os == "nxos":
        rows = hand.shown("show interface")["TABLE_interface"]["ROW_interface"]
        return bool(next(each["state"] for each in rows if each["interface"] == name) == "up")
    return bool(hand.shown(f"interface/{name}")["link"]["oper-status"] == "up")


def test_another_domain_set_by_hand_is_named_with_both_values(front: Operator) -> None:
    """Members of another domain are no peers on EOS and NX-OS; on Cumulus Linux they are, with another MAC address."""
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-a"].configure("mlag configuration", "domain-id somebody")
    keepalive = [line for line in before[f"{NXOS}-a"].splitlines() if "peer-keepalive destination" in line]
    hands[f"{NXOS}-a"].configure("no vpc domain 2", "vpc domain 77", *keepalive)
    hands[f"{NVUE}-a"].nvue({"mlag": {"mac-address": "44:38:39:ff:00:77"}})
    report = front.json("validate", code=8)
    wrong = of_pairs(report, "peer")
    assert wrong.keys() == {*members(EOS, NXOS), f"{NVUE}-a"}
    for leaf, wanted, found in (
        (f"{EOS}-a", f"peer in domain {EOS} over", "no peer in domain somebody over"),
        (f"{EOS}-b", f"peer in domain {EOS} over", f"no peer in domain {EOS} over"),
        (f"{NXOS}-a", "peer in domain 2 over", "no peer in domain 77 over"),
        (f"{NXOS}-b", "peer in domain 2 over", "no peer in domain 2 over"),
        (f"{NVUE}-a", "peer in domain 44:38:39:ff:00:04 over", "peer in domain 44:38:39:ff:00:77 over"),
    ):
        assert wrong[leaf]["expected"].startswith(wanted)
        assert wrong[leaf]["found"].startswith(found)
    assert len(report["causes"]) == len(PAIRS)
    repaired_by_a_push(front, before, switches=3)


def test_a_keepalive_sent_elsewhere_by_hand_is_named_at_both_members_and_leaves_the_peers_up(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-b"].configure("mlag configuration", "peer-address heartbeat 192.0.2.9")
    hands[f"{NXOS}-b"].configure("vpc domain 2", "peer-keepalive destination 192.0.2.9 source 192.0.2.8 vrf default")
    (backup,) = hands[f"{NVUE}-b"].shown("mlag")["backup"]
    hands[f"{NVUE}-b"].nvue({"mlag": {"backup": {"192.0.2.9": {}}}}, delete=f"mlag/backup/{backup}")
    report = front.json("validate", code=8)
    silent = of_pairs(report, "keepalive")
    assert silent.keys() == members(*PAIRS)
    assert silent[f"{NVUE}-b"]["expected"] == f"keepalive of {backup} heard"
    assert silent[f"{NVUE}-b"]["found"] == f"keepalive of {backup} not heard"
    assert of_pairs(report, "peer") == {}
    assert len(report["causes"]) == len(PAIRS)
    repaired_by_a_push(front, before, switches=3)


def test_what_a_hand_made_otherwise_on_one_member_is_named_at_both_with_both_values(front: Operator) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{EOS}-a"].configure("mlag configuration", "dual-primary detection delay 9 action errdisable all-interfaces")
    hands[f"{NXOS}-b"].configure("interface Vlan200", "shutdown")
    report = front.json("validate", code=8)
    found = {name: each["found"] for name, each in of_pairs(report, "likeness").items()}
    assert found == {
        f"{EOS}-a": "mlag dual-primary-detection-delay: 9 here, 5 there",
        f"{EOS}-b": "mlag dual-primary-detection-delay: 5 here, 9 there",
        f"{NXOS}-a": "Interface-vlan admin up: 200,3967 here, 3967 there",
        f"{NXOS}-b": "Interface-vlan admin up: 3967 here, 200,3967 there",
    }
    assert len(report["causes"]) == 2
    repaired_by_a_push(front, before, switches=2)


def bridged(**settings: Any) -> dict[str, Any]:
    return {"bridge": {"domain": {"br_default": settings}}}


CONFLICTS: list[tuple[str, str, dict[str, Any], str, bool]] = [
    ("a", "peerlink-native-vlan: - here, 1 there", {"interface": {"peerlink": bridged(untagged="none")}}, "", True),
    ("b", "peerlink-mtu: 9000 here, 9216 there", {"interface": {"peerlink": {"link": {"mtu": 9000}}}}, "", True),
    ("a", "bridge-priority: 8192 here, 4096 there", bridged(stp={"priority": 8192}), "", True),
    ("b", "bond1 mtu: 1500 here, 9216 there", {"interface": {"bond1": {"link": {"mtu": 1500}}}}, "", False),
    (
        "a",
        "peerlink-vlans: 1, 310, 390, 999 here, 1, 310, 390 there",
        {"interface": {"peerlink": bridged(vlan={"999": {}})}},
        "interface/peerlink/bridge/domain/br_default/vlan/999",
        False,
    ),
    ("a", "bridge-stp-mode: pvrst here, rstp there", bridged(stp={"mode": "pvrst"}), "", True),
    ("b", "bond1 native-vlan: 390 here, 310 there", {"interface": {"bond1": bridged(access=390)}}, "", True),
    ("a", "bond1 vlan-id: 390 here, 310 there", {"interface": {"bond1": bridged(access=390)}}, "", True),
]
"""Member of a Cumulus pair, the row it then shows, what a hand sets, what it unsets later, whether bonds go down."""


@pytest.mark.parametrize(
    ("leaf", "row", "patch", "unset", "holds_down"), CONFLICTS, ids=[each[1] for each in CONFLICTS]
)
def test_a_line_altered_on_one_member_of_a_cumulus_pair_is_named_by_its_row_with_both_values(
    front: Operator, leaf: str, row: str, patch: dict[str, Any], unset: str, holds_down: bool
) -> None:
    before, hands = front.running(), front.hands()
    hands[f"{NVUE}-{leaf}"].nvue(patch)
    shown = [hands[f"{NVUE}-{each}"].shown("interface/bond1")["link"]["oper-status"] for each in "ab"]
    assert shown == ["up", "down" if holds_down else "up"]
    report = front.json("validate", code=8)
    unlike = of_pairs(report, "likeness")
    assert unlike.keys() == members(NVUE)
    assert row in unlike[f"{NVUE}-{leaf}"]["found"].split("; ")
    assert len(report["causes"]) == 1
    if unset:
        hands[f"{NVUE}-{leaf}"].nvue(delete=unset)
        assert front.running() == before
    else:
        repaired_by_a_push(front, before, switches=1)


def test_a_bond_taken_out_of_the_bridge_is_held_down_where_it_was_and_on_the_secondary(front: Operator) -> None:
    """On the primary it is no member of the bridge, on the secondary its native VLAN differs."""
    before, hands = front.running(), front.hands()
    hands[f"{NVUE}-a"].nvue(delete="interface/bond1/bridge")
    shown = [hands[f"{NVUE}-{each}"].shown("interface/bond1")["link"]["oper-status"] for each in "ab"]
    assert shown == ["down", "down"]
    unlike = of_pairs(front.json("validate", code=8), "likeness")
    rows = unlike[f"{NVUE}-a"]["found"].split("; ")
    assert "bond1 native-vlan: - here, 310 there" in rows
    assert any(each.startswith("bond1 master (clag interface is not a bridge member): - here") for each in rows)
    repaired_by_a_push(front, before, switches=1)


VPC_1 = "interface port-channel1"
MTU = "vPC 1: inconsistent here, vPC type-1 configuration incompatible - MTU inconsistent there"
IDENTICAL: dict[str, tuple[tuple[str, ...], int, tuple[str, str]]] = {
    "MTU": ((VPC_1, "mtu 1500"), 1, (MTU, MTU)),
    "STP Mode": (
        ("spanning-tree mode mst",),
        2,
        ("STP Mode: MST here, Rapid-PVST there", "STP Mode: Rapid-PVST here, MST there"),
    ),
}
"""Row -> what a hand types at the primary, how many of two vPCs the secondary suspends, what both are said to show."""


@pytest.mark.parametrize("row", IDENTICAL)
def test_a_vpc_that_differs_in_what_must_be_identical_is_suspended_on_the_secondary_and_named(
    front: Operator, row: str
) -> None:
    before, hands = front.running(), front.hands()
    lines, count, named = IDENTICAL[row]
    hands[f"{NXOS}-a"].configure(*lines)
    states = [hands[f"{NXOS}-{each}"].shown("show vpc")["TABLE_vpc"]["ROW_vpc"] for each in "ab"]
    assert [[each["vpc-port-state"] for each in rows] for rows in states] == [[1, 1], [0, 2 - count]]
    report = front.json("validate", code=8)
    found = {name: each["found"] for name, each in of_pairs(report, "likeness").items()}
    assert found == dict(zip(sorted(members(NXOS)), named, strict=True))
    assert len(report["causes"]) == 1
    if row == "STP Mode":  # another mode is somebody's: a push takes it over if asked to
        assert "--adopt" in front.run("push", "--yes", code=7)
        front.run("push", "--yes", "--adopt", f"{NXOS}-a:{lines[0]}")
        assert front.running() == before
    else:
        repaired_by_a_push(front, before, switches=1)


def test_a_member_without_power_is_one_cause_that_says_what_the_other_one_carries(front: Operator) -> None:
    for pair in (NXOS, NVUE):
        front.control.ask("switch-off", device=f"{pair}-a")
    try:
        report = front.json("validate", code=8)
    finally:
        for pair in (NXOS, NVUE):
            front.control.ask("switch-on", device=f"{pair}-a")
    assert report["causes"] == [f"reach {NXOS}-a", f"reach {NVUE}-a"]
    remedies = {each["device"]: each["remedy"] for each in report["findings"] if each["check"] == "reach"}
    assert remedies[f"{NXOS}-a"].endswith(f"; {NXOS}-b carries on alone: 2 of 2 groups over both are up")
    assert remedies[f"{NVUE}-a"].endswith(f"; {NVUE}-b carries on alone: 3 of 3 groups over both are up")
    assert of_pairs(report, "peer").keys() == of_pairs(report, "keepalive").keys() == {f"{NXOS}-b", f"{NVUE}-b"}
    assert front.json("validate")["failed"] == 0


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_a_vlan_that_a_hand_suspends_is_one_cause(front: Operator, pair: str) -> None:
    """Its gateway, its tree and what the peer link carries follow."""
    before, hand = front.running(), front.hands()[f"{pair}-a"]
    hand.configure("vlan 200", "state suspend")
    report = front.json("validate", code=8)
    assert [cause.split(" ", 2)[:2] for cause in report["causes"]] == [["config", f"{pair}-a"]], report["causes"]
    assert report["failed"] > 3
    repaired_by_a_push(front, before, switches=1)
