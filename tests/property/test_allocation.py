"""Laws of allocation, for every site that can be built: unique, inside its pool, order-free, stable under growth."""

import copy
import itertools
from collections import Counter
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.design.reports.counts import design_counts
from tests.intent_parts import demand, group
from tests.strategies import built, fabrics, intent_of, rails, sites

some = settings(max_examples=30, deadline=None)


@some
@given(fabrics())
def test_no_address_asn_or_port_is_given_twice(network: Network) -> None:
    numbered = [each for each in network.circuits if each.is_numbered]
    addresses = [each.lower_address for each in numbered]
    gateways = [(each.link.upper.device, each.upper_address) for each in numbered if each.link.kind == "host"]
    if network.planes["compute"].host_vlan is not None:  # all hosts of a leaf have one
        assert len(set(gateways)) == len({device for device, _ in gateways})
        gateways = list(set(gateways))
    addresses += [address for _, address in gateways]
    addresses += [each.upper_address for each in numbered if each.link.kind == "fabric"]
    addresses += [device.loopback for device in network.devices]
    assert len(set(addresses)) == len(addresses)
    ports = [(end.device, end.port) for link in network.links for end in (link.upper, link.lower)]
    assert len(set(ports)) == len(ports)
    leaves = [device.asn for device in network.devices if device.role == "leaf"]
    assert len(set(leaves)) == len(leaves)
    spines = {device.asn for device in network.devices if device.role == "spine"}
    assert not spines & set(leaves)


@some
@given(sites())
def test_every_address_lies_in_its_pool_and_its_leafs_block(site: tuple[dict[str, Any], Network]) -> None:
    needed, network = demand(intent_of(site[0])), site[1]
    named = {**network.fabrics["compute"].pools, **network.planes["compute"].pools}
    pools = {name: IPv4Network(prefix) for name, prefix in named.items()}
    for circuit in network.circuits:
        link = circuit.link
        if not circuit.is_numbered:
            assert link.kind == "fabric", "a host port has an address on every site"
            continue
        pool = pools["links" if link.kind == "fabric" else "hosts"]
        assert IPv4Address(circuit.upper_address) in pool
        upper = IPv4Interface(f"{circuit.upper_address}/{circuit.use.prefix_length}")
        if circuit.use.prefix_length == 31:
            assert upper.ip == upper.network.network_address
            assert IPv4Address(circuit.lower_address) == upper.ip + 1
        else:
            assert upper.ip == upper.network.network_address + 1
            assert upper.ip < IPv4Address(circuit.lower_address) < upper.network.broadcast_address
        if link.kind == "host":
            block = network.host_block(link.upper.device, circuit.owner)
            assert block is not None
            assert upper.network.subnet_of(IPv4Network(block))
            assert IPv4Address(circuit.lower_address) in upper.network
            assert (str(upper.network) == block) is (network.planes["compute"].host_vlan is not None)
    for device in network.devices:
        assert IPv4Address(device.loopback) in pools["loopback"]
        assert needed.fabric.pools.asn.first <= device.asn <= needed.fabric.pools.asn.last


@some
@given(fabrics())
def test_host_blocks_are_disjoint_and_inside_their_rails_supernet(network: Network) -> None:
    plane = network.planes["compute"]
    blocks = sorted(map(IPv4Network, network.host_blocks.values()))
    assert {leaf for leaf, _ in network.host_blocks} == {each.name for each in network.devices if each.level == 0}
    assert all(not one.overlaps(other) for one, other in itertools.pairwise(blocks))
    for nic in rails(network):
        assert IPv4Address(nic.address) in IPv4Network(plane.rail_supernets[nic.rail])


@some
@given(fabrics())
def test_rail_k_of_every_host_lands_on_the_leaf_of_rail_k(network: Network) -> None:
    if network.fabrics["compute"].kind == "rail":
        assert all(network.device(nic.at.leaf).rail == nic.rail for nic in rails(network))
    for host in network.hosts:
        assert [nic.rail for nic in network.rails_of(host, "compute")] == list(range(network.planes["compute"].rails))
        assert len({network.device(nic.at.leaf).index for nic in network.rails_of(host, "compute")}) == 1


@some
@given(fabrics())
def test_both_ends_of_every_link_agree(network: Network) -> None:
    configs = {each.config.name: each.config for each in device_configs(network)}
    for circuit in network.circuits:
        link = circuit.link
        ends = [end for end in (link.upper, link.lower) if end.device in configs]
        ports = [next(p for p in configs[end.device].interfaces if p.name == end.port) for end in ends]
        assert len({port.mtu_bytes for port in ports}) == 1
        assert all(
            (port.mtu_bytes is None and port.access_vlan is not None)
            or port.mtu_bytes <= network.device(end.device).capabilities.max_mtu_bytes
            for port, end in zip(ports, ends, strict=True)
        )
        if link.kind == "fabric":
            for end in ends:
                bgp, far = configs[end.device].bgp, configs[link.far(end.device).device].bgp
                assert bgp is not None
                assert far is not None
                session = next(
                    n for n in bgp.neighbors if n.peer == (circuit.address(link.far(end.device).device) or end.port)
                )
                assert session.remote_as == far.asn


@some
@given(fabrics())
def test_every_pair_of_rails_that_is_said_to_be_reachable_shares_all_its_spines_and_no_other_pair_any(
    network: Network,
) -> None:
    fabric = network.fabrics["compute"]
    spines = {
        leaf.name: {link.upper.device for link in network.links_of(leaf.name) if link.kind == "fabric"}
        for leaf in network.devices
        if leaf.role == "leaf"
    }
    by_rail = {nic.rail: set() for nic in rails(network)}
    for nic in rails(network):
        by_rail[nic.rail] |= spines[nic.at.leaf]
    for rail, own in by_rail.items():
        for other, others in by_rail.items():
            assert (own == others) if fabric.reachable(rail, other) else not (own & others)


@some
@given(sites())
def test_counts_agree_with_closed_forms(site: tuple[dict[str, Any], Network]) -> None:
    needed, network = demand(intent_of(site[0])), site[1]
    counts, fabric, hosts = design_counts(network), network.fabrics["compute"], needed.hosts
    groups = -(-hosts.count // fabric.parts[0].layout.hosts_per_group)
    leaves = groups * (needed.nics.rails if network.fabrics["compute"].kind == "rail" else 1)
    found = counts["planes"]["compute"]
    assert found["tiers"]["leaf"]["switches"] == leaves
    assert found["tiers"]["spine"]["switches"] == fabric.spines
    assert found["host_links"] == hosts.count * needed.nics.rails
    assert found["fabric_links"] == leaves * fabric.parts[0].layout.uplinks
    assert counts["totals"]["links"] == hosts.count * needed.nics.rails + leaves * fabric.parts[0].layout.uplinks
    assert counts["totals"]["optics"] == 2 * counts["totals"]["cables"]
    assert found["oversubscription"] <= needed.fabric.spine.oversubscription + 1e-9


@some
@given(fabrics())
def test_links_of_a_leaf_are_spread_evenly_over_its_spines(network: Network) -> None:
    for leaf in (device for device in network.devices if device.role == "leaf"):
        spread = Counter(link.upper.device for link in network.links_of(leaf.name) if link.kind == "fabric")
        assert len(set(spread.values())) == 1
        assert len(spread) >= 2


@some
@given(sites(), st.data())
def test_hosts_that_come_later_change_nothing_that_is_there(
    site: tuple[dict[str, Any], Network], data: st.DataObject
) -> None:
    before_data, before = site
    hosts = group(before_data)
    after_data = copy.deepcopy(before_data)
    group(after_data)["count"] = data.draw(st.integers(hosts["count"], hosts["max"]))
    after = built(after_data)
    assert all(after.device(device.name) == device for device in before.devices)
    assert set(before.links) <= set(after.links)
    assert set(before.circuits) <= set(after.circuits)
    assert set(before.cables) <= set(after.cables)
    assert set(before.nics) <= set(after.nics)
    assert before.planes == after.planes
    grown = {each.config.name: each.config for each in device_configs(after)}
    for old in (each.config for each in device_configs(before)):
        new = grown[old.name]
        assert {port for port in old.interfaces if port.enabled} <= set(new.interfaces)
        assert {port.name for port in old.interfaces} == {port.name for port in new.interfaces}
        assert old.breakouts == new.breakouts
        assert (old.qos, old.hashing, old.bfd, old.services) == (new.qos, new.hashing, new.bfd, new.services)
        assert old.bgp is not None
        assert new.bgp is not None
        assert set(old.bgp.neighbors) <= set(new.bgp.neighbors)
        assert old.bgp.peer_groups == new.bgp.peer_groups


@some
@given(sites(), st.randoms(use_true_random=False))
def test_the_order_in_which_the_file_names_things_changes_nothing(
    site: tuple[dict[str, Any], Network], random: Any
) -> None:
    def shuffled(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        items = [(key, shuffled(each)) for key, each in value.items()]
        random.shuffle(items)
        return dict(items)

    data, network = site
    again = built(shuffled(data))
    assert again.devices == network.devices
    assert again.links == network.links
    assert [each.config for each in device_configs(again)] == [each.config for each in device_configs(network)]


@some
@given(fabrics())
def test_every_configuration_maps_all_64_code_points_once_and_shares_out_100_percent(network: Network) -> None:
    for each in device_configs(network):
        qos = each.config.qos
        assert qos is not None
        assert sorted(point for one in qos.classes for point in one.dscp) == list(range(64))
        assert len({one.queue for one in qos.classes}) == len(qos.classes)
        for profile in qos.profiles:
            assert sum(queue.weight_percent or 0 for queue in profile.queues) == 100
            assert profile.pfc_priorities == tuple(one.priority for one in qos.classes if one.lossless)


@some
@given(sites())
def test_an_intent_reads_back_equal(site: tuple[dict[str, Any], Network]) -> None:
    assert intent_of(site[0]) == intent_of(copy.deepcopy(site[0]))
