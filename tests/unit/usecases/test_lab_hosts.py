"""What a lab is told of its hosts is what Ansible gets: bonds with their members, VLANs and rate; rails; or nothing."""

import json
from pathlib import Path

import pytest

from nornir_tasks.lab.plan import LabBond, LabHostEnd, LabPlan, LabRoute, LabVlan, differences, specification
from nornir_tasks.usecases.hosts import inventory
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.site import load
from switch_twins.spec import LabSpec
from switch_twins.spec_reader import parse_spec

ROOT = Path(__file__).parents[3]
LAB = ROOT / "inventory/lab"


@pytest.fixture(scope="module")
def plan() -> LabPlan:
    return lab_plan(load(LAB))


def read_by_switches(plan: LabPlan) -> LabSpec:
    return parse_spec(json.loads(json.dumps(specification(plan, Path("lab"), "127.9", 0.0))))


def test_bonds_and_rails_are_those_of_the_host_variables(plan: LabPlan) -> None:
    every = inventory(LAB, with_planned=True).variables  # those of the boundary have neither bonds nor rails
    variables = {host: each for host, each in every.items() if "bond_interfaces_bonds" in each}
    bonds = {(host, bond["name"]): bond for host in variables for bond in variables[host]["bond_interfaces_bonds"]}
    machines = {("firewall-1", "lan"), ("firewall-2", "lan")}
    assert {(each.host, each.name) for each in plan.bonds} == {*bonds, *machines}
    ends = {(each.name, each.port): each.end for each in plan.hosts if not each.name.startswith("firewall")}
    members = {(host, each["name"]): name for (host, name), bond in bonds.items() for each in bond["members"]}
    assert {at: end.bond for at, end in ends.items() if end is not None and end.bond} == members
    rails = {
        (host, each["name"]): LabHostEnd(
            None,
            None,
            (f"{each['address']}/{each['prefix_length']}",),
            (
                LabRoute(each["supernet"], each["gateway"]),
                LabRoute("10.168.0.0/13", each["gateway"], 100 + each["rail"]),
            ),
        )
        for host in variables
        for each in variables[host].get("rail_interfaces_rails", ())
    }
    assert {at: end for at, end in ends.items() if at not in members and at[0] in variables} == rails
    assert plan.bonds[0] == LabBond(
        "gpu-1",
        "front",
        9000,
        True,
        (
            LabVlan(None, ("10.176.0.4/25",), (LabRoute("10.176.0.0/16", "10.176.0.1"),)),
            LabVlan(300, ("10.177.0.4/25",), (LabRoute("0.0.0.0/0", "10.177.0.1"),)),
        ),
    )


def test_switches_read_what_the_plan_says(plan: LabPlan) -> None:
    spec = read_by_switches(plan)
    read = {(each.name, each.port): each.end for each in spec.hosts}
    for each in plan.hosts:
        end = read[each.name, each.port]
        assert end is not None and each.end is not None
        assert (end.bond.name if end.bond else None, end.addresses) == (each.end.bond, each.end.addresses)
    (bond,) = {end.bond for (host, _), end in read.items() if host == "gpu-1" and end is not None and end.bond}
    assert (bond.lacp_active, bond.lacp_is_fast, bond.mtu_bytes) == (True, True, 9000)
    assert [(each.tag, each.addresses) for each in bond.vlans] == [
        (each.tag, each.addresses) for each in plan.bonds[0].vlans
    ]
    assert {each.routes for each in bond.vlans} == {()}  # who sends no packets needs none


def test_of_hosts_that_have_no_variables_nothing_is_said() -> None:
    """The places of these hosts' NICs are not declared, so Ansible has no hosts either."""
    plan = lab_plan(load(ROOT / "inventory/lab-breakout"))
    assert plan.bonds == () and {each.end for each in plan.hosts} == {None}
    assert {each.end for each in read_by_switches(plan).hosts} == {None}


def test_a_lab_whose_hosts_had_other_bonds_is_another_lab(plan: LabPlan) -> None:
    wanted = specification(plan, Path("lab"), "127.9", 0.0)
    slow = {**wanted, "bonds": [{**wanted["bonds"][0], "rate": "slow"}, *wanted["bonds"][1:]]}
    assert differences(slow, wanted) == ["1 bond of a host is another now: gpu-1:front"]
    older = {key: value for key, value in wanted.items() if key != "bonds"}
    assert "10 bonds of hosts are new: " in differences(older, wanted)[0]


def test_hosts_with_rails_announce_themselves_and_what_their_role_is_not_for_does_not(plan: LabPlan) -> None:
    variables = inventory(LAB, with_planned=True).variables
    with_rails = {host for host, each in variables.items() if each.get("rail_interfaces_rails")}
    assert with_rails
    assert {each.name for each in plan.hosts if each.lldp} == with_rails
    assert {each.name for each in plan.hosts if not each.lldp} >= plan.attached


def test_all_hosts_or_none_announce_themselves_where_somebody_says_so() -> None:
    design = load(LAB)
    everybody = lab_plan(design, host_lldp=True)
    assert {each.name for each in everybody.hosts if each.lldp} > everybody.attached
    assert not any(each.lldp for each in lab_plan(design, host_lldp=False).hosts)
