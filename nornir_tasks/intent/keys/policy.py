"""What holds for the whole site unless a fabric or plane says otherwise: traffic classes, congestion, MTUs."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from nornir_tasks.intent.core.fields import Congestion, DscpSet, Name, Unit
from nornir_tasks.intent.core.intent_model import LoadBalancing, MtuBytes, Part


class EcnThresholds(Part):
    """When a queue begins to mark, and when it marks with full probability."""

    min_bytes: Annotated[int, Field(ge=1, le=1 << 30), Unit("bytes")]
    """Length of the queue at which marking begins."""
    max_bytes: Annotated[int, Field(ge=1, le=1 << 30), Unit("bytes")]
    """Length at which it marks with ``probability_percent``. More than ``min_bytes``."""
    probability_percent: Annotated[int, Field(ge=1, le=100), Unit("percent")]
    """Share of packets that is marked at ``max_bytes``; from ``min_bytes`` on it rises to this."""


def _ecn_kind(value: object) -> str:
    return ":thresholds" if isinstance(value, dict | EcnThresholds) else ":auto"


EcnIntent = Annotated[
    Annotated[Literal["auto", "per_switch"], Tag(":auto")] | Annotated[EcnThresholds, Tag(":thresholds")],
    Discriminator(_ecn_kind),
]
"""``auto``: the start value published for the ASIC and the speed of the port, or, on a tier of unlike switches, the one
of these that marks in full first; ``per_switch``: each switch's own; or thresholds of one's own."""


class TrafficClassIntent(Part):
    """One class of packets, told apart by DSCP."""

    dscp: DscpSet
    """Code points of the class, each in one class. The class that holds DSCP 0 is best effort and takes every code
    point that no class names; there is such a class, and it is not lossless."""
    priority: Annotated[int, Field(ge=0, le=7)]
    """Switch priority of the class (traffic class, qos-group), which is what PFC pauses; another one for each class."""
    lossless: bool = False
    """PFC pauses the class before a packet is lost. Refused for a strict class and for best effort."""
    strict: bool = False
    """Goes before all classes that are not strict. Either this or ``weight``."""
    ecn: EcnIntent | None = None
    """Marks packets where queues grow: ``auto`` is the start value published for the ASIC and the port's speed. Leaves
    of one fabric mark alike, as do its spines: where their start values differ, all take the one that marks in full
    first. ``per_switch`` lets each kind of switch have its own, of all classes of the fabric. Without it the class does
    not mark. With ``congestion: pfc_only`` none does, with each of the others at least one."""
    weight: Annotated[int, Field(ge=1, le=100), Unit("percent")] | None = None
    """Percent of what strict classes leave over; all weights sum to 100. Required unless ``strict``."""


class MtuIntent(Part):
    """IP MTUs. ``fabric`` is an upper bound: each link gets what both its ends can hold."""

    host: MtuBytes
    """Of planes: what hosts send. At most that of the fabric."""
    fabric: MtuBytes
    """Of fabrics: upper bound for ports of switches."""


class TelemetryIntent(Part):
    """What switches count besides what they always count."""

    counters: bool = False
    """Queues count the packets that they mark. On EOS that takes a line in each queue that marks, and on Jericho one of
    the switch besides: an ASIC has few such counters, and shares them with others (access lists). Without it
    ``nornir validate`` cannot tell marks from none there. Cumulus Linux and NX-OS count without a line."""


class QueuePairsIntent(Part):
    """How many queue pairs carry what two GPUs send one another: each is a flow of its own to a hash."""

    per_connection: Annotated[int, Field(ge=1, le=128)]
    """Queue pairs of a connection (``NCCL_IB_QPS_PER_CONNECTION``). More of them use more of the equal-cost paths."""
    split: bool = False
    """Each message is divided among them (``NCCL_IB_SPLIT_DATA_ON_QPS``); else messages take turns."""


class ChangesIntent(Part):
    """What a push or rollback must state. ``nornir history`` shows it."""

    message: Literal["required", "optional"] = "optional"
    """Its reason: ``nornir push --message TEXT``."""
    ticket: Literal["required", "optional"] = "optional"
    """Its number in the site's system for changes: ``nornir push --ticket ID``."""


class ApprovalIntent(Part):
    """Who must approve what is pushed. With it ``nornir push`` takes a signed plan alone (docs/howto/approval.md)."""

    signers: Annotated[str, Field(min_length=1, max_length=255)]
    """File of those who may sign, in the form of ``ssh-keygen`` ("ALLOWED SIGNERS"): a name and a public key a line.
    Beside the intent, unless it is an absolute path."""
    at_least: Annotated[int, Field(ge=1, le=16)]
    """How many of them must sign a plan. Each counts once, by name; the one who planned counts as any other."""
    valid_hours: Annotated[int, Field(ge=1, le=720), Unit("hours")] = 24
    """So long after its making a plan may be pushed."""


class PolicyIntent(Part):
    """What holds for every fabric and plane that says nothing else: DSCP, priority, PFC, ECN, weights and MTU."""

    elsewhere: ClassVar[Mapping[str, str]] = {
        "dcqcn": "congestion: dcqcn where it was on, congestion: pfc_only where it was off"
    }

    classes: dict[Name, TrafficClassIntent]
    """What a packet's DSCP means, on switches and hosts alike. One is called ``cnp``, unless ``congestion`` is
    ``pfc_only``. One called ``cts``, strict, is for what NCCL's receivers send to have a sender begin (clear-to-send);
    needed with ``pfc_only`` where GPUs have a lossless class."""
    congestion: Congestion
    """How senders learn to slow down. ``dcqcn``: switches mark, receivers notify; ``pfc_only``: pauses alone;
    ``lossy``: as ``dcqcn``, and no class is lossless: what is dropped all the same, NICs send again; ``spectrum_x``:
    NVIDIA's own algorithm on NICs in place of DCQCN, with ``load_balancing: per_packet``. What each sets where is in
    docs/congestion-*.md."""
    load_balancing: LoadBalancing = "static"
    """How a switch spreads over equal-cost paths. ``static``: by a hash, a flow stays on its path; ``flowlet``: a flow
    may change its path after a gap; ``per_packet``: each packet goes by load, for NICs that put packets back in order.
    Refused where a switch or NIC cannot, with the nearest that works."""
    queue_pairs: QueuePairsIntent | None = None
    """Flows of RDMA between two GPUs. Without it NCCL's own default applies: one. ``nornir design --explain`` shows
    what is asked of the fullest link."""
    incast_ports: Annotated[int, Field(ge=1, le=1024)] | None = None
    """How many ports of a switch are congested at once in the worst case, for ``nornir prove --only ecn-before-pfc``:
    with that many, queues are still marked in full before ports pause. Without it half of its lossless ports, and no
    fewer than 8."""
    lossless_memory_percent: Annotated[int, Field(ge=1, le=99)] | None = None
    """Share of a switch's packet memory that is kept for lossless classes; the others have the rest. Cumulus Linux
    alone has a line for it, whose own figure is 50; NVIDIA's reference architecture has 90. Of other systems
    ``nornir design --explain`` says that it is not set. A change disturbs packets for a moment."""
    mtu: MtuIntent
    """IP MTUs of hosts and of fabrics."""
    telemetry: TelemetryIntent | None = None
    """What is counted only if it is asked for; docs/counters.md has what is read of which system. A change disturbs
    packets for a moment, as any of queues."""
    changes: ChangesIntent | None = None
    """What each push and rollback must state, in the journal. No line on a switch depends on it."""
    unused_ports: Literal["shut", "leave"] = "shut"
    """What happens to ports without a cable: kept shut, or none of our business."""
    wave_share: Annotated[float, Field(gt=0, le=1)] = 0.25
    """Of the leaves that are the only one of some host: the share that one wave of a push may take, at least one."""
    approval: ApprovalIntent | None = None
    """Pushes need a plan that was signed. Without it any operator's push goes. Rollbacks and drains need none."""
