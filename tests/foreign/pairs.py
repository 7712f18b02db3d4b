"""Two designs of one small site at random, a first and what somebody made of it later.

Switches, their names, systems, releases and AS numbers are the same in both; what hosts get, and how, is not. Switches
of all three systems are in it: a leaf each for rails, a pair each for bonds. Nothing of the product is used here.
"""

from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

import yaml

SYSTEMS = ("eos", "nxos", "nvue")
_RAIL_LEAVES = {
    "eos": {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
    "nxos": {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"},
    "nvue": {"platform": "nvue", "release": "5.16", "model": "SN5600"},
}
_PAIRS = {
    "eos": {"platform": "eos", "release": "4.33.1F", "model": "7050SX3-48YC8"},
    "nxos": {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C93180YC-FX3"},
    "nvue": {"platform": "nvue", "release": "5.14", "model": "SN2410"},
}
_GROUPS = ("gpu", "storage", "login")


@dataclass(frozen=True)
class Choice:
    """What is chosen for one version of the site; the first value of each is the plainest."""

    business: int = 300
    """VLAN of the business plane; 0: there is none."""
    login_vlan: int = 310
    """VLAN of the hosts for logins; 0: they are in the plane's."""
    storage: int = 200
    """VLAN of the storage plane; 0: there is none."""
    storage_hosts: str = "10.176.0.0/16"
    storage_v6: bool = False
    business_hosts: str = "10.177.0.0/16"
    business_v6: bool = False
    relays: int = 0
    storage_relay: bool = False
    storms: bool = False
    flows: bool = False
    gpus: int = 2
    stores: int = 1
    logins: int = 1
    bfd: bool = True
    peer_links: int = 2
    host_mtu: int = 9000
    fabric_mtu: int = 9216
    roce: int = 26
    cnp: int = 48
    ecn: tuple[int, int, int] | None = None
    lossless: bool = True
    unused: str = "shut"
    base: int = 0
    """0: unmanaged; 1: time servers; 2: time servers and where the log goes."""
    compute_link: str = "p2p"
    compute_hosts: str = "10.168.0.0/13"
    compute_vlan: int = 210
    compute_vrf: bool = False
    links: str = "10.180.0.0/15"


_OFFERED: dict[str, tuple[Any, ...]] = {
    "business": (300, 305, 0),
    "login_vlan": (310, 311, 0),
    "storage": (200, 201, 0),
    "storage_hosts": ("10.176.0.0/16", "10.178.0.0/16"),
    "storage_v6": (False, True),
    "business_hosts": ("10.177.0.0/16", "10.179.0.0/16"),
    "business_v6": (False, True),
    "relays": (0, 1, 2),
    "storage_relay": (False, True),
    "storms": (False, True),
    "flows": (False, True),
    "gpus": (2, 1, 3),
    "stores": (1, 2),
    "logins": (1, 2),
    "bfd": (True, False),
    "peer_links": (2, 1),
    "host_mtu": (9000, 4200),
    "fabric_mtu": (9216, 9100),
    "roce": (26, 24),
    "cnp": (48, 46),
    "ecn": (None, (150_000, 1_500_000, 10), (300_000, 2_000_000, 50)),
    "lossless": (True, False),
    "unused": ("shut", "leave"),
    "base": (0, 1, 2),
    "compute_link": ("p2p", "svi", "subnet/29"),
    "compute_hosts": ("10.168.0.0/13", "10.192.0.0/13"),
    "compute_vlan": (210, 220),
    "compute_vrf": (False, True),
    "links": ("10.180.0.0/15", "10.184.0.0/15"),
}
assert set(_OFFERED) == {each.name for each in fields(Choice)}


def pair(rng: Random, os: str) -> tuple[str, str]:
    """The texts of two fabric.yml, before and after; GPU hosts, with most planes, are at a pair of this system."""
    first, second = choices(rng)
    return text(first, os), text(second, os)


def choices(rng: Random) -> tuple[Choice, Choice]:
    """Two versions that differ in one to five ways."""
    first = _possible(Choice(**{name: rng.choice(offered) for name, offered in _OFFERED.items()}))
    second = first
    while data(second) == data(first):
        for name in rng.sample(sorted(_OFFERED), rng.randint(1, 5)):
            second = _possible(replace(second, **{name: rng.choice(_OFFERED[name])}))
    return first, second


def _possible(choice: Choice) -> Choice:
    """The same, with a plane for bonds left, and without lists for IPv6: Cumulus Linux 5.14 has none on what routes."""
    if not choice.business and not choice.storage:
        choice = replace(choice, storage=200)
    return replace(choice, storage_v6=False) if choice.flows else choice


def text(choice: Choice, os: str = "eos") -> str:
    """The fabric.yml of one version."""
    return yaml.safe_dump(data(choice, os), sort_keys=False)


def data(choice: Choice, os: str = "eos") -> dict[str, Any]:
    """The same as data."""
    ordered = SYSTEMS[SYSTEMS.index(os) :] + SYSTEMS[: SYSTEMS.index(os)]
    whole: dict[str, Any] = {
        "site": "foreign",
        "policy": _policy(choice),
        "fabrics": {"compute": _compute(choice), "front": _front(choice, ordered)},
        "planes": _planes(choice),
        "hosts": _hosts(choice),
        "management": {"source": "lab"},
    }
    if choice.base:
        whole["base"] = {"ntp": ["192.0.2.123", "192.0.2.124"]} | ({"syslog": ["192.0.2.6"]} if choice.base > 1 else {})
    return whole


def _policy(choice: Choice) -> dict[str, Any]:
    ecn: Any = "auto"
    if choice.ecn is not None:
        ecn = dict(zip(("min_bytes", "max_bytes", "probability_percent"), choice.ecn, strict=True))
    roce = {"dscp": choice.roce, "priority": 3, "lossless": choice.lossless, "ecn": ecn, "weight": 60}
    return {
        "classes": {
            "roce": roce,
            "cnp": {"dscp": choice.cnp, "priority": 6, "strict": True},
            "bulk": {"dscp": 0, "priority": 0, "weight": 40},
        },
        "congestion": "dcqcn" if choice.lossless else "lossy",
        "mtu": {"host": choice.host_mtu, "fabric": choice.fabric_mtu},
        "unused_ports": choice.unused,
    }


def _compute(choice: Choice) -> dict[str, Any]:
    leaf: dict[str, Any] = dict(_RAIL_LEAVES["eos"]) | {"medium": "AOC", "cable_m": 5}
    leaf["overrides"] = [{"rails": [1], **_RAIL_LEAVES["nxos"]}, {"rails": [2], **_RAIL_LEAVES["nvue"]}]
    return {
        "design": "rail",
        "pools": {"loopback": "10.255.0.0/16", "links": "10.160.0.0/13", "asn": "4200000000-4200099999"},
        "leaf": leaf,
        "spine": {"platform": "nvue", "release": "5.14", "model": "SN5600", "medium": "DR4", "cable_m": 40},
        "routing": {"bfd": choice.bfd},
    }


def _front(choice: Choice, ordered: tuple[str, ...]) -> dict[str, Any]:
    leaf: dict[str, Any] = dict(_PAIRS[ordered[0]]) | {"medium": "DAC", "cable_m": 3}
    leaf["pairs"] = {"links": choice.peer_links, "medium": "DAC", "cable_m": 1}
    groups = zip(_GROUPS[1:], ordered[1:], strict=True)
    leaf["overrides"] = [{"hosts": [group], **_PAIRS[os]} for group, os in groups]
    spine = {"platform": "nvue", "release": "5.14", "model": "SN3700", "medium": "SR4", "cable_m": 20, "count": 2}
    return {
        "design": "clos",
        "name_prefix": "front",
        "pools": {"loopback": "10.254.0.0/18", "links": choice.links, "asn": "4200200000-4200209999"},
        "leaf": leaf,
        "spine": spine | {"oversubscription": 4},
        "routing": {"bfd": choice.bfd},
    }


def _planes(choice: Choice) -> dict[str, Any]:
    compute: dict[str, Any] = {"fabric": "compute", "link": choice.compute_link}
    compute["pools"] = {"hosts": choice.compute_hosts}
    if choice.compute_link == "svi":
        compute["vlan"] = choice.compute_vlan
    if choice.compute_vrf:
        compute["vrf"] = "COMPUTE"
    made = {"compute": compute}
    if choice.storage:
        made["storage"] = _storage(choice)
    if choice.business:
        made["business"] = _business(choice)
    return made


def _storage(choice: Choice) -> dict[str, Any]:
    plane: dict[str, Any] = {"fabric": "front", "link": "bond", "transport": "tcp", "vlan": choice.storage}
    plane["pools"] = {"hosts": choice.storage_hosts}
    if choice.storage_v6:
        _v6_of_gpus(plane, "fd00:200:0:1::/64")
    plane["servers"] = ["storage"]
    if choice.flows:
        plane["services"] = {"nfs": {"tcp": 2049}}
        plane["flows"] = [{"source": "gpu", "destination": "storage", "services": ["nfs"]}]
    if choice.storage_relay and choice.business:
        plane["dhcp_relay"] = [choice.business_hosts.replace("0.0/16", "0.100")]
    if choice.storms:
        plane["storm_control"] = {"broadcast_pps": 1000, "multicast_pps": 2000}
    return plane


def _v6_of_gpus(plane: dict[str, Any], prefix: str) -> None:
    """At the pair of GPU hosts alone, in the VLAN that they have without it: leaves route no IPv6 to one another."""
    plane["vlans"] = {"gpus": {"id": plane["vlan"], "groups": ["gpu"], "hosts_v6": prefix}}
    plane["vlan"] += 50


def _business(choice: Choice) -> dict[str, Any]:
    plane: dict[str, Any] = {"fabric": "front", "link": "bond", "vlan": choice.business}
    plane["pools"] = {"hosts": choice.business_hosts}
    plane["default_route"] = {"leaves_of": "login", "vlan": 390, "link": "10.190.0.0/28"}
    if choice.business_v6:
        _v6_of_gpus(plane, "fd00:300:0:1::/64")
    if choice.login_vlan:
        plane.setdefault("vlans", {})["login"] = {"id": choice.login_vlan, "groups": ["login"]}
    if choice.relays:
        plane["dhcp_relay"] = ["192.0.2.53", "192.0.2.54"][: choice.relays]
    if choice.storms:
        plane["storm_control"] = {"broadcast_pps": 500}
    return plane


def _hosts(choice: Choice) -> dict[str, Any]:
    """Every group keeps its ports; one on a plane that is not there is on the other."""
    at = [f"0000:00:1{number}.0" for number in range(3)]
    planes = [name for name in ("storage", "business") if getattr(choice, name)]
    front: dict[str, Any] = {planes[0]: _bond("front")}
    if len(planes) > 1:
        front["business"] = {"rails": 2, "speed": "25G", "ports_of": "storage"}
    rails = {"compute": {"rails": 3, "speed": "200G", "model": "ConnectX-7", "at": at}}
    stores, logins = planes[0], planes[-1]
    return {
        "gpu": {"count": choice.gpus, "max": 4, "nics": rails | front},
        "storage": {"count": choice.stores, "max": 4, "nics": {stores: _bond("data")}},
        "login": {"count": choice.logins, "max": 4, "nics": {logins: _bond("front")}},
    }


def _bond(names: str) -> dict[str, Any]:
    return {"rails": 2, "speed": "25G", "port_names": names, "at": ["0000:00:18.0", "0000:00:19.0"]}
