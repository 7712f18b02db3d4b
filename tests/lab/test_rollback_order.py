"""Pushes are undone from the last one on, as far as they changed the same lines."""

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

from at_terminal import Operator, lab_of_its_own, small_site


def test_a_push_is_rolled_back_only_after_the_later_one_that_changed_the_same_lines(tmp_path: Path) -> None:
    with lab_of_its_own(tmp_path, small_site) as operator:
        assert "4 of 4 changed" in operator.run("push", "--yes")
        first = running(operator)
        other_class(operator)
        assert "4 of 4 changed" in operator.run("push", "--yes")
        second = running(operator)

        older, newer = table(operator)[::-1]
        assert newer[1:] == ["compute", "4 of 4", "confirmed", "yes"]
        assert older[1:] == ["compute", "4 of 4", "confirmed", "no: push 2 first"]
        refused = operator.run("rollback", "--push", "1", "--yes", code=7)
        assert "push 1: push 2 has changed lines since that both are about" in refused
        command = f"nornir rollback --site {operator.site} --push 2"
        assert f"hint: roll that one back first: {command}\n" in refused
        assert f"to roll back push 2: {command}\n" in operator.run("pushes")
        assert running(operator) == second, "nothing was changed"

        assert "4 of 4 changed" in operator.run("rollback", "--push", "2", "--yes")
        assert running(operator) == first
        preview_names_what_shows_all_lines(operator)
        assert "4 of 4 changed" in operator.run("rollback", "--push", "1", "--yes")
        assert running(operator) == operator.day0
        assert "rolled back already, by rollback 4" in operator.run("rollback", "--push", "1", "--yes")

        assert [row[1:] for row in table(operator)] == [
            ["compute", "4 of 4", "confirmed"],
            ["compute", "4 of 4", "confirmed"],
            ["compute", "4 of 4", "rolled back"],
            ["compute", "4 of 4", "rolled back"],
        ]
        listed = operator.json("pushes", "--last", "3")["pushes"]
        assert [(each["number"], each["verb"], each["undoes"], each["state"]) for each in listed] == [
            (4, "rollback", 1, "confirmed"),
            (3, "rollback", 2, "confirmed"),
            (2, "push", None, "rolled back"),
        ]
        assert set(listed[0]["switches"].values()) == {"done"}
        assert datetime.fromisoformat(listed[0]["started"]).tzinfo is UTC
        assert not any(each["can_be_rolled_back"] or each["obstacles"] for each in listed)


def preview_names_what_shows_all_lines(operator: Operator) -> None:
    preview = operator.run("rollback", "--push", "1", code=130).splitlines()
    place = next(i for i, line in enumerate(preview) if "more lines, all shown by: " in line and "spine-1" in line)
    hidden = int(preview[place].split()[1])
    head = max(i for i, line in enumerate(preview[:place]) if not line.startswith(" "))
    nornir, *words = shlex.split(preview[place].partition("all shown by: ")[2])
    assert nornir == "nornir"
    shown = operator.run(*words, code=130)
    assert "more lines" not in shown
    assert sum(line.startswith(("  +", "  -")) for line in shown.splitlines()) == hidden + place - head - 1


def table(operator: Operator) -> list[list[str]]:
    """The rows of ``nornir pushes``, each with number and time as one word."""
    head, *rows = (line for line in operator.run("pushes").splitlines() if line.startswith(" "))
    assert re.split(r"  +", head.strip()) == [
        "push", "time (UTC)", "planes", "changed", "state", "can be rolled back"
    ]  # fmt: skip
    return [[" ".join(cells[:2]), *cells[2:]] for row in rows if (cells := re.split(r"  +", row.strip()))]


def test_a_site_that_nothing_was_pushed_to_has_no_pushes(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    assert "nothing was pushed yet" in operator.run("pushes")
    assert operator.json("pushes")["pushes"] == []


def running(operator: Operator) -> dict[str, str]:
    return {name: hand.running() for name, hand in operator.hands().items()}


def other_class(operator: Operator) -> None:
    """Give notifications another code point: a line that exists once per switch, whatever its planes."""
    file = operator.site / "fabric.yml"
    text, count = re.subn(r"(cnp:.*dscp: )48", r"\g<1>46", file.read_text())
    assert count == 1
    file.write_text(text)
