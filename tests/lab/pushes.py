"""Pushes to twins without servers, as a plan has them, and what they show to be ours, as the journal has it."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from nornir_tasks.deploy.evidence import NO_EVIDENCE, Done, Evidence
from nornir_tasks.deploy.plan import DevicePlan, candidate, device_plan, sides
from nornir_tasks.deploy.problems import in_the_way
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import digest
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import Path, difference
from nornir_tasks.platforms.eos.candidate import session_changes
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from nornir_tasks.usecases.earlier import restored
from tests.lab.line_shapes import Rendered
from tests.lab.typed_switches import SWITCHES, EosSwitch, NxosSwitch, Switch
from tests.pushed import of

_STANDING: WeakKeyDictionary[Switch, list[tuple[Done, str]]] = WeakKeyDictionary()
"""Switch -> its pushes that stand, the earliest first, each with the digest of whose which lines were."""


def ports_shown(whole: Wanted) -> str:
    """What a switch says of ports on which nobody has configured anything: EOS shows each one."""
    ports = (port.name for port in whole.config.interfaces if port.name.startswith("Ethernet"))
    return "".join(f"interface {name}\n" for name in ports) if whole.config.os == "eos" else ""


def bare_like(whole: Wanted) -> Switch:
    """A switch of this kind on which nobody has configured anything of ours."""
    text = "{}" if whole.config.os == "nvue" else ports_shown(whole)
    return SWITCHES[whole.config.os](Rendered(whole.config, whole.capabilities, whole.claims, text))


def shown(switch: Switch, *adopted: Path) -> Evidence:
    """What the pushes that this switch took show to be ours; ``adopted``: by the push that is planned now."""
    noted = tuple(_STANDING.get(switch, ()))
    return Evidence(lambda: tuple(done for done, _ in noted), adopted, noted[-1][1] if noted else "")


def plan(switch: Switch, wanted: Wanted, *adopted: Path, allow_management: bool = False) -> DevicePlan:
    """What a push would do to this switch, by what it is known to have been pushed."""
    return device_plan(wanted, switch.running(), shown(switch, *adopted), allow_management=allow_management)


def push(switch: Switch, wanted: Wanted, *adopted: Path, allow_management: bool = False) -> int:
    """Push one plane, with what goes with it; how many lines it changed. The switch takes all of it.

    RefusedError, as of a push, where lines of others are in the way and are not ``adopted``.
    """
    made = plan(switch, wanted, *adopted, allow_management=allow_management)
    if met := in_the_way(wanted.device, made.others):
        raise RefusedError(met)
    _carry_out(switch, wanted, made, shown(switch, *adopted))
    if made.changes:
        done = replace(of(wanted, made), adopted=adopted)
        _STANDING.setdefault(switch, []).append((done, digest(wanted.claims)))
    assert plan(switch, wanted).changes == ()
    return len(made.changes)


def twin_of(switch: Switch) -> Switch:
    """Another one that runs the same and was pushed the same."""
    twin = switch.copy()
    _STANDING[twin] = list(_STANDING.get(switch, ()))
    return twin


def roll_back(switch: Switch, wanted: Wanted) -> int:
    """Take the last push back that stands; how many lines it changed."""
    back = restored(wanted, _STANDING[switch][-1][0])
    made = device_plan(back, switch.running(), allow_management=True)
    _carry_out(switch, back, made, NO_EVIDENCE)
    _STANDING[switch].pop()
    return len(made.changes)


def _carry_out(switch: Switch, wanted: Wanted, made: DevicePlan, known: Evidence) -> None:
    """Send it; the gate agrees: what was planned, and no line of others."""
    send(switch, wanted, made)
    found = sides(wanted, wanted.platform.to_tree(switch.running()), known)
    assert list(difference(found.owned, found.after)) == []
    assert list(difference(made.foreign_before, found.foreign)) == []


def send(switch: Switch, wanted: Wanted, made: DevicePlan) -> None:
    """What a push sends. The switch takes all of it, and its own words agree with the plan."""
    before = switch.running()
    running = wanted.platform.to_tree(before)
    switch.take(candidate(wanted, made))
    assert switch.refused == []
    if isinstance(switch, EosSwitch):  # its session says what the plan says
        assert session_changes(before, switch.running()) == frozenset(made.changes)
    if isinstance(switch, NxosSwitch):  # its own patch says what the plan says
        assert settle(server_changes(switch.printed), running) == frozenset(made.changes)
