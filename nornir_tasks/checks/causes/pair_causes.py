"""What broke a pair of switches: a member's lines, the peer link, a member that is gone, the keepalive's way. Pure."""

from collections.abc import Iterable, Iterator

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.causes.differences import Breaks
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.mlag import KEEPALIVE, LIKENESS, PEER, SECONDARY, carries, pairs_of
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.config.vrfs import key_name


def what_carries_on(evidence: Evidence, device: str) -> str:
    """Of a switch that does not answer: what the other one of its pair carries, if that has lost it as well."""
    pair = next((each for each in evidence.network.pairs if device in each.leaves), None)
    seen = evidence.observed.get(pair.other(device)) if pair is not None else None
    is_lost = seen is not None and seen.pair is not None and seen.pair.connected is False
    return carries(evidence, seen.device) if seen is not None and is_lost else ""


def explain_conflicts(board: Board) -> None:
    """What both have otherwise, before any link is judged: for it a secondary may hold its groups over both down."""
    unlike = [each for each in board.open("pairs") if each.subject == LIKENESS and each.verdict is Verdict.FAIL]
    _explain(board, unlike)
    for finding, key in board.failed("pairs"):
        seen = board.evidence.observed[finding.device].pair
        if finding.subject == LIKENESS and seen is not None and seen.role == SECONDARY:
            for port in _ports_over_both(board.evidence, finding.device):
                board.cover(key, Breaks.LINK, finding.device, port)


def _ports_over_both(evidence: Evidence, device: str) -> Iterator[str]:
    """The groups over both switches of the pair, and their members."""
    ports = evidence.wanted[device].interfaces
    groups = {each.name for each in ports if each.lag is not None and each.lag.pair_id is not None}
    yield from (each.name for each in ports if each.name in groups or (each.member and each.member.group in groups))


def peer_link_ports(evidence: Evidence) -> frozenset[End]:
    """The ports of all peer links, of both members."""
    return frozenset(
        (leaf, port.name)
        for leaf in pairs_of(evidence)
        if (pair := evidence.wanted[leaf].pair) is not None
        for port in evidence.wanted[leaf].interfaces
        if port.member is not None and port.member.group == pair.peer_link
    )


def explain_apart(board: Board) -> None:
    """Members apart while both are alive, by a cause that is known: the secondary shuts its groups over both.

    Where all its ports are down, it has shut them all: EOS does, by dual-primary detection.
    """
    for pair in board.evidence.network.pairs:
        states = {leaf: found.pair for leaf in pair.leaves if (found := board.evidence.observed.get(leaf)) is not None}
        if not any(each is not None and each.connected is False for each in states.values()):
            continue
        key = next((key for leaf in pair.leaves if (key := _why_apart(board, leaf)) is not None), None)
        down = {leaf for leaf in states if _is_shut(board, leaf)}
        for leaf in down if key is not None and len(down) == 1 else ():
            ports = [*_unexplained(board, leaf)]
            links = [port for port, far in board.links(leaf) if far.device != pair.other(leaf)]
            if all(board.fails("port", leaf, each) for each in links):
                ports += links
            for port in ports:
                board.cover(key, Breaks.LINK, leaf, port)


def _why_apart(board: Board, leaf: str) -> Key | None:
    pair = board.evidence.wanted[leaf].pair
    if pair is None:
        return None
    return board.known("pairs", leaf, pair.peer_link) or board.why_down((leaf, pair.peer_link))


def _is_shut(board: Board, leaf: str) -> bool:
    ports = [*_ports_over_both(board.evidence, leaf)]
    return bool(ports) and all(board.fails("port", leaf, each) for each in ports)


def _unexplained(board: Board, leaf: str) -> Iterator[str]:
    """Groups over both and their members, but for groups that follow from a member of theirs."""
    ports = board.evidence.wanted[leaf].interfaces
    explained = {each.name for each in ports if board.known("port", leaf, each.name) is not None}
    from_beneath = {each.member.group for each in ports if each.member is not None and each.name in explained}
    yield from (each for each in _ports_over_both(board.evidence, leaf) if each not in from_beneath)


def explain_pairs(board: Board) -> None:
    """Failures of pairs follow what broke them; of the others, both members' are one cause for each thing."""
    _explain(board, board.open("pairs"))


def _explain(board: Board, findings: Iterable[Finding]) -> None:
    members = pairs_of(board.evidence)
    routes = {(each.device, each.subject): key for each, key in board.failed("ecmp")}
    for finding in findings:
        pair = members[finding.device]
        leaves = (finding.device, pair.other(finding.device))
        own: Key = ("pair", pair.name, finding.subject)
        peer: Key = ("pair", pair.name, PEER)
        key = _broken(board, finding, leaves) or _lost(board, finding, leaves, routes)
        if key is None and finding.subject == LIKENESS and finding.verdict is Verdict.ERROR and board.has(peer):
            key = peer
        if key is not None or board.has(own):
            board.follow(finding, key or own)
        else:
            board.lead(finding, "", own)


def _broken(board: Board, finding: Finding, leaves: tuple[str, str]) -> Key | None:
    """Lines of either member that differ; the peer link, for all but keepalives; a member that is gone."""
    addresses = _addresses_between(board.evidence.wanted[leaf].pair for leaf in leaves)
    for leaf in leaves:
        for port in _places(board.evidence, leaf, addresses, finding.subject):
            key = board.known("pairs", leaf, port)
            if key is not None:
                return key
    for leaf in leaves if finding.subject != KEEPALIVE else ():
        pair = board.evidence.wanted[leaf].pair
        key = board.why_down((leaf, pair.peer_link)) if pair is not None else None
        if key is not None:
            return key
    return board.dead.get(leaves[1])


def _places(evidence: Evidence, leaf: str, addresses: frozenset[str], subject: str) -> Iterator[str]:
    """The interfaces whose lines a pair stands on; what both compare stands on all groups and SVIs."""
    config = evidence.wanted[leaf]
    link = config.pair.peer_link if config.pair is not None else ""
    for port in config.interfaces:
        is_compared = subject == LIKENESS and (port.lag is not None or port.layer1 is None)
        if is_compared or port.name == link or (port.address or "").partition("/")[0] in addresses:
            yield port.name


def _addresses_between(pairs: Iterable[PairSettings | None]) -> frozenset[str]:
    """The addresses that members gave for one another."""
    return frozenset(
        each for pair in pairs if pair is not None for each in (pair.peer_address, pair.keepalive_address) if each
    )


def _lost(board: Board, finding: Finding, leaves: tuple[str, str], routes: dict[tuple[str, str], Key]) -> Key | None:
    """A keepalive without a way: what took the route to either address."""
    for leaf in leaves if finding.subject == KEEPALIVE else ():
        pair = board.evidence.wanted[leaf].pair
        if pair is not None:
            subject = key_name((pair.keepalive_vrf, f"{pair.keepalive_address}/32"))
            if (leaf, subject) in routes:
                return routes[leaf, subject]
    return None
