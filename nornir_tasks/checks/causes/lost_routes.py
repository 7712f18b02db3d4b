"""Why a route is missing or has too few next hops: worked out from the links whose session is down.

What each switch would learn without those links is computed as the design computes it (``design/addresses/routes.py``).
A switch that learns exactly that is explained; the cause is found by following the designed path to the first link that
is lost. What differs even so may be kept back by a switch on the path whose policy differs; else it has no explanation.
"""

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.causes.differences import Breaks
from nornir_tasks.checks.evidence import Finding
from nornir_tasks.checks.switches.ecmp import announced, path_limit, shared_prefixes, vrfs
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.design.addresses.routes import learned_paths
from nornir_tasks.design.config.vrfs import key_name, vrf_of
from nornir_tasks.design.contribute.mlag_config import peer_ends
from nornir_tasks.design.realise.tagging import port_of


def explain_routes(board: Board) -> None:
    """Sort what failed of the routes by cause. What is learned nowhere is one cause for each that announces it."""
    failing = board.open("ecmp")
    for vrf in vrfs(board.evidence):
        found = [finding for finding in failing if vrf_of(finding.subject) == vrf]
        if not found:
            continue
        routes = _Routes(board, vrf)
        for finding in found:
            key = routes.cause(finding)
            if key is not None:
                board.follow(finding, key)
        _learned_nowhere(board, routes)


def _learned_nowhere(board: Board, routes: "_Routes") -> None:
    """Prefixes that no switch learns: what announces them is at fault, not those that miss them."""
    missing: dict[str, list[Finding]] = {}
    for finding in board.open("ecmp"):
        if finding.found == "0" and finding.subject in routes.owners:
            missing.setdefault(finding.subject, []).append(finding)
    for prefix, found in missing.items():
        owners = routes.owners[prefix]
        if len(found) != routes.learners(owners) or len(found) < 2:
            continue
        key = ("nowhere", owners, routes.vrf)
        for finding in found:
            if board.has(key):
                board.follow(finding, key)
            else:
                board.lead(finding, f"look at why {_none_of(owners)} it", key)


def _none_of(owners: tuple[str, ...]) -> str:
    return f"{owners[0]} does not announce" if len(owners) == 1 else f"none of {', '.join(owners)} announces"


class _Routes:
    """The routes of one VRF: those of the design beside those that are left."""

    def __init__(self, board: Board, vrf: str | None) -> None:
        self._board, self._evidence, self._routes, self.vrf = board, board.evidence, board.routes, vrf
        networks = announced(board.evidence, vrf)
        owners = {prefix: (name,) for name, each in networks.items() for prefix in each}
        self._own = {name: {key_name((vrf, each)) for each in found} for name, found in networks.items()}
        self.owners: dict[str, tuple[str, ...]] = {
            key_name((vrf, prefix)): names for prefix, names in {**owners, **shared_prefixes(networks)}.items()
        }
        self._lost: dict[tuple[str, str], Key] = {}
        links: set[str] = set()
        without = [((x.device, x.port), key) for x, key in board.failed("bgp") if vrf_of(x.subject) == vrf]
        without += [((device, port), key) for device, key in board.dead.items() for port, _ in board.links(device)]
        for (device, port), key in without:
            far = board.evidence.far.get((device, port))
            link = board.evidence.network.link_at(device, port_of(port))
            if far is not None and link is not None:
                links.add(link.name)
                self._lost.setdefault((device, far.device), key)
                self._lost.setdefault((far.device, device), key)
        ends = peer_ends(board.evidence.network)
        down = {device for (device, port), _ in without if (device, port) in ends}
        pairs = pairs_of(board.evidence) if vrf is None else {}
        self._pairs = {leaf: each for leaf, each in pairs.items() if leaf not in down}
        self._designed = learned_paths(board.evidence.network, vrf=vrf)
        self._left = learned_paths(board.evidence.network, links, vrf)
        self._cuts: dict[tuple[str, str], Key | None] = {}
        self._filters: dict[tuple[str, str], Key | None] = {}

    def cause(self, finding: Finding) -> Key | None:
        """What explains that a switch learns a prefix as it does."""
        device, owners = finding.device, self.owners.get(finding.subject)
        if owners is None:
            return self._own_again(finding) or self._leak(device, hops=2)
        path, found = self._left.to_any(device, owners), int(finding.found)
        width = path.width if path else self._over_peer_link(finding, owners)
        left = min(width, path_limit(self._evidence, device, self.vrf))
        if found > left:
            return self._leak(device, hops=1)
        if found == left:
            return next(filter(None, (self._cut(device, owner) for owner in owners)), None)
        for owner in owners:
            if (found == 0 or len(owners) > 1) and (Breaks.ANNOUNCED, owner) in self._routes:
                return self._routes[Breaks.ANNOUNCED, owner]
        filtered = (self._filter(device, owner) for owner in owners)
        return self._routes.get((Breaks.PATHS, device)) or next(filter(None, filtered), None)

    def _over_peer_link(self, finding: Finding, owners: tuple[str, ...]) -> int:
        """Next hops of a leaf that has no way left but the other leaf of its pair; loopbacks are not told there."""
        pair = self._pairs.get(finding.device)
        network = self._evidence.network
        if pair is None or any(finding.subject == f"{network.device(each).loopback}/32" for each in owners):
            return 0
        other = pair.other(finding.device)
        return int(other in owners or self._left.to_any(other, owners) is not None)

    def learners(self, owners: tuple[str, ...]) -> int:
        """How many of the switches that were read should learn what each of ``owners`` announces."""
        return sum(self._designed.to_any(device, owners) is not None for device in self._evidence.observed)

    def _cut(self, device: str, owner: str) -> Key | None:
        """The first lost link on the designed paths: one of our own, or one of a neighbour that lost them all."""
        known = (device, owner)
        if known not in self._cuts:
            path = self._designed.to(device, owner)
            hops = path.neighbours if path else ()
            found = next((self._lost[device, hop] for hop in hops if (device, hop) in self._lost), None)
            beyond = [hop for hop in hops if hop != owner and self._left.to(hop, owner) is None]
            self._cuts[known] = found or next(filter(None, (self._cut(hop, owner) for hop in beyond)), None)
        return self._cuts[known]

    def _filter(self, device: str, owner: str) -> Key | None:
        """The first switch on the designed paths that may keep routes back, both ends included."""
        known = (device, owner)
        if known not in self._filters:
            path = self._designed.to(device, owner) if device != owner else None
            hops = path.neighbours if path else ()
            found = self._routes.get((Breaks.POLICY, device))
            self._filters[known] = found or next(filter(None, (self._filter(hop, owner) for hop in hops)), None)
        return self._filters[known]

    def _own_again(self, finding: Finding) -> Key | None:
        """A leaf that lost a subnet of its pair learns it from the other one."""
        learned = set(finding.found.split(", "))
        is_own = learned <= self._own.get(finding.device, set())
        return self._routes.get((Breaks.ANNOUNCED, finding.device)) if is_own else None

    def _leak(self, device: str, hops: int) -> Key | None:
        """A switch so many hops away, or nearer, that may hand on what it should not."""
        near, seen = [device], {device}
        for _ in range(hops + 1):
            found = next(filter(None, (self._routes.get((Breaks.POLICY, each)) for each in near)), None)
            if found is not None:
                return found
            near = [far.device for each in near for _, far in self._board.links(each) if far.device not in seen]
            seen.update(near)
        return None
