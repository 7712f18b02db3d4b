"""Which faults are injected: drawn from a seed, each the same every time and known by its number."""

import random
from dataclasses import dataclass
from itertools import cycle, islice

SYSTEMS = ("eos", "nxos", "nvue")

KINDS = {
    "kill": "the client is killed",
    "term": "the client gets SIGTERM",
    "interrupt": "Ctrl-C",
    "cut": "the connection breaks before the switch has the request",
    "lost": "the request is carried out and its answer lost",
    "truncated": "half of the answer comes",
    "unavailable": "an error page of HTTP comes instead of the answer",
    "slow": "answers come slowly and in pieces",
    "certificate": "from here on another certificate answers",
    "outage": "from here on nothing answers",
    "disk": "from here on nothing can be written to the client's disk",
    "clock": "the client's clock is set to another time, and the client is killed after the commit",
    "staging": "staging takes 75 s, and the client is killed after the commit",
    "two-here": "a second push is begun beside, with the same state folder",
    "two-elsewhere": "a second push is begun beside, from another machine",
}
PORT_DOWN = 1
"""The change after which nobody may go back: a BGP session that is up would not come back."""
MOMENTS = {"cut": False, "lost": True, "truncated": True, "unavailable": True}
"""Whether the switch has carried out the request, where the kind says so."""
SEED = 20_250_719
SAMPLE, LONG = 30, 240
"""Trials of ``make test``, and those that ``make test-long`` adds: six of each system and kind in all."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one push to one switch."""

    number: int
    system: str
    kind: str
    zone: str
    """Where: at "any" request of the push, or at one from the "commit" on."""
    share: float
    """Which of the zone's requests: 0 the first, just below 1 the last."""
    is_carried_out: bool
    """Before the switch has the request, or after it has carried it out."""
    is_reset: bool
    """A connection that ends is reset; else it just ends."""
    later_s: float
    """How long after the fault somebody looks again."""
    clock_step_s: float
    change: int
    """Which change the push has to make."""
    is_json: bool
    is_rolled_back: bool = False
    """Whether the push is undone in the end."""

    def __str__(self) -> str:
        return f"{self.system}-{self.kind}-{self.number}"


def faults(count: int = SAMPLE + LONG, seed: int = SEED) -> list[Fault]:
    """The first ``count`` faults of a seed. Kinds and systems take turns, so that any 45 in a row have all of both."""
    pairs = [(system, kind) for offset in range(len(SYSTEMS)) for system, kind in _turns(offset)]
    rounds = -(-count // len(pairs))
    return [
        _fault(number, *pair, seed, (number // len(pairs), rounds))
        for number, pair in enumerate(islice(cycle(pairs), count))
    ]


def _turns(offset: int) -> list[tuple[str, str]]:
    return [(SYSTEMS[(place + offset) % len(SYSTEMS)], kind) for place, kind in enumerate(KINDS)]


def _fault(number: int, system: str, kind: str, seed: int, turn: tuple[int, int]) -> Fault:
    draw = random.Random(f"{seed}/{number}/{system}/{kind}")
    order = list(range(turn[1]))  # each round has a part of its own of the zone, so that no part is left out
    random.Random(f"{seed}/{system}/{kind}").shuffle(order)
    change = draw.randrange(3)
    return Fault(
        number,
        system,
        kind,
        zone=draw.choice(("any", "commit", "commit")),
        share=(order.index(turn[0]) + draw.random()) / turn[1],
        is_carried_out=MOMENTS.get(kind, draw.random() < 0.6),
        is_reset=draw.random() < 0.5,
        later_s=draw.choice((0.0, 0.0, 50.0, 110.0)),
        clock_step_s=draw.choice((-3600.0, 3600.0)),
        change=change,
        is_json=draw.random() < 0.3,
        is_rolled_back=draw.random() < 0.3 and change != PORT_DOWN,
    )
