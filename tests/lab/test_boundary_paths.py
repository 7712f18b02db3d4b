"""What paths depend on passes firewall and translation: fragments, and a router's word that a packet is too large.

What comes without its beginning, as by another way than the rest of its connection, does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from boundary_pair import Pair, rendered, run
from routed_lab import needs_root
from test_boundary_nat import ruleset, values
from test_boundary_packets import PREFIXES, first

pytestmark = [needs_root]

NARROW_BYTES = 1300
FAR = {4: "198.51.100.200", 6: "2001:db8:900::200"}
"""Behind a link outside that takes no more than that."""
NEAR = {4: "198.51.100.77", 6: "2001:db8:900::7"}
SENT_BYTES = 200_000

TAKE = """
import socket, sys
there = socket.create_server(('::', 443), family=socket.AF_INET6, dualstack_ipv6=True)
print('ready', flush=True)
while True:
    one, _ = there.accept()
    number = 0
    while data := one.recv(65536):
        number += len(data)
    one.close()
    print(number, flush=True)
"""
GIVE = """
import socket, sys
source, to, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
one = socket.create_connection((to, 443), 5, (source, 0))
one.sendall(bytes(number))
one.shutdown(socket.SHUT_WR)
one.settimeout(10)
one.recv(1)
"""
ECHO = """
import socket, sys
for each in sys.argv[1:]:
    there = socket.socket(socket.AF_INET6 if ':' in each else socket.AF_INET, socket.SOCK_DGRAM)
    there.bind((each, 53))
    if each == sys.argv[1]: first = there
    else: second = there
print('ready', flush=True)
import select
while True:
    for each in select.select([first, second], [], [])[0]:
        data, where = each.recvfrom(65536)
        each.sendto(data, where)
"""
ASK = """
import socket, sys
source, to, port, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
one = socket.socket(socket.AF_INET6 if ':' in to else socket.AF_INET, socket.SOCK_DGRAM)
one.bind((source, 0))
one.settimeout(5 if port == 53 else 1)  # what nothing lets pass is waited for in vain
one.sendto(bytes(number), (to, port))
try: print(len(one.recvfrom(65536)[0]))
except TimeoutError: print(0)
"""
MANY = """
import socket, sys
to, number = sys.argv[1], int(sys.argv[2])
for source in sys.argv[3:]:
    for _ in range(number):
        with socket.socket(socket.AF_INET6 if ':' in to else socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.bind((source, 0))
            one.sendto(b'x', (to, 9))
"""
MIDSTREAM = """
import socket, struct, sys
source, to = (socket.inet_aton(each) for each in sys.argv[1:3])
def total(data):
    number = sum(struct.unpack(f'!{len(data) // 2}H', data))
    number = (number >> 16) + (number & 0xffff)
    return ~(number + (number >> 16)) & 0xffff
def tcp(flags, seal=0):
    return struct.pack('!HHIIBBHHH', 40000, 443, 1, 1, 5 << 4, flags, 1000, seal, 0)
one = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
one.bind((sys.argv[1], 0))
for flags in (0x10, 0x18, 0x12):
    seal = total(source + to + struct.pack('!BBH', 0, 6, 20) + tcp(flags))
    one.sendto(tcp(flags, seal), (sys.argv[2], 0))
"""


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    pair = Pair(["firewall-1"])
    try:
        pair.build()
        for zone in values()["firewall_zones"]:
            pair.ip("firewall-1", "address", "add", zone["shared"], "dev", zone["port"])
            pair.ip("firewall-1", "address", "add", zone["shared_v6"], "dev", zone["port"], "nodad")
            for route in zone["routes"]:
                pair.ip("firewall-1", "route", "add", route["to"], "via", route["via"])
        there = {
            "outside": [*NEAR.values()],
            "dmz": ["203.0.113.70"],
            "business": [first("login", 4), first("login", 6)],
        }
        pair.settle(there, PREFIXES)
        far(pair)
        pair.load("firewall-1", rendered("firewall.nft.j2"))
        pair.inside("firewall-1", "nft", "-f", "-", input=ruleset())
        yield pair
    finally:
        pair.end()


def far(pair: Pair) -> None:
    """Somebody behind a router outside, who himself does not know that the way to him is narrow."""
    pair.namespace("far")
    near = ["link", "add", "name", "narrow", "netns", pair.name("outside"), "type", "veth"]
    run("ip", *near, "peer", "name", "wide", "netns", pair.name("far"))
    pair.ip("outside", "link", "set", "narrow", "mtu", str(NARROW_BYTES), "up")
    pair.ip("far", "link", "set", "wide", "up")
    for who, port, addresses in (
        ("outside", "narrow", ["198.51.100.193/26", "2001:db8:900::c1/120"]),
        ("far", "wide", [f"{FAR[4]}/26", "2001:db8:900::200/112"]),
    ):
        for each in addresses:
            pair.ip(who, "address", "add", each, "dev", port, *(["nodad"] if ":" in each else []))
    pair.inside("outside", "sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
    pair.ip("outside", "route", "add", f"{FAR[6]}/128", "dev", "narrow")
    pair.ip("far", "route", "add", "default", "via", "198.51.100.193")
    pair.ip("far", "route", "add", "default", "via", "2001:db8:900::c1")


def counters(pair: Pair) -> dict[str, int]:
    listed = json.loads(
        pair.inside("firewall-1", "nft", "-j", "list", "counters", "table", "inet", "gpufabric_firewall")
    )
    found = [each["counter"] for each in listed["nftables"] if "counter" in each]
    return {each["name"]: each["packets"] for each in found}


@pytest.mark.parametrize("family", [4, 6])
def test_a_connection_over_a_narrow_way_learns_of_it_and_all_arrives(pair: Pair, family: int) -> None:
    taking = pair.start("far", sys.executable, "-c", TAKE)
    assert taking.stdout is not None
    assert taking.stdout.readline() == "ready\n"
    source = first("login", family)
    pair.inside("business", sys.executable, "-c", GIVE, source, FAR[family], str(SENT_BYTES))
    assert int(taking.stdout.readline()) == SENT_BYTES
    learnt = pair.inside("business", "ip", "route", "get", FAR[family], "from", source)
    assert f"mtu {NARROW_BYTES}" in learnt, "the router's message arrived at the host, translated back"
    ended(pair, taking)


@pytest.mark.parametrize("family", [4, 6])
def test_rules_that_refuse_the_routers_word_are_seen(pair: Pair, family: int) -> None:
    text, kept = rendered("firewall.nft.j2"), "ct state established,related accept\n\t\tct state invalid"
    assert text.count(kept) == 2
    pair.load("firewall-1", text.replace(kept, kept.replace(",related", "")))
    pair.ip("business", "-4" if family == 4 else "-6", "route", "flush", "cache")
    taking = pair.start("far", sys.executable, "-c", TAKE)
    assert taking.stdout is not None
    assert taking.stdout.readline() == "ready\n"
    source = first("login", family)
    giving = pair.start("business", sys.executable, "-c", GIVE, source, FAR[family], str(SENT_BYTES))
    time.sleep(2)
    assert "mtu" not in pair.inside("business", "ip", "route", "get", FAR[family], "from", source)
    for each in (giving, taking):
        ended(pair, each)
    pair.load("firewall-1", text)


def ended(pair: Pair, process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait(10)
    pair.processes.remove(process)
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()


@pytest.mark.parametrize("family", [4, 6])
def test_a_datagram_in_fragments_passes_where_a_row_lets_it_and_nowhere_else(pair: Pair, family: int) -> None:
    echo = pair.start("outside", sys.executable, "-c", ECHO, *NEAR.values())
    assert echo.stdout is not None
    assert echo.stdout.readline() == "ready\n"
    source = first("login", family)
    for number in (100, 4000):
        answer = pair.inside("business", sys.executable, "-c", ASK, source, NEAR[family], "53", str(number))
        assert int(answer) == number
    before = counters(pair)["refused"]
    assert int(pair.inside("business", sys.executable, "-c", ASK, source, NEAR[family], "54", "4000")) == 0
    assert counters(pair)["refused"] == before + 1, "judged once, put together"
    ended(pair, echo)


def test_what_comes_without_its_beginning_is_dropped_and_counted(pair: Pair) -> None:
    before = counters(pair)
    pair.inside("outside", sys.executable, "-c", MIDSTREAM, NEAR[4], "203.0.113.70")
    after = counters(pair)
    forwarded = after.keys() - {"refused_here"}  # neighbours greet the firewall when they will
    dropped = {name: after[name] - before[name] for name in forwarded if after[name] != before[name]}
    # An answer without a question is no state at all; the others may be of a connection that went another way.
    assert dropped == {"midstream": 2, "invalid": 1}


@pytest.mark.parametrize("family", [4, 6])
def test_where_the_set_of_senders_is_full_the_others_have_one_share_together(pair: Pair, family: int) -> None:
    text = rendered("firewall.nft.j2", firewall_new_per_second=1)
    assert text.count("size 65536") == 2
    pair.load("firewall-1", text.replace("size 65536", "size 2"))
    networks = [f"198.51.100.{each}" if family == 4 else f"2001:db8:{900 + each}::7" for each in range(80, 90)]
    for each in networks:
        pair.ip("outside", "address", "add", each, "dev", "wan", *(["nodad"] if family == 6 else []))
    to = "203.0.113.70" if family == 4 else "2001:db8:101::46"
    pair.inside("outside", sys.executable, "-c", MANY, to, "10", *networks)
    # Ten each: of two senders eight, and of all the others but two, less what a busy machine takes seconds for.
    assert 2 * 8 + 20 < counters(pair)["limited"] <= 2 * 8 + 78
    pair.load("firewall-1", rendered("firewall.nft.j2"))
