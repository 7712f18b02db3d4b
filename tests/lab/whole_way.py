"""Every packet between hosts of a routed lab thrice: by the proof, by the rules in the kernels, and as it was sent.

Ends are addresses of hosts, of the machines beyond a way out, and of somebody outside, whom the first of these machines
plays. Verdicts of the proof are asked of ``isolation.judge``, with the configurations that were pushed.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_interface, ip_network
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from loaded_rules import Rules, Sent
from routed_lab import RoutedLab

from nornir_tasks.design.model.flow_terms import Service
from nornir_tasks.design.model.mlag import Segment
from nornir_tasks.design.model.network import Network
from nornir_tasks.proofs import isolation
from nornir_tasks.proofs.breach import Judged
from nornir_tasks.proofs.ends import End
from nornir_tasks.proofs.isolation import Isolation
from nornir_tasks.usecases.proofs.prove import guarded, rendered, shared_bmcs
from nornir_tasks.usecases.site import SiteDesign, select
from switch_twins.routed.names import kernel_name

OFFICE = ("192.0.2.10", "2001:db8:500::10")
"""Somebody outside, of the networks of the intent; asks hosts, and is their server for DNS and NTP."""
DHCP_SERVER = "203.0.113.90"
TCP_PORTS = (22, 53, 80, 443, 2049, 2222, 8080, 9)
UDP_PORTS = (53, 67, 123, 161, 514, 623, 2049, 9)
"""Of all services that the site's intent names, and 9, which none does."""
PORTS = (*(("tcp", each) for each in TCP_PORTS), *(("udp", each) for each in UDP_PORTS), ("icmp", 0))
NUMBERS = {"tcp": 6, "udp": 17, "icmp": 1}
A_FEW = (("tcp", 22), ("udp", 9), ("icmp", 0))
LONE_VLAN = 40
"""Of the out-of-band plane's leaves."""
OUTSIDE, GATEWAY = "outside", "gateway"
BEYOND = frozenset({OUTSIDE, "firewall"})
"""Between these nothing is the site's to decide."""


class Place(NamedTuple):
    """One address of a host, and by which of its devices it sends."""

    host: str
    device: str
    address: str
    plane: str
    group: str
    segment: Segment

    @property
    def is_ipv6(self) -> bool:
        return ":" in self.address

    @property
    def way(self) -> tuple[str | None, str | None]:
        """Its own prefix, and the gateway to all others."""
        its = self.segment
        return (its.subnet_v6, its.gateway_v6) if self.is_ipv6 else (its.subnet, its.gateway)


class Probe(NamedTuple):
    """Something that is sent."""

    source: Place
    target: Place
    protocol: str
    port: int

    def __str__(self) -> str:
        ends = f"{self.source.host} {self.source.address} to {self.target.host} {self.target.address}"
        return f"{ends}: {self.protocol} {self.port or 'echo'}"


class Found(NamedTuple):
    """Does it pass, and does an answer: what the proof says, the loaded rules, and packets."""

    proof: bool
    rules: tuple[bool, bool]
    packets: tuple[bool, bool]

    @property
    def agree(self) -> bool:
        answered = all(self.rules)
        return self.proof == answered and self.packets == (self.rules[0], answered)


@dataclass(frozen=True)
class Verdicts:
    """What the proof says of a site whose configurations are these."""

    network: Network
    proved: Isolation
    passes: Mapping[tuple[End, End, str], bool]
    """(source, destination, service)"""

    @classmethod
    def of(cls, design: SiteDesign) -> Verdicts:
        configs = {name: each.config for name, each in rendered(select(design)).items()}
        services = {f"{protocol} {port}": (_service(protocol, port),) for protocol, port in PORTS}
        by_group, _ = guarded(design)
        proved = isolation.judge(design.network, configs, by_group, services, shared_bmcs=shared_bmcs(design))
        assert not proved.failed and not proved.unknown, proved.summary()
        services_of = {
            (pair.source, pair.destination, one.service): one.passes for pair in proved.pairs for one in pair.services
        }
        return cls(design.network, proved, services_of)

    def says(self, probe: Probe) -> bool:
        """Passes both ways: what is opened, and its answers."""
        one, other = probe.source, probe.target
        ends = End(one.plane, one.group), End(other.plane, other.group)
        if self.fabric(one) != self.fabric(other):
            assert not any(one.passes for each in self._between(*ends) for one in each.services), ends
            return False
        if GATEWAY in (one.group, other.group):
            return probe.protocol == "icmp"
        if OUTSIDE in (one.group, other.group):
            return ends in self._proved_pairs and ends[::-1] in self._proved_pairs
        if one.segment == other.segment or (one.plane == other.plane and self._is_open(one.plane)):
            return True
        return self.passes[*ends, f"{probe.protocol} {probe.port}"]

    def relays(self, probe: Probe) -> bool:
        """Does DHCP reach its server?"""
        plane = probe.source.plane
        return (End(plane, probe.source.group), End(plane, f"DHCP server {DHCP_SERVER}")) in self._proved_pairs

    def _between(self, *ends: End) -> Iterator[Judged]:
        return (each for each in self.proved.pairs if (each.source, each.destination) == ends)

    def fabric(self, place: Place) -> str:
        """Between two of these there is no cable."""
        return self.network.planes[place.plane].fabric

    def _is_open(self, plane: str) -> bool:
        return self.network.planes[plane].allowed is None

    @cached_property
    def _proved_pairs(self) -> frozenset[tuple[End, End]]:
        return frozenset((each.source, each.destination) for each in self.proved.pairs)


def _service(protocol: str, port: int) -> Service:
    return Service(NUMBERS[protocol], (port, port) if port else (0, 65535))


# -- who is there ---------------------------------------------------------------------------------------------------


def places(lab: RoutedLab, network: Network) -> list[Place]:
    """Two hosts of each group with all of their addresses on the planes of the lab, and somebody outside."""
    spec: dict[str, Any] = json.loads((lab.operator.lab / "spec.json").read_text())
    found: list[Place] = []
    for bond in spec["bonds"]:
        group, _, number = bond["host"].rpartition("-")
        if int(number) > 2:
            continue
        for vlan in bond["vlans"]:
            device = kernel_name(bond["name"] if vlan.get("tag") is None else f"{bond['name']}.{vlan['tag']}")
            for address in map(ip_interface, vlan["addresses"]):
                segment = next(each for each in network.segments if _is_in(address.ip, each))
                place = Place(bond["host"], device, str(address.ip), segment.plane, group, segment)
                if str(address.ip) not in segment.next_hops:
                    found.append(place)
    way = next((each for each in found if each.segment.is_way_out), None)
    if way is not None:
        found += [way._replace(host=_first(way), address=each, group=OUTSIDE) for each in OFFICE]
    return found


def lone_places(lab: RoutedLab, network: Network) -> list[Place]:
    """Of each group with ports that are in no bond, by which it has a gateway: rails of two hosts; on the out-of-band
    plane one device at each leaf.
    """
    spec: dict[str, Any] = json.loads((lab.operator.lab / "spec.json").read_text())
    links, found = {each.name: each for each in network.links}, dict[tuple[object, ...], Place]()
    for each in spec["hosts"]:
        group, _, number = each["name"].rpartition("-")
        if not each.get("addresses") or not each.get("routes"):
            continue
        (circuit,), own, gateway = network.circuits_on(links[each["cable"]]), each["addresses"][0], each["routes"][0]
        leaf, subnet = each["switch"][0], str(ip_interface(own).network)
        is_rail = any("table" in route for route in each["routes"])
        vlan = 0 if is_rail else LONE_VLAN
        segment = Segment(circuit.owner, leaf, "", vlan, (), subnet, gateway["via"], ((leaf, gateway["via"]),))
        place = Place(each["name"], kernel_name(each["port"]), own.partition("/")[0], circuit.owner, group, segment)
        if not is_rail or int(number) <= 2:
            found.setdefault((group, leaf, each["port"], number if is_rail else ""), place)
    return [*found.values()]


def _first(way: Place) -> str:
    return f"{way.group}-1"


def _is_in(address: Any, segment: Segment) -> bool:
    return any(address in ip_network(each) for each in (segment.subnet, segment.subnet_v6) if each is not None)


def relays(network: Network) -> list[Place]:
    """The switches' own addresses from which DHCP of hosts is relayed, as places of the group that asks."""
    return [
        Place(leaf, "", address, segment.plane, group, segment)
        for segment in network.segments
        if DHCP_SERVER in network.planes[segment.plane].dhcp_servers and not segment.is_way_out
        for group in segment.groups
        for leaf, address in segment.leaves
    ]


def probes(every: Sequence[Place], network: Network) -> Iterator[Probe]:
    """From each place to each other: every service that is named, a port that none is, a ping; and to its gateway."""
    for source in every:
        for target in every:
            is_own = source.host == target.host or {source.group, target.group} <= BEYOND
            if not is_own and source.is_ipv6 == target.is_ipv6:
                yield from (Probe(source, target, protocol, port) for protocol, port in PORTS)
        if source.group != OUTSIDE:
            is_open = network.planes[source.plane].allowed is None
            yield from (Probe(source, _gateway_of(source), *each) for each in PORTS if each[0] == "icmp" or not is_open)


def on_lone_ports(lone: Sequence[Place], bonded: Sequence[Place], verdicts: Verdicts) -> Iterator[Probe]:
    """Between hosts of one fabric every service, or of an open plane a few; a few between fabrics; and to gateways."""
    yield from (Probe(each, _gateway_of(each), "icmp", 0) for each in lone)
    groups: set[tuple[object, ...]] = set()
    for one, other in permutations([*lone, *bonded], 2):
        if one.is_ipv6 or other.is_ipv6 or one.host == other.host or not {one, other} & {*lone}:
            continue
        if verdicts.fabric(one) == verdicts.fabric(other):
            is_open = verdicts.network.planes[one.plane].allowed is None
            yield from (Probe(one, other, *each) for each in (A_FEW if is_open else PORTS))
        elif (pair := (one.plane, one.group, other.plane, other.group)) not in groups:
            groups.add(pair)
            yield from (Probe(one, other, *each) for each in A_FEW)


def _gateway_of(place: Place) -> Place:
    return place._replace(host="", device="", address=place.way[1] or "", group=GATEWAY)


def to_dhcp(from_switches: Sequence[Place], every: Sequence[Place]) -> list[Probe]:
    """What relays send to their server."""
    outside = next(each for each in every if each.group == OUTSIDE)
    server = outside._replace(address=DHCP_SERVER)
    unique = {each.address: each for each in from_switches}
    return [Probe(each, server, "udp", 67) for each in unique.values()]


# -- sent -----------------------------------------------------------------------------------------------------------


class Sender:
    """The program that sends, in the lab's machine or here, for as long as the lab is up."""

    def __init__(self, lab: RoutedLab, every: Sequence[Place], switches: Iterable[str]) -> None:
        program = Path(__file__).with_name("way_packets.py").read_text()
        words = ["python3", "-u", "-c", program]
        if lab.machine_words:
            words = [*lab.machine_words, shlex.join(words)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        hosts: dict[str, dict[str, Any]] = {}
        for each in every:
            host = hosts.setdefault(each.host, {"namespace": f"{lab.name}-{each.host}", "devices": {}, "more": []})
            if each.group == OUTSIDE:
                host["more"].append(each.address)
                continue
            device = host["devices"].setdefault(each.device, {"addresses": [], "ways": []})
            device["addresses"].append(each.address)
            device["ways"].append(each.way)
        for each in every:
            if each.group == OUTSIDE and not each.is_ipv6:
                hosts[each.host]["more"].append(DHCP_SERVER)
        for name in switches:
            hosts[name] = {"namespace": f"{lab.name}-{name}", "devices": {}, "more": []}
        self._ask({"hosts": hosts, "tcp": TCP_PORTS, "udp": UDP_PORTS})

    def send(self, wanted: Mapping[Probe, bool]) -> dict[Probe, tuple[bool, bool]]:
        """``wanted``: is an answer awaited? Whether each arrived, and was answered."""
        orders = [
            (
                each.source.host,
                each.source.device,
                each.source.address,
                each.target.address,
                each.protocol,
                each.port,
                is_,
            )
            for each, is_ in wanted.items()
        ]
        found = self._ask({"probes": orders})
        return {each: (arrived, answered) for each, (arrived, answered) in zip(wanted, found, strict=True)}

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def _ask(self, order: Mapping[str, object]) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the program that sends has ended"
        return json.loads(line)


# -- judged ---------------------------------------------------------------------------------------------------------


class WholeWay:
    """A lab of which everything is compared."""

    def __init__(self, lab: RoutedLab, design: SiteDesign) -> None:
        self.network, self.verdicts = design.network, Verdicts.of(design)
        bonded, lone = places(lab, design.network), lone_places(lab, design.network)
        self.places = [*bonded, *lone]
        here = {*lab.switches}
        self.leaves = sorted({leaf for each in self.places for leaf, _ in each.segment.leaves} & here)
        found = relays(design.network)
        self.probes = [*probes(bonded, design.network), *on_lone_ports(lone, bonded, self.verdicts)]
        self.dhcp = to_dhcp([each for each in found if each.host in here], self.places)
        self.lab, self.rules = lab, dict[str, Rules]()
        self.read_rules()
        self.sender = Sender(lab, self.places, {each.source.host for each in self.dhcp})

    def read_rules(self) -> None:
        """What the kernels have loaded now."""
        self.rules = {leaf: Rules(self.lab.inside(leaf, "nft", "-j", "list", "ruleset")) for leaf in self.leaves}

    def found(self, without: Iterable[str] = (), among: Iterable[Probe] | None = None) -> dict[Probe, Found]:
        """Everything, or what is ``among`` these, sent now. ``without``: switches by which nothing goes."""
        off = {*without}
        by_proof = {each: self.verdicts.says(each) for each in self.probes}
        by_proof |= {each: self.verdicts.relays(each) for each in self.dhcp if each.source.host not in off}
        if among is not None:
            by_proof = {each: by_proof[each] for each in among}
        by_rules = {each: self._by_rules(each, off) for each in by_proof}
        sent = self.sender.send({each: proof or all(by_rules[each]) for each, proof in by_proof.items()})
        return {each: Found(proof, by_rules[each], sent[each]) for each, proof in by_proof.items()}

    def _by_rules(self, probe: Probe, off: set[str]) -> tuple[bool, bool]:
        names = probe.source.address, probe.target.address, probe.protocol, probe.port
        there = Sent(*names, probe.source.is_ipv6, *((probe.port,) if probe in self.dhcp else ()))
        ends = probe.source.segment, probe.target.segment
        if self.verdicts.fabric(probe.source) != self.verdicts.fabric(probe.target):
            return False, False
        if probe.target.group == GATEWAY:
            leaves = [self.rules[leaf] for leaf, _ in ends[0].leaves if leaf not in off]
            return (all(each.takes(there, "in", ends[0].vlan) for each in leaves), True)
        return self._passes(there, *ends, probe, off), self._passes(there.answer, *ends[::-1], probe, off)

    def _passes(self, sent: Sent, one: Segment, other: Segment, probe: Probe, off: set[str]) -> bool:
        """By any leaf of both pairs; members that differ are a fault by themselves."""
        is_of_switch = probe in self.dhcp
        outcomes: set[bool] = set()
        for here, there in zip(self._of(one, off), self._of(other, off), strict=False):
            if one == other:
                outcomes.add(self.rules[here].bridges(sent, one.vlan))
                continue
            ways = (
                [] if is_of_switch and one == probe.source.segment else [self.rules[here].takes(sent, "in", one.vlan)]
            )
            if not (is_of_switch and other == probe.source.segment):
                ways.append(self.rules[there].takes(sent, "out", other.vlan))
            outcomes.add(all(ways))
        assert len(outcomes) == 1, f"{probe}: members of a pair differ"
        return outcomes.pop()

    def _of(self, segment: Segment, off: set[str]) -> list[str]:
        return [leaf for leaf, _ in segment.leaves if leaf not in off] * 2


def summary(found: Mapping[Probe, Found]) -> str:
    """``1210 of 1210 agree: 400 pass, 810 do not``."""
    counts = Counter(each.proof for each in found.values())
    agree = sum(each.agree for each in found.values())
    return f"{agree} of {len(found)} agree: {counts[True]} pass, {counts[False]} do not"


def differing(found: Mapping[Probe, Found]) -> list[str]:
    """In words, what does not agree."""
    return [
        f"{probe}: proof {each.proof}, rules {each.rules}, packets {each.packets}"
        for probe, each in found.items()
        if not each.agree
    ]
