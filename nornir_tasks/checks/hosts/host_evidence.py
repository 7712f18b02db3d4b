"""The input and the result of a host check.

A host check is a function ``HostEvidence -> list[HostFinding]`` in ``checks/hosts/<topic>.py``, listed in
``checks/hosts/host_suite.py``. Expected values come from the host's variables, found ones from facts; every setting of
a missing fact is "could not tell", so that the number tested never shrinks silently.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from nornir_tasks.checks.about import About
from nornir_tasks.checks.verdict import Verdict


class ShownOn(StrEnum):
    """The kind of device on which the value has been set and read back; its effect on the wire is not covered."""

    MACHINE = "machine"
    """A Linux machine with Soft-RoCE, as ``nornir lab up --hosts`` boots."""
    DRIVER = "driver"
    """The lab's driver that stores PFC, ETS and DSCP maps for the real ``dcb``, without a NIC."""
    STAND_IN = "stand-in"
    """Programs and files that answer as recorded from real ones."""
    HARDWARE_ONLY = "hardware only"
    """Not tested."""


@dataclass(frozen=True, slots=True)
class HostEvidence:
    """One host: its variables and its facts."""

    host: str
    variables: Mapping[str, Any]
    """Ansible variables of the roles, their defaults included."""
    facts: Mapping[str, Any]
    """``gpufabric_rails`` and the like -> result of the fact module; facts that could not be read are missing."""
    unread: Mapping[str, str]
    """Fact -> why it could not be read."""

    def why_unread(self, fact: str) -> str:
        """Why this fact is missing."""
        return self.unread.get(fact, f"{fact} was not read")


@dataclass(frozen=True, slots=True)
class HostFinding:
    """The result for one knob."""

    check: str
    host: str
    subject: str
    """The rail, node, package or plane; empty for a knob of the whole host."""
    knob: str
    verdict: Verdict
    wanted: str
    found: str
    shown_by: str
    """The command that shows the value."""
    shown_on: ShownOn
    why: str = ""
    """Why it was skipped or undecided; the remedy of a failure."""

    @property
    def name(self) -> str:
        """``rail0 mtu_bytes``."""
        return f"{self.subject} {self.knob}".strip()

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"{self.check}: {self.name}: wanted {self.wanted}, found {self.found}{why}; see `{self.shown_by}`"


@dataclass(frozen=True, slots=True)
class HostCheck:
    """A check function and its description."""

    judge: Callable[[HostEvidence], list[HostFinding]]
    about: About
    needs: Literal["nothing", "rdma", "rails", "gpus"] = "rdma"
    """What a host must have to be judged: RDMA, over rails or bonds; rails; rails that join GPUs."""


@dataclass(frozen=True, slots=True)
class Request:
    """One fact to read: its module and arguments."""

    fact: str
    module: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Knob:
    """One knob of a check, not judged yet."""

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
        """Pass or fail, as decided by the check itself."""
        self._add(knob, Verdict.PASS if good else Verdict.FAIL, spell(found), "" if good else why)

    def undecided(self, knob: Knob, why: str) -> None:
        """Could not tell."""
        self._add(knob, Verdict.ERROR, "not known", why)

    def skip(self, knob: Knob, why: str) -> None:
        """The host does not have the setting; only hardware that has it can show it."""
        self._add(knob, Verdict.SKIPPED, "no such knob", why, ShownOn.HARDWARE_ONLY)

    def _add(self, knob: Knob, verdict: Verdict, found: str, why: str, shown_on: ShownOn | None = None) -> None:
        parts = (knob.subject, knob.name, verdict, knob.wanted, found, knob.shown_by, shown_on or knob.shown_on, why)
        self.findings.append(HostFinding(self._check, self._host, *parts))


def spell(value: object) -> str:
    """A value as text for a report: ``on``, ``off``, ``none``, lists with commas."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value == "":
        return "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(spell(each) for each in value) or "none"
    return str(value)
