"""Sites at random: a front fabric with flows on both planes, in a VRF or not, and beside it rails, an out-of-band plane
with management ports in a VRF of their own, both, or neither.

Between two fabrics is one cable more, from leaf to leaf: nothing is configured on it, until a mutant does.
"""

from dataclasses import replace
from random import Random
from typing import Any

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.links import Endpoint, Link
from nornir_tasks.design.model.network import Network
from tests.unit.design import front, front_full
from tests.unit.design.out_of_band import with_out_of_band
from tests.unit.proofs.site_proved import Site, site

SPARE = "spare"
"""What the names of cables between two fabrics begin with."""


def drawn(draw: Random) -> Site:
    return built(intent(draw))


def built(data: dict[str, Any]) -> Site:
    network, planes = front.built(data), frozenset(data["planes"])
    for beside, (here, there) in SPARE_PORTS.items():
        if beside in data["fabrics"]:
            network = with_spare(network, beside, here, there)
    return with_management(site(network, {"gpu": planes - {"oob"}}))


def with_management(clean: Site) -> Site:
    """With the lines of base configuration for management ports: address, VRF, and the default route there."""
    for name, at in clean.network.management.items():
        port = next(each.port for each in clean.network.attached if each.host == name)
        made = Interface(port, None, at.interface, 1500, True, None, vrf=MANAGEMENT_VRF)
        route = StaticRoute("0.0.0.0/0", MANAGEMENT_VRF, (at.gateway,))
        config = clean.configs[name]
        clean = clean.with_device(
            name, interfaces=(*config.interfaces, made), static_routes=(*config.static_routes, route)
        )
    return replace(clean, before=None)


MANAGEMENT_VRF = "MGMT"
SPARE_PORTS = {"rails": ("Ethernet48", "Ethernet30/1"), "oob": ("Ethernet47", "swp45")}


def intent(draw: Random) -> dict[str, Any]:
    v6 = draw.choice((None, "gpu", "store"))
    data = front_full.data(v6)
    storage, business = data["planes"]["storage"], data["planes"]["business"]
    vlans = draw.sample(range(2, 999), 6)
    storage["vlan"], business["vlan"], business["default_route"]["vlan"], of_v6 = vlans[:4]
    if v6 is not None:
        storage["vlans"]["v6"]["id"] = of_v6
    for name, number in zip(("login", "api"), vlans[4:], strict=True):
        business["vlans"][name]["id"] = number
    if draw.random() < 0.5:
        del business["dhcp_relay"]
    if draw.random() < 0.5:
        in_vrf(data)
    if draw.random() < 0.6:
        add_rails(data, "RAILS" if draw.random() < 0.5 else None)
    if draw.random() < 0.5:
        data = with_out_of_band(data)
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


def with_spare(network: Network, beside: str, here: str, there: str) -> Network:
    """With a cable between the first leaf of the front fabric and that of another one."""
    one, other = (
        next(each for each in network.devices if each.fabric == fabric and each.role == "leaf")
        for fabric in ("front", beside)
    )
    ends = Endpoint(one.name, here), Endpoint(other.name, there)
    assert not any(network.link_at(each.device, each.port) for each in ends)
    name = f"{SPARE}-{beside}"
    return replace(network, links=(*network.links, Link(name, "fabric", "front", *ends, 99, 100, name)))
