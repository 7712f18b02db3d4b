"""What broke the partners of a group: lines of a member or of its far end, or what took the group down. Pure."""

from collections.abc import Iterator

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.evidence import End
from nornir_tasks.checks.switches.lacp_partners import members_of, other_groups
from nornir_tasks.checks.switches.mlag import pairs_of


def explain_partners(board: Board) -> None:
    """Failures follow what broke them; of the others, both switches' are one cause for each group over both."""
    found = board.open("partners")
    pairs = pairs_of(board.evidence) if found else {}
    members = members_of(board.evidence) if found else {}
    others = dict(other_groups(board.evidence)) if found else {}
    for finding in found:
        end = finding.device, finding.port
        group, pair = board.evidence.interfaces[end].lag, pairs.get(finding.device)
        both = pair is not None and group is not None and group.pair_id is not None
        own: Key = ("partners", pair.name, group.pair_id) if pair and group and both else ("partners", *end)
        key = next(
            (key for each in (end, others.get(end)) if each for key in _causes(board, each, members.get(each, ()))),
            None,
        )
        if key is not None or board.has(own):
            board.follow(finding, key or own)
        else:
            board.lead(finding, "", own)


def _causes(board: Board, group: End, members: tuple[End, ...]) -> Iterator[Key]:
    """Nearest first."""
    for end in (group, *members):
        key = board.known("partners", *end)
        if key is not None:
            yield key
    down = board.why_down(group)
    if down is not None:
        yield down
