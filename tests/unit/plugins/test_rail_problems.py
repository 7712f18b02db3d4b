"""What the role rail_interfaces refuses before it changes anything: each mistake is named with value and remedy."""

import copy
import importlib.util
from pathlib import Path

import pytest

FILTERS = Path(__file__).parents[3] / "plugins/filter"


def load(name):
    spec = importlib.util.spec_from_file_location(name, FILTERS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rail_problems = load("rail_problems").rail_problems
rail_names = load("rail_problems").rail_names
plane_problems = load("plane_problems").plane_problems


def rail(number, **changed):
    return {
        "rail": number,
        "name": f"rail{number}",
        "match": {"pci": f"0000:00:1{number}.0"},
        "address": f"10.{168 + number}.0.1",
        "prefix_length": 31,
        "gateway": f"10.{168 + number}.0.0",
        "mtu_bytes": 9000,
        "supernet": f"10.{168 + number}.0.0/16",
        "table": 100 + number,
        **changed,
    }


def nic(netdev, **changed):
    found = {"netdev": netdev, "candidates": [netdev], "driver": "mlx5_core", "master": None, "max_mtu_bytes": 9978}
    return {**found, **changed}


def host(**changed):
    return {
        "manager": "networkd",
        "backend": "networkd",
        "management": ["ens3"],
        "interfaces": ["lo", "ens3", "ens16", "ens17"],
        "rails": {"0000:00:10.0": nic("ens16"), "0000:00:11.0": nic("ens17")},
        "names": [],
        "names_unread": [],
        **changed,
    }


RAILS = [rail(0), rail(1)]


def with_nic(**changed):
    facts = copy.deepcopy(host())
    facts["rails"]["0000:00:11.0"].update(changed)
    return facts


def test_a_right_host_is_not_refused():
    assert rail_problems(RAILS, host()) == []


def test_a_host_whose_rails_have_their_names_already_is_not_refused():
    named = {"0000:00:10.0": nic("rail0"), "0000:00:11.0": nic("rail1")}
    assert rail_problems(RAILS, host(rails=named, interfaces=["lo", "ens3", "rail0", "rail1"])) == []


def test_rails_that_bear_one_anothers_names_may_change_places():
    swapped = {"0000:00:10.0": nic("rail1"), "0000:00:11.0": nic("rail0")}
    assert rail_problems(RAILS, host(rails=swapped, interfaces=["lo", "ens3", "rail0", "rail1"])) == []


ABSENT = {"netdev": None, "candidates": []}


@pytest.mark.parametrize(
    ("rails", "facts", "expected"),
    [
        ([], host(), ["rail_interfaces_rails: empty", "hosts.<group> in fabric.yml"]),
        (RAILS, with_nic(**ABSENT), ["rail 1, match pci 0000:00:11.0: no interface", "lspci -D -d ::0200"]),
        ([rail(0), rail(1, match={"pci": "0000:AF:00.0"})], host(), ["pci 0000:AF:00.0: no interface"]),
        (RAILS, with_nic(netdev=None, candidates=["a", "b"]), ["several interfaces (a, b)", "mac"]),
        (
            RAILS,
            with_nic(max_mtu_bytes=1500),
            ["mtu_bytes 9000: ens17 (driver mlx5_core) takes at most 1500", "policy.mtu"],
        ),
        (RAILS, with_nic(master="bond0"), ["ens17 is a member of bond0", "take it out"]),
        (RAILS, with_nic(netdev="ens3"), ["is ens3, which this host is reached by"]),
        (RAILS, with_nic(netdev="ens16"), ["0000:00:10.0 and 0000:00:11.0 are one interface, ens16"]),
        (RAILS, host(interfaces=["lo", "rail1"]), ["rail 1, name rail1: another interface has that name"]),
        (RAILS, host(manager="none", backend="none"), ["rail_interfaces_manager auto: neither", "set it to networkd"]),
        (RAILS, host(manager="netplan", backend="none"), ["netplan is here, but neither", "start one"]),
        ([rail(0), rail(1, match=rail(0)["match"])], host(), ["2 rails match 0000:00:10.0"]),
        ([rail(0), rail(1, table=100)], host(), ["2 rails have table 100"]),
        ([rail(0), rail(1, name="rail0")], host(), ["2 rails have name rail0"]),
        ([rail(0), rail(1, address="10.168.0.1")], host(), ["2 rails have address 10.168.0.1"]),
        ([rail(0, table=254)], host(), ["table 254: the kernel's own"]),
        ([rail(0, rail=1000)], host(), ["rail 1000: expected 0 to 999"]),
        ([rail(0, name="a-name-of-17-chars")], host(), ["name a-name-of-17-chars: expected up to 15"]),
        ([rail(0, match={})], host(), ["expected either pci or mac"]),
        ([rail(0, gateway="10.168.0.1")], host(), ["gateway 10.168.0.1: not a neighbour in 10.168.0.0/31"]),
        ([rail(0, prefix_length=33)], host(), ["address 10.168.0.1/33", "pools"]),
        ([rail(0, supernet="10.200.0.0/16")], host(), ["supernet 10.200.0.0/16: does not hold"]),
    ],
)
def test_each_mistake_is_named_with_its_value_and_remedy(rails, facts, expected):
    found = "\n".join(rail_problems(rails, facts))
    assert [part for part in expected if part not in found] == []


def naming(netdev, name, **changed):
    """What rail_facts says of a set-name of netplan's."""
    place = {"file": "/etc/netplan/50-cloud-init.yaml", "line": 9, "key": "network.ethernets.a.set-name"}
    return {"by": "netplan", **place, "name": name, "netdevs": [netdev], "kept": "", "certain": True, **changed}


PLACE = "/etc/netplan/50-cloud-init.yaml, line 9, network.ethernets.a.set-name"


def test_what_gives_a_rail_another_name_is_refused_with_file_and_key_unless_it_may_be_taken_over():
    facts = host(names=[naming("ens16", "eth2"), naming("ens17", "rail1"), naming("ens3", "mgmt")])
    assert rail_problems(RAILS, facts) == [
        "rail_interfaces_rails, rail 0, name rail0: netplan gives ens16 the name eth2 at the next boot: "
        f"{PLACE}; take it away, or set rail_interfaces_take_over_names: true"
    ]
    assert rail_problems(RAILS, facts, take_over_names=True) == []


def test_what_cannot_be_taken_over_is_refused_though_it_is_allowed():
    facts = host(names=[naming("ens16", "", by="udev", kept="it is made again at each boot", line=0)])
    (problem,) = rail_problems(RAILS, facts, take_over_names=True)
    assert problem.endswith("take it away: it is made again at each boot")
    assert "udev takes ens16 at the next boot" in problem


def test_another_interface_that_will_bear_a_rails_name_is_refused():
    (problem,) = rail_problems(RAILS, host(names=[naming("ens3", "rail1")]), take_over_names=True)
    assert problem.startswith(
        "rail_interfaces_rails, rail 1, name rail1: netplan gives ens3 that name at the next boot"
    )


def test_a_name_that_may_come_at_boot_is_not_refused_and_files_that_cannot_be_read_are():
    assert rail_problems(RAILS, host(names=[naming("ens16", "lan%n", certain=False)])) == []
    (problem,) = rail_problems(RAILS, host(names_unread=["/etc/netplan/60-a.yaml: is not YAML: line 3"]))
    assert "cannot be told. /etc/netplan/60-a.yaml: is not YAML: line 3" in problem


def test_a_manager_said_by_name_need_not_run_yet():
    assert rail_problems(RAILS, host(manager="none", backend="none"), "networkd") == []


def test_all_mistakes_are_told_at_once():
    found = rail_problems([rail(0, table=254), rail(1, gateway="10.9.9.9")], with_nic(max_mtu_bytes=1500))
    assert len(found) == 3


def test_planes_that_can_be_guarded_are_not_refused():
    assert plane_problems({"compute": ["rail0"], "business": ["ens3"], "storage": []}, ["rail0", "ens3"]) == []


@pytest.mark.parametrize(
    ("planes", "expected"),
    [
        ({}, "interfaces of no plane only"),
        ({"compute": ["rail0"]}, "interfaces of compute only, so that nothing would be guarded"),
        ({"compute": ["rail0"], "business": ["rail0"]}, "rail0 is on business and compute"),
        ({"compute": ["rail0"], "business": ["ens9"]}, "plane_guard_planes.business: no interface ens9 on this host"),
        ({"compute": ["rail0"], "business": ["en*"]}, "'en*' is no name of an interface"),
        ({"compute": ["rail0"], 'b" accept': ["ens3"]}, "expected a-z, 0-9, - and _"),
    ],
)
def test_planes_that_cannot_be_guarded_are_refused(planes, expected):
    assert expected in "\n".join(plane_problems(planes, ["rail0", "ens3"]))


def test_a_rail_is_found_by_the_name_its_interface_has_now() -> None:
    assert rail_names(RAILS, host())["rail0"] != "rail0"
    assert set(rail_names(RAILS, host())) == {"rail0", "rail1"}
    assert rail_names(RAILS, {}) == {}


SETTINGS = {
    "plane_supernet": "10.168.0.0/13",
    "arp_strict": False,
    "link_local": True,
    "rule_priority": 20000,
    "restart_networkd": False,
}
SPIDERPOOL = {"priority": 1000, "from": "all", "table": "500", "selectors": [], "protocol": "0"}


def beside_others(**changed):
    """A host under networkd whose rails are to be named, with a rule of Spiderpool's."""
    state = {"up": False, "mtu_bytes": 1500, "addresses": [], "altnames": []}
    return host(
        rails={"0000:00:10.0": nic("ens16", **state), "0000:00:11.0": nic("ens17", **state)},
        rules=[SPIDERPOOL],
        others_rules=[SPIDERPOOL],
        routes={"main": []},
        sysctl={name: {"rp_filter": 1} for name in ("ens16", "ens17")},
        networkd_leaves_others="no",
        **changed,
    )


def test_a_host_is_refused_where_networkd_would_take_away_others_rules():
    (problem,) = rail_problems(RAILS, beside_others(), settings=SETTINGS)
    assert problem.startswith(
        "rail_interfaces_restart_networkd false: systemd-networkd leaves rules of others alone: no;"
    )
    assert "it would take away 1000: from all lookup 500" in problem
    assert "ManageForeignRoutingPolicyRules=no and ManageForeignRoutes=no" in problem
    assert rail_problems(RAILS, beside_others(), settings={**SETTINGS, "restart_networkd": True}) == []
    assert rail_problems(RAILS, {**beside_others(), "networkd_leaves_others": "now"}, settings=SETTINGS) == []
    assert rail_problems(RAILS, {**beside_others(), "networkd_leaves_others": ""}, settings=SETTINGS) == []


def test_ipv6_of_others_on_a_rail_without_link_local_addresses_is_refused_by_name():
    rails = {f"0000:00:1{number}.0": nic(f"rail{number}", addresses=[]) for number in (0, 1)}
    rails["0000:00:11.0"]["addresses"] = ["10.169.0.1/31", "2001:db8::1/64"]
    facts = {**host(rails=rails), "networkd_leaves_others": ""}
    off = {**SETTINGS, "link_local": False}
    assert rail_problems(RAILS, facts, settings=SETTINGS) == []
    (problem,) = rail_problems(RAILS, facts, settings=off)
    assert problem.startswith("rail_interfaces_link_local false: rail1, rail 1, has 2001:db8::1/64 of others")
    rails["0000:00:11.0"]["addresses"].pop()
    assert rail_problems(RAILS, facts, settings=off) == []


def test_a_host_that_lacks_rules_and_filters_alone_needs_no_manager_and_is_not_refused():
    state = {"up": True, "mtu_bytes": 9000, "altnames": []}
    facts = beside_others()
    facts["rails"] = {
        f"0000:00:1{number}.0": nic(f"rail{number}", addresses=[f"10.{168 + number}.0.1/31"], **state)
        for number in (0, 1)
    }
    for number in (0, 1):
        via = {"via": f"10.{168 + number}.0.0", "dev": f"rail{number}"}
        facts["routes"]["main"].append({"to": f"10.{168 + number}.0.0/16", **via})
        facts["routes"][str(100 + number)] = [{"to": "10.168.0.0/13", **via}]
        facts["sysctl"][f"rail{number}"] = {"rp_filter": 1}
    assert rail_problems(RAILS, facts, settings=SETTINGS) == []
    gone = {"priority": 20005, "from": "10.173.0.1", "table": "105", "selectors": [], "protocol": "4"}
    facts["rules"].append(gone)
    (problem,) = rail_problems(RAILS, facts, settings=SETTINGS)
    assert "told to set a rail that is no more (10.173.0.1), it would take away" in problem


@pytest.mark.parametrize("first", [0, 32765])
def test_rules_that_the_kernel_would_ask_after_its_main_table_are_refused(first):
    (problem,) = rail_problems(RAILS, host(networkd_leaves_others=""), settings={**SETTINGS, "rule_priority": first})
    assert problem.startswith(f"rail_interfaces_rule_priority {first}: rules of these rails would stand at {first} to")


def adoption(*, links=(), release=None, blocks=()):
    """What network_adopted answers of a plan."""
    return {"adopted": {"links": list(links), "release": release or {}, "flush": {}}, "blocks": list(blocks)}


PROVISIONED = {
    "management": ["ens17"],
    **{key: value for key, value in with_nic(master="br0").items() if key == "rails"},
}


def test_what_a_provisioner_left_is_refused_with_the_step_that_leads_on_and_taken_once_it_is_adopted():
    facts = host(**PROVISIONED)
    refused = rail_problems(RAILS, facts)
    assert len(refused) == 2
    assert all(
        "or have it adopted: gpufabric_adopt_network: plan shows what goes and what stays" in each for each in refused
    )
    assert rail_problems(RAILS, facts, adopt=adoption(links=["br0"])) == []
    assert rail_problems(RAILS, facts, adopt=adoption(release={"ens17": "br0"})) == []


def test_what_an_adoption_must_have_done_by_hand_first_is_refused_with_the_rest():
    found = rail_problems(RAILS, host(**PROVISIONED), adopt=adoption(blocks=["pod0 (macvlan) is on ens17: stop it"]))
    assert found[0] == "gpufabric_adopt_network: pod0 (macvlan) is on ens17: stop it"
    assert "ens17 is a member of br0: a rail is routed on its own" in found[1]
