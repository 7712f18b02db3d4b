"""Objects of others that the operator has a push take over: ``--adopt SWITCH:OBJECT``, or ``--adopt @FILE``."""

from collections.abc import Iterable
from pathlib import Path

from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.files.adopt_file import read_adopted
from nornir_tasks.usecases.reach import Adopted


def adopted(options: Iterable[str]) -> Adopted:
    """Switch -> lines of the objects. Raises RefusedError naming every option that is not SWITCH:OBJECT."""
    entries = list[tuple[str, str]]()
    for each in options:
        entries += read_adopted(Path(each[1:])) if each.startswith("@") else [(f"--adopt {each}", each)]
    found: dict[str, dict[tuple[str, ...], None]] = {}
    problems = []
    for place, entry in entries:
        switch, colon, text = entry.partition(":")
        lines = tuple(line.strip() for line in text.split(" / "))
        if not colon or not switch or not all(lines):
            hint = "as a plan lists it, in quotes: --adopt 'leaf-1:vlan 310'"
            problems.append(Problem(place, "does not name an object", "SWITCH:OBJECT", entry, hint))
        else:
            found.setdefault(switch, {})[lines] = None
    if problems:
        raise RefusedError(problems)
    return {switch: tuple(each) for switch, each in found.items()}
