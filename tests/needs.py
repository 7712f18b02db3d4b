"""What tests need of the machine and of whoever runs them: ``@pytest.mark.needs("nft")``, or `require` in fixtures.

A normal user's tests are left out where something is missing, and the end of the run says which and why. As root, and
in continuous integration (``CI``), what is missing fails: there nothing is left out but what a normal user may not do.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from nornir_tasks.files import programs

ROOT = "root"
NAMESPACES = "namespaces"
"""Network namespaces, of root or of a user who may have them."""
RIGHTS = {
    ROOT: "needs root: devices, mounts, namespaces or files of root",
    NAMESPACES: "needs network namespaces, which this user may not make",
}
"""What a normal user may be refused, and nobody can install."""
PROGRAMS = {
    "nft": "nftables",
    "ip": "iproute2",
    "qemu-system-x86_64": "qemu-system-x86",
    "vtysh": "frr",
    "kea-dhcp4": "kea-dhcp4-server",
    "dnsmasq": "dnsmasq-base",
    "keepalived": "keepalived",
    "haproxy": "haproxy",
    "conntrack": "conntrack",
    "conntrackd": "conntrackd",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "scontrol": "slurm-client",
    "ucx_info": "ucx-utils",
}
"""Program -> its Debian or Ubuntu package, of those that scripts/machine_packages.sh installs."""
LEFT_OUT = "left out: "
is_fast = False
"""``--fast``: whatever needs something of the machine is left out, whoever runs it."""
FAST = "makes use of the machine, which make test-fast never does"


@cache
def is_there(part: str) -> bool:
    """Has whoever runs the tests this?"""
    if part == ROOT:
        return os.geteuid() == 0
    if part == NAMESPACES:
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return subprocess.run(["unshare", *own, "--net", "true"], capture_output=True, check=False).returncode == 0
    return programs.find(part) is not None


def missing(parts: Iterable[str]) -> Iterator[str]:
    """Why these parts are not to be had, one reason each; first what this user may not do."""
    parts = set(parts)
    if unknown := parts - RIGHTS.keys() - PROGRAMS.keys():
        raise ValueError(f"needs({', '.join(sorted(unknown))}): not in tests/needs.py")
    yield from (why for right, why in RIGHTS.items() if right in parts and not is_there(right))
    for name, package in PROGRAMS.items():
        if name in parts and not is_there(name):
            yield f"needs {name}, which is not installed: sudo apt-get install -y {package}"


def must_be_there(reason: str) -> bool:
    """Is it a failure that this is missing? ``reason``: one of `missing`."""
    return os.geteuid() == 0 or (bool(os.environ.get("CI")) and reason not in RIGHTS.values())


def require(*parts: str) -> None:
    """Leave the test out where something is missing, or fail it where nothing may be."""
    if parts and is_fast:
        pytest.skip(LEFT_OUT + FAST)
    for reason in missing(parts):
        if must_be_there(reason):
            pytest.fail(f"{reason} (scripts/machine_packages.sh)", pytrace=False)
        pytest.skip(LEFT_OUT + reason)


def left_out(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Lines for the end of a run: each reason with how many tests were left out for it."""
    found = Counter[str]()
    for each in reports:
        reason = each.longrepr[2] if isinstance(each.longrepr, tuple) else str(each.longrepr)
        found[reason.removeprefix("Skipped: ").removeprefix(LEFT_OUT)] += 1
    return [f"{count} {'test' if count == 1 else 'tests'}: {reason}" for reason, count in found.most_common()]
