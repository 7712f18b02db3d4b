"""Every path that a switch has to a prefix, not the best alone: what `show ip bgp` lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .policy import NO_COMMUNITIES
from .sessions import BgpSession
from .speaker import PREFERENCE_WEIGHT, RANKS, Speaker, is_loop


@dataclass(frozen=True, slots=True)
class BgpPath:
    """One path. An own network has no session, no next hop and an empty AS path.

    ``is_best``: the one that is announced; ``is_used``: packets are forwarded over it, alone or with others.
    """

    prefix: str
    as_path: tuple[int, ...] = ()
    communities: frozenset[str] = NO_COMMUNITIES
    local_preference: int = 100
    session: BgpSession | None = None
    is_best: bool = False
    is_used: bool = False

    @property
    def next_hop(self) -> str:
        """The far end of the session."""
        return self.session.peer_address if self.session is not None else ""


def paths(speaker: Speaker, session_of: Callable[[tuple[str, str, str]], BgpSession]) -> Iterator[BgpPath]:
    """Own networks, then what was accepted over each session, the preferred session first."""
    for prefix, (as_path, communities) in speaker.own.items():
        yield BgpPath(prefix, as_path, communities, is_best=True, is_used=True)
    for incoming in speaker.by_preference():
        session = session_of(incoming.key)
        for prefix, (as_path, communities, rank) in incoming.accepted.items():
            if is_loop(speaker, incoming, prefix):
                continue
            used = speaker.best[prefix].sessions if prefix in speaker.best else ()
            preference = (RANKS * len(as_path) - rank) // PREFERENCE_WEIGHT
            is_best, is_used = used[:1] == (incoming.key,), incoming.key in used
            yield BgpPath(prefix, as_path, communities, preference, session, is_best, is_used)
