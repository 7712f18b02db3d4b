"""Rules of the policy that concern several fields, each a generator of findings, so that all are told at once."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.policy import EcnThresholds, MtuIntent, PolicyIntent, TrafficClassIntent

MAX_HOST_MTU_HINT = "packets of the hosts must fit through every switch"


def ecn_thresholds(ecn: EcnThresholds) -> Iterator[Finding]:
    """Marking begins before it is at its full."""
    if ecn.min_bytes >= ecn.max_bytes:
        yield Finding(
            ("max_bytes",),
            "ECN's upper threshold is not above its lower one",
            f"more than min_bytes ({ecn.min_bytes})",
            str(ecn.max_bytes),
        )


def traffic_class(each: TrafficClassIntent) -> Iterator[Finding]:
    """A class is either strict or has a weight; what is paused must not starve others."""
    return independent(_share(each), _paused(each), _best_effort(each))


def _share(each: TrafficClassIntent) -> Iterator[Finding]:
    if each.strict and each.weight is not None:
        yield Finding(
            ("weight",), "a strict class has no weight", "strict: true, or weight, not both", str(each.weight)
        )
    if not each.strict and each.weight is None:
        yield Finding((), "a class without a share", "weight (percent), or strict: true")


def _paused(each: TrafficClassIntent) -> Iterator[Finding]:
    if each.strict and each.lossless:
        yield Finding(
            ("lossless",),
            "a strict class cannot be lossless",
            "lossless only for a class with a weight",
            hint="a paused strict queue would hold up everything below it",
        )


def _best_effort(each: TrafficClassIntent) -> Iterator[Finding]:
    if each.lossless and 0 in each.dscp:
        yield Finding(
            ("lossless",),
            "the best-effort class (DSCP 0) cannot be lossless",
            "a class of its own for what must not be lost",
            hint="every unmarked packet could pause the fabric",
        )


def mtu(each: MtuIntent) -> Iterator[Finding]:
    """What a host sends fits through the fabric."""
    if each.host > each.fabric:
        yield Finding(
            ("host",),
            "hosts would send larger packets than the fabric carries",
            f"at most fabric ({each.fabric})",
            str(each.host),
            MAX_HOST_MTU_HINT,
        )


def policy(each: PolicyIntent) -> Iterator[Finding]:
    """The classes together: nothing twice, nothing missing."""
    return independent(classes(each), congestion(each))


Classes = Mapping[str, "TrafficClassIntent"]


class WithClasses(Protocol):
    """A policy, or a plane with classes of its own."""

    @property
    def classes(self) -> Classes: ...


class WithCongestion(WithClasses, Protocol):
    """The same with what is done against congestion."""

    @property
    def congestion(self) -> str: ...


def classes(each: WithClasses) -> Iterator[Finding]:
    """Each priority and code point in one class, and shares that sum up."""
    return independent(_priorities(each), _code_points(each), _weights(each))


def _priorities(each: WithClasses) -> Iterator[Finding]:
    seen: dict[int, str] = {}
    for name, traffic in each.classes.items():
        if traffic.priority in seen:
            yield Finding(
                ("classes", name, "priority"),
                f"priority {traffic.priority} is used twice",
                "one priority for each class",
                f"also in class {seen[traffic.priority]}",
            )
        seen.setdefault(traffic.priority, name)


def _code_points(each: WithClasses) -> Iterator[Finding]:
    seen: dict[int, str] = {}
    for name, traffic in each.classes.items():
        for point in traffic.dscp:
            if point in seen:
                yield Finding(
                    ("classes", name, "dscp"),
                    f"DSCP {point} is used twice",
                    "each code point in one class",
                    f"also in class {seen[point]}",
                )
            seen.setdefault(point, name)
    if 0 not in seen:
        yield Finding(
            ("classes",),
            "no class holds DSCP 0",
            "one class with dscp 0: best effort, which takes every code point no class names",
        )


def _weights(each: WithClasses) -> Iterator[Finding]:
    shared = {name: traffic for name, traffic in each.classes.items() if not traffic.strict}
    weights = {name: traffic.weight for name, traffic in shared.items() if traffic.weight is not None}
    total = sum(weights.values())
    if weights and total != 100:
        yield Finding(
            ("classes",),
            "the weights do not sum to 100",
            "100, over all classes that are not strict",
            f"{' + '.join(f'{name} {weight}' for name, weight in weights.items())} = {total}",
        )


def congestion(each: WithCongestion) -> Iterator[Finding]:
    """Each profile is whole or not at all. But for ``pfc_only``: switches mark, and hosts have a class to say so in."""
    yield from _clear_to_send(each)
    if each.congestion == "spectrum_x":
        yield from _needs_lossless(each)
    marking = [name for name, traffic in each.classes.items() if traffic.ecn is not None]
    for name, traffic in each.classes.items() if each.congestion == "lossy" else ():
        if traffic.lossless:
            what, expected = "this class is lossless, but congestion is lossy", "no lossless with congestion: lossy"
            hint = "set congestion: dcqcn if PFC is to pause it"
            yield Finding(("classes", name, "lossless"), what, expected, hint=hint)
    if each.congestion == "pfc_only":
        for name in marking:
            yield Finding(
                ("classes", name, "ecn"),
                "this class marks, but congestion is pfc_only",
                "no ecn with congestion: pfc_only",
                hint="half of DCQCN is worse than none: remove ecn, or set congestion: dcqcn",
            )
    elif not marking:
        yield Finding(
            ("congestion",),
            f"{_name(each)}, but no class marks",
            "ecn: auto in the class that carries RDMA",
            hint="without marks the senders never slow down; set congestion: pfc_only if only PFC is intended",
        )
    elif "cnp" not in each.classes:
        yield Finding(
            ("classes",),
            f"{_name(each)}, but there is no class cnp",
            "a class named cnp for congestion notifications",
            hint="the hosts send them with this class's DSCP, as cnp: {dscp: 48, priority: 6, strict: true}",
        )


def _name(each: WithCongestion) -> str:
    return "Spectrum-X" if each.congestion == "spectrum_x" else "DCQCN"


def _needs_lossless(each: WithCongestion) -> Iterator[Finding]:
    """NVIDIA's published profiles of NICs all pause one priority."""
    if not any(traffic.lossless for traffic in each.classes.values()):
        hint = "NVIDIA's profiles of NICs pause one priority; without one it is congestion: lossy"
        yield Finding(("congestion",), "Spectrum-X, but no class is lossless", "lossless: true in one class", hint=hint)


def _clear_to_send(each: WithCongestion) -> Iterator[Finding]:
    """By it receivers pace their senders."""
    cts = each.classes.get("cts")
    if cts is not None and not cts.strict:
        what = "clear-to-send would wait behind the data that it asks for"
        yield Finding(("classes", "cts"), what, "strict: true for the class named cts")
