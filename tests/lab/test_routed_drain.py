"""A drained switch may die: no probe of those that crossed it before is lost, and undrained it carries them again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from at_terminal import small_site
from routed_lab import RoutedLab, needs_root, on_this_machine, until

from tests.published import published

pytestmark = needs_root
SPINE, OTHER = "spine-1", "spine-2"
RATE_HZ = 1000
"""Of the lab's probes, each second."""
PROBE_S = 8.0


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = small_site(tmp_path_factory.mktemp("drained"))
    try:
        operator.run("lab", "up", "--routed")
        operator.run("push", "--yes")
        yield RoutedLab(operator)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


def hops(lab: RoutedLab, leaf: str) -> int:
    """Next hops to the hosts' block of the other leaf."""
    return max((len(each) for prefix, each in lab.kernel(leaf).items() if prefix.endswith("/24")), default=0)


def assert_crosses(lab: RoutedLab, *spines: str) -> dict[str, Any]:
    """Packets take these spines and no other. BGP and BFD add some tens."""
    until(lambda: hops(lab, "leaf-g1-r0") == hops(lab, "leaf-g1-r1") == len(spines))
    found: dict[str, Any] = lab.operator.json("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", "2")
    assert found["lost"] == 0
    assert {name for name, packets in found["crossed"].items() if packets > found["sent"] / 10} == {*spines}
    return found


def lost_while(lab: RoutedLab, *change: str) -> dict[str, Any]:
    """A probe in whose time this is done."""
    words = ("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", str(PROBE_S), "--json")
    before = _forwarded(lab)
    under_way = lab.operator.begin(*words)
    until(lambda: _forwarded(lab) > before + RATE_HZ / 4)
    lab.operator.run(*change)
    time.sleep(1)
    stdout, stderr = under_way.communicate(timeout=120)
    assert under_way.returncode == 0, stderr
    found: dict[str, Any] = published(json.JSONDecoder().raw_decode(stdout)[0])
    return found


def _forwarded(lab: RoutedLab) -> int:
    (shown,) = json.loads(lab.inside(OTHER, "ip", "-json", "-s", "link", "show", "swp2"))
    return int(shown["stats64"]["tx"]["packets"])


def test_a_drained_spine_is_killed_and_no_probe_is_lost(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    assert_crosses(lab, SPINE, OTHER)
    lab.operator.run("drain", SPINE, "--reason", "it is replaced", "--yes")
    assert_crosses(lab, OTHER)
    report = lab.operator.json("validate")
    assert report["failed"] == report["undecided"] == 0, report["findings"]
    found = lost_while(lab, "lab", "kill", SPINE)
    figure(f"a drained spine dies: {found['lost']} of {found['sent']} packets lost")
    assert found["lost"] == 0
    lab.operator.run("lab", "mend", SPINE)
    until(lambda: all(lab.established(SPINE).values()))
    assert_crosses(lab, OTHER)
    lab.operator.run("undrain", SPINE, "--yes")
    assert_crosses(lab, SPINE, OTHER)
    until(lab.assert_both_tiers_agree)
