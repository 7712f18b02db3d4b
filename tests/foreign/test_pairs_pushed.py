"""Pushes of two designs over configurations of others: nothing goes that is not ours, and all of it comes back.

Random configurations of others and pairs of designs, on three systems, taken by twins without servers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from nornir_tasks.deploy.evidence import covers
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.ownership import split
from tests.foreign import pairs
from tests.foreign.generator import foreign_text
from tests.foreign.operated import Operated, brought_up
from tests.foreign.oracle import added, removed, robbed, unknown_removals
from tests.foreign.sites import facts, rendered_of, wanted_of

DEVICE = "front-leaf-g1-a"
THREE_STATES = r"(?m)^ +(?:logging event port link-status|bfd)\n"
"""NX-OS keeps the negation of these as a line of its own, so what others set of them in objects of ours cannot be taken
out: a push is refused, as the switch's own diff says otherwise."""
JUMBO_FRAMES = r"(?m)^system jumbomtu \d+\n"
"""Refused by name where a switched port of ours has an MTU (tests/lab/test_defaults_of_others.py)."""
NEEDED = "needs it, and stays"
"""What a plan says of a line of ours that lines of others live on since: the first design turned IPv6 routing on."""
SYSTEMS = pytest.mark.parametrize("os", pairs.SYSTEMS)
SEEDS = pytest.mark.parametrize("seed", [*range(3), *(pytest.param(n, marks=pytest.mark.long) for n in range(3, 60))])
MANY = pytest.mark.parametrize("seed", [*range(2), *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 100))])


def case(os: str, seed: int, *, meets: bool) -> tuple[str, str, Operated]:
    """Two designs as text, and a switch with lines of others."""
    one, two = pairs.pair(Random(seed), os)
    foreign = foreign_text(os, Random(seed), facts(one, DEVICE), meets=meets)
    if meets:
        foreign = re.sub(JUMBO_FRAMES, "", re.sub(THREE_STATES, "", foreign))
    return one, two, brought_up(wanted_of(one, DEVICE), foreign, (wanted_of(two, DEVICE),))


@pytest.mark.parametrize("meets", [False, True], ids=["aside", "meeting ours"])
@SEEDS
@SYSTEMS
def test_no_push_removes_a_line_that_the_judge_knows_no_right_to_and_rollbacks_bring_all_back(
    os: str, seed: int, meets: bool
) -> None:
    one, two, switch = case(os, seed, meets=meets)
    ours, states = set[tuple[str, ...]](), [switch.running()]
    for text in (one, two):
        before, rendered = switch.running(), rendered_of(text, DEVICE)
        try:
            switch.push(wanted_of(text, DEVICE))
        except RefusedError as refused:  # what NX-OS does not change as it runs
            assert "while it has members" in str(refused)
            break
        after = switch.running()
        assert unknown_removals(os, before, after, rendered, ours, switch.adopted) == []
        assert robbed(os, before, after, rendered) == []
        ours = (ours | added(os, before, after)) - removed(os, before, after)
        states.append(after)
        assert switch.plan(wanted_of(text, DEVICE)).changes == ()
    to_tree = wanted_of(one, DEVICE).platform.to_tree
    for text, state in zip((two, one)[-len(switch.standing) :], states[-2::-1], strict=True):
        switch.roll_back(wanted_of(text, DEVICE))
        assert to_tree(switch.running()) == to_tree(state)
        if not meets:
            assert switch.running() == state


@MANY
@SYSTEMS
def test_one_design_after_another_is_the_same_as_the_second_alone(
    os: str, seed: int, figure: Callable[[str], None]
) -> None:
    one, two, start = case(os, seed, meets=False)
    both, alone = start.copy(), start.copy()
    try:
        both.push(wanted_of(one, DEVICE))
        changed = both.push(wanted_of(two, DEVICE))
    except RefusedError as refused:
        assert "while it has members" in str(refused)
        return
    alone.push(wanted_of(two, DEVICE))
    stays = {each.path for each in changed.others if each.reason.endswith(NEEDED)}
    to_tree = wanted_of(two, DEVICE).platform.to_tree
    more = list(difference(to_tree(alone.running()), to_tree(both.running())))
    assert {each.op for each in more} <= {"+"} and {each.path for each in more} <= stays
    assert more or both.running() == alone.running()
    gone = sum(each.op == "-" for each in changed.changes)
    figure(f"{os} {seed}: {len(changed.changes)} lines changed by the second design, {gone} of them removed")


@pytest.mark.parametrize("seed", [*range(1), *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 30))])
@SYSTEMS
def test_without_the_journal_what_stays_of_the_first_design_is_what_the_plan_lists(
    os: str, seed: int, figure: Callable[[str], None]
) -> None:
    """Less what bears no mark of the second design: an address of a pool that it has no more, a feature."""
    one, two, start = case(os, seed, meets=False)
    lost, alone, wanted = start.copy(), start.copy(), wanted_of(two, DEVICE)
    try:
        lost.push(wanted_of(one, DEVICE))
        lost.standing.clear()
        plan = lost.push(wanted)
        alone.push(wanted)
    except RefusedError as refused:
        assert "while it has members" in str(refused)
        return
    to_tree = wanted.platform.to_tree
    rest = list(difference(to_tree(alone.running()), to_tree(lost.running())))
    listed = [each.path for each in plan.others]
    missing = [each.path for each in rest if each.op == "-" and not any(covers(path, each.path) for path in listed)]
    assert missing == [], "neither there, as the second design alone leaves it, nor in an object that the plan lists"
    nobodys = split(to_tree(lost.running()), wanted.platform.ownership, wanted.claims)[None].paths()
    counts = Counter("bears no mark" if each.path in nobodys else "listed" for each in rest)
    unlisted = [
        each.path
        for each in rest
        if each.path not in nobodys and not any(covers(path, each.path) or covers(each.path, path) for path in listed)
    ]
    assert unlisted == []
    figure(f"{os} {seed}: {dict(counts)} of {len(rest)} lines that stay")
