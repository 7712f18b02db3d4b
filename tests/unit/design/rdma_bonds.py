"""A small site whose storage is served by RDMA over bonds: the ports of one NIC, each to one leaf of a pair."""

from copy import deepcopy
from functools import cache
from typing import Any

from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.site import Intent
from tests.unit.design import front, rdma_storage

FRONT: dict[str, Any] = {
    "design": "clos",
    "name_prefix": "front",
    "pools": {"loopback": "10.254.0.0/18", "links": "10.180.0.0/15", "asn": "4200200000-4200209999"},
    "leaf": {
        "platform": "nvue",
        "release": "5.14",
        "model": "SN5600",
        "cable_m": 5,
        "pairs": {"links": 2, "lossless": True},
    },
    "spine": {"platform": "nvue", "release": "5.14", "model": "SN5600", "count": 2, "oversubscription": 3},
}


def data() -> dict[str, Any]:
    """GPU hosts have rails and a bond that business shares; servers have a bond alone, of which business has none."""
    found = rdma_storage.data()
    found["site"] = "rdma-bonds"
    found["fabrics"]["front"] = deepcopy(FRONT)
    found["planes"]["storage"].update(link="bond", vlan=200)
    found["planes"]["business"] = {"fabric": "front", "link": "bond", "vlan": 300, "pools": {"hosts": "10.177.0.0/16"}}
    gpu, store = (found["hosts"][group]["nics"] for group in ("gpu", "store"))
    gpu["storage"]["at"] = ["0000:00:18.0", "0000:00:18.1"]
    gpu["business"] = {"rails": 2, "speed": "200G", "ports_of": "storage"}
    store["storage"]["at"] = ["0000:00:10.0", "0000:00:10.1"]
    return found


@cache
def intent() -> Intent:
    return front.loaded(data())


@cache
def network() -> Network:
    return front.built(data())
