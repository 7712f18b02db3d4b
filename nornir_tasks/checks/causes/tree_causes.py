"""What broke a spanning tree: lines of either switch of a pair, its peer link, or what took a port down. Pure."""

from collections.abc import Iterator

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.checks.switches.spanning_tree import CHECK


def explain_trees(board: Board) -> None:
    """Failures of trees follow what broke them; of the others, both members' are one cause for each tree."""
    found = [each for each in board.open(CHECK) if not each.port]
    pairs = pairs_of(board.evidence) if found else {}
    apart = {each.device: key for each, key in board.failed("pairs")}
    for finding in found:
        pair = pairs.get(finding.device)
        leaves = (finding.device, *((pair.other(finding.device),) if pair is not None else ()))
        own: Key = ("tree", pair.name if pair is not None else finding.device, finding.subject)
        key = next(_causes(board, leaves), None) or apart.get(finding.device)
        if key is not None or board.has(own):
            board.follow(finding, key or own)
        else:
            board.lead(finding, "", own)


def _causes(board: Board, leaves: tuple[str, ...]) -> Iterator[Key]:
    """Nearest first."""
    for leaf in leaves:
        pair = board.evidence.wanted[leaf].pair
        for port in ("", *((pair.peer_link,) if pair is not None else ())):
            key = board.known(CHECK, leaf, port)
            if key is not None:
                yield key
            if port and (down := board.why_down((leaf, port))) is not None:
                yield down
    for leaf in leaves[1:]:
        silent = board.evidence.unreachable.get(leaf)
        if silent is not None and board.has(("reach", silent.what)):
            yield "reach", silent.what
