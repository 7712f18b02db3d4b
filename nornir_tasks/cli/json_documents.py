"""What each JSON document of the command line holds: ``nornir schema NAME`` prints it as JSON Schema.

Every document stands in one envelope (``cli/console.py`` makes it). Within a version keys are only added: consumers
ignore what they do not know. A key that goes, or means something else, raises the version of its document.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, with_config
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.console import version_of
from nornir_tasks.design.realise.configuration import Adjustment
from nornir_tasks.lab.boundary_hosts.manager import HostStatus
from nornir_tasks.lab.export.parts import LeftOut
from nornir_tasks.lab.machines.manager import MachineStatus
from nornir_tasks.usecases.pushes import State

_Verdict = Literal["pass", "fail", "could not tell", "skipped"]
_described = with_config(ConfigDict(use_attribute_docstrings=True))


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


@_described
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


@_described
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


# -- design --------------------------------------------------------------------------------------------------------


class Tier(TypedDict):
    """The switches of one tier."""

    switches: int


class FabricCounts(TypedDict):
    """One fabric."""

    design: str
    planes: list[str]
    tiers: dict[str, Tier]
    oversubscription: float
    copies: NotRequired[int]
    host_links: int
    fabric_links: int
    peer_links: NotRequired[int]


class Group(TypedDict):
    """The layout of one group of hosts on a plane."""

    core_oversubscription: float | None
    layout: dict[str, Any]
    runner_up: dict[str, Any] | None
    warnings: list[str]


class PlaneCounts(TypedDict):
    """One plane: its fabric's switches and links, and its own links to hosts."""

    fabric: str
    tiers: dict[str, Tier]
    oversubscription: float
    fabric_links: int
    peer_links: NotRequired[int]
    host_links: int
    groups: dict[str, Group]


class Totals(TypedDict):
    """Over all fabrics."""

    switches: int
    links: int
    cables: int
    optics: int


class DesignDevice(TypedDict):
    """One switch."""

    name: str
    plane: str
    tier: str
    rail: int | None
    copy: NotRequired[int]
    os: str
    release: str
    model: str
    asn: int | None
    loopback: str | None
    host_blocks: dict[str, Any]


class LinkEnd(TypedDict):
    """One end of a link."""

    device: str
    port: str
    address: str | None


class DesignLink(TypedDict):
    """One link, with MTU and addresses of the first plane that uses it."""

    name: str
    kind: str
    cable: str
    speed_gbps: float
    mtu_bytes: int | None
    upper: LinkEnd
    lower: LinkEnd


class DesignDocument(Envelope):
    """``nornir design``."""

    fabrics: dict[str, FabricCounts]
    planes: dict[str, PlaneCounts]
    totals: Totals
    devices: list[DesignDevice]
    links: list[DesignLink]
    reachable: dict[str, list[list[bool]]]
    routes: dict[str, dict[str, int | None]]
    tables: dict[str, dict[str, dict[str, int | None]]]
    assumed: dict[str, str]
    cable_warnings: NotRequired[list[str]]
    boundary_warnings: NotRequired[list[str]]
    day0_warnings: NotRequired[list[str]]
    pair_warnings: NotRequired[list[str]]
    number_warnings: NotRequired[list[str]]
    throughput: NotRequired[list[dict[str, Any]]]
    explain: NotRequired[list[dict[str, Any]]]


class BillDocument(Envelope):
    """``nornir design --bom``."""

    currency: str | None
    lines: list[dict[str, Any]]
    totals: dict[str, int]


class MoveStep(TypedDict):
    """Cables that are moved together."""

    replaced: str | None
    below: list[str]
    cut_off: list[str]
    kept: dict[str, Any]
    moves: list[dict[str, Any]]


class MovesDocument(Envelope):
    """``nornir design --against OLD``."""

    counts: dict[str, int]
    steps: list[MoveStep]
    readdressed: list[str]
    replaced: dict[str, dict[str, str]]


class RenderDocument(Envelope):
    """``nornir render``."""

    files: list[str]
    removed: list[str]
    left: list[str]
    memory_only: dict[str, list[str]]
    adjustments: list[Adjustment]


# -- prove ---------------------------------------------------------------------------------------------------------


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
    verdict: _Verdict
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
    verdict: _Verdict
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


# -- switches ------------------------------------------------------------------------------------------------------


class Unconfirmed(TypedDict):
    """A commit that its switch takes back unless it is confirmed."""

    commit: str
    left_s: float | None


class LineChange(TypedDict):
    """One line that a push adds (+) or removes (-)."""

    op: Literal["+", "-"]
    path: list[str]
    disruption: str


class OthersLine(TypedDict):
    """A line that is not shown to be ours."""

    path: list[str]
    reason: str
    adopt: str
    replaced_by: list[str] | None
    disruption: str


class PlannedDevice(TypedDict):
    """What a push would do to one switch."""

    disruption: str
    changes: list[LineChange]
    others: list[OthersLine]


class ManagementWay(TypedDict):
    """How the tool reaches one switch."""

    over: list[list[str]]
    single_points: list[str]


class _Plan(Envelope):
    changing: int
    need_reload: list[str]
    begin_to_spray: list[str]
    unsaved: list[str]
    cannot_be_compared: dict[str, list[str]]
    ways: dict[str, ManagementWay]
    devices: dict[str, PlannedDevice]


class PlanDocument(_Plan):
    """``nornir plan``."""

    unconfirmed: dict[str, Unconfirmed]


class PushDocument(_Plan):
    """``nornir push`` and ``nornir rollback``: the plan before it, and what came of it."""

    unconfirmed: list[str]
    changed: list[str]
    saved: list[str]
    total: int
    failed: dict[str, list[str]]


class ValidateFinding(TypedDict):
    """The result for one thing."""

    id: str
    check: str
    device: str
    port: str
    verdict: _Verdict
    message: str
    expected: str
    found: str
    cause: str
    remedy: str
    played: NotRequired[bool]


@_described
class ValidateDocument(Envelope):
    """``nornir validate``."""

    tested: int
    of: int
    failed: int
    failed_of_total: int
    undecided: int
    skipped: int
    played: NotRequired[int]
    warnings: NotRequired[list[str]]
    only: NotRequired[list[str]]
    """The checks that --only names: nothing else was judged."""
    causes: list[str]
    findings: list[ValidateFinding]
    """What did not pass; with --all what passed as well."""


class CheckEntry(TypedDict):
    """One check."""

    check: str
    each: str
    uncounted: str
    reads: list[str]
    configuration: str
    wanted: str
    passes: str
    fails: str
    could_not_tell: str
    skipped: str
    not_shown: dict[str, list[str]]
    of: NotRequired[int]


class ChecksDocument(Envelope):
    """``nornir validate --list``."""

    checks: list[CheckEntry]
    of: NotRequired[int]


class PushEntry(TypedDict):
    """One push or rollback in the journal."""

    number: int
    verb: Literal["push", "rollback"]
    undoes: int | None
    started: str
    planes: list[str]
    planned: list[str]
    switches: dict[str, str]
    changed: int
    rolled_back: int
    state: State
    can_be_rolled_back: bool
    obstacles: list[int]
    unsettled: list[int]


class PushesDocument(Envelope):
    """``nornir pushes``."""

    pushes: list[PushEntry]


class TrustDocument(Envelope):
    """``nornir trust``."""

    device: str
    fingerprint: str
    serial: str
    changed: bool


# -- what others read ----------------------------------------------------------------------------------------------


class AuditFinding(TypedDict):
    """One field of one object."""

    check: str
    object: str
    where: str
    field: str
    verdict: _Verdict
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


# -- the lab -------------------------------------------------------------------------------------------------------


class FaultEntry(TypedDict):
    """One thing that is broken on purpose."""

    fault: str
    names: list[str]
    ends: NotRequired[list[list[str]]]
    percent: NotRequired[float]
    delay_ms: NotRequired[float]


class LabUpDocument(Envelope):
    """``nornir lab up``."""

    started: bool
    devices: int
    directory: str
    lost: str | None
    faults: list[FaultEntry]
    hosts: NotRequired[int | None]
    hosts_changed: NotRequired[int]
    boundary: NotRequired[list[str]]
    boundary_changed: NotRequired[int]


class LabDownDocument(Envelope):
    """``nornir lab down``."""

    stopped: bool
    hosts: int
    boundary: int


class LabDevice(TypedDict):
    """One switch of the lab."""

    name: str
    os: str
    release: str
    model: str
    address: str
    api_port: int
    ssh_port: int
    bgp_configured: int
    bgp_established: int
    connections: int
    requests: int
    namespace: NotRequired[str]
    refused: NotRequired[list[str]]
    left_out: NotRequired[list[str]]


class LabCable(TypedDict):
    """One cable of the lab: its ends, as it is plugged in now."""

    a: list[str]
    b: list[str]
    cut: bool


class LabStatusDocument(Envelope):
    """``nornir lab status``."""

    up: bool
    state: str
    why: NotRequired[str]
    machine: NotRequired[dict[str, Any]]
    pid: NotRequired[int]
    uptime_s: NotRequired[float]
    devices: NotRequired[list[LabDevice]]
    cables: NotRequired[dict[str, LabCable]]
    played: NotRequired[dict[str, dict[str, Any]]]
    hosts: NotRequired[list[MachineStatus]]
    boundary: NotRequired[list[HostStatus]]
    faults: NotRequired[list[FaultEntry]]


class LabExportDocument(Envelope):
    """``nornir lab export``."""

    switches: list[str]
    hosts: list[str]
    cables: list[str]
    left_out: list[LeftOut]
    files: list[str]
    changed: list[str]


class LabFaultDocument(Envelope):
    """``nornir lab`` cut, swap, kill, freeze, revive, mend, loss and delay."""

    changed: bool
    broken: list[FaultEntry]
    mended: list[FaultEntry]
    faults: list[FaultEntry]


class LabProbeDocument(Envelope):
    """``nornir lab probe``."""

    source: list[str]
    target: list[str]
    sent: int
    lost: int
    flows: int
    lost_flows: int
    lost_from_ms: int | None
    lost_to_ms: int | None
    late_ms: float
    late_while_lost_ms: float
    crossed: dict[str, int]
    window_ms: int


# -- about gpufabric itself ----------------------------------------------------------------------------------------


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


@_described
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


@_described
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


DOCUMENTS: Mapping[str, type] = {
    "error": ErrorDocument,
    "design": DesignDocument,
    "design-bom": BillDocument,
    "design-moves": MovesDocument,
    "render": RenderDocument,
    "prove": ProveDocument,
    "plan": PlanDocument,
    "push": PushDocument,
    "validate": ValidateDocument,
    "checks": ChecksDocument,
    "pushes": PushesDocument,
    "trust": TrustDocument,
    "audit-k8s": AuditDocument,
    "day0": Day0Document,
    "day0-serve": Day0ServeDocument,
    "export-topology": TopologyDocument,
    "export-k8s-rdma": ManifestsDocument,
    "lab-up": LabUpDocument,
    "lab-down": LabDownDocument,
    "lab-status": LabStatusDocument,
    "lab-export": LabExportDocument,
    "lab-fault": LabFaultDocument,
    "lab-probe": LabProbeDocument,
    "init": InitDocument,
    "init-update": InitUpdateDocument,
    "init-list": InitListDocument,
    "explain": ExplainDocument,
    "schemas": SchemasDocument,
}
"""Name -> what it holds."""


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one document."""
    made = TypeAdapter(DOCUMENTS[name]).json_schema(mode="serialization")
    made["properties"]["schema"]["const"] = f"gpufabric/{name}"
    made["properties"]["version"]["const"] = version_of(name)
    return {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"gpufabric/{name}", **made}
