"""What a ruleset makes of a table, in nft's own listing. Standard library only (it runs on hosts, Python 3.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

_OTHER = r"(?:\t\t(?!elements)[^\n]*\n)*"
DYNAMIC = re.compile(rf"(\tset \S+ {{\n{_OTHER}?\t\tflags [^\n]*dynamic[^\n]*\n{_OTHER})\t\telements = {{[^}}]*}}\n")
"""A set that packets add to, up to its elements, and these."""

SCRIPT = 'nft -f "$1" && exec nft -s list table "$2" "$3"'

Run = Callable[[Sequence[str]], "tuple[int, str, str]"]


def made(run: Run, ruleset: str, scratch: Path, family: str, name: str) -> tuple[int, str, str]:
    """The ruleset's table as nft lists it, made in an empty network namespace; (code, listing, errors)."""
    scratch.write_text(ruleset, encoding="utf-8")
    return run(["unshare", "--net", "sh", "-c", SCRIPT, "sh", str(scratch), family, name])


def without_found(listing: str) -> str:
    """A listing less what packets put into sets."""
    return DYNAMIC.sub(r"\1", listing)
