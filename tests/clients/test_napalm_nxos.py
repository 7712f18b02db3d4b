"""Stock NAPALM's getters of NX-OS over NX-API: each says what the intent says, names one fault, and agrees again."""

from __future__ import annotations

import pytest
from at_terminal import Operator
from case import Case, prove
from listed import FROZEN, cases
from napalm_nxos import case

pytestmark = pytest.mark.xdist_group("clients")
_GETTERS = {getter: case("nxos", getter) for getter in FROZEN["napalm.nxos"]}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("getter", cases("napalm.nxos", _GETTERS))
def test_a_getter_says_what_the_intent_does_and_names_a_fault(getter: Case, pushed_lab: Operator) -> None:
    prove(getter, pushed_lab)
