"""NVUE's live state in the shapes of napalm.base.models."""

import re
import time
from datetime import datetime
from typing import Any

from nornir_tasks.drivers.nvue_client import NvueClient
from nornir_tasks.drivers.session import Facts
from nornir_tasks.platforms.nvue.observe import lldp_neighbors, port_state

Data = dict[str, Any]

_MBPS = {"M": 1.0, "G": 1000.0, "T": 1_000_000.0}
_SECRET = re.compile(r"password|hashed-password|secret|.*-key")
_SECRET_KEYS = re.compile(r"auth-(?:md5|sha).*|encrypt-.*|(?:readonly|readwrite)-community.*")
"""Collections whose entries are named by a secret (SNMP users' passphrases, communities)."""
_REMOVED = "<removed>"


def interfaces(client: NvueClient) -> dict[str, Data]:
    """Every interface: link, addresses, LLDP, description."""
    wanted = ["/*/link", "/*/ip", "/*/ipv4", "/*/ipv6", "/*/lldp/neighbor", "/*/description", "/*/type"]
    return client.live("interface", include=wanted)


def facts(found: Facts, uptime: float, ports: dict[str, Data]) -> Any:  # noqa: ANN401 - napalm.base.models.FactsDict
    """get_facts."""
    return {
        "hostname": found.hostname,
        "fqdn": found.hostname,
        "vendor": "NVIDIA",
        "model": found.model,
        "serial_number": found.serial,
        "os_version": found.release,
        "uptime": float(uptime),
        "interface_list": list(ports),
    }


def interface(port: Data) -> Any:  # noqa: ANN401 - napalm.base.models.InterfaceDict
    """One entry of get_interfaces; what NVUE does not say is -1."""
    link = port.get("link", {})
    state = port_state("", port)
    return {
        "is_up": state.oper_up,
        "is_enabled": state.admin_up,
        "description": str(port.get("description", "")),
        "last_flapped": -1.0,
        "mtu": -1 if state.mtu_bytes is None else state.mtu_bytes,
        "speed": speed_mbps(link.get("speed")),
        "mac_address": str(link.get("mac-address") or link.get("mac") or "").upper(),
    }


def speed_mbps(text: object) -> float:
    """``800G`` -> 800000.0; -1.0 for a port without a speed."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([MGT])", str(text))
    return float(found[1]) * _MBPS[found[2]] if found else -1.0


def addresses(ports: dict[str, Data]) -> dict[str, Any]:
    """get_interfaces_ip."""
    result: dict[str, Any] = {}
    for name, port in ports.items():
        for section in ("ip", "ipv4", "ipv6"):
            for each in port.get(section, {}).get("address", {}):
                address, _, length = each.partition("/")
                family = result.setdefault(name, {}).setdefault("ipv6" if ":" in address else "ipv4", {})
                family[address] = {"prefix_length": int(length)}
    return result


def lldp(ports: dict[str, Data]) -> dict[str, Any]:
    """get_lldp_neighbors."""
    heard = {name: lldp_neighbors(name, port) for name, port in ports.items()}
    return {
        name: [{"hostname": each.remote_device, "port": each.remote_port} for each in found]
        for name, found in heard.items()
        if found
    }


def bgp(client: NvueClient) -> dict[str, Any]:
    """get_bgp_neighbors."""
    result = {}
    for vrf, each in client.live("vrf", include="/*/router/bgp").items():
        process = each.get("router", {}).get("bgp")
        if process:
            local_as = process.get("autonomous-system")
            result["global" if vrf == "default" else vrf] = {
                "router_id": str(process.get("router-id", "")),
                "peers": {name: _peer(peer, local_as) for name, peer in process.get("neighbor", {}).items()},
            }
    return result


def _peer(peer: Data, local_as: object) -> Data:
    is_up = peer.get("state") == "established"
    own_as = peer.get("local-as", {}).get("asn") or local_as
    remote_as = peer.get("remote-as")
    families = {name.removesuffix("-unicast"): _family(each) for name, each in peer.get("address-family", {}).items()}
    return {
        "local_as": own_as if isinstance(own_as, int) else -1,
        "remote_as": remote_as if isinstance(remote_as, int) else -1,
        "remote_id": str(peer.get("peer-router-id") or "0.0.0.0"),  # noqa: S104 - an id, not a socket
        "is_up": is_up,
        "is_enabled": peer.get("shutdown") not in ("on", "enabled"),
        "description": str(peer.get("description", "")),
        "uptime": _age_s(peer.get("uptime")) if is_up else -1,
        "address_family": families,
    }


def _family(each: Data) -> Data:
    received, sent = each.get("rx-prefix", -1), each.get("tx-prefix", -1)
    return {"received_prefixes": received, "accepted_prefixes": received, "sent_prefixes": sent}


def _age_s(since: object) -> int:
    """Seconds since the moment NVUE prints; -1 if it prints something else."""
    try:
        return max(0, int(time.time() - datetime.fromisoformat(str(since)).timestamp()))
    except ValueError:
        return -1


def sanitized(data: Data) -> Data:
    """The same configuration without its secrets, be they values or keys."""
    result: Data = {}
    for key, value in data.items():
        if isinstance(value, dict):
            is_secret = _SECRET_KEYS.fullmatch(key) is not None
            result[key] = {_REMOVED: {}} if is_secret and value else sanitized(value)
        else:
            result[key] = _REMOVED if _SECRET.fullmatch(key) else value
    return result
