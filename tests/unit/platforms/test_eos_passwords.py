"""Passwords of BGP sessions as EOS keeps them: against texts of others, pyavd, and the lab's own switches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.drivers.masked import MaskedSession
from nornir_tasks.drivers.vault import Vault
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.eos.passwords import known_by, stored
from nornir_tasks.platforms.platform import Candidate
from switch_twins.eos.session_password import of_type_7
from tests.unit.drivers.test_masked import Switch

OF_OTHERS = (
    # isotopp/arista_type_7 README.md; then aristanetworks/avd at 3cac535c, intended configurations of its examples; the
    # last one a running configuration of a published lab (tests/corpus/eos/accept.txt)
    ("2001:db8:6939::1", "swordfish", "1f2k70WMa17KyMEW72GaNg=="),
    ("EVPN-OVERLAY-PEERS", "arista123", "q+VNViP5i4rVjW1cxFv2wA=="),
    ("WAN-OVERLAY-PEERS", "arista", "htm4AZe9mIQOO1uiMuGgYQ=="),
    ("UNDERLAY", "OtusLAB", "53+Z/5nyraWpgmFBkp2aHQ=="),
)
names = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)


def place(name: str) -> str:
    return f"neighbor {name} password 7"


@pytest.mark.parametrize(("name", "password", "text"), OF_OTHERS)
def test_texts_of_others_are_made_and_read(name: str, password: str, text: str) -> None:
    assert stored(place(name), password) == text
    assert known_by(place(name), text) == known_by(f"no {place(name)}", text) == password
    assert of_type_7(name, text) == password


@given(names, names)
def test_every_password_is_read_back_by_its_own_name_here_by_pyavd_and_on_the_labs_switches(
    name: str, password: str
) -> None:
    from pyavd._utils.password_utils.password import bgp_encrypt  # noqa: PLC0415 - slow, and only here

    text = stored(place(name), password)
    assert text == bgp_encrypt(password, name)
    assert known_by(place(name), text) == of_type_7(name, text) == password


@pytest.mark.parametrize("text", ["q+VNViP5i4rVjW1cxFv2wA==", "asfddja23452", "", "AAAA", "=", "<hidden>"])
def test_a_text_that_is_none_of_its_name_is_nobodys_password(text: str) -> None:
    assert known_by(place("OTHER"), text) == text
    with pytest.raises(ValueError, match=r".*"):
        of_type_7("OTHER", text)


def test_other_places_keep_what_they_have() -> None:
    for where in ("username ops secret sha512", "neighbor A password 8a", "tacacs-server key 7"):
        assert stored(where, "word-word") == known_by(where, "word-word") == "word-word"


def test_one_secret_has_another_text_in_each_group_and_is_one_name_above() -> None:
    lines = ("router bgp 1", *(f"   neighbor {group} password 7 <secret:isp>" for group in ("A", "B")))
    switch = Switch("")
    session = MaskedSession(switch, platform("eos").secrets, Vault({"isp": "swordfish"}))  # type: ignore[arg-type]
    session.stage(Candidate(lines, ()))
    sent = "\n".join(switch.sent)
    texts = [line.split()[-1] for line in switch.sent[1:]]
    assert len({*texts, "swordfish"}) == 3
    assert "swordfish" not in sent

    switch.text = sent
    assert session.read().text == "\n".join(lines)
    # the text of another group, and one of another password, are not ours
    switch.text = f"   neighbor B password 7 {texts[0]}\n   neighbor A password 7 {stored(place('A'), 'other-word')}"
    shown = session.read().text
    assert shown.count("<hidden:") == 2
    assert "<secret:" not in shown
    assert not [text for text in texts if text in shown]


def test_a_message_of_the_switch_has_neither_the_password_nor_its_text() -> None:
    switch = Switch("")
    session = MaskedSession(switch, platform("eos").secrets, Vault({"isp": "swordfish"}))  # type: ignore[arg-type]
    line = "neighbor A password 7 <secret:isp>"
    session.stage(Candidate((line,), ()))
    text = switch.sent[0].split()[-1]
    switch.error = ValueError(f"refused: {text} of swordfish in 'neighbor A password 7 {text}'")
    with pytest.raises(Exception, match="unexpected ValueError") as caught:
        session.stage(Candidate((line,), ()))
    assert text not in str(caught.value)
    assert "swordfish" not in str(caught.value)
