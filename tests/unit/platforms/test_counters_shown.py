"""Counters from recorded answers, by the table that says where each is read."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.counted import GAUGES, Counter, Counts, Place, Reading
from nornir_tasks.platforms.counting import ALL, MAX_COUNT, MAX_PROBLEMS, NOT_COUNTED
from nornir_tasks.platforms.nvue.counters import lacking, put
from nornir_tasks.platforms.nvue.reading import look
from tests.unit.platforms.counter_table import GRADES, SWITCHES, of_system, recorded, rows

EXPECTED: dict[str, dict[Counter, dict[Place, float]]] = {
    "nvue": {
        Counter.PFC_RX: {Place("swp1", 3): 120},
        Counter.PFC_TX: {Place("swp1", 3): 45},
        Counter.PAUSE_RX_US: {Place("swp1", 3): 3728},
        Counter.PAUSE_TX_US: {Place("swp1", 3): 1500},
        Counter.ECN_MARKED: {Place("swp1", 3): 693777677},
        Counter.QUEUE_PACKETS: {Place("swp1", 3): 803785675319},
        Counter.QUEUE_DROPS: {Place("swp1", 3): 76995},
        Counter.INPUT_DROPS: {Place("swp1", 3): 7},
        Counter.WATCHDOG: {Place("swp1", 1): 3, Place("swp1", 2): 2, Place("swp1", 7): 3},
        Counter.WATERMARK_BYTES: {Place("swp1"): 16020000},
        Counter.PACKETS_IN: {Place("swp1"): 4654060},
        Counter.PACKETS_OUT: {Place("swp1"): 4869952},
        Counter.BYTES_IN: {Place("swp1"): 426004861},
        Counter.BYTES_OUT: {Place("swp1"): 499391269},
        Counter.FEC_CORRECTED: {Place("swp1"): 598244758 + 807002 + 3371 + 180 + 1},
        Counter.FEC_UNCORRECTED: {Place("swp1"): 4},
        Counter.SYMBOL_ERRORS: {Place("swp1"): 2},
        Counter.LINK_CHANGES: {Place("swp1"): 6},
        Counter.RX_POWER_DBM: {Place("swp2", 1): -0.64, Place("swp2", 2): -30.0},
        Counter.TX_POWER_DBM: {Place("swp2", 1): -0.46, Place("swp2", 2): -0.38},
        Counter.TEMPERATURE_C: {Place("swp2"): 42.56},
    },
    "eos": {
        Counter.PFC_RX: {Place("Ethernet1/1", 3): 184},
        Counter.PFC_TX: {Place("Ethernet1/1", 3): MAX_COUNT},
        Counter.ECN_MARKED: {Place("Ethernet1/1", 3): 693777677},
        Counter.QUEUE_PACKETS: {Place("Ethernet1/1", 3): 803785675319},
        Counter.QUEUE_DROPS: {Place("Ethernet1/1", 3): 4},
        Counter.INPUT_DROPS: {Place("Ethernet1/1"): 5},
        Counter.WATCHDOG: {Place("Ethernet1/1", 3): 2},
        Counter.PACKETS_IN: {Place("Ethernet1/1"): 4654060},
        Counter.PACKETS_OUT: {Place("Ethernet1/1"): 4869952},
        Counter.BYTES_IN: {Place("Ethernet1/1"): 426004861},
        Counter.BYTES_OUT: {Place("Ethernet1/1"): 499391269},
        Counter.FEC_CORRECTED: {Place("Ethernet1/1"): 5},
        Counter.FEC_UNCORRECTED: {Place("Ethernet1/1"): 1},
        Counter.SYMBOL_ERRORS: {Place("Ethernet1/1"): 9},
        Counter.CRC_ERRORS: {Place("Ethernet1/1"): 1},
        Counter.LINK_CHANGES: {Place("Ethernet1/1"): 2},
        Counter.RX_POWER_DBM: {Place("Ethernet1/1", 1): -0.1, Place("Ethernet1/1", 2): -30.0},
        Counter.TX_POWER_DBM: {Place("Ethernet1/1", 1): -0.9, Place("Ethernet1/1", 2): -0.8},
        Counter.TEMPERATURE_C: {Place("Ethernet1/1"): 33.85546875},
    },
    "nxos": {
        Counter.PFC_RX: {Place("Ethernet1/1", 3): 29285148},
        Counter.PFC_TX: {Place("Ethernet1/1", 3): 22787490},
        Counter.ECN_MARKED: {Place("Ethernet1/1", 3): 693777},
        Counter.QUEUE_PACKETS: {Place("Ethernet1/1", 3): 202328436, Place("Ethernet1/1", 0): 5},
        Counter.QUEUE_DROPS: {Place("Ethernet1/1", 3): 11},
        Counter.INPUT_DROPS: {Place("Ethernet1/1"): 7},
        Counter.WATCHDOG: {Place("Ethernet1/1", 3): 2},
        Counter.PACKETS_IN: {Place("Ethernet1/1"): 73625 + 2805707 + 3},
        Counter.PACKETS_OUT: {Place("Ethernet1/1"): 8286 + 2821973 + 2},
        Counter.BYTES_IN: {Place("Ethernet1/1"): 288825287},
        Counter.BYTES_OUT: {Place("Ethernet1/1"): 225239460},
        Counter.SYMBOL_ERRORS: {Place("Ethernet1/1"): 8},
        Counter.CRC_ERRORS: {Place("Ethernet1/1"): 6},
        Counter.RX_POWER_DBM: {Place("Ethernet1/1", 1): -1.24, Place("Ethernet1/1", 2): -1.24},
        Counter.TX_POWER_DBM: {Place("Ethernet1/1", 1): -1.78, Place("Ethernet1/1", 2): -1.78},
        Counter.TEMPERATURE_C: {Place("Ethernet1/1", 1): 34.48, Place("Ethernet1/1", 2): 34.48},
    },
}
"""What the recordings hold that is not zero."""


def read(system: str, answers: dict[str, Any], wanted: frozenset[Counter] = ALL) -> Reading:
    return platforms()[system].counting.read("leaf", answers, 12.5, wanted)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.system}-{row.counter}")
def test_a_cell_of_the_table_says_where_it_is_from_or_why_it_is_not_read(row: Any) -> None:
    assert row.grade in GRADES
    assert (row.grade == "-") == (not row.is_read)
    assert row.grade != "memory", "what is from memory alone is not read"
    assert len(row.source) > 10


@pytest.mark.parametrize("system", SWITCHES)
def test_the_table_has_every_counter_of_every_switch_once(system: str) -> None:
    counters = [row.counter for row in rows() if row.system == system]
    assert sorted(counters) == sorted(Counter)


@pytest.mark.parametrize("system", SWITCHES)
def test_what_the_table_does_not_read_is_named_by_the_system_and_nothing_else(system: str) -> None:
    assert set(read(system, recorded(system)).not_read) == {
        counter for counter, row in of_system(system).items() if not row.is_read
    }


@pytest.mark.parametrize("system", SWITCHES)
def test_every_counter_of_the_table_comes_from_its_recording_to_its_value(system: str) -> None:
    found = read(system, recorded(system))
    shown = {
        counter: {place: value for place, value in places.items() if value or counter in GAUGES}
        for counter, places in found.values.items()
    }
    expected = {counter: EXPECTED[system].get(counter, {}) for counter in shown}
    assert shown == expected
    assert set(found.values) == {counter for counter, row in of_system(system).items() if row.is_read}
    assert found.problems == ()


@pytest.mark.parametrize("system", SWITCHES)
def test_a_counter_is_asked_for_where_the_table_says(system: str) -> None:
    counting = platforms()[system].counting
    requests = {each.what for each in counting.requests_for()}
    for row in of_system(system).values():
        if row.is_read:
            what = row.request.removesuffix(" (text)")
            assert (what if system != "nvue" or what.startswith("platform") else "interface") in requests


@pytest.mark.parametrize("system", SWITCHES)
def test_a_switch_says_its_time_and_how_long_it_runs(system: str) -> None:
    found = read(system, recorded(system))
    assert found.read_at_s == 12.5
    assert found.uptime_s == pytest.approx(86412, abs=1)
    assert found.clock_s == pytest.approx(1796069590, abs=1)


@pytest.mark.parametrize("system", SWITCHES)
def test_only_what_is_wanted_is_asked_for_and_told(system: str) -> None:
    wanted = frozenset({Counter.SYMBOL_ERRORS, Counter.XID})
    counting = platforms()[system].counting
    assert len(counting.requests_for(wanted)) < len(counting.requests_for())
    found = read(system, recorded(system), wanted)
    assert (set(found.values), set(found.not_read)) == ({Counter.SYMBOL_ERRORS}, {Counter.XID})


@pytest.mark.parametrize("system", SWITCHES)
def test_a_switch_that_answers_nothing_counts_nothing_and_says_which_requests(system: str) -> None:
    found = read(system, {})
    assert not found.values
    assert (found.clock_s, found.uptime_s) == (None, None)
    for request in {each.request.what for each in platforms()[system].counting.sources}:
        assert any(problem == f"{request}: the answer: expected one, found nothing" for problem in found.problems)


GARBLED: list[tuple[str, Any]] = [("a text", "% Invalid input"), ("a list", []), ("nothing", None), ("empty", {})]


@pytest.mark.parametrize(("kind", "garbled"), GARBLED, ids=[kind for kind, _ in GARBLED])
@pytest.mark.parametrize("system", SWITCHES)
def test_a_garbled_answer_is_named_and_the_others_are_read(system: str, kind: str, garbled: Any) -> None:
    whole = read(system, recorded(system)).values
    sources = platforms()[system].counting.sources
    for what in {each.request.what for each in sources}:
        answers = recorded(system) | {what: garbled}
        found = read(system, answers)
        lost = frozenset().union(*(each.counters for each in sources if each.request.what == what))
        if kind != "empty" or what != "platform/transceiver":  # of a switch without modules it is empty
            assert any(problem.startswith(f"{what}: ") for problem in found.problems)
        kept = {counter: places for counter, places in whole.items() if counter not in lost}
        kept.pop(Counter.WATCHDOG, None)  # EOS: its zeros stand at the places of another answer
        assert {counter: found.values.get(counter) for counter in kept} == kept


def _leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    found = [leaf for key, below in children for leaf in _leaves(below, (*path, key))]
    return found or [path]


@pytest.mark.parametrize("system", SWITCHES)
def test_no_garbled_value_is_read_as_another_number_or_stops_the_rest(system: str) -> None:
    """Each leaf of the answers in turn: a word, a negative count, one of 65 bits, half a table."""
    whole = read(system, recorded(system))
    answers = recorded(system)
    for what, answer in answers.items():
        for path in _leaves(answer):
            if not path:
                continue
            for wrong in ("garbled", -1, MAX_COUNT + 1, [], None, True):
                broken = dict(answers)
                broken[what] = _changed(answer, path, wrong)
                found = read(system, broken)
                for counter, places in found.values.items():
                    for place, value in places.items():
                        known = whole.values.get(counter, {}).get(place)
                        if counter in GAUGES and wrong in (-1, MAX_COUNT + 1, True):
                            continue
                        assert value == known or not known, f"{what} {path} {wrong}: {counter} {place} is {value}"


def _changed(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = copy.copy(node)
    copied[path[0]] = _changed(node[path[0]], path[1:], value)
    return copied


def test_a_wall_of_problems_of_one_answer_is_cut_short_with_their_number() -> None:
    answers = recorded("eos")
    ports = {f"Ethernet{number}": {"priorities": "garbled"} for number in range(1, 65)}
    answers["show priority-flow-control counters detail"] = {"interfaces": ports}
    problems = read("eos", answers).problems
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1] == f"show priority-flow-control counters detail: {64 - MAX_PROBLEMS} more of this answer"


def test_a_port_that_eos_leaves_out_of_its_watchdog_had_no_event() -> None:
    answers = recorded("eos")
    answers["show priority-flow-control counters watchdog"] = {"interfaces": {}}
    found = read("eos", answers).values[Counter.WATCHDOG]
    assert found == {Place("Ethernet1/1", queue): 0 for queue in range(8)}


def test_a_watchdog_of_another_release_is_no_zero() -> None:
    answers = recorded("eos")
    answers["show priority-flow-control counters watchdog"] = {"ports": {}}
    found = read("eos", answers)
    assert Counter.WATCHDOG not in found.values
    assert found.problems == (
        "show priority-flow-control counters watchdog: interfaces: expected a table, found nothing",
    )


def test_a_queue_of_eos_that_does_not_count_marks_has_none() -> None:
    assert Place("Ethernet1/1", 0) not in read("eos", recorded("eos")).values[Counter.ECN_MARKED]


def test_cumulus_of_a_release_without_marks_by_queue_has_those_of_the_port() -> None:
    answers = recorded("nvue")
    for queue in answers["interface"]["swp1"]["counters"]["qos"]["egress-queue-stats"].values():
        del queue["ecn-marked-frames"]
    assert read("nvue", answers).values[Counter.ECN_MARKED] == {Place("swp1"): 693777677}


def test_cumulus_before_5_5_is_named_by_the_place_that_it_lacks() -> None:
    answers = recorded("nvue")
    port = answers["interface"]["swp1"]
    port["qos"]["counters"] = port["counters"].pop("qos")
    assert read("nvue", answers).problems == (
        "interface: swp1/counters/qos: expected a table, for the port is up, found nothing",
    )


def test_parts_that_cumulus_does_not_tell_of_all_ports_are_asked_for_of_those_that_are_up() -> None:
    whole = recorded("nvue")
    answer = {"swp1": {"link": {"oper-status": "up"}}, "swp2": {"link": {"oper-status": "down"}}, "eth0": {}}
    ((port, paths),) = lacking(answer).items()
    assert port == "swp1"
    for path in paths:
        put(answer, port, path, look(whole["interface"]["swp1"], *path))
    assert lacking(answer) == {}
    again = read("nvue", whole | {"interface": answer})
    assert again.values == read("nvue", whole).values
    assert again.problems == ()


def test_a_port_of_cumulus_whose_answer_is_of_no_use_is_named_and_of_the_others_everything_is_read() -> None:
    answers = recorded("nvue")
    answers["interface"] = {**answers["interface"], "swp9": "the answer is not NVUE's"}
    found, whole = read("nvue", answers), read("nvue", recorded("nvue"))
    ports = len([name for name in answers["interface"] if name.startswith("swp")])
    expected = f"counters of {ports} ports, of which {ports - 1} are read"
    assert found.problems == (f'interface: swp9: expected {expected}, found "the answer is not NVUE\'s"',)
    assert found.values == whole.values
    assert {Counter.QUEUE_DROPS, Counter.BYTES_IN, Counter.WATCHDOG} <= found.doubtful
    assert Counter.RX_POWER_DBM not in found.doubtful, "optics are in another answer"
    assert whole.doubtful == frozenset()


def test_numbers_are_the_same_in_their_compact_form_and_places_are_shared() -> None:
    whole = {Place("swp1", 3): MAX_COUNT, Place("swp1", 4): 0, Place("swp2"): 5}
    first, second = Counts.of(whole), Counts.of(dict.fromkeys(whole, 1))
    assert first == whole
    assert [*first.items()] == [*whole.items()]
    assert [*first.values()] == [*whole.values()]
    assert first.layout is second.layout
    assert first.layout.of_port["swp1"] == ((3, 0), (4, 1))
    assert Place("swp3") not in first
    assert Counts.of({Place("swp1", 1): -0.5}) == {Place("swp1", 1): -0.5}
    assert Counts.of({}) == {}


def test_a_system_nobody_wrote_down_counts_nothing_and_says_so() -> None:
    found = NOT_COUNTED.read("leaf", {}, 0.0)
    assert (set(found.not_read), found.values, found.problems) == (set(Counter), {}, ())
