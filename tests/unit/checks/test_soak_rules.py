"""What the rules of a soak find: seeded faults by name, no alarm on loads within the policy, doubts never passed."""

from collections import Counter as Tally
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.checks.counters.rates import rates, rates_of
from nornir_tasks.checks.counters.suite import ABOUT, RULES, SoakReport
from nornir_tasks.platforms.counted import Counter, Place, Reading
from tests.unit.checks.played_load import BULK, ROCE, Flow, Played, not_read, random_load, without
from tests.unit.checks.soak_faults import Seeded, every, loaded

NOTHING = "not read on this system"


@cache
def seeded(number: int) -> tuple[Seeded, SoakReport]:
    system, seed, make = list(every())[number]
    fault: Seeded = make(system, seed)  # type: ignore[operator]
    return fault, fault.played.judged(fault.alter)


def is_visible(fault: Seeded) -> bool:
    """Does this system show it, by tests/corpus/counters/counters.tsv?"""
    hidden = not_read(fault.system)
    return not fault.needs or any(each not in hidden for each in fault.needs)


@pytest.mark.parametrize("number", range(len(list(every()))))
def test_a_seeded_fault_is_the_one_cause_and_named_with_its_place(number: int) -> None:
    fault, found = seeded(number)
    if not is_visible(fault):
        assert not found.report.failed
        shown = next(each for each in found.coverage if each.system == fault.system)
        assert set(fault.needs) <= set(shown.not_read)
        return
    causes = found.report.causes
    assert causes, fault.kind
    lead = causes[0].lead
    assert lead.check == fault.rule, [(each.lead.check, each.lead.message) for each in causes]
    text = f"{lead.message} {causes[0].remedy}"
    assert all(word in text for word in fault.words), text
    assert len(causes) == 1, [each.lead.message for each in causes]
    assert causes[0].remedy


def named(number: int) -> tuple[str, str, str]:
    """(fault, rule that is to name it, what was named)."""
    fault, found = seeded(number)
    causes = found.report.causes
    return fault.kind, fault.rule, causes[0].lead.check if causes else ("nothing" if is_visible(fault) else NOTHING)


def test_the_confusion_matrix_has_its_faults_on_the_diagonal(figure: Callable[[str], None]) -> None:
    matrix = Tally(named(number) for number in range(len(list(every()))))
    assert sum(matrix.values()) >= 60
    assert {each for (_, rule, each) in matrix if each not in (rule, NOTHING)} == set()
    for (kind, _, each), count in matrix.items():
        figure(f"soak: {kind}: {each} {count}")


def test_the_page_has_the_row_of_each_fault_with_what_names_it_and_how_often() -> None:
    """docs/howto/soak.md, against the matrix."""
    matrix: dict[str, Tally[str]] = {}
    for number in range(len(list(every()))):
        kind, rule, each = named(number)
        matrix.setdefault(kind, Tally())[each if each == NOTHING else f"`{rule}`"] += 1
    page = Path(__file__).parents[3].joinpath("docs/howto/soak.md").read_text(encoding="utf-8")
    table = page.partition("| seeded | named as |")[2].partition("\n\n")[0].splitlines()[2:]
    shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    made = [
        [kind, " ".join(f"{rule} {count} times" for rule, count in sums.items() if rule != NOTHING), hidden]
        for kind, sums in sorted(matrix.items())
        for hidden in [str(sums[NOTHING] or "")]
    ]
    assert shown == made


@pytest.mark.parametrize("seed", range(50))
def test_a_load_whose_marks_and_pauses_are_within_the_policy_raises_no_alarm(seed: int) -> None:
    played = random_load(seed)
    played.skipped_hosts = seed % 2 == 1
    found = played.judged().report
    assert [each.message for each in (*found.failed, *found.undecided)] == []
    assert found.tested == found.total > 0


def test_loads_without_an_alarm_do_have_marks_and_pauses() -> None:
    counted = [random_load(seed).grown for seed in range(10)]
    for name in ("ecn-marked-packets", "pfc-frames-sent", "queue-drops"):
        sums = [sum(sum(table[name].values()) for table in each.values()) for each in counted]  # type: ignore[index]
        assert max(sums) > 0, name


def test_an_empty_member_is_no_alarm_where_few_senders_may_have_left_it_empty_by_chance() -> None:
    played = Played(7)
    leaf = next(iter(played.uplinks))
    up, other = played.uplinks[leaf]
    played.silent.add(up)
    ports = [end for end in played.host_ports() if played.leaf_of(end)[0] == leaf][:4]
    far = [end for end in played.host_ports() if played.leaf_of(end)[0] != leaf]
    played.play([Flow(end, far[number], 5e9) for number, end in enumerate(ports)])
    table = played.grown[leaf][Counter.BYTES_OUT]
    assert table[Place(up[1])] == 0 < table[Place(other[1])]
    assert played.judged().report.failed == ()


def test_each_rule_has_a_seeded_fault() -> None:
    assert {seeded(number)[0].rule for number in range(len(list(every())))} == {each.name for each in ABOUT}


def test_every_rule_reads_at_least_what_it_needs() -> None:
    for rule in RULES:
        assert frozenset().union(*rule.needs) <= set(rule.about.reads), rule.about.name


def test_one_broken_answer_leaves_the_other_switches_and_counters_judged() -> None:
    """A counter that went back on one switch, a drop at the same switch and one at another: all three are named."""
    played = loaded(11)
    (broken, other) = [name for name, system in played.systems.items() if system == "eos"][:2]
    for device in (broken, other):
        port = next(end[1] for end in played.links if end[0] == device)
        played.add(device, Counter.QUEUE_DROPS, port, ROCE, 5)

    def alter(first: dict[str, Reading], second: dict[str, Reading]) -> None:
        del first
        second[broken] = without(second[broken], Counter.CRC_ERRORS)

    found = played.judged(alter).report
    assert {(each.check, each.device) for each in found.failed} == {
        ("lossless-drops", broken),
        ("lossless-drops", other),
    }
    assert {each.device for each in found.undecided} == {broken}
    assert {each.check for each in found.undecided} == {"readings", "link-errors"}, (
        "the rule that needs it is not passed"
    )


def test_a_switch_that_started_again_is_judged_by_no_rule_and_the_others_are() -> None:
    played = loaded(12)

    def alter(first: dict[str, Reading], second: dict[str, Reading]) -> None:
        del first
        second["spine-1"] = replace(second["spine-1"], uptime_s=3.0)

    found = played.judged(alter).report
    of_it = [each for each in found.findings if each.device == "spine-1"]
    assert {str(each.verdict) for each in of_it} == {"could not tell"}
    assert "started again" in of_it[0].message
    assert found.total == played.judged().report.total
    (cause,) = found.causes
    assert len(cause.follows) == len(of_it) - 1


def test_where_drops_are_not_read_nothing_is_passed() -> None:
    played = loaded(13)

    def alter(first: dict[str, Reading], second: dict[str, Reading]) -> None:
        for readings in (first, second):
            for counter in (Counter.QUEUE_DROPS, Counter.INPUT_DROPS):
                reading = without(readings["spine-1"], counter)
                missing = {**reading.not_read, counter: "no source"}
                readings["spine-1"] = replace(reading, not_read=missing)

    (found,) = played.judged(alter).report.undecided
    assert (found.check, found.device) == ("lossless-drops", "spine-1")
    assert "no source" in found.message


def test_drops_of_other_classes_and_pauses_of_a_slow_host_are_the_policys_own() -> None:
    played = loaded(14)
    host_port = played.host_ports()[0]
    device, port = played.leaf_of(host_port)
    played.add(device, Counter.QUEUE_DROPS, port, BULK, 10**6)
    played.pause(host_port, 300 * played.seconds)
    assert played.judged().report.failed == ()


def test_a_drop_at_the_way_in_without_a_pause_is_undecided_as_no_system_says_of_which_class() -> None:
    played = loaded(15)
    played.add("spine-1", Counter.INPUT_DROPS, next(end[1] for end in played.links if end[0] == "spine-1"), None, 9)
    found = played.judged().report
    assert found.failed == ()
    assert [each.check for each in found.undecided] == ["lossless-drops"]


def test_of_a_storm_the_whole_tree_is_one_cause_with_the_cable_and_what_it_dropped() -> None:
    storms = [seeded(number) for number in range(len(list(every()))) if seeded(number)[0].rule == "pause-storm"]
    assert storms
    for fault, found in storms:
        (cause,) = found.report.causes
        assert "cable " in cause.remedy, cause.remedy
        assert "ansible-playbook" in cause.remedy
        dropped = [each for each in found.report.failed if each.check == "lossless-drops"]
        assert {each.check for each in cause.follows} >= {each.check for each in dropped}, fault.system


def test_switches_that_stop_one_another_in_a_circle_are_named_as_that() -> None:
    """Two leaves and two spines, each stopped by the next one: no host is at the end."""
    played = loaded(16)
    one, two = list(played.uplinks)[:2]
    (a, b), (c, d) = played.uplinks[one], played.uplinks[two]
    for stops in (a, played.links[c][0], d, played.links[b][0]):
        played.pause(stops, 5000 * played.seconds, each_us=80)
    (cause,) = played.judged().report.causes
    assert "in a circle" in cause.lead.message


def test_rates_hold_for_any_growth_and_never_go_below_zero() -> None:
    @given(st.integers(0, 2**63), st.integers(0, 2**40), st.floats(1.0, 1e5))
    def holds(was: int, growth: int, seconds: float) -> None:
        place = Place("a", 3)
        first = Reading("x", 5.0, None, None, {Counter.PFC_RX: {place: was}})
        second = Reading("x", 5.0 + seconds, None, None, {Counter.PFC_RX: {place: was + growth}})
        assert rates(first, second).of(Counter.PFC_RX) == {place: growth}
        back = rates(replace(first, values=second.values), replace(second, values=first.values))
        assert bool(back.doubts) == (growth > 0)
        assert all(value >= 0 for value in back.of(Counter.PFC_RX).values())

    holds()


def test_the_watchdog_of_a_system_that_shows_it_from_the_first_event_on_begins_at_zero() -> None:
    first = Reading("x", 0.0, None, None, {Counter.WATCHDOG: {}})
    second = Reading("x", 60.0, None, None, {Counter.WATCHDOG: {Place("a", 3): 2}})
    assert rates(first, second).of(Counter.WATCHDOG) == {Place("a", 3): 2}
    other = Reading("x", 60.0, None, None, {Counter.WATCHDOG: {}, Counter.PFC_RX: {Place("a", 3): 2}})
    assert rates(first, other).doubts


def test_a_clock_is_apart_only_by_more_than_its_answer_took_to_come() -> None:
    """A busy switch of many ports, or a busy client, makes no other clock of it."""

    def names(clock_s: float, took_s: float) -> list[str]:
        made = {name: Reading(name, 100.0, 1000.0, 1.0, {}, sent_s=99.9) for name in ("a", "b", "c")}
        late = Reading("late", 100.0, clock_s, 1.0, {}, sent_s=100.0 - took_s)
        before = {name: replace(each, read_at_s=40.0, sent_s=39.9, clock_s=940.0) for name, each in made.items()}
        first = before | {"late": replace(late, read_at_s=40.0, sent_s=40.0 - took_s, clock_s=clock_s - 60)}
        return [name for name, each in rates_of(first, made | {"late": late}).items() if each.doubts]

    assert names(1000.0, 0.1) == []
    assert names(988.0, 12.0) == [], "of the moment when it was asked"
    assert names(988.0, 0.1) == ["late"]
    assert names(1012.0, 12.0) == ["late"], "it cannot be of a moment after the answer"
    assert names(1007.0, 0.1) == ["late"]
