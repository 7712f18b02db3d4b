"""Stand-in for mlxconfig (and mstconfig): query, with and without -e, and set with -y, of the recorded names."""

from __future__ import annotations

import sys
from pathlib import Path

from nic_state import FACTORY_FIRMWARE, OF_THE_FUNCTION, PROGRAMMABLE, Nic, folder, log_call, not_recorded, read_nic

SPELT = {
    "LLDP_NB_RX_MODE": ("OFF(0)", "", "ALL(2)"),
    "LLDP_NB_TX_MODE": ("OFF(0)", "", "ALL(2)"),
    **dict.fromkeys(("LLDP_NB_DCBX", "DCBX_IEEE", "DCBX_CEE", "DCBX_WILLING"), ("False(0)", "True(1)")),
    **dict.fromkeys(("SRIOV_EN", "ROCE_ADAPTIVE_ROUTING_EN", "ROCE_CC_LEGACY_DCQCN"), ("False(0)", "True(1)")),
    **dict.fromkeys(("ATS_ENABLED", "USER_PROGRAMMABLE_CC"), ("False(0)", "True(1)")),
    "LINK_TYPE": ("", "IB(1)", "ETH(2)"),
    "PCI_WR_ORDERING": ("per_mkey(0)", "force_relax(1)"),
    "INTERNAL_CPU_OFFLOAD_ENGINE": ("ENABLED(0)", "DISABLED(1)"),
}
OF_THE_CARD = (*OF_THE_FUNCTION, *PROGRAMMABLE, "INTERNAL_CPU_OFFLOAD_ENGINE")
"""Names without a port."""


def main(tool: str, words: list[str]) -> int:
    """Exit code as the real tool's: 0, or 3 with -E- and the words."""
    log_call(tool, words)
    left, device, verbose, yes = list(words), "", False, False
    while left and left[0].startswith("-"):
        flag = left.pop(0)
        if flag == "-d" and left:
            device = left.pop(0)
        elif flag in ("-e", "-y"):
            verbose, yes = verbose or flag == "-e", yes or flag == "-y"
        else:
            not_recorded(tool, *words)
    verb, *names = left or [""]
    if verb not in ("q", "query", "s", "set") or not device or (verb in ("s", "set")) != bool(names and yes):
        not_recorded(tool, *words)
    name = interface_at(device)
    if not name:
        return not_opened()
    with Nic(name).opened() as nic:
        if nic.state["locked_down"]:  # tests/recorded/mlxconfig/locked_down.txt
            return not_opened()
        port = int(device.rpartition(".")[2] or 0) + 1
        return query(nic, device, port, verbose) if verb in ("q", "query") else put(tool, nic, port, names)


def not_opened() -> int:
    print("-E- Failed to open the device")
    return 3


def interface_at(device: str) -> str | None:
    """The interface at this PCI address, with or without the domain."""
    for path in sorted((folder() / "nics").glob("*.json")):
        nic = read_nic(path)
        if nic["driver"] == "mlx5_core" and nic["pci"] in (device, f"0000:{device}"):
            return path.stem
    return None


def query(nic: Nic, device: str, port: int, verbose: bool) -> int:
    print(
        "\nDevice #1:\n----------\n\nDevice type:        ConnectX7           \nName:               stand-in            "
    )
    print(f"Description:        stand-in\nDevice:             {device}\n")
    if verbose:
        print(f"{'Configurations:':<52}{'Default':<21}{'Current':<21}{'Next Boot':<20}")
    else:
        print(f"{'Configurations:':<57}Next Boot")
    for name, at_next_boot in nic.state["firmware_next"].items():
        values = [at_next_boot]
        if verbose:
            values = [nic.state["factory_firmware"][name], nic.state["firmware"][name], at_next_boot]
        row = f"        {spelt(name, port):<44}" + "".join(f"{each:<21}" for each in values[:-1])
        print(f"{row}{values[-1]:<20}")
    return 0


def spelt(name: str, port: int) -> str:
    return name if name in OF_THE_CARD else f"{name}_P{port}"


def put(tool: str, nic: Nic, port: int, names: list[str]) -> int:
    """Takes the value for the next boot; ``standin_host reset`` is the reboot."""
    changed = {}
    for each in names:
        name, _, value = each.partition("=")
        bare = name.removesuffix(f"_P{port}")
        known = FACTORY_FIRMWARE.keys() | nic.state["factory_firmware"].keys()
        if bare not in known or spelt(bare, port) != name or not value.isdigit():
            not_recorded(tool, "set", each)
        choices = SPELT.get(bare)
        if choices and (int(value) >= len(choices) or not choices[int(value)]):
            not_recorded(tool, "set", each)
        changed[bare] = choices[int(value)] if choices else value
    print("\nDevice #1:\n----------\n")
    print(f"{'Configurations:':<45}{'Next Boot':<16}New")
    for bare, value in changed.items():
        print(f"         {spelt(bare, port):<36}{nic.state['firmware_next'][bare]:<16}{value:<16}")
    nic.state["firmware_next"].update(changed)
    print("\n Apply new Configuration? (y/n) [n] : y\nApplying... Done!")
    print("-I- Please reboot machine to load new configurations.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[0]).name, sys.argv[1:]))
