"""Commands that messages name, completed so that they work as they are copied.

A hint says ``nornir plan --limit leaf-1``, wherever it comes from; nothing below the command line knows how the
operator has named the site. Here the options are added that the command line was given and the named verb takes.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import typer

from nornir_tasks.errors import GpufabricError, Problem

CARRIED = ("site", "plane", "accept_release", "allow_management", "adopt", "unguarded", "hosts_reorder")
"""Parameters that say what a verb is about, or without which it would be refused where the verb that ran was not."""

OF_ITS_VERB = ("message", "ticket")
"""What only the same verb takes over: another one has a reason of its own."""

WORDS: ContextVar[tuple[str, ...]] = ContextVar("WORDS", default=())
"""The command line, without the program's name."""

_CONTEXT: ContextVar[typer.Context | None] = ContextVar("CONTEXT", default=None)

_COMMAND = re.compile(r"\bnornir (?P<verb>(?:lab )?[a-z][a-z-]*)\b(?! --site\b)")


def command_line() -> str:
    """The command line, as it is typed."""
    return shlex.join(("nornir", *WORDS.get()))


@contextmanager
def completing() -> Iterator[None]:
    """For the time of one command: errors that it raises leave with completed hints."""
    token = _CONTEXT.set(None)
    try:
        yield
    except GpufabricError as error:
        error.problems = tuple(map(completed, error.problems))
        raise
    finally:
        _CONTEXT.reset(token)


def remember(context: typer.Context) -> None:
    """These are the options that the command line was given."""
    _CONTEXT.set(context)


def completed(problem: Problem) -> Problem:
    """The problem with a hint that works as it is copied."""
    return replace(problem, hint=runnable(problem.hint)) if problem.hint else problem


def runnable(text: str) -> str:
    """The text with each command in it completed; as it is outside a command, and for one that names a site already."""
    context = _CONTEXT.get()
    if context is None:
        return text
    given = dict(_given(context))
    root: Any = context.find_root().command

    def complete(found: re.Match[str]) -> str:
        verb = found["verb"].split()
        taken = _parameters(root, verb) - (frozenset() if verb[-1] == context.command.name else {*OF_ITS_VERB})
        if text.startswith(" --plan ", found.end()):  # which says itself what it is about
            taken -= {*CARRIED} - {"site"}
        return " ".join((found[0], *(words for name, words in given.items() if name in taken)))

    return _COMMAND.sub(complete, text)


def _given(context: typer.Context) -> Iterator[tuple[str, str]]:
    """Parameter -> its option and value, as they are typed."""
    for each in context.command.params:
        source = context.get_parameter_source(each.name or "")
        if each.name not in (*CARRIED, *OF_ITS_VERB) or source is None or source.name == "DEFAULT":
            continue
        value, option = context.params.get(each.name), each.opts[0]
        if value is True:
            yield each.name, option
        else:
            values = value if isinstance(value, list) else [value]
            yield each.name, " ".join(f"{option} {shlex.quote(str(one))}" for one in values)


def _parameters(command: Any, verb: list[str]) -> frozenset[str]:  # noqa: ANN401 - Typer keeps its types to itself
    """The names of a verb's parameters; empty if there is no such verb."""
    for word in verb:
        command = getattr(command, "commands", {}).get(word)
    return frozenset(each.name for each in getattr(command, "params", ()))
