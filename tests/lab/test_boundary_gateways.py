"""Packets through a firewall and a gateway that is a machine of its own: hosts have addresses of their pool outside."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from boundary_pair import Pair, rendered, run
from routed_lab import needs_root
from test_boundary_nat import OFFICE, SERVER, TALK, Gateway, Seen, found, hosts, pools, ruleset, send

from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars
from nornir_tasks.design.hosts.gateway_vars import gateway_host_vars
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.sites.gateways import with_gateways

pytestmark = [needs_root]

WIRES = {
    "outside": {"wan": "edge"},
    "gateway-1": {"wan": "edge", "fw": "between"},
    "firewall-1": {"wan": "between", "dmz": "dmz", "lan": "lan"},
    "dmz": {"dmz": "dmz"},
    "business": {"lan": "lan"},
}
"""Namespace -> port -> what it is cabled to."""
PORTAL = "203.0.113.70"


@cache
def values(host: str) -> dict[str, Any]:
    intent = with_gateways()
    network = design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})
    found = {**firewall_host_vars(intent, network), **gateway_host_vars(intent, network)}
    return found[host].ansible()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    pair = Pair(["firewall-1", "gateway-1"])
    try:
        pair.namespace("wires")
        for bridge in {each for its in WIRES.values() for each in its.values()}:
            run("ip", "-n", pair.name("wires"), "link", "add", bridge, "type", "bridge")
            run("ip", "-n", pair.name("wires"), "link", "set", bridge, "up")
        for who, ports in WIRES.items():
            pair.namespace(who)
            for port, bridge in ports.items():
                far = pair.far(who, port)
                near = ["link", "add", "name", port, "netns", pair.name(who), "type", "veth"]
                run("ip", *near, "peer", "name", far, "netns", pair.name("wires"))
                run("ip", "-n", pair.name("wires"), "link", "set", far, "master", bridge, "up")
                pair.ip(who, "link", "set", port, "up")
        for who in ("firewall-1", "gateway-1"):
            machine(pair, who)
        around(pair)
        yield pair
    finally:
        pair.end()


def machine(pair: Pair, who: str) -> None:
    """The one that has the shared addresses, and the routes that keepalived makes for it."""
    pair.inside(who, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
    its = values(who)
    for zone in its["firewall_zones"]:
        for key in ("address", "shared", "address_v6", "shared_v6"):
            nodad = ["nodad"] if "v6" in key else []
            pair.ip(who, "address", "add", zone[key], "dev", zone["port"], *nodad)
        pair.inside(who, "sysctl", "-q", "-w", f"net.ipv4.conf.{zone['port']}.rp_filter=0")
    for zone in its["firewall_zones"]:
        for route in zone["routes"]:
            pair.ip(who, "route", "add", route["to"], "via", route["via"])
    pair.load(who, rendered("firewall.nft.j2", "firewall-1", **its))
    pair.inside(who, "nft", "-f", "-", input=ruleset(**its))


def around(pair: Pair) -> None:
    """Somebody in each zone; the edge router is whoever is outside."""
    login = hosts()["login"] + hosts()["gpu"]
    there = {
        "outside": ("wan", ["203.0.113.12/29", f"{SERVER}/32", f"{OFFICE}/32"], "203.0.113.9"),
        "dmz": ("dmz", [f"{PORTAL}/27"], "203.0.113.65"),
        "business": ("lan", ["10.190.0.4/28", *(f"{each}/32" for each in login)], "10.190.0.1"),
    }
    for who, (port, addresses, gateway) in there.items():
        for each in addresses:
            pair.ip(who, "address", "add", each, "dev", port)
        pair.ip(who, "route", "add", "default", "via", gateway)


def counters(pair: Pair, who: str, table: str) -> dict[str, int]:
    listed = json.loads(pair.inside(who, "nft", "-j", "list", "counters", "table", *table.split()))
    found = [each["counter"] for each in listed["nftables"] if "counter" in each]
    return {each["name"]: each["packets"] for each in found}


def test_hosts_behind_both_leave_with_an_address_of_their_pool_and_are_found(
    pair: Pair, tmp_path: Path, figure: Callable[..., None]
) -> None:
    gateway = Gateway(pair, "gateway-1", tmp_path / "log")
    seen = Seen(pair)
    sources = {**dict.fromkeys(hosts()["login"], "hosts"), **dict.fromkeys(hosts()["gpu"], "gpus")}
    jobs = [(source, protocol, 0) for source in sources for protocol in ("tcp", "udp", "icmp")]
    assert send(pair, "business", SERVER, jobs) == len(jobs)
    every = seen.ended()
    for each in every:
        low, high = pools()[sources[each["source"]]]
        assert str(low) <= each["address"] <= str(high)
        (answer,) = found(each["address"], each["port"], each["time"], each["protocol"], gateway.folder)
        assert answer.startswith(f"{each['source']} port ")
    assert len(every) == len(jobs)
    gateway.stop()
    figure(f"gateways of their own: {len(every)} of {len(jobs)} things seen outside lead to the inside host")


def test_what_is_published_is_reached_and_what_is_not_is_refused_by_the_gateway_already(pair: Pair) -> None:
    server = pair.start("dmz", sys.executable, "-I", str(TALK), "see", PORTAL)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    assert send(pair, "outside", PORTAL, [(SERVER, "tcp", 0)]) == 1
    before = counters(pair, "gateway-1", "inet gpufabric_firewall")["refused"]
    assert send(pair, "outside", PORTAL, [(SERVER, "udp", 0)]) == 0
    assert counters(pair, "gateway-1", "inet gpufabric_firewall")["refused"] == before + 1
    assert counters(pair, "firewall-1", "inet gpufabric_firewall")["refused"] == 0


@pytest.mark.parametrize("address", ["203.0.113.17", "203.0.113.2", "10.177.1.9"])
def test_nobody_outside_comes_in_with_an_address_of_ours(pair: Pair, address: str) -> None:
    pair.ip("outside", "address", "replace", f"{address}/32", "dev", "wan")
    before = counters(pair, "gateway-1", "inet gpufabric_firewall")["spoofed"]
    assert send(pair, "outside", PORTAL, [(address, "udp", 0)]) == 0
    pair.ip("outside", "address", "delete", f"{address}/32", "dev", "wan")
    assert counters(pair, "gateway-1", "inet gpufabric_firewall")["spoofed"] == before + 1


def test_a_firewall_that_translated_before_does_so_no_more(pair: Pair) -> None:
    listed = pair.inside("firewall-1", "nft", "list", "table", "ip", "gpufabric_nat")
    assert "snat" not in listed
    assert "elements" not in listed
