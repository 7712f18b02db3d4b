"""The exit codes that scripts rely on say the same in the code, the error tree's picture, --help and the README."""

import re
from pathlib import Path

from nornir_tasks import errors
from nornir_tasks.cli.app import EXIT_CODES
from nornir_tasks.cli.main import INTERRUPTED
from nornir_tasks.cli.plan import WOULD_CHANGE

ROOT = Path(__file__).parents[3]
SUCCESS, COMMAND_LINE = 0, 2
"""Not of our making: the shell's and typer's."""


def in_code() -> dict[str, int]:
    """Every error class with a code of its own."""
    classes = [each for each in vars(errors).values() if isinstance(each, type)]
    found = [each for each in classes if issubclass(each, errors.GpufabricError)]
    return {each.__name__: each.exit_code for each in found if "exit_code" in vars(each)}


def test_the_page_the_help_and_the_error_tree_name_exactly_the_codes_that_are_raised() -> None:
    raised = {SUCCESS, COMMAND_LINE, WOULD_CHANGE, *in_code().values()}
    page = {int(code) for code in re.findall(r"^\| (\d+) \|", (ROOT / "docs/exit-codes.md").read_text(), re.MULTILINE)}
    helped = {int(code) for code in re.findall(r"\b(\d+) [a-z]", EXIT_CODES)}
    assert page == raised
    assert helped == raised
    pictured = dict(re.findall(r"^ *(?:[├└]── )?(\w+) +(\d+)  ", errors.__doc__ or "", re.MULTILINE))
    assert {name: int(code) for name, code in pictured.items()} == in_code()


def test_no_two_kinds_of_error_share_a_code() -> None:
    codes = list(in_code().values())
    assert len(codes) == len(set(codes))


def test_every_error_below_another_ends_with_the_code_of_its_own_kind() -> None:
    for each in (errors.ConnectError, errors.AuthError, errors.TrustError, errors.StageError, errors.CommitError):
        assert each.exit_code == errors.DeviceError.exit_code == 6


def test_ctrl_c_has_one_code_whenever_it_comes() -> None:
    assert errors.Interrupted.exit_code == INTERRUPTED
