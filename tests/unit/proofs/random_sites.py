"""Sites at random: a front fabric with flows on both planes, in a VRF or not, and rails beside it or not.

Where both are, one cable more is between a leaf of each: nothing is configured on it, until a mutant does.
"""

from dataclasses import replace
from random import Random
from typing import Any

from nornir_tasks.design.links import Endpoint, Link
from nornir_tasks.design.network import Network
from tests.unit.design import front, front_full
from tests.unit.proofs.site_proved import Site, site

SPARE = "spare"
"""Name of the cable that joins two fabrics."""


def drawn(draw: Random) -> Site:
    return built(intent(draw))


def built(data: dict[str, Any]) -> Site:
    network = front.built(data)
    planes = frozenset(data["planes"])
    return site(with_spare(network) if "compute" in planes else network, {"gpu": planes})


def intent(draw: Random) -> dict[str, Any]:
    data = front_full.data()
    storage, business = data["planes"]["storage"], data["planes"]["business"]
    storage["vlan"], business["vlan"], login, api = draw.sample(range(2, 999), 4)
    business["vlans"]["login"]["id"], business["vlans"]["api"]["id"] = login, api
    if draw.random() < 0.5:
        del storage["pools"]["hosts_v6"]
    if draw.random() < 0.5:
        del business["dhcp_relay"]
    if draw.random() < 0.3:
        business["default_route"] = True
    if draw.random() < 0.5:
        in_vrf(data)
    if draw.random() < 0.6:
        add_rails(data, "RAILS" if draw.random() < 0.5 else None)
    for group, count in (("gpu", 4), ("store", 3), ("login", 2), ("api", 2)):
        data["hosts"][group]["count"] = draw.randint(1, count)
    return data


def in_vrf(data: dict[str, Any]) -> None:
    for plane in ("storage", "business"):
        data["planes"][plane]["vrf"] = "FRONT"


def add_rails(data: dict[str, Any], vrf: str | None) -> None:
    data["fabrics"]["rails"] = RAILS
    data["planes"]["compute"] = {
        "fabric": "rails",
        "pools": {"hosts": "10.136.0.0/13"},
        **({"vrf": vrf} if vrf else {}),
    }
    data["hosts"]["gpu"]["nics"]["compute"] = {"rails": 2, "speed": "200G", "port_names": "gpu"}


RAILS = {
    "design": "rail",
    "pools": {"loopback": "10.254.0.0/18", "links": "10.184.0.0/15", "asn": "4200000000-4200099999"},
    "leaf": {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S", "medium": "AOC", "cable_m": 5},
    "spine": {"platform": "nvue", "release": "5.14", "model": "SN5600", "medium": "DR4", "cable_m": 40},
}


def with_spare(network: Network) -> Network:
    """With a cable between the first leaf of each fabric."""
    one = next(each for each in network.devices if each.fabric == "front" and each.role == "leaf")
    other = next(each for each in network.devices if each.fabric == "rails" and each.role == "leaf")
    ends = Endpoint(one.name, "Ethernet48"), Endpoint(other.name, "Ethernet30/1")
    assert not any(network.link_at(each.device, each.port) for each in ends)
    return replace(network, links=(*network.links, Link(SPARE, "fabric", "front", *ends, 99, 100, SPARE)))
