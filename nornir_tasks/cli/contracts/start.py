"""What `nornir init`, `schema` and `explain` print as JSON."""

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope, described


class ExplanationEntry(TypedDict):
    """What one code means."""

    code: str
    kind: Literal["error", "problem", "check", "check of hosts", "proof"]
    exit_code: int | None
    means: str
    causes: list[str]
    do: list[str]
    more: dict[str, str]


class ExplainDocument(Envelope):
    """``nornir explain``."""

    explanations: list[ExplanationEntry]


class SchemasDocument(Envelope):
    """``nornir schema`` without a name. With one it prints that schema, which stands in no envelope."""

    files: list[str]
    documents: list[str]


@described
class InitDocument(Envelope):
    """``nornir init``."""

    folder: str
    files: list[str]
    switches: int
    defaults: dict[str, Any]
    """What was taken for what was not given."""
    notes: list[str]
    next: list[str]
    """Commands, in their order."""


@described
class InitUpdateDocument(Envelope):
    """``nornir init --update``."""

    folder: str
    added: list[str]
    """Switches that devices.yml got, with ??? for what a person must write."""
    gone: list[str]
    """Switches there that the design no longer has."""


class InitListDocument(Envelope):
    """``nornir init --list``: option -> what there is for it, with a word on each."""

    options: dict[str, dict[str, str]]
