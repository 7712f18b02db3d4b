"""A real BGP speaker in an upstream's place says what it should not; nothing of that is taken, and it hears no more
than the aggregates, and none of them when the inside is gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from edge_pair import EdgePair
from routed_lab import needs_root, until

from tests.unit.design.edge_systems import SYSTEMS, text_of

pytestmark = needs_root

GOOD = {"ipv4": {"8.8.8.0/24", "9.0.0.0/8", "193.0.0.0/21"}, "ipv6": {"2a00:1450::/32", "2600::/28"}}
DEFAULT = {"ipv4": "0.0.0.0/0", "ipv6": "::/0"}
BAD = {
    "hijacked": {"203.0.113.0/24", "203.0.113.0/25", "203.0.113.70/32", "2001:db8:101::/64", "2001:db8:100::/40"},
    "private": {"10.0.0.0/8", "10.1.2.0/24", "172.20.0.0/16", "192.168.1.0/24", "fc00::/7", "fd00:300::/48"},
    "reserved": {"100.64.0.0/10", "169.254.1.0/24", "198.18.0.0/15", "192.0.2.0/24", "2002::/16", "3fff::/20"},
    "documentation": {"198.51.100.0/24", "2001:db8:500::/48"},
    "too long": {"8.8.4.0/25", "8.8.4.4/32", "2a00:1450:4001::/49", "2a00:1450::1/128"},
    "too short": {"8.0.0.0/7", "128.0.0.0/1", "2000::/3", "2c00::/6"},
}
OVER = {
    "8.8.9.0/24": 64512,
    "8.8.10.0/24": 65534,
    "8.8.11.0/24": 4200000000,
    "8.8.12.0/24": 23456,
    "8.8.13.0/24": 65540,
}
"""Good prefixes over paths with numbers that no path has; AS 64501 is exempt in this site, AS 131072 a good one."""
FINE = {"8.8.14.0/24": 131072, "8.8.15.0/24": 64495}
TOO_MANY = 60
LIMIT = "Cease/Maximum Number of Prefixes Reached"


def family_of(prefix: str) -> str:
    return "ipv6" if ":" in prefix else "ipv4"


def speaker(asn: int, peers: dict[str, str], own: int, over: dict[str, int], prefixes: set[str], hops: int = 1) -> str:
    """FRR that announces these prefixes, some over a longer path. ``peers``: neighbour -> family, ``hops`` away."""
    six = [each for each in prefixes if family_of(each) == "ipv6"]
    four = [*(each for each in prefixes if family_of(each) == "ipv4"), *over]
    lines = [f"ip route {each} blackhole" for each in four] + [f"ipv6 route {each} blackhole" for each in six]
    for number, (prefix, path) in enumerate(over.items(), start=1):
        lines += [f"ip prefix-list P{number} seq 5 permit {prefix}", f"route-map OUT permit {number}"]
        lines += [f" match ip address prefix-list P{number}", f" set as-path prepend 3333 {path}", "exit"]
    lines += ["route-map OUT permit 1000", "exit", f"router bgp {asn}", " no bgp ebgp-requires-policy"]
    lines += [" no bgp network import-check", " no bgp default ipv4-unicast"]
    for peer in peers:
        lines += [f" neighbor {peer} remote-as {own}", f" neighbor {peer} ttl-security hops {hops}"]
        lines += [f" neighbor {peer} timers connect 1", f" neighbor {peer} advertisement-interval 0"]
    for family, networks in (("ipv4", four), ("ipv6", six)):
        lines += [f" address-family {family} unicast", *(f"  network {each}" for each in networks)]
        for peer, of in peers.items():
            more = [f"  neighbor {peer} route-map OUT out"] if family == "ipv4" else []
            lines += [f"  neighbor {peer} activate", *more] if of == family else []
        lines.append(" exit-address-family")
    return "\n".join([*lines, "exit", ""])


def site(folder: Path, system: str) -> Path:
    """The site with this system for its routers, with both families and partial routes of isp-b, and few of them."""
    text = text_of(system)
    text = text.replace("peers: [198.51.100.5]", 'peers: [198.51.100.5, "2001:db8:201::5"]')
    text = text.replace("addresses: [198.51.100.6/30]", 'addresses: [198.51.100.6/30, "2001:db8:201::6/64"]')
    text = text.replace("max_prefixes: 20000}\n      outbound: [203.0.113.0/24]", MANY)
    folder.mkdir()
    (folder / "fabric.yml").write_text(text)
    return folder


MANY = f'max_prefixes: {TOO_MANY - 10}}}\n      outbound: [203.0.113.0/24, "2001:db8:100::/40"]'


@pytest.fixture(params=SYSTEMS)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EdgePair]:
    made = EdgePair(site(tmp_path / "edge", request.param), Path(f"/run/gpufabric-edge{os.getpid()}"), tmp_path)
    try:
        made.build()
        made.configure()
        yield made
    finally:
        made.end()


@pytest.mark.sampled(1)
def test_nothing_bad_is_taken_and_only_aggregates_are_told(pair: EdgePair, figure: Callable[[str], None]) -> None:
    everything = {*GOOD["ipv4"], *GOOD["ipv6"], *DEFAULT.values(), *(each for bad in BAD.values() for each in bad)}
    for link in pair.terms.outside_links:
        peers = {each.address.partition("/")[0]: each.family for each in link.sessions}
        pair.frr[link.name].tell(speaker(link.asn, dict(peers), pair.terms.asn, {**OVER, **FINE}, everything))

    sessions = [(link, session) for link in pair.terms.outside_links for session in link.sessions]
    until(lambda: all(pair.is_up(link.device, session.peer) for link, session in sessions))
    taken = 0
    for link, session in sessions:
        wanted = {DEFAULT[session.family]}
        if link.takes == "partial":
            wanted |= GOOD[session.family] | (set(FINE) if session.family == "ipv4" else set())
        until(lambda: pair.heard(link.device, session.family, session.peer) == wanted)  # noqa: B023
        taken += len(wanted)
        # what is taken goes nowhere but to the other router
        for prefix in wanted:
            for path in pair.table(link.device, session.family)[prefix]:
                assert path.get("valid"), (link.name, prefix)
    for link, session in sessions:
        own = session.address.partition("/")[0]
        aggregates = {each for each in pair.terms.aggregates if family_of(each) == session.family}
        until(lambda: pair.heard(link.name, session.family, own) == aggregates)  # noqa: B023
    announced = len(everything) + len(OVER) + len(FINE)
    refused = announced * len(pair.upstreams) - taken
    ends = f"{pair.routers[0].os}: each of {len(pair.upstreams)} upstreams announces {announced} prefixes"
    figure(f"{ends}; {taken} taken, {refused} refused")

    # the router whose VLAN is gone announces nothing, the other one goes on
    first, second = pair.terms.outside_links[0], pair.terms.outside_links[-1]
    pair.lan(pair.names[0], "down")
    for session in first.sessions:
        until(lambda: pair.heard(first.name, session.family, session.address.partition("/")[0]) == set())  # noqa: B023
    for session in second.sessions:
        assert pair.heard(second.name, session.family, session.address.partition("/")[0])
    pair.lan(pair.names[0], "up")
    until(lambda: pair.heard(first.name, "ipv4", first.sessions[0].address.partition("/")[0]) != set())

    # what the other upstream says is reached by way of the other router, and told to nobody outside
    until(lambda: GOOD["ipv4"] <= set(pair.table(pair.names[0], "ipv4")))
    assert pair.heard(first.name, "ipv4", first.sessions[0].address.partition("/")[0]) == {"203.0.113.0/24"}


@pytest.mark.sampled(1)
def test_an_upstream_that_says_too_much_is_told_goodbye(pair: EdgePair) -> None:
    link = next(each for each in pair.terms.outside_links if each.takes == "partial")
    (session,) = (each for each in link.sessions if each.family == "ipv4")
    many = {f"20.0.{number}.0/24" for number in range(TOO_MANY)}
    own = session.address.partition("/")[0]
    pair.frr[link.name].tell(speaker(link.asn, {own: "ipv4"}, pair.terms.asn, {}, many))
    until(lambda: str(pair.session(link.device, session.peer).get("lastNotificationReason", "")).startswith(LIMIT))
    assert not pair.is_up(link.device, session.peer)
    until(lambda: not set(pair.table(link.device, "ipv4")) & many)  # FRR shows them for a moment as removed
