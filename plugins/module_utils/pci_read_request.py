#!/usr/bin/env python3
"""Set the largest read request of NICs, and read it back.

With small ones a NIC asks for a message in many more pieces, and waits for each across the switches. The register keeps
its value until the device is reset or the host boots.

Standard library only. Used by the Ansible module pci_read_request, and by itself as a service at boot:
`pci_read_request.py BYTES INTERFACE...`, beside pci_config.py.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.pci_config import (
        DEVICE_CONTROL,
        express_offset,
        read_request_bytes,
        with_read_request,
    )
except ImportError:  # as a service, and in a test
    from pci_config import DEVICE_CONTROL, express_offset, read_request_bytes, with_read_request


def _control(config: Path) -> tuple[int, int]:
    """(offset, value) of the Device Control register. OSError without an Express capability that can be seen."""
    content = config.read_bytes()
    express = express_offset(content)
    if express is None:
        message = "no Express capability to be seen; this needs root"
        raise OSError(None, message)
    offset = express + DEVICE_CONTROL
    return offset, int.from_bytes(content[offset : offset + 2], "little")


def set_one(config: Path, size_bytes: int, check_only: bool) -> int | None:
    """The size before, if it was another one. OSError if the kernel or the device does not take it."""
    offset, control = _control(config)
    before = read_request_bytes(control)
    if before == size_bytes:
        return None
    if not check_only:
        with config.open("r+b", buffering=0) as space:
            space.seek(offset)
            space.write(with_read_request(control, size_bytes).to_bytes(2, "little"))
        after = read_request_bytes(_control(config)[1])
        if after != size_bytes:
            message = f"the device keeps {after} bytes"
            raise OSError(None, message)
    return before


def apply(devices: Sequence[Path], size_bytes: int, check_only: bool) -> tuple[list[str], list[str]]:
    """(set, or to be set; refused), a sentence each. ``devices``: folders of sysfs."""
    done, refused = [], []
    for device in devices:
        try:
            before = set_one(device / "config", size_bytes, check_only)
        except OSError as error:
            refused.append(f"{device.name}: {size_bytes} bytes refused: {error.strerror}")
        else:
            if before is not None:
                done.append(f"{device.name}: {size_bytes} bytes instead of {before}")
    return done, refused


def main(arguments: Sequence[str]) -> int:
    """Print what was set; 1 if the kernel or a device refused."""
    interfaces = [Path("/sys/class/net") / name / "device" for name in arguments[1:]]
    done, refused = apply([each.resolve() for each in interfaces if each.exists()], int(arguments[0]), check_only=False)
    sys.stdout.writelines(line + "\n" for line in done)
    sys.stderr.writelines(line + "\n" for line in refused)
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
