"""Pushes to twins without servers, as a plan has them."""

from __future__ import annotations

from nornir_tasks.deploy.plan import DevicePlan, candidate, device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.eos.candidate import session_changes
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from tests.lab.line_shapes import Rendered
from tests.lab.typed_switches import SWITCHES, EosSwitch, NxosSwitch, Switch


def bare_like(whole: Wanted) -> Switch:
    """A switch of this kind on which nobody has configured anything of ours."""
    rendered = Rendered(whole.config, whole.capabilities, whole.claims, "{}" if whole.config.os == "nvue" else "")
    return SWITCHES[whole.config.os](rendered)


def push(switch: Switch, wanted: Wanted, *, allow_management: bool = False) -> int:
    """Push one plane, with what goes with it; how many lines it changed. The switch takes all of it."""
    plan = device_plan(wanted, switch.running(), allow_management=allow_management)
    send(switch, wanted, plan)
    assert device_plan(wanted, switch.running()).changes == ()
    return len(plan.changes)


def send(switch: Switch, wanted: Wanted, plan: DevicePlan) -> None:
    """What a push sends. The switch takes all of it, and its own view of it is the plan's."""
    planned = candidate(wanted, plan)
    before = switch.running()
    running = wanted.platform.to_tree(before)
    switch.take(planned)
    assert switch.refused == []
    if isinstance(switch, EosSwitch):  # its session says what the plan says
        assert session_changes(before, switch.running()) == frozenset(planned.changes)
    if isinstance(switch, NxosSwitch):  # its own patch says what the plan says
        assert settle(server_changes(switch.printed), running) == frozenset(planned.changes)
