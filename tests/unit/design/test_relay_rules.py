"""DHCP relays of SVIs: what is relayed, and what an OS cannot be configured with."""

from dataclasses import replace

import pytest

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.partial_config import PartialPort
from nornir_tasks.design.realise.relay_rules import problems, within
from nornir_tasks.errors import Problem
from nornir_tasks.platforms import platform
from tests.unit.design import toy_layer3

SVI = PartialPort(address="10.1.0.2/24", ipv6_address="2001:db8:1::2/64", dhcp_servers=frozenset({"192.0.2.53"}))
NVUE = platform("nvue").facts.capabilities("5.14", "spectrum1")


def found(port: PartialPort, known: Capabilities = NVUE, name: str = "vlan300") -> list[Problem]:
    return list(problems("leaf-1", {name: port}, known))


def test_servers_are_relayed_to_in_numeric_order_ipv4_first_as_switches_print_them() -> None:
    servers = frozenset({"2001:DB8::5:0", "192.0.2.100", "192.0.2.53"})
    assert within(replace(SVI, dhcp_servers=servers)) == ("192.0.2.53", "192.0.2.100", "2001:db8::5:0")


def test_an_svi_without_ipv6_relays_to_no_server_of_ipv6() -> None:
    port = replace(SVI, ipv6_address=None, dhcp_servers=frozenset({"192.0.2.53", "2001:db8::5"}))
    assert within(port) == ("192.0.2.53",)
    assert found(port) == []


def test_a_server_of_a_family_that_the_system_does_not_relay_is_refused_with_the_reason() -> None:
    (problem,) = found(replace(SVI, dhcp_servers=frozenset({"2001:db8::5"})))
    assert problem.where == "leaf-1 vlan300"
    assert problem.what.startswith("DHCP of IPv6 cannot be relayed: of IPv6 a VRF has one list of servers")
    assert problem.found == "2001:db8::5"


def test_a_server_in_the_vlan_that_it_is_relayed_from_is_refused() -> None:
    (problem,) = found(replace(SVI, dhcp_servers=frozenset({"10.1.0.53"})))
    assert (problem.what, problem.found) == ("a DHCP server in the VLAN that it is relayed from", "10.1.0.53")


def test_a_relay_on_a_port_that_is_no_svi_is_refused() -> None:
    (problem,) = found(SVI, name="swp1")
    assert problem.what == "DHCP is relayed by an SVI"


@pytest.mark.parametrize(
    ("os", "release", "asic"), [("eos", "4.33.1F", "tomahawk4"), ("nxos", "10.4(3)", "cloudscale-gx2")]
)
def test_systems_that_relay_both_families_take_both(os: str, release: str, asic: str) -> None:
    known = platform(os).facts.capabilities(release, asic)
    assert found(replace(SVI, dhcp_servers=frozenset({"192.0.2.53", "2001:db8::5"})), known, "Vlan300") == []


def test_release_5_13_of_cumulus_linux_relays_nothing() -> None:
    (problem,) = found(SVI, platform("nvue").facts.capabilities("5.13", "spectrum1"))
    assert "come with 5.14" in problem.what


@pytest.mark.parametrize("name", toy_layer3.DEVICES.values())
def test_a_switch_that_relays_has_what_its_system_needs_for_it(name: str) -> None:
    config = toy_layer3.realised(name).config
    relays = any(port.dhcp_servers for port in config.interfaces)
    services = {"dhcp", "service dhcp", "ip dhcp relay", "ipv6 dhcp relay"}
    assert services & {*config.services} == (services if relays and config.os == "nxos" else set())
