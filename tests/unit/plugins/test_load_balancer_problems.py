"""What keeps a host from being a load balancer is found before anything changes, and what would shut Ansible out."""

from typing import Any

import pytest

from ansible_collections.gpufabric.host.plugins.filter.load_balancer_problems import (
    load_balancer_deaf,
    load_balancer_problems,
)

PUBLISHED: list[dict[str, Any]] = [
    {
        "name": "portal",
        "addresses": ["203.0.113.70", "2001:db8:101::46"],
        "ports": ["80"],
        "tls_ports": ["443", "8000-8100"],
    }
]
OWN = {
    "port": "dmz",
    "addresses": ["203.0.113.72/27", "2001:db8:101::48/64"],
    "gateways": ["203.0.113.65", "2001:db8:101::1"],
}
ADDRESSES = [
    {
        "ifname": "dmz",
        "addr_info": [
            {"local": "203.0.113.72", "prefixlen": 27},
            {"local": "2001:db8:101::48", "prefixlen": 64},
        ],
    },
    {"ifname": "mgmt", "addr_info": [{"local": "10.183.0.7", "prefixlen": 16}]},
]
"""As ``ip -json address`` prints them."""
ROUTES = [
    {"dst": "default", "gateway": "10.183.0.1", "dev": "mgmt", "metric": 100},
    {"dst": "default", "gateway": "203.0.113.65", "dev": "dmz"},
    {"dst": "default", "gateway": "2001:db8:101::1", "dev": "dmz", "metric": 1024},
]
STATE = """\
    702
LISTEN 0 4096 203.0.113.70:80 0.0.0.0:*
LISTEN 0 4096 203.0.113.70:443 0.0.0.0:*
LISTEN 0 4096 203.0.113.70:8000 0.0.0.0:*
LISTEN 0 4096 [2001:db8:101::46]:80 [::]:*
LISTEN 0 4096 [2001:db8:101::46]:443 [::]:*
LISTEN 0 4096 [2001:db8:101::46]:8000 [::]:*
LISTEN 0 128 0.0.0.0:22 0.0.0.0:*
LISTEN 0 128 *:9100 *:*
LISTEN 0 128 127.0.0.53%lo:53 0.0.0.0:*
"""
"""Workers of HAProxy, and what ``ss -Hltn`` prints."""


def problems(own: dict[str, Any] = OWN, routes: list[dict[str, Any]] = ROUTES, came: str = "") -> list[str]:
    return load_balancer_problems(PUBLISHED, own, ADDRESSES, routes, came)


@pytest.mark.parametrize("came", ["", "10.183.0.9 40000 10.183.0.7 22", "192.0.2.1 40000 203.0.113.72 22"])
def test_a_host_with_its_addresses_and_routes_is_taken(came: str) -> None:
    assert problems(came=came) == []


def test_a_port_an_address_and_a_route_that_are_missing_are_said_together() -> None:
    assert problems({**OWN, "port": "lan"}, []) == [
        "load_balancer_port: no interface lan on this host; compare with `ip link`, "
        "correct boundary.balancers in fabric.yml",
        "load_balancer_gateway: the default route of IPv4 is missing, not by 203.0.113.65 on lan; "
        "answers would not go by the firewalls. Set it first",
        "load_balancer_gateway: the default route of IPv6 is missing, not by 2001:db8:101::1 on lan; "
        "answers would not go by the firewalls. Set it first",
    ]
    (problem,) = problems({**OWN, "addresses": ["203.0.113.73/27"]})
    assert problem.startswith(
        "load_balancer_address: dmz has not the address 203.0.113.73/27, but 2001:db8:101::48/64, "
    )


def test_a_default_route_by_which_answers_would_avoid_the_firewalls_is_refused() -> None:
    (problem,) = problems(routes=[{**ROUTES[0], "metric": 0}, {**ROUTES[1], "metric": 100}, ROUTES[2]])
    assert "the default route of IPv4 is by 10.183.0.1 on mgmt, not by 203.0.113.65 on dmz" in problem


def test_ansible_that_comes_in_by_an_address_which_moves_is_refused() -> None:
    (problem,) = problems(came="192.0.2.1 40000 2001:db8:101::46 22")
    assert "comes in by 2001:db8:101::46, which the other balancer may have next" in problem


@pytest.mark.parametrize("port", ["80", "8000", "8050", "8100"])
def test_a_published_port_that_sshd_has_is_refused(port: str) -> None:
    (problem,) = problems(came=f"192.0.2.1 40000 203.0.113.72 {port}")
    assert (
        problem == f"load_balancer_published portal: port {port} is that of sshd; give the service or sshd another one"
    )


def test_haproxy_that_listens_everywhere_is_deaf_nowhere() -> None:
    assert load_balancer_deaf(PUBLISHED, STATE) == []


def test_a_port_at_which_nobody_listens_is_named() -> None:
    silent = STATE.replace("LISTEN 0 4096 203.0.113.70:443 0.0.0.0:*\n", "")
    assert load_balancer_deaf(PUBLISHED, silent) == ["203.0.113.70 port 443"]
    assert len(load_balancer_deaf(PUBLISHED, "")) == 6


def test_the_worker_of_before_a_reload_is_not_the_new_one() -> None:
    assert len(load_balancer_deaf(PUBLISHED, STATE, STATE)) == 6, "the reload failed"
    assert load_balancer_deaf(PUBLISHED, STATE.replace("702", "702\n    911"), STATE) == []
    assert load_balancer_deaf(PUBLISHED, STATE.replace("702", "911"), STATE) == []
