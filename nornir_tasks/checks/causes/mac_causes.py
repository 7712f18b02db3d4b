"""Which devices of the out-of-band plane have exchanged their cables: one cause for all their ports. Pure."""

from nornir_tasks.checks.causes.cause_board import Board, Groups, Key
from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.switches.oob_neighbors import others_at


def explain_macs(board: Board) -> None:
    """Failures follow what took their ports down, or what LLDP says there; of the others, exchanged ones each other."""
    found = [each for each in board.open("macs") if each.verdict is Verdict.FAIL]
    evidence, together = board.evidence, Groups()
    ports = {name: end for end, name in evidence.attached.items()} if found else {}
    for finding in found:
        end = finding.device, finding.port
        for other in others_at(evidence, end):
            if other in ports:
                together.join(board.cable(*end), board.cable(*ports[other]))
    for finding in found:
        cable = board.cable(finding.device, finding.port)
        key: Key = ("macs", together.of(cable))
        explanation = board.explanation(finding)
        if explanation is not None:
            board.follow(finding, explanation)
        elif board.has(key):
            board.follow(finding, key)
        else:
            board.lead(finding, f"look at cable {cable}: {evidence.where(finding.device, finding.port)}", key)
