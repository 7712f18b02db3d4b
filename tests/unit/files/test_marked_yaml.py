"""How a value without quotes is read: as YAML 1.1 and 1.2 agree, and refused where they do not."""

from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files import yaml_tree
from nornir_tasks.files.marked_yaml import Marked, read_marked
from nornir_tasks.intent.core.secret_name import Secret


def read(folder: Path, text: str | bytes) -> Marked:
    file = folder / "a.yml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_marked(file)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3:1", "3:1"),
        ("1.5:1", "1.5:1"),
        ("190:20:30", "190:20:30"),
        ("10:42:11:00:00:12", "10:42:11:00:00:12"),
        ("0000:18:00.0", "0000:18:00.0"),
        ("2024-01-01", "2024-01-01"),
        ("on", True),
        ("Off", False),
        ("~", None),
        ("", None),
        ("'on'", "on"),
        ('"010"', "010"),
        ("0", 0),
        ("-7", -7),
        ("1_000", 1000),
        ("0x1f", 31),
        ("5.10", 5.1),
        ("1.0e+3", 1000.0),
        ("4.33.1F", "4.33.1F"),
        ("=", "="),
        ("!secret a_name-1", Secret("a_name-1")),
        ("!!str 12", "12"),
        ("[1, [a]]", (1, ("a",))),
    ],
)
def test_a_value_is_read_as_both_versions_of_yaml_mean_it(tmp_path: Path, written: str, value: object) -> None:
    marked = read(tmp_path, f"key: {written}\n")
    assert (marked.data, marked.findings, marked.end) == ({"key": value}, (), None)


@pytest.mark.parametrize(
    "written", ["010", "08", "-007", "0_1", "!!int 5", "!x y", "9" * 60, "!secret /etc/passwd", "!secret A b"]
)
def test_a_value_that_may_mean_two_things_is_refused_once(tmp_path: Path, written: str) -> None:
    assert len(read(tmp_path, f"key: {written}\n").findings) == 1


@pytest.mark.parametrize("written", ["0123", "!secret hunter2!", "!x hunter2", "9" * 50])
def test_a_password_that_somebody_typed_is_not_repeated(tmp_path: Path, written: str) -> None:
    (finding,) = read(tmp_path, f"password: {written}\n").findings
    assert not any(part in f"{finding}" for part in ("0123", "hunter2", "9" * 20))


def test_an_alias_stands_for_what_it_names_and_a_byte_order_mark_for_nothing(tmp_path: Path) -> None:
    marked = read(tmp_path, b"\xef\xbb\xbfa: &x {b: 1}\nc: [*x, *x]\n")
    assert marked.data == {"a": {"b": 1}, "c": ({"b": 1}, {"b": 1})}


def test_what_stands_before_a_mistake_is_read(tmp_path: Path) -> None:
    marked = read(tmp_path, "a: 1\nb:\n  c: 2\n  d: [3, 4\ne: 5\n")
    assert marked.data == {"a": 1, "b": {"c": 2, "d": (3, "4 e")}} or marked.data["b"]["c"] == 2
    assert marked.end is not None
    assert marked.end.where.endswith(":5")


@pytest.mark.parametrize("chain", ["[", "- ", "{a: ", "? "])
def test_values_within_values_are_refused_before_the_stack_ends(tmp_path: Path, chain: str) -> None:
    marked = read(tmp_path, chain * 50_000)
    assert marked.end is not None


def test_aliases_do_not_reach_deeper_than_brackets_may(tmp_path: Path) -> None:
    lines = ["l0: &l0 [x]", *(f"l{n}: &l{n} [*l{n - 1}]" for n in range(1, 400))]
    marked = read(tmp_path, "\n".join(lines))
    assert marked.end is not None
    assert "too deep" in marked.end.what


def test_a_file_larger_than_any_of_ours_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match="larger"):
        read(tmp_path, b"#" * (yaml_tree.MOST_BYTES + 1))


@pytest.mark.parametrize("content", ["a: 1".encode("utf-16"), b"a: \xff", b"a: 1\n\nb: \xe9t\xe9"])
def test_what_is_not_utf_8_is_refused_with_its_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(IntentError, match=r"a\.yml:\d: not UTF-8 text"):
        read(tmp_path, content)
