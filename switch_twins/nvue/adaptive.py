"""Operational adaptive routing: the configuration, limited by the ASIC, the port and RoCE.

Source: Cumulus Linux docs, Equal-Cost-Multipath-Load-Sharing.md, "Adaptive Routing": Spectrum-4 at 200G and 400G (not
on 800G links), RoCE traffic, layer-3 physical interfaces of the default VRF; the switch and the port are turned on. The
keys are those of the configuration, as ``nv show router adaptive-routing`` prints them beside one another.
"""

from __future__ import annotations

from .dialect import Dialect
from .qos import EffectiveQos
from .tree import Tree, get_or

_ASICS = ("spectrum4",)
_SPEEDS = ("200G", "400G")
_THRESHOLD_PERCENT = 70


def of_switch(running: Tree, asic: str, dialect: Dialect) -> Tree:
    """``router.adaptive-routing`` of ``rev=operational``."""
    configured = get_or(running, {}, "router", "adaptive-routing")
    threshold = configured.get("link-utilization-threshold", dialect.off)
    return {
        dialect.switch: dialect.word(_is_on(running, asic, dialect)),
        "link-utilization-threshold": threshold,
    }


def of_interface(running: Tree, name: str, speed: str, asic: str, dialect: Dialect) -> Tree:
    """``interface.<name>.router.adaptive-routing`` of ``rev=operational``."""
    settings = get_or(running, {}, "interface", name)
    configured = get_or(settings, {}, "router", "adaptive-routing")
    set_speed = get_or(settings, speed, "link", "speed")
    works = (
        _is_on(running, asic, dialect)
        and dialect.is_on(configured, False)
        and set_speed in _SPEEDS
        and dialect.vrf_of(settings) == "default"
    )
    threshold = configured.get("link-utilization-threshold", _THRESHOLD_PERCENT)
    return {dialect.switch: dialect.word(works), "link-utilization-threshold": threshold}


def _is_on(running: Tree, asic: str, dialect: Dialect) -> bool:
    has_roce = EffectiveQos(running, dialect).is_roce
    return asic in _ASICS and has_roce and dialect.is_on(running, False, "router", "adaptive-routing")
