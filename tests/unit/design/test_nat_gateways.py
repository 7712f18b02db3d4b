"""Gateways that are machines of their own see the matrix with the site as one zone; the firewalls translate no more."""

from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path

import yaml

from nornir_tasks.design.hosts.boundary_vars import FirewallHostVars, FirewallVars, firewall_host_vars
from nornir_tasks.design.hosts.gateway_vars import gateway_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.hosts import host_inventory
from tests.sites.gateways import with_gateways

SITE = Path(__file__).parents[2] / "sites" / "boundary" / "fabric.yml"


@cache
def site() -> tuple[Intent, Network]:
    intent = with_gateways()
    return intent, design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def of(name: str = "gateway-1") -> FirewallHostVars:
    return gateway_host_vars(*site())[name]


def firewall() -> FirewallHostVars:
    return firewall_host_vars(*site())["firewall-1"]


def test_without_them_there_are_none_and_the_firewalls_translate() -> None:
    intent = load_intent(SITE)
    network = site()[1]
    assert gateway_host_vars(intent, network) == {}
    assert firewall_host_vars(intent, network)["firewall-1"].nat_gateway.translations


def test_either_the_gateways_translate_or_the_firewalls() -> None:
    assert of().nat_gateway.translations
    assert of().nat_gateway.private
    assert firewall().nat_gateway.translations == ()
    assert firewall().nat_gateway.private == (), "addresses inside pass the firewalls as they are"


def test_they_are_a_group_of_the_inventory() -> None:
    found = host_inventory(site()[0], site()[1], load_catalogue())
    assert found.groups["nat_gateways"] == ("gateway-1", "gateway-2")
    assert found.variables["gateway-2"]["nat_gateway_shared"] == "203.0.113.9"


def test_what_the_firewalls_have_as_next_hop_is_what_the_gateways_share() -> None:
    to_gateways = next(each for each in firewall().firewall.zones if each.outside)
    to_firewalls = next(each for each in of().firewall.zones if not each.outside)
    assert {each.via for each in to_gateways.routes} == {
        str(each).partition("/")[0] for each in (to_firewalls.shared, to_firewalls.shared_v6)
    }
    back = {each.via for each in to_firewalls.routes}
    assert back == {str(each).partition("/")[0] for each in (to_gateways.shared, to_gateways.shared_v6)}


def test_no_two_machines_have_one_address_or_one_router_id_of_vrrp() -> None:
    hosts = [*gateway_host_vars(*site()).values(), *firewall_host_vars(*site()).values()]
    own = [each for host in hosts for zone in host.firewall.zones for each in (zone.address, zone.address_v6)]
    shared = {each for host in hosts for zone in host.firewall.zones for each in (zone.shared, zone.shared_v6)}
    assert len({*own}) == len(own)
    assert not {*own} & shared
    ids = [{zone.router_id for zone in host.firewall.zones} for host in (of(), firewall())]
    assert not ids[0] & ids[1]


def test_routes_lead_to_every_zone_and_nothing_else() -> None:
    to_firewalls = next(each for each in of().firewall.zones if not each.outside)
    reached = [ip_network(each.to) for each in to_firewalls.routes]
    for zone in (each for each in firewall().firewall.zones if not each.outside):
        for prefix in map(ip_network, (*zone.sources, *zone.sources_v6)):
            assert any(prefix.version == one.version and prefix.subnet_of(one) for one in reached), prefix  # type: ignore[arg-type]
    links = [ip_network("203.0.113.0/29"), ip_network("2001:db8:100::/64")]
    assert not [each for each in reached if each in links]


def test_their_matrix_is_the_firewalls_less_what_stays_inside() -> None:
    def crossing(each: FirewallVars) -> list[tuple[str, str, str, tuple[str, ...]]]:
        return [
            (flow.name, flow.family, flow.protocol, flow.ports)
            for flow in each.flows
            if "outside" in (flow.source_zone, flow.destination_zone)
        ]

    assert crossing(of().firewall) == crossing(firewall().firewall)
    assert len(of().firewall.flows) == len(crossing(of().firewall))
    assert len(firewall().firewall.flows) > len(of().firewall.flows)
    assert {each.source_zone for each in of().firewall.flows} == {"outside", "site"}


def test_nobody_outside_has_an_address_of_a_pool_or_of_the_link_to_the_firewalls() -> None:
    own = [ip_network(each) for each in of().firewall.own]
    for address in ("203.0.113.16", "203.0.113.20", "203.0.113.2", "203.0.113.5", "10.177.1.9"):
        assert any(ip_address(address) in each for each in own), address
    assert not any(ip_address("203.0.113.12") in each for each in own), "an edge router"


def test_the_intent_of_this_test_is_the_sites_and_the_gateways_alone() -> None:
    data = yaml.safe_load(SITE.read_text(encoding="utf-8"))
    assert site()[0].site == data["site"]
