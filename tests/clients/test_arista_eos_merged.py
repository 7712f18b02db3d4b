"""Modules of Ansible's arista.eos change a switch of the lab: once, and then nothing, until somebody takes it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_eos import eos_play
from at_terminal import Operator
from eos_intent import FRONT
from listed import cases
from merged import Change, Three, assert_once, plays

pytestmark = pytest.mark.xdist_group("clients")
_ASN = 4200200000
_BGP = f"router bgp {_ASN}"
_ANY = {"sequence": 10, "grant": "permit", "protocol": "ip", "source": {"any": True}, "destination": {"any": True}}


CHANGES = {
    "eos_bgp_global": Change(
        {"as_number": str(_ASN), "neighbor": [{"neighbor_address": "192.0.2.77", "remote_as": "65077"}]},
        "neighbor 192.0.2.77 remote-as 65077",
        f"{_BGP}; no neighbor 192.0.2.77",
    ),
    "eos_bgp_address_family": Change(
        {"as_number": str(_ASN), "address_family": [{"afi": "ipv4", "network": [{"address": "192.0.2.0/24"}]}]},
        "network 192.0.2.0/24",
        f"{_BGP}; address-family ipv4; no network 192.0.2.0/24",
    ),
    "eos_interfaces": Change(
        [{"name": "Ethernet10", "description": "by module", "enabled": False}],
        "description by module",
        "interface Ethernet10; no description",
    ),
    "eos_l2_interfaces": Change(
        [{"name": "Ethernet11", "access": {"vlan": 200}}],
        "switchport access vlan 200",
        "interface Ethernet11; no switchport access vlan",
    ),
    "eos_l3_interfaces": Change(
        [{"name": "Loopback8", "ipv4": [{"address": "192.0.2.8/32"}]}],
        "ip address 192.0.2.8/32",
        "no interface Loopback8",
    ),
    "eos_lag_interfaces": Change(
        [{"name": "Port-Channel78", "members": [{"member": "Ethernet12", "mode": "active"}]}],
        "channel-group 78 mode active",
        "interface Ethernet12; no channel-group; no interface Port-Channel78",
    ),
    "eos_vlans": Change([{"vlan_id": 667, "name": "BY-MODULE"}], "name BY-MODULE", "no vlan 667"),
    "eos_acls": Change(
        [{"afi": "ipv4", "acls": [{"name": "BY-MODULE", "aces": [_ANY]}]}],
        "10 permit ip any any",
        "no ip access-list BY-MODULE",
    ),
    "eos_acl_interfaces": Change(
        [
            {
                "name": "Ethernet13",
                "access_groups": [{"afi": "ipv4", "acls": [{"name": "LEGACY-EDGE", "direction": "in"}]}],
            }
        ],
        "ip access-group LEGACY-EDGE in",
        "interface Ethernet13; no ip access-group LEGACY-EDGE in",
    ),
}


@pytest.fixture(scope="module")
def merged(pushed_lab: Operator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Three]:
    yield from plays(pushed_lab, FRONT, eos_play, CHANGES, "arista.eos", tmp_path_factory.mktemp("merged"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", cases("arista.eos", {name: name for name in CHANGES}, "merged"))
def test_a_change_is_made_once_and_again_when_it_was_taken_back(module: str, merged: Three) -> None:
    assert_once(module, CHANGES[module], merged)
