"""From the outside world to the zones and back, over upstreams, edge routers and firewalls that are all real; then each
of them dies, and what is allowed goes on while nothing else begins to."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from boundary_way import ANYBODY, INTERNET, OFFICE, Edges, Firewalls, run_folder
from routed_lab import needs_root, until
from test_boundary_failover import PROGRAM, Firewall

pytestmark = [needs_root, pytest.mark.long]

LOGIN, GPU, LOGIN_6 = "10.177.1.9", "10.177.0.9", "fd00:300:0:3::9"
BASTION = {4: "203.0.113.68", 6: "2001:db8:101::4"}
SERVER = {4: "203.0.113.75", 6: "2001:db8:101::4b"}
"""In the DMZ, published to nobody."""
PORTAL = {4: "203.0.113.70", 6: "2001:db8:101::46"}
"""Published; the firewalls have it, as they balance."""
FORGED = {"internet": ("10.1.2.3", "203.0.113.90", "fd00:300:0:3::7"), "business": ("10.9.9.9",)}
LISTEN = {"tcp": [22, 25, 80, 443], "udp": [53, 123]}
STREAMS_PORT = 53
"""Of TCP, which flows permit and the stations leave alone."""
PREFIXES = {
    "dmz": ["203.0.113.90/27", "2001:db8:101::90/64"],
    "business": ["10.190.0.4/28", "fd00:190::4/64"],
}
FIRST_ID = 20_000
LEARNED_S = 60.0


class Flow(NamedTuple):
    """Somebody asks somebody else; ``passes``: he is answered."""

    zone: str
    protocol: str
    source: str
    destination: str
    port: int
    passes: bool


def flows() -> Iterator[Flow]:
    """By hand from the lab's intent: business, DMZ and office may some, and what nobody says nobody may."""
    some = (("tcp", 443), ("udp", 53), ("udp", 123))
    for source in (LOGIN, GPU):
        for protocol, port in (*some, ("icmp", 0)):
            yield Flow("business", protocol, source, ANYBODY[4], port, passes=True)
        for port in (22, 25):
            yield Flow("business", "tcp", source, ANYBODY[4], port, passes=False)
        for port in (22, 443):
            yield Flow("business", "tcp", source, SERVER[4], port, passes=False)
    # unique local addresses have no way back: the edge routers let them not out
    yield Flow("business", "tcp", LOGIN_6, ANYBODY[6], 443, passes=False)
    for family in (4, 6):
        for protocol, port in some:
            yield Flow("dmz", protocol, SERVER[family], ANYBODY[family], port, passes=True)
        yield Flow("dmz", "tcp", SERVER[family], ANYBODY[family], 22, passes=False)
        yield Flow("dmz", "icmp", SERVER[family], ANYBODY[family], 0, passes=False)
        yield Flow("internet", "tcp", OFFICE[family], BASTION[family], 22, passes=True)
        yield Flow("internet", "tcp", ANYBODY[family], BASTION[family], 22, passes=False)
        yield Flow("internet", "tcp", OFFICE[family], BASTION[family], 80, passes=False)
        yield Flow("internet", "icmp", OFFICE[family], BASTION[family], 0, passes=False)
        yield Flow("internet", "tcp", ANYBODY[family], SERVER[family], 443, passes=False)
        yield Flow("internet", "tcp", ANYBODY[family], PORTAL[family], 443, passes=True)
        yield Flow("internet", "tcp", ANYBODY[family], PORTAL[family], 22, passes=False)
    yield Flow("dmz", "tcp", SERVER[4], LOGIN, 22, passes=False)
    yield Flow("dmz", "tcp", SERVER[6], LOGIN_6, 443, passes=False)
    yield Flow("internet", "tcp", OFFICE[4], LOGIN, 22, passes=False)
    for own in ("203.0.113.1", "203.0.113.5", "203.0.113.17", "198.51.100.2"):  # firewalls, router, pool, router
        yield Flow("internet", "tcp", ANYBODY[4], own, 22, passes=False)
    for zone, sources in FORGED.items():
        for source in sources:
            family = 6 if ":" in source else 4
            target = BASTION[family] if zone == "internet" else ANYBODY[family]
            yield Flow(zone, "tcp", source, target, 22 if zone == "internet" else 443, passes=False)


class Way:
    """All of it, running."""

    def __init__(self, tmp_path: Path) -> None:
        self.edges = Edges(run_folder(), tmp_path / "twins")
        self.pair = Firewalls(self.edges)
        self.both: list[Firewall] = []
        self.flows = dict(enumerate(flows(), start=FIRST_ID))
        self.stations: dict[str, Callable[[], Callable[[], Any]]] = {}

    def build(self, tmp_path: Path) -> None:
        self.edges.build()
        self.pair.build()
        self.edges.configure()
        there = {
            "dmz": [*BASTION.values(), *SERVER.values()],
            "business": [LOGIN, GPU, LOGIN_6, *FORGED["business"]],
            INTERNET: [*ANYBODY.values(), *OFFICE.values()],
        }
        self.pair.settle(there, PREFIXES)
        for each in FORGED["internet"]:
            self.pair.ip(INTERNET, "address", "add", each, "dev", "lo")
        self.both = [Firewall(self.pair, name, tmp_path / name) for name in self.pair.firewalls]
        for firewall in self.both:
            self.pair.translate(firewall.name)
            firewall.start()
            self.pair.start(firewall.name, sys.executable, "-I", PROGRAM, "serve", "443")
        self.pair.start(INTERNET, sys.executable, "-I", PROGRAM, "serve", str(STREAMS_PORT))
        for zone, addresses in there.items():
            jobs = [(number, *_job(each)) for number, each in self.flows.items() if each.zone == zone]
            self.stations[zone] = self.pair.zone(zone, [*addresses], LISTEN, jobs)
        until(lambda: sorted(len(each.shared()) for each in self.both) == [0, len(self.pair.shared)], LEARNED_S)
        self.learned(*self.edges.upstreams)

    def learned(self, *upstreams: str) -> None:
        """The world knows the way to the site by these upstreams, and every router that lives one into the world."""
        links = [each for each in self.edges.terms.outside_links if each.name in upstreams]
        for link in links:
            for each in link.sessions:
                until(lambda: self.edges.heard(link.name, each.family, each.address.partition("/")[0]), LEARNED_S)  # noqa: B023
        for family in ("ipv4", "ipv6"):
            until(lambda: self._paths(family) == len(links), LEARNED_S)  # noqa: B023

    def _paths(self, family: str) -> int:
        """By how many upstreams the world knows the site."""
        aggregate = "203.0.113.0/24" if family == "ipv4" else "2001:db8:100::/40"
        shown = self.edges.ask(INTERNET, f"show bgp {family} unicast {aggregate} json").get("paths", [])
        return sum(each.get("valid", False) for each in shown)

    def active(self) -> Firewall:
        return max(self.both, key=lambda each: len(each.shared()))

    def judged(self) -> list[str]:
        """The flows whose outcome is another one than it should be."""
        running = {zone: go() for zone, go in self.stations.items()}
        found = {zone: read() for zone, read in running.items()}
        wrong = []
        for number, flow in self.flows.items():
            answered = number in found[flow.zone]["answered"]
            arrived = any(number in each["arrived"] for zone, each in found.items() if zone != flow.zone)
            if answered is not flow.passes or (arrived and not flow.passes):
                wrong.append(f"{flow}: answered {answered}, arrived {arrived}")
        return wrong

    def end(self) -> None:
        self.pair.end()
        self.edges.end()


def _job(flow: Flow) -> tuple[int, str, str, str, int]:
    return 6 if ":" in flow.source else 4, flow.protocol, flow.source, flow.destination, flow.port


@pytest.fixture
def way(tmp_path: Path) -> Iterator[Way]:
    made = Way(tmp_path)
    try:
        made.build(tmp_path)
        yield made
    finally:
        made.end()


class Streams:
    """Connections that stay open, and new ones all the time: translated, and of the DMZ in both families."""

    def __init__(self, way: Way) -> None:
        self.running: dict[str, subprocess.Popen[str]] = {}
        for what, zone, source, target in (
            ("business, translated", "business", LOGIN, ANYBODY[4]),
            ("DMZ, IPv4", "dmz", SERVER[4], ANYBODY[4]),
            ("DMZ, IPv6", "dmz", SERVER[6], ANYBODY[6]),
        ):
            command = (sys.executable, "-I", PROGRAM, "stream", source, target, str(STREAMS_PORT))
            self.running[what] = way.pair.start(zone, *command)
        for each in self.running.values():
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"

    def ended(self) -> dict[str, dict[str, Any]]:
        found = {}
        for what, each in self.running.items():
            assert each.stdin is not None
            assert each.stdout is not None
            each.stdin.close()
            found[what] = json.loads(each.stdout.readline())
        return found


def test_each_flow_is_answered_all_the_way_or_arrives_nowhere(way: Way, figure: Callable[[str], None]) -> None:
    assert way.judged() == []
    passing = sum(each.passes for each in way.flows.values())
    figure(f"whole way: {len(way.flows)} of {len(way.flows)} flows, {passing} of them are answered")


@pytest.mark.parametrize("what", ["edge router", "firewall", "upstream"])
def test_what_is_allowed_goes_on_when_one_dies_and_nothing_else_begins_to(
    way: Way, what: str, figure: Callable[[str], None]
) -> None:
    active = way.active()
    place = way.pair.firewalls.index(active.name)
    streams = Streams(way)
    time.sleep(3)
    if what == "firewall":
        active.die()
        left = way.edges.upstreams
    else:
        who = way.edges.names[place] if what == "edge router" else way.edges.terms.outside_links[place].name
        way.edges.cut(who)
        left = [each.name for each in way.edges.terms.outside_links if who not in {each.name, each.device}]
    way.learned(*left)
    if what != "upstream":
        until(lambda: way.active() is not active and way.active().shared() == way.pair.shared, LEARNED_S)
    time.sleep(8)
    for name, each in streams.ended().items():
        assert each["error"] == "", f"{name}: the open connection ended"
        assert each["silent_at_the_end_s"] < 2, f"{name}: the open connection hangs"
        assert each["outage_s"] >= 0, f"{name}: new connections do not pass any more"
        figure(
            f"{what} dies, {name}: an open connection silent for {each['silent_s']:.2f} s, new ones for "
            f"{each['outage_s']:.2f} s"
        )
    assert way.judged() == []
