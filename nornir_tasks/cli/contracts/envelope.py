"""What stands at the top of every JSON document, and what a command that failed prints."""

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

Verdict = Literal["pass", "fail", "could not tell", "skipped"]
described = with_config(ConfigDict(use_attribute_docstrings=True))
"""Texts below fields are their descriptions."""


class Doubt(TypedDict):
    """A switch without a serial number in devices.yml."""

    device: str
    hostname: str
    serial: str


class Envelope(TypedDict):
    """At the top of every document."""

    schema: Annotated[str, Field(description="gpufabric/NAME; nornir schema NAME prints what is below.")]
    version: Annotated[int, Field(description="Of that document. Within a version keys are only added.")]
    site: Annotated[str | None, Field(description="The site's name; null where the command is about none.")]
    time: Annotated[str, Field(description="When it was printed: UTC, ISO 8601.")]
    command: Annotated[str, Field(description="The command line.")]
    site_directory: Annotated[NotRequired[str], Field(description="The folder that the site was read from.")]
    unidentified: NotRequired[list[Doubt]]


@described
class ErrorProblem(TypedDict):
    """One thing that is wrong."""

    where: str
    """file:line, a switch, or a switch and its port."""
    what: str
    expected: NotRequired[str]
    found: NotRequired[str]
    hint: NotRequired[str]
    code: NotRequired[str]
    """nornir explain CODE says more; only the commonest problems have one."""


@described
class ErrorBody(TypedDict):
    """Why a command failed."""

    kind: str
    """The class, as IntentError."""
    code: str
    """The same for nornir explain, as intent-error."""
    exit_code: int
    problems: list[ErrorProblem]


class ErrorDocument(Envelope):
    """A command that failed or was refused, and printed no document of its own."""

    error: ErrorBody
