"""What became of a push that was cut off, told by what its switch runs, whatever its secrets are by now."""

import pytest

from nornir_tasks.deploy.plan import device_plan, took_effect
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.intent.core.secret_name import hidden, placeholder
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.site import select
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
UNKNOWN = hidden("0123456789abcdef")
OWN = placeholder("ops-hash")


def whole(device: str) -> Wanted:
    return select(managed.design(), ["base"])[device]


def texts(device: str) -> tuple[Wanted, str, str]:
    """A push of base to a switch that had nothing of it: the switch's owned sections before and after."""
    wanted = whole(device)
    os = platform(wanted.config.os)
    before = device_plan(wanted, os.to_text(os.to_tree("")), allow_management=True).owned_before
    return wanted, os.to_text(before), os.to_text(wanted.tree)


def tells(wanted: Wanted, running: str, before: str, after: str) -> bool:
    return took_effect(wanted, platform(wanted.config.os).to_tree(running), before, after)


@SYSTEMS
def test_a_push_that_runs_took_effect_and_one_that_does_not_did_not(device: str) -> None:
    wanted, before, after = texts(device)
    assert OWN in after
    assert tells(wanted, after, before, after)
    assert not tells(wanted, before, before, after)


@SYSTEMS
@pytest.mark.parametrize("shown", [UNKNOWN, "<hidden>"], ids=["another value", "not shown"])
def test_a_secret_with_another_value_by_now_does_not_make_a_push_that_runs_a_failed_one(
    device: str, shown: str
) -> None:
    wanted, before, after = texts(device)
    assert tells(wanted, after.replace(OWN, shown), before, after)
    assert not tells(wanted, before, before, after)


@SYSTEMS
def test_a_push_that_changed_a_secret_alone_is_told_by_that_secret(device: str) -> None:
    wanted, _, after = texts(device)
    before = after.replace(OWN, UNKNOWN)
    assert tells(wanted, after, before, after)
    assert not tells(wanted, before, before, after)


@SYSTEMS
def test_a_line_that_somebody_changed_since_does_not_make_a_push_that_runs_a_failed_one(device: str) -> None:
    wanted, before, after = texts(device)
    assert tells(wanted, after.replace(OWN, UNKNOWN).replace("192.0.2.54", "192.0.2.55"), before, after)
    assert not tells(wanted, before.replace("192.0.2.54", "192.0.2.55"), before, after)
