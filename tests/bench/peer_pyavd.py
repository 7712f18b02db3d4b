"""pyavd's render of an L3 leaf-spine, to stand beside ours: run by the peers' interpreter, which has pyavd and not us.

    peer_pyavd.py LEAVES SPINES HOST_PORTS

eBGP underlay only, no overlay; each leaf has HOST_PORTS access ports under one range (pyavd's kindest case) with a QoS
profile of PFC and ECN, and one routed /31 uplink to every spine. pyavd knows all of EOS, we a part of it: the ratio
owes something to that. Prints one JSON object: seconds of each step, lines of a leaf's configuration.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from pyavd import get_avd_facts, get_device_config, get_device_structured_config, validate_inputs
from pyavd.api.schemas import AVDDesign

PROFILE = {
    "name": "GPU",
    "trust": "dscp",
    "tx_queues": [
        {
            "id": 3,
            "bandwidth_percent": 60,
            "random_detect": {
                "ecn": {
                    "threshold": {
                        "units": "kbytes",
                        "min": 150,
                        "max": 1500,
                        "max_probability": 10,
                    }
                }
            },
        },
        {"id": 0, "bandwidth_percent": 40},
        {"id": 6, "priority": "priority strict"},
    ],
}
PORT = {
    "profile": "GPU",
    "mode": "access",
    "vlans": "10",
    "mtu": 9000,
    "qos_profile": "GPU",
    "structured_config": {"priority_flow_control": {"enabled": True, "priorities": [{"priority": 3, "no_drop": True}]}},
}


def fabric(leaves: int, spines: int, host_ports: int) -> dict[str, dict[str, Any]]:
    """Each device's own inputs, as pyavd wants them."""
    uplinks = [f"Ethernet{host_ports + number}/1" for number in range(1, spines + 1)]
    names = [f"spine{number}" for number in range(1, spines + 1)]
    leaf_nodes = [
        {
            "name": f"leaf{number}",
            "id": number,
            "bgp_as": str(4200000000 + number),
            "uplink_switch_interfaces": [f"Ethernet{number}/1"] * spines,
        }
        for number in range(1, leaves + 1)
    ]
    shared = {
        "fabric_name": "BENCH",
        "underlay_routing_protocol": "ebgp",
        "overlay_routing_protocol": "none",
        "p2p_uplinks_mtu": 9214,
        "spine": {
            "defaults": {"platform": "7060DX5-64S", "loopback_ipv4_pool": "10.255.0.0/24", "bgp_as": "4200100000"},
            "nodes": [{"name": name, "id": number} for number, name in enumerate(names, start=1)],
        },
        "l3leaf": {
            "defaults": {
                "platform": "7060DX5-64S",
                "loopback_ipv4_pool": "10.254.0.0/16",
                "vtep": False,
                "evpn_role": "none",
                "uplink_switches": names,
                "uplink_interfaces": uplinks,
                "uplink_ipv4_pool": "10.160.0.0/13",
                "max_uplink_switches": spines,
            },
            "nodes": leaf_nodes,
        },
        "port_profiles": [PORT],
        "network_ports": [{"switches": ["leaf.*"], "switch_ports": [f"Ethernet1-{host_ports}/1"], "profile": "GPU"}],
    }
    return {
        node["name"]: {
            **json.loads(json.dumps(shared)),
            "type": kind,
            "inventory_hostname": node["name"],
            "custom_structured_configuration_qos_profiles": [PROFILE],
        }
        for kind, nodes in (("spine", shared["spine"]["nodes"]), ("l3leaf", leaf_nodes))
        for node in nodes
    }


def main() -> None:
    leaves, spines, host_ports = map(int, sys.argv[1:4])
    inputs = fabric(leaves, spines, host_ports)
    seconds: dict[str, float] = {}

    def timed(step: str, job: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        result = job()
        seconds[step] = seconds.get(step, 0.0) + time.perf_counter() - started
        return result

    def each(name: str) -> str:
        structured = timed("structured", lambda: get_device_structured_config(name, designs[name], facts))
        return str(timed("render", lambda: get_device_config(structured)))

    designs = {}
    for name, device in inputs.items():
        result = timed("validate", lambda device=device: validate_inputs(device))
        if result.validated_data is None:
            wrong = [f"{each.path}: {each.message}" for each in result.validation_result.violations]
            raise SystemExit(f"{name}: {'; '.join(wrong)}")
        designs[name] = timed("validate", lambda data=result.validated_data: AVDDesign._from_dict(data))
    facts = timed("facts", lambda: get_avd_facts(designs))
    lines = {name: len(each(name).splitlines()) for name in inputs}
    print(json.dumps({"devices": len(inputs), "seconds": seconds, "lines": lines["leaf1"]}))


if __name__ == "__main__":
    main()
