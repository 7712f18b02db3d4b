"""The table of counters, tests/corpus/counters/counters.tsv, and the recorded answers that go with it."""

from __future__ import annotations

import json
from typing import Any

from counters_page import Row, rows

from nornir_tasks.platforms.counted import Counter
from tests.recorded.transcripts import read_transcript

SWITCHES = ("nvue", "eos", "nxos")
GRADES = {"recorded", "lab", "manual", "reader", "memory", "-"}


def of_system(system: str) -> dict[Counter, Row]:
    """The rows of one system by counter."""
    return {Counter(row.counter): row for row in rows() if row.system == system}


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
