"""Stand-in for mlxfwreset (and mstfwreset): ``-d PCI -y reset`` of a card, all of whose ports begin anew."""

from __future__ import annotations

import sys
from pathlib import Path

from nic_state import KEPT, changed, factory, folder, log_call, not_recorded
from standin_mlxconfig import interface_at

ONLY_POWER = ("INTERNAL_CPU_OFFLOAD_ENGINE",)


def main(tool: str, words: list[str]) -> int:
    """What the firmware was told holds; what its driver kept is gone. ``reset_fails`` of a NIC: nothing took."""
    log_call(tool, words)
    device = words[words.index("-d") + 1] if "-d" in words[:-1] else ""
    if sorted(words) != sorted(["-d", device, "-y", "reset"]):
        not_recorded(tool, *words)
    name = interface_at(device)
    if not name:
        print(f'-E- Failed to open device: "{device}", No such file or directory', file=sys.stderr)
        return 1
    short = device.removeprefix("0000:")
    print(f"\nMinimal reset level for device, {short}:\n\n3: Driver restart and PCI reset\nContinue with reset?[y/N] y")
    card = device.rpartition(".")[0].removeprefix("0000:")
    for path in sorted((folder() / "nics").glob("*.json")):
        with changed(path) as nic:
            if nic["pci"].rpartition(".")[0].removeprefix("0000:") == card and not nic.get("reset_fails"):
                begin_anew(path, nic)
    for step in ("Sending Reset Command To Fw", "Stopping Driver", "Resetting PCI", "Starting Driver"):
        print(f"-I- {step:<40}-Done")
    print(f"-I- {'Restarting MST':<40}-Skipped\n-I- FW was loaded successfully.")
    return 0


def begin_anew(path: Path, nic: dict) -> None:
    """As a reload of the driver, for this card alone."""
    kept = {key: nic[key] for key in KEPT if key in nic}
    waits = {name: nic["firmware"][name] for name in ONLY_POWER if name in nic["firmware"]}
    firmware = {"firmware": {**nic["firmware_next"], **waits}, "firmware_next": nic["firmware_next"]}
    driver = nic["driver"]
    nic.clear()
    nic.update({**factory(driver), **kept, **firmware})
    device = nic.get("rdma_device") or path.stem
    for values in (folder() / "values").glob("*"):
        if f"!{path.stem}!" in values.name or f"!{device}!" in values.name or nic["pci"] in values.name:
            values.unlink()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[0]).name, sys.argv[1:]))
