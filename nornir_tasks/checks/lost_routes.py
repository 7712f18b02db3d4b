"""Why a route is missing or has too few next hops: worked out from the links whose session is down.

What each switch would learn without those links is computed as the design computes it (``design/routes.py``). A switch
that learns exactly that is explained; the cause is found by following the designed path to the first link that is lost.
What differs even so may be kept back by a switch on the path whose policy differs; else it has no explanation.
"""

from nornir_tasks.checks.cause_board import Board, Key
from nornir_tasks.checks.ecmp import announced, path_limit
from nornir_tasks.checks.evidence import Finding
from nornir_tasks.design.routes import learned_paths

LEAK_HOPS = 2
"""A route that should have stayed with its neighbours comes from one of them, or from one of theirs."""


def explain_routes(board: Board) -> None:
    """Sort what failed of the routes by cause. What is learned nowhere is one cause for each that announces it."""
    failing = board.open("ecmp")
    if not failing:
        return
    routes = _Routes(board)
    for finding in failing:
        key = routes.cause(finding)
        if key is not None:
            board.follow(finding, key)
    _learned_nowhere(board, routes)


def _learned_nowhere(board: Board, routes: "_Routes") -> None:
    """Prefixes that no switch learns: what announces them is at fault, not those that miss them."""
    missing: dict[str, list[Finding]] = {}
    for finding in board.open("ecmp"):
        if finding.found == "0":
            missing.setdefault(finding.subject, []).append(finding)
    for prefix, found in missing.items():
        owner = routes.owners[prefix]
        if len(found) != routes.learners(owner) or len(found) < 2:
            continue
        key = ("nowhere", owner)
        for finding in found:
            if board.has(key):
                board.follow(finding, key)
            else:
                board.lead(finding, f"look at why {owner} does not announce it", key)


class _Routes:
    """The routes of the design beside those that are left."""

    def __init__(self, board: Board) -> None:
        self._board, self._evidence = board, board.evidence
        self.owners = {prefix: name for name, each in announced(board.evidence).items() for prefix in each}
        self._lost: dict[tuple[str, str], Key] = {}
        links: set[str] = set()
        for finding, key in board.failed("bgp"):
            far = board.evidence.far.get((finding.device, finding.port))
            link = board.evidence.fabric.link_at(finding.device, finding.port)
            if far is not None and link is not None:
                links.add(link.name)
                self._lost.setdefault((finding.device, far.device), key)
                self._lost.setdefault((far.device, finding.device), key)
        self._designed = learned_paths(board.evidence.fabric)
        self._left = learned_paths(board.evidence.fabric, links)
        self._cuts: dict[tuple[str, str], Key | None] = {}
        self._filters: dict[tuple[str, str], Key | None] = {}

    def cause(self, finding: Finding) -> Key | None:
        """What explains that a switch learns a prefix as it does."""
        device = finding.device
        if finding.subject not in self.owners:
            return self._leak(device)
        owner = self.owners[finding.subject]
        path = self._left.to(device, owner)
        if int(finding.found) == min(path.width if path else 0, self._limit(device)):
            return self._cut(device, owner) or self._filter(device, owner)
        return self._filter(device, owner)

    def learners(self, owner: str) -> int:
        """How many of the switches that were read should learn what ``owner`` announces."""
        return sum(self._designed.to(device, owner) is not None for device in self._evidence.observed)

    def _limit(self, device: str) -> int:
        running = self._evidence.running.get(device)
        own = running.bgp.maximum_paths if running and running.bgp else 1
        return min(own, path_limit(self._evidence, device))

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
            found = self._board.filters.get(device)
            self._filters[known] = found or next(filter(None, (self._filter(hop, owner) for hop in hops)), None)
        return self._filters[known]

    def _leak(self, device: str) -> Key | None:
        """A switch near by that may hand on what it should not."""
        near, seen = [device], {device}
        for _ in range(LEAK_HOPS + 1):
            found = next((self._board.filters[each] for each in near if each in self._board.filters), None)
            if found is not None:
                return found
            near = [far.device for each in near for _, far in self._board.links(each) if far.device not in seen]
            seen.update(near)
        return None
