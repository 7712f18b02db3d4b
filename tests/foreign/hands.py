"""What others type on a switch of ours, and whether it still stands."""

from __future__ import annotations

import json
from collections.abc import Iterable

import yaml
from typed_switches import NvueSwitch

from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import ConfigTree, Path, difference
from switch_twins.engine import ConfigSession
from tests.foreign.operated import Operated


def typed(switch: Operated, wanted: Wanted, text: str) -> tuple[Path, ...]:
    """Somebody types this (EOS, NX-OS: lines; Cumulus Linux: YAML); the lines that it added."""
    before = tree_of(switch, wanted)
    if isinstance(switch.switch, NvueSwitch):
        switch.switch._patch(json.loads(json.dumps(yaml.safe_load(text))))
        assert switch.switch.refused == [], switch.switch.refused
    else:
        session = ConfigSession(switch.switch._tree, switch.switch._context)
        errors = session.feed_all(text.splitlines())
        assert errors == [], errors
    return tuple(each.path for each in difference(before, tree_of(switch, wanted)) if each.op == "+")


def tree_of(switch: Operated, wanted: Wanted) -> ConfigTree:
    """All that it runs."""
    return wanted.platform.to_tree(switch.running())


def gone(switch: Operated, wanted: Wanted, theirs: Iterable[Path]) -> list[Path]:
    """Those of these lines that it does not run any more."""
    tree = tree_of(switch, wanted)
    return [path for path in theirs if tree.get(*path) is None]


def touched(plan: DevicePlan, theirs: Iterable[Path]) -> list[str]:
    """The changes of a plan that are about one of these lines."""
    lines = frozenset(theirs)
    return [str(change) for change in plan.changes if change.path in lines]


def named(plan: DevicePlan) -> dict[str, str]:
    """The word that adopts what the plan lists of others -> why it is listed."""
    return {" / ".join(each.adopt): each.reason for each in plan.others}
