"""What the load balancers are given: addresses of their own, published services, and the servers of each."""

import tempfile
from functools import cache
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path

from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars, firewall_host_vars
from nornir_tasks.design.hosts.load_balancer_vars import LoadBalancerVars, load_balancer_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.hosts import host_inventory, inventory
from tests.unit.design.test_boundary import SITE, site


def of(name: str = "balancer-1") -> LoadBalancerVars:
    return load_balancer_host_vars(*site())[name].load_balancer


@cache
def at_firewalls() -> tuple[Intent, Network]:
    """The same site, whose firewalls are the balancers."""
    before, _, rest = SITE.read_text().partition("  balancers:\n")
    after = rest[rest.index("  egress:\n") :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.yml"
        path.write_text(f"{before}  balancers: {{at: firewalls, zone: dmz}}\n{after}")
        intent = load_intent(path)
    return intent, design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def firewall(name: str = "firewall-1") -> FirewallVars:
    return firewall_host_vars(*at_firewalls())[name].firewall


def test_a_site_without_balancers_has_none() -> None:
    assert load_balancer_host_vars(load_site("lab-rails").intent, site()[1]) == {}


def test_each_balancer_has_an_address_of_its_own_and_the_first_one_begins() -> None:
    one, other = of(), of("balancer-2")
    assert (one.address, other.address) == ("203.0.113.72/27", "203.0.113.73/27")
    assert (one.address_v6, other.address_v6) == ("2001:db8:101::48/64", "2001:db8:101::49/64")
    assert one.priority > other.priority
    assert one.router_id == other.router_id
    assert one.published == other.published
    assert (one.gateway, one.gateway_v6) == ("203.0.113.65", "2001:db8:101::1"), "the firewalls' shared addresses"


def test_their_vrrp_is_not_that_of_a_firewall_on_the_same_link() -> None:
    found = inventory(SITE.parent, with_planned=True)
    ids = [zone["router_id"] for zone in found.variables["firewall-1"]["firewall_zones"]]
    assert of().router_id not in ids


def test_a_published_service_has_its_hosts_for_servers_and_tls_at_some_ports() -> None:
    (portal,) = of().published
    assert (portal.ports, portal.tls_ports, portal.proxy) == (("80",), ("443",), True)
    assert (portal.check, portal.path, portal.interval_s, portal.server_port) == ("http", "/healthz", 5, 8443)
    bonds = inventory(SITE.parent, with_planned=True).variables["api-1"]["bond_interfaces_bonds"]
    (address,) = (plane["address"] for bond in bonds for plane in bond["planes"] if plane["plane"] == "business")
    assert [(each.name, each.address) for each in portal.servers] == [("api-1", address)]


def test_firewalls_let_the_balancers_alone_to_the_servers() -> None:
    found = boundary(*site())
    assert found is not None
    (row,) = (each for each in found.rows if each.name == "published.portal" and each.source_zone == "dmz")
    own = {ip_interface(each).ip for one in (of(), of("balancer-2")) for each in (one.address, one.address_v6) if each}
    assert {ip_address(a) for each in (*row.sources["ipv4"], *row.sources["ipv6"]) for a in ip_network(each)} == own
    servers = [ip_address(each.address) for each in of().published[0].servers]
    assert all(any(each in ip_network(one) for one in row.destinations["ipv4"]) for each in servers)


def test_playbooks_address_them_as_a_group() -> None:
    assert inventory(SITE.parent, with_planned=True).groups["balancers"] == ("balancer-1", "balancer-2")


def test_firewalls_that_are_the_balancers_have_published_addresses_beside_their_own() -> None:
    found = {zone.name: zone.published for zone in firewall().zones}
    assert found == {"outside": (), "dmz": ("203.0.113.70/32", "2001:db8:101::46/128"), "business": ()}
    assert all(zone.published == () for zone in firewall_host_vars(*site())["firewall-1"].firewall.zones)


def test_clients_may_open_connections_to_such_firewalls_and_nothing_of_it_passes_between_zones() -> None:
    rows = [(each.name, each.source_zone, each.destinations, each.protocol, each.ports) for each in firewall().here]
    assert rows == [
        ("published.portal", "outside", ("203.0.113.70/32",), "tcp", ("80", "443")),
        ("published.portal", "outside", ("2001:db8:101::46/128",), "tcp", ("80", "443")),
    ]
    assert not [each for each in firewall().flows if each.name.startswith("published")]
    assert firewall_host_vars(*site())["firewall-1"].firewall.here == ()


def test_such_firewalls_run_haproxy_alone_and_leave_addresses_to_their_own_pair() -> None:
    found = load_balancer_host_vars(*at_firewalls())
    assert tuple(found) == ("firewall-1", "firewall-2")
    one = found["firewall-1"].load_balancer
    assert (one.shares, one.port, one.address, one.gateway) == (False, "dmz", None, None)
    assert one.published == of().published
    assert of().shares


def test_such_a_firewall_has_the_variables_of_both_roles() -> None:
    intent, network = at_firewalls()
    found = host_inventory(intent, network, load_catalogue())
    assert found.groups["balancers"] == found.groups["firewalls"] == ("firewall-1", "firewall-2")
    assert {"firewall_zones", "load_balancer_published"} <= set(found.variables["firewall-2"])
