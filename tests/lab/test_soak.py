"""``nornir validate --soak`` and ``nornir counters`` on the lab's switches under played load."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from at_terminal import Operator, small_site

pytestmark = pytest.mark.xdist_group("lab-soak")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to, with traffic from all hosts to all."""
    made = small_site(tmp_path_factory.mktemp("lab-soak"))
    made.run("lab", "up")
    try:
        made.run("push", "--yes")
        made.run("lab", "play", "all-to-all")
        yield made
    finally:
        made.run("lab", "down")


def test_a_fabric_that_carries_its_load_passes_and_says_what_it_could_not_count(lab: Operator) -> None:
    found = lab.json("validate", "--soak", "5s")
    assert (found["failed"], found["undecided"]) == (0, 0)
    assert found["soak"]["seconds"] >= 5
    shown = {each["system"]: each for each in found["soak"]["coverage"]}
    assert {"eos", "nvue", "nxos"} <= set(shown)
    assert "pause-time-received" in shown["eos"]["not_read"]
    rows = lab.json("counters", "--port", "leaf-g1-r0:Ethernet1/1", "--over", "5s")
    grown = {row["counter"]: row["grown"] for row in rows["rows"] if row["device"] == "leaf-g1-r0"}
    assert grown["bytes-out"] > 0
    assert grown["queue-drops"] == 0


def test_a_fabric_that_drops_does_not_pass_and_a_storm_is_named_down_to_its_host(lab: Operator) -> None:
    lab.run("lab", "impair", "pause-storm", "gpu-1:rail0")
    try:
        found = lab.json("validate", "--soak", "5s", code=8)
        alone = lab.json("validate", "--soak", "5s", "--only", "lossless-drops", code=8)
    finally:
        lab.run("lab", "mend")
    lead = next(each for each in found["findings"] if each["id"] == found["causes"][0])
    assert lead["check"] == "pause-storm"
    assert "host gpu-1 takes nothing in" in lead["message"]
    assert "leaf-g1-r0-h1" in lead["remedy"]
    lost = [each for each in found["findings"] if each["check"] == "lossless-drops" and each["verdict"] == "fail"]
    assert {each["cause"] for each in lost} == {lead["id"]}
    assert {each["check"] for each in alone["findings"]} == {"lossless-drops"} and len(alone["causes"]) == 1
