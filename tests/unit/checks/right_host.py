"""A host of the lab with everything as asked: its variables, and its facts as the fact modules return them.

Written by hand from the modules' RETURN, with figures of the lab's first host; nothing here asks the checks.
"""

from typing import Any

from nornir_tasks.design.demand.rdma_libraries import environment
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.resources import resource
from tests.intent_parts import needs
from tests.plain_facts import plain_facts

RAILS = [f"rail{number}" for number in range(8)]
ARGUMENTS = (
    "root=/dev/vda1 hugepagesz=1G hugepages=0:1 iommu=pt isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 "
    "pci=disable_acs_redir=" + ";".join(f"0000:{root}0:01.0/00.0/0{port}.0" for root in range(1, 9) for port in (1, 0))
)
UNITS = "".join(
    f"gpufabric-{name}.service enabled enabled\n" for name in ("plane-guard", "roce-qos", "irq-affinity", "gpudirect")
)
BOND: dict[str, Any] = {
    "name": "data",
    "members": [
        {"name": "data0", "match": {"pci": "0000:00:20.0"}},
        {"name": "data1", "match": {"mac": "0C:42:A1:00:00:21"}},
    ],
    "lacp_rate": "fast",
    "min_links": 1,
    "mtu_bytes": 9000,
    "planes": [
        {
            "plane": "storage",
            "interface": "data",
            "vlan": None,
            "mtu_bytes": 9000,
            "default_route": False,
            "address": "10.176.0.4",
            "prefix_length": 26,
            "gateway": "10.176.0.1",
            "routes": ["10.176.0.0/16"],
        },
        {
            "plane": "business",
            "interface": "data.300",
            "vlan": 300,
            "mtu_bytes": 1500,
            "default_route": True,
            "address": "10.177.0.4",
            "prefix_length": 26,
            "gateway": "10.177.0.1",
            "routes": [],
            "address_v6": "fd00::4",
            "prefix_length_v6": 64,
            "gateway_v6": "fd00::1",
            "routes_v6": [],
        },
    ],
}
"""Storage untagged and business as VLAN 300, on two ports to one pair of leaves."""
INFINIBAND = {"device": "mlx5_8", "rate_gbps": 400, "partitions": ["0xffff", "0x8001"]}
BMC = {"address": "10.183.0.9", "mac": "0c:42:a1:00:01:01", "port": "dedicated"}
PACKAGES = ["rdma-core", "perftest"]
FIRMWARE = {"LINK_TYPE": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}
DEFAULTS: dict[str, Any] = {
    "rdma_stack_packages": PACKAGES,
    "rdma_stack_hold": True,
    "rdma_stack_peermem": False,
    "hugepages_pages": [{"size": "2M", "node": 0, "count": 64}, {"size": "1G", "node": 0, "count": 1}],
    "hugepages_mount": True,
    "host_tuning_limits_only": False,
    "host_tuning_sysctl": {"vm.swappiness": 10},
    "host_tuning_numa_balancing": False,
    "host_tuning_limits": [{"item": "memlock", "value": "unlimited"}],
    "host_tuning_governor": "performance",
    "host_tuning_idle_latency_us": 3,
    "host_tuning_tuned": False,
    "host_tuning_rails": RAILS,
    "host_tuning_kernel_arguments": ["iommu=pt"],
    "host_tuning_isolated_cpus": "2-3",
    "gpudirect_gpus": {},
    "gpudirect_far_rails_allowed": [],
    "gpudirect_acs": "redirect_off",
    "gpudirect_read_request_bytes": 4096,
    "gpudirect_ats_allowed": False,
    "gpudirect_driver_owner": "host",
    "gpudirect_driver_branch": "580",
    "gpudirect_driver_held": True,
    "roce_qos_backend": "auto",
    "roce_qos_absent_allowed": ["traffic_class"],
    "roce_qos_virtual_functions_allowed": 0,
    "roce_qos_buffer_bytes": [],
    "roce_qos_priority_buffer": [],
    "nic_firmware_rails": RAILS,
    "nic_firmware_ecn": True,
    "nic_firmware_priority": 3,
    "nic_firmware_cnp_dscp": 48,
    "nic_firmware_cnp_priority": 6,
    "nic_firmware_reorder": False,
    "nic_firmware_link_type": "eth",
    "nic_firmware_mode": "nic",
    "nic_firmware_policy": False,
    "nic_firmware_cc_algorithm": "keep",
    "nic_firmware_pci_wr_ordering": "keep",
    "nic_firmware_ats": "keep",
    "nic_firmware_vfs": -1,
    "nic_firmware_floors": [],
    "nic_firmware_below_floor_allowed": False,
    "nccl_fifo_traffic_class": 106,
    "nccl_ib_timeout": 20,
    "nccl_ib_retry_count": 7,
    "nccl_settings": {},
    "nccl_gid_index": -1,
}


def variables(**changes: Any) -> dict[str, Any]:
    catalogue = load_catalogue()
    intent = load_intent(resource("inventory") / "lab-rails" / "fabric.yml")
    network = design(intent, catalogue, plain_facts())
    own = host_vars(network, needs(intent), "gpu-1").ansible()
    own["gpudirect_rails"] = [{"name": each["name"], "match": each["match"]} for each in own["rail_interfaces_rails"]]
    judged = {"host_validate_bmc": BMC, "host_validate_infiniband": [INFINIBAND]}
    return {**DEFAULTS, **own, "bond_interfaces_bonds": [BOND], **judged, **changes}


def infiniband_port(**changes: Any) -> dict[str, Any]:
    """What infiniband_facts says of a port of INFINIBAND."""
    return {
        "link_layer": "InfiniBand",
        "state": "ACTIVE",
        "physical": "LinkUp",
        "rate_gbps": 400.0,
        "width": 4,
        "speed": "NDR",
        "lid": 3,
        "sm_lid": 1,
        "partitions": ["0x8001", "0xffff"],
        "errors": {"symbol_error": 3},
        **changes,
    }


def rails() -> dict[str, Any]:
    places = {name: f"0000:00:{0x10 + number:02x}.0" for number, name in enumerate(RAILS)}
    hops = {name: f"10.{168 + number}.0.0" for number, name in enumerate(RAILS)}
    return {
        "manager": "networkd",
        "names": [],
        "names_unread": [],
        "rails": {
            place: {
                "netdev": name,
                "candidates": [name],
                "up": True,
                "carrier": True,
                "mtu_bytes": 9000,
                "addresses": [f"10.{168 + number}.0.1/31", "fe80::1/64"],
                "link_local": [f"fe80::{number}/64"],
            }
            for number, (name, place) in enumerate(places.items())
        },
        "rules": [
            {
                "priority": 20000 + number,
                "from": f"10.{168 + number}.0.1",
                "table": str(100 + number),
                "selectors": [],
                "protocol": "4",
            }
            for number in range(8)
        ],
        "routes": {
            "main": [{"to": "default", "via": "10.0.2.2", "dev": "ens3"}]
            + [{"to": f"10.{168 + n}.0.0/16", "via": hops[name], "dev": name} for n, name in enumerate(RAILS)],
            **{str(100 + n): [{"to": "10.168.0.0/13", "via": hops[name], "dev": name}] for n, name in enumerate(RAILS)},
        },
        "sysctl": {name: {"rp_filter": 2, "arp_ignore": 0, "arp_announce": 0} for name in RAILS},
    }


def leg(port: int) -> dict[str, Any]:
    """A member that is bundled; what it hears is the pair's own system, from a port of each leaf."""
    of_host = {"up": True, "failures": 0, "aggregator": 1, "state": 63}
    return {**of_host, "partner": "44:38:39:be:ef:aa", "partner_key": 9, "partner_port": port, "partner_state": 63}


def link(**changes: Any) -> dict[str, Any]:
    found = {"mtu_bytes": 9000, "up": True, "carrier": True, "kind": "bond", "master": None, "vlan": None, "on": None}
    return {**found, **changes}


def bonds() -> dict[str, Any]:
    """What bond_facts says of BOND."""
    settings = {"mode": "802.3ad", "hash": "layer3+4", "miimon_ms": 100, "lacp_rate": "fast", "min_links": 1}
    members = {"data0": leg(1), "data1": leg(257)}
    return {
        "bonds": {"data": {**settings, "up": True, "aggregator": 1, "members": members}},
        "links": {
            "data": link(addresses=["10.176.0.4/26"]),
            "data.300": link(
                kind="vlan", mtu_bytes=1500, vlan=300, on="data", addresses=["10.177.0.4/26", "fd00::4/64"]
            ),
        },
        "members": {"0000:00:20.0": {"netdev": "data0"}, "0c:42:a1:00:00:21": {"netdev": "data1"}},
        "routes": [
            {"family": 4, "to": "default", "via": "10.177.0.1", "dev": "data.300"},
            {"family": 4, "to": "10.176.0.0/16", "via": "10.176.0.1", "dev": "data"},
            {"family": 4, "to": "10.176.0.0/26", "via": None, "dev": "data"},
            {"family": 6, "to": "default", "via": "fd00::1", "dev": "data.300"},
        ],
        "passes": {"data": True, "data.300": True},
    }


def only(priority: int) -> list[bool]:
    return [each == priority for each in range(8)]


def roce_of_one(name: str) -> dict[str, Any]:
    knobs: dict[str, Any] = {
        "dcbx": "os",
        "dscp_to_priority": [{26: 3, 48: 6}.get(point, 0) for point in range(64)],
        "trust": "dscp",
        "pfc": only(3),
        "ets": {
            "prio_tc": [0, 0, 0, 3, 0, 0, 6, 0],
            "tc_tsa": ["ets", "strict", "strict", "ets", "strict", "strict", "strict", "strict"],
            "tc_bw": [40, 0, 0, 60, 0, 0, 0, 0],
        },
        "cable_m": 5,
        "buffer": {"buffer_bytes": [1] * 8, "priority_buffer": [0] * 8, "total_bytes": 8},
        "pause_rx": False,
        "pause_tx": False,
        "rdma_cm_mode": "RoCE v2",
        "rdma_cm_tos": 106,
        "traffic_class": 106,
        "ecn_np": only(3),
        "ecn_rp": only(3),
        "cnp_dscp": 48,
        "cnp_priority": 6,
        "active_mtu": 4096,
        "mtu_bytes": 9000,
        "virtual_functions": 0,
    }
    return {
        "netdev": name,
        "driver": "mlx5_core",
        "rdma_device": f"mlx5_{name[-1]}",
        "rdma_port": 1,
        **knobs,
        "source": dict.fromkeys(knobs, "sysfs"),
        "reason": {},
        "shown_by": {knob: f"show {knob} of {name}" for knob in knobs},
        "firmware": None,
    }


def nic_firmware(number: int) -> dict[str, Any]:
    """A card with every setting that the default variables ask for."""
    settings = {name: {"current": value, "next_boot": value} for name, value in FIRMWARE.items()}
    place = {"pci": f"0000:00:{0x10 + number:02x}.0", "driver": "mlx5_core", "version": "28.40.1000"}
    return {**place, "settings": settings, "reason": ""}


def drop(origin: list[str], target: list[str]) -> dict[str, Any]:
    """A rule as nft -j of nftables 1.0.6 prints it."""
    ends = (("iifname", origin), ("oifname", target))
    matches = [
        {
            "match": {
                "op": "==",
                "left": {"meta": {"key": key}},
                "right": values[0] if len(values) == 1 else {"set": values},
            }
        }
        for key, values in ends
    ]
    rule = {"family": "inet", "table": "gpufabric_plane_guard", "chain": "forward", "handle": 9}
    return {"rule": {**rule, "expr": [*matches, {"counter": "c"}, {"drop": None}]}}


def nft() -> list[dict[str, Any]]:
    planes = {"compute": RAILS, "business": ["ens4"], "management": ["ens3"]}
    chain = {"family": "inet", "table": "gpufabric_plane_guard", "name": "forward", "handle": 2}
    return [
        {"metainfo": {"version": "1.0.6"}},
        {"table": {"family": "inet", "name": "gpufabric_plane_guard", "handle": 1}},
        {"chain": {**chain, "type": "filter", "hook": "forward", "prio": -10, "policy": "accept"}},
        *(drop(one, other) for a, one in planes.items() for b, other in planes.items() if a != b),
    ]


def pci_of_one(number: int) -> dict[str, dict[str, Any]]:
    """A switch with a rail's NIC and its GPU: root port N0:01.0, its ports up and down, GPU N3:00.0, NIC N4:00.0."""
    bus = f"0000:{number + 1}"
    top = [f"{bus}0:01.0", f"{bus}1:00.0"]
    acs = {"source_validation": True, "request_redirect": False, "completion_redirect": False, "egress_control": False}
    link = {"speed_gt_s": 32.0, "lanes": 16, "max_speed_gt_s": 32.0, "max_lanes": 16}
    places = {
        "root port": top[:1],
        "upstream port": top,
        "gpu's port": [*top, f"{bus}2:00.0"],
        "nic's port": [*top, f"{bus}2:01.0"],
        "gpu": [*top, f"{bus}2:00.0", f"{bus}3:00.0"],
        "nic": [*top, f"{bus}2:01.0", f"{bus}4:00.0"],
    }
    return {
        path[-1]: {
            "path": path,
            "kernel_path": "/".join([path[0], *(each.rpartition(":")[2] for each in path[1:])]),
            "iommu": "identity",
            "known": "all",
            "link": dict(link),
            "read_request_bytes": 4096,
            "acs": dict(acs) if "'s port" in name else None,
            "ats": None,
        }
        for name, path in places.items()
    }


def pci() -> dict[str, Any]:
    ways = {name: {f"0000:{n}3:00.0": [f"0000:{n}2:01.0", f"0000:{n}2:00.0"]} for n, name in enumerate(RAILS, 1)}
    return {
        "gpus": {gpu: [name] for name, way in ways.items() for gpu in way},
        "rails": {
            name: {"nic": f"0000:{n}4:00.0", "gpus": list(ways[name]), "ways": ways[name]}
            for n, name in enumerate(RAILS, 1)
        },
        "nvswitches": [],
        "devices": {address: each for number in range(8) for address, each in pci_of_one(number).items()},
        "unpaired": "",
        "acs_elsewhere": [],
        "fabric": {"states": {"0000:13:00.0": "Completed, Success"}, "unknown": ""},
        "driver": {
            "version": "580.95.05",
            "open": True,
            "peermem": False,
            "packages": {"nvidia-open": "580.95.05-1"},
            "operator": False,
            "no_dma_buf": "",
            "wrong_fabric_manager": "",
            "bridges": ["0000:c4:00.0", "0000:c4:00.1"],
            "wrong_subnet_manager": "",
            "unlike": [],
            "not_held": [],
            "kernel": "6.1.0-30-amd64",
            "lockdown": "none",
        },
    }


def bmc(**changes: Any) -> dict[str, Any]:
    """What bmc_facts says of BMC on a Supermicro."""
    found: dict[str, Any] = {
        **BMC,
        "vendor": "Supermicro",
        "device": "/dev/ipmi0",
        "in_smbios": True,
        "modules": ["ipmi_si", "ipmi_devintf"],
        "host_interfaces": [],
        "has_tool": True,
        "vlan": None,
        "port_shown_by": "ipmitool raw 0x30 0x70 0x0c 0",
        "lan_reason": "",
        "port_reason": "",
    }
    return {**found, **changes}


def facts() -> dict[str, Any]:
    """Of a ConnectX host. ``gpufabric_plane_guard`` stands as the list that its stdout is to hold."""
    wanted = {
        "NCCL_IB_TC": "106",
        "NCCL_IB_FIFO_TC": "106",
        "NCCL_IB_ROCE_VERSION_NUM": "2",
        "NCCL_IB_TIMEOUT": "20",
        "NCCL_IB_RETRY_CNT": "7",
        "NCCL_SOCKET_IFNAME": "=ens4",
        "NCCL_CROSS_NIC": "2",
        "NCCL_PXN_DISABLE": "0",
        "NCCL_IB_HCA": "=" + ",".join(f"mlx5_{number}" for number in range(8)),
    }
    modules = ["mlx5_core", "mlx5_ib", "ib_uverbs", "ib_umad", "rdma_cm", "rdma_ucm"]
    active = {"state": "ACTIVE", "link_layer": "Ethernet"}
    return {
        "gpufabric_rails": rails(),
        "gpufabric_nic_firmware": {name: nic_firmware(number) for number, name in enumerate(RAILS)},
        "gpufabric_bonds": bonds(),
        "gpufabric_gateways": {
            name: {"asked": True, "answers": {f"10.{168 + number}.0.0": "02:00:00:00:00:01"}}
            for number, name in enumerate(RAILS)
        },
        "gpufabric_roce": {name: roce_of_one(name) for name in RAILS},
        "gpufabric_rdma": {
            "modules": {**dict.fromkeys(modules, "loaded"), "rdma_cm": "builtin"},
            "packages": {name: {"version": "44.0-2", "held": True} for name in [*PACKAGES, "mstflint"]},
            "vendor_stack": [],
            "mixed_stack": [],
            "by_distribution": [],
            "unbuilt": [],
            "doca": {"version": "", "wrong": [], "not_held": []},
            "devices": {f"mlx5_{name[-1]}": {"interface": name, **active} for name in RAILS},
            "namespaces": "shared",
            "soft_roce_kept": [],
        },
        "gpufabric_nccl": {
            "settings": {
                name: {"name": name, "value": value, "file": "/etc/nccl.conf", "line": place, "managed": True}
                for place, (name, value) in enumerate(wanted.items(), 2)
            }
            | {
                name: {"name": name, "value": str(value), "file": "/etc/environment", "line": place, "managed": True}
                for place, (name, value) in enumerate(environment(106).items(), 3)
            },
            "hcas": {name: f"mlx5_{name[-1]}" for name in RAILS},
            "contradictions": [],
        },
        "gpufabric_kernel": {
            "cmdline": f"BOOT_IMAGE=/vmlinuz {ARGUMENTS}",
            "cmdline_next_boot": ARGUMENTS,
            "sysctl": {"vm.swappiness": "10", "kernel.numa_balancing": "0"},
            "limits": [
                {"domain": "*", "type": "-", "item": "memlock", "value": "64", "file": "/etc/security/limits.conf"},
                {"domain": "*", "type": "-", "item": "memlock", "value": "unlimited", "file": "limits.d"},
                {"domain": "root", "type": "-", "item": "memlock", "value": "unlimited", "file": "limits.d"},
            ],
            "tuned_profile": None,
            "processors": {
                "online": "0-7",
                "governors": ["performance"],
                "idle_states": [
                    {"name": "POLL", "latency_us": 0, "disabled": False},
                    {"name": "C6", "latency_us": 133, "disabled": True},
                ],
            },
            "rails": {
                name: {"exists": True, "numa_node": 0, "interrupts": [{"irq": 40, "cpus": "0-1"}]} for name in RAILS
            },
            "nodes": [
                {
                    "node": 0,
                    "cpus": "0-3",
                    "pools": [{"size_kib": 2048, "total": 64}, {"size_kib": 1048576, "total": 1}],
                },
                {"node": 1, "cpus": "4-7", "pools": []},
            ],
            "hugetlbfs": [{"path": f"/dev/hugepages{size}", "options": "rw"} for size in ("", "2M", "1G")],
        },
        "gpufabric_pci": pci(),
        "gpufabric_plane_guard": nft(),
        "gpufabric_bmc": bmc(),
        "gpufabric_infiniband": {"mlx5_8/1": infiniband_port()},
        "gpufabric_units": {"rc": 0, "stdout": UNITS, "stderr": ""},
    }
