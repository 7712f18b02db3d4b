"""A small fabric of EOS leaves and NVUE spines, with cables as long as wanted between them, and memory for lossless
classes as asked for."""

from functools import cache
from pathlib import Path
from typing import Any

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

SITE = Path(__file__).parents[2] / "sites" / "clos" / "fabric.yml"
DEVICES = {"eos": "leaf-g1", "nvue": "spine-1"}
LONG_M = 300


@cache
def intent(
    spine_m: int | None = LONG_M, leaf_m: int | None = 50, leaf: tuple[tuple[str, Any], ...] = (), **spine: Any
) -> Intent:
    """The site with these lengths; ``leaf``, ``spine``: other values of its switches."""
    loaded = load_intent(SITE)
    fabric = loaded.fabrics["compute"]
    tiers = {
        "spine": fabric.spine.model_copy(update={"cable_m": spine_m, **spine}),
        "leaf": fabric.leaf.model_copy(update={"cable_m": leaf_m, **dict(leaf)}),
    }
    policy = loaded.policy.model_copy(update={"lossless_memory_percent": 90})
    return loaded.model_copy(update={"fabrics": {"compute": fabric.model_copy(update=tiers)}, "policy": policy})


@cache
def network(
    spine_m: int | None = LONG_M, leaf_m: int | None = 50, leaf: tuple[tuple[str, Any], ...] = (), **spine: Any
) -> Network:
    """The same, designed."""
    facts = {name: each.facts for name, each in platforms().items()}
    return design(intent(spine_m, leaf_m, leaf, **spine), load_catalogue(), facts)


@cache
def realised(device: str, spine_m: int | None = LONG_M, leaf_m: int | None = 50, **spine: Any) -> Realised:
    """One of its switches."""
    found = network(spine_m, leaf_m, **spine)
    return device_config(found, found.device(device))
