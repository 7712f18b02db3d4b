"""Both values of what differs on a port are named, in the field's terms."""

from dataclasses import fields, replace

from nornir_tasks.checks.field_diff import both
from nornir_tasks.design.config.access_lists import AclBinding
from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.interfaces import Interface, Layer1
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.storm_control import StormControl

PORT = Interface("Ethernet1", "gpu-1", "10.0.0.0/31", 9214, enabled=True, qos_profile=None)
OTHERWISE = {
    "description": (None, "description gpu-1 here, none wanted"),
    "address": ("10.0.0.2/31", "address 10.0.0.0/31 here, 10.0.0.2/31 wanted"),
    "mtu_bytes": (1500, "MTU 9214 here, 1500 wanted"),
    "enabled": (False, "enabled yes here, no wanted"),
    "qos_profile": ("ROCE", "QoS profile none here, ROCE wanted"),
    "layer1": (Layer1(400, 4, "rs", negotiate=False), "layer1 none here, set wanted"),
    "ra_interval_ms": (10_000, "router advertisements every ms none here, 10000 wanted"),
    "access_vlan": (200, "VLAN none here, 200 wanted"),
    "edge": (True, "edge port no here, yes wanted"),
    "vrf": ("RED", "VRF none here, RED wanted"),
    "tagged_vlans": ((200, 300), "tagged VLANs none here, 200, 300 wanted"),
    "native_vlan": (1, "untagged VLAN none here, 1 wanted"),
    "tag": (7, "tag none here, 7 wanted"),
    "lag": (Lag("fast"), "lag none here, set wanted"),
    "member": (LagMember("Port-Channel1", "fast"), "member none here, set wanted"),
    "acls": ((AclBinding("ipv4", "in", "ONE"),), "access lists none here, ONE wanted"),
    "ipv6_address": ("fd00::1/64", "IPv6 address none here, fd00::1/64 wanted"),
    "gateway": (Gateway("10.0.0.1"), "gateway none here, set wanted"),
    "storm": (StormControl(1000), "storm control none here, set wanted"),
    "undisclosed": (True, "silence towards the far end (LLDP, CDP) no here, yes wanted"),
    "dhcp_servers": (("192.0.2.1",), "DHCP servers none here, 192.0.2.1 wanted"),
}


def test_each_field_of_a_port_is_named_with_both_values() -> None:
    assert {each.name for each in fields(Interface)} == {"name", *OTHERWISE}
    for name, (value, words) in OTHERWISE.items():
        assert both(PORT, replace(PORT, **{name: value})) == words


def test_what_differs_within_a_part_is_named_and_not_the_part() -> None:
    gateway, member = Gateway("10.0.0.1", group=7, priority=110), LagMember("Port-Channel1", "fast")
    found = replace(PORT, gateway=replace(gateway, address="10.0.0.9"), member=replace(member, lacp_rate="slow"))
    wanted = replace(PORT, gateway=gateway, member=member)
    assert both(found, wanted) == "LACP rate slow here, fast wanted; gateway address 10.0.0.9 here, 10.0.0.1 wanted"


def test_nothing_is_said_of_a_port_that_is_as_wanted_or_not_there() -> None:
    assert (both(PORT, PORT), both(None, PORT)) == ("", "")
