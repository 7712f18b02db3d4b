"""The main job on the whole lab, through the console script, and what a hand at a switch can do to it.

Each test leaves the lab as it found it: pushed and valid.
"""

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from at_terminal import Operator, lab_of_its_own
from by_hand import Hand

from nornir_tasks.deploy.plan import sides
from nornir_tasks.usecases.site import load, select


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The lab most of these tests share."""
    with lab_of_its_own(tmp_path_factory.mktemp("fabric")) as made:
        yield made


@pytest.fixture(scope="module")
def pushed(operator: Operator) -> Operator:
    """The lab after the first push."""
    assert "10 of 10 changed" in operator.run("push", "--plane", "compute", "--yes")
    return operator


@dataclass
class Cabled:
    """One fabric link: the leaf's end and the spine's."""

    leaf: str
    leaf_port: str
    leaf_address: str
    spine: str
    spine_port: str
    spine_address: str
    cable: str


def links(operator: Operator) -> list[Cabled]:
    found = []
    for link in operator.json("design")["links"]:
        if link["kind"] == "fabric":
            up, low = link["upper"], link["lower"]
            found.append(
                Cabled(
                    low["device"], low["port"], low["address"], up["device"], up["port"], up["address"], link["cable"]
                )
            )
    return found


def test_lab_up_twice_starts_nothing_the_second_time(operator: Operator) -> None:
    assert operator.json("lab", "up")["started"] is False


def test_a_second_push_changes_nothing_and_costs_one_connection_and_two_requests(pushed: Operator) -> None:
    before = {each["name"]: each for each in pushed.json("lab", "status")["devices"]}
    assert "0 of 10 changed" in pushed.run("push", "--plane", "compute", "--yes")
    for each in pushed.json("lab", "status")["devices"]:
        assert each["connections"] - before[each["name"]]["connections"] == 1, each
        assert each["requests"] - before[each["name"]]["requests"] <= 2, each


def test_validate_passes_and_judged_everything(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert report["failed"] == 0
    assert report["tested"] == report["of"] > 300
    kinds = {finding["check"] for finding in report["findings"]}
    assert kinds >= {"config", "port", "lldp", "mtu", "bgp", "ecmp", "dscp", "trust", "pfc", "watchdog", "ecn"}
    figure(f"tested {report['tested']} of {report['of']}")


def test_what_every_switch_prints_reads_back_as_what_was_designed(pushed: Operator) -> None:
    """The second law, on the wire."""
    for name, wanted in select(load(pushed.site)).items():
        os = wanted.platform
        text = pushed.hands()[name].running()
        owned = sides(wanted, os.to_tree(_as_read(wanted.config.os, text))).owned
        parsed = os.parse(owned, wanted.capabilities, name, wanted.config.model)
        assert not parsed.remainder, (name, list(parsed.remainder.walk()))
        assert parsed.config == wanted.config, name


def _as_read(os: str, text: str) -> str:
    return json.dumps(yaml.safe_load(text)) if os == "nvue" else text


def test_brownfield_lines_come_through_a_push_byte_for_byte_and_in_order(pushed: Operator) -> None:
    for name, hand in pushed.hands().items():
        rows = difflib.ndiff(pushed.day0[name].splitlines(), hand.running().splitlines())
        gone = [row[2:] for row in rows if row.startswith("- ") and row.strip(" -!")]
        assert gone in ([], ["no ip routing"]), (name, gone)  # EOS prints it until somebody routes


def test_wrong_values_made_by_hand_are_named_planned_and_repaired_exactly(pushed: Operator) -> None:
    by_os = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
    fabric = links(pushed)
    cable = {os: next(each for each in fabric if name in (each.leaf, each.spine)) for os, name in by_os.items()}
    asns = {each["name"]: each["asn"] for each in pushed.json("design")["devices"]}
    _spoil_eos(pushed.hands()[by_os["eos"]], cable["eos"], asns[by_os["eos"]])
    _spoil_nxos(pushed.hands()[by_os["nxos"]], cable["nxos"], asns[by_os["nxos"]])
    _spoil_nvue(pushed.hands()[by_os["nvue"]], cable["nvue"])

    report = pushed.run("validate", "--all", code=8)
    for system, name in by_os.items():
        each = cable[system]
        here, there = (each.leaf_port, each.spine_port) if system != "nvue" else (each.spine_port, each.leaf_port)
        far = each.spine if system != "nvue" else each.leaf
        ends = f"{name} {here} <-> {far} {there}"
        assert f"remote AS is 65009 here, {far} is AS {asns[far]}" in report, (system, report)
        assert f"{ends}: MTU 9000 here, 92" in report, (system, report)
        assert f"{ends}: pfc none here" in report, (system, report)

    plan = pushed.json("plan")
    changing = {name: each["changes"] for name, each in plan["devices"].items() if each["changes"]}
    assert set(changing) == set(by_os.values())
    for name, changes in changing.items():
        lines = [(change["op"], change["path"][-1]) for change in changes]
        assert 5 <= len(lines) <= 8, (name, lines)

    assert "3 of 10 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert "0 of 10 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert pushed.json("validate")["failed"] == 0


def _spoil_eos(hand: Hand, cable: Cabled, asn: int) -> None:
    hand.configure(
        f"router bgp {asn}",
        f"neighbor {cable.spine_address} remote-as 65009",
        "exit",
        f"interface {cable.leaf_port}",
        "mtu 9000",
        "load-interval 30",  # a valid line nobody asked for
        "exit",
        "qos profile GPUFABRIC-ROCE",
        "no priority-flow-control priority 3",
    )


def _spoil_nxos(hand: Hand, cable: Cabled, asn: int) -> None:
    hand.configure(
        f"router bgp {asn}",
        f"neighbor {cable.spine_address}",
        "remote-as 65009",
        f"interface {cable.leaf_port}",
        "mtu 9000",
        "load-interval counter 1 60",
        "priority-flow-control mode off",
    )


def _spoil_nvue(hand: Hand, cable: Cabled) -> None:
    neighbor = {cable.leaf_address: {"remote-as": 65009}}
    hand.nvue(
        {
            "vrf": {"default": {"router": {"bgp": {"neighbor": neighbor}}}},
            "interface": {cable.spine_port: {"link": {"mtu": 9000, "auto-negotiate": "on"}}},
            "qos": {"pfc": {"default-global": {"rx": "disable"}}},
        }
    )


def test_swapped_cables_are_both_named_and_no_push_pretends_to_repair_them(pushed: Operator) -> None:
    first, second = [each for each in links(pushed) if each.spine == "spine-1"][:2]
    pushed.run("lab", "swap", first.cable, second.cable)
    try:
        report = pushed.run("validate", "--all", code=8)
        assert f"swap the ends of {first.cable} and {second.cable}" in report
        assert "0 of 10 switches would change" in pushed.run("plan")
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


def test_a_rollback_restores_every_byte_and_a_push_brings_it_back(tmp_path: Path) -> None:
    with lab_of_its_own(tmp_path) as fresh:
        before = {name: hand.running() for name, hand in fresh.hands().items()}
        assert "10 of 10 changed" in fresh.run("push", "--plane", "compute", "--yes")
        assert {name for name, hand in fresh.hands().items() if hand.running() == before[name]} == set()
        assert "10 of 10 changed" in fresh.run("rollback", "--yes")
        assert {name for name, hand in fresh.hands().items() if hand.running() != before[name]} == set()
        assert "10 of 10 changed" in fresh.run("push", "--plane", "compute", "--yes")
        assert "0 of 10 changed" in fresh.run("push", "--plane", "compute", "--yes")


def test_a_rollback_to_a_state_that_takes_sessions_down_is_taken_back(pushed: Operator) -> None:
    """The gate holds for a rollback too: what was up must come up again, or the switch keeps what it has."""
    cable = links(pushed)[0]
    hand = pushed.hands()[cable.leaf]
    (asn,) = [each["asn"] for each in pushed.json("design")["devices"] if each["name"] == cable.leaf]
    hand.configure(f"router bgp {asn}", f"neighbor {cable.spine_address} remote-as 65009")
    assert "1 of 10 changed" in pushed.run("push", "--yes")
    assert "the change was taken back" in pushed.run("rollback", "--yes", code=6)
    assert pushed.json("validate")["failed"] == 0
    before = {each["name"]: each["connections"] for each in pushed.json("lab", "status")["devices"]}
    pushed.run("push", "--yes")
    after = {each["name"]: each["connections"] for each in pushed.json("lab", "status")["devices"]}
    assert after[cable.leaf] - before[cable.leaf] == 1, "nothing is left on it that the next push would take away"
