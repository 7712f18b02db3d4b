"""EosSession against the lab's EOS switch: one connection, two requests, one transaction, and no secret anywhere."""

import hashlib
import logging
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.eos import EosSession
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import AuthError, CommitError, ConnectError, StageError, TrustError
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.eos.candidate import candidate, server_changes
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.observe import OBSERVING, WATCHDOG
from nornir_tasks.platforms.eos.ownership import OWNERSHIP
from nornir_tasks.platforms.eos.tree import to_tree
from nornir_tasks.platforms.observed import Form, Request
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Candidate
from tests.unit.platforms.eos_examples import claims, drained, leaf, rendered


@pytest.fixture(scope="module")
def lab(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("eos") / "lab")
    for name in ("leaf-a", "leaf-b", "leaf-c"):
        description.add_device(name, "eos", asn=4200000001)
    description.add_cable(("leaf-a", "Ethernet5/1"), ("leaf-b", "Ethernet5/1"))
    return start_module_lab(description)


def endpoint(lab: RunningLab, device: str = "leaf-a", **changes: Any) -> Endpoint:
    return lab.endpoint(device, **changes)


@pytest.fixture
def session(lab: RunningLab) -> Iterator[EosSession]:
    made = open_session("eos", endpoint(lab))
    assert isinstance(made, EosSession)
    yield made
    made.close()


def wanted() -> ConfigTree:
    return canonical(to_tree(rendered(leaf())))


def planned(running: str, tree: ConfigTree) -> Candidate:
    parts = split(to_tree(running), OWNERSHIP, claims(leaf()))
    foreign = parts.pop(None)
    assert foreign
    return candidate(to_tree(running), join(parts.values()), tree)


def counters(lab: RunningLab, device: str = "leaf-a") -> tuple[int, int]:
    found = lab.control.ask("requests")[device]
    return found["connections"], found["requests"]


def brownfield(running: str) -> list[str]:
    """Everything on the switch that is not ours."""
    foreign = split(to_tree(running), OWNERSHIP, claims(leaf()))[None]
    return sorted(" / ".join(path) for path in foreign.paths())


def test_reading_costs_one_connection_and_two_requests(lab: RunningLab, session: EosSession) -> None:
    connections, requests = counters(lab)
    running = session.read()
    assert counters(lab) == (connections + 1, requests + 2)
    assert running.facts.release == "4.33.1F"
    assert running.facts.serial == "LAB0000"
    assert running.facts.hostname == "leaf-a"
    assert "7060DX5-64S" in running.facts.model
    assert "username" in running.text


def test_a_push_is_staged_committed_confirmed_and_then_there_is_nothing_to_do(lab: RunningLab) -> None:
    first = EosSession(endpoint(lab))
    running = first.read()
    before = brownfield(running.text)
    made = planned(running.text, wanted())
    staged = first.stage(made)
    assert staged.changes == frozenset(made.changes)
    assert "secret" not in staged.diff
    token = first.commit(60)
    first.close()

    second = EosSession(endpoint(lab))
    second.confirm(token)
    second.save()
    after = second.read()
    assert planned(after.text, wanted()).changes == ()
    assert brownfield(after.text) == before
    startup = second.cli(["show startup-config"])["show startup-config"]
    assert "qos profile GPUFABRIC-ROCE" in startup
    second.close()


def test_an_unconfirmed_commit_goes_back_by_itself_and_says_so(lab: RunningLab) -> None:
    """The one test of EOS that waits for a real timer."""
    first = EosSession(endpoint(lab, "leaf-b"))
    before = first.read().text
    first.stage(planned(before, wanted()))
    token = first.commit(5)
    assert first.read().text != before
    deadline = time.monotonic() + 60
    while first.read().text != before and time.monotonic() < deadline:
        time.sleep(0.2)
    first.close()
    second = EosSession(endpoint(lab, "leaf-b"))
    assert second.read().text == before
    with pytest.raises(CommitError, match="not confirmed in time"):
        second.confirm(token)
    second.revert(token)
    assert second.read().text == before
    second.close()


def test_revert_on_a_new_connection_takes_a_commit_back_at_once(lab: RunningLab) -> None:
    first = EosSession(endpoint(lab, "leaf-b"))
    before = first.read().text
    first.stage(planned(before, wanted()))
    token = first.commit(600)
    first.close()
    second = EosSession(endpoint(lab, "leaf-b"))
    second.revert(token)
    assert second.read().text == before
    second.stage(planned(before, wanted()))
    second.close()


def test_a_refused_line_names_the_line_and_leaves_nothing_behind(lab: RunningLab, session: EosSession) -> None:
    before = session.read().text
    with pytest.raises(StageError) as refused:
        session.stage(Candidate(("interface Ethernet1/1", "   mtu 9214", "   mtu 99999", "   exit"), ()))
    assert "mtu 99999" in str(refused.value)
    assert "Invalid input" in str(refused.value)
    assert session.read().text == before
    assert _open_sessions(session) == []


def test_abort_and_close_drop_what_is_staged(lab: RunningLab, session: EosSession) -> None:
    running = session.read().text
    session.abort()
    session.stage(Candidate(("interface Ethernet9/1", "   description x", "   exit"), ()))
    session.abort()
    session.abort()
    assert _open_sessions(session) == []
    session.stage(Candidate(("interface Ethernet9/1", "   description x", "   exit"), ()))
    session.close()
    session.close()
    again = EosSession(endpoint(lab))
    assert _open_sessions(again) == []
    assert again.read().text == running
    again.close()


def test_somebody_elses_open_session_stops_us_with_its_name(lab: RunningLab, session: EosSession) -> None:
    other = EosSession(endpoint(lab))
    other._ask(["configure session colleague", "interface Ethernet9/1", "description theirs", "end"])
    try:
        with pytest.raises(StageError, match=r"'colleague'.* is open"):
            session.stage(Candidate(("lldp run",), ()))
    finally:
        other._ask(["configure session colleague abort"])
        other.close()


def test_all_sessions_that_stand_in_the_way_are_named_each_with_its_end(lab: RunningLab, session: EosSession) -> None:
    """Five are what a switch takes; with one alone named, each push would find the next one."""
    other = EosSession(endpoint(lab))
    names = [f"left{number}" for number in range(5)]
    for name in names:
        other._ask([f"configure session {name}", "interface Ethernet9/1", "description theirs", "end"])
    try:
        with pytest.raises(StageError) as caught:
            session.stage(Candidate(("lldp run",), ()))
    finally:
        for name in names:
            other._ask([f"configure session {name} abort"])
        other.close()
    (problem,) = caught.value.problems
    assert all(f"'{name}'" in problem.what for name in names)
    assert all(f"configure session {name} abort" in problem.hint for name in names)


def test_a_commit_that_waits_for_its_timer_stops_the_next_push(lab: RunningLab) -> None:
    first = EosSession(endpoint(lab, "leaf-c"))
    first.stage(Candidate(("interface Ethernet9/1", "   description x", "   exit"), ()))
    token = first.commit(600)
    with pytest.raises(StageError, match="waits for its commit timer"):
        first.stage(Candidate(("lldp run",), ()))
    first.revert(token)
    first.close()


def test_committing_nothing_is_an_error(session: EosSession) -> None:
    with pytest.raises(CommitError, match="nothing is staged"):
        session.commit(60)


def test_wrong_password_and_unknown_user_are_refused_without_being_told_apart(lab: RunningLab) -> None:
    for changes in ({"password": "wrong-word"}, {"username": "nobody"}):
        made = EosSession(endpoint(lab, **changes))
        with pytest.raises(AuthError) as refused:
            made.read()
        assert "wrong-word" not in str(refused.value)
        made.close()


def test_a_certificate_of_another_authority_is_refused_before_the_password_is_sent(lab: RunningLab) -> None:
    _, requests = counters(lab)
    made = EosSession(endpoint(lab, ca_file=None))
    with pytest.raises(TrustError, match="not one we trust"):
        made.read()
    made.close()
    pinned = EosSession(endpoint(lab, ca_file=None, fingerprint="00" * 32))
    with pytest.raises(TrustError, match="its fingerprint is"):
        pinned.read()
    pinned.close()
    assert counters(lab)[1] == requests


def test_a_missing_or_broken_ca_file_is_named(lab: RunningLab, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate\n")
    for path in (broken, tmp_path / "missing.pem"):
        made = EosSession(endpoint(lab, ca_file=path))
        with pytest.raises(TrustError, match=path.name):
            made.read()
        made.close()


def test_a_pinned_fingerprint_is_enough(lab: RunningLab) -> None:
    there = endpoint(lab)
    certificate = ssl.get_server_certificate((there.address, there.api_port))
    pin = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
    made = EosSession(endpoint(lab, ca_file=None, fingerprint=pin))
    assert made.read().facts.serial == "LAB0000"
    made.close()


def test_nothing_listens_there(lab: RunningLab) -> None:
    made = EosSession(endpoint(lab, api_port=1))
    with pytest.raises(ConnectError, match="management api http-commands"):
        made.read()


def test_nothing_is_logged_of_what_is_sent_and_answered(
    lab: RunningLab, session: EosSession, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        session.read()
        session.stage(Candidate(("interface Ethernet9/1", "   description x", "   exit"), ()))
        session.abort()
    output = caplog.text
    assert lab.description.password not in output
    assert "secret" not in output
    assert "description x" not in output
    assert lab.description.password not in repr(session.endpoint)


def test_a_connection_closed_by_the_switch_is_opened_anew(lab: RunningLab, session: EosSession) -> None:
    session.read()
    session.device.connection.transport.sock.shutdown(2)
    assert session.read().facts.serial == "LAB0000"


def test_observed_qos_is_what_was_pushed(lab: RunningLab) -> None:
    made = EosSession(endpoint(lab, "leaf-c"))
    made.stage(planned(made.read().text, wanted()))
    made.confirm(made.commit(60))
    seen = made.observe()
    config = leaf()
    assert config.qos is not None
    ports = {each.port: each for each in seen.qos}
    profile = config.qos.profiles[0]
    marks = tuple((queue.number, queue.ecn) for queue in profile.queues if queue.ecn is not None)
    for port in config.interfaces:
        if port.qos_profile is not None:
            found = ports[port.name]
            assert (found.trust_dscp, found.pfc_priorities, found.watchdog, found.ecn) == (True, (3,), True, marks)
    by_code = {code: each.priority for each in config.qos.classes for code in each.dscp}
    assert seen.dscp_to_priority == tuple(by_code[code] for code in range(64))
    assert next(each for each in seen.ports if each.name == "Ethernet1/1").mtu_bytes == 9214
    made.close()


def test_the_switchs_diff_of_a_short_change_reads_as_the_same_changes(lab: RunningLab) -> None:
    made = EosSession(endpoint(lab, "leaf-c"))
    staged = made.stage(Candidate(("interface Ethernet9/1", "   description x", "   exit"), ()))
    raw = made.compare_config()
    assert server_changes(raw) == staged.changes
    assert {change.path[-1] for change in staged.changes} == {"description x"}
    made.close()


def test_napalms_own_getters_work_over_the_same_connection(lab: RunningLab, session: EosSession) -> None:
    session.read()
    connections, _ = counters(lab)
    facts = session.get_facts()
    assert facts["serial_number"] == "LAB0000"
    assert session.get_lldp_neighbors()
    assert counters(lab)[0] == connections


def test_draining_a_switch_that_runs_changes_one_route_map(lab: RunningLab) -> None:
    made = EosSession(endpoint(lab))
    running = made.read().text
    if planned(running, wanted()).changes:
        made.stage(planned(running, wanted()))
        made.confirm(made.commit(60))
        running = made.read().text
    drain = planned(running, canonical(to_tree(rendered(drained()))))
    staged = made.stage(drain)
    assert (
        staged.changes
        == frozenset(drain.changes)
        == frozenset(difference(wanted(), canonical(to_tree(rendered(drained())))))
    )
    made.close()


def _open_sessions(session: EosSession) -> list[str]:
    return [name for name, each in session._sessions()["sessions"].items() if each["state"].startswith("pending")]


def test_a_show_command_the_model_does_not_know_costs_one_value_and_not_the_whole_look(
    session: EosSession,
) -> None:
    unknown = Request("show bogus", Form.TEXT)
    qos = tuple(unknown if each == WATCHDOG else each for each in OBSERVING.requests["qos"])
    requests = {**OBSERVING.requests, "qos": qos}
    asking = EosSession(session.endpoint, replace(OBSERVING, requests=requests))
    seen = asking.observe()
    asking.close()
    assert seen.dscp_to_priority is not None
    assert seen.qos[0].watchdog is None
