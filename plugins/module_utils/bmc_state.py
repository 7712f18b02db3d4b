"""A host's BMC as the host sees it: its address, and whether it has a port of its own.

Standard library only (it runs on hosts, Python 3.9). Everything is read by the host's own way to its BMC (KCS or SSIF),
nothing over the network and without a password; nothing is changed.

Which port a BMC uses is said by each vendor's own command, and by no standard one:
- Supermicro: ``ipmitool raw 0x30 0x70 0x0c 0`` answers 00 dedicated, 01 shared, 02 failover (Supermicro FAQ 21386).
- Dell: ``ipmitool delloem lan get`` answers in words that begin with "dedicated" or "shared" (ipmitool
  lib/ipmi_delloem.c).
Of any other vendor it is not known. Failover counts as shared: without a carrier at its own port the BMC takes the
host's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Run = Callable[[Sequence[str]], "tuple[int, str, str]"]
"""Command -> exit code, output, errors."""

DEVICES = ("dev/ipmi0", "dev/ipmi/0", "dev/ipmidev/0")
"""Where ipmitool looks for the kernel's way to the BMC (ipmitool src/plugins/open/open.c)."""
MODULES = ("ipmi_si", "ipmi_ssif", "ipmi_devintf", "acpi_ipmi")
USB_LAN = ("cdc_ether", "cdc_ncm", "rndis_host")
"""Drivers of the network interface by which a BMC offers its host Redfish (DSP0270, Redfish Host Interface)."""
LAN = ("ipmitool", "lan", "print")
SUPERMICRO = ("ipmitool", "raw", "0x30", "0x70", "0x0c", "0")
DELL = ("ipmitool", "delloem", "lan", "get")
MODES = {"00": "dedicated", "01": "shared", "02": "shared"}


def text(path: Path) -> str | None:
    """The file's text without blanks around it; None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def collect(root: Path, run: Run | None) -> dict[str, Any]:
    """All that the host knows. ``run``: None where there is no ipmitool."""
    device = next((f"/{each}" for each in DEVICES if (root / each).exists()), None)
    vendor = text(root / "sys/class/dmi/id/sys_vendor") or ""
    found: dict[str, Any] = {
        "vendor": vendor,
        "device": device,
        "in_smbios": any(root.glob("sys/firmware/dmi/entries/38-*")),
        "modules": [each for each in MODULES if (root / "sys/module" / each).exists()],
        "host_interfaces": host_interfaces(root),
        "has_tool": run is not None,
        "address": None,
        "mac": None,
        "vlan": None,
        "port": None,
        "port_shown_by": "",
        "lan_reason": "",
        "port_reason": "",
    }
    if device is not None and run is not None:
        code, out, err = run(LAN)
        found.update(lan(out) if code == 0 else {"lan_reason": problem(LAN, err)})
        found.update(port(vendor, run))
    return found


def host_interfaces(root: Path) -> list[dict[str, str]]:
    """Network interfaces to the BMC over USB: name and driver. Others with such a driver look the same."""
    found = []
    for path in sorted(root.glob("sys/class/net/*")):
        driver = (path / "device" / "driver").resolve().name
        if driver in USB_LAN:
            found.append({"name": path.name, "driver": driver})
    return found


def lan(output: str) -> dict[str, str | None]:
    """Rows of ``ipmitool lan print``."""
    rows = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in output.splitlines())}
    vlan = rows.get("802.1q VLAN ID", "")
    return {
        "address": rows.get("IP Address"),
        "mac": rows.get("MAC Address", "").lower() or None,
        "vlan": vlan if vlan.isdigit() else None,
    }


def port(vendor: str, run: Run) -> dict[str, str | None]:
    """``port`` is dedicated or shared; None with a reason where it cannot be told."""
    if re.match(r"super\s?micro", vendor, re.IGNORECASE):
        command, modes = SUPERMICRO, MODES
    elif vendor.lower().startswith("dell"):
        command, modes = DELL, {"dedicated": "dedicated", "shared": "shared"}
    else:
        maker = vendor or "an unknown vendor"
        return {"port_reason": f"no command is known that tells the BMC's port on a host of {maker}"}
    code, out, err = run(command)
    shown_by, words = " ".join(command), out.lower().split()
    if code != 0:
        return {"port_shown_by": shown_by, "port_reason": problem(command, err)}
    mode = modes.get(words[0]) if words else None
    reason = "" if mode else f"{shown_by} answers {out.strip()!r}"
    return {"port": mode, "port_shown_by": shown_by, "port_reason": reason}


def problem(command: Sequence[str], errors: str) -> str:
    """The first line of what a command complains of."""
    return f"{' '.join(command)}: {(errors.strip().splitlines() or ['it failed without a word'])[0]}"
