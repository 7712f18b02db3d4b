"""Redundant gateways of a front fabric, on switches of three systems: what they show, and what a hand broke."""

from __future__ import annotations

import json
import sys
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from by_hand import Hand
from test_front_pairs import repaired_by_a_push, shapes

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import stdout_of

pytestmark = pytest.mark.xdist_group("front-site")

EOS, NXOS, NVUE, NEW_NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g3", "front-leaf-g4"
PAIRS = (EOS, NXOS, NEW_NVUE, NVUE)
SVI = {EOS: "Vlan300", NXOS: "Vlan200", NEW_NVUE: "vlan310", NVUE: "vlan300"}


def test_a_gateway_is_shown_in_the_keys_and_kinds_that_were_recorded(front: Operator) -> None:
    for leaf, command, recording, recorded_command in (
        (f"{EOS}-a", "show ip virtual-router vrf all", "eos_show/virtual_router.txt", None),
        (f"{NXOS}-a", "show hsrp", "nxos_show/hsrp.txt", "show hsrp | json-pretty native"),
    ):
        recorded = dict(shapes(json.loads(stdout_of(recording, recorded_command or command))))
        shown = dict(shapes(front.hands()[leaf].shown(command)))
        assert {key: kind for key, kind in shown.items() if recorded.get(key) != kind} == {}
        assert len(shown) > len(recorded) / 2


def test_cumulus_linux_shows_the_rows_of_its_table(front: Operator) -> None:
    lines = stdout_of("nvue_show/gateways.txt", "nv show interface vlan10 ip vrr").splitlines()
    end = lines[0].index("applied")
    rows = {line.split()[0].strip("[]") for line in lines[2:] if len(line[:end].split()) > 1}
    assert front.hands()[f"{NVUE}-a"].shown(f"interface/{SVI[NVUE]}/ip/vrr").keys() == rows
    newer = front.hands()[f"{NEW_NVUE}-a"].shown(f"interface/{SVI[NEW_NVUE]}/ipv4/vrr")
    assert newer.keys() == {"vrr-state" if row == "state" else row for row in rows}


def test_of_both_switches_of_a_group_the_one_of_greater_priority_is_active(front: Operator) -> None:
    texts = {}
    for leaf in "ab":
        hand = front.hands()[f"{NXOS}-{leaf}"]
        texts[hand.shown("show hsrp")["TABLE_grp_detail"]["ROW_grp_detail"]["sh_group_state"]] = hand
        words = hand.nxapi("show hsrp")[0]
        assert "(HSRP-V2) (IPv4)\n  Local state is " in words
    assert texts.keys() == {"Active", "Standby"}
    rows = {word: hand.shown("show hsrp")["TABLE_grp_detail"]["ROW_grp_detail"] for word, hand in texts.items()}
    assert rows["Active"]["sh_prio"] > rows["Standby"]["sh_prio"]
    assert rows["Active"]["sh_standby_router_addr"] == rows["Standby"]["sh_standby_router_addr"]


def gateways(report: Any, verdict: str = "fail") -> dict[tuple[str, str], dict[str, Any]]:
    """Findings on gateways, by switch and SVI."""
    return {
        (each["device"], each["port"]): each
        for each in report["findings"]
        if each["check"] == "gateways" and each["verdict"] == verdict
    }


class Lines:
    """What a switch has on its SVI, by its own configuration."""

    def __init__(self, hand: Hand, pair: str, text: str) -> None:
        self.hand, self.svi = hand, SVI[pair]
        if hand.os == "nvue":
            self.family = "ipv4" if pair == NEW_NVUE else "ip"
            shown = hand.shown(f"interface/{self.svi}/{self.family}")
            (self.own,) = (each for each in shown["address"] if ":" not in each)
            (virtual,) = (each for each in shown["vrr"]["address"] if ":" not in each)
            self.gateway = virtual.partition("/")[0]
            return
        block = text.partition(f"interface {self.svi}\n")[2].splitlines()
        own = next(line for line in block if line.strip().startswith("ip address "))
        head = "ip virtual-router address " if hand.os == "eos" else "ip "
        after = block if hand.os == "eos" else block[block.index("  hsrp 200") :]
        self.own = own.split()[-1]
        self.gateway = next(line for line in after if line.strip().startswith(head)).split()[-1]

    @property
    def length(self) -> int:
        return ip_interface(self.own).network.prefixlen

    def set_gateway(self, address: str) -> None:
        if self.hand.os == "eos":
            lines = f"no ip virtual-router address {self.gateway}", f"ip virtual-router address {address}"
            self.hand.configure(f"interface {self.svi}", *lines)
        elif self.hand.os == "nxos":
            self.hand.configure(f"interface {self.svi}", "hsrp 200", f"ip {address}")
        else:
            at = f"interface/{self.svi}/{self.family}/vrr/address/{self.gateway}%2F{self.length}"
            vrr = {"vrr": {"address": {f"{address}/{self.length}": {}}}}
            self.hand.nvue({"interface": {self.svi: {self.family: vrr}}}, delete=at)

    def set_own(self, address: str) -> None:
        if self.hand.os == "nvue":
            at = f"interface/{self.svi}/{self.family}/address/{self.own.replace('/', '%2F')}"
            self.hand.nvue({"interface": {self.svi: {self.family: {"address": {address: {}}}}}}, delete=at)
        else:
            self.hand.configure(f"interface {self.svi}", f"ip address {address}")


def lines_of(front: Operator, before: dict[str, str], leaf: str) -> dict[str, Lines]:
    hands = front.hands()
    return {pair: Lines(hands[f"{pair}-{leaf}"], pair, before[f"{pair}-{leaf}"]) for pair in PAIRS}


def test_a_gateway_of_another_address_is_named_with_both_values_and_repaired_by_just_that(front: Operator) -> None:
    before = front.running()
    there = lines_of(front, before, "a")
    others = {pair: f"{lines.gateway.rpartition('.')[0]}.120" for pair, lines in there.items()}
    for pair, lines in there.items():
        lines.set_gateway(others[pair])
    report = front.json("validate", code=8)
    wrong = gateways(report)
    assert wrong.keys() == {(f"{pair}-a", SVI[pair]) for pair in PAIRS}
    for pair, lines in there.items():
        found = wrong[f"{pair}-a", SVI[pair]]
        assert found["expected"].startswith(f"gateway {lines.gateway} ")
        assert found["found"].startswith(f"gateway {others[pair]} ")
        assert found["cause"].startswith(f"config {pair}-a {SVI[pair]}")
    assert len(report["causes"]) == len(PAIRS)
    plan = front.json("plan", code=0)
    assert {name for name, each in plan["devices"].items() if each["changes"]} == {f"{pair}-a" for pair in PAIRS}
    repaired_by_a_push(front, before, switches=len(PAIRS))


def test_a_gateways_address_that_a_switch_has_for_its_own_is_named_at_both_and_repaired(front: Operator) -> None:
    before = front.running()
    there = lines_of(front, before, "b")
    for lines in there.values():
        lines.set_own(f"{lines.gateway}/{lines.length}")
    report = front.json("validate", code=8)
    wrong = gateways(report)
    assert wrong.keys() == {(f"{pair}-{leaf}", SVI[pair]) for pair in PAIRS for leaf in "ab"}
    for pair, lines in there.items():
        words = f"{pair}-b {SVI[pair]} has {lines.gateway}/{lines.length} for its own, where {lines.own} is wanted"
        for leaf in "ab":
            assert wrong[f"{pair}-{leaf}", SVI[pair]]["found"].endswith(f"; {words}")
    assert len(report["causes"]) == len(PAIRS)
    repaired_by_a_push(front, before, switches=len(PAIRS))


def test_a_gateways_address_on_another_pair_is_named_where_it_belongs_and_where_it_is(front: Operator) -> None:
    before = front.running()
    there = lines_of(front, before, "a")
    taken = f"{there[NXOS].gateway}/{there[NXOS].length}"
    there[EOS].set_own(taken)
    report = front.json("validate", code=8)
    wrong = gateways(report)
    assert wrong.keys() == {(f"{NXOS}-{leaf}", SVI[NXOS]) for leaf in "ab"}
    for each in wrong.values():
        words = f"{EOS}-a {SVI[EOS]} has {taken} for its own, where {there[EOS].own} is wanted"
        assert each["found"].endswith(words)
        assert each["cause"].startswith(f"config {EOS}-a {SVI[EOS]}")
    repaired_by_a_push(front, before, switches=1)


def test_of_two_switches_without_their_peer_link_one_is_active_and_the_other_one_has_shut_its_vlan(
    front: Operator,
) -> None:
    before, hand = front.running(), front.hands()[f"{NXOS}-a"]
    hand.configure("interface port-channel1000", "shutdown")
    report = front.json("validate", code=8)
    wrong = gateways(report)
    assert wrong.keys() == {(f"{NXOS}-b", SVI[NXOS])}
    assert len(report["causes"]) == 1
    repaired_by_a_push(front, before, switches=1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("pair", PAIRS)
def test_a_switch_without_power_leaves_its_gateway_to_the_other_one(front: Operator, pair: str) -> None:
    front.control.ask("switch-off", device=f"{pair}-a")
    try:
        report = front.json("validate", code=8)
    finally:
        front.control.ask("switch-on", device=f"{pair}-a")
    assert gateways(report) == {}
    right = gateways(report, "pass")
    assert (f"{pair}-b", SVI[pair]) in right
    if pair == NXOS:
        assert right[f"{pair}-b", SVI[pair]]["found"].endswith(" active")
    assert len(report["causes"]) == 1
