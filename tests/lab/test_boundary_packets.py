"""Real packets through the firewalls' rules: each arrives or not as the intent says, by a judge that shares no code."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network, ip_network
from itertools import product

import pytest
from boundary_judge import Judge, Packet
from boundary_pair import NEEDED, SITE, ZONES, Pair, groups, rendered
from routed_lab import needs_root

pytestmark = [needs_root]

SERVICES = (
    ("tcp", 22),
    ("tcp", 53),
    ("tcp", 80),
    ("tcp", 443),
    ("tcp", 3128),
    ("tcp", 8443),
    ("udp", 53),
    ("udp", 67),
    ("udp", 123),
    ("icmp", 0),
)
FIRST_ID = 20_000
"""Of an opening packet; below the ports that a kernel gives by itself."""


def test_a_machine_without_the_programs_is_told_so() -> None:
    missing = [package for program, package in NEEDED.items() if shutil.which(program) is None]
    assert not missing, f"apt-get install {' '.join(missing)} (scripts/machine_packages.sh)"


def first(group: str, family: int, place: int = 9) -> str:
    return next(str(net[place]) for each in groups()[group] if (net := ip_network(each)).version == family)


def sources() -> dict[int, dict[str, list[str]]]:
    """Family -> zone -> what comes in there: its own, and what somebody may pretend to be, nobody else here."""
    login, gpu = (each.network_address for each in (v4("login"), v4("gpu")))
    login_6, next_6 = (first("login", 6, place) for place in (9, 10))
    outside = ["192.0.2.5", "192.0.2.200", "198.51.100.77", "10.99.0.1", str(login + 20), "10.168.0.20", "203.0.113.85"]
    dmz = ["203.0.113.68", "203.0.113.70", "203.0.113.72", "203.0.113.74", str(login + 21), "198.51.100.80"]
    own = [str(login + 9), str(gpu + 9), "10.190.0.4"]
    outside_6 = ["2001:db8:500::5", "2001:db8:900::7", "fd99::1", "fd00:300:0:3::20", "2001:db8:101::85"]
    dmz_6 = ["2001:db8:101::4", "2001:db8:101::46", "2001:db8:101::48", "2001:db8:101::4a", "fd00:300:0:3::21"]
    return {
        4: {
            "outside": outside,
            "dmz": dmz,
            "business": [*own, "10.168.0.21", "10.183.0.21", "203.0.113.86", "192.0.2.21"],
        },
        6: {
            "outside": outside_6,
            "dmz": dmz_6,
            "business": [login_6, next_6, "fd00:190::4", "2001:db8:101::86", "2001:db8:900::21"],
        },
    }


def v4(group: str) -> IPv4Network:
    return next(IPv4Network(each) for each in groups()[group] if "." in each)


def destinations() -> dict[int, dict[str, list[str]]]:
    """Family -> zone -> who is there; pools that are kept apart are cabled to the hosts' zone, to be reached there."""
    return {
        4: {
            "outside": ["192.0.2.5", "198.51.100.53", "198.51.100.77", "198.51.100.123"],
            "dmz": ["203.0.113.68", "203.0.113.69", "203.0.113.70", "203.0.113.72", "203.0.113.75", "203.0.113.76"],
            "business": [first("login", 4), first("gpu", 4), "10.168.0.9", "10.176.0.9", "10.183.0.9"],
        },
        6: {
            "outside": ["2001:db8:200::53", "2001:db8:200::123", "2001:db8:500::5", "2001:db8:900::7"],
            "dmz": ["2001:db8:101::4", "2001:db8:101::46", "2001:db8:101::48", "2001:db8:101::4a", "2001:db8:101::4c"],
            "business": [first("login", 6), first("login", 6, 10)],
        },
    }


def packets() -> list[Packet]:
    """Every source into every other zone's destinations, for every service."""
    return [
        Packet(zone, source, destination, protocol, port)
        for family in (4, 6)
        for zone, froms in sources()[family].items()
        for source in froms
        for into, tos in destinations()[family].items()
        if into != zone
        for destination, (protocol, port) in product(tos, SERVICES)
    ]


PREFIXES = {
    "outside": ["203.0.113.4/29", "2001:db8:100::4/64"],
    "dmz": ["203.0.113.90/27", "2001:db8:101::90/64"],
    "business": ["10.190.0.4/28", "fd00:190::4/64"],
}
"""Of the port in each zone; in zones with a next hop it is that."""


class Sent:
    """All packets sent once, and what became of each."""

    def __init__(self, pair: Pair, every: list[Packet]) -> None:
        self.every = every
        ids = {packet: FIRST_ID + number for number, packet in enumerate(every)}
        there = {
            zone: sorted({a for f in (4, 6) for a in (*sources()[f][zone], *destinations()[f][zone])}) for zone in ZONES
        }
        pair.settle(there, PREFIXES)
        listen = {kind: sorted({port for protocol, port in SERVICES if protocol == kind}) for kind in ("tcp", "udp")}
        self.zones: dict[str, Callable[[], Callable[[], dict[str, list[int]]]]] = {}
        for zone in ZONES:
            here = [each for f in (4, 6) for each in destinations()[f][zone]]
            jobs = [
                (ids[each], each.family, each.protocol, each.source, each.destination, each.port)
                for each in every
                if each.zone == zone
            ]
            self.zones[zone] = pair.zone(zone, here, listen, jobs)
        self.ids = ids
        of_others = {
            (zone, a)
            for zone in ZONES
            for f in (4, 6)
            for into in ZONES
            if into != zone
            for a in destinations()[f][into]
        }
        assert not any((zone, address) in of_others for zone, its in there.items() for address in its)

    def outcome(self) -> tuple[set[Packet], set[Packet]]:
        """Those that arrived where they were sent to, and those that were answered."""
        reading = {zone: go() for zone, go in self.zones.items()}
        seen = {zone: read() for zone, read in reading.items()}
        packets = {number: packet for packet, number in self.ids.items()}
        into = {a: zone for f in (4, 6) for zone, each in destinations()[f].items() for a in each}
        arrived = {packets[n] for zone, its in seen.items() for n in its["arrived"] if n in packets}
        elsewhere = {each for each in arrived if self.ids[each] not in seen[into[each.destination]]["arrived"]}
        assert not elsewhere, "a packet arrives in a zone that it was not sent to"
        return arrived, {packets[n] for its in seen.values() for n in its["answered"]}


@pytest.fixture(scope="module")
def one_firewall() -> Iterator[Pair]:
    pair = Pair(["firewall-1"])
    try:
        pair.build()
        # The shared addresses are keepalived's to give; here one firewall alone has them.
        for line in ("203.0.113.1/29 wan", "203.0.113.65/27 dmz", "10.190.0.1/28 lan"):
            address, port = line.split()
            pair.ip("firewall-1", "address", "add", address, "dev", port)
        for line in ("2001:db8:100::1/64 wan", "2001:db8:101::1/64 dmz", "fd00:190::1/64 lan"):
            address, port = line.split()
            pair.ip("firewall-1", "address", "add", address, "dev", port, "nodad")
        routes = ["default via 203.0.113.4", "default via 2001:db8:100::4", "fd00:300:0:3::/64 via fd00:190::4"]
        routes += [
            f"{each} via 10.190.0.4" for each in ("10.177.0.0/16", "10.168.0.0/13", "10.176.0.0/16", "10.183.0.0/16")
        ]
        for line in routes:
            pair.ip("firewall-1", "route", "add", *line.split())
        yield pair
    finally:
        pair.end()


@pytest.fixture(scope="module")
def sent(one_firewall: Pair) -> Sent:
    return Sent(one_firewall, packets())


def test_every_packet_arrives_or_not_as_the_intent_says(
    one_firewall: Pair, sent: Sent, figure: Callable[..., None]
) -> None:
    judge = Judge(SITE, groups())
    one_firewall.load("firewall-1", rendered("firewall.nft.j2"))
    arrived, answered = sent.outcome()
    wanted = {packet for packet in sent.every if judge.passes(packet)}
    for family, protocol in product((4, 6), ("tcp", "udp", "icmp")):
        its = [each for each in sent.every if (each.family, each.protocol) == (family, protocol)]
        assert {each in wanted for each in its} == {True, False}, "some of each kind pass, and some do not"
    assert sorted(arrived - wanted) == [], "passes, and may not"
    assert sorted(wanted - arrived) == [], "may pass, and does not"
    assert sorted(wanted - answered) == [], "its answers do not come back"
    assert answered <= wanted
    agree = sum((each in arrived) == (each in wanted) for each in sent.every)
    figure(
        f"flows through the firewall: {agree} of {len(sent.every)} agree with the intent, {len(wanted)} of them pass"
    )


MUTANTS = {
    "sources are not looked at": ("		jump genuine\n", ""),
    "a published port is another one": ("tcp dport { 80, 443 }", "tcp dport { 80, 444 }"),
    "one pair of zones is forgotten": ('"dmz" . "lan" : jump from_52_to_53, ', ""),
    "what matches nothing passes": ('		counter name "refused" drop\n', '		counter name "refused" accept\n'),
    "neighbour discovery is refused": ("nd-neighbor-solicit, nd-neighbor-advert", "nd-router-solicit"),
    "answers are refused": ("ct state established,related accept", "ct state related accept"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_change_of_the_rules_that_matters_is_seen_in_packets(name: str, one_firewall: Pair, sent: Sent) -> None:
    judge = Judge(SITE, groups())
    text = rendered("firewall.nft.j2")
    assert MUTANTS[name][0] in text
    one_firewall.load("firewall-1", text.replace(*MUTANTS[name]))
    one_firewall.inside("firewall-1", "ip", "-6", "neigh", "flush", "all")
    arrived, answered = sent.outcome()
    wanted = {packet for packet in sent.every if judge.passes(packet)}
    assert (arrived, answered) != (wanted, wanted)
