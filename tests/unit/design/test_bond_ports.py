"""What storage and business planes want of a leaf whose hosts bond their ports: from intent to configuration."""

from dataclasses import replace
from typing import Any

import pytest

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.contribute.bond_ports import GATEWAY_MAC
from nornir_tasks.design.hosts import boundary_vars, gateway_vars, load_balancer_vars, relay_vars
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from tests.unit.design import front, front_full
from tests.unit.design.front_full import DEVICES, LEAVES, network, part, realised

BOTH = [f"{pair}-{leaf}" for pair in LEAVES.values() for leaf in "ab"]
EOS, NXOS, NVUE = DEVICES["eos"], DEVICES["nxos"], DEVICES["nvue"]


def port(device: str, name: str) -> Interface:
    return next(each for each in realised(device).config.interfaces if each.name == name)


def groups(device: str) -> dict[str, Interface]:
    return {each.name: each for each in realised(device).config.interfaces if each.lag and each.edge}


@pytest.mark.parametrize("device", BOTH)
def test_what_is_rendered_of_a_front_leaf_reads_back_as_what_was_designed(device: str) -> None:
    wanted = part(device)
    for tree in (wanted.tree, wanted.platform.to_tree(wanted.text)):
        parsed = wanted.platform.parse(tree, wanted.capabilities, device, wanted.config.model)
        assert not parsed.remainder, list(parsed.remainder.walk())
        assert parsed.config == wanted.config


@pytest.mark.parametrize("device", BOTH)
def test_every_port_of_a_bond_is_in_the_group_of_its_host(device: str) -> None:
    ports = {each.name: each for each in realised(device).config.interfaces}
    of_group: dict[str, set[str]] = {}
    for link in network().links_of(device):
        if link.kind == "host":
            member = ports[link.end(device).port].member
            assert member is not None
            of_group.setdefault(member.group, set()).add(link.far(device).device)
    assert set(of_group) == set(groups(device))
    assert all(len(hosts) == 1 for hosts in of_group.values())


@pytest.mark.parametrize("pair", LEAVES.values())
def test_a_host_has_one_number_on_both_leaves_of_its_pair(pair: str) -> None:
    one, other = ({name: each.description for name, each in groups(f"{pair}-{leaf}").items()} for leaf in "ab")
    assert one == other
    assert len(set(one.values())) == len(one)


def test_hosts_that_come_later_move_no_group() -> None:
    grown = front_full.data()
    for each in grown["hosts"].values():
        each["count"] = each["max"]
    later = device_config(front.built(grown), front.built(grown).device(EOS)).config
    now = {name: each.description for name, each in groups(EOS).items()}
    assert now.items() <= {each.name: each.description for each in later.interfaces if each.lag}.items()


def test_ports_that_two_planes_share_carry_the_second_ones_vlan_with_a_tag() -> None:
    group = port(EOS, "Port-Channel1")
    assert (group.native_vlan, group.tagged_vlans, group.access_vlan) == (200, (300,), None)
    assert group.edge
    assert port(NXOS, "port-channel1").access_vlan == 200
    assert [port(NVUE, name).access_vlan for name in ("bond1", "bond5")] == [310, 320]


def test_bonds_negotiate_as_their_hosts_group_says() -> None:
    found = port(NXOS, "port-channel1").lag
    assert found is not None
    assert replace(found, pair_id=None) == Lag(None, individual=True, min_links=1)
    member = port(NXOS, "Ethernet1/1").member
    assert member is not None
    assert member.lacp_rate == "slow"
    other = port(NVUE, "bond1").lag
    assert other is not None
    assert replace(other, pair_id=None) == Lag("fast")


def test_groups_have_their_number_on_both_leaves_and_the_peer_link_carries_all_their_vlans() -> None:
    for leaf in ("front-leaf-g1-a", "front-leaf-g1-b"):
        config = realised(leaf).config
        assert config.pair is not None
        assert [each.name for each in groups(leaf).values()] == [
            f"Port-Channel{each.lag.pair_id}" for each in groups(leaf).values() if each.lag
        ]
        assert set(port(leaf, config.pair.peer_link).tagged_vlans) == {each.number for each in config.vlans} | {4094}


def test_both_leaves_have_an_address_of_their_own_and_the_same_gateway() -> None:
    built = front.built(front_full.data("gpu"))
    leaves = [device_config(built, built.device(f"{LEAVES['eos']}-{leaf}")).config for leaf in "ab"]
    one, other = (next(each for each in leaf.interfaces if each.name == "Vlan210") for leaf in leaves)
    assert (one.address, other.address) == ("10.168.0.2/25", "10.168.0.3/25")
    assert (one.ipv6_address, other.ipv6_address) == ("fd00:200:0:1::2/64", "fd00:200:0:1::3/64")
    assert one.gateway == other.gateway == Gateway("10.168.0.1", "fd00:200:0:1::1", "00:00:5e:00:01:ff")
    assert one.mtu_bytes == 9214


def test_no_machine_of_ours_speaks_vrrp_by_the_gateways_mac_address() -> None:
    """RFC 5798, 7.3: the last byte of the address is the router's number; 1 is what most others begin with."""
    number = int(GATEWAY_MAC.rpartition(":")[2], 16)
    zones = (first + n for first in (boundary_vars.FIRST_ROUTER_ID, gateway_vars.FIRST_ROUTER_ID) for n in range(32))
    assert number not in {1, *zones, load_balancer_vars.ROUTER_ID, relay_vars.ROUTER_ID}


def test_of_both_leaves_with_hsrp_the_first_answers_as_long_as_it_is_there() -> None:
    found = [port(f"{LEAVES['nxos']}-{leaf}", "Vlan200").gateway for leaf in "ab"]
    assert [(each.group, each.priority, each.preempt) for each in found if each] == [(200, 110, True), (200, 100, True)]


@pytest.mark.parametrize("device", BOTH)
def test_a_leaf_announces_just_the_subnets_of_its_vlans_and_discards_at_the_way_out_what_nobody_has(
    device: str,
) -> None:
    config = realised(device).config
    assert config.bgp is not None
    there = [each for plane in ("storage", "business") for each in network().segments_at(device, plane)]
    subnets = {each.subnet for each in there} | {"0.0.0.0/0" for each in there if each.is_way_out}
    own = next(each for each in config.routing_policy.prefix_lists if each.name == "FRONT-OWN")
    loopback = f"{network().device(device).loopback}/32"
    assert set(config.bgp.networks) == {*subnets, loopback} == {rule.prefix for rule in own.rules}
    pool = network().planes["business"].pools["hosts"]
    outside = {route for each in there if each.is_way_out for route in (("0.0.0.0/0", "10.190.0.1"), (pool,))}
    assert {(each.prefix, *each.next_hops) for each in config.static_routes} == outside


@pytest.mark.parametrize("device", BOTH)
def test_flows_filter_every_vlan_in_both_directions(device: str) -> None:
    config = realised(device).config
    lists = {each.name: each for each in config.access_lists}
    used: set[str] = set()
    for svi in (each for each in config.interfaces if each.gateway or each.name.startswith("vlan")):
        families = {"ipv4"} | ({"ipv6"} if svi.ipv6_address else set())
        assert {(each.family, each.direction) for each in svi.acls} == {
            (family, direction) for family in families for direction in ("in", "out")
        }
        used |= {each.name for each in svi.acls}
    assert used == set(lists)


def test_hsrps_own_packets_pass_where_one_of_both_leaves_answers_and_nowhere_else() -> None:
    def hellos(device: str) -> set[tuple[str, str | None]]:
        return {
            (each.name, rule.destination)
            for each in realised(device).config.access_lists
            for rule in each.rules
            if rule.destination_ports in {(1985, 1985), (2029, 2029)}
        }

    assert hellos(NXOS) == {("STORAGE-V200-IN", "224.0.0.102/32")}
    assert hellos(EOS) == hellos(NVUE) == set()
    with_v6 = front.built(front_full.data("store"))
    lists = device_config(with_v6, with_v6.device(NXOS)).config.access_lists
    own = {each.name for each in lists for rule in each.rules if rule.destination_ports == (2029, 2029)}
    assert own == {"STORAGE-V210-IN-V6"}


def test_addresses_are_handed_out_only_where_a_relay_is_asked_for() -> None:
    dhcp = {
        each.name
        for each in realised(EOS).config.access_lists
        if any((rule.source_ports, rule.destination_ports) == ((68, 68), (67, 67)) for rule in each.rules)
    }
    assert dhcp == {"BUSINESS-V300-IN"}
    answers = {
        (each.name, rule.source)
        for each in realised(EOS).config.access_lists
        for rule in each.rules
        if (rule.source_ports, rule.destination_ports) == ((67, 67), (67, 67))
    }
    assert answers == {(f"BUSINESS-V300-{way}", "192.0.2.53/32") for way in ("IN", "OUT")}, "to the other leaf's relay"


def test_without_flows_nothing_is_filtered() -> None:
    found = device_config(front.network(), front.network().device(EOS)).config
    assert found.access_lists == ()
    assert all(each.acls == () for each in found.interfaces)


def test_a_spine_has_nothing_of_the_planes_but_the_classes() -> None:
    config = realised("front-spine-1").config
    assert config.vlans == ()
    assert not any(each.lag or each.member for each in config.interfaces)


def test_a_list_that_a_switch_cannot_apply_is_refused_and_not_left_out() -> None:
    intended: dict[str, Any] = front_full.data()
    intended["planes"]["business"]["vlans"]["login"]["hosts_v6"] = "fd00:300::/64"
    found = front.built(intended)
    with pytest.raises(DesignError, match="no access list can be applied to a routed port so"):
        device_config(found, found.device(NVUE))


@pytest.mark.parametrize("device", BOTH)
def test_groups_that_one_plane_uses_alone_are_its_own_and_shared_ones_the_fabrics(device: str) -> None:
    claims = realised(device).claims
    users: dict[str, set[str]] = {}
    for circuit in network().circuits_of(device):
        if circuit.use.bundle:
            name = port(device, circuit.link.end(device).port).member
            assert name is not None
            users.setdefault(name.group, set()).add(circuit.owner)
    for name, planes in users.items():
        expected = next(iter(planes)) if len(planes) == 1 else "fabric front"
        assert claims.by_port(name) == expected, name
        assert claims.by_lag(name.lstrip("abcdefghijklmnopqrstuvwxyzPC-")) == expected
