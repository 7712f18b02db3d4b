"""What the verbs of the lab print as JSON."""

from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope
from nornir_tasks.lab.boundary_hosts.manager import HostStatus
from nornir_tasks.lab.export.parts import LeftOut
from nornir_tasks.lab.machines.manager import MachineStatus


class FaultEntry(TypedDict):
    """One thing that is broken on purpose."""

    fault: str
    names: list[str]
    ends: NotRequired[list[list[str]]]
    percent: NotRequired[float]
    delay_ms: NotRequired[float]
    what: NotRequired[str]
    amount: NotRequired[float]


class Traffic(TypedDict):
    """What is played. ``lost_flows`` arrive nowhere; ``behind_s``: what the lab has still to play of the time."""

    pattern: str
    share: float
    target: str
    dscp: int
    flows: int
    lost_flows: int
    waiting_bytes: int
    behind_s: float


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
    traffic: NotRequired[Traffic | None]
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
    """``nornir lab`` cut, swap, kill, freeze, revive, mend, loss, delay and impair."""

    changed: bool
    broken: list[FaultEntry]
    mended: list[FaultEntry]
    faults: list[FaultEntry]


class LabPlayDocument(Envelope):
    """``nornir lab play``."""

    changed: bool
    traffic: Traffic | None


class LabHostCountersDocument(Envelope):
    """``nornir lab host-counters``."""

    folder: str
    hosts: list[str]


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
