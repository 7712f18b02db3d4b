"""What every module that merges must do: change a switch once, then nothing, until somebody takes the change back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_nxos import Results, returned
from at_terminal import Operator

Three = tuple[Results, Results, Results]


@dataclass(frozen=True)
class Change:
    """What a module merges, a line that it sends for that, and how somebody takes it back by hand."""

    config: Any
    line: str
    undo: str


def tasks(collection: str, changes: Mapping[str, Change]) -> dict[str, dict[str, Any]]:
    return {
        name: {f"{collection}.{name}": {"config": each.config, "state": "merged"}} for name, each in changes.items()
    }


def plays(
    lab: Operator,
    switch: str,
    play: Callable[..., Results],
    changes: Mapping[str, Change],
    collection: str,
    where: Path,
) -> Iterator[Three]:
    """What all modules did at first, did then, and would do once all of it was taken back by hand."""
    hand, todo = lab.hands()[switch], tasks(collection, changes)
    was = hand.running()
    try:
        first, second = (play(lab, switch, todo, where / number) for number in "12")
    finally:
        for each in changes.values():
            hand.configure(*(line.strip() for line in each.undo.split(";")))
    assert hand.running() == was
    yield first, second, play(lab, switch, todo, where / "3", check=True)
    assert hand.running() == was


def assert_once(module: str, change: Change, found: Three) -> None:
    first, second, third = (returned(each, module) for each in found)
    assert first["changed"] and change.line in first["commands"], first["commands"]
    assert not second["changed"] and not second.get("commands"), second["commands"]
    assert third["changed"] and third["commands"] == first["commands"], third["commands"]
