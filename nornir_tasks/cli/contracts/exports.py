"""What audits, day 0 and exports print as JSON."""

from typing import Any

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope, Verdict


class AuditFinding(TypedDict):
    """One field of one object."""

    check: str
    object: str
    where: str
    field: str
    verdict: Verdict
    message: str
    found: str
    expected: str
    intent: str
    remedy: str


class AuditDocument(Envelope):
    """``nornir audit k8s``."""

    objects: int
    judged_objects: int
    tested: int
    of: int
    failed: int
    undecided: int
    not_judged: dict[str, Any]
    findings: list[AuditFinding]


class BootStage(TypedDict):
    """Switches that can boot at the same time."""

    switches: list[str]
    by_hand: str | None


class Day0Document(Envelope):
    """``nornir day0``."""

    files: list[str]
    changed: list[str]
    removed: list[str]
    left: list[str]
    unknown_to_dhcp: list[str]
    order: list[BootStage]


class Day0ServeDocument(Envelope):
    """``nornir day0 serve``."""

    enrolled: list[str]
    waiting: list[str]
    refused: int


class HostRail(TypedDict):
    """One port of a host."""

    rail: int
    port: str
    leaf: str


class TopologyHost(TypedDict):
    """Where one host is."""

    tiers: list[str]
    rack: str | None
    rails: list[HostRail]
    labels: dict[str, str]


class TopologyDocument(Envelope):
    """``nornir export`` of k8s-labels, kueue-topology, slurm-topology, slurm-task-prolog and nccl-topology."""

    plane: str
    hosts: dict[str, TopologyHost]
    lines: list[str]


class ManifestObject(TypedDict):
    """One object of Kubernetes."""

    kind: str
    name: str


class ManifestsDocument(Envelope):
    """``nornir export k8s-rdma``."""

    plane: str
    objects: list[ManifestObject]
    files: list[str]
    changed: list[str]
    removed: list[str]
    left: list[str]
