"""What the verbs that talk to switches print as JSON."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope, Verdict, described
from nornir_tasks.files.plan_document import PlanBody
from nornir_tasks.usecases.pushes import State


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


@described
class Drained(TypedDict):
    """A drain, as the switch itself has it."""

    person: str
    """Empty: it was made by hand, without a name."""
    until: str | None
    reason: str


class _Plan(Envelope):
    changing: int
    need_reload: list[str]
    begin_to_spray: list[str]
    unsaved: list[str]
    drained: dict[str, Drained]
    cannot_be_compared: dict[str, list[str]]
    ways: dict[str, ManagementWay]
    blocked: dict[str, str]
    devices: dict[str, PlannedDevice]


class PlanDocument(_Plan):
    """``nornir plan``."""

    unconfirmed: dict[str, Unconfirmed]


@described
class PlanFileDocument(Envelope, PlanBody):
    """What ``nornir plan --out FILE`` writes. What is packed is base64 of zlib of UTF-8."""


@described
class ApproveDocument(PlanDocument):
    """``nornir approve``: the plan, and who has signed it."""

    plan: str
    """Its hash."""
    made: str
    expires: str
    waves: list[list[str]]
    at_least: int
    """How many must sign; 0: the site asks for no approval."""
    signed_by: list[str]
    missing: int
    """How many more must sign."""


class WayBack(TypedDict):
    """What became of a push that was to be all or nothing, and failed on some switch."""

    rollbacks: list[int]
    switches: list[str]
    left: dict[str, list[str]]


@described
class PushDocument(_Plan):
    """``nornir push`` and ``nornir rollback``: the plan before it, and what came of it."""

    unconfirmed: list[str]
    number: int | None
    """The journal's; null: there was nothing to do."""
    already_rolled_back_by: int | None
    """Of a rollback: the one that had undone all of it before."""
    changed: list[str]
    """Confirmed: this stays, even if a later step failed."""
    saved: list[str]
    not_saved: list[str]
    """Changed, and perhaps not saved."""
    leftovers: list[str]
    """Switches with a file that the next push removes."""
    not_started: list[str]
    """An earlier wave failed."""
    total: int
    failed: dict[str, list[str]]
    way_on: str | None
    """The command that does the rest; null: all was done."""
    way_back: str | None
    """The command that undoes what was done; null: all was done, or nothing."""
    taken_back: NotRequired[WayBack]
    """It was to be all or nothing."""


class ValidateFinding(TypedDict):
    """The result for one thing."""

    id: str
    check: str
    device: str
    port: str
    verdict: Verdict
    message: str
    expected: str
    found: str
    cause: str
    remedy: str
    played: NotRequired[bool]


@described
class CounterCoverage(TypedDict):
    """How many counters the devices of one system show."""

    system: str
    """The operating system; hosts."""
    devices: int
    read: list[str]
    """Counters that all of them showed."""
    of: int
    not_read: dict[str, str]
    """Counter -> why it was not read."""


@described
class Soak(TypedDict):
    """What --soak counted."""

    seconds: float
    """The shortest time between both readings of a device."""
    coverage: list[CounterCoverage]


@described
class CounterRow(TypedDict):
    """One counter at one place."""

    device: str
    port: str
    index: int | None
    """Priority, queue or lane; null: the port as a whole."""
    counter: str
    grown: float
    """Between both readings; of light and heat the value now."""
    per_s: float | None
    total: float
    lossless: bool | None
    """Is this priority or queue one that is paused? null: of no class."""
    far: str
    cable: str


@described
class CounterDoubt(TypedDict):
    """What could not be compared or read."""

    device: str
    what: str


@described
class CountersDocument(Envelope):
    """``nornir counters``."""

    seconds: float
    rows: list[CounterRow]
    """What hurts most first."""
    hidden: int
    """Rows beyond --top."""
    coverage: list[CounterCoverage]
    doubts: list[CounterDoubt]


@described
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
    soak: NotRequired[Soak]
    """With --soak: its findings are among the others."""
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
    verb: Literal["push", "rollback", "drain", "undrain"]
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


@described
class RecordEntry(PushEntry):
    """One push or rollback, with what was stated of it. null: an earlier version did not note it, or none was given."""

    person: str | None
    known_by: str | None
    """How the person is known: account, sudo, a variable of CI."""
    host: str | None
    """Where its journal is, and where it can be undone."""
    tool_version: str | None
    message: str | None
    ticket: str | None
    plan: str | None
    """SHA-256 of the plan file that it carried out; null: it was made without."""
    approved_by: list[str]
    """Who had signed that."""
    seconds: int | None
    switch_seconds: dict[str, int]
    added: NotRequired[dict[str, int]]
    """With a number: switch -> lines that it took."""
    removed: NotRequired[dict[str, int]]
    diff: NotRequired[dict[str, list[str]]]
    """With --diff: switch -> its lines."""


class HistoryDocument(Envelope):
    """``nornir history``."""

    records: list[RecordEntry]


class DrainTraffic(TypedDict):
    """What still crosses a drained switch."""

    gone: bool
    seconds: float
    ports: int
    """Ports with a cable that were counted."""
    busy_bytes_per_s: dict[str, float]
    could_not_tell: str
    """Why; empty: it can be told."""


@described
class DrainDocument(Envelope):
    """``nornir drain`` and ``nornir undrain``."""

    device: str
    changed: bool
    before: Drained | None
    """null: it was not drained."""
    drain: Drained | None
    """null: it is not drained now."""
    consequence: list[str]
    out: dict[str, str]
    """Switches beside it that carry nothing: why."""
    traffic: DrainTraffic | None
    """null: of undrain."""


class ReportDocument(Envelope):
    """``nornir report``: where its page is."""

    file: str
    bytes: int


class TrustDocument(Envelope):
    """``nornir trust``."""

    device: str
    fingerprint: str
    serial: str
    changed: bool
