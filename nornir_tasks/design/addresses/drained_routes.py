"""The routes that each switch learns while some switches are drained: over the others, as long as there is one.

A drained switch makes the paths through it longer, so they are used where no other one is left. What it announces
itself, and what it learns, has no other way.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from nornir_tasks.design.addresses.routes import LearnedPaths, SharedPath, learned_paths
from nornir_tasks.design.model.network import Network


@dataclass(frozen=True, slots=True)
class DrainedPaths:
    """Like ``LearnedPaths``, with the paths that the drained switches leave."""

    network: Network
    drained: frozenset[str]
    vrf: str | None
    _without: dict[frozenset[str], LearnedPaths] = field(default_factory=dict)

    def of(self, device: str) -> Iterator[tuple[str, int]]:
        """(announcing switch, next hops) of everything that ``device`` learns."""
        for owner, width in self._avoiding(frozenset()).of(device):
            found = self._path(device, owner)
            yield owner, width if found is None else found.width

    def to_any(self, device: str, owners: Collection[str]) -> SharedPath | None:
        """The path to a prefix that each of ``owners`` announces: to those that are not drained, if there is one."""
        if device in owners:
            return None
        left = [owner for owner in owners if owner not in self.drained] or [*owners]
        found = self._avoiding(self.drained - {device, *left}).to_any(device, left)
        return found or self._avoiding(frozenset()).to_any(device, owners)

    def _path(self, device: str, owner: str) -> SharedPath | None:
        return self._avoiding(self.drained - {device, owner}).to(device, owner)

    def _avoiding(self, switches: frozenset[str]) -> LearnedPaths:
        if switches not in self._without:
            links = {link.name for name in switches for link in self.network.links_of(name)}
            self._without[switches] = learned_paths(self.network, links, self.vrf)
        return self._without[switches]


def paths_with(network: Network, drained: Collection[str], vrf: str | None = None) -> LearnedPaths | DrainedPaths:
    """The paths in one VRF while these switches are drained."""
    return DrainedPaths(network, frozenset(drained), vrf) if drained else learned_paths(network, vrf=vrf)
