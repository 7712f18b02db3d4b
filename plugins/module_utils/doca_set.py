"""The set of DOCA-OFED's packages that role rdma_stack installed, as it wrote it down, against what is installed now.

Runs on hosts: standard library only, Python 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.rdma_state import packages
except ImportError:  # in a test
    from rdma_state import packages

STATUS = "var/lib/dpkg/status"
HOME = "var/lib/gpufabric/rdma_stack"
SET = f"{HOME}/set.json"


def known_set(etc_root: Path) -> dict[str, Any]:
    """The set as it was written: version, and package -> version. Empty if none was installed."""
    path = etc_root / SET
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def doca_set(etc_root: Path) -> dict[str, Any]:
    """Version of the set; packages of it that are not installed in their version, and those that are not held."""
    known = known_set(etc_root)
    wanted: Mapping[str, str] = known.get("packages", {})
    now = packages(etc_root / STATUS, list(wanted))
    versions = {name: str(now.get(name, {}).get("version", "(none)")) for name in wanted}
    return {
        "version": known.get("version", ""),
        "wrong": [f"{name} {versions[name]}, not {wanted[name]}" for name in wanted if versions[name] != wanted[name]],
        "not_held": [name for name in wanted if name in now and not now[name]["held"]],
    }


def is_version(found: str, wanted: str) -> bool:
    """Is it the wanted version, or a build of it (2.9.3 of 2.9.3-0.1.7)?"""
    return found == wanted or found.startswith(f"{wanted}-")
