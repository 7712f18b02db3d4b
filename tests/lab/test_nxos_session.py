"""Our NX-OS session against the lab's NX-OS switch: read, push, confirm, revert, and all that must be refused."""

import hashlib
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import certifi
import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.drivers.nxos import NxosSession, session
from nornir_tasks.drivers.nxos_state import REPLACE_S
from nornir_tasks.drivers.nxos_transport import Command
from nornir_tasks.drivers.session import MARK, Endpoint
from nornir_tasks.errors import AuthError, CommitError, ConnectError, StageError, TrustError
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Candidate
from tests.unit.platforms.nxos_examples import claims, leaf, rendered

NAME = "leaf-g0-r1"
CONFIG = leaf()
OTHER = replace(CONFIG, hashing=None)


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("nxos") / "lab")
    ports = [f"Ethernet1/{number}" for number in range(1, 37)]
    description.add_device(NAME, "nxos", asic=CONFIG.asic, asn=4200000002, ports=ports)
    return start_module_lab(description)


@pytest.fixture
def endpoint(lab: RunningLab) -> Endpoint:
    return lab.endpoint(NAME)


def parts(text: str) -> tuple[ConfigTree, ConfigTree]:
    found = split(PLATFORM.to_tree(text), PLATFORM.ownership, claims(CONFIG))
    foreign = found.pop(None)
    return join(found.values()), foreign


def wanted(config: DeviceConfig) -> ConfigTree:
    return PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))


def plan(text: str, config: DeviceConfig) -> Candidate:
    return PLATFORM.candidate(PLATFORM.to_tree(text), parts(text)[0], wanted(config))


def push(endpoint: Endpoint, config: DeviceConfig) -> str:
    """Bring the switch to ``config``; returns what ran before."""
    with_change = session(endpoint)
    before = with_change.read().text
    made = plan(before, config)
    if made.changes:
        staged = with_change.stage(made)
        assert staged.changes == frozenset(made.changes)
        token = with_change.commit(60)
        with_change.close()
        after = session(endpoint)
        after.confirm(token)
        after.save()
        after.tidy(token)
        after.close()
    return before


def our_files(opened: NxosSession) -> list[str]:
    (reply,) = opened._api.batch((Command("dir bootflash:"),))
    return [word for word in str(reply.body).split() if word.startswith(MARK)]


def test_reading_takes_one_connection_and_one_request(lab: RunningLab, endpoint: Endpoint) -> None:
    before = lab.control.ask("requests")[NAME]
    opened = session(endpoint)
    running = opened.read()
    after = lab.control.ask("requests")[NAME]
    assert (after["connections"] - before["connections"], after["requests"] - before["requests"]) == (1, 1)
    opened.read()
    opened.close()
    opened.close()
    assert lab.control.ask("requests")[NAME]["connections"] == after["connections"]
    assert running.facts.hostname == NAME
    assert running.facts.serial == lab.description.devices[0]["serial"]
    assert running.facts.release == "10.4(3)"
    assert running.facts.model == "N9K-C9332D-GX2B"


def test_a_push_changes_our_lines_and_no_other(endpoint: Endpoint) -> None:
    push(endpoint, OTHER)
    before = push(endpoint, CONFIG)
    opened = session(endpoint)
    after = opened.read().text
    assert list(difference(parts(after)[0], wanted(CONFIG))) == []
    assert list(difference(parts(after)[1], parts(before)[1])) == []
    assert plan(after, CONFIG).changes == ()
    assert our_files(opened) == []
    opened.close()


def test_the_startup_configuration_is_saved_at_confirm(endpoint: Endpoint) -> None:
    push(endpoint, OTHER)
    push(endpoint, CONFIG)
    opened = session(endpoint)
    (startup,) = opened._api.batch((Command("show startup-config"),))
    assert list(difference(parts(str(startup.body))[0], wanted(CONFIG))) == []
    opened.close()


def test_a_revert_takes_everything_back_at_once(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    before = opened.read().text
    opened.stage(plan(before, OTHER))
    token = opened.commit(600)
    opened.close()
    again = session(endpoint)
    assert plan(again.read().text, CONFIG).changes
    again.revert(token)
    assert parts(again.read().text)[0] == parts(before)[0]
    assert parts(again.read().text)[1] == parts(before)[1]
    assert our_files(again) == []
    again.close()


def test_without_a_confirm_the_switch_goes_back_by_itself(lab: RunningLab, endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    before = opened.read().text
    opened.stage(plan(before, OTHER))
    token = opened.commit(45)
    assert plan(opened.read().text, CONFIG).changes
    lab.control.ask("advance-clock", seconds=46)
    assert parts(opened.read().text) == parts(before)
    with pytest.raises(CommitError):
        opened.confirm(token)
    assert our_files(opened) == []
    opened.close()


def test_a_commit_is_shown_with_its_seconds_until_its_timer_has_fired_and_then_its_files_can_be_dropped(
    lab: RunningLab, endpoint: Endpoint
) -> None:
    push(endpoint, CONFIG)
    assert session(endpoint).read().waiting is None
    cut_off = session(endpoint)
    staged = cut_off.stage(plan(cut_off.read().text, OTHER))
    cut_off.commit(45)
    cut_off.close()
    opened = session(endpoint)
    waiting = opened.read().waiting
    assert waiting is not None
    assert waiting.token == staged.token
    assert waiting.left_s is not None
    assert 40 <= waiting.left_s <= 45 + REPLACE_S
    lab.control.ask("advance-clock", seconds=46 + REPLACE_S)
    assert opened.read().waiting is None
    assert our_files(opened)
    opened.drop((staged.token,))
    assert our_files(opened) == []
    opened.close()


def test_what_was_committed_and_not_copied_to_startup_is_not_saved(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    opened.save()
    assert opened.read().is_saved
    time.sleep(1.1)  # the switch dates its changes by the second
    opened.stage(plan(opened.read().text, OTHER))
    token = opened.commit(45)
    opened._api.batch((Command("configure replace commit"),))  # and there the push died
    assert not opened.read().is_saved
    opened.save()
    assert opened.read().is_saved
    opened.drop((token,))
    opened.close()


def test_a_second_push_during_the_first_is_refused_and_takes_nothing_from_it(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    first, second = session(endpoint), session(endpoint)
    before = first.read().text
    first.stage(plan(before, OTHER))
    token = first.commit(600)
    with pytest.raises(StageError):
        second.stage(plan(second.read().text, CONFIG))
    first.revert(token)
    assert parts(first.read().text) == parts(before)
    assert our_files(first) == []
    first.close()
    second.close()


def test_what_is_staged_can_be_dropped(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    before = opened.read().text
    opened.stage(plan(before, OTHER))
    assert our_files(opened)
    opened.abort()
    opened.abort()
    assert our_files(opened) == []
    assert parts(opened.read().text) == parts(before)
    with pytest.raises(CommitError, match="nothing is staged"):
        opened.commit(60)
    opened.close()


def test_a_candidate_with_an_invalid_line_is_refused_and_nothing_is_left(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    before = opened.read().text
    made = plan(before, OTHER)
    wrong = replace(made, payload=made.payload.replace("    maximum-paths 16", "    maximum-paths 16 ecmp 16"))
    with pytest.raises(StageError) as caught:
        opened.stage(wrong)
    assert NAME in str(caught.value)
    assert caught.value.problems[0].found, "the switch's own words are missing"
    assert our_files(opened) == []
    assert parts(opened.read().text) == parts(before)
    opened.close()


def test_the_switch_saying_more_than_the_plan_is_seen(endpoint: Endpoint) -> None:
    push(endpoint, CONFIG)
    opened = session(endpoint)
    made = plan(opened.read().text, OTHER)
    more = replace(made, payload=made.payload.replace("  description spine-0 swp1\n", "  description changed\n"))
    staged = opened.stage(more)
    assert staged.changes != frozenset(made.changes)
    opened.abort()
    opened.close()


def test_a_wrong_password_is_refused_and_never_told(endpoint: Endpoint) -> None:
    opened = session(replace(endpoint, password="not-the-password"))
    with pytest.raises(AuthError) as caught:
        opened.read()
    assert "not-the-password" not in str(caught.value)
    assert endpoint.password not in repr(endpoint)


def test_a_certificate_of_another_ca_is_refused(endpoint: Endpoint, tmp_path: Path) -> None:
    with pytest.raises(TrustError):
        session(replace(endpoint, ca_file=Path(certifi.where()))).read()


def fingerprint(endpoint: Endpoint) -> str:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((endpoint.address, endpoint.api_port), timeout=5) as raw,
        context.wrap_socket(raw) as secured,
    ):
        certificate = secured.getpeercert(binary_form=True)
    assert certificate is not None
    return hashlib.sha256(certificate).hexdigest()


def test_a_pinned_fingerprint_decides_alone(endpoint: Endpoint) -> None:
    pinned = replace(endpoint, ca_file=None, fingerprint=fingerprint(endpoint))
    opened = session(pinned)
    assert opened.read().facts.hostname == NAME
    opened.close()
    with pytest.raises(TrustError):
        session(replace(pinned, fingerprint="00" * 32)).read()


def test_an_unknown_host_key_is_refused_before_anything_is_copied(endpoint: Endpoint, tmp_path: Path) -> None:
    empty = tmp_path / "known_hosts"
    empty.touch()
    for known_hosts in (empty, None, tmp_path / "missing"):
        opened = session(replace(endpoint, known_hosts=known_hosts))
        made = plan(opened.read().text, OTHER)
        with pytest.raises(TrustError):
            opened.stage(made)
        assert our_files(opened) == []
        opened.close()


def test_nobody_there_is_a_connect_error(endpoint: Endpoint) -> None:
    with pytest.raises(ConnectError, match="feature nxapi"):
        session(replace(endpoint, api_port=9)).read()
