"""Stand-in for ibv_devinfo -d DEVICE, in the shape of tests/recorded/ibv_devinfo."""

from __future__ import annotations

import sys

from nic_state import folder, log_call, not_recorded, read_nic


def main(words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call("ibv_devinfo", words)
    if len(words) != 2 or words[0] != "-d":
        not_recorded("ibv_devinfo", *words)
    for path in sorted((folder() / "nics").glob("*.json")):
        nic = read_nic(path)
        if nic.get("rdma_device") == words[1]:
            show(words[1], nic)
            return 0
    print(f"IB device '{words[1]}' wasn't found", file=sys.stderr)
    return 255


def show(device: str, nic: dict) -> None:
    sizes = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
    print(f"hca_id:\t{device}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t26.43.2566\n\tphys_port_cnt:\t\t\t1")
    print("\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)")
    print(f"\t\t\tactive_mtu:\t\t{nic['active_mtu']} ({sizes[nic['active_mtu']]})")
    print("\t\t\tsm_lid:\t\t\t0\n\t\t\tport_lid:\t\t0\n\t\t\tport_lmc:\t\t0x00\n\t\t\tlink_layer:\t\tEthernet\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
