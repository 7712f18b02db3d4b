"""Output: tables and progress on a terminal, plain text in a pipe, JSON on request, errors on stderr."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.console import Console

from nornir_tasks.cli.commands import command_line
from nornir_tasks.errors import GpufabricError

PIPE_WIDTH = 200
"""Width without a terminal: no table is cut in a pipe."""

NO_WIDTH = 80
"""Width where ``COLUMNS=0`` says that there is none; Rich would print nothing at all."""


def screen(*, width: int | None = None, stderr: bool = False) -> Console:
    """A console that prints text as it is: ``:100:`` is no emoji, ``[red]`` no colour. ``width``: in characters.

    Configurations, names and messages are others' text. What is ours is coloured by ``style``.
    """
    columns = os.environ.get("COLUMNS", "")
    if width is None and columns.isdigit() and int(columns) == 0:
        width = NO_WIDTH
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


out = screen(width=None if sys.stdout.isatty() else PIPE_WIDTH)
err = screen(stderr=True)

SITE_DIRECTORY: ContextVar[str] = ContextVar("SITE_DIRECTORY", default="")
"""The folder of the site that the command line is about."""

_VERSIONS: Mapping[str, int] = {"pushes": 2}
"""Document -> its version, where that is not 1."""

_ADDED: ContextVar[Mapping[str, object]] = ContextVar("ADDED", default=MappingProxyType({}))


def say_site(site: str) -> Path:
    """The folder of a site; for a name, one line on stderr says which folder was found."""
    from nornir_tasks.files.resources import shown
    from nornir_tasks.files.site import find_site, is_built_in, is_name, named_sites

    taken = find_site(site)
    if is_name(site):
        others = [shown(each) for each in named_sites(site) if each != taken]
        kind = "built in, " if is_built_in(taken) and not taken.is_relative_to(Path.cwd()) else ""
        instead = f", not {' or '.join(others)}" if others else ""
        err.print(f"site {site}: {kind}{shown(taken)}{instead}")
    return taken


def version_of(document: str) -> int:
    """The version of a JSON document, by its name in ``cli/json_documents.py``."""
    return _VERSIONS.get(document, 1)


def print_json(name: str, document: Mapping[str, object]) -> None:
    """Print one JSON document in its envelope, and nothing else, on stdout. ``name``: one of ``json_documents.py``."""
    directory = SITE_DIRECTORY.get()
    whole = {
        "schema": f"gpufabric/{name}",
        "version": version_of(name),
        "site": Path(directory).name if directory else None,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command_line(),
        **document,
        **({"site_directory": directory} if directory else {}),
        **(_ADDED.get() if directory else {}),
    }
    for part in json.JSONEncoder(indent=2, default=_as_data).iterencode(whole):
        sys.stdout.write(part)
    sys.stdout.write("\n")


@dataclass(frozen=True, slots=True)
class Later:
    """A part of a document that is made when it is printed, and not kept."""

    make: Callable[[], object]


def _as_data(value: object) -> object:
    return value.make() if isinstance(value, Later) else str(value)


def add_to_json(key: str, value: object) -> None:
    """An additional key for every JSON object that this command prints; None: no such key."""
    kept = {name: each for name, each in _ADDED.get().items() if name != key}
    _ADDED.set(kept if value is None else {**kept, key: value})


def print_error(error: GpufabricError) -> None:
    """Print every problem, its place first."""
    for problem in error.problems:
        head, *details = str(problem).splitlines()
        err.print("error:", style="red", end=" ")
        for line in (head, *details):
            err.print(line)


def error_as_json(error: GpufabricError) -> dict[str, Any]:
    """The same problems as data, for stdout."""
    from nornir_tasks.cli.explanations import code_of

    problems = [
        {key: value for key, value in {**asdict(problem), "code": code_of(problem)}.items() if value}
        for problem in error.problems
    ]
    body = {"kind": type(error).__name__, "code": error.code(), "exit_code": error.exit_code, "problems": problems}
    return {"error": body}
