"""Bonds of hosts are told what the switches' end of them has: VLANs, subnets, gateways, MTU, LACP."""

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any

import pytest

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.hosts.bond_needs import BondedPlane, BondNeeds, bond_needs
from nornir_tasks.design.hosts.host_bonds import BondPlaneVars, BondVars, bond_interfaces
from nornir_tasks.design.hosts.host_needs import host_needs
from nornir_tasks.design.hosts.host_vars import bonded_host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.usecases.site import load
from tests.unit.design import front


def placed(data: dict[str, Any] | None = None) -> dict[str, Any]:
    """The small front fabric, or this one, with a place for each NIC port."""
    found = data or front.data()
    for number, group in enumerate(found["hosts"].values()):
        for nics in (each for each in group["nics"].values() if "ports_of" not in each):
            nics["at"] = [f"0000:{number:02x}:00.{port}" for port in range(nics["rails"])]
    return found


def needs(data: dict[str, Any]) -> tuple[BondNeeds, ...]:
    intent = front.loaded(data)
    return bond_needs(demands(intent, kinds().planes), intent.marks)


@cache
def usual() -> tuple[Network, tuple[BondNeeds, ...]]:
    return front.network(), needs(placed())


def bonds_of(host: str, network: Network, needed: tuple[BondNeeds, ...]) -> tuple[BondVars, ...]:
    found = bond_interfaces(network, needed, host)
    return () if found is None else found.bonds


def of(host: str, data: dict[str, Any]) -> BondVars:
    """The one bond of a host of this site."""
    (found,) = bonds_of(host, front.built(data), needs(data))
    return found


def judged_against_the_switches(network: Network, host: str, bond: BondVars) -> None:
    """Every value of a bond against what the pair of leaves has, found by another way than the code takes."""
    links = {each.lower.port: each for each in network.links_of(host)}
    leaves = [links[each.name].upper.device for each in bond.members]
    assert [leaf[-1] for leaf in leaves] == ["a", "b"] * (len(leaves) // 2)
    for each in bond.planes:
        (segment,) = [one for one in network.segments_at(leaves[0], each.plane) if one.gateway == each.gateway]
        assert {leaf for leaf, _ in segment.leaves} == set(leaves)
        subnet = IPv4Network(segment.subnet)
        assert each.prefix_length == subnet.prefixlen
        assert IPv4Address(each.address) in subnet
        assert each.address not in {each.gateway, *(address for _, address in segment.leaves)}
        assert each.vlan in (None, segment.vlan)
        assert each.mtu_bytes <= bond.mtu_bytes
        assert host.rpartition("-")[0] in segment.groups
        if segment.subnet_v6 is not None:
            assert IPv6Address(str(each.address_v6)) in IPv6Network(segment.subnet_v6)
            assert each.gateway_v6 == segment.gateway_v6


def test_a_host_with_two_planes_on_one_bond_has_the_second_as_a_vlan_of_it() -> None:
    """By hand: the storage subnet of pair 1 is the first block of 10.168.0.0/16; 48 ports make a /26."""
    (bond,) = bonds_of("gpu-2", *usual())
    assert (bond.name, [each.name for each in bond.members]) == ("rail", ["rail0", "rail1"])
    assert [each.match.pci for each in bond.members] == ["0000:00:00.0", "0000:00:00.1"]
    assert (bond.lacp_rate, bond.min_links, bond.mtu_bytes) == ("fast", 1, 9000)
    storage, business = bond.planes
    assert (storage.interface, storage.vlan, storage.address, storage.gateway) == (
        "rail",
        None,
        "10.168.0.5",
        "10.168.0.1",
    )
    assert (business.interface, business.vlan, business.address, business.gateway) == (
        "rail.300",
        300,
        "10.169.0.5",
        "10.169.0.1",
    )
    assert (storage.routes, business.routes) == (("10.168.0.0/16",), ("10.169.0.0/16",))


def test_every_host_is_told_what_its_pair_of_leaves_has() -> None:
    network, needed = usual()
    judged = [
        judged_against_the_switches(network, host, bond) for host in network.hosts for bond in bonds_of(host, *usual())
    ]
    assert len(judged) == len(network.hosts) == 4 + 2 + 1 + 1
    addresses = [
        each.address for host in network.hosts for bond in bonds_of(host, network, needed) for each in bond.planes
    ]
    assert len(set(addresses)) == len(addresses) == 4 * 2 + 2 + 1 + 1


def test_the_switches_tag_what_the_host_tags() -> None:
    network, _ = usual()
    for host in network.hosts:
        (bond,) = bonds_of(host, *usual())
        tags = {(each.owner, each.use.tag) for each in network.circuits_of(host)}
        assert tags == {(each.plane, each.vlan) for each in bond.planes}
        assert {each.use.bundle for each in network.circuits_of(host)} == {bond.name}


def test_hosts_on_the_leaves_of_others_have_ports_and_a_bond_of_their_own_names() -> None:
    data = placed()
    data["hosts"]["api"]["nics"]["business"]["port_names"] = "web"
    assert [each.name for each in of("api-1", data).members] == ["web0", "web1"]
    assert of("api-1", data).name == "web"
    assert of("login-1", data).name == "rail"


def test_the_default_route_of_a_host_is_by_one_plane_and_replaces_the_routes_there() -> None:
    data = placed()
    data["planes"]["business"]["default_route"] = {"leaves_of": "login", "vlan": 390, "link": "10.190.0.0/28"}
    storage, business = of("gpu-1", data).planes
    assert (storage.default_route, business.default_route) == (False, True)
    assert (storage.routes, business.routes) == (("10.168.0.0/16",), ())


def test_a_smaller_mtu_of_a_vlan_leaves_the_bonds_as_it_is() -> None:
    data = placed()
    data["planes"]["business"]["mtu"] = 1500
    bond = of("gpu-1", data)
    assert bond.mtu_bytes == 9000
    assert [each.mtu_bytes for each in bond.planes] == [9000, 1500]


def with_vlans() -> dict[str, Any]:
    """Logins in a subnet of their own, and IPv6."""
    data = placed()
    data["planes"]["business"].update(
        pools={"hosts": "10.169.0.0/16"},
        vlans={"users": {"id": 310, "groups": ["login"], "hosts": "10.170.1.0/24", "hosts_v6": "fd00:170:1::/64"}},
        networks={"offices": ["10.50.0.0/16"]},
        services={"ssh": {"tcp": [22]}},
        flows=[{"source": "offices", "destination": "login", "services": ["ssh"]}],
    )
    return data


def plane_of(host: str, data: dict[str, Any], plane: str) -> BondPlaneVars:
    (found,) = [each for each in of(host, data).planes if each.plane == plane]
    return found


def test_hosts_in_a_subnet_of_their_own_reach_the_rest_of_the_plane_and_others_reach_them() -> None:
    data = with_vlans()
    login, api = plane_of("login-1", data, "business"), plane_of("api-1", data, "business")
    assert (login.address, login.prefix_length, login.gateway) == ("10.170.1.4", 24, "10.170.1.1")
    assert login.routes == ("10.169.0.0/16", "10.50.0.0/16")
    assert api.routes == ("10.169.0.0/16", "10.170.1.0/24", "10.50.0.0/16")
    network = front.built(data)
    for host in network.hosts:
        judged_against_the_switches(network, host, of(host, data))


def test_ipv6_is_at_the_same_place_of_its_subnet_as_ipv4() -> None:
    data = with_vlans()
    login, gpu = plane_of("login-1", data, "business"), plane_of("gpu-3", data, "business")
    assert (login.address_v6, login.prefix_length_v6, login.gateway_v6) == ("fd00:170:1::4", 64, "fd00:170:1::1")
    assert (gpu.address, gpu.address_v6, gpu.gateway_v6) == ("10.169.0.6", None, None)
    data["planes"]["business"]["vlans"] = {"gpus": {"id": 320, "groups": ["gpu"], "hosts_v6": "fd00:169:0:1::/64"}}
    gpu = plane_of("gpu-3", data, "business")
    assert (gpu.address, gpu.address_v6, gpu.gateway_v6) == ("10.169.0.6", "fd00:169:0:1::6", "fd00:169:0:1::1")


def test_ports_of_one_host_that_are_elsewhere_are_found_there() -> None:
    data = placed()
    data["hosts"]["store"]["nics"]["storage"]["exceptions"] = {"store-2": {1: "0C:42:A1:00:00:12"}}
    found = [(each.match.pci, each.match.mac) for each in of("store-2", data).members]
    assert found == [("0000:01:00.0", None), (None, "0c:42:a1:00:00:12")]
    assert of("store-1", data).members[1].match.pci == "0000:01:00.1"


def test_lacp_is_as_the_group_says() -> None:
    data = placed()
    nics = data["hosts"]["login"]["nics"]["business"]
    nics.update(rails=4, bond={"rate": "slow", "min_links": 2}, at=[f"0000:02:00.{port}" for port in range(4)])
    data["hosts"]["api"]["nics"]["business"].update(rails=4, at=[f"0000:03:00.{port}" for port in range(4)])
    login, api = of("login-1", data), of("api-1", data)
    assert (login.lacp_rate, login.min_links, len(login.members)) == ("slow", 2, 4)
    assert (api.lacp_rate, api.min_links) == ("fast", 1)


def alone(plane: str) -> BondedPlane:
    return BondedPlane(plane, has_default_route=False, networks=())


def test_hosts_of_the_reference_site_have_a_bond_on_each_fabric() -> None:
    """GPU hosts: 2 x 100G to storage, 2 x 25G to business; a pair has 44 of them, so gpu-45 is the first of pair 2.

    The ports of a SN3700 with its cages in two are 64: a block of 64 + 5 addresses is a /25.
    """
    network = load("ref-28672-front").network
    needed = tuple(
        BondNeeds(group, bond, ("0000:00:00.0", "0000:00:00.1"), {}, "fast", 1, {}, (on,))
        for group, bond, on in (
            ("gpu", "data", alone("storage")),
            ("gpu", "front", alone("business")),
            ("storage", "data", alone("storage")),
            ("login", "front", alone("business")),
            ("services", "front", alone("business")),
        )
    )
    first, other = (bonds_of(host, network, needed) for host in ("gpu-1", "gpu-45"))
    assert [each.name for each in first] == ["data", "front"]
    assert [(each.planes[0].address, each.planes[0].vlan) for each in first] == [
        ("10.176.0.4", None),
        ("10.177.0.4", None),
    ]
    assert other[0].planes[0].gateway != first[0].planes[0].gateway
    assert other[1].planes[0].gateway == first[1].planes[0].gateway
    for host in ("gpu-1", "gpu-44", "gpu-45", "gpu-3584", "storage-128", "login-16", "services-1"):
        for bond in bonds_of(host, network, needed):
            judged_against_the_switches(network, host, bond)


def test_hosts_without_bonds_have_none() -> None:
    assert bond_interfaces(usual()[0], usual()[1], "nobody-1") is None


def refused(data: dict[str, Any]) -> str:
    with pytest.raises(IntentError) as caught:
        needs(data)
    return str(caught.value)


def test_what_only_bonds_need_is_asked_for_all_at_once() -> None:
    message = refused(front.data())
    for group, plane in (("gpu", "storage"), ("store", "storage"), ("login", "business"), ("api", "business")):
        assert f"hosts.{group}.nics.{plane}: the places of these NICs are not declared" in message
    assert "nics.business.ports_of" not in message


@pytest.mark.parametrize("stem", ["lo", "all", "default"])
def test_a_bond_is_not_called_like_what_the_kernel_has(stem: str) -> None:
    data = placed()
    data["hosts"]["store"]["nics"]["storage"]["port_names"] = stem
    assert "hosts.store.nics.storage.port_names: the kernel has this name already" in refused(data)


def test_the_name_of_a_vlans_interface_fits_the_kernel() -> None:
    data = placed()
    data["hosts"]["gpu"]["nics"]["storage"]["port_names"] = "storage-port"
    message = refused(data)
    assert "the interface storage-port.300 of plane business would have too long a name" in message
    assert "at most 11 characters" in message
    data["hosts"]["gpu"]["nics"]["storage"]["port_names"] = "storageport"
    assert needs(data)[0].bond == "storageport"


def test_a_bond_is_not_called_like_an_interface_of_the_host() -> None:
    data = placed()
    data["hosts"]["store"]["interfaces"] = {"oob": ["rail"]}
    assert "would be called like an interface on plane oob" in refused(data)


def test_a_network_that_two_planes_of_a_host_lead_to_is_refused() -> None:
    data = with_vlans()
    data["planes"]["storage"].update(networks={"offices": ["10.50.7.0/24"]})
    message = refused(data)
    assert "planes.storage.networks.offices" in message
    assert "hosts of gpu would reach it by plane business as well" in message


def test_nothing_of_rails_is_asked_for_where_all_ports_are_bonded() -> None:
    intent = front.loaded(placed())
    assert host_needs(demands(intent, kinds().planes), load_catalogue(), intent.marks) == ()


def test_a_host_on_one_plane_alone_has_no_planes_to_keep_apart() -> None:
    store = bonded_host_vars(*usual(), "store-1")
    assert store.plane_guard is None
    assert set(store.ansible()) == {"bond_interfaces_bonds"}
    gpu = bonded_host_vars(*usual(), "gpu-1").ansible()
    assert gpu["plane_guard_planes"] == {"storage": ["rail"], "business": ["rail.300"]}
    with pytest.raises(KeyError):
        bonded_host_vars(*usual(), "nobody-1")


def test_an_interface_beside_the_bond_is_a_plane_of_its_own() -> None:
    data = placed()
    data["hosts"]["store"]["interfaces"] = {"oob": ["eno1"]}
    made = bonded_host_vars(front.built(data), needs(data), "store-2").ansible()
    assert made["plane_guard_planes"] == {"storage": ["rail"], "oob": ["eno1"]}


def test_what_a_bond_does_not_have_is_not_among_its_variables() -> None:
    """A role's argument that is null is another thing than one that is not there."""
    (bond,) = bonded_host_vars(*usual(), "store-1").ansible()["bond_interfaces_bonds"]
    assert bond["members"][0]["match"] == {"pci": "0000:01:00.0"}
    assert not {"vlan", "address_v6", "gateway_v6", "prefix_length_v6"} & bond["planes"][0].keys()
    assert bond["planes"][0]["routes_v6"] == []
