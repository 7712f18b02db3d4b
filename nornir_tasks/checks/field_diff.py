"""What a port has, and what it should have, in the terms of the model: both values of each field that differs. Pure."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from nornir_tasks.design.config.access_lists import AclBinding
from nornir_tasks.design.config.interfaces import Interface

_TERMS = {
    "mtu_bytes": "MTU",
    "lacp_rate": "LACP rate",
    "access_vlan": "VLAN",
    "tagged_vlans": "tagged VLANs",
    "native_vlan": "untagged VLAN",
    "edge": "edge port",
    "vrf": "VRF",
    "acls": "access lists",
    "ipv6_address": "IPv6 address",
    "dhcp_servers": "DHCP servers",
    "broadcast_pps": "broadcasts a second",
    "multicast_pps": "multicasts a second",
    "unknown_unicast_pps": "unknown unicasts a second",
    "storm": "storm control",
    "undisclosed": "silence towards the far end (LLDP, CDP)",
    "mac_address": "MAC address",
    "fec": "FEC",
    "speed_gbps": "speed in Gbit/s",
    "qos_profile": "QoS profile",
    "ra_interval_ms": "router advertisements every ms",
    "pair_id": "number in the pair",
}
"""Fields of an interface whose term is not their name in words."""

_NAMED = frozenset({"gateway"})
"""Parts of an interface whose fields are named with them: the address of a gateway is none of the port's."""


def both(found: Interface | None, wanted: Interface) -> str:
    """``MTU 1500 here, 9214 wanted``; empty where the model knows no difference of the port, or there is no port."""
    return "" if found is None else "; ".join(_differing(found, wanted, ""))


def _differing(found: object, wanted: object, of: str) -> Iterator[str]:
    for field in fields(wanted):  # type: ignore[arg-type] # a dataclass
        one, other = getattr(found, field.name), getattr(wanted, field.name)
        if one == other:
            continue
        if type(one) is type(other) and is_dataclass(one):
            yield from _differing(one, other, f"{field.name} " if field.name in _NAMED else "")
        else:
            yield f"{of}{_TERMS.get(field.name, field.name.replace('_', ' '))} {_text(one)} here, {_text(other)} wanted"


def _text(value: object) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(each.name if isinstance(each, AclBinding) else str(each) for each in value)
    return "set" if is_dataclass(value) else str(value)
