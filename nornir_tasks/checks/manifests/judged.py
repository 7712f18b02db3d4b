"""What was judged of an object: one result for each value, with its line and that of the intent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.manifests.objects import Manifest
from nornir_tasks.intent.core.findings import Path, as_shown, dotted

MOST_OF_A_LINE = 160


@dataclass(frozen=True, slots=True)
class Judged:
    """The result for one value of one object."""

    check: str
    """What is judged: ``dscp``, ``pfc``, ``cnp``, ``mtu``, ``pool``, ``gateway``, ``rail``, ..."""
    object: str
    where: str
    """File and line of the value."""
    field: str
    """Its path in the object."""
    verdict: Verdict
    message: str
    found: str = ""
    expected: str = ""
    intent: str = ""
    """The line of the intent that asks for ``expected``, or the object whose line says otherwise."""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a value should be: its text, who asks for it where, and what to do where it is another."""

    value: object
    at: str
    remedy: str = ""


@dataclass
class Sheet:
    """The results of one object."""

    manifest: Manifest
    results: list[Judged] = field(default_factory=list)

    def add(self, verdict: Verdict, check: str, path: Path, message: str, **more: str) -> None:
        """A result for the value at this path."""
        short: Mapping[str, str] = {key: as_shown(text, MOST_OF_A_LINE) for key, text in more.items()}
        manifest = self.manifest
        self.results.append(
            Judged(check, manifest.label, manifest.where(*path), dotted(path), verdict, message, **short)
        )

    def passed(self, check: str, path: Path, message: str) -> None:
        """As the intent asks."""
        self.add(Verdict.PASS, check, path, message)

    def failed(self, check: str, path: Path, message: str, found: object, asks: Asks) -> None:
        """Not as the intent asks; ``message``: what that means."""
        shown = partial(as_shown, most=MOST_OF_A_LINE)
        self.add(
            Verdict.FAIL,
            check,
            path,
            message,
            found=shown(found),
            expected=shown(asks.value),
            intent=asks.at,
            remedy=asks.remedy,
        )

    def unclear(self, check: str, path: Path, message: str, remedy: str = "") -> None:
        """These files do not tell."""
        self.add(Verdict.ERROR, check, path, message, remedy=remedy)

    def skipped(self, check: str, path: Path, message: str) -> None:
        """Nothing there that the intent has a word on."""
        self.add(Verdict.SKIPPED, check, path, message)

    def compare(self, check: str, path: Path, found: object, meaning: str, asks: Asks) -> bool:
        """Is the value the one that is asked for?"""
        if found == asks.value:
            self.passed(check, path, f"{as_shown(found)}, as {asks.at} has it")
            return True
        self.failed(check, path, meaning, found, asks)
        return False
