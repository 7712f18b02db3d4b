"""What is impaired adds up over time, stays counted when mended, and is described; patterns of traffic are balanced."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from switch_twins.errors import TwinError
from switch_twins.impairments import KINDS, Impairments
from switch_twins.spec import End
from switch_twins.traffic.flows import Flow, Nic, Play, flows

ROOT = Path(__file__).parents[3]
NICS = [
    Nic(End(f"gpu-{host}", f"rail{rail}"), f"10.{rail}.0.{host}", 400e9) for host in range(1, 5) for rail in range(3)
]


def test_errors_grow_with_time_and_what_was_counted_stays_when_it_is_mended() -> None:
    made = Impairments()
    made.put("crc-errors", "leaf", "swp1", 2.0, now_s=100.0)
    assert made.added("crc-errors", "leaf", "swp1", 100.0) == 0
    assert made.added("crc-errors", "leaf", "swp1", 103.5) == 7
    made.put("crc-errors", "leaf", "swp1", 10.0, now_s=103.5)
    assert made.added("crc-errors", "leaf", "swp1", 104.5) == 17
    made.take_back("crc-errors", "leaf", "swp1", now_s=104.5)
    made.take_back("crc-errors", "leaf", "swp1", now_s=105.0)
    assert made.added("crc-errors", "leaf", "swp1", 200.0) == 17
    assert made.all() == []


def test_the_same_again_loses_nothing_of_what_was_counted() -> None:
    made = Impairments()
    for now_s in range(10):
        made.put("symbol-errors", "leaf", "swp1", 5.0, now_s=float(now_s))
    assert made.added("symbol-errors", "leaf", "swp1", 10.0) == 50


@pytest.mark.parametrize(("kind", "amount"), [("drops", 0.0), ("drops", 101.0), ("wrong-class", 64.0), ("rust", None)])
def test_what_no_kind_can_have_is_refused(kind: str, amount: float | None) -> None:
    made = Impairments()
    with pytest.raises(TwinError):
        made.put(kind, "leaf", "swp1", amount, now_s=0.0)
    assert not made


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_described_with_what_it_is_without_an_amount(kind: str) -> None:
    (row,) = [
        line for line in (ROOT / "docs/faults.md").read_text().splitlines() if f"`{kind}`" in line.partition(" | ")[0]
    ]
    assert {"switch": "`SWITCH`", "host": "`HOST`", "switch port": "`SWITCH:PORT`", "host port": "`HOST:PORT`"}[
        KINDS[kind].where
    ] in row
    if KINDS[kind].amount not in (1.0, 0.0):
        assert f"{KINDS[kind].amount:,g}" in row
    assert kind in (ROOT / "nornir_tasks/cli/lab_faults.py").read_text()


def _sent(found: list[Flow], of: str) -> Counter[End]:
    total: Counter[End] = Counter()
    for flow in found:
        total[getattr(flow, of)] += round(flow.bits_per_s)
    return total


def test_all_to_all_sends_and_receives_the_same_at_each_port() -> None:
    found = flows(Play("all-to-all", 0.4), NICS)
    for total in (_sent(found, "source"), _sent(found, "destination")):
        assert set(total) == {nic.end for nic in NICS}
        assert set(total.values()) == {round(0.4 * 400e9)}
    assert {flow.source.device == flow.destination.device for flow in found} == {False}
    assert {flow.source.port == flow.destination.port for flow in found} == {True, False}


def test_an_incast_overloads_each_port_of_its_target() -> None:
    found = flows(Play("incast", 1.0, "gpu-2"), NICS)
    assert set(_sent(found, "destination")) == {nic.end for nic in NICS if nic.end.device == "gpu-2"}
    assert set(_sent(found, "destination").values()) == {round(4 * 400e9)}
    one = flows(Play("incast", 1.0, "gpu-2:rail1"), NICS)
    assert {flow.destination for flow in one} == {End("gpu-2", "rail1")}


@pytest.mark.parametrize(
    "play",
    [
        Play("storm"),
        Play("all-to-all", 0.0),
        Play("all-to-all", 1.5),
        Play("all-to-all", dscp=64),
        Play("all-to-all", pairs=0),
        Play("incast", 1.0),
        Play("incast", 1.0, "gpu-9"),
        Play("incast", 1.0, "gpu-1:rail9"),
    ],
)
def test_what_cannot_be_played_is_refused(play: Play) -> None:
    with pytest.raises(TwinError):
        flows(play, NICS)
