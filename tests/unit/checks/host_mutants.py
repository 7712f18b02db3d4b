"""Every single way in which the right host can be wrong in one knob: what is changed, and which knob must be named."""

from collections.abc import Callable
from typing import Any

from tests.unit.checks.bond_mutants import MUTANTS as OF_BONDS
from tests.unit.checks.right_host import ARGUMENTS, RAILS, UNITS, drop, only

Change = Callable[[dict[str, Any]], object]


def rail(found: dict[str, Any], number: int) -> dict[str, Any]:
    return found["gpufabric_rails"]["rails"][f"0000:00:{0x10 + number:02x}.0"]


def roce(found: dict[str, Any], **changes: Any) -> None:
    found["gpufabric_roce"]["rail2"].update(changes)


def code_point(point: int) -> Change:
    def change(found: dict[str, Any]) -> None:
        found["gpufabric_roce"]["rail2"]["dscp_to_priority"][point] = 5

    return change


def ets(part: str, place: int, value: object) -> Change:
    def change(found: dict[str, Any]) -> None:
        found["gpufabric_roce"]["rail2"]["ets"][part][place] = value

    return change


def setting(name: str, value: str) -> Change:
    return lambda found: found["gpufabric_nccl"]["settings"][name].update(value=value)


def firmware(name: str, **moments: int) -> Change:
    """Another value of a setting of rail2's NIC, now or at its next start."""
    return lambda found: found["gpufabric_nic_firmware"]["rail2"]["settings"][name].update(moments)


def guard(place: int, rule: dict[str, Any] | None) -> Change:
    """Another rule in the place of one, or none."""

    def change(found: dict[str, Any]) -> None:
        found["gpufabric_plane_guard"][place : place + 1] = [rule] if rule else []

    return change


def gpu_driver(**changes: Any) -> Change:
    return lambda found: found["gpufabric_pci"]["driver"].update(changes)


def nic(**changes: Any) -> Change:
    """Another NIC of rail2."""
    return lambda found: found["gpufabric_pci"]["devices"]["0000:34:00.0"].update(changes)


def nic_link(**changes: Any) -> Change:
    return lambda found: found["gpufabric_pci"]["devices"]["0000:34:00.0"]["link"].update(changes)


def nics_port(bit: str) -> Change:
    """A bit of the ACS control of the switch's port above rail2's NIC."""
    return lambda found: found["gpufabric_pci"]["devices"]["0000:32:01.0"]["acs"].update({bit: True})


def set_name(netdev: str, **changes: Any) -> dict[str, Any]:
    """What rail_facts says of a set-name of netplan's."""
    place = {"file": "/etc/netplan/50-cloud-init.yaml", "line": 9, "key": "network.ethernets.ens17.set-name"}
    return {"by": "netplan", **place, "name": "ens17", "netdevs": [netdev], "kept": "", "certain": True, **changes}


def kernel(found: dict[str, Any], part: str) -> Any:
    return found["gpufabric_kernel"][part]


def infiniband(**changes: Any) -> Change:
    return lambda found: found["gpufabric_infiniband"]["mlx5_8/1"].update(changes)


MUTANTS: dict[str, tuple[Change, str]] = {
    "a VPI port set to Ethernet": (infiniband(link_layer="Ethernet"), "infiniband: mlx5_8/1 link layer"),
    "no cable to InfiniBand": (infiniband(physical="Polling"), "infiniband: mlx5_8/1 physical"),
    "an InfiniBand port in INIT": (infiniband(state="INIT"), "infiniband: mlx5_8/1 state"),
    "no subnet manager came by": (infiniband(sm_lid=0), "infiniband: mlx5_8/1 subnet manager"),
    "a port of HDR": (infiniband(rate_gbps=200.0, speed="HDR"), "infiniband: mlx5_8/1 rate_gbps"),
    "three lanes lost": (infiniband(width=1), "infiniband: mlx5_8/1 width"),
    "a limited member": (infiniband(partitions=["0x0001", "0xffff"]), "infiniband: mlx5_8/1 partitions"),
    "a cable with errors": (infiniband(errors={"symbol_error": 11}), "infiniband: mlx5_8/1 errors"),
    "a BMC without a lease": (lambda f: f["gpufabric_bmc"].update(address="0.0.0.0"), "bmc: address"),
    "another board's BMC": (lambda f: f["gpufabric_bmc"].update(mac="0c:42:a1:00:01:02"), "bmc: MAC address"),
    "a BMC on a port of its host": (lambda f: f["gpufabric_bmc"].update(port="shared"), "bmc: port"),
    "another name": (
        lambda f: (rail(f, 1).update(netdev="ens9"), f["gpufabric_rails"]["sysctl"].update(ens9={"rp_filter": 2})),
        "rails: rail1 name",
    ),
    "another name at the next boot": (
        lambda f: f["gpufabric_rails"]["names"].append(set_name("rail1")),
        "rails: rail1 name after a boot",
    ),
    "down": (lambda f: rail(f, 1).update(up=False), "rails: rail1 link"),
    "no cable": (lambda f: rail(f, 1).update(carrier=False), "rails: rail1 link"),
    "small MTU": (lambda f: rail(f, 1).update(mtu_bytes=1500), "rails: rail1 mtu_bytes"),
    "another address": (lambda f: rail(f, 1).update(addresses=["10.169.0.9/31"]), "rails: rail1 address"),
    "another prefix length": (lambda f: rail(f, 1).update(addresses=["10.169.0.1/24"]), "rails: rail1 address"),
    "one address too many": (lambda f: rail(f, 1)["addresses"].append("192.0.2.1/24"), "rails: rail1 address"),
    "no route of the rail": (lambda f: f["gpufabric_rails"]["routes"]["main"].pop(2), "rails: rail1 route of the rail"),
    "route of the rail by another": (
        lambda f: f["gpufabric_rails"]["routes"]["main"][2].update(via="10.168.0.0"),
        "rails: rail1 route of the rail",
    ),
    "no table": (lambda f: f["gpufabric_rails"]["routes"].pop("101"), "rails: rail1 route of its table"),
    "table on another rail": (
        lambda f: f["gpufabric_rails"]["routes"]["101"][0].update(dev="rail0"),
        "rails: rail1 route of its table",
    ),
    "no rule": (lambda f: f["gpufabric_rails"]["rules"].pop(1), "rails: rail1 rule"),
    "rule where it used to be": (
        lambda f: f["gpufabric_rails"]["rules"][1].update(priority=1001),
        "rails: rail1 rule",
    ),
    "rule after the main table": (
        lambda f: f["gpufabric_rails"]["rules"][1].update(priority=32800),
        "rails: rail1 rule",
    ),
    "another rule before it": (
        lambda f: f["gpufabric_rails"]["rules"].append(
            {"priority": 5, "from": "10.169.0.1", "table": "main", "selectors": [], "protocol": "0"}
        ),
        "rails: rail1 rule",
    ),
    "cable in nobody's port": (
        lambda f: f["gpufabric_gateways"]["rail1"].update(answers={}),
        "cabling: rail1 gateway",
    ),
    "strict filter": (lambda f: f["gpufabric_rails"]["sysctl"]["rail1"].update(rp_filter=1), "rails: rail1 rp_filter"),
    "an InfiniBand port": (firmware("LINK_TYPE", current=1), "firmware: rail2 LINK_TYPE now"),
    "an InfiniBand port later": (firmware("LINK_TYPE", next_boot=1), "firmware: rail2 LINK_TYPE at the next start"),
    "a DPU": (
        firmware("INTERNAL_CPU_OFFLOAD_ENGINE", current=0),
        "firmware: rail2 INTERNAL_CPU_OFFLOAD_ENGINE now",
    ),
    "a DPU later": (
        firmware("INTERNAL_CPU_OFFLOAD_ENGINE", next_boot=0),
        "firmware: rail2 INTERNAL_CPU_OFFLOAD_ENGINE at the next start",
    ),
    "firmware's DCBX": (lambda f: roce(f, dcbx="firmware"), "roce: rail2 dcbx"),
    "trust in priorities": (lambda f: roce(f, trust="pcp"), "roce: rail2 trust"),
    "PFC off": (lambda f: roce(f, pfc=[False] * 8), "roce: rail2 pfc"),
    "PFC on another": (lambda f: roce(f, pfc=only(4)), "roce: rail2 pfc"),
    "PFC on two": (lambda f: roce(f, pfc=[a or b for a, b in zip(only(3), only(4), strict=True)]), "roce: rail2 pfc"),
    "another weight": (ets("tc_bw", 3, 50), "roce: rail2 ets"),
    "strict data": (ets("tc_tsa", 3, "strict"), "roce: rail2 ets"),
    "weighted notifications": (ets("tc_tsa", 6, "ets"), "roce: rail2 ets"),
    "data with the rest": (ets("prio_tc", 3, 0), "roce: rail2 ets"),
    "global pause in": (lambda f: roce(f, pause_rx=True), "roce: rail2 pause_rx"),
    "global pause out": (lambda f: roce(f, pause_tx=True), "roce: rail2 pause_tx"),
    "another cable": (lambda f: roce(f, cable_m=7), "roce: rail2 cable_m"),
    "RoCE v1": (lambda f: roce(f, rdma_cm_mode="IB/RoCE v1"), "roce: rail2 rdma_cm_mode"),
    "RDMA-CM without ECT": (lambda f: roce(f, rdma_cm_tos=104), "roce: rail2 rdma_cm_tos"),
    "RDMA-CM with the DSCP": (lambda f: roce(f, rdma_cm_tos=26), "roce: rail2 rdma_cm_tos"),
    "verbs unmarked": (lambda f: roce(f, traffic_class=0), "roce: rail2 traffic_class"),
    "verbs never set": (lambda f: roce(f, traffic_class=None), "roce: rail2 traffic_class"),
    "no notifications": (lambda f: roce(f, ecn_np=[False] * 8), "roce: rail2 ecn_np"),
    "no reaction": (lambda f: roce(f, ecn_rp=only(0)), "roce: rail2 ecn_rp"),
    "CNP with another DSCP": (lambda f: roce(f, cnp_dscp=4), "roce: rail2 cnp_dscp"),
    "CNP in another priority": (lambda f: roce(f, cnp_priority=3), "roce: rail2 cnp_priority"),
    "a virtual function": (lambda f: roce(f, virtual_functions=1), "roce: rail2 virtual_functions"),
    "small RoCE MTU": (lambda f: roce(f, active_mtu=1024), "roce: rail2 active_mtu"),
    "module not loaded": (
        lambda f: f["gpufabric_rdma"]["modules"].update(rdma_ucm="available"),
        "rdma: rdma_ucm module",
    ),
    "package gone": (lambda f: f["gpufabric_rdma"]["packages"].pop("perftest"), "rdma: perftest package"),
    "package not held": (
        lambda f: f["gpufabric_rdma"]["packages"]["perftest"].update({"held": False}),
        "rdma: perftest package",
    ),
    "packages of two builds": (
        lambda f: f["gpufabric_rdma"].update(mixed_stack=["libibverbs1 44.0-2"]),
        "rdma: packages of rdma-core",
    ),
    "device down": (lambda f: f["gpufabric_rdma"]["devices"]["mlx5_4"].update(state="DOWN"), "rdma: rail4 RDMA device"),
    "no device": (lambda f: f["gpufabric_rdma"]["devices"].pop("mlx5_4"), "rdma: rail4 RDMA device"),
    "few pages": (
        lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"][0].update(total=63),
        "hugepages: node 0 pages of 2M",
    ),
    "no huge page": (
        lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"][1].update(total=0),
        "hugepages: node 0 pages of 1G",
    ),
    "no such pages": (lambda f: f["gpufabric_kernel"]["nodes"][0]["pools"].pop(), "hugepages: node 0 pages of 1G"),
    "no mount": (lambda f: f["gpufabric_kernel"]["hugetlbfs"].pop(), "hugepages: 1G mount"),
    "no boot argument": (
        lambda f: f["gpufabric_kernel"].update(cmdline=ARGUMENTS.replace("hugepages=0:1 ", "")),
        "hugepages: kernel argument hugepagesz=1G hugepages=0:1",
    ),
    "traffic class 41": (setting("NCCL_IB_TC", "41"), "nccl: NCCL_IB_TC"),
    "prefix match": (setting("NCCL_IB_HCA", "mlx5"), "nccl: NCCL_IB_HCA"),
    "bootstrap on a rail": (setting("NCCL_SOCKET_IFNAME", "=rail0"), "nccl: NCCL_SOCKET_IFNAME"),
    "PXN off": (setting("NCCL_PXN_DISABLE", "1"), "nccl: NCCL_PXN_DISABLE"),
    "cross NIC": (setting("NCCL_CROSS_NIC", "1"), "nccl: NCCL_CROSS_NIC"),
    "RoCE v1 for NCCL": (setting("NCCL_IB_ROCE_VERSION_NUM", "1"), "nccl: NCCL_IB_ROCE_VERSION_NUM"),
    "short timeout": (setting("NCCL_IB_TIMEOUT", "14"), "nccl: NCCL_IB_TIMEOUT"),
    "no retries": (setting("NCCL_IB_RETRY_CNT", "0"), "nccl: NCCL_IB_RETRY_CNT"),
    "UCX unmarked": (
        lambda f: f["gpufabric_nccl"]["settings"].pop("UCX_IB_TRAFFIC_CLASS"),
        "nccl: UCX_IB_TRAFFIC_CLASS traffic class",
    ),
    "mori in hexadecimal": (setting("MORI_RDMA_TC", "0x6a"), "nccl: MORI_RDMA_TC traffic class"),
    "control unmarked": (lambda f: f["gpufabric_nccl"]["settings"].pop("NCCL_IB_FIFO_TC"), "nccl: NCCL_IB_FIFO_TC"),
    "pinned GID": (
        lambda f: f["gpufabric_nccl"]["contradictions"].append({"sentence": "/etc/environment:1: NCCL_IB_GID_INDEX=3"}),
        "nccl: contradictions",
    ),
    "one pair open": (guard(3, None), "plane_guard: compute to business forwarding"),
    "rule of fewer rails": (guard(3, drop(RAILS[:7], ["ens4"])), "plane_guard: compute to business forwarding"),
    "another hook": (lambda f: f["gpufabric_plane_guard"][2]["chain"].update(hook="input"), "plane_guard: chain"),
    "after the CNI": (lambda f: f["gpufabric_plane_guard"][2]["chain"].update(prio=10), "plane_guard: chain"),
    "a rule that accepts": (
        lambda f: f["gpufabric_plane_guard"].append({"rule": {"chain": "forward", "expr": [{"accept": None}]}}),
        "plane_guard: other rules",
    ),
    "service not enabled": (
        lambda f: f["gpufabric_units"].update(
            stdout=UNITS.replace("roce-qos.service enabled", "roce-qos.service disabled")
        ),
        "boot: gpufabric-roce-qos.service service",
    ),
    "another sysctl": (lambda f: kernel(f, "sysctl").update({"vm.swappiness": "60"}), "host_tuning: vm.swappiness"),
    "pages move": (
        lambda f: kernel(f, "sysctl").update({"kernel.numa_balancing": "1"}),
        "host_tuning: kernel.numa_balancing",
    ),
    "a later limit": (
        lambda f: kernel(f, "limits").append({"domain": "*", "type": "hard", "item": "memlock", "value": "1"}),
        "host_tuning: * limit memlock",
    ),
    "no limit of root": (lambda f: kernel(f, "limits").pop(), "host_tuning: root limit memlock"),
    "one processor saves power": (
        lambda f: kernel(f, "processors")["governors"].append("powersave"),
        "host_tuning: governor",
    ),
    "slow idle state on": (
        lambda f: kernel(f, "processors")["idle_states"][1].update(disabled=False),
        "host_tuning: idle states",
    ),
    "fast idle state off": (
        lambda f: kernel(f, "processors")["idle_states"][0].update(disabled=True),
        "host_tuning: idle states",
    ),
    "no iommu=pt": (
        lambda f: f["gpufabric_kernel"].update(
            cmdline=f["gpufabric_kernel"]["cmdline"].replace("iommu=pt", "iommu=on")
        ),
        "host_tuning: kernel argument iommu=pt",
    ),
    "interrupt on another node": (
        lambda f: kernel(f, "rails")["rail6"]["interrupts"].append({"irq": 41, "cpus": "4"}),
        "host_tuning: rail6 interrupts",
    ),
    "interrupt on an isolated processor": (
        lambda f: kernel(f, "rails")["rail6"]["interrupts"][0].update(cpus="0-3"),
        "host_tuning: rail6 interrupts",
    ),
    "GPU nearer to another rail": (
        lambda f: f["gpufabric_pci"]["gpus"].update({"0000:33:00.0": ["rail3"]}),
        "gpudirect: rail2 GPU",
    ),
    "GPU behind another root port": (
        lambda f: f["gpufabric_pci"]["gpus"].update({"0000:33:00.0": []}),
        "gpudirect: rail2 GPU",
    ),
    "half of the lanes": (nic_link(lanes=8), "gpudirect: rail2 PCI Express link"),
    "half of the speed": (nic_link(speed_gt_s=16.0), "gpudirect: rail2 PCI Express link"),
    "link down": (nic(link=None), "gpudirect: rail2 PCI Express link"),
    "small read requests": (nic(read_request_bytes=512), "gpudirect: rail2 largest read request"),
    "ATS on": (nic(ats=True), "gpudirect: rail2 ATS"),
    "IOMMU translates": (nic(iommu="DMA-FQ"), "gpudirect: rail2 IOMMU"),
    "IOMMU translates for the GPU": (
        lambda f: f["gpufabric_pci"]["devices"]["0000:33:00.0"].update(iommu="DMA"),
        "gpudirect: rail2 IOMMU",
    ),
    "requests redirected": (nics_port("request_redirect"), "gpudirect: rail2 ACS redirect"),
    "completions redirected": (nics_port("completion_redirect"), "gpudirect: rail2 ACS redirect"),
    "egress controlled": (nics_port("egress_control"), "gpudirect: rail2 ACS redirect"),
    "ACS argument cut at its first semicolon": (
        lambda f: f["gpufabric_kernel"].update(cmdline_next_boot=ARGUMENTS.partition(";")[0]),
        "gpudirect: ACS redirect after a boot",
    ),
    "another ACS argument behind it": (
        lambda f: f["gpufabric_kernel"].update(cmdline_next_boot=ARGUMENTS + " pci=disable_acs_redir=0000:10:01.0"),
        "gpudirect: ACS redirect after a boot",
    ),
    "driver of another branch": (gpu_driver(version="570.158.01"), "gpudirect: NVIDIA driver"),
    "closed modules": (
        gpu_driver(no_dma_buf="the closed kernel modules of 580.95.05 are loaded"),
        "gpudirect: way to GPU memory",
    ),
    "fabric manager stopped": (gpu_driver(wrong_fabric_manager="not running"), "gpudirect: fabric manager"),
    "NVLSM stopped": (gpu_driver(wrong_subnet_manager="not running"), "gpudirect: NVLink subnet manager"),
    "GPUs not joined": (
        lambda f: f["gpufabric_pci"]["fabric"]["states"].update({"0000:23:00.0": "In Progress, N/A"}),
        "gpudirect: NVLink fabric",
    ),
    "a library of another version": (
        gpu_driver(unlike=["libnvidia-compute-580 580.105.08"]),
        "gpudirect: versions of driver packages",
    ),
    "a kernel that is not on hold": (
        gpu_driver(not_held=["linux-image-generic"]),
        "gpudirect: packages of driver and kernel",
    ),
}
MUTANTS |= {f"code point {point}": (code_point(point), "roce: rail2 dscp_to_priority") for point in range(64)}
MUTANTS |= {
    f"without {argument}": (
        lambda f, argument=argument: f["gpufabric_kernel"].update(cmdline=ARGUMENTS.replace(f" {argument}", "")),
        f"host_tuning: kernel argument {argument}",
    )
    for argument in ("iommu=pt", "isolcpus=managed_irq,domain,2-3", "nohz_full=2-3", "rcu_nocbs=2-3")
}
MUTANTS |= {
    f"bond: {name}": (lambda f, change=change: change(f["gpufabric_bonds"]), f"bonds: {expected}")
    for name, (change, expected) in OF_BONDS.items()
}
