"""What relays and the hosts behind them are given: addresses, clients, whom they ask, and what nobody outside has."""

from ipaddress import ip_address, ip_interface, ip_network

import pytest

from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.design.hosts.relay_vars import BoundaryRelayVars, egress_client_host_vars, relay_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.boundary_relay import RelaysIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.usecases.hosts import inventory
from tests.unit.design.test_boundary import SITE, site


def of(name: str = "relay-1") -> BoundaryRelayVars:
    return relay_host_vars(*site())[name].boundary_relay


def with_relays(**change: object) -> tuple[Intent, Network]:
    intent, network = site()
    assert intent.boundary is not None
    relays = intent.boundary.relays
    assert isinstance(relays, RelaysIntent)
    changed = intent.boundary.model_copy(update={"relays": relays.model_copy(update=change)})
    return intent.model_copy(update={"boundary": changed}), network


def test_a_site_without_relays_has_none_and_no_clients_of_any() -> None:
    assert relay_host_vars(load_site("lab-rails").intent, site()[1]) == {}
    assert egress_client_host_vars(load_site("lab-rails").intent, site()[1]) == {}


def test_each_relay_has_addresses_of_its_own_and_the_proxy_has_one_that_moves() -> None:
    one, other = of(), of("relay-2")
    assert (one.address, other.address) == ("203.0.113.74/27", "203.0.113.75/27")
    assert (one.address_v6, other.address_v6) == ("2001:db8:101::4a/64", "2001:db8:101::4b/64")
    assert one.proxy == other.proxy
    assert one.proxy is not None
    assert (one.proxy.shared, one.proxy.shared_v6) == ("203.0.113.76/27", "2001:db8:101::4c/64")
    assert one.priority > other.priority
    assert (one.gateway, one.gateway_v6) == ("203.0.113.65", "2001:db8:101::1"), "the firewalls' shared addresses"


def test_their_vrrp_is_nobody_elses_on_the_same_link() -> None:
    variables = inventory(SITE.parent, with_planned=True).variables
    others = {zone["router_id"] for zone in variables["firewall-1"]["firewall_zones"]}
    assert of().router_id not in others | {variables["balancer-1"]["load_balancer_router_id"]}


def test_who_may_ask_is_all_of_a_zone_or_the_subnet_of_a_group() -> None:
    assert "10.177.0.0/16" in of().clients
    intent, network = with_relays(clients=("login",))
    found = boundary(intent, network)
    assert found is not None
    relay = relay_host_vars(intent, network)["relay-1"].boundary_relay
    assert relay.clients == found.ends["login"]["ipv4"] != ()
    assert all(ip_network(each).subnet_of(ip_network("10.177.0.0/16")) for each in relay.clients)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "address", ["10.168.0.9", "203.0.113.70", "127.0.0.1", "169.254.169.254", "fd00:300::9", "::1"]
)
def test_names_outside_do_not_stand_for_addresses_that_nobody_has_there(address: str) -> None:
    assert any(ip_address(address) in ip_network(each) for each in (*of().private, *of().private_v6))


@pytest.mark.parametrize("address", ["198.51.100.7", "2001:db8:900::7"])
def test_names_outside_stand_for_addresses_there(address: str) -> None:
    assert not any(ip_address(address) in ip_network(each) for each in (*of().private, *of().private_v6))


def test_firewalls_let_relays_to_whom_they_ask_and_clients_to_relays_alone() -> None:
    found = boundary(*site())
    assert found is not None
    rows = [each for each in found.rows if each.name.startswith("relays.")]
    own = {ip_interface(each).ip for one in (of(), of("relay-2")) for each in (one.address, one.address_v6) if each}
    for row in rows:
        ends = row.sources if row.source_zone == "dmz" else row.destinations
        addresses = {each for family in ends.values() for prefix in family for each in ip_network(prefix)}
        if row.name == "relays.proxy" and row.destination_zone == "dmz":
            assert addresses == {ip_address("203.0.113.76"), ip_address("2001:db8:101::4c")}
        else:
            assert addresses == own


def test_clients_on_the_relays_own_link_need_no_row() -> None:
    found = boundary(*with_relays(clients=("dmz",)))
    assert found is not None
    assert {each.destination_zone for each in found.rows if each.name.startswith("relays.")} == {"outside"}


@pytest.mark.parametrize("service", ["dns", "ntp", "proxy"])
def test_a_service_that_is_not_asked_for_has_no_row_and_no_variable(service: str) -> None:
    intent, network = with_relays(**{service: None})
    found = boundary(intent, network)
    assert found is not None
    assert f"relays.{service}" not in {each.name for each in found.rows}
    assert getattr(relay_host_vars(intent, network)["relay-1"].boundary_relay, service) is None
    client = egress_client_host_vars(intent, network)["login-1"].egress_client
    empty = {"dns": client.nameservers, "ntp": client.time_servers, "proxy": client.no_proxy}
    assert empty[service] == ()


def test_hosts_of_clients_are_told_of_both_relays_and_half_of_them_ask_the_second_one_first() -> None:
    found = egress_client_host_vars(*site())
    assert sorted(found) == ["api-1", "gpu-1", "gpu-2", "gpu-3", "gpu-4", "login-1"], "storage is on no zone's plane"
    assert found["gpu-1"].egress_client.nameservers == ("203.0.113.74", "203.0.113.75")
    assert found["gpu-2"].egress_client.nameservers == ("203.0.113.75", "203.0.113.74")
    assert found["gpu-1"].egress_client.proxy == "http://203.0.113.76:3128"
    variables = inventory(SITE.parent, with_planned=True).variables
    assert variables["gpu-2"]["egress_client_time_servers"] == ["203.0.113.75", "203.0.113.74"]
    assert "egress_client_proxy" not in variables["storage-1"]


def test_playbooks_address_them_as_a_group() -> None:
    assert inventory(SITE.parent, with_planned=True).groups["relays"] == ("relay-1", "relay-2")
