"""What was done to which switch, and its owned sections before: the data for ``rollback``.

SQLite in the site's ``.state`` folder. Only owned sections are kept, and those hold no secret. A device's row is
written before its candidate is, so a push that dies half way can be seen, and undone. The final state of a row comes
from the switch: ``open_entries`` are settled at the next read.
"""

import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path as File
from typing import Literal

from nornir_tasks.deploy import record
from nornir_tasks.deploy.evidence import Done
from nornir_tasks.drivers.session import MARK
from nornir_tasks.errors import LocalError, Problem

JOURNAL = "journal.sqlite"
"""Its file in a site's state folder."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS push (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, verb TEXT NOT NULL, owners TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS device (
    push INTEGER NOT NULL REFERENCES push(id), device TEXT NOT NULL, state TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (push, device));
CREATE TABLE IF NOT EXISTS commit_timer (
    push INTEGER NOT NULL, device TEXT NOT NULL, timer_s REAL NOT NULL, boot TEXT NOT NULL, at_s REAL NOT NULL,
    at TEXT NOT NULL, PRIMARY KEY (push, device));
CREATE TABLE IF NOT EXISTS candidate (
    push INTEGER NOT NULL, device TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (device, token));
CREATE TABLE IF NOT EXISTS undoing (push INTEGER PRIMARY KEY, undoes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS planned (push INTEGER PRIMARY KEY, devices TEXT NOT NULL, ended TEXT);
CREATE TABLE IF NOT EXISTS claimed (
    push INTEGER NOT NULL, device TEXT NOT NULL, claims TEXT NOT NULL, adopted TEXT NOT NULL, needs TEXT NOT NULL,
    PRIMARY KEY (push, device));
CREATE TABLE IF NOT EXISTS site (name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS journal (id TEXT NOT NULL);
"""
_OPEN = ("started", "committed")
COUNTED = frozenset({"done", "committed"})
"""States of an entry whose change runs, or may run."""
_BOOT_ID = File("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Entry:
    """One switch's part of one push."""

    push: int
    device: str
    state: str
    """``started``: nothing was committed yet; ``committed``: asked for and not known to be confirmed; ``done``,
    ``failed`` (it is as it was), ``undone`` (it was ``done``, and was rolled back since)."""


@dataclass(frozen=True, slots=True)
class Noted:
    """One push or rollback."""

    number: int
    verb: str
    started: str
    """When, as ISO 8601 writes it."""
    owners: frozenset[str]
    """Whose sections it was about."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One push or rollback, with its end on each switch."""

    noted: Noted
    undoes: int | None
    """Of a rollback: the push that it reverts; None where an earlier version did not note that."""
    states: Mapping[str, str]
    """Switch -> state of its entry; see :class:`Entry`. Switches that it did not come to have none."""
    planned: frozenset[str]
    """The switches that it had to change; those of ``states`` where an earlier version did not note that."""
    is_ended: bool
    """It came to its end, with or without failures; else it runs now, or was killed or interrupted."""


Clock = Callable[[], datetime]


def _utc() -> datetime:
    return datetime.now(UTC)


class Journal:
    """The journal of one site. Each call opens and closes the file: safe from any thread.

    LocalError where it cannot be read or written: without an entry there is no rollback.
    """

    def __init__(self, path: File, clock: Clock = _utc) -> None:
        self._path, self._clock = path, clock
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.opened() as db:  # of one that is whole nothing is written: who may only read it can list it
            db.executescript(_SCHEMA + record.SCHEMA)
            if db.execute("SELECT id FROM journal").fetchone() is None:
                db.execute("INSERT INTO journal VALUES (?)", (secrets.token_hex(4),))
            self._id = str(db.execute("SELECT id FROM journal").fetchone()[0])
        with suppress(PermissionError):  # another account's
            path.chmod(0o600)

    def require_site(self, name: str) -> None:
        """Raises LocalError if this is the journal of another site: what it has is no evidence here."""
        with self.opened() as db:
            found = db.execute("SELECT name FROM site").fetchone()
        if found is not None and found[0] != name:
            hint = (
                f"if the site was renamed, write 'site: {found[0]}' again; else move this file away: then nothing is "
            )
            hint += "shown to be ours, and nothing is removed"
            what = "the journal is of another site, so it does not show what is ours here"
            raise LocalError(Problem(str(self._path), what, f"site {name}", f"site {found[0]}", hint))

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=30)) as db, db:
                yield db
        except sqlite3.Error as error:
            hint = "give this file back to its owner, make room on the disk, or set GPUFABRIC_STATE"
            raise LocalError(
                Problem(str(self._path), f"the journal cannot be read or written: {error}", hint=hint)
            ) from error

    def begin(
        self,
        verb: str,
        owners: frozenset[str],
        planned: Collection[str],
        undoes: int | None = None,
        site: str = "",
        stated: record.Stated = record.NOTHING,
    ) -> int:
        """Start a push that has to change these switches, or a rollback that undoes one; returns its number."""
        with self.opened() as db:
            if site:
                db.execute("INSERT INTO site SELECT ? WHERE NOT EXISTS (SELECT * FROM site)", (site,))
            row = db.execute(
                "INSERT INTO push (started, verb, owners) VALUES (?, ?, ?)",
                (self._now(), verb, json.dumps(sorted(owners))),
            )
            number = int(row.lastrowid or 0)
            db.execute("INSERT INTO planned VALUES (?, ?, NULL)", (number, json.dumps(sorted(planned))))
            record.note(db, number, stated)
            if undoes is not None:
                db.execute("INSERT INTO undoing VALUES (?, ?)", (number, undoes))
            return number

    def name(self, site: str, push: int, person: str = "") -> str:
        """The name of this push's candidates on every switch: whose they are. The journal's id makes it unique."""
        place, who = (re.sub(r"[^A-Za-z0-9]", "_", text)[:20] for text in (site, person))
        return f"{MARK}{place}-{self._id}-{push}" + (f"-{who}" if who else "")

    def start(self, push: int, device: str, done: Done, claims: str = "") -> None:
        """Record the owned sections of a switch before it is changed. ``claims``: a digest of whose which lines are."""
        needs = [[path, sorted(needing)] for path, needing in done.needs.items()]
        with self.opened() as db:
            db.execute(
                "INSERT OR REPLACE INTO device VALUES (?, ?, 'started', ?, ?, ?)",
                (push, device, done.before, done.after, self._now()),
            )
            db.execute("INSERT OR REPLACE INTO begun VALUES (?, ?, ?)", (push, device, self._now()))
            db.execute(
                "INSERT OR REPLACE INTO claimed VALUES (?, ?, ?, ?, ?)",
                (push, device, claims, json.dumps(done.adopted), json.dumps(needs)),
            )

    def standing(self, device: str) -> tuple[Done, ...]:
        """What pushes did to a switch that stands, the earliest first: the evidence of what is ours there."""
        where = "device = ? AND state IN ('done', 'committed') AND undoes IS NULL ORDER BY device.push"
        return self._done(where, (device,))

    def done(self, entry: Entry) -> Done:
        """What a push did to a switch. Read when asked for: of 1,000 switches that is much."""
        (found,) = self._done("device.push = ? AND device = ?", (entry.push, entry.device))
        return found

    def _done(self, where: str, values: tuple[object, ...]) -> tuple[Done, ...]:
        query = (
            "SELECT before, after, adopted, needs, verb FROM device JOIN push ON push.id = device.push"  # noqa: S608
            " LEFT JOIN claimed USING (push, device) LEFT JOIN undoing ON undoing.push = device.push"
            f" WHERE {where}"  # one of two texts of ours
        )
        with self.opened() as db:
            rows = db.execute(query, values).fetchall()
        return tuple(_read(*row) for row in rows)

    def last_claims(self) -> dict[str, str]:
        """Switch -> a digest of whose which lines were at its last push that stands."""
        query = (
            "SELECT device, claims, MAX(push) FROM device JOIN push ON push.id = device.push"
            " JOIN claimed USING (push, device) WHERE verb = 'push' AND state IN ('done', 'committed') GROUP BY device"
        )
        with self.opened() as db:
            return {device: claims for device, claims, _ in db.execute(query)}

    def staged(self, push: int, device: str, token: str) -> None:
        """Record a candidate before it is sent to the switch."""
        with self.opened() as db:
            db.execute("INSERT OR IGNORE INTO candidate VALUES (?, ?, ?)", (push, device, token))

    def dropped(self, device: str, tokens: frozenset[str], push: int | None = None) -> None:
        """Forget candidates that are no longer on the switch: these, and all of a push."""
        with self.opened() as db:
            db.executemany("DELETE FROM candidate WHERE device = ? AND token = ?", [(device, each) for each in tokens])
            db.execute("DELETE FROM candidate WHERE device = ? AND push = ?", (device, push))

    def candidates(self) -> dict[str, frozenset[str]]:
        """Device -> every candidate of ours that may still be on it. With the site's lock, all are abandoned."""
        found: dict[str, set[str]] = {}
        with self.opened() as db:
            for device, token in db.execute("SELECT device, token FROM candidate").fetchall():
                found.setdefault(device, set()).add(token)
        return {device: frozenset(tokens) for device, tokens in found.items()}

    def committed(self, push: int, device: str, timer_s: float) -> None:
        """Record a requested commit; its timer runs at most this long from now on."""
        with self.opened() as db:
            db.execute("UPDATE device SET state = 'committed' WHERE push = ? AND device = ?", (push, device))
            row = (push, device, timer_s, _boot(), _boot_s(), self._now())
            db.execute("INSERT OR REPLACE INTO commit_timer VALUES (?, ?, ?, ?, ?, ?)", row)

    def end(self, push: int, device: str, state: str, *, if_open: bool = False) -> None:
        """Record the final state of an entry; ``if_open``: unless it has one.

        With the ``done`` of a rollback, the switch is ``undone`` on the push that it undoes.
        """
        query = "UPDATE device SET state = ?, at = ? WHERE push = ? AND device = ?"
        query += " AND state IN ('started', 'committed')" if if_open else ""
        with self.opened() as db:
            is_noted = db.execute(query, (state, self._now(), push, device)).rowcount
            undoes = db.execute("SELECT undoes FROM undoing WHERE push = ?", (push,)).fetchone()
            if is_noted and undoes and state == "done":
                self._undo(db, undoes[0], device)

    def undone(self, push: int, devices: Iterable[str]) -> None:
        """Record that these switches are again as they were before a push. What failed on a switch stays failed."""
        with self.opened() as db:
            for device in devices:
                self._undo(db, push, device)

    def _undo(self, db: sqlite3.Connection, push: int, device: str) -> None:
        db.execute(
            "UPDATE device SET state = 'undone', at = ?"
            " WHERE push = ? AND device = ? AND state IN ('done', 'committed')",
            (self._now(), push, device),
        )

    def finish(self, push: int, needless: Collection[str] = ()) -> None:
        """Record that a push came to its end. ``needless``: what it had planned, and found as wanted on its way."""
        with self.opened() as db:
            row = db.execute("SELECT devices FROM planned WHERE push = ?", (push,)).fetchone()
            devices = [name for name in json.loads(row[0]) if name not in needless]
            db.execute(
                "UPDATE planned SET devices = ?, ended = ? WHERE push = ?", (json.dumps(devices), self._now(), push)
            )

    def open_entries(self) -> dict[str, Entry]:
        """Device -> its last entry, if its result is not known yet. The caller holds the site's lock."""
        query = "SELECT MAX(push), device, state FROM device GROUP BY device"
        with self.opened() as db:
            entries = [Entry(*row) for row in db.execute(query).fetchall()]
        return {entry.device: entry for entry in entries if entry.state in _OPEN}

    def before(self, entry: Entry) -> str:
        """Text of the owned sections before the push. Read when asked for: of 1,000 switches that is much."""
        return self._text("before", entry)

    def after(self, entry: Entry) -> str:
        """The same as the push wanted it."""
        return self._text("after", entry)

    def _text(self, column: Literal["before", "after"], entry: Entry) -> str:
        query = f"SELECT {column} FROM device WHERE push = ? AND device = ?"  # noqa: S608 - one of two words of ours
        with self.opened() as db:
            return str(db.execute(query, (entry.push, entry.device)).fetchone()[0])

    def timer_left_s(self, entry: Entry) -> float | None:
        """How long the timer of an entry's commit may still run, independent of this machine's date.

        None: no commit was requested, or the timer has expired.
        """
        query = "SELECT timer_s, boot, at_s, at FROM commit_timer WHERE push = ? AND device = ?"
        with self.opened() as db:
            row = db.execute(query, (entry.push, entry.device)).fetchone()
        if row is None:
            return None
        timer_s, boot, at_s, at = row
        # Since the machine restarted its date is all there is.
        age_s = _boot_s() - at_s if boot == _boot() else self._age_s(at)
        return timer_s - age_s if age_s < timer_s else None

    def last_push(self) -> int | None:
        """The last push of which something may run that was not undone since."""
        return next((each.number for each in self.pushes()), None)

    def pushes(self) -> tuple[Noted, ...]:
        """The pushes of which something may run that was not rolled back since, the last one first."""
        with self.opened() as db:
            rows = db.execute(
                "SELECT DISTINCT id, verb, started, owners FROM push JOIN device ON device.push = push.id"
                " WHERE verb = 'push' AND state IN ('done', 'committed') ORDER BY id DESC"
            ).fetchall()
        return tuple(map(_noted, rows))

    def history(self) -> tuple[Listed, ...]:
        """Every push and rollback, the last one first."""
        states: dict[int, dict[str, str]] = {}
        with self.opened() as db:
            for push, device, state in db.execute("SELECT push, device, state FROM device ORDER BY device"):
                states.setdefault(push, {})[device] = state
            rows = db.execute(
                "SELECT id, verb, started, owners, undoes, devices, ended FROM push"
                " LEFT JOIN undoing ON undoing.push = push.id LEFT JOIN planned ON planned.push = push.id"
                " ORDER BY id DESC"
            ).fetchall()
        return tuple(_listed(row, states.get(row[0], {})) for row in rows)

    def undone_by(self, push: int) -> int | None:
        """The last rollback of a push of which nothing is left; None: something may run, or none was rolled back."""
        with self.opened() as db:
            states = {row[0] for row in db.execute("SELECT state FROM device WHERE push = ?", (push,))}
            (by,) = db.execute("SELECT MAX(push) FROM undoing WHERE undoes = ?", (push,)).fetchone()
        return None if by is None or "undone" not in states or states & COUNTED else int(by)

    def is_without_effect(self, push: int) -> bool:
        """Did a push change no switch for good: did it fail, or was it taken back, on every one it came to?"""
        with self.opened() as db:
            states = {row[0] for row in db.execute("SELECT state FROM device WHERE push = ?", (push,))}
        return bool(states) and states <= {"failed", "started"}

    def owners(self, push: int) -> frozenset[str]:
        """Whose sections a push was about."""
        with self.opened() as db:
            row = db.execute("SELECT owners FROM push WHERE id = ?", (push,)).fetchone()
        return frozenset(json.loads(row[0])) if row else frozenset()

    def entries(self, push: int) -> tuple[Entry, ...]:
        """The switches on which a push's change runs, or may run, by name."""
        with self.opened() as db:
            rows = db.execute(
                "SELECT push, device, state FROM device WHERE push = ? AND state IN ('done', 'committed')"
                " ORDER BY device",
                (push,),
            ).fetchall()
        return tuple(Entry(*row) for row in rows)

    def _age_s(self, at: str) -> float:
        return (self._clock() - datetime.fromisoformat(at)).total_seconds()

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")


def _read(before: str, after: str, adopted: str | None, needs: str | None, verb: str) -> Done:
    """A row; of an earlier version without the last two texts."""
    paths = tuple(tuple(each) for each in json.loads(adopted or "[]"))
    lived = {tuple(path): frozenset(map(tuple, needing)) for path, needing in json.loads(needs or "[]")}
    return Done(before, after, paths, lived, is_rollback=verb != "push")


def _noted(row: tuple[int, str, str, str]) -> Noted:
    number, verb, started, owners = row
    return Noted(number, verb, started, frozenset(json.loads(owners)))


def _listed(row: tuple[int, str, str, str, int | None, str | None, str | None], states: Mapping[str, str]) -> Listed:
    undoes, devices, ended = row[4:]
    if devices is None:  # of an earlier version
        return Listed(_noted(row[:4]), undoes, states, frozenset(states), is_ended=True)
    planned = frozenset(json.loads(devices)) | states.keys()
    return Listed(_noted(row[:4]), undoes, states, planned, is_ended=ended is not None)


def _boot() -> str:
    """Identifies this boot of the machine; empty where the system has no such identifier."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _boot_s() -> float:
    """Seconds since the machine started, sleep included: a clock that cannot be set."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
