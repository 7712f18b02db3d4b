"""What the lab lays out of a boundary: whose port is on which link, who stands there, whom Ansible comes from."""

import shutil
from collections.abc import Iterable
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path

import pytest

from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.errors import LabError
from nornir_tasks.lab.boundary_hosts.container import network_files
from nornir_tasks.lab.boundary_hosts.plan import MANAGEMENT, BoundaryPlan, Station
from nornir_tasks.usecases.hosts import boundary_variables
from nornir_tasks.usecases.lab.boundary import boundary_plan
from nornir_tasks.usecases.site import load

SITES = Path(__file__).parents[2] / "sites"
MACHINES = ("firewall-1", "firewall-2", "balancer-1", "balancer-2", "relay-1", "relay-2", "bastion-1", "bastion-2")


def changed(tmp_path: Path, old: str, new: str) -> BoundaryPlan:
    shutil.copytree(SITES / "boundary", tmp_path / "site")
    file = tmp_path / "site" / "fabric.yml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return boundary_plan(load(tmp_path / "site"))


def station(plan: BoundaryPlan, name: str) -> Station:
    (found,) = (each for each in plan.stations if each.name == name)
    return found


def holds(prefixes: Iterable[str], address: str) -> bool:
    return any(ip_address(address) in ip_network(each) for each in prefixes)


@pytest.mark.parametrize("site", [SITES / "boundary", "lab"], ids=["machines of their own", "balancers on firewalls"])
def test_every_host_that_a_playbook_brings_up_is_laid_out_once(site: Path | str) -> None:
    design = load(site)
    groups = boundary_variables(design.site.intent, design.network).values()
    names = [each.name for each in boundary_plan(design).hosts]
    assert sorted(names) == sorted({name for group in groups for name in group})


def test_machines_of_their_own_stand_in_the_zones_that_the_intent_says() -> None:
    plan = boundary_plan(load(SITES / "boundary"))
    assert tuple(each.name for each in plan.hosts) == MACHINES
    links = {host.name: {port.name: port.link for port in host.ports} for host in plan.hosts}
    assert links["firewall-1"] == {
        "wan": "outside",
        "dmz": "dmz",
        "lan": "business",
        "sync": "sync",
        "mgmt": MANAGEMENT,
    }
    assert links["balancer-1"] == {"dmz": "dmz", "mgmt": MANAGEMENT}
    assert links["bastion-2"] == {"dmz": "dmz", "plane": MANAGEMENT}


def test_gateways_of_their_own_are_between_the_firewalls_and_outside(tmp_path: Path) -> None:
    gateways = """  gateways:
    inside: inner
    port: wan
    link: 198.51.100.16/29
    link_v6: "2001:db8:300::/64"
    gateway: [198.51.100.20, "2001:db8:300::4"]
    management: {port: mgmt, clients: [10.183.0.0/16]}
    sync: {port: sync, link: 10.191.0.4/30}
  egress:
"""
    plan = changed(tmp_path, "  egress:\n", gateways)
    links = {host.name: {port.name: port.link for port in host.ports} for host in plan.hosts}
    assert links["gateway-1"] == {"wan": "outside", "inner": "gateways", "sync": "sync-gateways", "mgmt": MANAGEMENT}
    assert links["firewall-1"]["wan"] == "gateways"
    assert station(plan, "outside").port.addresses == ("198.51.100.20/29", "2001:db8:300::4/64")


def test_no_two_have_one_address() -> None:
    plan = boundary_plan(load(SITES / "boundary"))
    ports = [port for host in plan.hosts for port in host.ports] + [each.port for each in plan.stations]
    addresses = [ip_interface(each).ip for port in ports for each in port.addresses]
    assert len(addresses) == len(set(addresses))


@pytest.mark.parametrize("site", [SITES / "boundary", "lab"])
def test_outside_has_every_address_but_those_of_the_site(site: Path | str) -> None:
    design = load(site)
    found = boundary(design.site.intent, design.network)
    assert found is not None
    outside = station(boundary_plan(design), "outside")
    for own in (each for prefixes in found.own.values() for each in prefixes):
        assert not [each for each in outside.behind if _overlap(each, own)], own
    for somebody in ("8.8.8.8", "192.0.2.5", "10.0.0.1", "2001:db8:500::5", "2600::1"):
        assert holds(outside.behind, somebody)
    for nobody in ("127.0.0.1", "224.0.0.18", "255.255.255.255", "fe80::1", "ff02::12"):
        assert not holds(outside.behind, nobody)


def _overlap(one: str, other: str) -> bool:
    first, second = ip_network(one), ip_network(other)
    return first.version == second.version and first.overlaps(second)


def test_whom_ansible_comes_from_is_let_in_by_every_host_and_is_nobody_else() -> None:
    design = load("lab")
    plan = boundary_plan(design)
    tool = station(plan, "tool")
    (source,) = {ip_interface(each).ip for each in tool.port.addresses}
    assert str(source) not in {each.lower_address for each in design.network.circuits}
    groups = boundary_variables(design.site.intent, design.network)
    for name, values in groups["firewalls"].items():
        assert holds(values["firewall_management"]["clients"], str(source)), name
    for name, values in groups["bastions"].items():
        assert holds(values["bastion_tool_sources"], str(source)), name
    assert {route.to.partition("/")[0] for route in tool.port.routes} == {host.address for host in plan.hosts}


def test_where_no_address_is_left_for_ansible_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(LabError) as refused:
        changed(tmp_path, "clients: [10.183.0.0/16]}", 'clients: ["fd00:183::/64"]}')
    (problem,) = refused.value.problems
    assert (problem.where, problem.found) == ("firewall-1 management clients", "none")


def test_a_site_without_a_boundary_is_refused() -> None:
    with pytest.raises(LabError, match="the intent has no boundary"):
        boundary_plan(load("lab-rails"))


def test_a_port_is_configured_with_its_addresses_and_routes() -> None:
    host = next(each for each in boundary_plan(load(SITES / "boundary")).hosts if each.name == "balancer-1")
    dmz, management = network_files(host).values()
    assert [line for line in dmz.splitlines() if line.startswith(("Name", "Address", "Gateway"))] == [
        "Name=dmz",
        "Address=203.0.113.72/27",
        "Address=2001:db8:101::48/64",
        "Gateway=203.0.113.65",
        "Gateway=2001:db8:101::1",
    ]
    assert "Destination=10.183.255.254/32\nScope=link\n" in management
    assert "LinkLocalAddressing=no" in management
    assert "LinkLocalAddressing" not in dmz, "neighbours of IPv6 are found by it"
