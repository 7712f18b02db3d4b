"""Above a session no secret of a switch is seen: not in what it prints, in its changes, nor in its messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from nornir_tasks.drivers.masked import MaskedSession
from nornir_tasks.drivers.session import Depth, Endpoint, Note, Running, Staged, unnoted
from nornir_tasks.drivers.vault import Vault
from nornir_tasks.errors import CommitError, DeviceError, IntentError, Problem, StageError
from nornir_tasks.files.sent_secrets import SentSecrets
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.platform import Candidate

OURS = "$6$saltsaltsaltsalt$" + "a" * 86
THEIRS = "$6$othersaltothersa$" + "b" * 86
ENDPOINT = Endpoint("leaf-1", "192.0.2.1", 443, 22, "gpufabric", "unused", None, None, None)
EOS = f"""\
hostname leaf-1
username ops privilege 15 role network-admin secret sha512 {OURS}
username them privilege 15 role network-admin secret sha512 {THEIRS}
tacacs-server host 192.0.2.9 vrf MGMT key 7 071B245F5A
snmp-server user mon G3 v3 localized f5717f444ca824448b00 auth sha 09f1b2aa priv aes 09f1b2bb
router bgp 65001
   neighbor 10.0.0.1 password 7 AAAABBBBCCCC
interface Ethernet1
   description <secret:ops-hash>
"""
SECRETS = (OURS, THEIRS, "071B245F5A", "09f1b2aa", "09f1b2bb", "AAAABBBBCCCC")


class Switch:
    """A switch in memory that takes whatever it is sent, and says so."""

    endpoint = ENDPOINT

    def __init__(self, text: str, changes: Iterable[Change] = ()) -> None:
        self.text, self.changes, self.sent, self.error = text, frozenset(changes), None, None
        self.error: Exception | None
        self.sent: Any

    def read(self, depth: Depth = Depth.ALL) -> Running:
        del depth
        return Running(None, self.text)

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        del name, note
        self.sent = candidate.payload
        if self.error is not None:
            raise self.error
        return Staged("\n".join(str(each) for each in self.changes), self.changes, "1")

    def commit(self, confirm_within_s: int | None) -> str:
        del confirm_within_s
        return "1"

    def confirm(self, token: str) -> None:
        del token

    def revert(self, token: str) -> None:
        del token


def session(switch: Switch, os: str = "eos", vault: Vault | None = None) -> MaskedSession:
    return MaskedSession(switch, platform(os).secrets, vault or Vault({"ops-hash": OURS}))  # type: ignore[arg-type]


def test_a_running_configuration_has_the_names_of_our_secrets_and_a_mask_for_those_of_others() -> None:
    text = session(Switch(EOS)).read().text
    assert not [value for value in SECRETS if value in text]
    assert "username ops privilege 15 role network-admin secret sha512 <secret:ops-hash>\n" in text
    assert "   description <secret:ops-hash>\n" in text, "no place of a secret, so it is as somebody typed it"
    assert text.count("<hidden:") == 5
    assert len(text.splitlines()) == len(EOS.splitlines())


def test_equal_secrets_of_others_have_one_mask_on_every_connection_and_others_another() -> None:
    first, second = (session(Switch(EOS)).read().text for _ in range(2))
    assert first == second
    assert session(Switch(EOS.replace("09f1b2aa", "09f1b2cc"))).read().text != first


def test_what_goes_to_the_switch_has_values_at_the_places_of_secrets_alone() -> None:
    switch = Switch(EOS)
    ours = session(switch)
    lines = tuple(ours.read().text.splitlines())
    ours.stage(Candidate(lines, ()))
    assert switch.sent == tuple(EOS.splitlines())
    ours.stage(Candidate("\n".join(lines), ()))
    assert switch.sent == EOS.rstrip("\n")


def test_the_changes_that_a_switch_reports_have_placeholders() -> None:
    line = "username ops privilege 15 role network-admin secret sha512"
    switch = Switch(EOS, [Change((f"{line} {OURS}",), "+"), Change((f"{line} {THEIRS}",), "-")])
    ours = session(switch)
    ours.read()
    staged = ours.stage(Candidate((f"{line} <secret:ops-hash>",), ()))
    assert Change((f"{line} <secret:ops-hash>",), "+") in staged.changes
    assert not [value for value in SECRETS if value in f"{staged}"]


def test_a_line_that_begins_with_the_word_for_its_secret_has_a_placeholder_in_changes_too() -> None:
    place = ("router bgp 65001", "template peer UP")
    switch = Switch("", [Change((*place, "password 7 0822455D0A16"), "+")])
    staged = session(switch, "nxos", Vault({"up": "0822455D0A16"})).stage(Candidate("", ()))
    assert staged.changes == {Change((*place, "password 7 <secret:up>"), "+")}


def test_a_mask_of_another_run_is_refused_before_anything_is_sent() -> None:
    switch = Switch(EOS)
    with pytest.raises(StageError, match="of which the secret is not known"):
        session(switch).stage(Candidate(("username x secret sha512 <hidden:0123456789abcdef>",), ()))
    assert switch.sent is None


@pytest.mark.parametrize("kind", [StageError, CommitError, ValueError])
def test_messages_of_a_switch_and_their_causes_lose_every_secret(kind: type[Exception]) -> None:
    switch = Switch(EOS)
    ours = session(switch)
    ours.read()
    words = f"CLI command 3 of 4 'username ops secret sha512 {OURS}' failed, after {THEIRS}; key 7 NEVERSEEN"
    switch.error = kind(Problem("leaf-1", "refused", found=words)) if issubclass(kind, DeviceError) else kind(words)
    switch.error.__cause__ = ValueError(f"username x secret sha512 {THEIRS}")
    with pytest.raises(DeviceError) as caught:
        ours.stage(Candidate((), ()))
    error: BaseException | None = caught.value
    assert "<secret:ops-hash>" in str(error)
    while error is not None:
        assert not [value for value in SECRETS if value in f"{error!s} {error!r}"]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_two_names_of_one_value_are_refused_without_it() -> None:
    with pytest.raises(IntentError, match="'one' and 'two' have one value") as caught:
        Vault({"one": OURS, "two": OURS})
    assert OURS not in str(caught.value)


PLACE = "system / aaa / user / ops / hashed-password"
ADDED = {"system": {"aaa": {"user": {"ops": {"hashed-password": "<secret:ops-hash>"}}}}}
LINE = ("system", "aaa", "user", "ops", 'hashed-password: "<secret:ops-hash>"')


def nvue(shown: str) -> str:
    return json.dumps({"system": {"aaa": {"user": {"ops": {"hashed-password": shown}}}, "hostname": "a"}})


def test_a_secret_that_a_switch_does_not_show_is_what_was_sent_last_until_it_changes(tmp_path: Any) -> None:
    switch = Switch(nvue("*"), [Change((*LINE[:-1], 'hashed-password: "*"'), "+")])

    def connect(value: str = OURS) -> MaskedSession:
        return session(switch, "nvue", Vault({"ops-hash": value}, sent=SentSecrets(tmp_path)))

    first = connect()
    assert "<hidden>" in first.read().text
    assert first.read().unshown == ()
    planned = (Change(LINE, "+"), Change((*LINE[:-1], 'hashed-password: "<hidden>"'), "-"))
    staged = first.stage(Candidate({"delete": (), "patch": ADDED}, planned))
    assert staged.changes == frozenset(planned)
    assert switch.sent["patch"] == json.loads(nvue(OURS).replace(', "hostname": "a"', ""))
    first.confirm(first.commit(60))
    second = connect()
    assert json.loads(second.read().text)["system"]["aaa"] == ADDED["system"]["aaa"]
    assert second.read().unshown == (PLACE,)
    assert OURS not in "".join(each.read_text() for each in tmp_path.iterdir())
    assert "<hidden>" in connect(THEIRS).read().text, "another value has to be sent"


def test_what_was_staged_and_taken_back_was_not_sent(tmp_path: Any) -> None:
    vault = Vault({"ops-hash": OURS}, sent=SentSecrets(tmp_path))
    ours = session(Switch(nvue("*")), "nvue", vault)
    ours.stage(Candidate({"delete": (), "patch": ADDED}, ()))
    assert "<secret:ops-hash>" in ours.read().text, "the gate takes it for what was sent"
    ours.revert(ours.commit(60))
    assert "<hidden>" in ours.read().text
    assert "<hidden>" in session(Switch(nvue("*")), "nvue", vault).read().text
