"""The routes that each switch learns while some switches are drained: over as few of these as there can be.

A drained switch makes the paths through it longer than any detour, so the shortest ones are those through the fewest
drained switches. What it announces itself, and what it learns, has no other way.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations

from nornir_tasks.design.addresses.routes import LearnedPaths, SharedPath, learned_paths
from nornir_tasks.design.model.network import Network

MOST_TRIED = 6
"""Drained switches of which every choice is tried; of more a path crosses none, or as many as it does by design."""


@dataclass(frozen=True, slots=True)
class DrainedPaths:
    """Like ``LearnedPaths``, with the paths that the drained switches leave."""

    network: Network
    drained: frozenset[str]
    vrf: str | None
    _without: dict[frozenset[str], LearnedPaths] = field(default_factory=dict)

    def of(self, device: str) -> Iterator[tuple[str, int]]:
        """(announcing switch, next hops) of everything that ``device`` learns."""
        round_all = dict(self._avoiding(self._crossed({device})).of(device))
        for owner, width in self._avoiding(()).of(device):
            if owner in round_all and owner not in self.drained:
                yield owner, round_all[owner]
            else:
                found = self.to_any(device, (owner,))
                yield owner, width if found is None else found.width

    def to_any(self, device: str, owners: Collection[str]) -> SharedPath | None:
        """The path to a prefix that each of ``owners`` announces: to those that are not drained, if there is one."""
        if device in owners:
            return None
        left = [owner for owner in owners if owner not in self.drained] or [*owners]
        crossed = self._crossed({device, *left})
        for many in range(len(crossed), -1, -1) if len(crossed) <= MOST_TRIED else (len(crossed), 0):
            tries = (self._avoiding(each).to_any(device, left) for each in combinations(crossed, many))
            if found := [path for path in tries if path is not None]:
                return self._joined(device, found)
        return None

    def _crossed(self, ends: Collection[str]) -> tuple[str, ...]:
        """The drained switches that a path may cross: no leaf hands on what it learns."""
        return tuple(sorted(each for each in self.drained.difference(ends) if self.network.device(each).level > 0))

    def _joined(self, device: str, found: list[SharedPath]) -> SharedPath:
        """The nearest of these, all together."""
        distance = min(each.distance for each in found)
        nearest = [each for each in found if each.distance == distance]
        hops = tuple(dict.fromkeys(hop for each in nearest for hop in each.neighbours))
        links = self._avoiding(()).links[device]
        return SharedPath(nearest[0].members, sum(links[hop] for hop in hops), hops, distance)

    def _avoiding(self, switches: Collection[str]) -> LearnedPaths:
        key = frozenset(switches)
        if key not in self._without:
            links = {link.name for name in key for link in self.network.links_of(name)}
            self._without[key] = learned_paths(self.network, links, self.vrf)
        return self._without[key]


def paths_with(network: Network, drained: Collection[str], vrf: str | None = None) -> LearnedPaths | DrainedPaths:
    """The paths in one VRF while these switches are drained."""
    return DrainedPaths(network, frozenset(drained), vrf) if drained else learned_paths(network, vrf=vrf)
