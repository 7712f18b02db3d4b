"""Shown to be ours is what pushes that stand added, whatever its value is by now, and nothing that stood before."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nornir_tasks.deploy.evidence import NO_EVIDENCE, Done, Evidence, covers, shown
from nornir_tasks.deploy.journal import Journal
from nornir_tasks.errors import LocalError
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import Path as Line

EOS, NXOS, NVUE = platform("eos"), platform("nxos"), platform("nvue")
SWITCH = frozenset({"switch"})
GOLDEN = Path(__file__).parents[2] / "errors/devices/journal-of-another-site.txt"
PORT = "interface Ethernet1\n"
OURS = PORT + "   description ours\n   mtu 9214\n"


def has(dones: list[Done], *line: str) -> bool:
    return shown(EOS, dones).has(line)


def test_what_a_push_added_is_ours_and_what_stood_before_it_is_not() -> None:
    done = [Done(PORT + "   description theirs\n", OURS)]
    assert has(done, "interface Ethernet1", "mtu 9214")
    assert has(done, "interface Ethernet1", "description ours")  # it took the place of theirs
    assert not has(done, "interface Ethernet1")
    assert not has(done, "interface Ethernet2", "mtu 9214")


def test_without_a_push_nothing_is_ours() -> None:
    assert not NO_EVIDENCE.shown(EOS).has(("interface Ethernet1", "mtu 9214"))
    assert not shown(EOS, []).paths


def test_several_pushes_add_up_and_what_one_of_them_removed_is_not_ours_any_more() -> None:
    first, second = Done("", OURS), Done(OURS, PORT + "   mtu 9214\nvlan 200\n")
    assert has([first, second], "interface Ethernet1", "mtu 9214")
    assert has([first, second], "vlan 200")
    assert not has([first, second], "interface Ethernet1", "description ours")


def test_what_was_removed_and_added_again_is_ours_again() -> None:
    vlan = "vlan 200\n"
    assert has([Done("", vlan), Done(vlan, ""), Done("", vlan)], "vlan 200")


def test_what_one_push_found_and_no_push_added_stays_others_though_every_push_lists_it() -> None:
    theirs = "ip routing\n"
    assert not has([Done(theirs, theirs + "vlan 200\n"), Done(theirs + "vlan 200\n", theirs)], "ip routing")


VALUES = [
    pytest.param(EOS, "interface Ethernet1\n   mtu 9214\n", ("interface Ethernet1", "mtu 1500"), id="eos"),
    pytest.param(NXOS, "interface Ethernet1/1\n  mtu 9216\n", ("interface Ethernet1/1", "mtu 1500"), id="nxos"),
    pytest.param(
        NVUE, "interface:\n  swp1:\n    link:\n      mtu: 9216\n", ("interface", "swp1", "link", "mtu: 1500"), id="nvue"
    ),
]


@pytest.mark.parametrize(("os", "text", "line"), VALUES)
def test_a_setting_with_one_value_is_ours_whatever_its_value_is_by_now(os, text: str, line: Line) -> None:
    assert shown(os, [Done("", text)]).has(line)


def test_a_line_of_which_a_switch_has_many_is_ours_by_its_whole_text_only() -> None:
    assert not has([Done("", "ip route 10.0.0.0/8 Null0\n")], "ip route 10.1.0.0/16 Null0")
    assert not has([Done("", "vlan 200\n")], "vlan 201")


def test_an_object_is_ours_by_any_line_of_it_that_stands() -> None:
    found = shown(EOS, [Done(PORT, OURS)])
    assert found.has_thing(("interface Ethernet1",))
    assert not found.has_thing(("interface Ethernet2",))
    taken_away = shown(EOS, [Done(PORT, OURS), Done(OURS, PORT)])
    assert not taken_away.has_thing(("interface Ethernet1",))


def test_what_a_push_adopted_is_ours_where_the_push_left_it() -> None:
    theirs = "vlan 310\n   name THEIRS\n"
    adopted = Done(theirs, theirs, adopted=(("vlan 310",),))
    assert has([adopted], "vlan 310", "name THEIRS")
    assert not has([Done(theirs, theirs)], "vlan 310", "name THEIRS")
    assert not has([adopted, Done(theirs, "")], "vlan 310")  # gone since: who has it now typed it


def test_what_this_push_adopts_is_ours_with_all_below_it_and_nothing_beside_it() -> None:
    found = shown(EOS, [], (("vlan 310",),))
    assert found.has(("vlan 310", "name THEIRS"))
    assert found.takes_over(("vlan 310",))
    assert not found.has(("vlan 3100",))


COVERED = [
    (("vlan 31",), ("vlan 310",), False),
    (("vlan 310",), ("vlan 310",), True),
    (("vlan 310",), ("vlan 310", "name X"), True),
    (("vlan 310", "name X"), ("vlan 310",), False),
    (("router bgp 65000", "neighbor 10.0.0.1"), ("router bgp 65000", "neighbor 10.0.0.1 remote-as 64999"), True),
    (("router bgp 65000", "neighbor 10.0.0.1"), ("router bgp 65000", "neighbor 10.0.0.10 remote-as 1"), False),
    (("router bgp 65000", "neighbor 10.0.0.1"), ("router bgp 65001", "neighbor 10.0.0.1 remote-as 1"), False),
    (("system", "hostname"), ("system", 'hostname: "leaf"'), True),
    (("system", "hostname"), ("system", 'hostname-mode: "x"'), False),
]


@pytest.mark.parametrize(("adopted", "line", "covered"), COVERED)
def test_an_adopted_object_covers_its_lines_and_no_other_object(adopted: Line, line: Line, covered: bool) -> None:
    assert covers(adopted, line) is covered


def test_a_rollback_that_does_not_say_what_it_undid_shows_only_what_a_push_had_added() -> None:
    """Of an earlier version: it may have brought back lines of others."""
    pushed = Done("vlan 310\n", "vlan 200\n")
    back = Done("vlan 200\n", "vlan 310\n", is_rollback=True)
    assert not has([pushed, back], "vlan 310")
    assert not has([pushed, back], "vlan 200")
    again = Done("vlan 310\nvlan 200\n", "vlan 310\n"), Done("vlan 310\n", "vlan 310\nvlan 200\n", is_rollback=True)
    assert has([pushed, *again], "vlan 200")


def test_the_journal_is_asked_once_and_only_when_something_would_be_removed() -> None:
    looked_up = []

    def look_up() -> tuple[Done, ...]:
        looked_up.append(1)
        return (Done("", "vlan 200\n"),)

    evidence = Evidence(look_up)
    assert looked_up == []
    assert evidence.shown(EOS).has(("vlan 200",))
    assert evidence.shown(EOS).has(("vlan 200",))
    assert looked_up == [1]


def push(journal: Journal, done: Done, state: str = "done", verb: str = "push", undoes: int | None = None) -> int:
    number = journal.begin(verb, SWITCH, ["leaf"], undoes)
    journal.start(number, "leaf", done, "claims")
    journal.end(number, "leaf", state)
    return number


def test_pushes_that_failed_or_were_undone_show_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    push(journal, Done("", "vlan 1\n"))
    push(journal, Done("vlan 1\n", "vlan 1\nvlan 2\n"), "failed")
    undone = push(journal, Done("vlan 1\n", "vlan 1\nvlan 3\n"))
    push(journal, Done("vlan 1\nvlan 3\n", "vlan 1\n"), verb="rollback", undoes=undone)
    found = shown(EOS, journal.standing("leaf"))
    assert [found.has((f"vlan {number}",)) for number in (1, 2, 3)] == [True, False, False]
    assert journal.standing("another") == ()


def test_adopted_objects_and_what_others_lived_without_are_in_the_journal_as_they_were(tmp_path: Path) -> None:
    needs = {("ip routing",): frozenset({("router ospf 1",), ("ip route 10.0.0.0/8 Null0",)})}
    done = Done("vlan 310\n", "vlan 310\nip routing\n", (("vlan 310",), ("router bgp 1", "vrf X")), needs)
    journal = Journal(tmp_path / "journal.sqlite")
    number = push(journal, done)
    assert journal.standing("leaf") == (done,)
    assert journal.done(journal.entries(number)[0]) == done
    assert journal.last_claims() == {"leaf": "claims"}
    evidence = Evidence(lambda: journal.standing("leaf"))
    assert evidence.was_adopted(("vlan 310",))
    assert not evidence.was_adopted(("vlan 31",))


def test_a_journal_of_an_earlier_version_shows_what_it_always_held(tmp_path: Path) -> None:
    """Its rows say nothing of claims, adopted objects and needs; the last ones that do say whose lines were whose."""
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    number = push(journal, Done("vlan 310\n", "vlan 310\nvlan 200\n"))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE claimed")
        db.execute("DROP TABLE site")
    again = Journal(path)
    again.require_site("any")
    found = shown(EOS, again.standing("leaf"))
    assert [found.has((line,)) for line in ("vlan 200", "vlan 310")] == [True, False]
    assert again.done(again.entries(number)[0]) == Done("vlan 310\n", "vlan 310\nvlan 200\n")
    assert again.last_claims() == {}
    push(again, Done("vlan 200\n", "vlan 200\nvlan 201\n"))
    assert again.last_claims() == {"leaf": "claims"}
    assert shown(EOS, again.standing("leaf")).has(("vlan 200",))


def test_the_journal_of_another_site_is_no_evidence_and_is_named(tmp_path: Path, request, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    journal = Journal(Path("journal.sqlite"))
    journal.require_site("one")  # a new one is nobody's
    journal.begin("push", SWITCH, ["leaf"], site="one")
    journal.begin("push", SWITCH, ["leaf"], site="two")
    journal.require_site("one")
    with pytest.raises(LocalError) as refused:
        journal.require_site("two")
    text = f"exit {refused.value.exit_code}\n{refused.value}\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
