"""A plan as a file: what it holds, how it is written, and how it is read again.

What is long is packed: zlib's compression of UTF-8, as base64. A first push of 288 switches changes half a million
lines: 3.4 MB in all, where the lines alone would be fifty.
"""

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.errors import LocalError, Problem, RefusedError, words_of
from nornir_tasks.files.documents import write_documents
from nornir_tasks.files.signatures import signature_files

NAME = "plan-file"
VERSION = 1
MOST_BYTES = 1 << 28
"""Of a file, and of one packed part."""
_AGAIN = "make it again: nornir plan --out FILE"
_described = with_config(ConfigDict(use_attribute_docstrings=True))


@_described
class PlanIdentity(TypedDict):
    """The switch that answered."""

    serial: str
    model: str
    release: str
    hostname: str


@_described
class PlanOthers(TypedDict):
    """A line that is not shown to be ours, and that the push meets."""

    path: list[str]
    reason: str
    adopt: list[str]
    replaced_by: list[str]
    """The line that takes its place, as it is adopted; empty: it stays."""
    matters: str
    disruption: str


@_described
class PlanSwitch(TypedDict):
    """One switch of a plan."""

    identity: PlanIdentity
    owners: list[str]
    disruption: str
    saved: bool
    begins_to_spray: bool
    cannot_be_compared: list[str]
    changing: int
    """Lines that change."""
    changes: str
    """Packed: a JSON list of {op, path, disruption}, in the order of the plan."""
    others: list[PlanOthers]
    read: str
    """Packed: the running configuration that was read, with secrets by name."""


@_described
class PlanCode(TypedDict):
    """What made the plan."""

    version: str
    sha256: str
    """Over the package's files, its templates and its catalogue."""


@_described
class PlanSelection(TypedDict):
    """What the plan is about: the options of the command line."""

    planes: list[str]
    limit: list[str]
    adopt: dict[str, list[list[str]]]
    allow_management: list[str]
    accept_release: bool


@_described
class PlanBody(TypedDict):
    """A plan that is pushed later, without its envelope."""

    expires: str
    """From then on it is not pushed: UTC, ISO 8601."""
    code: PlanCode
    intent: str
    """SHA-256 over fabric.yml and devices.yml."""
    selection: PlanSelection
    changing: int
    """Switches that change."""
    waves: list[list[str]]
    """The switches that a push touches, in its order."""
    switches: dict[str, PlanSwitch]
    hash: str
    """SHA-256 over all else: the document without this key, as JSON with sorted keys and without blanks."""


@with_config(ConfigDict(extra="forbid"))
class WholePlan(PlanBody):
    """With its envelope."""

    schema: str
    version: int
    site: str
    time: str
    command: str


_READER = TypeAdapter(WholePlan)


def packed(text: str) -> str:
    """A long text, for the file."""
    return base64.b64encode(zlib.compress(text.encode(errors="surrogatepass"), 9)).decode()


def unpacked(text: str) -> str:
    """The text again. Raises ValueError for what is not packed."""
    stream = zlib.decompressobj()
    try:
        made = stream.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if stream.unconsumed_tail or not stream.eof:
        raise ValueError("not whole")
    return made.decode(errors="surrogatepass")


def as_bytes(document: dict[str, Any]) -> bytes:
    """The document with its hash, as it is written."""
    whole = {**document, "hash": _hash(document)}
    return (json.dumps(whole, indent=1) + "\n").encode()


def write_plan(file: Path, content: bytes) -> None:
    """Write a plan: completely or not at all, with the usual mode, as others are to read it.

    Raises RefusedError where signatures stand beside the file: they are of the plan that is there.
    """
    if there := signature_files(file):
        what = "the plan that is there was signed: its signatures would be of no use for another one"
        hint = f"choose another --out, or remove {' '.join(map(str, there))}"
        raise RefusedError(Problem(str(file), what, found=f"{len(there)} signatures", hint=hint))
    write_documents({file: content})


def read_plan(file: Path) -> tuple[WholePlan, bytes]:
    """A plan, and the bytes that it was read from. LocalError if it cannot be read, RefusedError if it is damaged."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise LocalError(Problem(str(file), f"cannot be read: {words_of(error)}", hint=_AGAIN)) from error
    return _checked(file, content), content


def _checked(file: Path, content: bytes) -> WholePlan:
    try:
        document = json.loads(content) if len(content) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("schema") != f"gpufabric/{NAME}":
        expected = "what nornir plan --out FILE writes"
        raise RefusedError(Problem(str(file), "this is no plan of gpufabric", expected=expected, hint=_AGAIN))
    if document.get("version") != VERSION:
        expected, found = f"version {VERSION}", f"version {document.get('version')}"
        what = "this plan was written by another version of gpufabric"
        raise RefusedError(Problem(str(file), what, expected=expected, found=found, hint=_AGAIN))
    if document.get("hash") != (real := _hash(document)):
        what = "this plan was changed since it was made: its hash is not that of what it says"
        raise RefusedError(Problem(str(file), what, str(document.get("hash")), real, _AGAIN))
    try:
        return _READER.validate_python(document, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise RefusedError(Problem(str(file), f"this plan is damaged: {place}: {first['msg']}", hint=_AGAIN)) from error


def _hash(document: dict[str, Any]) -> str:
    rest = {key: value for key, value in document.items() if key != "hash"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
