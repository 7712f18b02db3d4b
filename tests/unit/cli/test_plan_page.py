"""A plan fits a page: switches that change alike share their lines, what is cut is counted, the worst comes first."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.cli.plan_page import KINDS_OF_REST, PAGE_LINES, Line, page
from nornir_tasks.deploy.plan import DevicePlan
from nornir_tasks.deploy.summary import PlanSummary, summary
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.usecases.site import load, select

QUIET, FLAPS = ("hostname x",), ("interface Ethernet1/1", "shutdown")


def plan_of(device: str, *paths: Path) -> PlanSummary:
    """What a push would add to one EOS switch."""
    nothing = [ConfigTree() for _ in range(4)]
    plan = DevicePlan(device, tuple(Change(path, "+") for path in paths), *nothing, is_saved=False)
    return replace(summary(plan, WANTED), device=device)


WANTED = select(load("lab-rails"))["leaf-g1-r0"]


def shown(plans: list[PlanSummary], most_lines: int | None = PAGE_LINES) -> list[Line]:
    return list(page(plans, most_lines, "nornir plan --all"))


def test_equal_changes_of_288_switches_are_their_lines_once() -> None:
    lines = shown([plan_of(f"leaf-{number}", QUIET, FLAPS) for number in range(288)])
    assert [part for part, _, _ in lines] == [
        "leaf-0, leaf-1, leaf-2 and 285 more",
        "  + hostname x",
        "  + interface Ethernet1/1 / shutdown",
    ]
    assert lines[0][2] == "  2 lines on each of 288 switches, at worst: port-flap"


@pytest.mark.parametrize("switches", [11, 24, 288])
def test_a_first_push_is_a_page_however_many_switches(switches: int) -> None:
    plans = [plan_of(f"leaf-{i}", *((f"ip route 10.{i}.{n}.0/24 Null0",) for n in range(300))) for i in range(switches)]
    lines = shown(plans)
    assert len(lines) <= PAGE_LINES
    assert switches_in(lines) == switches


def test_there_is_a_line_of_the_rest_for_each_degree_of_disruption() -> None:
    assert len(Disruption) == KINDS_OF_REST


def test_of_a_cut_list_the_most_disruptive_line_stands_first_and_all_others_are_counted() -> None:
    plans = [
        plan_of("leaf-1", *((f"ip route 10.0.{n}.0/24 Null0",) for n in range(200)), FLAPS),
        plan_of("leaf-2", QUIET),
    ]
    lines = shown(plans)
    assert lines[1] == ("  + interface Ethernet1/1 / shutdown", "green", "   <- port-flap")
    cut = next(part for part, _, _ in lines if "more lines" in part)
    printed = sum(part.startswith("  + ") for part, _, _ in lines) - 1  # leaf-2 has one
    assert cut == f"  and {201 - printed} more lines, all shown by: nornir plan --all --limit leaf-1"


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=90), min_size=1, max_size=40))
def test_every_changing_switch_is_counted_whatever_the_page_has_room_for(changes: list[list[str]]) -> None:
    plans = [plan_of(f"s{number}", *((text,) for text in lines)) for number, lines in enumerate(changes)]
    assert switches_in(shown(plans)) == switches_in(shown(plans, None)) == len(plans)
    assert sum(part.startswith("  +") for part, _, _ in shown(plans, None)) == sum(
        len(lines) for lines in {tuple(lines) for lines in changes}
    )


def switches_in(lines: list[Line]) -> int:
    """How many switches the headings stand for."""
    found = 0
    for part, style, _ in lines:
        if style == "bold":
            names = part.partition("more: ")[2] if part.startswith("and ") else part
            listed, _, more = names.partition(" and ")
            found += len(listed.split(", ")) + int(more.split()[0] if more else 0)
    return found
