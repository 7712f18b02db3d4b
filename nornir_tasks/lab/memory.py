"""Memory of this machine that programs can still have."""

import re
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
_KIB_IN_MIB = 1024


def available_mib() -> int:
    """``MemAvailable`` of the kernel (Documentation/filesystems/proc.rst, meminfo)."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", MEMINFO.read_text(encoding="utf-8"))
    return int(found[1]) // _KIB_IN_MIB if found else 0
