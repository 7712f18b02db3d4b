"""The sites of inventory/ with every switch under one system, and which of their switches differ in more than names.

Where a site's own model does not run a system, one with the same ports that does stands in its place.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from typing import Any

from nornir_tasks.design.config.routing_policy import PrefixList, RouteMap
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

SITES = ("lab-rails", "lab-breakout", "ref-512", "ref-28672", "ref-32768")
SYSTEMS = {"eos": ("eos", "4.33.1F"), "nxos": ("nxos", "10.4(3)")} | {
    f"nvue-{release}": ("nvue", release) for release in ("5.14", "5.16")
}
MODELS_400G = {"eos": "7060DX5-64S", "nxos": "N9K-C9364D-GX2A", "nvue": "SN5400"}
MODELS_800G = {"eos": "7060X6-64PE", "nxos": "REF-128x400G", "nvue": "SN5600"}
"""64 cages each, those of 800G split in two by the sites that use them; no Cisco model of the kind has capabilities
that could be named, so the reference model's 128 whole ports stand for it."""
LONGEST_M = {"nxos": 100}
"""Beyond this no source has headroom of lossless cables."""
NAMES = frozenset({
    "description", "address", "prefix", "router_id", "asn", "remote_as", "networks", "match_prefix_list", "route_map_in"
})  # fmt: skip
"""Fields that say who a switch and its neighbours are."""


@lru_cache(maxsize=2)  # the largest hold 100,000 links
def reference(site: str, system: str | None = None) -> Network:
    """A site of inventory/, as it stands or with all its switches under one system."""
    intent = load_site(site).intent
    if system is not None:
        intent = under(intent, system)
    return design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def under(intent: Intent, system: str) -> Intent:
    """The same site with every tier under this system and release."""
    ((name, fabric),) = intent.fabrics.items()
    tiers: dict[str, Any] = {}
    for tier in ("leaf", "spine", "core"):
        tier_intent = getattr(fabric, tier)
        if tier_intent is not None:
            kind = {**_kind(tier_intent.model, system), "overrides": ()}
            if system in LONGEST_M:
                kind["cable_m"] = min(tier_intent.cable_m or 1, LONGEST_M[system])
            tiers[tier] = tier_intent.model_copy(update=kind)
    return intent.model_copy(update={"fabrics": {name: fabric.model_copy(update=tiers)}})


def _kind(model: str, system: str) -> dict[str, Any]:
    os, release = SYSTEMS[system]
    if not model.startswith("REF-"):
        model = (MODELS_800G if model in MODELS_800G.values() else MODELS_400G)[os]
    whole = {"breakout": None} if model.startswith("REF-") else {}
    return {"platform": os, "release": release, "model": model, **whole}


def one_of_each_shape(network: Network) -> Iterator[Realised]:
    """The first switch of each shape: what is left of a configuration when names, addresses and ASNs are taken out."""
    seen = set()
    for each in device_configs(network):
        found = shape(each.config)
        if found not in seen:
            seen.add(found)
            yield each


def shape(value: Any) -> Any:
    """A configuration with every name, address and ASN replaced by whether there is one (addresses: by its length)."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple:
        return tuple([each if type(each) in PLAIN else shape(each) for each in value])
    if not is_dataclass(kind):
        return value
    found: list[Any] = [kind]
    for name, is_name in _fields(kind):
        inside = getattr(value, name)
        if not is_name:
            found.append(inside if type(inside) in PLAIN else shape(inside))
        else:
            found.append(_length(inside) if name in ("address", "prefix") else bool(inside))
    return tuple(found)


PLAIN = frozenset({str, int, bool, float, type(None)})
"""Most values of a configuration, told first: the largest sites have five million."""


@cache
def _fields(kind: type) -> tuple[tuple[str, bool], ...]:
    """A dataclass's fields, and whether each says who somebody is."""
    has_name = kind in (DeviceConfig, PrefixList, RouteMap)
    return tuple((each.name, each.name in NAMES or (has_name and each.name == "name")) for each in fields(kind))


def _length(prefix: str | None) -> str | None:
    return prefix and prefix.partition("/")[2]
