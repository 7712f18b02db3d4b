"""Ports of a DeviceConfig in pyavd's inputs: routed and switched ports, groups, subinterfaces, SVIs, loopbacks."""

from dataclasses import fields
from typing import Any

from nornir_tasks.design.config.interfaces import Interface, Layer1
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.model.device_config import DeviceConfig

Inputs = dict[str, Any]
FEC: dict[str | None, Inputs] = {
    "rs": {"reed_solomon": True},
    "fc": {"fire_code": True},
    "none": {"enabled": False},
    None: {},
}


def ports(config: DeviceConfig) -> Inputs:
    """All of them, by the kind that pyavd tells apart."""
    found: Inputs = {}
    for port in config.interfaces:
        kind, made = _port(config, port)
        found.setdefault(kind, []).append(made)
    macs = {port.gateway.mac_address for port in config.interfaces if port.gateway is not None}
    return found if not macs else found | {"ip_virtual_router_mac_address": macs.pop()}


def _port(config: DeviceConfig, port: Interface) -> tuple[str, Inputs]:
    made = {
        "name": port.name,
        "description": port.description,
        "shutdown": not port.enabled,
        "vrf": port.vrf,
        "ip_address": port.address,
        "ipv6_address": port.ipv6_address,
    }
    if port.name.startswith("Loopback"):
        return "loopback_interfaces", made
    is_fixed = config.model == "7010TX-48"  # it has no line of it (tests/corpus/eos/reject.txt)
    made |= {"mtu": None if is_fixed else port.mtu_bytes, **_acls(port)}
    if port.ipv6_address is not None:
        made["ipv6_nd"] = {"ra": {"disabled": True}}
    if port.name.startswith("Vlan"):
        return "vlan_interfaces", made | _svi(config, port)
    made |= {**_switchport(config, port), "service_profile": port.qos_profile}
    if port.storm is not None:
        made["storm_control"] = {
            field.name.removesuffix("_pps"): {"level": most_pps, "unit": "pps"}
            for field in fields(port.storm)
            if (most_pps := getattr(port.storm, field.name)) is not None
        }
    if port.undisclosed:
        made["lldp"] = {"transmit": False, "receive": False}
    if port.tag is not None:
        made["encapsulation_dot1q"] = {"vlan": port.tag}
    if port.name.startswith("Port-Channel"):
        return "port_channel_interfaces", made | _group(port.lag)
    return "ethernet_interfaces", made | _layer1(port.layer1) | _member(port)


def _svi(config: DeviceConfig, port: Interface) -> Inputs:
    made: Inputs = {"no_autostate": True} if config.pair and port.name == f"Vlan{config.pair.vlan}" else {}
    if port.gateway is not None and port.gateway.address is not None:
        made["ip_virtual_router_addresses"] = [port.gateway.address]
    if port.gateway is not None and port.gateway.ipv6_address is not None:
        made["ipv6_virtual_router_addresses"] = [port.gateway.ipv6_address]
    made["ip_helpers"] = [{"ip_helper": each} for each in port.dhcp_servers if ":" not in each]
    made["ipv6_dhcp_relay_destinations"] = [{"address": each} for each in port.dhcp_servers if ":" in each]
    return made


def _acls(port: Interface) -> Inputs:
    prefix = {"ipv4": "", "ipv6": "ipv6_"}
    return {f"{prefix[each.family]}access_group_{each.direction}": each.name for each in port.acls}


def _switchport(config: DeviceConfig, port: Interface) -> Inputs:
    edge = {"spanning_tree_portfast": "edge", "spanning_tree_bpduguard": "enabled"} if port.edge else {}
    if port.tagged_vlans is not None:
        carried = {*port.tagged_vlans, *([port.native_vlan] if port.native_vlan else [])}
        trunk: Inputs = {"allowed_vlan": ",".join(map(str, sorted(carried))), "native_vlan": port.native_vlan}
        if config.pair is not None and config.pair.peer_link == port.name:
            trunk["groups"] = ["MLAG"]
        return {"switchport": {"enabled": True, "mode": "trunk", "trunk": trunk}, **edge}
    if port.access_vlan is not None:
        return {"switchport": {"enabled": True, "mode": "access", "access_vlan": port.access_vlan}, **edge}
    return {"switchport": {"enabled": False}} if port.mtu_bytes and port.tag is None else {}


def _member(port: Interface) -> Inputs:
    if port.member is None:
        return {}
    number = int(port.member.group.removeprefix("Port-Channel"))
    rate = "fast" if port.member.lacp_rate == "fast" else "normal"
    return {"channel_group": {"id": number, "mode": "active"}, "lacp_timer": {"mode": rate}}


def _group(lag: Lag | None) -> Inputs:
    if lag is None:  # a subinterface of one
        return {}
    alone = {"lacp_fallback_mode": "individual", "lacp_fallback_timeout": lag.individual_after_s}
    return {"min_links": lag.min_links, "mlag": lag.pair_id, **(alone if lag.individual else {})}


def _layer1(layer1: Layer1 | None) -> Inputs:
    """pyavd's schema knows 82 words of speed and refuses any other."""
    if layer1 is None:
        return {}
    lanes = "" if layer1.speed_gbps in {10, 25} else f"-{layer1.lanes}"
    speed = f"{'auto ' if layer1.negotiate else ''}{layer1.speed_gbps}g{lanes}"
    return {"speed": speed, "error_correction_encoding": FEC[layer1.fec]}
