"""A soak as a use case: times, places and hosts' files that are refused; one report of both; the list."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.counters.joined import joined
from nornir_tasks.checks.counters.ranking import HURTS, ranked
from nornir_tasks.checks.counters.rates import rates_of
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.counters.suite import judge
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.host_counters import host_readings
from nornir_tasks.platforms.counted import Counter, Place, Reading
from nornir_tasks.usecases import soak, validate
from nornir_tasks.usecases.site import select
from nornir_tasks.usecases.switch_verdicts import of_checks
from nornir_tasks.usecases.verdict_reports import junit
from tests.unit.checks.lab_evidence import clean, host_port, lab
from tests.unit.checks.played_load import BULK, ROCE, random_load, site, wanted


@pytest.mark.parametrize(("text", "seconds"), [("60s", 60), ("5m", 300), ("1h", 3600), ("7", 7), ("7.5s", 7.5)])
def test_a_time_is_what_it_says(text: str, seconds: float) -> None:
    assert soak.duration_s(text, "--soak") == seconds


def test_a_rule_of_a_soak_is_taken_with_one_and_without_it_refused_with_what_to_add() -> None:
    assert validate.checks_named(("pause-storm", "mtu"), soaked=True) == ("mtu", "pause-storm")
    with pytest.raises(IntentError) as refused:
        validate.checks_named(("pause-storm", "mtuu"))
    storm, unknown = refused.value.problems
    assert (storm.found, storm.hint) == ("pause-storm", "add --soak 60s")
    assert unknown.hint == "did you mean mtu?"


@pytest.mark.parametrize("text", ["", "s", "-5s", "4s", "25h", "1d", "nan", "1e3s", "9999999s", "6 0s"])
def test_a_time_that_counts_nothing_is_refused_with_what_is_taken(text: str) -> None:
    with pytest.raises(IntentError) as refused:
        soak.duration_s(text, "--soak")
    (problem,) = refused.value.problems
    assert (problem.where, problem.found) == ("--soak", text)
    assert "60s" in problem.expected


def test_ports_and_hosts_that_there_are_not_are_refused_all_at_once() -> None:
    chosen = select(lab())
    with pytest.raises(IntentError) as refused:
        soak.ends_named(chosen, ["leaf-g1-r0:Ethernet99/1", "nowhere:swp1"], ["gpu-99"])
    assert [each.found for each in refused.value.problems] == ["leaf-g1-r0:Ethernet99/1", "nowhere:swp1", "gpu-99"]
    assert "leaf-g1-r0:Ethernet" in refused.value.problems[0].expected


def test_of_a_host_its_leaves_alone_are_read() -> None:
    chosen = select(lab())
    ends = soak.ends_named(chosen, [], ["gpu-2"])
    narrowed = soak.narrowed(chosen, ends)
    assert set(narrowed) == {name for name in chosen if name.startswith("leaf")}
    assert set(soak.narrowed(chosen, ())) == set(chosen)


def fact(folder: Path, host: str, sequence_errors: int, at_s: float) -> None:
    counters = {"uptime_s": at_s, "interfaces": {}, "devices": {"mlx5_0/1": {"packet_seq_err": sequence_errors}}}
    body = {"ansible_facts": {"gpufabric_counters": {**counters, "xids": {}, "nvlink": {}, "not_read": {}}}}
    folder.mkdir(exist_ok=True)
    (folder / host).write_text(json.dumps(body))
    os.utime(folder / host, (at_s, at_s))


def counted_by_hosts(folders: list[Path]) -> tuple[Mapping[str, Reading], dict[str, Reading]]:
    selection = select(lab())
    return soak.hosts_after(selection, folders, soak.hosts_before(selection, folders))


def test_what_hosts_counted_is_read_from_two_folders_and_judged(tmp_path: Path) -> None:
    fact(tmp_path / "before", "gpu-1", 5, 1e9)
    fact(tmp_path / "after", "gpu-1", 9, 1e9 + 60)
    before, after = counted_by_hosts([tmp_path / "before", tmp_path / "after"])
    found = rates_of(before, after)["gpu-1"]
    assert found.of(Counter.SEQUENCE_ERRORS) == {Place("mlx5_0/1"): 4}
    assert found.seconds == 60


def test_hosts_files_that_are_none_are_refused_with_each_file(tmp_path: Path) -> None:
    (tmp_path / "stranger").write_text("{}")
    (tmp_path / "gpu-1").write_text("no JSON")
    (tmp_path / "gpu-2").write_text('{"msg": "unreachable", "unreachable": true}')
    with pytest.raises(IntentError) as refused:
        host_readings(tmp_path, lab().network.hosts)
    assert len(refused.value.problems) == 3
    assert any("unreachable" in each.found for each in refused.value.problems)
    with pytest.raises(IntentError, match="two folders"):
        counted_by_hosts([tmp_path])


def test_a_host_in_one_folder_alone_is_refused(tmp_path: Path) -> None:
    fact(tmp_path / "before", "gpu-1", 5, 1e9)
    fact(tmp_path / "after", "gpu-2", 5, 1e9 + 60)
    with pytest.raises(IntentError, match="gpu-1, gpu-2"):
        counted_by_hosts([tmp_path / "before", tmp_path / "after"])


def dropped(port: str) -> Report:
    lead = Finding("lossless-drops", "leaf-g1-r0", port, Verdict.FAIL, "5 packets dropped")
    return Report((lead,), (Cause(lead, "look", ()),))


def failing(check: str, port: str) -> Report:
    lead = Finding(check, "leaf-g1-r0", port, Verdict.FAIL, f"{check} is wrong")
    return Report((lead,), (Cause(lead, "push", ()),))


def test_a_drop_where_pauses_are_off_follows_from_that_and_is_one_finding() -> None:
    port = host_port("leaf-g1-r0")
    (cause,) = joined(failing("pfc", port), dropped(port), clean()).causes
    assert (cause.lead.check, [each.check for each in cause.follows]) == ("pfc", ["lossless-drops"])


@pytest.mark.parametrize(("check", "port"), [("pfc", "Ethernet63/1"), ("ntp", ""), ("config", "")])
def test_a_drop_is_not_suppressed_by_what_does_not_explain_it(check: str, port: str) -> None:
    found = joined(failing(check, port), dropped(host_port("leaf-g1-r0")), clean())
    assert [each.lead.check for each in found.causes] == ["lossless-drops", check]
    assert len(found.failed) == 2


def test_rules_have_groups_of_their_own_in_junit() -> None:
    text = junit("validate", "lab", of_checks(dropped("Ethernet1/1")))
    assert 'testsuite name="lossless-drops" tests="1" failures="1"' in text


def test_what_hurts_is_listed_before_what_waits_and_that_before_what_passed() -> None:
    played = random_load(3)
    leaf, spine = "leaf-g1-r0", "spine-1"
    port = next(end[1] for end in played.links if end[0] == leaf)
    played.add(leaf, Counter.QUEUE_DROPS, port, ROCE, 7)
    played.add(leaf, Counter.QUEUE_DROPS, port, BULK, 10**6)
    played.add(spine, Counter.CRC_ERRORS, next(end[1] for end in played.links if end[0] == spine), None, 1)
    first, second = played.readings()
    rows = ranked(Soak(site().network, wanted(), rates_of(first, second)))  # type: ignore[arg-type]
    assert (rows[0].device, rows[0].place, rows[0].lossless) == (leaf, Place(port, ROCE), True)
    order = [HURTS.index(each.counter) for each in rows]
    assert order == sorted(order)
    assert all(each.cable and each.far for each in rows if each.counter in (Counter.PFC_RX, Counter.QUEUE_DROPS))
    everything = ranked(
        Soak(site().network, wanted(), rates_of(first, second)),  # type: ignore[arg-type]
        [(leaf, port)],
        everything=True,
    )
    assert {(each.device, each.place.port) for each in everything} == {(leaf, port)}
    assert Counter.BYTES_OUT in {each.counter for each in everything}


def test_every_counter_has_its_place_in_the_order_of_what_hurts() -> None:
    assert sorted(HURTS) == sorted(Counter)


def test_a_switch_that_is_read_once_alone_is_undecided_for_all_its_rules() -> None:
    first, second = random_load(4).readings()
    del second["spine-2"]
    hosts = frozenset(site().network.hosts)
    whole = Soak(site().network, wanted(), rates_of(first, second), hosts=hosts)  # type: ignore[arg-type]
    found = judge(replace(whole, unread={"spine-2": Problem("spine-2", "nothing answers")})).report
    of_it = [each for each in found.findings if each.device == "spine-2"]
    assert {each.verdict for each in of_it} == {Verdict.ERROR}
    assert len(of_it) > 5


def test_a_switch_that_dies_between_the_readings_is_one_cause_with_what_its_neighbours_count() -> None:
    first, second = random_load(4).readings()
    del second["spine-2"]
    for link in site().network.links_of("spine-2"):
        near = link.far("spine-2")
        values = {
            counter: {
                place: value for place, value in places.items() if place.port != near.port or "pfc" not in counter
            }
            for counter, places in second[near.device].values.items()
        }
        flaps, place = values.get(Counter.LINK_CHANGES, {}), Place(near.port)
        values[Counter.LINK_CHANGES] = flaps | {place: flaps.get(place, 0) + 1}
        before = dict(first[near.device].values)
        before[Counter.LINK_CHANGES] = {place: 0} | dict(before.get(Counter.LINK_CHANGES, {}))
        first[near.device] = replace(first[near.device], values=before)
        second[near.device] = replace(second[near.device], values=values)
    unread = {"spine-2": Problem("spine-2", "nothing answers")}
    hosts = frozenset(site().network.hosts)
    found = judge(Soak(site().network, wanted(), rates_of(first, second), unread, hosts)).report  # type: ignore[arg-type]
    (cause,) = found.causes
    assert (cause.lead.check, cause.lead.device) == ("readings", "spine-2")
    assert {"link-changes", "readings"} <= {each.check for each in cause.follows if each.device != "spine-2"}


def test_a_first_folder_that_holds_no_counters_is_refused_before_the_soak(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "before/gpu-1").write_text("{")
    with pytest.raises(IntentError) as refused:
        soak.hosts_before(select(lab()), [tmp_path / "before", tmp_path / "not-yet"])
    assert refused.value.problems[0].where == str(tmp_path / "before/gpu-1")


def test_rules_that_need_what_was_not_understood_are_undecided_and_the_others_are_judged() -> None:
    """A port that is in neither reading must not be taken for one without drops."""
    first, second = random_load(4).readings()
    port = host_port("leaf-g1-r0")
    for when in (first, second):
        one = when["leaf-g1-r0"]
        values = {
            counter: {place: value for place, value in places.items() if place.port != port or "queue" not in counter}
            for counter, places in one.values.items()
        }
        doubtful = frozenset(each for each in values if "queue" in each)
        when["leaf-g1-r0"] = replace(one, values=values, problems=(f"{port} is garbled",), doubtful=doubtful)
    hosts = frozenset(site().network.hosts)
    found = judge(Soak(site().network, wanted(), rates_of(first, second), {}, hosts)).report  # type: ignore[arg-type]
    verdicts = {each.check: each.verdict for each in found.findings if each.device == "leaf-g1-r0"}
    assert verdicts["lossless-drops"] is Verdict.ERROR
    assert verdicts["readings"] is Verdict.ERROR
    assert verdicts["link-changes"] is Verdict.PASS
    assert verdicts["pause-storm"] is Verdict.PASS
    (cause,) = found.causes
    assert cause.lead.check == "readings"
    assert port in cause.lead.message
