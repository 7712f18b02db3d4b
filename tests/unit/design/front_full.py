"""The small front fabric with all that its planes can say: IPv6, VLANs by group, flows, hosts that boot over a bond."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import front
from tests.unit.design.wanted_of import wanted_of

LEAVES: Mapping[str, str] = {"eos": "front-leaf-g1", "nxos": "front-leaf-g2", "nvue": "front-leaf-g3"}
"""System -> the pair of its leaves: GPU hosts on both planes, storage nodes, and two groups on business."""
DEVICES = {name: f"{pair}-a" for name, pair in LEAVES.items()}


def data(v6: str | None = None) -> dict[str, Any]:
    """The intent. ``v6``: the one group of hosts on storage that has IPv6, as leaves route none to one another."""
    found = front.data()
    storage, business = found["planes"]["storage"], found["planes"]["business"]
    if v6 is not None:
        storage["vlans"] = {"v6": {"id": 210, "groups": [v6], "hosts_v6": "fd00:200:0:1::/64"}}
    storage["services"] = {"nfs": {"tcp": 2049}, "portmap": {"tcp": 111, "udp": 111}, "ping": {"udp": "33434-33523"}}
    storage["flows"] = [{"source": "gpu", "destination": "store", "services": ["nfs", "portmap", "ping"]}]
    business["dhcp_relay"] = ["192.0.2.53"]
    storage["storm_control"] = {"broadcast_pps": 1000, "multicast_pps": 2000}
    business["storm_control"] = {"broadcast_pps": 500, "unknown_unicast_pps": 800}
    business["services"] = {"ssh": {"tcp": 22}, "https": {"tcp": 443}}
    business["networks"] = {"office": ["198.51.100.0/24"]}
    business["vlans"] = {
        "login": {"id": 310, "groups": ["login"]},
        "api": {"id": 320, "groups": ["api"], "hosts": "10.171.1.0/24"},
    }
    business["default_route"] = {"leaves_of": "login", "vlan": 390, "link": "10.190.0.0/28"}
    business["flows"] = [  # of IPv4: NVUE filters no IPv6 out of an SVI
        {"source": "office", "destination": "login", "services": ["ssh"]},
        {"source": "outside", "destination": "api", "services": ["https"]},
        {"source": "login", "destination": "gpu", "services": ["ssh"]},
    ]
    found["hosts"]["store"]["nics"]["storage"]["bond"] = {"pxe": True, "fallback": True, "rate": "slow"}
    gpu = found["hosts"]["gpu"]["nics"]
    gpu["storage"] |= {"rails": 4}
    gpu["business"] |= {"rails": 4}
    return found


@cache
def network() -> Network:
    """What is designed for it."""
    return front.built(data())


@cache
def realised(name: str) -> Realised:
    """One of its switches."""
    return device_config(network(), network().device(name))


@cache
def part(name: str, *planes: str) -> Wanted:
    """What one switch shall hold of these planes; of all, if none is named."""
    return wanted_of(realised(name), planes)
