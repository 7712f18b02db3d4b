"""How many of everything there are, by counting the network; no formula stands here."""

from collections import Counter
from typing import Any

from nornir_tasks.design.network import Network


def design_counts(network: Network) -> dict[str, Any]:
    """Switches, links, cables and optics per plane and in all, as ``nornir design --json`` prints them."""
    planes = {}
    for name, plane in network.planes.items():
        fabric = network.fabrics[plane.fabric]
        levels = Counter(device.level for device in network.devices if device.fabric == plane.fabric)
        kinds = Counter(link.kind for link in network.links if link.fabric == plane.fabric)
        planes[name] = {
            "tiers": {role: {"switches": levels[level]} for level, role in enumerate(fabric.roles)},
            "oversubscription": fabric.oversubscription,
            "host_links": kinds["host"],
            "fabric_links": kinds["fabric"],
        }
    return {
        "planes": planes,
        "totals": {
            "switches": len(network.devices),
            "links": len(network.links),
            "cables": len(network.cables),
            "optics": sum(cable.optics for cable in network.cables),
        },
    }
