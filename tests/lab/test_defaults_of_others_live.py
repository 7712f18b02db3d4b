"""Defaults changed by hand on the lab's leaves, over the wire: no push leaves a port dark, and what it cannot keep is
refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

pytestmark = pytest.mark.xdist_group("defaults-of-others")

EOS, NXOS = "leaf-g1-r0", "leaf-g1-r1"


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("defaults"), small_site) as operator:
        operator.run("push", "--yes")
        yield operator


def test_a_push_brings_ports_up_that_others_defaults_turned_off_and_a_second_one_changes_nothing(
    pushed: Operator,
) -> None:
    hands = pushed.hands()
    hands[EOS].configure("interface defaults", "ethernet", "shutdown")
    hands[NXOS].configure("no system default switchport", "system default switchport shutdown")
    assert "no shutdown" in pushed.run("plan", "--limit", EOS)
    pushed.run("push", "--yes")
    assert "0 of 4 changed" in pushed.run("push", "--yes")
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert "interface defaults" in hands[EOS].running()
    assert "no system default switchport" in hands[NXOS].running()


def test_a_default_whose_print_nobody_published_is_refused_by_name_until_it_is_gone(pushed: Operator) -> None:
    hand = pushed.hands()[EOS]
    hand.configure("switchport default mode routed")
    printed = pushed.run("plan", "--limit", EOS, code=7)
    assert "switchport default mode routed" in printed
    assert "switchport default mode access" in printed
    hand.configure("no switchport default mode")
    assert "0 of 1 changed" in pushed.run("push", "--yes", "--limit", EOS)
