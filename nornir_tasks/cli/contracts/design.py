"""What `nornir design` and `nornir render` print as JSON."""

from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic takes no other one before Python 3.12

from nornir_tasks.cli.contracts.envelope import Envelope
from nornir_tasks.design.realise.configuration import Adjustment


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
