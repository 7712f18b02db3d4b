"""Every error this tool raises on purpose, and the exit code it ends with.

    GpufabricError              1   anything below; alone: a fault of ours
    ├── CommandLineError        2   a wrong command line
    ├── IntentError             3   the intent, the catalogue, the device list or a manifest is wrong
    ├── DesignError             4   the intent cannot be built
    ├── RenderError             5   a template or a line without a source
    ├── DeviceError             6   one switch did not answer as expected
    │   ├── ConnectError            nothing answers there
    │   ├── AuthError               the credentials were refused
    │   ├── RightsError             the account may not do this
    │   ├── TrustError              its certificate or host key is not trusted
    │   ├── IdentityError           another serial number, model or release than declared
    │   ├── StageError              it refused the candidate
    │   └── CommitError             it refused or reverted the commit
    │       └── LeftToTimerError    it was committed and cannot be reached: its own timer reverts the change
    ├── RefusedError            7   the change itself is refused (would cut our own path, no timer, ...)
    ├── ValidationFailed        8   the live network, or what is audited, differs from the intent
    ├── UndecidedError          9   a check could not be decided
    ├── LabError               10   the built-in lab
    ├── LocalError             11   this machine: a full disk, a file or folder that may not be written, our journal
    └── Interrupted           130   the operator declined, or pressed Ctrl-C

Exit code 0 is success, 12 a plan that would change something (``--detailed-exitcode``). Codes are stable; scripts may
rely on them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where it stands, what it is, and what to do about it."""

    where: str
    """``file:line`` for a file, the device (and port) for a switch."""
    what: str
    expected: str = ""
    found: str = ""
    hint: str = ""

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}"]
        for label, text in (("expected", self.expected), ("found", self.found), ("hint", self.hint)):
            if text:
                lines.append(f"  {label}: {text}")
        return printable("\n".join(lines))


def printable(text: str) -> str:
    """The text with control and invisible characters escaped: ESC as its number.

    Messages quote files and switches, which must not colour, hide or overwrite the operator's output.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in text
    )


def words_of(error: Exception) -> str:
    """What an error of this machine says, without Python's number and quotes: ``Permission denied``."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8, from byte {error.start} on"
    return str(getattr(error, "strerror", None) or error)


class GpufabricError(Exception):
    """The root of the tree above. Carries all problems found, never only the first."""

    exit_code = 1

    @classmethod
    def code(cls) -> str:
        """Its name for ``nornir explain``: ``intent-error``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    def __init__(self, problems: "str | Problem | Iterable[Problem]") -> None:
        if isinstance(problems, str):
            problems = Problem(where="gpufabric", what=problems)
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class CommandLineError(GpufabricError):
    """A verb or option that there is not, or a value that an option does not take."""

    exit_code = 2


class IntentError(GpufabricError):
    """The intent, the catalogue, the device list or a manifest is wrong."""

    exit_code = 3


class DesignError(GpufabricError):
    """The intent cannot be built."""

    exit_code = 4


class RenderError(GpufabricError):
    """A template failed, or would render a line without a source."""

    exit_code = 5


class DeviceError(GpufabricError):
    """One switch did not answer as expected; the others continue."""

    exit_code = 6


class ConnectError(DeviceError):
    """Nothing answers at the address, or the answer never ends."""


class AuthError(DeviceError):
    """The switch refused the credentials."""


class RightsError(DeviceError):
    """The switch knows the account, and its role or privilege level does not allow this."""


class TrustError(DeviceError):
    """The certificate or the host key is not one we trust."""


class IdentityError(DeviceError):
    """The device is not the one the intent declares (serial number, model, release)."""


class StageError(DeviceError):
    """The switch refused the candidate; nothing was committed."""


class CommitError(DeviceError):
    """The switch refused the commit, or reverted it."""


class LeftToTimerError(CommitError):
    """The switch has an unconfirmed change, and could not be reached to revert it; its timer will."""


class RefusedError(GpufabricError):
    """We refuse to make this change."""

    exit_code = 7


class ValidationFailed(GpufabricError):  # noqa: N818 - reads as the outcome it is
    """The live network differs from the intent."""

    exit_code = 8


class UndecidedError(GpufabricError):
    """A check could not be decided; that never counts as passed."""

    exit_code = 9


class LabError(GpufabricError):
    """The built-in lab cannot start, stop or answer."""

    exit_code = 10


class LocalError(GpufabricError):
    """We cannot write on this machine: its disk is full, the file or folder is not ours, or our journal is broken."""

    exit_code = 11


class Interrupted(GpufabricError):  # noqa: N818 - no mistake was made
    """The operator declined, or pressed Ctrl-C."""

    exit_code = 130
