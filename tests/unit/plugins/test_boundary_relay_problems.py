"""What keeps a host from being a relay is found before anything changes, all at once."""

from typing import Any

from ansible_collections.gpufabric.host.plugins.filter.boundary_relay_problems import boundary_relay_problems

WANTED: dict[str, Any] = {
    "port": "dmz",
    "addresses": ["203.0.113.74/27", "2001:db8:101::4a/64"],
    "gateways": ["203.0.113.65", "2001:db8:101::1"],
    "clients": ["10.177.0.0/16", "fd00:300::/48"],
    "shared": ["203.0.113.76/27", "2001:db8:101::4c/64"],
    "came": "10.183.0.9 40000 203.0.113.74 22",
}
ADDRESSES = [
    {},
    {
        "ifname": "dmz",
        "addr_info": [{"local": "203.0.113.74", "prefixlen": 27}, {"local": "2001:db8:101::4a", "prefixlen": 64}],
    },
]
ROUTES = [
    {"dst": "default", "gateway": "203.0.113.65", "dev": "dmz"},
    {"dst": "default", "gateway": "2001:db8:101::1", "dev": "dmz"},
]


def test_a_host_with_its_addresses_and_routes_is_taken() -> None:
    assert boundary_relay_problems(WANTED, ADDRESSES, ROUTES) == []


def test_a_relay_without_ipv6_needs_no_route_of_it() -> None:
    wanted = {**WANTED, "addresses": ["203.0.113.74/27"], "gateways": ["203.0.113.65"]}
    assert boundary_relay_problems(wanted, ADDRESSES, ROUTES[:1]) == []


def test_a_missing_port_is_told_without_its_addresses() -> None:
    (only,) = boundary_relay_problems({**WANTED, "gateways": [], "port": "lan"}, ADDRESSES, ROUTES)
    assert only.startswith("boundary_relay_port: no interface lan on this host")


def test_all_that_is_wrong_is_told_at_once() -> None:
    wanted = {
        **WANTED,
        "addresses": ["203.0.113.75/27"],
        "gateways": ["203.0.113.66", "2001:db8:101::1"],
        "clients": ["::/0"],
    }
    routes = [{"gateway": "192.0.2.1", "dev": "mgmt"}]
    assert boundary_relay_problems(wanted, ADDRESSES, routes) == [
        "boundary_relay_address: dmz has not the address 203.0.113.75/27, but 2001:db8:101::4a/64, 203.0.113.74/27; "
        "give it to that first",
        "boundary_relay_gateway: the default route is not 203.0.113.66 by dmz, but 192.0.2.1 by mgmt; "
        "without it no server outside is asked; set it first",
        "boundary_relay_gateway: the default route is not 2001:db8:101::1 by dmz, but none; "
        "without it no server outside is asked; set it first",
        "boundary_relay_clients: ::/0 is everybody; correct boundary.relays.clients in fabric.yml",
    ]


def test_ansible_that_comes_in_by_an_address_that_may_move_is_refused() -> None:
    for here in ("203.0.113.76", "2001:db8:101::4c"):
        came = f"10.183.0.9 40000 {here} 22"
        assert boundary_relay_problems({**WANTED, "came": came}, ADDRESSES, ROUTES) == [
            f"boundary_relay_proxy: Ansible comes in by {here}, which the other relay may have next; "
            "set ansible_host to the host's own"
        ]
    assert boundary_relay_problems({**WANTED, "came": ""}, ADDRESSES, ROUTES) == []
