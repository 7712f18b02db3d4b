"""The table of counters, tests/corpus/counters/counters.tsv, and the recorded answers that go with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from nornir_tasks.platforms.counted import Counter
from tests.recorded.transcripts import read_transcript

TABLE = Path(__file__).parents[2] / "corpus" / "counters" / "counters.tsv"
SWITCHES = ("nvue", "eos", "nxos")
GRADES = {"recorded", "lab", "manual", "reader", "memory", "-"}


class Row(NamedTuple):
    """One cell of counter x system."""

    counter: Counter
    system: str
    since: str
    request: str
    path: str
    unit: str
    index: str
    absence: str
    needs: str
    grade: str
    source: str

    @property
    def is_read(self) -> bool:
        return self.request != "not read"


def rows() -> list[Row]:
    """The table without its comments and heading. Raises ValueError at a counter that we do not know."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines[0].split("\t") == list(Row._fields)
    cells = [line.split("\t") for line in lines[1:]]
    return [Row(Counter(counter), *rest) for counter, *rest in cells]


def of_system(system: str) -> dict[Counter, Row]:
    """The rows of one system by counter."""
    return {row.counter: row for row in rows() if row.system == system}


def recorded(system: str) -> dict[str, Any]:
    """The recorded answers of one switch, keyed as drivers key them, and fresh: a test may change them."""
    if system == "nvue":
        return _of_nvue()
    answers: dict[str, Any] = {}
    names = ("counters.txt", "counters_text.txt") if system == "eos" else ("counters.txt",)
    for name in names:
        for call in read_transcript(f"{system}_show/{name}"):
            answers[call.command] = json.loads(call.stdout) if call.stdout.startswith("{") else call.stdout
    return answers


def _of_nvue() -> dict[str, Any]:
    """Resources of swp1 put together as the answer for all ports has them."""
    answers: dict[str, Any] = {"interface": {"swp1": {"link": {"oper-status": "up"}}}, "system": {}}
    for call in read_transcript("nvue_show/counters.txt"):
        path = call.command.rpartition("/nvue_v1/")[2].split("/")
        if path[0] == "platform":
            answers["/".join(path)] = json.loads(call.stdout)
            continue
        node = answers[path[0]]
        for key in path[1:-1]:
            node = node.setdefault(key, {})
        if len(path) == 1:
            node |= json.loads(call.stdout)
        else:
            node[path[-1]] = json.loads(call.stdout)
    return answers
