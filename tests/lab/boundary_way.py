"""The whole way from the outside world to the built-in lab's zones, in namespaces, each part by what it really runs.

Somebody outside, two upstreams (FRR), two edge routers (FRR, and nftables of their lists), two firewalls (nftables of
both roles, keepalived, conntrackd), a demilitarised zone and the business plane. Each firewall is cabled to one router.
The VLAN is untagged and the peer link one cable, as not every kernel has VLANs and bonds; a router's gateway is a
macvlan with its own MAC address, as in a routed lab.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from boundary_pair import ROOT, Pair, rendered
from edge_packets import forwards
from edge_pair import EdgePair, run

from nornir_tasks.design.model.capabilities import Capabilities
from switch_twins.routed.cabling import OF_LAYER_2
from switch_twins.routed.daemons import Frr
from switch_twins.routed.names import gateway_name, kernel_name
from switch_twins.routed.upstreams import words
from switch_twins.upstreams import states

LAB = ROOT / "inventory" / "lab"
NAT = ROOT / "roles" / "nat_gateway"
INTERNET, WAN, PEER_LINK = "internet", "wan", "peer"
ANYBODY = {4: "8.8.8.8", 6: "2a00:1450::1"}
OFFICE = {4: "192.0.2.5", 6: "2001:db8:500::5"}
"""The network outside that flows of the intent name."""
_ASN = 64502
_LENGTH = {4: 30, 6: 126}


def _to_upstream(place: int, family: int) -> tuple[str, str]:
    """Addresses of the cable between an upstream and the rest of the world: the upstream's, the world's."""
    return (f"198.18.{place}.1", f"198.18.{place}.2") if family == 4 else (f"3ffe:{place}::1", f"3ffe:{place}::2")


class Edges(EdgePair):
    """The edge routers with a bridge each, and the rest of the world beyond both upstreams."""

    def __init__(self, folder: Path, twins: Path) -> None:
        super().__init__(LAB, folder, twins)
        self.frr[INTERNET] = Frr(self.namespace(INTERNET), folder / INTERNET)

    @property
    def everybody(self) -> list[str]:
        return [INTERNET, *self.names, *self.upstreams]

    @property
    def svi(self) -> str:
        """The kernel's name of the VLAN's interface."""
        return kernel_name(f"{self.routers[0].capabilities.svi_prefix}{self.terms.vlan}")

    def wire_inside(self) -> None:
        first, second = (self.namespace(name) for name in self.names)
        for place, router in enumerate(self.routers):
            there = self.namespace(router.name)
            run("ip", "netns", "exec", there, "sysctl", "-q", "-w", *OF_LAYER_2, *_filters_bridged(router.capabilities))
            mac = f"02:00:00:00:09:0{place + 1}"
            run("ip", "-n", there, "link", "add", self.svi, "address", mac, "type", "bridge")
        run("ip", "link", "add", PEER_LINK, "netns", first, "type", "veth", "peer", "name", PEER_LINK, "netns", second)
        for place, name in enumerate(self.names):
            run("ip", "-n", self.namespace(name), "link", "set", PEER_LINK, "master", self.svi, "up")
            own = (self.with_length(each.own[place], each.subnet) for each in self.terms.inside_links)
            self.up(name, self.svi, own)
            self._gateways(name)

    def _gateways(self, name: str) -> None:
        """As the routed lab makes them, of what the router's own configuration says."""
        there = self.namespace(name)
        for each in self.configured(name)[0].gateways:
            port = gateway_name(each.interface, is_six=all(":" in address for address in each.addresses))
            run("bridge", "-n", there, "fdb", "replace", each.mac, "dev", self.svi, "self", "local")
            made = ["link", "add", "link", self.svi, "name", port, "address", each.mac]
            run("ip", "-n", there, *made, "type", "macvlan", "mode", "private")
            self.up(name, port, (f"{address}/{128 if ':' in address else 32}" for address in each.addresses))

    def wire_outside(self) -> None:
        super().wire_outside()
        for place, upstream in enumerate(self.upstreams):
            far = ["peer", "name", upstream, "netns", self.namespace(INTERNET)]
            run("ip", "link", "add", "world", "netns", self.namespace(upstream), "type", "veth", *far)
            for who, port, side in ((upstream, "world", 0), (INTERNET, upstream, 1)):
                self.up(who, port, (f"{_to_upstream(place, each)[side]}/{_LENGTH[each]}" for each in _LENGTH))
        for each in (*ANYBODY.values(), *OFFICE.values()):
            run("ip", "-n", self.namespace(INTERNET), "address", "add", each, "dev", "lo")

    def configure(self) -> None:
        super().configure()
        forwards(self)
        for name, state in states(self.lab.spec.hosts).items():
            self._forward(name)
            peers = [(_to_upstream(self.upstreams.index(name), family)[1], _ASN) for family in _LENGTH]
            self.frr[name].tell(words(state) + _bgp(state.bgp[0].asn, peers))
        self._forward(INTERNET)
        peers = [
            (_to_upstream(place, family)[0], link.asn)
            for place, link in enumerate(self.terms.outside_links)
            for family in _LENGTH
        ]
        self.frr[INTERNET].tell(_bgp(_ASN, peers, (*ANYBODY.values(), *OFFICE.values())))

    def _forward(self, who: str) -> None:
        """Packets come back by another way than they went."""
        conf = Path("/proc/sys/net/ipv4/conf")
        names = run("ip", "netns", "exec", self.namespace(who), "ls", str(conf)).split()
        settings = [f"net/ipv4/conf/{each}/rp_filter=0" for each in names]
        settings += ["net/ipv4/ip_forward=1", "net/ipv6/conf/all/forwarding=1"]
        run("ip", "netns", "exec", self.namespace(who), "sysctl", "-q", "-w", *settings)

    def cut(self, who: str) -> None:
        """All cables of a router or an upstream lose their light at both ends."""
        there = self.namespace(who)
        for name in run("ip", "netns", "exec", there, "ls", "/sys/class/net").split():
            if name != "lo":
                run("ip", "-n", there, "link", "set", name, "down")


def _filters_bridged(known: Capabilities) -> Iterator[str]:
    """Where a list on an SVI meets what is only bridged, the kernel's does too, if it can (br_netfilter)."""
    takes = int(known.acls is not None and known.acls.svi_takes_bridged)
    if Path("/proc/sys/net/bridge").exists():
        yield from (f"net.bridge.bridge-nf-call-{each}={takes}" for each in ("iptables", "ip6tables"))


def _bgp(asn: int, peers: Sequence[tuple[str, int]], networks: Sequence[str] = ()) -> str:
    return "\n".join([f"router bgp {asn}", *_sessions(peers), *_families(peers, networks), "exit", ""])


def _sessions(peers: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield from (f" neighbor {address} remote-as {asn}" for address, asn in peers)


def _families(peers: Sequence[tuple[str, int]], networks: Sequence[str]) -> Iterator[str]:
    for family, length, is_six in (("ipv4", 32, False), ("ipv6", 128, True)):
        yield f" address-family {family} unicast"
        yield from (f"  neighbor {address} activate" for address, _ in peers if (":" in address) is is_six)
        yield from (f"  network {each}/{length}" for each in networks if (":" in each) is is_six)
        yield " exit-address-family"


class Firewalls(Pair):
    """The firewalls, each cabled to the edge router of its number."""

    def __init__(self, edges: Edges) -> None:
        zones = {"dmz": "dmz", "business": "lan"}
        super().__init__(("firewall-1", "firewall-2"), LAB / "fabric.yml", zones)
        self.edges = edges

    def cable(self, who: str, port: str) -> None:
        if port != WAN:
            super().cable(who, port)
            return
        router = self._router(who)
        far = ["peer", "name", who, "netns", router]
        run("ip", "link", "add", "name", port, "netns", self.name(who), "type", "veth", *far)
        run("ip", "-n", router, "link", "set", who, "master", self.edges.svi, "up")
        self.ip(who, "link", "set", port, "up")

    def cut(self, who: str, port: str, state: str) -> None:
        if port != WAN:
            super().cut(who, port, state)
            return
        run("ip", "-n", self._router(who), "link", "set", who, state)

    def name(self, who: str) -> str:
        return self.edges.namespace(INTERNET) if who == INTERNET else super().name(who)

    def _router(self, who: str) -> str:
        return self.edges.namespace(self.edges.names[self.firewalls.index(who)])

    def translate(self, who: str) -> None:
        """The rules of the role that translates."""
        text = rendered("nat.nft.j2", who, file=self.file, role=NAT)
        self.inside(who, "nft", "-f", "-", input=text)


def run_folder() -> Path:
    """Where daemons reach what they need."""
    return Path(f"/run/gpufabric-way{os.getpid()}")
