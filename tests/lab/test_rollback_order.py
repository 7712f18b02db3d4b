"""Pushes are undone from the last one on, as far as they changed the same lines."""

import re
from pathlib import Path

from at_terminal import Operator, lab_of_its_own, small_site


def test_a_push_is_rolled_back_only_after_the_later_one_that_changed_the_same_lines(tmp_path: Path) -> None:
    with lab_of_its_own(tmp_path, small_site) as operator:
        assert "4 of 4 changed" in operator.run("push", "--yes")
        first = running(operator)
        other_class(operator)
        assert "4 of 4 changed" in operator.run("push", "--yes")
        second = running(operator)

        refused = operator.run("rollback", "--push", "1", "--yes", code=7)
        assert "push 1: push 2 has changed lines since that both are about" in refused
        assert "hint: roll that one back first: nornir rollback --push 2" in refused
        assert running(operator) == second, "nothing was changed"

        assert "4 of 4 changed" in operator.run("rollback", "--push", "2", "--yes")
        assert running(operator) == first
        assert "4 of 4 changed" in operator.run("rollback", "--push", "1", "--yes")
        assert running(operator) == operator.day0
        assert "no push of this number" in operator.run("rollback", "--push", "1", "--yes", code=7)


def running(operator: Operator) -> dict[str, str]:
    return {name: hand.running() for name, hand in operator.hands().items()}


def other_class(operator: Operator) -> None:
    """Give notifications another code point: a line that exists once per switch, whatever its planes."""
    file = operator.site / "fabric.yml"
    text, count = re.subn(r"(cnp:.*dscp: )48", r"\g<1>46", file.read_text())
    assert count == 1
    file.write_text(text)
