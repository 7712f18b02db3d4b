"""Real packets through edge routers' access lists, as the routed tier has them, and the proof: both say the same.

Of each system. ``make test`` sends all packets through the lists of Cumulus Linux, and of the other systems each
seventh of them; all of these, and changes of their lists, are in ``make test-long``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from ipaddress import ip_interface, ip_network
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from acl_mutants import every
from routed_lab import needs_root

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.edge_policy import EdgeTerms, OutsideLink
from nornir_tasks.design.model.network import Device
from nornir_tasks.files.templates import environment
from nornir_tasks.lab.boundary.room import Outcome, Room
from nornir_tasks.platforms import platforms
from nornir_tasks.proofs.rules.edges import Edge, judge_edges, state_of
from nornir_tasks.proofs.rules.flows import Flow, Foretold, Oracle
from nornir_tasks.proofs.rules.judge import Pair
from nornir_tasks.proofs.rules.ranges import common, of_address, of_prefixes
from nornir_tasks.proofs.rules.routes import NOT_FORWARDED
from nornir_tasks.render.render import render
from nornir_tasks.usecases.site import SiteDesign, select
from switch_twins.engine import EOS, Context, Tree, load_text
from switch_twins.eos import to_kernel as of_eos
from switch_twins.eos.grammar import eos_grammar
from switch_twins.nvue import to_lists as of_nvue
from switch_twins.nxos import to_kernel as of_nxos
from switch_twins.nxos.day0 import bare_tree
from switch_twins.routed.configured_lists import ConfiguredLists
from switch_twins.routed.lists import ruleset
from switch_twins.routed.names import kernel_name
from tests.unit.design import edge_systems

pytestmark = needs_root

MUTANTS = 100
IN_SHORT = 6
"""Of them in each ``make test``, of Cumulus Linux."""
FEW = 2
"""Of other systems."""
OUTSIDE: dict[Family, tuple[str, ...]] = {"ipv4": ("8.8.8.8", "9.9.9.9"), "ipv6": ("2a00:1450::8", "3ffe::8")}
BMC = "10.183.0.9"
PORTS = {TCP: (22, 179, 443), UDP: (53,)}
ERRORS: dict[Family, int] = {"ipv4": 3, "ipv6": 2}
ECHO: dict[Family, int] = {"ipv4": 8, "ipv6": 128}


SEVENTH = 7
"""Of the flows through the lists of a system, one of so many where not all are sent."""


@cache
def design(system: str) -> SiteDesign:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yml").write_text(edge_systems.text_of(system), encoding="utf-8")
        return edge_systems.design_of(Path(folder))


def terms(system: str = "nvue") -> EdgeTerms:
    """The same for every system, but for the names of ports, which are those of the kernel here."""
    found = design(system).network.edge
    assert found is not None
    return replace(found, outside_links=tuple(replace(e, port=kernel_name(e.port)) for e in found.outside_links))


def routers(system: str) -> list[Device]:
    return [each for each in design(system).network.devices if each.fabric == terms().fabric]


def in_kernel(config: DeviceConfig) -> DeviceConfig:
    """The same with ports as the kernel calls them."""
    return replace(config, interfaces=tuple(replace(e, name=kernel_name(e.name)) for e in config.interfaces))


def lists_of(config: DeviceConfig, text: str) -> ConfiguredLists:
    """What the routed tier reads of a switch's lines."""
    if config.os == "nvue":
        return of_nvue.lists(yaml.safe_load(text))
    ports = frozenset(each.name for each in config.interfaces if each.name.startswith("Ethernet"))
    context = Context(release=config.release, asic=config.asic, model=config.model, ports=ports)
    tree = Tree(eos_grammar(), EOS) if config.os == "eos" else bare_tree(context, config.name)
    assert not load_text(tree, context, text)
    return of_eos.lists(tree) if config.os == "eos" else of_nxos.lists(tree)


class Router:
    """One edge router: as it is wanted, and in a namespace with what the routed tier makes of its lines."""

    def __init__(self, system: str, place: int) -> None:
        self.place, self.device = place, routers(system)[place]
        self.wanted = select(design(system))[self.device.name].config
        self.link: OutsideLink = next(iter(terms(system).on(self.device.name)))
        self.inside = f"{self.device.capabilities.svi_prefix}{terms().vlan}"

    def there(self) -> dict[str, list[str]]:
        """Neighbours: the upstream's router, the firewalls, the other edge router."""
        near = [end for each in terms().inside_links for end in (each.firewalls, each.own[1 - self.place])]
        return {self.link.port: [each.peer for each in self.link.sessions], self.inside: near}

    def room(self) -> Room:
        return Room(self.there(), list(self.commands()))

    def commands(self) -> Iterator[list[str]]:
        for port in in_kernel(self.wanted).interfaces:
            if port.name in self.there():
                shared = port.gateway and (port.gateway.address, port.gateway.ipv6_address)
                own = filter(None, (port.address, port.ipv6_address, *(shared or ())))
                for each in own:
                    yield ["ip", "address", "add", each, "dev", port.name, *(["nodad"] if ":" in each else [])]
        for route in self.wanted.static_routes:
            to = ["via", route.next_hops[0], "dev", self.inside] if route.next_hops else []
            yield ["ip", "route", "add", *([] if to else ["blackhole"]), route.prefix, *to]
        for session in self.link.sessions:
            yield ["ip", f"-{session.family[-1]}", "route", "add", "default", "via", session.peer]

    def read(self, config: DeviceConfig) -> tuple[Edge, str]:
        """What the proof reads of a configuration's text, and the rules that the routed tier makes of it."""
        text = render(config, self.device.capabilities, environment(self.device.os))
        platform = platforms()[self.device.os]
        capabilities = self.device.capabilities
        parsed = platform.parse(platform.to_tree(text), capabilities, self.device.name, self.device.model)
        assert not parsed.remainder
        found = lists_of(config, text)
        assert not found.unreadable
        assert capabilities.acls is not None
        edge = Edge(in_kernel(parsed.config), self.place, self.inside, capabilities.acls, capabilities.loopback_name)
        return edge, ruleset(found.lists, found.bound)

    def flows(self) -> list[Flow]:
        """By both ports: who says who he is, each prefix of each list among it; to whom, by what."""
        return list(dict.fromkeys(each for each in self._flows() if not is_never_forwarded(each)))

    def _flows(self) -> Iterator[Flow]:
        for family in FAMILIES:
            senders, services = list(self.senders(family)), list(self.services(family))
            for port in self.there():
                for source, destination in product(senders, self.receivers(family)):
                    if source != destination:
                        yield Flow(port, source, destination, TCP, 443)
                for source, destination in product(senders[:6], self.receivers(family)):
                    yield from (Flow(port, source, destination, *each) for each in services if source != destination)

    def receivers(self, family: Family) -> Iterator[str]:
        """Of what is announced behind the firewalls and not, the routers, outside, and what nobody reaches."""
        yield {"ipv4": "203.0.113.70", "ipv6": "2001:db8:101::46"}[family]
        yield {"ipv4": "203.0.113.200", "ipv6": "2001:db8:1ff::9"}[family]
        yield OUTSIDE[family][1]
        yield from [BMC] if family == "ipv4" else []
        for each in terms().inside_links:
            if each.family == family:
                yield from (each.gateway, each.own[self.place], each.firewalls)
        yield from (e.address.partition("/")[0] for e in self.link.sessions if e.family == family)

    def senders(self, family: Family) -> Iterator[str]:
        yield OUTSIDE[family][0]
        yield {"ipv4": "203.0.113.71", "ipv6": "2001:db8:101::47"}[family]
        for each in terms().inside_links:
            yield from (each.firewalls, each.own[1 - self.place]) if each.family == family else ()
        for session in self.link.sessions:
            if session.family == family:
                yield session.peer
        for acl in self.wanted.access_lists:
            for rule in acl.rules if acl.family == family else ():
                for side in (0, 1) if rule.source is not None else ():
                    network = ip_network(rule.source or "")
                    last = network.num_addresses - 1
                    yield str(network[max(last - 1, 0) if side else min(9, last)])

    def services(self, family: Family) -> Iterator[tuple[int, int]]:
        yield from ((protocol, port) for protocol, ports in PORTS.items() for port in ports)
        yield from ((ICMP[family], kind) for kind in (ECHO[family], ERRORS[family]))


def is_never_forwarded(flow: Flow) -> bool:
    """No kernel does, so lists cannot be seen at work."""
    links = [ip_network(each.subnet) for each in terms().inside_links if each.family == "ipv4"]
    links += [ip_interface(e.address).network for link in terms().outside_links for e in link.sessions]
    if flow.source in {str(each.broadcast_address) for each in links}:
        return True
    return any(common(of_address(end), NOT_FORWARDED[flow.family]) for end in (flow.source, flow.destination))


def is_error(flow: Flow) -> bool:
    """Does it say that a packet was too big? That passes whoever says it."""
    return (flow.protocol, flow.number) == (ICMP[flow.family], ERRORS[flow.family])


class Tried:
    """A router in its namespace, given one configuration after another."""

    def __init__(self, router: Router, room: Room, each: int) -> None:
        self.router, self.room, self.flows = router, room, router.flows()[::each]

    def of(self, config: DeviceConfig) -> tuple[dict[Flow, Foretold], dict[Flow, Outcome], Edge]:
        edge, rules = self.router.read(config)
        self.room.run("nft", "-f", "-", text=rules)
        self.room.run("ip", "-6", "neigh", "flush", "all")
        routes = self.room.state()[1]
        oracle = Oracle.of(replace(state_of(edge), routes=routes), self.router.there())
        foretold = {flow: oracle.of_flow(flow) for flow in self.flows}
        arrive = [flow for flow, each in foretold.items() if each.arrives]
        seen = self.room.send(self.flows, arrive, [flow for flow, each in foretold.items() if each.is_answered])
        return foretold, seen, edge


def differences(foretold: dict[Flow, Foretold], seen: dict[Flow, Outcome]) -> list[object]:
    return [
        (str(flow), each, seen[flow])
        for flow, each in foretold.items()
        if not each.is_sure or not each.fits(seen[flow].arrived, answered=seen[flow].answered)
    ]


def failed(tried: Tried, edge: Edge) -> list[Pair]:
    """Pairs that are not as they should be; of the other router nothing is asked."""
    device = tried.router.device
    return [pair for pair in judge_edges(terms(device.os), {device.name: edge}) if pair.breaches]


WHOLE = [("nvue", 0, 1), ("nvue", 1, 1)]
PARTS = [("eos", 0, SEVENTH), ("nxos", 1, SEVENTH)]
ALL = [pytest.param((system, place, 1), marks=pytest.mark.long) for system in ("eos", "nxos") for place in (0, 1)]


NAMED: Any = {"ids": lambda each: "-".join(map(str, each))}


@pytest.fixture(scope="module", params=[*WHOLE, *PARTS, *ALL], **NAMED)
def tried(request: pytest.FixtureRequest) -> Iterator[Tried]:
    system, place, each = request.param
    router = Router(system, place)
    with router.room() as room:
        yield Tried(router, room, each)


Whole = tuple[dict[Flow, Foretold], dict[Flow, Outcome]]


@pytest.fixture(scope="module")
def whole(tried: Tried) -> Whole:
    foretold, seen, edge = tried.of(tried.router.wanted)
    assert failed(tried, edge) == []
    return foretold, seen


def test_the_proof_and_packets_agree_on_every_flow_through_an_edge_router(
    tried: Tried, whole: Whole, figure: Callable[..., None]
) -> None:
    foretold, seen = whole
    assert differences(foretold, seen) == []
    arrived = {flow for flow, each in seen.items() if each.arrived}
    without_errors = {flow for flow in arrived if not is_error(flow)}
    for family, port in product(FAMILIES, tried.router.there()):
        its = {flow for flow in tried.flows if (flow.family, flow.port) == (family, port)}
        assert its - arrived
        spoken = family in {each.family for each in tried.router.link.sessions} or port == tried.router.inside
        assert bool(its & without_errors) == spoken
    answered = sum(each.answered for each in seen.values())
    name = tried.router.device.name
    figure(f"{name}: {len(seen)} of {len(seen)} flows agree, {len(arrived)} arrive, {answered} are answered")


def test_nobody_comes_in_by_another_ones_address_and_nobody_leaves_by_one(tried: Tried, whole: Whole) -> None:
    ours = {
        family: of_prefixes(e for e in terms().aggregates if (":" in e) == (family == "ipv6")) for family in FAMILIES
    }
    inside = tried.router.inside
    for flow, each in whole[1].items():
        if each.arrived and not is_error(flow):
            is_ours, is_to_us = (
                bool(common(of_address(end), ours[flow.family])) for end in (flow.source, flow.destination)
            )
            # from inside to us it comes back, whoever it says that it is of: the other router's packets are bridged so
            assert is_ours or is_to_us if flow.port == inside else not is_ours, flow
            assert flow.destination != BMC or flow.port == inside


def mutated(tried: Tried, whole: Whole, most: int) -> tuple[int, int]:
    """How many were tried, and how many of them change what becomes of a packet."""
    changed, chosen = 0, every(tried.router.wanted)[:most]
    for mutant in chosen:
        foretold, seen, edge = tried.of(mutant.config)
        assert differences(foretold, seen) == [], mutant.name
        if any(seen[flow] != whole[1][flow] for flow in tried.flows):
            changed += 1
            assert failed(tried, edge), f"{mutant.name}: packets are treated otherwise, and the proof holds"
    return len(chosen), changed


@pytest.mark.sampled(2)
def test_the_proof_and_packets_agree_on_some_mutants_of_access_lists(tried: Tried, whole: Whole) -> None:
    most = IN_SHORT if tried.router.device.os == "nvue" else FEW
    assert mutated(tried, whole, most)[0] == most


@pytest.mark.long
@pytest.mark.parametrize("tried", [*WHOLE, *ALL], indirect=True, **NAMED)
def test_the_proof_and_packets_agree_on_all_mutants_of_access_lists(
    tried: Tried, whole: Whole, figure: Callable[..., None]
) -> None:
    total, changed = mutated(tried, whole, MUTANTS // 2)
    assert total == MUTANTS // 2
    assert changed >= total // 2
    name = tried.router.device.name
    figure(f"{name}: {total} of {total} mutants of access lists agree; {changed} change a verdict")
