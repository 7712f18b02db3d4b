"""Sites with an out-of-band plane: a site of rails, or any other, and a tree of SN2201 for everything to manage."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.strategies import intent_of

SWITCH = {"platform": "nvue", "release": "5.14", "model": "SN2201"}
SERVICES = {"ssh": {"tcp": 22}, "redfish": {"tcp": 443}, "ipmi": {"udp": 623}, "ntp": {"udp": 123}}
FLOWS = [
    {"source": "bastion", "destination": "switches", "services": ["ssh", "redfish"]},
    {"source": "bastion", "destination": "gpu-bmc", "services": ["redfish", "ipmi"]},
    {"source": "switches", "destination": "bastion", "services": ["ntp"]},
]


def with_out_of_band(data: dict[str, Any], **plane: Any) -> dict[str, Any]:
    """The same site with a tree, and a port on it for every switch and for the BMC of every host."""
    tree = {
        "design": "tree",
        "name_prefix": "oob",
        "pools": {"loopback": "10.253.0.0/22", "links": "10.182.0.0/16", "asn": "4200210000-4200219999"},
        "leaf": {**SWITCH, "cable_m": 10},
        "spine": {**SWITCH, "medium": "DAC", "cable_m": 3, "oversubscription": 4},
        "mtu": 1500,
    }
    own = {
        "fabric": "oob",
        "link": "svi",
        "vlan": 40,
        "pools": {"hosts": "10.183.0.0/16"},
        "mtu": 1500,
        "classes": {"bulk": {"dscp": 0, "priority": 0, "weight": 100}},
        "congestion": "pfc_only",
        "devices": {"bastion": {"count": 1, "max": 2}, "pdu": {"count": 2}},
        "entry": ["bastion"],
        "services": SERVICES,
        "flows": FLOWS,
    }
    return {
        **data,
        "fabrics": {**data["fabrics"], "oob": tree},
        "planes": {**data["planes"], "oob": {**own, **plane}},
        "hosts": {name: {**each, "out_of_band": ["bmc"]} for name, each in data["hosts"].items()},
    }


def rails() -> dict[str, Any]:
    """The intent of site ``lab-rails``, as data."""
    file = Path(load_site("lab-rails").directory) / "fabric.yml"
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def _frozen(value: Any) -> Any:
    """With tuples for lists, as the intent is read."""
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def intended(data: dict[str, Any]) -> Intent:
    return intent_of(_frozen(data))


def designed(data: dict[str, Any]) -> Network:
    facts = {name: each.facts for name, each in platforms().items()}
    return design(intended(data), load_catalogue(), facts)


@cache
def network() -> Network:
    """Four hosts with rails, ten switches of theirs, two access switches and two routers."""
    return designed(with_out_of_band(rails()))
