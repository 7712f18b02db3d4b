"""The number of all objects, counted in the network; no formulas."""

from collections import Counter
from typing import Any

from nornir_tasks.design.model.network import Fabric, Network
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.design.reports.transceivers import optics


def design_counts(network: Network) -> dict[str, Any]:
    """Switches, links, cables and optics per fabric, per plane and in all, as ``nornir design --json`` prints them.

    For a plane: the switches and links of its fabric, shared or not, and its own links to hosts.
    """
    fabrics = {name: _of_fabric(network, fabric) for name, fabric in network.fabrics.items()}
    return {
        "fabrics": fabrics,
        "planes": {name: _of_plane(network, plane, fabrics[plane.fabric]) for name, plane in network.planes.items()},
        "totals": {
            "switches": len(network.devices),
            "links": len(network.links),
            "cables": len(network.cables),
            "optics": optics(network),
        },
    }


def _of_fabric(network: Network, fabric: Fabric) -> dict[str, Any]:
    levels = Counter(device.level for device in network.devices if device.fabric == fabric.name)
    kinds = Counter(link.kind for link in network.links if link.fabric == fabric.name)
    return {
        "design": fabric.kind,
        "planes": [plane.name for plane in network.planes_on(fabric.name)],
        "tiers": {role: {"switches": levels[level]} for level, role in enumerate(fabric.roles)},
        "oversubscription": fabric.oversubscription,
        **({"copies": fabric.copies} if fabric.copies > 1 else {}),
        "host_links": kinds["host"],
        "fabric_links": kinds["fabric"],
        **({"peer_links": kinds["peer"]} if kinds["peer"] else {}),
    }


def _of_plane(network: Network, plane: Plane, fabric: dict[str, Any]) -> dict[str, Any]:
    parts = network.fabrics[plane.fabric].parts_of(plane.name)
    own = {each.link.name for each in network.circuits if each.owner == plane.name}
    shared: dict[str, Any] = {
        key: fabric[key] for key in ("tiers", "oversubscription", "fabric_links", "peer_links") if key in fabric
    }
    ratio = max((each.oversubscription for each in parts), default=fabric["oversubscription"])
    return {"fabric": plane.fabric, **shared, "oversubscription": ratio, "host_links": len(own)}
