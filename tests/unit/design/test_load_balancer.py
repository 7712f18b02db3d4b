"""What the load balancers are given: addresses of their own, published services, and the servers of each."""

from ipaddress import ip_address, ip_interface, ip_network

from nornir_tasks.design.boundary import boundary
from nornir_tasks.design.load_balancer_vars import LoadBalancerVars, load_balancer_host_vars
from nornir_tasks.files.site import load_site
from nornir_tasks.usecases.hosts import inventory
from tests.unit.design.test_boundary import SITE, site


def of(name: str = "balancer-1") -> LoadBalancerVars:
    return load_balancer_host_vars(*site())[name].load_balancer


def test_a_site_without_balancers_has_none() -> None:
    assert load_balancer_host_vars(load_site("lab").intent, site()[1]) == {}


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
