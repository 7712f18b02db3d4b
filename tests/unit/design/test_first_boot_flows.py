"""While day 0 is open, lists of the out-of-band plane open to its server what first boots need, and nothing else."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from nornir_tasks.design.config.access_lists import TCP, UDP, AclRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.proofs.isolation import judge
from tests.unit.design import out_of_band

SERVER = "10.183.0.2"
"""The first bastion's address, below the first access switch."""
PORTS = {8080, 8443}
SWITCHES = ("10.183.0.6/31", "10.183.0.8/30", "10.183.0.12/32", "10.183.0.134/31", "10.183.0.136/30", "10.183.0.140/32")
"""Addresses that are kept for management ports."""


@cache
def network(*, is_open: bool = True, server: str = SERVER) -> Network:
    data: dict[str, Any] = out_of_band.with_out_of_band(out_of_band.rails())
    return out_of_band.designed({**data, "day0": {"server": server, "open": is_open}})


@cache
def configs(*, is_open: bool) -> dict[str, DeviceConfig]:
    return {each.config.name: each.config for each in device_configs(network(is_open=is_open))}


def rules(*, is_open: bool) -> set[tuple[str, AclRule]]:
    """(list, rule without its number) of all access switches."""
    found = configs(is_open=is_open)
    return {
        (f"{device} {acl.name}", AclRule(0, *[getattr(rule, name) for name in AclRule.__slots__[1:]]))
        for device, config in found.items()
        for acl in config.access_lists
        for rule in acl.rules
        if rule.permit
    }


def test_only_the_server_is_opened_for_its_two_ports_and_dhcp_and_only_to_management_ports() -> None:
    assert rules(is_open=False) < rules(is_open=True), "nothing else may change"
    for _, rule in rules(is_open=True) - rules(is_open=False):
        ends = {rule.source, rule.destination}
        if rule.protocol == UDP:
            assert {*(rule.source_ports or ()), *(rule.destination_ports or ())} <= {67, 68}
            assert ends == {None} or f"{SERVER}/32" in ends
            continue
        assert rule.protocol == TCP
        assert f"{SERVER}/32" in ends
        assert ends - {f"{SERVER}/32"} <= {*SWITCHES, "10.183.0.0/16"}
        opened, answered = rule.destination_ports, rule.source_ports
        assert {*(opened or ()), *(answered or ())} <= PORTS
        assert rule.established == (opened is None), "answers only on connections that a switch opened"


def test_gateways_relay_dhcp_to_it_where_no_other_server_is_named() -> None:
    def relayed(name: str, *, is_open: bool) -> tuple[str, ...]:
        ports = configs(is_open=is_open)[name].interfaces
        return next(tuple(sorted(each.dhcp_servers)) for each in ports if each.name == "vlan40")

    assert relayed("oob-leaf-g2", is_open=True) == (SERVER,)
    assert relayed("oob-leaf-g1", is_open=True) == (), "the server hears the requests of its own VLAN"
    assert relayed("oob-leaf-g2", is_open=False) == ()


@pytest.mark.parametrize("is_open", [True, False])
def test_isolation_accepts_just_what_the_intent_says(*, is_open: bool) -> None:
    found = judge(network(is_open=is_open), configs(is_open=is_open), {})
    assert (found.failed, found.proved) == ((), len(found.pairs))
    other = judge(network(is_open=not is_open), configs(is_open=is_open), {})
    kinds = {breach.kind for each in other.failed for breach in each.breaches}
    assert kinds == ({"open"} if is_open else {"blocked"})


def test_each_rule_of_the_two_ports_that_is_taken_out_is_named() -> None:
    found, taken_out = configs(is_open=True), 0
    for device, config in found.items():
        for place, acl in enumerate(config.access_lists):
            for rule in (each for each in acl.rules if {*(each.source_ports or each.destination_ports or ())} & PORTS):
                rest = replace(acl, rules=tuple(each for each in acl.rules if each != rule))
                lists = (*config.access_lists[:place], rest, *config.access_lists[place + 1 :])
                judged = judge(network(), {**found, device: replace(config, access_lists=lists)}, {})
                assert {each.kind for pair in judged.failed for each in pair.breaches} == {"blocked"}, rule
                taken_out += 1
    assert taken_out == 16


def test_a_server_that_may_not_enter_the_plane_is_refused_with_who_may() -> None:
    with pytest.raises(
        DesignError, match=r"day0\.server: the lists of plane oob lead no factory switch to this server"
    ):
        network(server="10.183.0.3")
