"""Who changed what, why, with which version and for how long: what the journal has of a push besides its texts."""

import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from datetime import datetime

SCHEMA = """
CREATE TABLE IF NOT EXISTS stated (
    push INTEGER PRIMARY KEY, person TEXT NOT NULL, known_by TEXT NOT NULL, host TEXT NOT NULL, version TEXT NOT NULL,
    message TEXT NOT NULL, ticket TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS carried_out (push INTEGER PRIMARY KEY, plan TEXT NOT NULL, approved_by TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS begun (
    push INTEGER NOT NULL, device TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (push, device));
"""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a push or rollback when it begins. Empty texts: not known."""

    person: str = ""
    known_by: str = ""
    """How the person is known: an account, sudo, a variable of CI."""
    host: str = ""
    """The machine whose journal has it, and on which it can be undone."""
    version: str = ""
    """Of gpufabric."""
    message: str = ""
    ticket: str = ""
    plan: str = ""
    """SHA-256 of the plan file that it carries out."""
    approved_by: str = ""
    """Who had signed that, as ``alice, bob``."""


NOTHING = Stated()


@dataclass(frozen=True, slots=True)
class Times:
    """When a push began and ended, and how long each of its switches took."""

    seconds: int | None
    """None: it has not ended, or an earlier version did not note that."""
    switches: Mapping[str, int]
    """Switch -> whole seconds from the reading of its plan to its end, of those that have one."""


def note(db: sqlite3.Connection, push: int, stated: Stated) -> None:
    """Record it with the push's own row."""
    *row, plan, approved_by = astuple(stated)
    db.execute("INSERT INTO stated VALUES (?, ?, ?, ?, ?, ?, ?)", (push, *row))
    if plan:
        db.execute("INSERT INTO carried_out VALUES (?, ?, ?)", (push, plan, approved_by))


def stated(db: sqlite3.Connection) -> dict[int, Stated]:
    """Number -> what was stated of it; earlier versions stated nothing."""
    names = ", ".join(each.name for each in fields(Stated))
    query = f"SELECT push, {names} FROM stated LEFT JOIN carried_out USING (push)"  # noqa: S608 - names of ours
    return {push: Stated(*(each or "" for each in row)) for push, *row in db.execute(query)}


def times(db: sqlite3.Connection, push: int) -> Times:
    """How long one push took."""
    row = db.execute("SELECT started, ended FROM push LEFT JOIN planned ON push = id WHERE id = ?", (push,)).fetchone()
    ended = None if row is None or row[1] is None else _seconds(row[0], row[1])
    rows = db.execute(
        "SELECT device, begun.at, device.at FROM begun JOIN device USING (push, device)"
        " WHERE push = ? AND state IN ('done', 'failed') ORDER BY device",
        (push,),
    )
    return Times(ended, {device: _seconds(began, at) for device, began, at in rows})


def _seconds(start: str, end: str) -> int:
    return max(0, round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()))
