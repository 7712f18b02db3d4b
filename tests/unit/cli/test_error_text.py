"""What is printed of a mistake is what was written, whatever markup or escapes it holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table

from nornir_tasks.cli.console import print_error, screen
from nornir_tasks.errors import IntentError, Problem


@pytest.mark.parametrize(
    "text", ["[/red]", r"\[/red]", "[bold]x[/]", r"\\[/x]", "[", "a\\", "[link=file:///etc]x", ":100:"]
)
def test_markup_in_a_value_is_printed_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_error(IntentError(Problem("fabric.yml:1", f"what {text}", text, text)))
    output = capsys.readouterr().err
    assert output.count(text) == 3


def test_an_escape_sequence_never_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(IntentError(Problem("fabric\x1b[2J.yml:1", "a\x1b]0;x\x07", "b\x9b31m", "c\rd")))
    assert not set("\x1b\x07\x9b\r") & set(capsys.readouterr().err)


def test_an_address_in_a_table_is_no_emoji() -> None:
    """``:100:`` is the emoji 💯 to Rich."""
    table = Table("fd00:ab:100::/48")
    table.add_row("[red]fabric.yml:100: wrong[/]")
    printer = screen(width=80)
    with printer.capture() as captured:
        printer.print("fd00:ab:100::/48", table)
    assert captured.get().count("fd00:ab:100::/48") == 2
    assert "[red]fabric.yml:100: wrong[/]" in captured.get()


@pytest.mark.parametrize("columns", ["0", "80", ""])
def test_errors_are_printed_whatever_the_width_is_said_to_be(columns: str, tmp_path: Path) -> None:
    nornir = Path(sys.executable).parent / "nornir"
    words = [str(nornir), "design", "--site", str(tmp_path / "nowhere")]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "COLUMNS": columns}, check=False)
    assert "error: " in done.stderr
    assert "nowhere" in done.stderr
