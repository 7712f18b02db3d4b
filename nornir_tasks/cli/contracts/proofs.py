"""What `nornir prove` prints as JSON."""

from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope, Verdict


class Service(TypedDict):
    """Whether one service passes between a pair, and the lines that decide."""

    service: str
    passes: bool
    decided_by: list[str]


class Breach(TypedDict):
    """What is wrong of a pair."""

    kind: str
    decided_by: list[str]
    packet: dict[str, Any] | None


class ProvedPair(TypedDict):
    """One direction between two ends."""

    source: dict[str, Any]
    destination: dict[str, Any]
    verdict: Verdict
    services: list[Service]
    breaches: list[Breach]
    could_not_tell: NotRequired[list[str]]


class IsolationResult(TypedDict):
    """The proof isolation."""

    proved: int
    total: int
    assumed: list[str]
    pairs: list[ProvedPair]


class BoundaryResult(TypedDict):
    """The proof boundary."""

    proved: int
    total: int
    firewalls_not_judged: list[str]
    pairs: list[ProvedPair]


class FirewallPackets(TypedDict):
    """Packets that were sent through one firewall's rules."""

    firewall: str
    flows: int
    arrived: int
    answered: int
    disagree: list[str]


class ProofFinding(TypedDict):
    """What fails, with the lines of both ends."""

    where: str
    what: str
    ends: list[dict[str, Any]]
    also: list[str]


class ProofResult(TypedDict):
    """One proof over all its cables or ports."""

    proof: str
    verdict: Verdict
    unit: str
    judged: int
    passed: int
    failed: int
    by_symmetry: int
    could_not_tell: dict[str, int]
    skipped: dict[str, int]
    notes: list[str]
    findings: list[ProofFinding]
    not_quoted: int


class ProveDocument(Envelope):
    """``nornir prove``."""

    undecided: list[str]
    left_out: list[str]
    isolation: NotRequired[IsolationResult]
    boundary: NotRequired[BoundaryResult]
    packets: NotRequired[list[FirewallPackets]]
    proofs: list[ProofResult]
