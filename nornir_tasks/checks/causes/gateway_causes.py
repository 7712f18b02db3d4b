"""What broke a redundant gateway: lines of its SVI, an SVI that is down, another owner of its address, the pair."""

from collections.abc import Iterator

from nornir_tasks.checks.causes.cause_board import Board, Key
from nornir_tasks.checks.evidence import End, Finding
from nornir_tasks.checks.switches.gateways import wrong_holders
from nornir_tasks.checks.switches.mlag import PEER, pairs_of


def explain_gateways(board: Board) -> None:
    """Failures follow what broke them; of the others, both members' are one cause for each gateway."""
    explained = _Explained(board)
    for finding in board.open("gateways"):
        port = board.evidence.interfaces[finding.device, finding.port]
        own: Key = ("gateway", port.vrf, port.gateway.address if port.gateway is not None else "")
        key = next(explained.causes(finding), None)
        if key is not None or board.has(own):
            board.follow(finding, key or own)
        else:
            board.lead(finding, "", own)


class _Explained:
    """The search, with what is the same for all findings."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._pairs = pairs_of(board.evidence) if board.open("gateways") else {}
        self._wrong = wrong_holders(board.evidence) if self._pairs else {}
        self._apart = {each.device: key for each, key in board.failed("pairs") if each.subject == PEER}

    def causes(self, finding: Finding) -> Iterator[Key]:
        """Nearest first."""
        end = finding.device, finding.port
        yield from self._of_lines((end, *self._holders(end)))
        yield from self._of_down((end,))
        if finding.device in self._pairs and self._is_between_both(end):
            other = self._pairs[finding.device].other(finding.device)
            links = tuple(self._peer_links((finding.device, other)))
            yield from self._of_lines(((other, finding.port), *links))
            yield from self._of_down(links)
        if finding.device in self._apart:
            yield self._apart[finding.device]

    def _is_between_both(self, end: End) -> bool:
        """Do both switches settle which of them answers?"""
        gateway = self._board.evidence.interfaces[end].gateway
        return gateway is not None and gateway.group is not None

    def _peer_links(self, devices: tuple[str, str]) -> Iterator[End]:
        for device in devices:
            pair = self._board.evidence.wanted[device].pair
            if pair is not None:
                yield device, pair.peer_link

    def _of_down(self, ends: tuple[End, ...]) -> Iterator[Key]:
        yield from (key for end in ends if (key := self._board.why_down(end)) is not None)

    def _of_lines(self, ends: tuple[End, ...]) -> Iterator[Key]:
        yield from (key for end in ends if (key := self._board.known("gateways", *end)) is not None)

    def _holders(self, end: End) -> tuple[End, ...]:
        port = self._board.evidence.interfaces[end]
        address = port.gateway.address if port.gateway is not None else None
        return tuple(each.end for each in self._wrong.get((port.vrf, address or ""), ()))
