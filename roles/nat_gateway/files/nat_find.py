#!/usr/bin/python3
# ruff: noqa: T201 - its output
"""Finds the inside host behind an outside address and port at a time, in the gateways' logs of translations.

    gpufabric-nat-find 203.0.113.16 40112 2026-11-28T03:12:09Z

Give the folders of both gateways where both are there: a connection that moved from one to the other is found once.
Exit 0: found. 1: no host had that address and port then, as far as these logs go. 2: the question is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from nat_records import files, records

FOLDER = Path("/var/log/gpufabric-nat")
KEY = ("protocol", "inside", "inside_port", "outside", "outside_port", "to", "to_port")


def moment(text: str) -> datetime:
    """Of a record or a question; without a zone it is UTC."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass
class Translation:
    """One connection, from all that was written of it."""

    key: tuple[Any, ...]
    opened: datetime
    ended: datetime | None = None
    began_before: bool = False
    """It was there already when it was first written down, and no log here says since when."""
    gateways: list[str] = field(default_factory=list)
    """Those that had it, in order."""

    def at(self, when: datetime, within: timedelta) -> bool:
        """Was it open about then?"""
        has_begun = self.began_before or self.opened <= when + within
        return has_begun and (self.ended is None or self.ended >= when - within)

    def __str__(self) -> str:
        protocol, inside, inside_port, outside, outside_port, to, to_port = self.key
        until = "still open" if self.ended is None else self.ended.isoformat()
        since = f"{'before ' if self.began_before else ''}{self.opened.isoformat()}"
        return (
            f"{inside} port {inside_port} {protocol} as {outside} port {outside_port} to {to} port {to_port}, "
            f"{since} to {until}, by {', '.join(self.gateways)}"
        )


def translations(entries: Iterable[dict[str, Any]]) -> list[Translation]:
    """Connections from records in order of time; copies are joined with what they are copies of."""
    found: list[Translation] = []
    is_open: dict[tuple[Any, ...], Translation] = {}
    for each in entries:
        key = tuple(each[name] for name in KEY)
        one = is_open.get(key)
        copy = each.get("copy")
        if each["event"] == "opened" and (one is None or copy is None):
            # A new one with all the same ends: the end of the one before is in no log.
            if one is not None:
                one.ended = moment(each["time"])
            is_known = copy is None or "opened" in each
            began = each.get("since", each["time"]) if copy is None else each.get("opened", each["time"])
            one = Translation(key, moment(began), began_before=not is_known)
            found.append(one)
            is_open[key] = one
        elif each["event"] == "ended" and one is None and copy is None and "opened" in each:
            one = Translation(key, moment(each["opened"]))
            found.append(one)
        if one is None:
            continue
        if each["gateway"] not in one.gateways:
            one.gateways.append(each["gateway"])
        if each["event"] == "ended" and copy is None:
            one.ended = moment(each["time"])
            is_open.pop(key, None)
    return found


@dataclass
class Question:
    """Who was it?"""

    outside: str
    port: int
    when: datetime
    within: timedelta
    protocol: str | None = None
    to: str | None = None

    def concerns(self, each: dict[str, Any]) -> bool:
        """Is it of the address and port?"""
        return (
            each.get("outside") == self.outside
            and each.get("outside_port") == self.port
            and self.protocol in (None, each["protocol"])
            and self.to in (None, each["to"])
        )


@dataclass
class Answer:
    """What the logs say."""

    found: list[Translation]
    notes: list[str]
    """Where they may not say all."""


def answer(question: Question, folders: Sequence[Path]) -> Answer:
    """From all files in these folders."""
    entries: list[dict[str, Any]] = []
    notes: list[str] = []
    for folder in folders:
        there = files(folder)
        if not there:
            notes.append(f"{folder} has no log of translations")
        last: dict[str, str] = {}
        for each in (record for path in there for record in records(path)):
            gateway = each["gateway"]
            before = last.get(gateway)
            notes += _missed(question, each, before)
            last[gateway] = each["time"]
            if question.concerns(each):
                entries.append(each)
    entries.sort(key=lambda each: each["time"])
    return Answer([each for each in translations(entries) if each.at(question.when, question.within)], notes)


def _missed(question: Question, each: dict[str, Any], before: str | None) -> Iterator[str]:
    """Where a gateway wrote nothing down at that time, though there may have been something."""
    gateway, now = each["gateway"], each["time"]
    if before is None:
        if question.when < moment(now):
            yield f"the log of {gateway} begins at {now}"
    elif each["event"] in ("following", "lost"):
        last = each.get("since", before)
        if moment(last) - question.within <= question.when <= moment(now):
            yield f"{gateway} wrote down nothing between {last} and {now}: what began and ended then is not there"


def main(arguments: Sequence[str] | None = None) -> int:
    """See the text above."""
    parser = argparse.ArgumentParser(
        prog="gpufabric-nat-find", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address", type=IPv4Address, help="outside, as the complaint has it")
    parser.add_argument("port", type=int, help="its source port; of ICMP the identifier")
    parser.add_argument("time", type=moment, help="as 2026-11-28T03:12:09Z, or with an offset; without, it is UTC")
    parser.add_argument("--protocol", choices=("tcp", "udp", "icmp"))
    parser.add_argument("--to", type=IPv4Address, help="whom it talked to; one port may be used towards several")
    parser.add_argument("--within-s", type=float, default=2, help="how far clocks may differ (default: %(default)s)")
    parser.add_argument("--folder", type=Path, action="append", help=f"default: {FOLDER}; both gateways' where there")
    chosen = parser.parse_args(arguments)
    to = None if chosen.to is None else str(chosen.to)
    within = timedelta(seconds=chosen.within_s)
    question = Question(str(chosen.address), chosen.port, chosen.time, within, chosen.protocol, to)
    found = answer(question, chosen.folder or [FOLDER])
    for note in found.notes:
        print(note, file=sys.stderr)
    for each in found.found:
        print(each)
    if not found.found:
        print(f"no host had {question.outside} port {question.port} then, as far as these logs go", file=sys.stderr)
    return 0 if found.found else 1


if __name__ == "__main__":
    sys.exit(main())
