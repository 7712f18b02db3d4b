"""What is printed of a mistake is what was written, whatever markup or escapes it holds."""

import pytest

from nornir_tasks.cli.console import print_error
from nornir_tasks.errors import IntentError, Problem


@pytest.mark.parametrize("text", ["[/red]", r"\[/red]", "[bold]x[/]", r"\\[/x]", "[", "a\\", "[link=file:///etc]x"])
def test_markup_in_a_value_is_printed_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_error(IntentError(Problem("fabric.yml:1", f"what {text}", text, text)))
    output = capsys.readouterr().err
    assert output.count(text) == 3


def test_an_escape_sequence_never_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(IntentError(Problem("fabric\x1b[2J.yml:1", "a\x1b]0;x\x07", "b\x9b31m", "c\rd")))
    assert not set("\x1b\x07\x9b\r") & set(capsys.readouterr().err)
