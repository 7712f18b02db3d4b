"""What role bond_interfaces refuses, each mistake with value and remedy, and what it finds to change on a host."""

import copy
import importlib.util
import sys
from pathlib import Path

import pytest
import yaml

PLUGINS = Path(__file__).parents[3] / "plugins"
ROOT = PLUGINS.parent


def load(path):
    sys.path.insert(0, str(PLUGINS / "module_utils"))
    try:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(PLUGINS / "module_utils"))


drift = load(PLUGINS / "module_utils/bond_drift.py")
filters = load(PLUGINS / "filter/bond_problems.py")
(BOND,) = yaml.safe_load((ROOT / "molecule/bond_interfaces/vars/bonds.yml").read_text())["bond_interfaces_bonds"]


def link(**changes):
    found = {"mtu_bytes": 9000, "up": True, "carrier": True, "kind": "bond", "master": None, "vlan": None, "on": None}
    return {**found, **changes}


def nic(netdev, **changed):
    return {"netdev": netdev, "candidates": [netdev], "master": None, "max_mtu_bytes": 9978, "up": True, **changed}


def host(**changed):
    return {
        "manager": "networkd",
        "backend": "networkd",
        "management": ["ens3"],
        "way_back": None,
        "interfaces": {"lo": None, "ens3": None, "ens20": None, "ens21": None},
        "lacking": [],
        "bonds": {},
        "links": {},
        "members": {"0c:42:a1:00:00:20": nic("ens20"), "0c:42:a1:00:00:21": nic("ens21")},
        "routes": [],
        "names": [],
        "names_unread": [],
        **changed,
    }


def with_member(**changed):
    return host(members={"0c:42:a1:00:00:20": {**nic("ens20"), **changed}, "0c:42:a1:00:00:21": nic("ens21")})


def problems(facts, manager="auto", rails=(), **changed):
    return filters.bond_problems([{**copy.deepcopy(BOND), **changed}], facts, manager, rails)


def running():
    """A host on which a boot brought everything in."""
    own = {"mode": "802.3ad", "hash": "layer3+4", "miimon_ms": 100, "lacp_rate": "fast", "min_links": 1}
    ways = [
        ("default", "10.177.0.1", "data.300"),
        ("default", "fd00:177::1", "data.300"),
        ("10.176.0.0/16", "10.176.0.1", "data"),
        ("10.176.0.0/26", None, "data"),
    ]
    return host(
        management=["data.300"],
        interfaces={"lo": None, "data": "bond", "data.300": "vlan", "data0": None, "data1": None},
        bonds={"data": {**own, "members": {"data0": {}, "data1": {}}}},
        links={
            "data": link(addresses=["10.176.0.4/26"]),
            "data.300": link(
                mtu_bytes=1500, kind="vlan", vlan=300, on="data", addresses=["10.177.0.4/26", "fd00:177::4/64"]
            ),
        },
        members={
            "0c:42:a1:00:00:20": nic("data0", master="data"),
            "0c:42:a1:00:00:21": nic("data1", master="data"),
        },
        routes=[{"family": 6 if ":" in str(via) else 4, "to": to, "via": via, "dev": dev} for to, via, dev in ways],
    )


def test_a_bare_host_and_one_that_has_the_bonds_are_taken():
    assert problems(host()) == []
    assert problems(running()) == []


def drifted(facts):
    return set(drift.wanted_lines(BOND)) ^ set(drift.found_lines(BOND, facts))


def test_a_host_that_has_the_bonds_has_no_drift_and_a_bare_one_lacks_all_of_it():
    assert drifted(running()) == set()
    lacks = drifted(host())
    assert {"data mode 802.3ad", "data0 in data", "data.300 VLAN 300 on data", "ens20 at 0c:42:a1:00:00:20"} <= lacks


def test_each_difference_is_one_line_that_begins_with_its_interface():
    changed = running()
    changed["bonds"]["data"].update(lacp_rate="slow", members={"data0": {}})
    changed["members"]["0c:42:a1:00:00:20"].update(up=False)
    changed["links"]["data.300"].update(mtu_bytes=9000, addresses=["10.177.0.9/26", "fd00:177::4/64"])
    changed["routes"] = [
        {**each, "via": each["via"] and each["via"].replace("10.176.0.1", "10.176.0.2")} for each in changed["routes"]
    ]
    assert drifted(changed) == {
        "data lacp_rate fast", "data lacp_rate slow", "data1 in data", "data0 up", "data0 down", "data.300 mtu 1500",
        "data.300 mtu 9000", "data.300 address 10.177.0.4/26", "data.300 address 10.177.0.9/26",
        "data IPv4 route 10.176.0.0/16 via 10.176.0.1", "data IPv4 route 10.176.0.0/16 via 10.176.0.2",
    }  # fmt: skip
    assert drift.touched(["- data lacp_rate slow", "+ data.300 mtu 1500"]) == {"data", "data.300"}


def test_a_second_address_is_drift_and_ipv6_is_judged_where_the_plane_has_it():
    changed = running()
    changed["links"]["data"]["addresses"] += ["fd00:5::1/64", "10.9.9.9/24"]
    assert drifted(changed) == {"data address 10.9.9.9/24"}


def test_options_of_a_bond_that_is_there_are_set_and_the_rate_while_it_is_down():
    changed = running()
    changed["bonds"]["data"]["min_links"] = 2
    link = "ip link set dev data"
    spelled = [" ".join(each) for each in drift.option_commands(BOND, changed)]
    assert spelled == [f"{link} type bond min_links 1"]
    changed["bonds"]["data"]["lacp_rate"] = "slow"
    spelled = [" ".join(each) for each in drift.option_commands(BOND, changed)]
    assert spelled == [f"{link} down", f"{link} type bond lacp_rate fast min_links 1", f"{link} up"]
    assert drift.option_commands(BOND, running()) == drift.option_commands(BOND, host()) == []


def test_a_file_tells_which_bonds_and_vlans_the_role_has_made():
    assert drift.links_in("# Written by Ansible\n# Links: data data.300\nnetwork:\n") == ["data", "data.300"]
    assert drift.links_in("[NetDev]\nName=theirs\n") == []
    assert drift.links_of([BOND]) == ["data", "data.300"]


OTHER_DEFAULT = {"family": 4, "to": "default", "via": "192.0.2.1", "dev": "ens3"}
NAMED = {
    "by": "netplan",
    "file": "/etc/netplan/50-cloud-init.yaml",
    "line": 9,
    "key": "set-name",
    "name": "ens20",
    "netdevs": ["ens20"],
    "kept": "",
    "certain": True,
}
REFUSED = {
    "no kernel": (host(lacking=["bonding"]), "this kernel has no module bonding; boot one that has it"),
    "no port": (with_member(netdev=None, candidates=[]), "data0, match mac 0c:42:a1:00:00:20: no interface there"),
    "two ports": (with_member(netdev=None, candidates=["a", "b"]), "several interfaces (a, b); tell them apart by mac"),
    "one port twice": (with_member(netdev="ens21"), "0c:42:a1:00:00:20 and 0c:42:a1:00:00:21 are one interface, ens21"),
    "the way in": (host(management=["ens20"]), "is ens20, which this host is reached by or has its default route on"),
    "another bond's": (with_member(master="bond0"), "ens20 is a member of bond0; take it out first"),
    "a NIC's MTU": (with_member(max_mtu_bytes=1500), "ens20 takes an MTU of at most 1500, not 9000"),
    "a name": (host(interfaces={"data": None}), "bond data: another interface has that name"),
    "a member's name": (host(interfaces={"data1": "dummy"}), "data1: another interface has that name"),
    "a VLAN's name": (host(interfaces={"data.300": "macvlan"}), "data.300: another interface has that name"),
    "a bond of others": (
        host(bonds={"data": {"members": {"ens8": {}}}}, interfaces={"data": "bond"}),
        "bond data: there is one with other members, ens8; take it away",
    ),
    "a bond of another mode": (
        host(bonds={"data": {"mode": "active-backup", "members": {}}}, interfaces={"data": "bond"}),
        "bond data: there is one of mode active-backup, not 802.3ad, which cannot be changed; take it away",
    ),
    "another VLAN": (
        host(
            interfaces={"data": "bond", "data.300": "vlan"},
            links={"data.300": link(kind="vlan", vlan=301, on="data", addresses=[])},
        ),
        "data.300: is VLAN 301 on this host, not 300; take it away: ip link delete data.300",
    ),
    "the controller's way": (
        host(way_back={"client": "10.176.3.4", "to": "default", "via": "192.0.2.1", "dev": "ens3"}),
        "answers to the controller (10.176.3.4) go by ens3, and would go by 10.176.0.0/16 of plane storage",
    ),
    "a default route": (
        host(routes=[OTHER_DEFAULT]),
        "data.300: this host has its default route by ens3 (192.0.2.1); take it away there, or set",
    ),
    "a later name": (host(names=[NAMED]), "data0: netplan gives ens20 the name ens20 at the next boot"),
    "no manager": (host(manager="none", backend="none"), "neither netplan, systemd-networkd nor NetworkManager runs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_host_that_cannot_have_the_bond_is_refused_with_value_and_remedy(name):
    facts, says = REFUSED[name]
    (problem,) = problems(facts)
    assert says in problem


@pytest.mark.parametrize(
    ("name", "is_one"), [("front-lag", True), ("f_1", True), ("Front", False), ("a-name-of-16-let", False)]
)
def test_names_of_bonds_and_members_are_judged_as_those_of_rails_are(name, is_one):
    first = {**BOND["members"][0], "name": f"{name[:14]}0"}
    found = problems(host(), name=name, members=[first, BOND["members"][1]])
    wrong = [each for each in found if "expected up to 15 of a-z, 0-9, - and _, a letter first" in each]
    assert bool(wrong) is not is_one
    found = problems(host(), members=[{**first, "name": "front.0"}, BOND["members"][1]])
    assert [each for each in found if "front.0: expected up to 15 of" in each]


def test_another_manager_than_the_one_that_runs_the_host_is_refused():
    (problem,) = problems(host(), "networkmanager")
    assert "networkd runs this host; two managers would undo one another" in problem


def test_values_that_do_not_fit_are_all_named_at_once():
    storage, business = copy.deepcopy(BOND["planes"])
    storage["gateway"], business["mtu_bytes"], business["address_v6"] = "10.9.0.1", 9216, "fd00:9::4"
    storage.update(routes=["10.176.0.0/33"], default_route=True)
    found = problems(host(), planes=[storage, business], members=[BOND["members"][0]] * 2, min_links=3)
    assert [each.partition(": ")[2] for each in found if "2 interfaces are called data0" in each]
    text = "\n".join(found)
    for says in (
        "2 members match 0c:42:a1:00:00:20",
        "data, gateway 10.9.0.1: not a neighbour in 10.176.0.0/26",
        "data.300, mtu_bytes 9216: more than 9000 of data below it",
        "data.300, gateway fd00:177::1: not a neighbour in fd00:9::/64",
        "min_links 3: expected 1 to 2, as it has 2 members",
        "data, routes 10.176.0.0/33",
        "the default route by planes storage and business; set default_route: true on one plane alone",
    ):
        assert says in text
    assert filters.bond_problems([], host()) == [
        "bond_interfaces_bonds: empty, so that there is nothing to do; see hosts.<group>.nics in fabric.yml"
    ]


def test_a_port_that_is_a_rail_is_no_member():
    rails = [{"rail": 3, "name": "rail3", "match": {"mac": "0C:42:A1:00:00:20"}}]
    (problem,) = problems(host(), rails=rails)
    assert "data0, match mac 0c:42:a1:00:00:20: is rail 3 (rail3), which is routed on its own" in problem


@pytest.mark.parametrize("to", ["10.176.3.0/24", "10.176.3.4"])
def test_a_way_to_the_controller_that_is_more_specific_stays_and_is_no_problem(to):
    way = {"client": "10.176.3.4", "to": to, "via": None, "dev": "ens3"}
    assert problems(host(way_back=way)) == []


def test_a_host_that_is_reached_over_its_bond_is_taken():
    way = {"client": "198.51.100.7", "to": "default", "via": "10.177.0.1", "dev": "data.300"}
    assert problems({**running(), "way_back": way}) == []


def test_whether_a_member_keeps_its_name_cannot_be_told_where_a_file_cannot_be_read():
    found = problems(host(names_unread=["/etc/netplan/x.yaml: no"]))
    assert len(found) == 2
    assert "data0: whether it keeps its name cannot be told. /etc/netplan/x.yaml: no" in found[0]


def provisioned():
    """A bond of others on the ports, a VLAN of our name with another number, their names, and others' default route."""
    name = {"by": "cloud-init", "file": "/etc/netplan/50-cloud-init.yaml", "line": 9, "key": "set-name", "kept": ""}
    return host(
        management=["bond0", "ens3", "ens20"],
        interfaces={"lo": None, "ens3": None, "ens20": None, "ens21": None, "bond0": "bond", "data.300": "vlan"},
        links={"data.300": link(kind="vlan", vlan=200, on="bond0", addresses=["10.177.0.4/26"])},
        bonds={"bond0": {"mode": "active-backup", "members": {"ens20": {}, "ens21": {}}}},
        members={"0c:42:a1:00:00:20": nic("ens20", master="bond0"), "0c:42:a1:00:00:21": nic("ens21", master="bond0")},
        routes=[{"family": 4, "to": "default", "via": "192.0.2.1", "dev": "ens3"}],
        names=[{**name, "name": "ens20", "netdevs": ["ens20"], "certain": True}],
        way_back={"client": "10.177.0.9", "to": "10.177.0.0/26", "via": None, "dev": "bond0"},
    )


def adopting(facts, **changed):
    plan = {"adopted": {"links": ["data.300", "bond0"], "release": {}, "flush": {}}, "blocks": [], **changed}
    return filters.bond_problems([copy.deepcopy(BOND)], facts, "auto", (), plan)


def test_each_refusal_of_a_provisioned_host_has_the_step_that_leads_on_and_an_adoption_takes_it():
    refused = problems(provisioned())
    of_others = [each for each in refused if "answers to the controller" not in each and "has that name" not in each]
    assert len(of_others) == 5
    assert all("or have it adopted: gpufabric_adopt_network: plan" in each for each in of_others)
    assert adopting(provisioned()) == []


def test_a_bond_of_our_name_that_others_made_goes_as_well():
    facts = provisioned()
    facts["bonds"]["data"] = {"mode": "active-backup", "members": {"ens5": {}}}
    facts["interfaces"]["data"] = "bond"
    assert any("there is one with other members" in each for each in problems(facts))
    both = {"links": ["data.300", "bond0", "data"], "release": {}, "flush": {}}
    assert adopting(facts, adopted=both) == []
    assert adopting(facts, blocks=["do it by hand"])[0] == "gpufabric_adopt_network: do it by hand"
