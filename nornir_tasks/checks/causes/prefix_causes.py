"""Why prefixes are missing at the edge: the session, lines about them, the inside, or the upstream. Pure."""

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.causes.differences import Breaks
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.switches.prefixes import IN


def explain_prefixes(board: Board) -> None:
    """Failures follow what broke them; of the others each is a cause, which a default route that is lost follows."""
    found = [each for each in board.open("prefixes") if each.verdict is Verdict.FAIL]
    down = {(each.device, each.subject): key for each, key in board.failed("bgp")} if found else {}
    for finding in (each for each in found if each.port):
        peer = finding.subject.rpartition(" ")[0]
        key = down.get((finding.device, peer)) or _of_lines(board, finding)
        if key is not None:
            board.follow(finding, key)
        else:
            board.lead(finding, _look_at(board, finding, peer), ("prefixes", finding.device, finding.subject))
    lost = {each.device: key for each, key in board.failed("prefixes") if each.subject.endswith(IN)} if found else {}
    for finding in (each for each in found if not each.port):
        key = lost.get(finding.device) or next(iter(lost.values()), None) or _of_lines(board, finding)
        if key is not None:
            board.follow(finding, key)


def _of_lines(board: Board, finding: Finding) -> Key | None:
    """Lines of filters break both ways; lines of what is announced, or an SVI that is down, what is sent."""
    kinds = (Breaks.POLICY,) if finding.subject.endswith(IN) or not finding.port else (Breaks.ANNOUNCED, Breaks.POLICY)
    return next((key for kind in kinds if (key := board.routes.get((kind, finding.device))) is not None), None)


def _look_at(board: Board, finding: Finding, peer: str) -> str:
    far = board.evidence.far.get((finding.device, finding.port))
    if finding.subject.endswith(IN) and far is not None:
        return f"ask {far.device} what it announces from {peer} to {finding.device}"
    return f"look on {finding.device} for a route to what is behind the firewalls"
