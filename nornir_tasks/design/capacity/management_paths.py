"""How the tool reaches the management port of each switch: over which switches of the out-of-band plane, by its cables.

The tool works from a device that is attached to an access switch. From there a packet goes up to any router that joins
both access switches, and down to the one that the management port is cabled to. In-band ways are not assumed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks, Path


@dataclass(frozen=True, slots=True)
class ManagementPath:
    """The way from the tool to one switch."""

    device: str
    steps: tuple[tuple[str, ...], ...]
    """Switches on the way, in order; of several at one step any will do."""

    @property
    def single_points(self) -> tuple[str, ...]:
        """Switches without which there is no way."""
        return tuple(only for each in self.steps if len(each) == 1 for only in each)

    @property
    def is_over_itself(self) -> bool:
        """Does each way lead over the very switch that it leads to?"""
        return self.device in self.single_points


def management_paths(network: Network) -> Mapping[str, ManagementPath]:
    """Switch -> the way to it; empty where the site describes no out-of-band plane."""
    start = next((each.leaf for each in network.attached if each.host == network.tool), None)
    return {} if start is None else paths_from(network, start)


def paths_from(network: Network, start: str) -> Mapping[str, ManagementPath]:
    """Switch -> the way to it from what is attached to this access switch."""
    ports = {each.host: each.leaf for each in network.attached}
    above = _routers(network, frozenset(ports.values()))
    found = {}
    for name, leaf in ports.items():
        if name in network:
            between = tuple(each for each in above.get(start, ()) if each in above.get(leaf, ()))
            found[name] = ManagementPath(name, ((start,),) if leaf == start else ((start,), between, (leaf,)))
    return found


def _routers(network: Network, leaves: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Access switch -> the routers above it."""
    links = (each for each in network.links if each.kind == "fabric" and each.lower.device in leaves)
    found: dict[str, dict[str, None]] = {}
    for link in links:
        found.setdefault(link.lower.device, {})[link.upper.device] = None
    return {leaf: tuple(above) for leaf, above in found.items()}


def distances(network: Network) -> Mapping[str, int]:
    """Switch of the out-of-band plane -> links between switches from the tool's own access switch to it."""
    start = next((each.leaf for each in network.attached if each.host == network.tool), None)
    if start is None:
        return {}
    near: dict[str, set[str]] = {}
    fabric = network.device(start).fabric
    for link in (each for each in network.links if each.kind == "fabric" and each.fabric == fabric):
        near.setdefault(link.upper.device, set()).add(link.lower.device)
        near.setdefault(link.lower.device, set()).add(link.upper.device)
    found, edge = {start: 0}, [start]
    for each in edge:  # grows as it goes
        for far in sorted(near.get(each, set()) - found.keys()):
            found[far] = found[each] + 1
            edge.append(far)
    return found


def check(network: Network, marks: Marks) -> None:
    """Raise DesignError for switches that are reached through themselves, but the tool's own access switch.

    Changed badly, such a switch could not be reached to change it back.
    """
    own = next((each.leaf for each in network.attached if each.host == network.tool), None)
    findings = [
        Finding(
            _place(network, path.device),
            f"the way to the management port of {path.device} is over {path.device} itself",
            "a second router (spine.count: 2), so that each is reached by way of the other",
            in_words(path),
        )
        for path in management_paths(network).values()
        if path.is_over_itself and path.device != own
    ]
    if findings:
        raise DesignError(marks.problems(dict.fromkeys(findings)))


def _place(network: Network, device: str) -> Path:
    return ("fabrics", network.device(device).fabric, "spine")


def in_words(path: ManagementPath) -> str:
    """``oob-leaf-g1 > oob-spine-1 or oob-spine-2 > oob-leaf-g2``."""
    return " > ".join(" or ".join(each) for each in path.steps)
