"""What a host check judges, and what it answers.

A host check is a function ``HostEvidence -> list[HostFinding]`` in ``checks/host_<topic>.py``, listed in
``checks/host_suite.py``. What it looks for comes from the host's variables, what it finds from facts; a fact that is
missing leaves every knob it would have told of as "could not tell", so that the number tested never shrinks in silence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nornir_tasks.checks.evidence import Verdict


class ShownOn(StrEnum):
    """On what we have seen a knob set and read back; what its value does on the wire is another matter."""

    MACHINE = "machine"
    """A Linux machine with Soft-RoCE, as ``nornir lab up --hosts`` boots."""
    DRIVER = "driver"
    """The lab's driver that holds PFC, ETS and DSCP maps for the real ``dcb``; no NIC is behind it."""
    STAND_IN = "stand-in"
    """Programs and files that answer as recorded from real ones."""
    HARDWARE_ONLY = "hardware only"
    """Not shown by us at all."""


@dataclass(frozen=True, slots=True)
class HostEvidence:
    """One host: what it was told, and what it says of itself."""

    host: str
    variables: Mapping[str, Any]
    """Ansible variables of the roles, their defaults included."""
    facts: Mapping[str, Any]
    """``gpufabric_rails`` and the like -> what the fact module returned; a fact that could not be read is not there."""
    unread: Mapping[str, str]
    """Fact -> why it could not be read."""

    def why_unread(self, fact: str) -> str:
        """Why there is no such fact."""
        return self.unread.get(fact, f"{fact} was not read")


@dataclass(frozen=True, slots=True)
class HostFinding:
    """One knob, looked at."""

    check: str
    host: str
    subject: str
    """The rail, node, package or plane; empty where the knob is the host's as a whole."""
    knob: str
    verdict: Verdict
    wanted: str
    found: str
    shown_by: str
    """The command that shows it."""
    shown_on: ShownOn
    why: str = ""
    """Why it was skipped or could not be determined; what to do about a failure."""

    @property
    def name(self) -> str:
        """``rail0 mtu_bytes``."""
        return f"{self.subject} {self.knob}".strip()

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"{self.check}: {self.name}: wanted {self.wanted}, found {self.found}{why}; see `{self.shown_by}`"


@dataclass(frozen=True, slots=True)
class Knob:
    """One knob of a check before it is judged."""

    subject: str
    name: str
    wanted: str
    shown_by: str
    shown_on: ShownOn = ShownOn.MACHINE


class Judge:
    """Makes the findings of one check on one host."""

    def __init__(self, check: str, evidence: HostEvidence) -> None:
        self._check, self._host = check, evidence.host
        self.findings: list[HostFinding] = []

    def compare(self, knob: Knob, found: object, *, why: str = "") -> None:
        """Pass if equal as text; None: could not tell. ``why``: the reason for a failure or for an undecided result."""
        if found is None:
            self.undecided(knob, why or "the host does not show it")
        else:
            self.decide(knob, spell(found) == knob.wanted, found, why=why)

    def decide(self, knob: Knob, good: bool, found: object, *, why: str = "") -> None:
        """Pass or fail, as the check itself decided."""
        self._add(knob, Verdict.PASS if good else Verdict.FAIL, spell(found), "" if good else why)

    def undecided(self, knob: Knob, why: str) -> None:
        """It could not be determined."""
        self._add(knob, Verdict.ERROR, "not known", why)

    def skip(self, knob: Knob, why: str) -> None:
        """There is no such knob here; only hardware that has it can show it."""
        self._add(knob, Verdict.SKIPPED, "no such knob", why, ShownOn.HARDWARE_ONLY)

    def _add(self, knob: Knob, verdict: Verdict, found: str, why: str, shown_on: ShownOn | None = None) -> None:
        parts = (knob.subject, knob.name, verdict, knob.wanted, found, knob.shown_by, shown_on or knob.shown_on, why)
        self.findings.append(HostFinding(self._check, self._host, *parts))


def spell(value: object) -> str:
    """A value in the words of a report: ``on``, ``off``, ``none``, lists with commas."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value == "":
        return "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(spell(each) for each in value) or "none"
    return str(value)
