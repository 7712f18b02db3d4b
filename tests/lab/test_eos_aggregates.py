"""Aggregates of EOS beside static routes of their prefix: what a real one announced, and what it means at the edge."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import Operator

from switch_twins.engine import EOS, ConfigSession, Context, Tree
from switch_twins.eos import to_frr
from switch_twins.eos.extract import switch_state
from switch_twins.eos.grammar import eos_grammar
from switch_twins.eos.outside import outside
from switch_twins.routed.conf import configuration, text
from tests.unit.design import edge_systems

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import stdout_of

RECORDED = "eos_show/aggregates.txt"
OURS = {
    "203.0.113.0/24": "ip route 203.0.113.0/24 Null0",
    "2001:db8:100::/40": "ipv6 route 2001:db8:100::/40 Null0",
}
"""Aggregate -> its discard route as it was before it had a distance."""


def of_lines(*lines: str) -> Tree:
    session = ConfigSession(Tree(eos_grammar(), EOS), Context(release="4.33.1F", asic="tomahawk4"))
    for line in lines:
        session.feed(line)
    return session.tree


def recorded() -> list[str]:
    return stdout_of(RECORDED, "show running-config | section ip route|router bgp").splitlines()


def in_table(command: str) -> set[str]:
    """The prefixes of a recorded table of BGP."""
    rows = stdout_of(RECORDED, command).partition("Weight  Path\n")[2].splitlines()
    return {row.split()[2] for row in rows}


def test_the_lab_announces_those_aggregates_that_a_real_switch_was_heard_to_announce() -> None:
    wanted = in_table("show ip bgp vrf all")
    assert wanted == in_table("ssh EOS-2 show ip bgp vrf all") == {"10.10.0.0/16", "10.12.0.0/16"}
    assert set(outside(of_lines(*recorded())).aggregates) == wanted


def test_frr_is_told_of_those_aggregates_alone() -> None:
    """FRR announces an aggregate whatever other routes there are."""
    tree = of_lines("ip routing", *(line.replace("16", "16 summary-only") if "aggregate" in line else line
                                    for line in recorded()))  # fmt: skip
    lines = text(configuration(switch_state("r", tree), to_frr.of_tree("r", tree), 10, has_vrfs=True)).splitlines()
    listed = {line.split()[1] for line in lines if line.strip().startswith("aggregate-address ")}
    assert listed == {"10.10.0.0/16", "10.12.0.0/16"}
    assert "ip route 10.12.0.0/16 192.168.2.2 254" in lines


def test_the_same_route_with_another_distance_is_another_route() -> None:
    tree = of_lines("ip route 203.0.113.0/24 Null0", "ip route 203.0.113.0/24 Null0 254", "router bgp 1",
                    "aggregate-address 203.0.113.0/24 summary-only")  # fmt: skip
    assert outside(tree).aggregates == ()
    session = ConfigSession(tree, Context(release="4.33.1F", asic="tomahawk4"))
    session.feed("no ip route 203.0.113.0/24 Null0")
    session.feed("ip route 203.0.113.0/24 Null0 254")
    assert outside(session.tree).aggregates == ("203.0.113.0/24",)


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    site = tmp_path / "edge"
    site.mkdir()
    words = edge_systems.text_of("eos").replace(
        "takes: partial, max_prefixes: 20000", "takes: default, max_prefixes: 10"
    )
    (site / "fabric.yml").write_text(f"{words}management: {{source: lab}}\n", encoding="utf-8")
    made = Operator(site, tmp_path / "state")
    made.start()
    yield made
    made.run("lab", "down")


def test_discard_routes_without_a_distance_leave_upstreams_without_our_prefixes_until_the_next_push(
    operator: Operator,
) -> None:
    operator.run("push", "--plane", "boundary", "--yes")
    assert operator.json("validate", "--plane", "boundary")["failed"] == 0
    hands = operator.hands()
    before = {name: hands[name].running() for name in ("edge-1", "edge-2")}
    for name, running in before.items():
        assert all(f"{line} 254\n" in running for line in OURS.values())
        hands[name].configure(*(word for line in OURS.values() for word in (f"no {line} 254", line)))

    report = operator.json("validate", "--plane", "boundary", code=8)
    messages = [
        each["message"] for each in report["findings"] if (each["check"], each["verdict"]) == ("prefixes", "fail")
    ]
    assert messages
    assert all(": 0 prefixes sent, 1 wanted" in each for each in messages), messages

    plan = operator.run("plan", "--plane", "boundary")
    for line in OURS.values():
        assert f"- {line} " in plan
        assert f"+ {line} 254" in plan
    operator.run("push", "--plane", "boundary", "--yes")
    assert {name: hands[name].running() for name in before} == before
    assert operator.json("validate", "--plane", "boundary")["failed"] == 0
