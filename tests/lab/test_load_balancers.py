"""Both load balancers, with real HAProxy and keepalived: clients reach servers, and still do when one is gone."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from balancer_pair import BALANCERS, CLIENTS, FAR, OTHER_CLIENT, STANDINS, Balancer, Site, values
from boundary_pair import Pair, run
from boundary_pair import rendered as of_firewall
from busy_machine import is_idle
from routed_lab import needs_root
from test_boundary_packets import PREFIXES

from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars
from nornir_tasks.design.hosts.load_balancer_vars import load_balancer_host_vars
from tests.unit.design.test_load_balancer import at_firewalls

pytestmark = needs_root

NEW_WITHIN_S = 3.0
"""So soon clients are served again, where nothing else keeps the processors busy."""
PUBLISHED = {each for one in values(BALANCERS[0])["load_balancer_published"] for each in one["addresses"]}
OF_SOURCE = 20
HANDSHAKE_S = 5
FEW_AND_SHORT = {
    "load_balancer_connections": 3 * OF_SOURCE,
    "load_balancer_connections_per_source": OF_SOURCE,
    "load_balancer_handshake_s": HANDSHAKE_S,
    "load_balancer_published": [
        *values(BALANCERS[0])["load_balancer_published"],
        {
            "name": "shell",
            "addresses": sorted(PUBLISHED),
            "ports": ["2022"],
            "tls_ports": [],
            "proxy": False,
            "server_port": 22,
            "servers": [{"name": "banner-1", "address": "10.177.0.99"}],
            "check": "tcp",
            "interval_s": 1,
        },
    ],
}
"""Limits that a test reaches soon, and a service beside the site's own whose servers speak first."""
Both = tuple[Site, Balancer, Balancer]


def until(true: Callable[[], bool], what: str, within_s: float = 90) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.1)


@pytest.fixture
def both(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Both]:
    site = Site(tmp_path)
    try:
        pair = site.build(**getattr(request, "param", {}))
        for each in pair:
            each.judged()
            each.serve()
        until(lambda: all((each.folder / "haproxy.pid").exists() for each in pair), "HAProxy runs")
        for each in pair:
            each.share()
        until(lambda: sorted(len(each.addresses()) for each in pair) == [0, len(PUBLISHED)], "one has all addresses")
        until(lambda: site.answer(4, "80", "plain") != "nothing", "servers are up")
        first, second = sorted(pair, key=lambda each: -len(each.addresses()))
        yield site, first, second
    finally:
        site.pair.end()


def test_clients_of_both_families_reach_a_server_that_knows_them_with_tls_and_without(both: Both) -> None:
    site, active, _ = both
    for family, client in CLIENTS.items():
        assert site.answer(family, "80", "plain") == f"api-1 {client}"
        assert site.answer(family, "443", "tls") == f"api-1 {client}"
        assert site.answer(family, "443", "tls1.1") == "nothing"
    site.sick.write_text("api-1")
    until(lambda: site.answer(4, "80", "plain") == "nothing", "a server that fails its checks gets no clients")
    site.sick.unlink()
    until(lambda: site.answer(6, "443", "tls") != "nothing", "a server that passes its checks gets clients again")
    listening = active.pair.inside(active.name, "ss", "-Hltn").splitlines()
    assert {each.split()[3] for each in listening} == {
        f"{f'[{address}]' if ':' in address else address}:{port}" for address in PUBLISHED for port in (80, 443)
    }, "nothing else is open, nothing for management either"


def refused(active: Balancer) -> int:
    """Connections of sources that had too many."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(active.folder / "socket"))
        asking.sendall(b"show stat\n")
        header, *lines = asking.makefile().read().strip().splitlines()
    rows = [dict(zip(header.removeprefix("# ").split(","), line.split(","), strict=False)) for line in lines]
    return sum(int(each["dcon"]) for each in rows if each["svname"] == "FRONTEND")


@pytest.mark.parametrize("both", [FEW_AND_SHORT], indirect=True, ids=["few"])
def test_one_source_cannot_take_all_connections_and_established_ones_may_be_idle(both: Both) -> None:
    site, active, _ = both
    flood = [site.quiet(client, 443, "plain", 4 * OF_SOURCE) for client in CLIENTS.values()]
    until(lambda: refused(active) == 6 * OF_SOURCE, "what one source has too many of is refused and counted")
    assert [each("open") for each in flood] == [str(OF_SOURCE)] * 2, "of each source as many as it may have"
    assert site.answer(4, "80", "plain") == "nothing", "these count for all services"
    silent = {
        "the PROXY protocol": site.quiet(OTHER_CLIENT, 80, "plain", 1),
        "TLS": site.quiet(OTHER_CLIENT, 443, "tls", 1),
        "a server that speaks first": site.quiet(OTHER_CLIENT, 2022, "plain", 1),
    }
    assert silent["a server that speaks first"]("hear") == "banner of banner-1"
    until(lambda: [each("open") for each in flood] == ["0", "0"], "a handshake that does not end is ended")
    time.sleep(HANDSHAKE_S + 1)
    for what, each in silent.items():
        assert each("ask").startswith(("api-1 ", "banner-1 ")), f"{what}: idle for longer than a handshake may take"
    assert site.answer(4, "443", "tls") == f"api-1 {CLIENTS[4]}", "who has fewer again is served again"


@pytest.mark.long
@pytest.mark.parametrize("fault", ["haproxy ends", "haproxy is killed", "the cable is cut"])
def test_clients_are_served_by_the_other_one_soon_and_it_keeps_the_addresses(
    both: Both, fault: str, figure: Callable[..., None]
) -> None:
    site, active, standby = both
    was_idle = is_idle()
    asking = {family: site.pair.start(FAR, *site.client(family, "80", "plain"), "12") for family in CLIENTS}
    for each in asking.values():
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    time.sleep(2)
    assert active.haproxy is not None
    if fault == "the cable is cut":
        active.cut("down")
    elif fault == "haproxy ends":
        active.haproxy.terminate()
    else:
        active.haproxy.kill()
    if fault != "the cable is cut":
        active.haproxy.wait(10)
    until(lambda: (active.addresses(), standby.addresses()) == (set(), PUBLISHED), "all addresses moved together")
    for family, each in asking.items():
        assert each.stdout is not None
        longest_s, count = map(float, each.stdout.readline().split())
        assert longest_s < 9, f"IPv{family}: clients are not served any more"
        if was_idle and is_idle():
            assert longest_s < NEW_WITHIN_S, f"IPv{family}: clients were served late"
        figure(f"{fault}, IPv{family}: no client served for {longest_s:.2f} s, {count:.0f} were")
    active.cut("up")
    active.serve()
    time.sleep(5)
    assert (active.addresses(), standby.addresses()) == (set(), PUBLISHED), "who comes back leaves them where they are"


@pytest.fixture
def firewall(tmp_path: Path) -> Iterator[tuple[Pair, Path]]:
    """One firewall that is a balancer, with its rules and HAProxy; it has what keepalived would give it."""
    pair, (intent, network) = Pair(["firewall-1"]), at_firewalls()
    rules = firewall_host_vars(intent, network)["firewall-1"].ansible()
    serves = load_balancer_host_vars(intent, network)["firewall-1"].ansible()
    run(sys.executable, str(STANDINS / "certificates.py"), str(tmp_path / "made"))
    try:
        pair.build()
        for zone in rules["firewall_zones"]:
            for each in (zone["shared"], zone["shared_v6"], *zone["published"]):
                nodad = ["nodad"] if ":" in each else []
                pair.ip("firewall-1", "address", "add", each, "dev", zone["port"], *nodad)
            for route in zone["routes"]:
                pair.ip("firewall-1", "route", "add", route["to"], "via", route["via"])
        (server,) = serves["load_balancer_published"][0]["servers"]
        there = {"outside": [*CLIENTS.values(), "192.0.2.5"], "dmz": [], "business": [server["address"]]}
        pair.settle(there, PREFIXES)
        program = [sys.executable, "-I", str(STANDINS / "server.py"), "/nobody"]
        process = pair.start("business", *program, f"{server['name']}={server['address']}:8443")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        pair.load("firewall-1", of_firewall("firewall.nft.j2", **rules))
        balancer = Balancer(pair, "firewall-1", tmp_path / "firewall-1", tmp_path / "made", **serves)
        pair.inside("firewall-1", "sysctl", "-q", "-p", str(balancer.folder / "sysctl.conf"))
        balancer.serve()
        until((balancer.folder / "haproxy.pid").exists, "HAProxy runs")
        yield pair, tmp_path / "made" / "authority.pem"
    finally:
        pair.end()


def test_a_firewall_that_is_a_balancer_serves_clients_outside_and_opens_nothing_else(
    firewall: tuple[Pair, Path],
) -> None:
    pair, authority = firewall
    found = {4: "203.0.113.70", 6: "2001:db8:101::46"}
    program = [sys.executable, "-I", str(STANDINS / "client.py"), str(authority)]

    def answer(zone: str, source: str, address: str, port: str, how: str = "plain") -> str:
        return pair.inside(zone, *program, source, address, port, how).strip()

    for family, client in CLIENTS.items():
        assert answer("outside", client, found[family], "80") == f"api-1 {client}"
        assert answer("outside", client, found[family], "443", "tls") == f"api-1 {client}"
        assert answer("outside", client, found[family], "22", "greeting") == "nothing"
    for zone, (v4, v6) in {name: PREFIXES[name] for name in ("dmz", "business")}.items():
        for family, own in ((4, v4), (6, v6)):
            assert answer(zone, own.partition("/")[0], found[family], "80") == "nothing", f"{zone} is not published to"
    for port in (80, 443):
        pair.inside("firewall-1", "nft", "reset", "counters")
        pair.ip("outside", "address", "add", "203.0.113.75/32", "dev", "wan")
        assert answer("outside", "203.0.113.75", found[4], str(port)) == "nothing", "a source of the site, from outside"
        pair.ip("outside", "address", "delete", "203.0.113.75/32", "dev", "wan")
        shown = json.loads(
            pair.inside("firewall-1", "nft", "-j", "list", "counters", "table", "inet", "gpufabric_firewall")
        )
        counters = {
            each["counter"]["name"]: each["counter"]["packets"] for each in shown["nftables"] if "counter" in each
        }
        assert counters["spoofed"] > 0


def test_keepalived_of_such_a_firewall_takes_its_file_with_the_published_addresses() -> None:
    rules = firewall_host_vars(*at_firewalls())["firewall-1"].ansible()
    text = of_firewall("keepalived.conf.j2", **rules)
    assert "        203.0.113.70/32\n" in text
    assert "        2001:db8:101::46/128\n" in text
