"""What --adopt names: SWITCH:OBJECT, or a file of them, each mistake with its place."""

from pathlib import Path

import pytest

from nornir_tasks.errors import LocalError, RefusedError
from nornir_tasks.usecases.adopting import adopted

GOLDEN = Path(__file__).parents[2] / "errors/devices/adopt.txt"


def test_options_and_files_are_read_as_the_lines_of_each_switch(tmp_path: Path) -> None:
    file = tmp_path / "theirs.txt"
    file.write_text("# of the storage team\n\nleaf-2:vlan 310\n  leaf-1:router bgp 65000 / neighbor 10.0.0.1  \n")
    assert adopted(["leaf-1:vlan 310", f"@{file}", "leaf-1:vlan 310"]) == {
        "leaf-1": (("vlan 310",), ("router bgp 65000", "neighbor 10.0.0.1")),
        "leaf-2": (("vlan 310",),),
    }


def test_an_object_may_have_colons_and_the_switch_ends_at_the_first_one() -> None:
    line = ("interface", "lo", "ip", "address", "2001:db8::1/64")
    assert adopted(["spine-1:" + " / ".join(line)]) == {"spine-1": (line,)}


def test_nothing_named_adopts_nothing() -> None:
    assert adopted([]) == {}


def test_every_entry_that_names_no_object_is_said_with_its_place(tmp_path: Path, request, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("theirs.txt").write_text("# comment\nleaf-1:vlan 310\nvlan 311\n\n:vlan 312\n")
    with pytest.raises(RefusedError) as refused:
        adopted(["leaf-1", "leaf-1:", "leaf-1: / vlan 310", "@theirs.txt"])
    with pytest.raises(LocalError) as missing:
        adopted(["leaf-1:vlan 310", "@nobody.txt"])
    Path("binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LocalError) as unreadable:
        adopted(["@binary"])
    text = "".join(f"exit {each.value.exit_code}\n{each.value}\n" for each in (refused, missing, unreadable))
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
