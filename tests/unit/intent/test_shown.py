"""How a message shows a value: in the words of the file, on one line, without what a terminal obeys."""

import pytest

from nornir_tasks.errors import Problem
from nornir_tasks.intent.core.fields import AsnRange, Split
from nornir_tasks.intent.core.findings import MOST_SHOWN, as_shown, dotted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        ((4,), "[4]"),
        ([1, None, "a"], "[1, nothing, a]"),
        ({"a": {"b": 1}}, "1 key"),
        ({}, "0 keys"),
        (5.1, "5.1"),
        (float("inf"), ".inf"),
        (float("-inf"), "-.inf"),
        (float("nan"), ".nan"),
        (1 << 300, "a number of 301 bits"),
        (Split(2, 200), "2x200G"),
        (AsnRange(1, 2), "1-2"),
        (b"bytes", "a bytes"),
        (object(), "a object"),
    ],
)
def test_a_value_is_shown_in_the_words_of_yaml(value: object, text: str) -> None:
    assert as_shown(value) == text


def test_a_long_value_is_shortened_and_its_length_told() -> None:
    assert as_shown("x" * 5000) == f"{'x' * (MOST_SHOWN // 2)}... (5,000 characters)"
    assert len(as_shown([["x" * 100] * 100] * 100)) < MOST_SHOWN


def test_a_value_stays_on_its_line() -> None:
    assert as_shown("a\nerror: all is well\tnow") == "a\\nerror: all is well\\tnow"


@pytest.mark.parametrize(
    "char", ["\x1b", "\x07", "\x00", "\x7f", "\x9b", "\r", "\u202e", "\u2028", "\ufeff", "\ud800", "\u200b"]
)
def test_no_message_holds_what_a_terminal_obeys_or_hides(char: str) -> None:
    text = str(Problem(f"a{char}", f"b{char}", f"c{char}", f"d{char}", f"e{char}"))
    assert char not in text
    assert len(text.splitlines()) == 4


def test_a_message_of_several_lines_keeps_them() -> None:
    assert str(Problem("leaf-1", "differs:\n+ a\n- b")) == "leaf-1: differs:\n+ a\n- b"


def test_a_path_shows_no_key_longer_than_a_key_is() -> None:
    assert len(dotted(("a", "b" * 5000, 0))) < 80
