"""Lists of what comes to a switch itself: a permit that is taken out is named with what it was for, one more too."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from nornir_tasks.design.config.access_lists import TCP, UDP, AclRule, Family
from nornir_tasks.design.config.bgp import Neighbor
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.proofs import control_plane, isolation
from nornir_tasks.proofs.breach import Breach
from nornir_tasks.proofs.unsure import Unsure
from nornir_tasks.usecases.proofs.prove import guarded, prove
from tests.unit.design import edge_systems, fabric_listed, managed

LEAF, IPV6_LEAF = "front-leaf-g1-a", "front-leaf-g4-a"
IN_BAND = pytest.mark.parametrize("in_band", [False, True], ids=["MGMT", "in band"])


@cache
def switches(*, in_band: bool) -> tuple[Network, dict[str, DeviceConfig]]:
    network = fabric_listed.network(in_band=in_band)
    return network, fabric_listed.configs(network)


def changed(
    config: DeviceConfig, family: Family, change: Callable[[tuple[AclRule, ...]], tuple[AclRule, ...]]
) -> DeviceConfig:
    """With other rules in the list of a family."""
    reach = config.base.reach
    lists = tuple(replace(e, rules=change(e.rules)) if e.family == family else e for e in reach.fabric)
    return replace(config, base=replace(config.base, reach=replace(reach, fabric=lists)))


def breaches(network: Network, configs: dict[str, DeviceConfig], switch: str) -> list[Breach]:
    alone = replace(network, devices=(network.device(switch),))
    return [breach for each in control_plane.judged(alone, configs) for breach in each.breaches]


def without(config: DeviceConfig) -> Iterator[tuple[AclRule, DeviceConfig]]:
    """Each permit, and the configuration without it."""
    for each in config.base.reach.fabric:
        for rule in each.rules[:-1]:
            yield rule, changed(config, each.family, lambda rules, rule=rule: tuple(e for e in rules if e != rule))


@IN_BAND
def test_a_site_as_designed_is_proved(*, in_band: bool) -> None:
    network, configs = switches(in_band=in_band)
    found = list(control_plane.judged(network, configs))
    assert len(found) == 2 * len(network.devices)
    assert [each for each in found if each.breaches] == []


@IN_BAND
@pytest.mark.parametrize("switch", [LEAF, IPV6_LEAF, "front-spine-1", "leaf-g1-r0"])
def test_each_permit_that_is_taken_out_is_named_with_a_packet_that_it_was_for(
    switch: str, figure: Callable[[str], None], *, in_band: bool
) -> None:
    network, configs = switches(in_band=in_band)
    mutants = list(without(configs[switch]))
    for rule, mutant in mutants:
        found = breaches(network, {**configs, switch: mutant}, switch)
        if rule.protocol == UDP and rule.source == network.fabrics["front"].pools["loopback"]:
            assert len(found) == 1, rule  # the heartbeat of the pair
        assert {each.kind for each in found} == {"blocked"}, rule
        assert all(each.packet is not None and "rule" in each.by[0] for each in found)
    figure(f"{switch}, {'in band' if in_band else 'MGMT'}: {len(mutants)} of {len(mutants)} permits named")


WHAT = {
    "BGP from": lambda rule: rule.protocol == TCP and rule.destination_ports == (179, 179),
    "BFD from": lambda rule: rule.destination_ports in {(3784, 3784), (4784, 4784)},
    "MLAG by": lambda rule: rule.destination_ports == (4432, 4432) and rule.source == "169.254.0.1/32",
    "MLAG's heartbeat from 10.18": lambda rule: (
        rule.source == "10.180.0.0/15" and rule.destination_ports == (4432, 4432)
    ),
    "MLAG's heartbeat from 10.254.": lambda rule: rule.protocol == UDP and rule.source == "10.254.0.0/18",
    "DHCP from hosts": lambda rule: rule.source_ports == (68, 68),
    "DHCP from 10.177.0.100": lambda rule: rule.source == "10.177.0.100/32",
    "NTP from": lambda rule: rule.source_ports == (123, 123),
    "DNS from": lambda rule: rule.source_ports == (53, 53),
    "RADIUS from": lambda rule: rule.source_ports == (1812, 1812),
    "SNMP from": lambda rule: rule.destination_ports == (161, 161),
    "management from": lambda rule: rule.source == "192.0.2.0/28",
    "traceroute": lambda rule: rule.destination_ports == (33434, 33523),
    "answers": lambda rule: rule.established,
}


@pytest.mark.parametrize("what", WHAT)
def test_what_breaks_is_said(what: str) -> None:
    network, configs = switches(in_band=True)
    mutant = changed(configs[LEAF], "ipv4", lambda rules: tuple(each for each in rules if not WHAT[what](each)))
    found = breaches(network, {**configs, LEAF: mutant}, LEAF)
    assert any(f": {what}" in each.by[0] for each in found), found


@pytest.mark.parametrize(
    ("extra", "packet"),
    [
        (AclRule(5, True, TCP, destination_ports=(22, 22)), ":22, new"),
        (AclRule(5, True, TCP, source="10.176.0.0/16", destination_ports=(443, 443)), "TCP 10.176.0.4:"),
        (AclRule(5, True, UDP, destination_ports=(161, 161)), ":161"),
        (AclRule(5, True, TCP, source="10.176.0.0/16", destination_ports=(179, 179)), ":179, new"),
        (AclRule(5, True), "new"),
    ],
)
def test_a_rule_that_lets_in_what_nobody_needs_is_named(extra: AclRule, packet: str) -> None:
    network, configs = switches(in_band=False)
    mutant = changed(configs[LEAF], "ipv4", lambda rules: (extra, *rules))
    found = breaches(network, {**configs, LEAF: mutant}, LEAF)
    assert {each.kind for each in found} == {"open"}
    assert any(packet in str(each.packet) and "rule 5" in each.by[0] for each in found), found


def test_a_list_that_is_not_applied_is_named() -> None:
    network, configs = switches(in_band=False)
    config = configs[LEAF]
    for family in ("ipv4", "ipv6"):
        reach = config.base.reach
        kept = tuple(each for each in reach.fabric if each.family != family)
        mutant = replace(config, base=replace(config.base, reach=replace(reach, fabric=kept)))
        found = breaches(network, {**configs, LEAF: mutant}, LEAF)
        assert [each.kind for each in found] == ["open"]
        assert "no access list in" in found[0].by[0]


def test_upstreams_of_an_edge_router_are_let_in_by_their_addresses_and_nobody_beside_them(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text(edge_systems.text_of("eos"), encoding="utf-8")
    network = edge_systems.design_of(tmp_path).network
    edge = network.device("edge-1")
    policy = managed.settings(control_plane={"allowed": fabric_listed.ALLOWED, "fabric": True})
    network = replace(network, base={edge.fabric: policy})
    config = device_config(network, edge).config
    assert config.bgp is not None
    for family in ("ipv4", "ipv6"):
        (own,) = (each for each in config.base.reach.fabric if each.family == family)
        sources = {each.source for each in own.rules if each.destination_ports == (179, 179)}
        outside = {
            f"{each.address}/{32 if family == 'ipv4' else 128}" for each in config.bgp.neighbors if _is(each, family)
        }
        pools = {*network.fabric_of(edge).pools.values()}
        assert sources and sources <= outside | pools
        assert outside & sources, family
    found = list(control_plane.judged(network, {config.name: config}))
    assert len(found) == 2
    assert [breach for each in found for breach in each.breaches] == []


def _is(session: Neighbor, family: Family) -> bool:
    return (":" in str(session.address)) == (family == "ipv6")


def test_the_proof_of_isolation_has_these_pairs_and_tells_none_of_a_switch_that_is_unsure() -> None:
    design = fabric_listed.site()
    found = prove(design, only=("isolation",)).isolation
    assert found is not None
    own = [each for each in found.pairs if each.destination.group in design.network]
    assert len(own) == 2 * len(design.network.devices)
    assert not found.failed
    network, configs = switches(in_band=False)
    mutant = changed(configs[LEAF], "ipv4", lambda rules: rules[1:])
    doubts = Unsure({LEAF: ("not known what it does: something",)})
    by_group, _ = guarded(design)
    judged = isolation.judge(network, {**configs, LEAF: mutant}, by_group, unsure=doubts)
    assert all(each.undecided for each in judged.pairs if each.destination == ("front", LEAF))
