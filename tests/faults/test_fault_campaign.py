"""Faults in the middle of a push: the switch is as it was or as wanted, all say what is so, the next push heals."""

from collections.abc import Iterator

import pytest
from fault_plan import SAMPLE, SYSTEMS, Fault, faults
from judge import Case
from small_lab import trial_lab
from trial import Trials

FAULT = "fault"
"""What a trial came to, for the figures at the end of the run."""


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    with trial_lab(tmp_path_factory.mktemp("faults")) as lab:
        made = Trials(lab)
        yield made
        cpu = lab.operator.control.ask("cpu")
        print(
            f"\n{made.count} trials took {lab.client_cpu_s:.0f} s of the clients' processor time, and "
            f"{cpu['user_s'] + cpu['system_s']:.0f} s of the lab's"
        )


def carry_out(trials: Trials, fault: Fault) -> Case:
    """One trial; fails with all that was said in it, and what of that was untrue."""
    case = trials.run(fault)
    if not case.is_injected:
        case.fail("the fault never happened")
    if case.wrong:
        pytest.fail(f"{'; '.join(case.wrong)}\n{case}", pytrace=False)
    return case


@pytest.mark.sampled(15)
@pytest.mark.parametrize(
    "fault",
    [pytest.param(each, id=str(each), marks=[pytest.mark.long] if each.number >= SAMPLE else []) for each in faults()],
)
def test_after_a_fault_the_switch_is_old_or_new_and_all_say_so_and_the_next_push_heals(
    trials: Trials, fault: Fault, request: pytest.FixtureRequest
) -> None:
    try:
        carry_out(trials, fault)
    except BaseException:
        request.node.user_properties.append((FAULT, (fault.system, fault.kind, False)))
        raise
    request.node.user_properties.append((FAULT, (fault.system, fault.kind, True)))


def directed(system: str, kind: str, share: float, **more: bool) -> Fault:
    """A fault at a place of our choice: from the commit (0) to the last request (just below 1) of a push."""
    return Fault(0, system, kind, "commit", share, **{"is_carried_out": True, "is_reset": False, **FIRST, **more})


FIRST = {"later_s": 0.0, "clock_step_s": 0.0, "change": 0, "is_json": False}
LAST_REQUEST = 0.999
BY_SYSTEM = pytest.mark.parametrize("system", SYSTEMS)


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_disk_that_is_full_when_the_push_ends_does_not_make_it_deny_the_change(trials: Trials, system: str) -> None:
    case = carry_out(trials, directed(system, "disk", LAST_REQUEST, is_rolled_back=True))
    assert case.output is not None
    assert "1 of 1 changed" in case.output.out, case
    assert case.output.code == 11, case
    assert "journal.sqlite" in case.output.err and "make room" in case.output.err, case


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_push_from_another_machine_between_commit_and_confirm_leaves_the_first_alone(
    trials: Trials, system: str
) -> None:
    case = carry_out(trials, directed(system, "two-elsewhere", 0.0))
    assert case.output is not None and case.beside is not None
    assert case.output.code == 0, case
    assert case.beside.code in (6, 7), case
