"""The same change does the same to traffic on every system, however its line is spelt."""

import pytest

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.config_tree import Change

BGP = "router bgp 4200000001"
FRR = ("vrf", "default", "router", "bgp")

SAME = {
    "MTU of a port": {
        "eos": ("interface Ethernet1/1", "mtu 9214"),
        "nxos": ("interface Ethernet1/1", "mtu 9216"),
        "nvue": ("interface", "swp1", "link", "mtu: 9216"),
    },
    "BGP timers": {
        "eos": (BGP, "neighbor COMPUTE-SPINES timers 3 9"),
        "nxos": (BGP, "template peer COMPUTE-SPINES", "timers 3 9"),
        "nvue": (*FRR, "peer-group", "COMPUTE-SPINES", "timers", "hold: 9"),
    },
    "TTL of BGP packets": {
        "eos": (BGP, "neighbor COMPUTE-SPINES ttl maximum-hops 1"),
        "nxos": (BGP, "template peer COMPUTE-SPINES", "ttl-security hops 1"),
        "nvue": (*FRR, "peer-group", "COMPUTE-SPINES", "ttl-security", "hops: 1"),
    },
    "ASN of a neighbour": {
        "eos": (BGP, "neighbor 10.160.0.1 remote-as 4200000002"),
        "nxos": (BGP, "neighbor 10.160.0.1", "remote-as 4200000002"),
        "nvue": (*FRR, "neighbor", "10.160.0.1", "remote-as: 4200000002"),
    },
    "discard route": {
        "eos": ("ip route 10.168.0.0/24 Null0",),
        "nxos": ("ip route 10.168.0.0/24 Null0",),
        "nvue": ("vrf", "default", "router", "static", "10.168.0.0/24"),
    },
    "code points of a class": {
        "eos": ("qos map dscp 26 to traffic-class 3",),
        "nxos": ("class-map type qos match-any GPUFABRIC-QG3", "match dscp 26"),
        "nvue": ("qos", "mapping", "default-global", "dscp", "26", "switch-priority: 3"),
    },
}


@pytest.mark.parametrize("lines", SAME.values(), ids=SAME)
def test_what_tears_sessions_down_or_stops_packets_is_said_on_every_system(lines: dict[str, tuple[str, ...]]) -> None:
    found = {os: platforms()[os].disruption(Change(path, "+")) for os, path in lines.items()}
    assert found == dict.fromkeys(("eos", "nxos", "nvue"), Disruption.DATAPLANE_BLIP)


FLAPS = {
    "VRF of a port": {
        "eos": ("interface Ethernet1/1", "vrf COMPUTE"),
        "nxos": ("interface Ethernet1/1", "vrf member COMPUTE"),
        "nvue": ("interface", "swp1", "vrf: COMPUTE"),
    },
    "VLAN of untagged frames": {
        "eos": ("interface Ethernet1/1", "switchport trunk native vlan 430"),
        "nxos": ("interface Ethernet1/1", "switchport trunk native vlan 430"),
        "nvue": ("interface", "swp1", "bridge", "domain", "br_default", "untagged: 430"),
    },
}


@pytest.mark.parametrize("lines", FLAPS.values(), ids=FLAPS)
def test_what_cuts_a_port_off_for_a_while_is_said_on_every_system(lines: dict[str, tuple[str, ...]]) -> None:
    found = {os: platforms()[os].disruption(Change(path, "-")) for os, path in lines.items()}
    assert found == dict.fromkeys(("eos", "nxos", "nvue"), Disruption.PORT_FLAP)
    assert (
        platforms()["nvue"].disruption(Change(("interface", "swp1", "ip", "vrf: COMPUTE"), "+")) == Disruption.PORT_FLAP
    )
