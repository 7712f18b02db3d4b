"""The out-of-band plane: everything with a management port has one place, which no growth moves, and one way to it."""

import re
from collections import Counter
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import pytest

from nornir_tasks.deploy.waves import members, most_only_leaves, waves
from nornir_tasks.design.capacity.management_paths import distances, management_paths
from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from tests.unit.design.out_of_band import designed, network, rails, with_out_of_band

MANAGEMENT = {"eos": "Management1", "nxos": "mgmt0", "nvue": "eth0"}
PARTS = ("bastion-1", "pdu-1", "pdu-2", *(f"gpu-bmc-{number}" for number in range(1, 5)))


def site(**changes: Any) -> dict[str, Any]:
    """The rails with an out-of-band plane; ``changes``: of the group of hosts and of the plane."""
    hosts = {key: changes.pop(key) for key in ("count", "max") if key in changes}
    data = with_out_of_band(rails(), **changes)
    return {**data, "hosts": {"gpu": {**data["hosts"]["gpu"], **hosts}}}


def test_every_switch_and_bmc_and_device_has_one_port_and_no_port_has_two() -> None:
    found = network()
    assert Counter(each.host for each in found.attached) == Counter([*PARTS, *(each.name for each in found.devices)])
    assert max(Counter((each.leaf, each.leaf_port) for each in found.attached).values()) == 1
    for each in found.attached:
        device = found.device(each.host) if each.host in found else None
        assert device is None or each.port == MANAGEMENT[device.os]


def test_the_management_port_of_an_access_switch_is_on_another_one() -> None:
    at = {each.host: each.leaf for each in network().attached}
    assert all(leaf != name for name, leaf in at.items())
    assert {at["oob-leaf-g1"], at["oob-leaf-g2"]} == {"oob-leaf-g1", "oob-leaf-g2"}


def test_a_port_of_the_plane_is_in_the_cabling_plan_with_its_device_and_twisted_pair() -> None:
    rows = {(row.b_device, row.b_port): row for row in cabling_plan(network())}
    row = rows["spine-1", "eth0"]
    assert (row.plane, row.medium, row.length_m) == ("oob", "BASE-T", 10)
    assert (row.a_device, row.a_port) == place(network(), "spine-1")[:2]


def test_hosts_that_come_within_max_move_no_cable_and_no_address_of_the_plane() -> None:
    before, after = (designed(site(count=count, max=40)) for count in (4, 40))
    then, now = ({each.host: place(found, each.host) for each in found.attached} for found in (before, after))
    assert then.items() <= now.items()
    assert now.keys() - then.keys() >= {f"gpu-bmc-{number}" for number in range(5, 41)}


def place(found: Network, name: str) -> tuple[str, str, str]:
    port = next(each for each in found.attached if each.host == name)
    (circuit,) = found.circuits_on(port.link)
    return port.leaf, port.leaf_port, circuit.lower_address


def test_devices_of_a_group_that_come_within_max_move_nothing() -> None:
    few, more = ({"bastion": {"count": 1, "max": 2}, "pdu": {"count": count, "max": 9}} for count in (2, 9))
    before, after = designed(site(devices=few)), designed(site(devices=more))
    assert {each.host: place(before, each.host) for each in before.attached}.items() <= {
        each.host: place(after, each.host) for each in after.attached
    }.items()


def test_the_fewest_access_switches_with_a_port_for_everything_are_taken() -> None:
    small, large = designed(site()), designed(site(devices={"bastion": {"count": 1}, "pdu": {"count": 90}}))
    assert sum(each.fabric == "oob" and each.level == 0 for each in small.devices) == 2
    leaves = [each.name for each in large.devices if each.fabric == "oob" and each.level == 0]
    ports = Counter(each.leaf for each in large.attached)
    assert (len(leaves), max(ports.values())) == (
        3,
        30 + 2 + 1 + 4 + 1 + 1,
    )  # on two 45 + 2 + 1 + 5 + 1 + 1 of 48 would be needed


def test_a_management_port_has_an_address_of_its_access_switchs_subnet_and_its_gateway() -> None:
    found = network()
    assert found.management.keys() == {each.name for each in found.devices}
    for name, address in found.management.items():
        leaf = place(found, name)[0]
        svi = next(each for each in configs(found)[leaf].interfaces if each.name == "vlan40")
        assert svi.address is not None
        assert address.gateway == str(IPv4Interface(svi.address).ip)
        assert IPv4Interface(address.interface).network == IPv4Interface(svi.address).network
    assert len({each.address for each in found.management.values()}) == len(found.devices)


def configs(found: Network) -> dict[str, DeviceConfig]:
    return {each.name: device_config(found, each).config for each in found.devices if each.fabric == "oob"}


def test_a_switch_has_no_line_for_its_own_management_port() -> None:
    found = network()
    for device in found.devices:
        names = {each.name for each in device_config(found, device).config.interfaces}
        assert MANAGEMENT[device.os] not in names


def test_no_line_of_other_fabrics_differs_by_the_plane() -> None:
    alone = designed(rails())
    for device in alone.devices:
        assert device_config(alone, device).config == device_config(network(), network().device(device.name)).config


Packet = tuple[int, str, str, int, int, bool]
"""Protocol, source, destination, ports of both, is its connection open?"""


def passes(lists: dict[str, AccessList], name: str, packet: Packet) -> bool:
    """The first rule that matches decides (IEEE and vendors alike); written for these lists alone."""
    protocol, source, destination, from_port, to_port, is_open = packet
    for rule in lists[name].rules:
        fits = rule.protocol in (None, protocol)
        fits &= rule.source is None or IPv4Address(source) in IPv4Network(rule.source)
        fits &= rule.destination is None or IPv4Address(destination) in IPv4Network(rule.destination)
        fits &= rule.source_ports is None or rule.source_ports[0] <= from_port <= rule.source_ports[1]
        fits &= rule.destination_ports is None or rule.destination_ports[0] <= to_port <= rule.destination_ports[1]
        fits &= (is_open or not rule.established) and rule.icmp_type is None
        if fits:
            return rule.permit
    return False


def crosses(found: Network, source: str, destination: str, protocol: int, ports: tuple[int, int], opened: bool) -> bool:
    """Does a packet come from one device to another, over the gateways of both their access switches?"""
    every = configs(found)
    (here, _, one), (there, _, other) = place(found, source), place(found, destination)
    assert here != there
    packet = (protocol, one, other, *ports, opened)
    lists = {leaf: {each.name: each for each in every[leaf].access_lists} for leaf in (here, there)}
    return passes(lists[here], "OOB-HOSTSV40-IN", packet) and passes(lists[there], "OOB-HOSTSV40-OUT", packet)


def elsewhere(found: Network, names: "tuple[str, ...]") -> str:
    """One of these that is not on the bastion's access switch."""
    bastion = place(found, "bastion-1")[0]
    return next(name for name in names if place(found, name)[0] != bastion)


BMCS = tuple(f"gpu-bmc-{number}" for number in range(1, 5))


@pytest.mark.parametrize(
    ("names", "protocol", "port", "expected"),
    [
        (BMCS, TCP, 443, True),
        (BMCS, UDP, 623, True),
        (BMCS, TCP, 22, False),
        (BMCS, ICMP["ipv4"], 0, True),
        (("pdu-1", "pdu-2"), TCP, 443, False),
        (("leaf-g1-r0", "spine-1", "oob-leaf-g1", "leaf-g1-r7"), TCP, 22, True),
        (("leaf-g1-r0", "spine-1", "oob-leaf-g1", "leaf-g1-r7"), TCP, 23, False),
    ],
)
def test_the_bastion_reaches_what_flows_name_and_nothing_else(
    names: tuple[str, ...], protocol: int, port: int, expected: bool
) -> None:
    found = network()
    far = elsewhere(found, names)
    assert crosses(found, "bastion-1", far, protocol, (50000, port), opened=False) is expected
    answered = crosses(found, far, "bastion-1", protocol, (port, 50000), opened=True)
    assert answered is expected


def test_nothing_on_the_plane_opens_a_connection_to_anything_but_what_may_be_entered_from() -> None:
    found = network()
    far = elsewhere(found, BMCS)
    near = next(name for name in BMCS if place(found, name)[0] != place(found, far)[0])
    assert not crosses(found, far, near, TCP, (50000, 443), opened=False)
    assert not crosses(found, far, near, TCP, (443, 50000), opened=True)
    assert not crosses(found, far, near, ICMP["ipv4"], (0, 0), opened=False)
    assert not crosses(found, far, "bastion-1", TCP, (443, 22), opened=False)


def test_a_bmc_with_the_bastions_service_port_is_not_taken_for_it() -> None:
    """The lists hold the bastion's own addresses: the neighbour's in the same subnet is none of these."""
    found = network()
    near = next(name for name in BMCS if place(found, name)[0] == place(found, "bastion-1")[0])
    switch = elsewhere(found, ("leaf-g1-r0", "spine-1", "oob-leaf-g1", "leaf-g1-r7"))
    assert not crosses(found, near, switch, TCP, (50000, 22), opened=False)


def test_lists_do_not_change_when_hosts_and_devices_come_within_max() -> None:
    few, many = designed(site(count=4, max=40)), designed(site(count=40, max=40))
    assert {name: each.access_lists for name, each in configs(few).items()} == {
        name: each.access_lists for name, each in configs(many).items()
    }


def test_the_way_to_each_management_port_follows_the_cables() -> None:
    found = network()
    own, routers = place(found, "bastion-1")[0], {"oob-spine-1", "oob-spine-2"}
    paths = management_paths(found)
    assert paths.keys() == {each.name for each in found.devices}
    for name, path in paths.items():
        leaf = place(found, name)[0]
        if leaf == own:
            assert path.steps == ((own,),)
        else:
            assert (path.steps[0], set(path.steps[1]), path.steps[2]) == ((own,), routers, (leaf,))
        assert path.single_points == ((own,) if leaf == own else (own, leaf))


def test_without_one_router_the_way_is_over_the_other() -> None:
    found = network()
    cut = replace(found, links=tuple(each for each in found.links if {"oob-spine-1"}.isdisjoint({each.upper.device})))
    assert {path.steps[1] for path in management_paths(cut).values() if len(path.steps) > 1} == {("oob-spine-2",)}


def test_switches_of_the_plane_are_pushed_alone_before_all_others_and_the_tools_own_last() -> None:
    found = network()
    everyone = tuple(members(found))
    order = waves(everyone, most_only_leaves(everyone, 0.25))
    own = place(found, "bastion-1")[0]
    first = order[: len(distances(found))]
    assert [len(each.devices) for each in first] == [1] * 4
    names = [each.devices[0] for each in first]
    assert names[-1] == own
    assert [distances(found)[name] for name in names] == sorted(distances(found).values(), reverse=True)
    assert not {name for each in order[len(first) :] for name in each.devices} & distances(found).keys()


def test_a_site_without_the_plane_has_no_way_to_say_and_no_order_of_its_own() -> None:
    alone = designed(rails())
    assert (management_paths(alone), distances(alone), alone.management, alone.attached) == ({}, {}, {}, ())


def test_names_on_the_plane_begin_like_no_host_and_hosts_are_as_they_were() -> None:
    assert network().hosts == designed(rails()).hosts
    assert all(re.fullmatch(r"[a-z0-9-]+", each.host) for each in network().attached)


def test_a_dhcp_server_on_the_plane_hears_the_gateways_of_other_access_switches_and_needs_none_of_its_own() -> None:
    found = designed(site(dhcp_relay=["10.183.0.2"]))
    (leaf, _, address), far = place(found, "bastion-1"), elsewhere(found, BMCS)
    assert address == "10.183.0.2"
    svis = {name: port for name, each in configs(found).items() for port in each.interfaces if port.name == "vlan40"}
    relaying = {name for name, port in svis.items() if port.dhcp_servers}
    assert relaying == svis.keys() - {leaf}
    gateway = str(IPv4Interface(str(svis[place(found, far)[0]].address)).ip)
    lists = {each.name: each for each in configs(found)[leaf].access_lists}
    assert passes(lists, "OOB-HOSTSV40-OUT", (UDP, gateway, address, 67, 67, False))
    assert passes(lists, "OOB-HOSTSV40-IN", (UDP, address, gateway, 67, 67, False))
    assert not passes(lists, "OOB-HOSTSV40-OUT", (UDP, gateway, address, 67, 69, False))


def test_a_breakout_is_bought_with_all_its_legs_though_two_of_four_are_in_use() -> None:
    """QSFP28 to 4 x SFP28 is one part; there is none with two legs of 25G (catalogue/nvidia/SN2201.yml)."""
    data = with_out_of_band(rails())
    data["fabrics"]["oob"]["spine"] |= {"breakout": "4x25G", "oversubscription": 1}
    data["fabrics"]["oob"]["leaf"] = {"platform": "eos", "release": "4.33.1F", "model": "7010TX-48", "cable_m": 10}
    found = [row for row in cabling_plan(designed(data)) if row.a_device.startswith("oob-spine")]
    assert {(row.cable, row.part) for row in found} == {
        ("oob-spine-1-p49", "100G-DAC-4x25G"),
        ("oob-spine-2-p49", "100G-DAC-4x25G"),
    }
    assert {row.a_leg for row in found} == {1, 2}
