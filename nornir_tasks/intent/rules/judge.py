"""All rules of the intent: each part by those of its kind, and everything below it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.core.unknown import independent
from nornir_tasks.intent.keys.bonded_plane import (
    BondIntent,
    DefaultRouteIntent,
    ServiceIntent,
    StormControlIntent,
    VlanIntent,
)
from nornir_tasks.intent.keys.boundary import BoundaryServiceIntent, HealthIntent
from nornir_tasks.intent.keys.boundary_relay import RelayProxyIntent, RelaysIntent
from nornir_tasks.intent.keys.fabric import FabricIntent, LeafOverride, SpineOverride
from nornir_tasks.intent.keys.host import HostGroupIntent, NicsIntent
from nornir_tasks.intent.keys.oob_devices import AttachedIntent
from nornir_tasks.intent.keys.plane import PlaneIntent
from nornir_tasks.intent.keys.policy import EcnThresholds, MtuIntent, PolicyIntent, TrafficClassIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules import (
    bond,
    boundary,
    fabric,
    flow,
    host,
    oob_devices,
    policy,
    rail_planes,
    site,
    vlan,
)

RULES: Mapping[type[Part], Callable[[Any], Iterator[Finding]]] = {
    AttachedIntent: oob_devices.group,
    HealthIntent: boundary.health,
    BoundaryServiceIntent: boundary.service,
    RelayProxyIntent: boundary.proxy,
    RelaysIntent: boundary.relays,
    LeafOverride: fabric.leaf_override,
    SpineOverride: fabric.spine_override,
    FabricIntent: fabric.fabric,
    StormControlIntent: vlan.storm_control,
    VlanIntent: vlan.vlan,
    DefaultRouteIntent: vlan.default_route,
    ServiceIntent: flow.service,
    BondIntent: bond.bond,
    NicsIntent: rail_planes.nics,
    HostGroupIntent: host.group,
    PlaneIntent: site.plane,
    EcnThresholds: policy.ecn_thresholds,
    TrafficClassIntent: policy.traffic_class,
    MtuIntent: policy.mtu,
    PolicyIntent: policy.policy,
    Intent: site.site,
}
"""Part -> its rules over several keys; what a part says by itself is its own ``findings``."""


def findings(part: BaseModel, path: Path = ()) -> Iterator[Finding]:
    """What the rules of this part and of all parts below it find, each with its path from here."""
    for name in type(part).model_fields:
        yield from _below(getattr(part, name), (*path, name))
    if isinstance(part, Part):
        rules = RULES.get(type(part))
        for finding in independent(part.findings(), rules(part) if rules else iter(())):
            yield replace(finding, path=(*path, *finding.path))


def _below(value: object, path: Path) -> Iterator[Finding]:
    if isinstance(value, BaseModel):
        yield from findings(value, path)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _below(each, (*path, key))
    elif isinstance(value, tuple):
        for place, each in enumerate(value):
            yield from _below(each, (*path, place))
