"""The laws that make "0 changed" worth something, for the lab site and for random intents.

1. parse(render(x)) == (x, nothing)
2. parse(what the switch prints after the push) == (x, nothing): tests/lab/test_compute_plane.py, on the wire
3. for every rendered line: deleting it, changing its value, or adding a valid line the model does not know to the same
   section makes the plan report a difference
"""

from collections.abc import Callable
from functools import cache

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.usecases.site import SiteDesign, load, select
from tests.property.mutants import each_change_is_reported, other_values, running_text


@cache
def lab() -> SiteDesign:
    return load("lab-rails")


@cache
def lab_wanted() -> dict[str, Wanted]:
    return dict(select(lab()))


DEVICES = sorted(lab_wanted())
ONE_OF_EACH = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
"""EOS, NX-OS, and NVUE in two releases."""


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_rendered_reads_back_as_what_was_designed(device: str) -> None:
    wanted = lab_wanted()[device]
    parsed = wanted.platform.parse(wanted.tree, wanted.capabilities, device, wanted.config.model)
    assert not parsed.remainder, list(parsed.remainder.walk())
    assert parsed.config == wanted.config
    as_written = wanted.platform.to_tree(wanted.text)
    parsed = wanted.platform.parse(as_written, wanted.capabilities, device, wanted.config.model)
    assert not parsed.remainder, list(parsed.remainder.walk())
    assert parsed.config == wanted.config


@pytest.mark.parametrize("device", DEVICES)
def test_a_switch_that_runs_the_rendered_lines_has_nothing_to_change(device: str) -> None:
    wanted = lab_wanted()[device]
    assert device_plan(wanted, running_text(wanted, wanted.tree)).changes == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", ONE_OF_EACH)
def test_every_line_deleted_or_changed_is_a_difference(device: str, figure: Callable[[str], None]) -> None:
    wanted = lab_wanted()[device]
    counts = [each_change_is_reported(wanted, path) for path, _ in wanted.tree.walk()]
    deleted, changed = (sum(column) for column in zip(*counts, strict=True))
    figure(f"{device}: {deleted} lines deleted, {changed} values changed, every one reported")
    assert deleted > 50
    assert changed > deleted


@pytest.mark.parametrize("device", DEVICES)
def test_a_default_that_somebody_turned_off_is_a_difference(device: str, figure: Callable[[str], None]) -> None:
    """Lines that the OS hides while they hold its default: a changed switch shows another value, or the negation."""
    wanted = lab_wanted()[device]
    os = wanted.platform
    written = os.to_tree(wanted.text)
    hidden = [change.path for change in difference(os.canonical(written), written) if change.op == "+"]
    negated = 0
    for path in hidden:
        if written.get(*path):
            continue  # a header; its lines are tried themselves
        line = path[-1].removeprefix("no ") if path[-1].startswith("no ") else f"no {path[-1]}"
        valued = [each for each in other_values(path[-1]) if wanted.tree.get(*path[:-1], each) is None]
        line = valued[-1] if valued else line
        mutant = wanted.tree.copy()
        mutant.add_path((*path[:-1], line))
        changes = device_plan(wanted, running_text(wanted, mutant)).changes
        assert (*path[:-1], line) in {change.path for change in changes if change.op == "-"}, path
        negated += 1
    figure(f"{device}: {negated} hidden defaults negated, every one reported")


@pytest.mark.parametrize("device", DEVICES)
def test_every_owned_line_has_one_owner_and_comes_from_the_section_that_is_pushed(device: str) -> None:
    only = select(lab(), ["compute"])[device]
    assert only.owners == {"switch", "compute"}
    assert only.tree == lab_wanted()[device].tree  # the lab has but one plane: nothing may be left out
