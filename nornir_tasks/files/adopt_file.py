"""Objects of others that a push takes over, one ``SWITCH:OBJECT`` a line: what ``--adopt @FILE`` names."""

from pathlib import Path

from nornir_tasks.errors import LocalError, Problem, words_of


def read_adopted(file: Path) -> list[tuple[str, str]]:
    """(place, entry) of each line; empty lines and those that begin with ``#`` say nothing. Raises LocalError."""
    try:
        rows = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        hint = "give a file with one SWITCH:OBJECT a line"
        raise LocalError(Problem(f"--adopt @{file}", f"cannot be read: {words_of(error)}", hint=hint)) from error
    numbered = ((f"{file}:{number}", row.strip()) for number, row in enumerate(rows, start=1))
    return [(place, row) for place, row in numbered if row and not row.startswith("#")]
