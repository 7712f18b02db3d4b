"""Reads the transcripts in tests/recorded: what a tool printed, on which stream, and its exit code (see README.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

RECORDED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Call:
    """One command line and what came of it."""

    command: str
    stdout: str
    stderr: str
    exit_code: int


def read_transcript(name: str) -> list[Call]:
    """The calls of ``<tool>/<file>.txt`` in the order they were made. Raises ValueError at a line of no kind."""
    calls: list[Call] = []
    command, streams = "", {">": "", "!": ""}
    for number, line in enumerate((RECORDED / name).read_text(encoding="utf-8").splitlines(), start=1):
        kind, text = line[:1], line[2:]
        if kind == "$":
            command, streams = text, {">": "", "!": ""}
        elif kind in streams:
            streams[kind] += text + "\n"
        elif kind == "=":
            calls.append(Call(command, streams[">"], streams["!"], int(text)))
        elif kind:
            raise ValueError(f"{name}:{number}: neither $, >, ! nor =: {line!r}")
    return calls


def stdout_of(name: str, command: str) -> str:
    """What ``command`` printed the first time it stands in the transcript ``name``."""
    return next(call.stdout for call in read_transcript(name) if call.command == command)


def sources_of(tool: str) -> dict[str, dict[str, Any]]:
    """SOURCES.yml of one tool: file name to kind, source, version and date."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((RECORDED / tool / "SOURCES.yml").read_text(encoding="utf-8"))
    return found
