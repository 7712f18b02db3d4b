"""Pairs of leaves: how they are named, cabled and addressed, and what they share with whom."""

from ipaddress import IPv4Address, IPv4Network

import pytest

from nornir_tasks.design.addresses.routes import learned_paths
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.mlag import FIRST_HOST
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError
from tests.unit.design import front


def links(network: Network, kind: str) -> list[Link]:
    return [each for each in network.links if each.kind == kind]


def ends(network: Network) -> set[tuple[str, str, str, str]]:
    return {(each.upper.device, each.upper.port, each.lower.device, each.lower.port) for each in network.links}


def test_both_leaves_of_a_pair_are_of_one_kind_and_joined_by_as_many_links_as_declared() -> None:
    network = front.network()
    models = {each.name: [network.device(leaf).model for leaf in each.leaves] for each in network.pairs}
    assert models == {
        "front-leaf-g1": ["7050SX3-48YC8"] * 2,
        "front-leaf-g2": ["N9K-C93180YC-FX3"] * 2,
        "front-leaf-g3": ["SN2410"] * 2,
    }
    for pair in network.pairs:
        assert [(each.upper.device, each.lower.device) for each in pair.links] == [pair.leaves] * 2
        assert all(each.upper.port == each.lower.port and each.speed_gbps == 100 for each in pair.links)
        assert (pair.other(pair.leaves[0]), pair.other(pair.leaves[1])) == (pair.leaves[1], pair.leaves[0])


def test_peer_links_are_on_the_last_ports_and_uplinks_before_them() -> None:
    found = {
        leaf: [each.end(leaf).port for each in front.network().links_of(leaf) if each.kind != "host"]
        for leaf in ("front-leaf-g1-a", "front-leaf-g2-b", "front-leaf-g3-a")
    }
    assert found == {
        "front-leaf-g1-a": ["Ethernet53/1", "Ethernet54/1", "Ethernet55/1", "Ethernet56/1"],
        "front-leaf-g2-b": ["Ethernet1/51", "Ethernet1/52", "Ethernet1/53", "Ethernet1/54"],
        "front-leaf-g3-a": ["swp53", "swp54", "swp55", "swp56"],
    }


def test_every_host_has_half_of_its_ports_on_each_leaf_of_one_pair_and_one_address_for_each_plane() -> None:
    network = front.network()
    pair_of = {leaf: each.name for each in network.pairs for leaf in each.leaves}
    for host in network.hosts:
        leaves = [each.far(host).device for each in network.links_of(host)]
        assert len({pair_of[leaf] for leaf in leaves}) == 1
        assert sorted(leaf[-1] for leaf in leaves) == ["a", "b"]
        circuits = network.circuits_of(host)
        planes = {each.owner for each in circuits}
        assert len({(each.owner, each.lower_address) for each in circuits}) == len(planes)
        assert all(each.use.bundle and each.use.segment for each in circuits)


def test_hosts_gateways_and_leaves_have_different_addresses_of_the_pairs_subnet() -> None:
    network = front.network()
    for segment in network.segments:
        leaves = [leaf for leaf, _ in segment.leaves]
        at = {c.lower_address for leaf in leaves for c in network.circuits_of(leaf) if c.owner == segment.plane}
        fixed = [segment.gateway, *(address for _, address in segment.leaves)]
        assert not at & set(fixed)
        assert len(set(fixed)) == 3
        subnet = IPv4Network(segment.subnet)
        assert all(IPv4Address(each) in subnet for each in (*at, *fixed))
        assert min(map(IPv4Address, at)) == subnet.network_address + FIRST_HOST
        assert {network.host_block(leaf, segment.plane) for leaf in leaves} == {segment.subnet}


def test_hosts_on_the_leaves_of_others_come_after_all_places_of_these() -> None:
    network = front.network()
    found = {
        each.lower.device: each.upper.port for each in links(network, "host") if each.upper.device.endswith("g3-a")
    }
    assert found == {"login-1": "swp1", "api-1": "swp5"}


def test_hosts_that_come_later_move_no_cable_and_no_address() -> None:
    grown = front.data()
    for name, each in grown["hosts"].items():
        each["count"] = each["max"] - (1 if name == "login" else 0)
    after, before = front.built(grown), front.network()
    assert ends(before) < ends(after)
    now = {(c.link.name, c.owner): (c.upper_address, c.lower_address) for c in before.circuits}
    later = {(c.link.name, c.owner): (c.upper_address, c.lower_address) for c in after.circuits}
    assert now.items() < later.items()
    assert {each.name: each.asn for each in before.devices}.items() <= {e.name: e.asn for e in after.devices}.items()


def test_a_pair_of_four_ports_a_host_has_two_of_them_on_each_leaf() -> None:
    four = front.data()
    for group in ("login", "api"):
        four["hosts"][group]["nics"]["business"]["rails"] = 4
    network = front.built(four)
    found = [
        (each.lower.port, each.upper.device[-1]) for each in links(network, "host") if each.lower.device == "api-1"
    ]
    assert sorted(found) == [("rail0", "a"), ("rail1", "b"), ("rail2", "a"), ("rail3", "b")]
    addresses = {each.lower_address for each in network.circuits_of("api-1")}
    assert addresses == {"10.169.1.8"}  # the fifth host of the subnet: .4 is login-1


def test_hosts_with_a_model_of_leaves_of_their_own_need_ports_of_that_model_alone() -> None:
    fast = front.data()
    fast["fabrics"]["front"]["leaf"]["overrides"] = [
        {"hosts": ["store"], "platform": "nvue", "release": "5.14", "model": "SN3700"}
    ]
    fast["hosts"]["store"]["nics"]["storage"]["speed"] = "100G"
    network = front.built(fast)
    models = {each.name: {network.device(leaf).model for leaf in each.leaves} for each in network.pairs}
    assert models["front-leaf-g2"] == {"SN3700"}
    assert {each.speed_gbps for each in links(network, "host") if each.lower.device == "store-1"} == {100}


def test_more_hosts_than_one_pair_takes_cannot_share_it() -> None:
    many = front.data()
    many["hosts"]["api"]["max"] = 60
    with pytest.raises(DesignError, match="more hosts than the leaves that these groups are to share take"):
        front.built(many)


def test_links_within_a_pair_that_leave_no_port_for_an_uplink_are_counted_in_the_refusal() -> None:
    wide = front.data()
    wide["fabrics"]["front"]["leaf"]["pairs"]["links"] = 8
    with pytest.raises(DesignError, match="1 uplinks and 8 to the other leaf of the pair"):
        front.built(wide)


def test_a_pairs_subnet_is_reached_by_the_nearest_of_its_leaves_and_by_both_where_they_are_alike() -> None:
    network, pair = front.network(), ("front-leaf-g1-a", "front-leaf-g1-b")
    paths = learned_paths(network)
    spine, far = paths.to_any("front-spine-1", pair), paths.to_any("front-leaf-g2-a", pair)
    assert spine is not None
    assert (spine.width, spine.neighbours) == (2, pair)
    assert far is not None
    assert (far.width, far.neighbours) == (2, ("front-spine-1", "front-spine-2"))
    assert paths.to_any(pair[0], pair) is None
    lost = {each.name for each in network.links_of(pair[0]) if each.kind == "fabric"}
    left = learned_paths(network, lost).to_any("front-spine-1", pair)
    assert left is not None
    assert (left.width, left.neighbours) == (1, pair[1:])
