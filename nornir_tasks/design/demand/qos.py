"""From the classes of the intent to the complete map of the 64 code points, on links of a fabric and on its ports."""

from collections.abc import Mapping, Sequence
from typing import Literal

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, ClassPolicy
from nornir_tasks.intent.keys.policy import EcnThresholds, TrafficClassIntent
from nornir_tasks.intent.rules.traffic_class import shared_classes
from nornir_tasks.intent.settings import Terms

CODE_POINTS = range(64)
ROUTING_DSCP = 48
"""CS6, network control: what switches mark their own BGP and BFD packets with (RFC 4594, 3.1)."""


def classes(intents: Mapping[str, TrafficClassIntent]) -> tuple[ClassPolicy, ...]:
    """All classes, by priority. The class with DSCP 0 takes every code point that no class names."""
    named = {point for each in intents.values() for point in each.dscp}
    rest = tuple(point for point in CODE_POINTS if point not in named)
    policies = [
        ClassPolicy(
            name=name,
            dscp=tuple(sorted(each.dscp + rest)) if 0 in each.dscp else each.dscp,
            priority=each.priority,
            lossless=each.lossless,
            strict=each.strict,
            weight_percent=each.weight,
            ecn=_ecn(each),
        )
        for name, each in intents.items()
    ]
    return tuple(sorted(policies, key=lambda policy: policy.priority))


def on_links(on_fabric: Sequence[Terms]) -> tuple[ClassPolicy, ...]:
    """The classes of a fabric's switches, as links between them treat packets of these planes."""
    return classes(shared_classes(on_fabric)[0])


def on_ports(terms: Terms, links: tuple[ClassPolicy, ...]) -> tuple[str, tuple[ClassPolicy, ...] | None]:
    """The profile of a plane's ports, and its treatment of the classes; None: as on links between switches."""
    own = classes(terms.classes)
    if own == links:
        return FABRIC_PROFILE, None
    kind = "lossless" if any(each.lossless for each in own) else "lossy"
    return f"{terms.plane_name}-{kind}", own


def beside_routing(intents: Mapping[str, TrafficClassIntent]) -> tuple[str, ...]:
    """The strict classes whose queue the switches' own BGP and BFD packets share, unless the class is theirs alone.

    Congestion notifications usually are such a class: they and routing then wait for one another.
    """
    return tuple(name for name, each in intents.items() if each.strict and ROUTING_DSCP in each.dscp)


def _ecn(each: TrafficClassIntent) -> Ecn | Literal["auto"] | None:
    if isinstance(each.ecn, EcnThresholds):
        return Ecn(each.ecn.min_bytes, each.ecn.max_bytes, each.ecn.probability_percent)
    return "auto" if each.ecn == "per_switch" else each.ecn  # which one that is, capabilities say
