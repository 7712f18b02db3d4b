"""A switch that restarted between two answers is found by its uptime alone."""

import time

import pytest

from nornir_tasks.drivers.uptime import Uptime
from nornir_tasks.errors import ConnectError


def test_a_switch_that_restarted_since_it_was_read_is_named_and_one_that_runs_is_not() -> None:
    now_s = time.monotonic()
    seen = Uptime()
    assert seen.now_s is None
    seen.require_running("leaf", 100.0, now_s)
    assert seen.now_s is not None and 100 <= seen.now_s < 160
    seen.require_running("leaf", 100.0, time.monotonic())
    seen.require_running("leaf", 99.0, time.monotonic())
    with pytest.raises(ConnectError, match="leaf: the switch has restarted"):
        seen.require_running("leaf", 3.0, time.monotonic())
    seen.require_running("leaf", 3.0, time.monotonic())


def test_a_release_that_does_not_say_its_uptime_is_believed_to_run() -> None:
    seen = Uptime()
    seen.note(100.0)
    seen.require_running("leaf", None, time.monotonic())
    seen.require_running("leaf", 1.0, time.monotonic())
