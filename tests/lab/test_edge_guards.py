"""What edge routers take in, by packets of any source on real wires: the kernel filters by what nftables has of the
routers' own lists. Then their sessions: passwords that differ, and a speaker further away than the link."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from edge_packets import TCP, Flow, came_through, forwards, icmp_of
from edge_pair import FIREWALLS, EdgePair, run
from routed_lab import needs_root, until
from test_edge_hostile import DEFAULT, site, speaker

from switch_twins.routed.daemons import Frr
from tests.unit.design.edge_systems import PASSWORD, SYSTEMS

pytestmark = needs_root

SIGNED = pytest.mark.parametrize(
    ("build", "secret"), [(each, PASSWORD) for each in SYSTEMS], ids=SYSTEMS, indirect=["build"]
)
UDP = 17
ISP, ROUTER = "isp-a", "edge-1"
WITHIN = {"ipv4": ("203.0.113.70", "203.0.113.17"), "ipv6": ("2001:db8:101::46",)}
"""Behind the firewalls: a published service, an address that stands for hosts."""
OTHERS = {"ipv4": ("8.8.8.8", "193.0.0.9"), "ipv6": ("2a00:1450::1", "2600::9")}
FORGED = {
    "ours": ("203.0.113.71", "203.0.113.1", "203.0.113.250", "2001:db8:101::9", "2001:db8:1ff::1"),
    "private": ("10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.0.1", "fd00:300::1", "fc00::1"),
    "documentation": ("192.0.2.1", "198.51.100.77", "2001:db8:500::1", "3fff::1"),
    "reserved": ("169.254.1.1", "198.18.0.1", "192.88.99.1", "240.0.0.1", "2002::1", "fec0::1", "4000::1", "100::1"),
}
MARTIAN = ("0.1.2.3", "127.0.0.9", "224.0.0.9", "255.255.255.255", "::1", "ff02::9", "fe80::9")
"""What the kernel refuses by itself, lists or none."""
LEAVES = {"ipv4": ("203.0.113.17", "203.0.113.70", "203.0.113.1"), "ipv6": ("2001:db8:101::46",)}
LEAKS = ("10.181.0.5", "192.168.7.7", "192.0.2.9", "198.51.100.99", "8.8.4.4", "fd00:181::5", "2a00:1450::7")
ITS_OWN = {
    "ipv4": ("198.51.100.2", "203.0.113.5"),
    "ipv6": ("2001:db8:200::2", "2001:db8:100::5"),
}
"""The router's own addresses: on the link, on the VLAN."""


def family_of(address: str) -> str:
    return "ipv6" if ":" in address else "ipv4"


def inward() -> Iterator[tuple[Flow, bool]]:
    """From the upstream, and whether it shall come through."""
    wrong = (*(each for some in FORGED.values() for each in some), *MARTIAN)
    for source in (*OTHERS["ipv4"], *OTHERS["ipv6"], *wrong):
        for destination in WITHIN[family_of(source)]:
            for protocol, port in ((TCP, 443), (UDP, 53), icmp_of(source)):
                yield Flow(ISP, protocol, source, destination, port), source not in wrong
    for source, other in ((OTHERS[each][0], OTHERS[each][1]) for each in OTHERS):
        yield Flow(ISP, UDP, source, other, 53), False
        for own in ITS_OWN[family_of(source)]:
            for port in (22, 80, 179):
                yield Flow(ISP, TCP, source, own, port, is_for_router=True), False
            yield Flow(ISP, *_first(icmp_of(source), source, own), is_for_router=True), True


def outward() -> Iterator[tuple[Flow, bool]]:
    """From the firewalls."""
    for source in (*LEAVES["ipv4"], *LEAVES["ipv6"], *LEAKS):
        for protocol, port in ((TCP, 443), (UDP, 53), icmp_of(source)):
            target = OTHERS[family_of(source)][1]
            yield Flow(FIREWALLS, protocol, source, target, port), source not in LEAKS
    for source, own in (("203.0.113.1", "203.0.113.5"), ("2001:db8:100::1", "2001:db8:100::5")):
        for port in (22, 80, 179):
            yield Flow(FIREWALLS, TCP, source, own, port, is_for_router=True), False
        yield Flow(FIREWALLS, *_first(icmp_of(source), source, own), is_for_router=True), True


def _first(icmp: tuple[int, int], source: str, destination: str) -> tuple[int, str, str, int]:
    return icmp[0], source, destination, icmp[1]


@pytest.fixture(params=SYSTEMS)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., EdgePair]]:
    """``md5``: of the first upstream's sessions, by name and value of a secret."""
    made: list[EdgePair] = []

    def builds(md5: str = "", value: str = "") -> EdgePair:
        folder = site(tmp_path / "edge", request.param)
        if md5:
            file = folder / "fabric.yml"
            file.write_text(
                file.read_text().replace("      edge: 1\n", f"      edge: 1\n      md5: !secret {md5}\n", 1)
            )
        made.append(EdgePair(folder, Path(f"/run/gpufabric-guard{os.getpid()}"), tmp_path, {md5: value} if md5 else {}))
        made[0].build()
        made[0].configure()
        return made[0]

    try:
        yield builds
    finally:
        for each in made:
            each.end()


def tell(pair: EdgePair, name: str, more: str = "", frr: Frr | None = None, hops: int = 1) -> None:
    """An upstream's router, or the speaker that stands for it ``hops`` away, announces its default routes."""
    link = next(each for each in pair.terms.outside_links if each.name == name)
    peers = {each.address.partition("/")[0]: each.family for each in link.sessions}
    lines = speaker(link.asn, dict(peers), pair.terms.asn, {}, set(DEFAULT.values()), hops)
    for peer in peers if more else ():
        no, line = ("no ", more.removeprefix("no ")) if more.startswith("no ") else ("", more)
        lines = lines.replace(f" neighbor {peer} timers", f" {no}neighbor {peer} {line}\n neighbor {peer} timers", 1)
    (frr or pair.frr[name]).tell(lines)


def peers_of(pair: EdgePair, name: str) -> list[str]:
    return [session.peer for link in pair.terms.outside_links if link.name == name for session in link.sessions]


def counted(pair: EdgePair, who: str, counter: str) -> int:
    """One of TCP's counters of a namespace."""
    shown = run("ip", "netns", "exec", pair.namespace(who), "cat", "/proc/net/netstat").splitlines()
    names, values = (line.split() for line in shown[:2])
    return int(dict(zip(names, values, strict=True))[counter])


def passes_anyhow(pair: EdgePair, flow: Flow) -> bool:
    """Where lists know no single types of ICMP of a family, all of it passes: path-MTU messages have to."""
    facts = pair.routers[0].capabilities.acls
    known = facts.icmp_types if facts is not None else frozenset()
    family = family_of(flow.source)
    return flow.protocol == icmp_of(flow.source)[0] and family not in known and flow.source not in MARTIAN


@pytest.mark.sampled(1)
def test_forged_packets_are_refused_both_ways_and_others_pass(
    build: Callable[..., EdgePair], figure: Callable[[str], None]
) -> None:
    pair = build()
    forwards(pair)
    tell(pair, ISP)
    # not in bgpd alone: packets go by the kernel's table
    until(
        lambda: all(run("ip", "-n", pair.namespace(ROUTER), each, "route", "show", "default") for each in ("-4", "-6"))
    )

    wanted = {**dict(inward()), **dict(outward())}
    wanted |= {each: True for each in wanted if passes_anyhow(pair, each)}
    expected = {flow for flow, passes in wanted.items() if passes}
    found = came_through(pair, ROUTER, list(wanted), expected)
    assert sorted(map(str, found)) == sorted(map(str, expected))

    # the lists did it, and not the kernel: without them all of it comes through
    for family in ("ip", "ip6"):
        pair.nft(ROUTER, f"delete table {family} lists\n")
    known = [each for each in wanted if each.source not in MARTIAN]
    without = came_through(pair, ROUTER, known, {*known})
    assert sorted(map(str, without)) == sorted(map(str, known))
    refused = sum(not passes for passes in wanted.values())
    figure(
        f"{pair.routers[0].os}: {len(wanted)} packets both ways, {refused} refused; without lists {len(without)} pass"
    )


@pytest.mark.sampled(1)
@SIGNED
def test_a_session_whose_passwords_differ_does_not_come_up(build: Callable[..., EdgePair], secret: str) -> None:
    pair = build("isp-a-bgp", secret)
    tell(pair, ISP, f"password {PASSWORD}")
    until(lambda: all(pair.is_up(ROUTER, peer) for peer in peers_of(pair, ISP)))
    for more, counter in (("password Zq7-wrong", "TCPMD5Failure"), ("no password", "TCPMD5NotFound")):
        before = counted(pair, ROUTER, counter)
        tell(pair, ISP, more)
        until(lambda: counted(pair, ROUTER, counter) > before + 3)  # noqa: B023
        assert not any(pair.is_up(ROUTER, peer) for peer in peers_of(pair, ISP)), more
    tell(pair, ISP, f"password {PASSWORD}")
    until(lambda: all(pair.is_up(ROUTER, peer) for peer in peers_of(pair, ISP)))


@pytest.mark.sampled(1)
def test_a_speaker_further_away_than_the_link_gets_no_session(build: Callable[..., EdgePair]) -> None:
    pair = build()
    link = next(each for each in pair.terms.outside_links if each.name == ISP)
    session = next(each for each in link.sessions if each.family == "ipv4")
    own = session.address.partition("/")[0]
    far, near = pair.namespace("far"), pair.namespace(ISP)
    frr = Frr(far, pair.folder / "far")
    try:
        # the peer's address is a router further: the upstream passes packets on, and answers ARP for it
        run("ip", "netns", "add", far)
        run("ip", "-n", near, "address", "delete", f"{session.peer}/30", "dev", "uplink")
        run("ip", "-n", near, "link", "add", "behind", "type", "veth", "peer", "name", "ahead", "netns", far)
        for namespace, port in ((near, "behind"), (far, "ahead"), (far, "lo")):
            run("ip", "-n", namespace, "link", "set", port, "up")
        run("ip", "-n", far, "address", "add", f"{session.peer}/32", "dev", "ahead")
        for namespace, to, port in (
            (far, f"{own}/32", "ahead"),
            (near, f"{session.peer}/32", "behind"),
            (near, own, "uplink"),
        ):
            run("ip", "-n", namespace, "route", "add", to, "dev", port)
        words = ["net/ipv4/ip_forward=1", *(f"net/ipv4/conf/{each}/proxy_arp=1" for each in ("uplink", "behind"))]
        run("ip", "netns", "exec", near, "sysctl", "-q", "-w", *words)
        frr.start()
        tell(pair, ISP, frr=frr, hops=2)  # it takes the router for as far as it is: who refuses is the router alone
        until(lambda: counted(pair, ROUTER, "TCPMinTTLDrop") > 3)
        assert not pair.is_up(ROUTER, session.peer)
        # it is the distance alone: a router that takes it for one hop more has the session
        lines = pair.configured(ROUTER)[1].replace(
            f"neighbor {session.peer} ttl-security hops 1", f"neighbor {session.peer} ttl-security hops 2"
        )
        pair.frr[ROUTER].tell(lines)
        # what it announces is heard: one end alone can believe in a session of which the other drops every packet
        until(lambda: pair.heard(ROUTER, session.family, session.peer) == {DEFAULT[session.family]})
    finally:
        frr.stop()
        subprocess.run(["ip", "netns", "delete", far], check=False)
