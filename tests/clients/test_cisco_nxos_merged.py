"""Modules of Ansible's cisco.nxos change a switch of the lab: once, and then nothing, until somebody takes it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_nxos import play
from at_terminal import Operator
from listed import cases
from merged import Change, Three, assert_once, plays
from nxos_intent import FRONT

pytestmark = pytest.mark.xdist_group("clients")
_ASN = 4200200002
_BGP = f"router bgp {_ASN}"
_UNICAST = {"afi": "ipv4", "safi": "unicast"}
_ANY = {"sequence": 10, "grant": "permit", "protocol": "ip", "source": {"any": True}, "destination": {"any": True}}


CHANGES = {
    "nxos_bgp_global": Change(
        {"as_number": str(_ASN), "neighbors": [{"neighbor_address": "192.0.2.77", "remote_as": "65077"}]},
        "remote-as 65077",
        f"{_BGP}; no neighbor 192.0.2.77",
    ),
    "nxos_bgp_address_family": Change(
        {"as_number": str(_ASN), "address_family": [{**_UNICAST, "networks": [{"prefix": "192.0.2.0/24"}]}]},
        "network 192.0.2.0/24",
        f"{_BGP}; address-family ipv4 unicast; no network 192.0.2.0/24",
    ),
    "nxos_bgp_neighbor_address_family": Change(
        {
            "as_number": str(_ASN),
            "neighbors": [
                {
                    "neighbor_address": "10.180.0.18",
                    "address_family": [{**_UNICAST, "allowas_in": {"max_occurences": 3}}],
                }
            ],
        },
        "allowas-in 3",
        f"{_BGP}; neighbor 10.180.0.18; address-family ipv4 unicast; no allowas-in 3",
    ),
    "nxos_interfaces": Change(
        [{"name": "Ethernet1/10", "description": "by module", "enabled": False}],
        "description by module",
        "interface Ethernet1/10; no description",
    ),
    "nxos_l2_interfaces": Change(
        [{"name": "Ethernet1/11", "access": {"vlan": 200}}],
        "switchport access vlan 200",
        "interface Ethernet1/11; no switchport access vlan 200",
    ),
    "nxos_l3_interfaces": Change(
        [{"name": "loopback8", "ipv4": [{"address": "192.0.2.8/32"}]}],
        "ip address 192.0.2.8/32",
        "no interface loopback8",
    ),
    "nxos_lag_interfaces": Change(
        [{"name": "port-channel78", "members": [{"member": "Ethernet1/46", "mode": "active"}]}],
        "channel-group 78 mode active",
        "interface Ethernet1/46; no channel-group; no interface port-channel78",
    ),
    "nxos_vlans": Change([{"vlan_id": 667, "name": "BY-MODULE"}], "name BY-MODULE", "no vlan 667"),
    "nxos_acls": Change(
        [{"afi": "ipv4", "acls": [{"name": "BY-MODULE", "aces": [_ANY]}]}],
        "10 permit ip any any",
        "no ip access-list BY-MODULE",
    ),
    "nxos_acl_interfaces": Change(
        [
            {
                "name": "Ethernet1/52",
                "access_groups": [{"afi": "ipv4", "acls": [{"name": "LEGACY-STORAGE", "direction": "in"}]}],
            }
        ],
        "ip access-group LEGACY-STORAGE in",
        "interface Ethernet1/52; no ip access-group LEGACY-STORAGE in",
    ),
}


@pytest.fixture(scope="module")
def merged(pushed_lab: Operator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Three]:
    yield from plays(pushed_lab, FRONT, play, CHANGES, "cisco.nxos", tmp_path_factory.mktemp("merged"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", cases("cisco.nxos", {name: name for name in CHANGES}, "merged"))
def test_a_change_is_made_once_and_again_when_it_was_taken_back(module: str, merged: Three) -> None:
    assert_once(module, CHANGES[module], merged)
