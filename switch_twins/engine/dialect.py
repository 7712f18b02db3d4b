"""The configuration layout of an operating system and the wording of its refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import LineError


@dataclass(frozen=True, slots=True)
class Dialect:
    """Layout and wording.

    indent            blanks a mode is indented by
    separator         line between top-level blocks ("!" on EOS, "" on NX-OS)
    nested_separator  whether the separator also stands, indented, before nested blocks (EOS)
    comments          a line that begins with one of these is ignored
    exit_words        leave the current mode; ``end_words`` leave configuration
    has_default       whether ``default <line>`` exists
    dotted_asns       path of the line by which AS numbers are printed with a dot; empty: there is none
    error_text        puts a LineError into the operating system's words
    """

    indent: int
    separator: str
    nested_separator: bool
    error_text: Callable[[LineError], str]
    comments: tuple[str, ...] = ("!",)
    exit_words: tuple[str, ...] = ("exit",)
    end_words: tuple[str, ...] = ("end",)
    has_default: bool = True
    dotted_asns: tuple[str, ...] = ()


def eos_error(error: LineError) -> str:
    """EOS's wording, without the leading ``% `` of the console: eAPI's ``errors`` list has none.

    Sources: anta 1.10.0 constants.UNSUPPORTED_PLATFORM_ERRORS ("Invalid input (at token 2: 'trident')", "Incomplete
    command (at token 4: 'drops')", "not supported on this hardware platform"); token 0 as in
    tests/corpus/eos/reject.txt.
    """
    if error.message:
        return error.message
    if error.kind == "incomplete":
        last = error.line.split()[-1]
        return f"Incomplete command (at token {len(error.line.split()) - 1}: '{last}')"
    if error.kind == "unavailable":
        return "Unavailable command (not supported on this hardware platform)"
    return f"Invalid input (at token {error.token_index}: '{error.token}')"


def nxos_error(error: LineError) -> str:
    """NX-OS's wording; the marker line is under the offending word.

    Sources: tests/corpus/nxos/NOTES.md (device output in published tests and forum posts).
    """
    if error.message:
        return error.message
    marker = " " * error.column + "^"
    if error.kind == "incomplete":
        return f"{marker}\n% Incomplete command at '^' marker."
    if error.kind == "range" and error.expected:
        return f"{marker}\n% Invalid number, range is ({error.expected.replace('-', ':')}) at '^' marker."
    return f"{marker}\n% Invalid command at '^' marker."


EOS = Dialect(
    indent=3,
    separator="!",
    nested_separator=True,
    error_text=eos_error,
    dotted_asns=("router bgp", "bgp asn notation asdot"),
)
NXOS = Dialect(indent=2, separator="", nested_separator=False, error_text=nxos_error, dotted_asns=("as-format asdot",))
