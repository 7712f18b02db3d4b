"""The flow matrix of the boundary and what firewalls are given: the pair's addresses, who may reach whom, who never."""

from functools import cache
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path

import pytest

from nornir_tasks.design.hosts.boundary import Zone, boundary
from nornir_tasks.design.hosts.boundary import of as by_family
from nornir_tasks.design.hosts.boundary_vars import FirewallVars, firewall_host_vars, routes
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

SITE = Path(__file__).parents[2] / "sites" / "boundary" / "fabric.yml"


@cache
def site() -> tuple[Intent, Network]:
    intent = load_intent(SITE)
    return intent, design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def of(name: str = "firewall-1") -> FirewallVars:
    return firewall_host_vars(*site())[name].firewall


def test_a_site_without_a_boundary_has_no_firewalls() -> None:
    intent, network = load_site("lab-rails").intent, site()[1]
    assert boundary(intent, network) is None
    assert firewall_host_vars(intent, network) == {}


def test_the_matrix_has_a_row_for_each_service_of_each_flow_and_for_what_is_published() -> None:
    found = boundary(*site())
    assert found is not None
    rows = [(each.name, each.source_zone, each.destination_zone, each.protocol, each.ports) for each in found.rows]
    assert rows == [
        ("flows[0]", "business", "outside", "tcp", ((443, 443),)),
        ("flows[0]", "business", "outside", "tcp", ((53, 53),)),
        ("flows[0]", "business", "outside", "udp", ((53, 53),)),
        ("flows[0]", "business", "outside", "udp", ((123, 123),)),
        ("flows[0]", "business", "outside", "icmp", ()),
        ("flows[1]", "dmz", "outside", "tcp", ((443, 443),)),
        ("flows[1]", "dmz", "outside", "tcp", ((53, 53),)),
        ("flows[1]", "dmz", "outside", "udp", ((53, 53),)),
        ("flows[2]", "outside", "business", "tcp", ((443, 443),)),
        ("flows[2]", "outside", "business", "icmp", ()),
        ("flows[3]", "business", "dmz", "udp", ((67, 67),)),
        ("published.portal", "outside", "dmz", "tcp", ((80, 80), (443, 443))),
        ("published.portal", "dmz", "business", "tcp", ((8443, 8443),)),
        ("bastions", "outside", "dmz", "tcp", ((22, 22),)),
        ("relays.dns", "business", "dmz", "udp", ((53, 53),)),
        ("relays.dns", "business", "dmz", "tcp", ((53, 53),)),
        ("relays.ntp", "business", "dmz", "udp", ((123, 123),)),
        ("relays.proxy", "business", "dmz", "tcp", ((3128, 3128),)),
        ("relays.dns", "dmz", "outside", "udp", ((53, 53),)),
        ("relays.dns", "dmz", "outside", "tcp", ((53, 53),)),
        ("relays.ntp", "dmz", "outside", "udp", ((123, 123),)),
        ("relays.proxy", "dmz", "outside", "tcp", ((80, 80), (443, 443))),
    ]


def test_a_group_of_hosts_is_the_subnet_that_its_leaves_give_it() -> None:
    _, network = site()
    (subnet,) = {(each.subnet, each.subnet_v6) for each in network.segments if "login" in each.groups}
    (v4, v6) = [each.destinations for each in of().flows if each.name == "flows[2]" and each.protocol == "tcp"]
    assert (v4, v6) == tuple((each,) for each in subnet)


def test_both_firewalls_share_one_address_of_each_link_and_have_one_of_their_own() -> None:
    one, other = of(), of("firewall-2")
    for here, there in zip(one.zones, other.zones, strict=True):
        assert here.shared is not None
        assert here.address is not None
        assert there.address is not None
        shared, mine, others = (ip_interface(each) for each in (here.shared, here.address, there.address))
        assert shared.network == mine.network == others.network
        assert [each.ip - shared.network.network_address.__int__() for each in (shared, mine, others)] == [
            ip_address(place) for place in (1, 2, 3)
        ]
        assert (here.peer, there.peer) == (str(others.ip), str(mine.ip))
        assert here.router_id == there.router_id
    assert one.sync.peer == str(ip_interface(other.sync.address).ip)
    assert other.sync.peer == str(ip_interface(one.sync.address).ip)
    assert one.priority > other.priority
    assert len({zone.router_id for zone in one.zones}) == len(one.zones)


def test_no_row_names_an_address_of_a_plane_that_is_kept_apart() -> None:
    intent, _ = site()
    found = of()
    never = [ip_network(each) for each in (*found.never, *found.never_v6)]
    for plane in ("compute", "storage", "oob"):
        pool = intent.planes[plane].pools.hosts
        assert any(pool.subnet_of(each) for each in never if each.version == 4), plane
    for flow in found.flows:
        for prefix in map(ip_network, (*flow.sources, *flow.destinations)):
            assert not any(prefix.version == each.version and prefix.overlaps(each) for each in never), flow


@pytest.mark.parametrize("name", ["wan", "dmz", "lan"])
def test_what_may_come_from_a_port_is_its_zone_and_nothing_of_another(name: str) -> None:
    found = of()
    zone = next(each for each in found.zones if each.port == name)
    others = [each for each in found.zones if each is not zone]
    for prefix in map(ip_network, (*zone.sources, *zone.sources_v6)):
        for other in (ip_network(each) for one in others for each in (*one.sources, *one.sources_v6)):
            assert prefix.version != other.version or not prefix.overlaps(other)
    assert zone.outside == (not zone.sources)


def test_the_out_of_band_plane_has_no_port_on_a_firewall() -> None:
    assert [each.name for each in of().zones] == ["outside", "dmz", "business"]


def test_what_lies_behind_a_link_is_routed_to_its_gateway() -> None:
    found = {each.name: [(one.to, one.via) for one in each.routes] for each in of().zones}
    assert found == {
        "outside": [("0.0.0.0/0", "203.0.113.4"), ("::/0", "2001:db8:100::4")],
        "dmz": [],
        "business": [("10.177.0.0/16", "10.190.0.4"), ("fd00:300:0:3::/64", "fd00:190::4")],
    }


@pytest.mark.parametrize(
    ("link", "pool", "routed"),
    [
        ("10.190.0.0/24", "10.190.1.0/24", ["10.190.1.0/24"]),
        ("fd00:190::/64", "fd00:190:0:1::/64", ["fd00:190:0:1::/64"]),
        ("10.190.0.0/28", "10.177.0.0/16", ["10.177.0.0/16"]),
    ],
)
def test_a_pool_that_is_one_prefix_with_its_link_is_routed_all_the_same(
    link: str, pool: str, routed: list[str]
) -> None:
    family = "ipv6" if ":" in link else "ipv4"
    zone = Zone("business", "lan", {family: link}, by_family([link, pool]), {family: str(ip_network(link)[4])})
    assert [each.to for each in routes(zone)] == routed
