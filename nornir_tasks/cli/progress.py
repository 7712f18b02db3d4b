"""Progress of a use case on stderr: a progress display, and each warning when it occurs."""

from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nornir_tasks.cli.console import add_to_json, err
from nornir_tasks.errors import printable
from nornir_tasks.usecases.progress import Begun, Ended, Event, Through, Unidentified

if TYPE_CHECKING:
    from rich.progress import TaskID

    from nornir_tasks.deploy.identity import Doubt

MOST_NAMED = 4
"""Switches that a warning names; JSON has them all."""


class Display:
    """The callback ``on`` of the command line. One for each command."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        add_to_json("unidentified", None)

    def __call__(self, event: Event) -> None:
        """Show one event; from any thread."""
        match event:
            case Begun():
                self._begin(event)
            case Through():
                self._step(event)
            case Ended():
                self._end()
            case Unidentified():
                _warn_of_doubts(event)

    def _begin(self, event: Begun) -> None:
        columns: tuple[Any, ...] = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
        self._progress.start()
        self._task = self._progress.add_task(event.work, total=event.total)

    def _step(self, event: Through) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=1, description=f"{event.work} {event.name}")

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _warn_of_doubts(event: Unidentified) -> None:
    """Warn of switches that only their address identifies: once, and as a key of JSON."""
    found = [f"{each.device} (found {each.serial})" if each.serial else each.device for each in event.news]
    what = f"no serial number in devices.yml for {len(event.news)} of {event.total} switches"
    err.print(f"warning: {what}, so another one at the address would go unnoticed: {_some(found)}")
    others = [f"{each.device} ({each.hostname})" for each in event.news if each.is_named_otherwise]
    if others:
        err.print(f"warning: {len(others)} of them have another name: {_some(others)}")
    add_to_json("unidentified", [_as_json(each) for each in event.known])


def _some(each: list[str]) -> str:
    more = f", and {len(each) - MOST_NAMED} more" if len(each) > MOST_NAMED else ""
    return printable(", ".join(each[:MOST_NAMED]) + more)


def _as_json(doubt: "Doubt") -> dict[str, object]:
    return {"device": doubt.device, "hostname": doubt.hostname, "serial": doubt.serial}
