"""Every single way in which the right bond can be wrong in one knob: what is changed, and which knob must be named."""

from collections.abc import Callable
from typing import Any


def own(facts: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = facts["bonds"]["data"]
    return found


def leg(facts: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = own(facts)["members"]["data1"]
    return found


Change = Callable[[dict[str, Any]], object]
MUTANTS: dict[str, tuple[Change, str]] = {
    "another mode": (lambda f: own(f).update(mode="fault-tolerance (active-backup)"), "data mode"),
    "another hash": (lambda f: own(f).update(hash="layer2"), "data hash"),
    "no link monitor": (lambda f: own(f).update(miimon_ms=0), "data miimon_ms"),
    "another rate": (lambda f: own(f).update(lacp_rate="slow"), "data lacp_rate"),
    "more links needed": (lambda f: own(f).update(min_links=2), "data min_links"),
    "another member": (lambda f: own(f)["members"].update(ens9=dict(leg(f))), "data members"),
    "smaller MTU": (lambda f: f["links"]["data"].update(mtu_bytes=1500), "data mtu_bytes"),
    "two switches that are no pair": (lambda f: leg(f).update(partner="44:38:39:be:ef:bb"), "data partner"),
    "a port called otherwise": (lambda f: f["members"]["0000:00:20.0"].update(netdev="ens8"), "data0 name"),
    "no port there": (lambda f: f["members"]["0000:00:20.0"].update(netdev=None), "data0 name"),
    "a leg down": (lambda f: leg(f).update(up=False), "data1 link"),
    "a leg in another group": (lambda f: leg(f).update(aggregator=2), "data1 LACP"),
    "a leg that the leaf leaves out": (lambda f: leg(f).update(partner_state=0b000111), "data1 LACP"),
    "a leg that the host leaves out": (lambda f: leg(f).update(state=0b001111), "data1 LACP"),
    "a silent leaf": (lambda f: leg(f).update(state=0b01001111), "data1 LACP"),
    "a VLAN with another number": (lambda f: f["links"]["data.300"].update(vlan=301), "data.300 VLAN"),
    "a VLAN on another interface": (lambda f: f["links"]["data.300"].update(on="ens3"), "data.300 VLAN"),
    "a VLAN's MTU": (lambda f: f["links"]["data.300"].update(mtu_bytes=9000), "data.300 mtu_bytes"),
    "another address": (lambda f: f["links"]["data"].update(addresses=["10.176.0.5/26"]), "data addresses"),
    "one address more": (lambda f: f["links"]["data"]["addresses"].append("10.9.0.1/24"), "data addresses"),
    "no IPv6": (lambda f: f["links"]["data.300"]["addresses"].pop(), "data.300 addresses"),
    "no route": (lambda f: f["routes"].pop(1), "data routes"),
    "a route more": (
        lambda f: f["routes"].append({"family": 4, "to": "10.9.0.0/16", "via": "10.177.0.1", "dev": "data.300"}),
        "data.300 routes",
    ),
    "large packets lost": (lambda f: f["passes"].update(data=False), "data packets of the MTU"),
    "a default route elsewhere": (
        lambda f: f["routes"].insert(0, {"family": 4, "to": "default", "via": "10.0.2.2", "dev": "ens3"}),
        "default route",
    ),
    "no default route": (lambda f: f["routes"].pop(0), "default route"),
    "no IPv6 default route": (lambda f: f["routes"].pop(), "default route"),
}
