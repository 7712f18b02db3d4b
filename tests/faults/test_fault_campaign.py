"""Faults in the middle of a push: the switch is as it was or as wanted, all say what is so, the next push heals."""

from collections.abc import Iterator

import pytest
from conftest import FAULT
from fault_plan import SAMPLE, Fault, faults
from small_lab import trial_lab
from trial import Trials


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    with trial_lab(tmp_path_factory.mktemp("faults")) as lab:
        yield Trials(lab)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(each, id=str(each), marks=[pytest.mark.long] if each.number >= SAMPLE else [])
        for each in faults()
    ],
)
def test_after_a_fault_the_switch_is_old_or_new_and_all_say_so_and_the_next_push_heals(
    trials: Trials, fault: Fault, request: pytest.FixtureRequest
) -> None:
    case = trials.run(fault)
    request.node.user_properties.append((FAULT, (fault.system, fault.kind, not case.wrong)))
    assert case.is_injected, f"the fault never happened\n{case}"
    assert not case.wrong, f"{'; '.join(case.wrong)}\n{case}"
