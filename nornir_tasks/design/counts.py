"""How many of everything there are, by counting the fabric; no formula stands here."""

from collections import Counter
from typing import Any

from nornir_tasks.design.fabric import TIERS, Fabric


def design_counts(fabric: Fabric) -> dict[str, Any]:
    """Switches, links, cables and optics per plane and in all, as ``nornir design --json`` prints them."""
    planes = {}
    for name, plane in fabric.planes.items():
        tiers = Counter(device.tier for device in fabric.devices if device.plane == name)
        kinds = Counter(link.kind for link in fabric.links if link.fabric == name)
        planes[name] = {
            "tiers": {tier: {"switches": tiers[tier]} for tier in TIERS},
            "oversubscription": plane.oversubscription,
            "host_links": kinds["host"],
            "fabric_links": kinds["fabric"],
        }
    return {
        "planes": planes,
        "totals": {
            "switches": len(fabric.devices),
            "links": len(fabric.links),
            "cables": len(fabric.cables),
            "optics": sum(cable.optics for cable in fabric.cables),
        },
    }
