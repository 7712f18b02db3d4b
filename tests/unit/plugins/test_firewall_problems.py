"""What keeps a host from being a firewall is found before anything changes, above all what would shut Ansible out."""

from typing import Any

import pytest

from ansible_collections.gpufabric.host.plugins.filter.firewall_problems import firewall_problems

ZONES: list[dict[str, Any]] = [
    {
        "name": "outside",
        "port": "wan",
        "address": "203.0.113.2/29",
        "address_v6": "2001:db8:100::2/64",
        "routes": [{"to": "0.0.0.0/0", "via": "203.0.113.4"}, {"to": "::/0", "via": "2001:db8:100::4"}],
    },
    {"name": "dmz", "port": "dmz", "address": "203.0.113.66/27", "address_v6": None, "routes": []},
]
MANAGEMENT = {"port": "mgmt", "clients": ["10.183.0.0/24"], "clients_v6": ["fd00:183::/64"]}
SYNC = {"port": "sync", "address": "10.191.0.1/30", "peer": "10.191.0.2"}


def addresses(**ports: list[str]) -> list[dict[str, Any]]:
    """As ``ip -json address`` prints them."""
    return [
        {"ifname": name, "addr_info": [dict(zip(("local", "prefixlen"), each.split("/"), strict=True)) for each in its]}
        for name, its in ports.items()
    ]


GOOD = {
    "wan": ["203.0.113.2/29", "2001:db8:100::2/64"],
    "dmz": ["203.0.113.66/27"],
    "sync": ["10.191.0.1/30"],
    "mgmt": [],
}


def problems(
    came: str = "", routes: list[dict[str, str]] | None = None, confirm_within_s: int = 60, **changed: list[str]
) -> list[str]:
    host = {"addresses": addresses(**{**GOOD, **changed}), "routes": routes or [], "came": came}
    return firewall_problems(ZONES, MANAGEMENT, SYNC, host, 22, confirm_within_s)


def test_a_host_with_all_its_ports_and_addresses_is_taken() -> None:
    assert problems() == []


@pytest.mark.parametrize("came", ["10.183.0.9 40000 10.183.0.1 22", "fd00:183::9 40000 fd00:183::1 22", ""])
def test_ansible_that_comes_from_where_it_may_is_taken(came: str) -> None:
    assert problems(came) == []


@pytest.mark.parametrize("came", ["10.99.0.9 40000 10.183.0.1 22", "fe80::1%mgmt 40000 fe80::2 22"])
def test_rules_that_would_shut_ansible_out_are_refused(came: str) -> None:
    (problem,) = problems(came)
    assert "would shut itself out; correct boundary.firewalls.management in fabric.yml" in problem


def test_ansible_that_comes_in_by_a_zones_port_is_refused() -> None:
    (problem,) = problems("10.183.0.9 40000 203.0.113.66 22")
    assert problem.startswith(
        "firewall_management.port: Ansible comes in by 203.0.113.66 of dmz, not by mgmt, and would"
    )


def test_another_port_of_sshd_than_the_rules_admit_is_refused() -> None:
    (problem,) = problems("10.183.0.9 40000 10.183.0.1 2222")
    assert problem == "firewall_ssh_port: Ansible comes in by port 2222, not 22, and would shut itself out"


def test_a_missing_address_and_a_missing_port_are_said_together() -> None:
    host = {"addresses": addresses(wan=["203.0.113.2/29"], dmz=[], mgmt=[]), "routes": [], "came": ""}
    found = firewall_problems(ZONES, MANAGEMENT, SYNC, host, 22, 60)
    assert found == [
        "firewall_zones outside: wan has not the address 2001:db8:100::2/64, but 203.0.113.2/29; "
        "give it to the interface first",
        "firewall_zones dmz: dmz has not the address 203.0.113.66/27, but none; give it to the interface first",
        "firewall_sync: no interface sync on this host; compare with `ip link`, correct the port in fabric.yml",
    ]


def test_the_default_routes_that_move_with_the_addresses_are_taken() -> None:
    ours = [{"gateway": "203.0.113.4", "dev": "wan"}, {"gateway": "2001:db8:100::4", "dev": "wan"}]
    assert problems(routes=ours) == []


@pytest.mark.parametrize(
    ("route", "says"),
    [
        ({"gateway": "10.183.0.254", "dev": "mgmt"}, "of its own via 10.183.0.254 by mgmt, beside the one that moves"),
        ({"gateway": "203.0.113.5", "dev": "wan"}, "of its own via 203.0.113.5 by wan"),
        ({"dev": "ppp0"}, "of its own by ppp0"),
    ],
)
def test_a_second_default_route_is_refused(route: dict[str, str], says: str) -> None:
    (problem,) = problems(routes=[{"gateway": "203.0.113.4", "dev": "wan"}, route])
    assert says in problem


@pytest.mark.parametrize("within_s", [0, 9])
def test_rules_without_time_to_confirm_them_are_refused(within_s: int) -> None:
    (problem,) = problems(confirm_within_s=within_s)
    assert problem.startswith(f"firewall_confirm_within_s: {within_s}, ")
