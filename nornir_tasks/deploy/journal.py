"""What was done to which switch, and what its owned sections were before: the memory behind ``rollback``.

SQLite in the site's ``.state`` folder. Only owned sections are kept, and those hold no secret. A device's row is
written before its commit, so a push that dies half way can be seen, and undone.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nornir_tasks.errors import Problem, RefusedError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS push (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, verb TEXT NOT NULL, owners TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS device (
    push INTEGER NOT NULL REFERENCES push(id), device TEXT NOT NULL, state TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (push, device));
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One switch's part of one push."""

    push: int
    device: str
    state: str
    """``started`` (and, if nobody works on it, left to the switch's timer), ``done``, ``failed``, ``undone`` since."""
    before: str
    """Text of the owned sections before the push."""
    after: str


class Journal:
    """The journal of one site. Each call opens and closes the file: safe from any thread.

    RefusedError where it cannot be read or written: what is not noted cannot be rolled back.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as db:
            db.executescript(_SCHEMA)
        path.chmod(0o600)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=30)) as db, db:
                yield db
        except sqlite3.Error as error:
            hint = "give this file back to its owner, make room on the disk, or set GPUFABRIC_STATE"
            raise RefusedError(
                Problem(str(self._path), f"the journal cannot be read or written: {error}", hint=hint)
            ) from error

    def begin(self, verb: str, owners: frozenset[str]) -> int:
        """Start a push; returns its number."""
        with self._open() as db:
            row = db.execute(
                "INSERT INTO push (started, verb, owners) VALUES (?, ?, ?)", (_now(), verb, json.dumps(sorted(owners)))
            )
            return int(row.lastrowid or 0)

    def start(self, push: int, device: str, before: str, after: str) -> None:
        """Note what a switch held, before it is touched."""
        with self._open() as db:
            db.execute(
                "INSERT OR REPLACE INTO device VALUES (?, ?, 'started', ?, ?, ?)",
                (push, device, before, after, _now()),
            )

    def end(self, push: int, device: str, state: str) -> None:
        """Note what became of it."""
        with self._open() as db:
            db.execute(
                "UPDATE device SET state = ?, at = ? WHERE push = ? AND device = ?", (state, _now(), push, device)
            )

    def cut_off(self, within_s: float) -> tuple[tuple[str, float], ...]:
        """(device, seconds ago) of each change that was begun in this time and neither confirmed nor taken back by us.

        Only for who holds the site's lock, else a push that is under way would count.
        """
        with self._open() as db:
            rows = db.execute("SELECT device, at, state, MAX(push) FROM device GROUP BY device").fetchall()
        ages = ((device, _age_s(at)) for device, at, state, _ in rows if state == "started")
        return tuple((device, age_s) for device, age_s in ages if age_s < within_s)

    def last_push(self) -> int | None:
        """The last push that changed anything and was not undone since."""
        with self._open() as db:
            row = db.execute(
                "SELECT MAX(push.id) FROM push JOIN device ON device.push = push.id"
                " WHERE verb = 'push' AND state != 'undone'"
            ).fetchone()
        return None if row[0] is None else int(row[0])

    def owners(self, push: int) -> frozenset[str]:
        """Whose sections a push was about."""
        with self._open() as db:
            row = db.execute("SELECT owners FROM push WHERE id = ?", (push,)).fetchone()
        return frozenset(json.loads(row[0])) if row else frozenset()

    def entries(self, push: int) -> tuple[Entry, ...]:
        """The switches a push touched and that were not rolled back since, by name."""
        with self._open() as db:
            rows = db.execute(
                "SELECT push, device, state, before, after FROM device"
                " WHERE push = ? AND state != 'undone' ORDER BY device",
                (push,),
            ).fetchall()
        return tuple(Entry(*row) for row in rows)


def _age_s(at: str) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
