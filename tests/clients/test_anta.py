"""The frozen tests of ANTA 1.10.0, as ANTA ships them, over verified TLS against the EOS switches of the lab.

Each agrees with the intent, is made to say otherwise by one fault, and agrees again. What is in not_yet.yml must fail.
"""

from __future__ import annotations

from pathlib import Path

import anta_bgp
import anta_front
import anta_interfaces
import anta_routing
import anta_system
import pytest
import yaml
from anta_client import AntaCase
from at_terminal import Operator
from case import prove

_HERE = Path(__file__).parent
FROZEN = yaml.safe_load((_HERE / "frozen.yml").read_text(encoding="utf-8"))["anta"]
NOT_YET = (yaml.safe_load((_HERE / "not_yet.yml").read_text(encoding="utf-8")) or {}).get("anta", {})
PARTS = (anta_routing, anta_bgp, anta_interfaces, anta_front, anta_system)
CASES: dict[str, AntaCase] = {each.name: each for part in PARTS for each in part.CASES}

pytestmark = pytest.mark.xdist_group("clients")


def test_every_frozen_test_of_anta_has_a_case_or_a_reason() -> None:
    frozen = {name for names in FROZEN.values() for name in names}
    assert frozen - CASES.keys() - NOT_YET.keys() == set()
    assert CASES.keys() - frozen == set()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", sorted(CASES.keys() - NOT_YET.keys()))
def test_anta_agrees_with_the_lab_and_names_a_fault(name: str, pushed_lab: Operator) -> None:
    prove(CASES[name].case(), pushed_lab)


@pytest.mark.parametrize("name", sorted(CASES.keys() & NOT_YET.keys()))
def test_what_is_said_not_to_run_yet_does_not(name: str, pushed_lab: Operator) -> None:
    with pytest.raises(AssertionError):
        CASES[name].case().run(pushed_lab)
