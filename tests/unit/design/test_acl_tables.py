"""Rules of access lists against what a switch holds of them; every number here is counted by hand."""

from typing import Any

import pytest

from nornir_tasks.design.capacity.tables import acl_uses
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from tests.unit.design import front

NO_LIMIT = (None, None)
SPECTRUM_1 = (500, 250)


def filtered(*, ports: int = 1) -> dict[str, Any]:
    """The office may log in to login, by so many ports; login may ask any server for names. login has IPv6 as well."""
    data = front.data()
    data["planes"]["business"] |= {
        "vlans": {"login": {"id": 310, "groups": ["login"], "hosts": "10.170.255.0/24", "hosts_v6": "fd00:1::/64"}},
        "networks": {"office": ["192.0.2.0/24", "198.51.100.0/24"]},
        "services": {"ssh": {"tcp": [22 + 2 * number for number in range(ports)]}, "dns": {"udp": 53}},
        "flows": [
            {"source": "office", "destination": "login", "services": ["ssh"]},
            {"source": "login", "destination": "outside", "services": ["dns"]},
        ],
    }
    return data


def rules(network: Network, device: str) -> list[tuple[int, int | None]]:
    return [(each.used, each.limit) for each in acl_uses(network, network.device(device))]


def test_each_rule_of_each_gateways_lists_is_counted_on_both_leaves_of_a_pair() -> None:
    network = front.built(filtered())
    # IPv4 of VLAN 310 in: unreachable; the gateways' two prefixes, for echo, traceroute and the denial; what is for
    # hosts here; two prefixes of the office; four of this site, names, the last one: 16. Out: no traceroute: 14.
    # VLAN 300, where api is, has no flows: 9 and 7. IPv6 of VLAN 310: five ICMP types, 6 for gateways, what is for
    # hosts, one prefix of this site, names, the last one: 15; out 13.
    for leaf in ("front-leaf-g3-a", "front-leaf-g3-b"):
        assert rules(network, leaf) == [(16 + 14 + 9 + 7, SPECTRUM_1[0]), (15 + 13, SPECTRUM_1[1])]
    # EOS, in: unreachable, 6 for gateways, the last one: 8. Out: two answers of each prefix in place of what is asked.
    assert rules(network, "front-leaf-g1-a") == [(8 + 8, NO_LIMIT[0]), (0, NO_LIMIT[1])]
    assert rules(network, "front-leaf-g2-a") == [(0, None), (0, None)], "no host of business is there"


def test_a_relay_of_dhcp_takes_a_rule_of_every_list_for_each_way_in_which_packets_meet_it() -> None:
    data = filtered()
    data["planes"]["business"]["dhcp_relay"] = ["192.0.2.53"]
    data["planes"]["business"]["default_route"] = {"leaves_of": "login", "vlan": 390, "link": "10.190.0.0/28"}
    assert [used for used, _ in rules(front.built(data), "front-leaf-g3-a")] == [
        # of the way out, in: unreachable, 7 for gateways and in the VLAN, neighbours, two prefixes, the last one: 12;
        # out: 5 of those 7, three prefixes: 11. Its link is one more prefix of this site for login
        46 + 4 * (2 + 2) + 12 + 11 + 2,
        28 + 2 * 2,
    ]
    assert rules(front.built(data), "front-leaf-g1-a")[0][0] == 16 + 2 * (1 + 2)


def test_what_is_counted_is_what_each_switch_gets() -> None:
    data = filtered()
    del data["planes"]["business"]["vlans"]["login"]["hosts_v6"]  # NVUE has no list of IPv6 out of an SVI
    mounts = [{"source": "gpu", "destination": "store", "services": ["nfs"]}]
    data["planes"]["storage"] |= {"services": {"nfs": {"tcp": 2049}}, "flows": mounts}
    network = front.built(data)
    assert rules(network, "front-leaf-g2-a")[0][0] > 0, "NX-OS permits the gateways' own packets as well"
    for device in network.devices:
        lists = device_config(network, device).config.access_lists
        expected = [sum(len(each.rules) for each in lists if each.family == family) for family in ("ipv4", "ipv6")]
        assert [used for used, _ in rules(network, device.name)] == expected


def test_a_fabric_whose_planes_filter_nothing_has_no_such_rows() -> None:
    assert acl_uses(front.network(), front.network().device("front-leaf-g3-a")) == ()


def test_lists_that_the_tcam_does_not_hold_are_refused_with_the_numbers_of_both_families() -> None:
    # In and out alike: 2 prefixes x ports, and 42 rules beside. 28 rules of IPv6 take 11.2 % of 250, so that 88.8 % of
    # 500, 444, are left for IPv4.
    fits, beyond = 100, 101
    assert rules(front.built(filtered(ports=fits)), "front-leaf-g3-a") == [(442, 500), (28, 250)]
    with pytest.raises(DesignError) as caught:
        front.built(filtered(ports=beyond))
    text = str(caught.value)
    assert "planes.business.flows: SN2410 has no room for these access lists" in text
    assert "at most 500 IPv4 ACL rules, or at most 250 IPv6 ACL rules" in text
    assert "446 IPv4 ACL rules and 28 IPv6 ACL rules" in text
