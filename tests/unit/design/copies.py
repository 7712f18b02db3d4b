"""Sites whose NICs are several ports, each on an equal copy of the fabric."""

import copy
from typing import Any

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from tests.intent_parts import fabric, group, nics
from tests.strategies import intent_of
from tests.unit.design.test_nearest import SITE

SN5600 = {"platform": "nvue", "release": "5.14", "model": "SN5600"}


def site(copies: int, hosts: int = 256, **of_nics: Any) -> dict[str, Any]:
    """Hosts with 8 ConnectX-8 of 800G each, 1:1, on SN5600 with links of 400G between switches."""
    data, speed = copy.deepcopy(SITE), 800 // copies
    optics = {"medium": "2xDR4", "cable_m": 50}
    leaf = {**SN5600, "breakout": f"{copies}x{speed}G", "uplink_breakout": "2x400G"}
    fabric(data)["leaf"] = {**leaf, **optics} if copies == 2 else leaf
    fabric(data)["spine"] = {**SN5600, "breakout": "2x400G", "oversubscription": 1, **optics}
    group(data).update(count=hosts, max=hosts)
    nics(data).update(model="ConnectX-8", copies=copies, speed=f"{speed}G", **of_nics)
    return data


def places(copies: int, rails: int = 8) -> tuple[str, ...]:
    """PCI functions of the ports: one device for each NIC."""
    return tuple(f"0000:{0x18 + rail:02x}:00.{port}" for rail in range(rails) for port in range(copies))


def network(data: dict[str, Any]) -> Network:
    """The network of this data, with the real operating systems."""
    facts = {name: each.facts for name, each in platforms().items()}
    return design(intent_of(data), load_catalogue(), facts)
