"""The upstreams that a routed lab plays, each an FRR as the lab tells it to be, and edge routers as real FRR beside:
what is taken, what is told, and that nothing is once both insides are gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from edge_pair import EdgePair
from routed_lab import needs_root, until

from switch_twins.routed.upstreams import words
from switch_twins.upstreams import states

pytestmark = needs_root

LAB = Path(__file__).resolve().parents[2] / "inventory" / "lab"
TAKEN = {
    "isp-a": {"ipv4": {"0.0.0.0/0"}, "ipv6": {"::/0"}},
    "isp-b": {"ipv4": {"0.0.0.0/0", "192.0.2.0/24"}, "ipv6": {"::/0", "2001:db8:500::/48"}},
}
ANNOUNCED = {"ipv4": {"203.0.113.0/24"}, "ipv6": {"2001:db8:100::/40"}}


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[EdgePair]:
    made = EdgePair(LAB, Path(f"/run/gpufabric-upstreams{os.getpid()}"), tmp_path)
    try:
        made.build()
        made.configure()
        for name, state in states(made.lab.spec.hosts).items():
            made.frr[name].tell(words(state))
        yield made
    finally:
        made.end()


def heard_outside(pair: EdgePair) -> dict[str, dict[str, set[str]]]:
    """Upstream -> family -> what it hears from its router."""
    return {
        link.name: {
            each.family: pair.heard(link.name, each.family, each.address.partition("/")[0]) for each in link.sessions
        }
        for link in pair.terms.outside_links
    }


def test_upstreams_are_taken_as_the_intent_says_and_hear_nothing_once_both_insides_are_gone(pair: EdgePair) -> None:
    for link in pair.terms.outside_links:
        for each in link.sessions:
            wanted = TAKEN[link.name][each.family]
            until(lambda: pair.heard(link.device, each.family, each.peer) == wanted)  # noqa: B023
    until(lambda: heard_outside(pair) == dict.fromkeys(TAKEN, ANNOUNCED))

    for name in pair.names:
        pair.lan(name, "down")
    nothing: dict[str, set[str]] = {"ipv4": set(), "ipv6": set()}
    until(lambda: heard_outside(pair) == dict.fromkeys(TAKEN, nothing))
    assert all(pair.is_up(link.device, each.peer) for link in pair.terms.outside_links for each in link.sessions)

    for name in pair.names:
        pair.lan(name, "up")
    until(lambda: heard_outside(pair) == dict.fromkeys(TAKEN, ANNOUNCED))
