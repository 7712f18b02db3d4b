"""The state of a host's RDMA stack, read from /sys, /proc, /lib/modules and dpkg's status file. Changes nothing.

Used by the modules rdma_facts and nccl_facts. Runs on hosts: standard library only, Python 3.9.
"""

from __future__ import annotations

from fnmatch import fnmatch
from ipaddress import ip_address
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import (
        RdmaPort,
        bond_of,
        members_of,
        no_lag,
        port_of,
        rdma_ports,
        text,
    )
except ImportError:  # in a test
    from roce_device import RdmaPort, bond_of, members_of, no_lag, port_of, rdma_ports, text

VENDOR_PACKAGES = ("mlnx-ofed-*", "mlnx-ofa-*", "doca-ofed*", "doca-roce*", "doca-networking*")
"""Packages of a stack that is not the distribution's (NVIDIA MLNX_OFED and DOCA, installation guides)."""
BY_DISTRIBUTION = ("doca-ofed*", "linux-modules-doca-ofed*")
"""NVIDIA's stack as a distribution packages it itself (ubuntu.com/server/docs, Install and maintain DOCA-OFED)."""
MAKERS = ("ubuntu", "debian", "canonical")


def names(folder: Path) -> list[str]:
    """Names in a folder, sorted; empty if it does not exist."""
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def devices(root: Path) -> dict[str, dict[str, Any]]:
    """RDMA device -> its network interface (empty if none), state of port 1 (ACTIVE, DOWN, ...) and link layer.

    That of a bond has its ``members`` and ``gids`` as well.
    """
    folder = root / "sys/class/infiniband"
    return {
        each.device: {
            "interface": each.interface,
            "state": text(folder / each.device / "ports/1/state").rpartition(":")[2].strip(),
            "link_layer": text(folder / each.device / "ports/1/link_layer"),
            **_of_bond(root, each),
        }
        for each in rdma_ports(root)
        if each.port == 1
    }


def _of_bond(root: Path, port: RdmaPort) -> dict[str, Any]:
    members = [each for each in members_of(root, port.interface) if port_of(root, each) == port]
    gids = _gids(root / "sys/class/infiniband" / port.device / "ports/1") if members else []
    return {"members": members, "gids": gids} if members else {}


def _gids(port: Path) -> list[str]:
    """RoCE v2's, as ``interface address``; an unused entry is zero (Linux, drivers/infiniband/core/sysfs.c)."""
    found = []
    for slot in names(port / "gids"):
        gid = text(port / "gids" / slot)
        if gid.strip("0:") and text(port / "gid_attrs/types" / slot) == "RoCE v2":
            address = ip_address(gid)
            found.append(f"{text(port / 'gid_attrs/ndevs' / slot)} {getattr(address, 'ipv4_mapped', None) or address}")
    return sorted(set(found))


def bonds(root: Path, rails: list[str]) -> dict[str, dict[str, str]]:
    """Of those of these interfaces that are members of a bond: the ``bond``, and why there is ``no_device``."""
    return {each: {"bond": bond, "no_device": no_lag(root, each)} for each in rails if (bond := bond_of(root, each))}


def device_of(root: Path, interface: str) -> str:
    """The RDMA device of an interface, in NCCL's notation (``mlx5_0``, a second port ``mlx5_0:2``); empty if none."""
    found = port_of(root, interface)
    return "" if found is None else found.device if found.port == 1 else f"{found.device}:{found.port}"


def kernel(root: Path) -> dict[str, object]:
    """Release of the running kernel, and whether its modules are on disk (a new kernel may replace them)."""
    release = text(root / "proc/sys/kernel/osrelease")
    return {"release": release, "modules_installed": (root / "lib/modules" / release / "modules.dep").is_file()}


def namespaces(root: Path) -> str:
    """Are RDMA devices of all network namespaces at once (shared), or of one each (exclusive)? Empty: no ib_core.

    ``rdma system set netns`` writes the same value of the kernel (drivers/infiniband/core/device.c).
    """
    return {"Y": "shared", "N": "exclusive"}.get(text(root / "sys/module/ib_core/parameters/netns_mode"), "")


def modules(root: Path, wanted: list[str]) -> dict[str, str]:
    """Module -> builtin, loaded, available (on disk, not loaded) or missing."""
    folder = root / "lib/modules" / text(root / "proc/sys/kernel/osrelease")
    builtin = _module_names(folder / "modules.builtin")
    on_disk = _module_names(folder / "modules.dep")
    loaded = {line.split(" ", 1)[0] for line in text(root / "proc/modules").splitlines()}

    def state(name: str) -> str:
        if name in builtin:
            return "builtin"
        if name in loaded:
            return "loaded"
        return "available" if name in on_disk else "missing"

    return {name: state(name.replace("-", "_")) for name in wanted}


def _module_names(index: Path) -> set[str]:
    """Names in modules.dep or modules.builtin: the file's name up to .ko, with dashes in the kernel's spelling."""
    paths = (line.split(":", 1)[0] for line in text(index).splitlines())
    return {path.rsplit("/", 1)[-1].split(".ko", 1)[0].replace("-", "_") for path in paths}


def _installed(status: Path, patterns: list[str]) -> list[dict[str, str]]:
    """Fields of each installed package whose name matches a pattern, those of one line."""
    found = []
    for paragraph in text(status).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if not line[:1].isspace() and ": " in line)
        name = fields.get("Package", "")
        if fields.get("Status", "").endswith(" installed") and any(fnmatch(name, pattern) for pattern in patterns):
            found.append(fields)
    return found


def packages(status: Path, patterns: list[str]) -> dict[str, dict[str, object]]:
    """Installed packages whose names match a pattern -> version, and whether dpkg holds them."""
    return {
        fields["Package"]: {"version": fields.get("Version", ""), "held": fields["Status"].startswith("hold ")}
        for fields in _installed(status, patterns)
    }


def vendor_stack(status: Path) -> list[str]:
    """Packages of an RDMA stack other than the distribution's: by name, or rdma-core as rebuilt by its vendor."""
    found = packages(status, [*VENDOR_PACKAGES, "rdma-core", "libibverbs1"])
    rebuilt = {name for name, each in found.items() if "mlnx" in str(each["version"])}
    named = {name for name in found if any(fnmatch(name, pattern) for pattern in VENDOR_PACKAGES)}
    return [f"{name} {found[name]['version']}" for name in sorted(rebuilt | named)]


def by_distribution(status: Path) -> list[str]:
    """Packages of NVIDIA's stack that the distribution makes: its people maintain them."""
    found = _installed(status, list(BY_DISTRIBUTION))
    ours = [each for each in found if any(maker in each.get("Maintainer", "").lower() for maker in MAKERS)]
    return [f"{each['Package']} {each.get('Version', '')}" for each in ours]


ONE_SOURCE = (
    "rdma-core",
    "ibverbs-providers",
    "ibverbs-utils",
    "libibverbs1",
    "librdmacm1*",
    "rdmacm-utils",
    "libibumad3*",
    "infiniband-diags",
)
"""Packages that are built from one source, rdma-core, and must be of one build."""


def mixed(status: Path) -> list[str]:
    """The distribution's packages among those that a vendor has rebuilt; empty if all are of one build."""
    found = packages(status, list(ONE_SOURCE))
    rebuilt = {name for name, each in found.items() if "mlnx" in str(each["version"])}
    return [f"{name} {found[name]['version']}" for name in sorted(set(found) - rebuilt)] if rebuilt else []


def distribution(root: Path) -> dict[str, str]:
    """ID and VERSION_ID of /etc/os-release."""
    lines = (line.partition("=") for line in text(root / "etc/os-release").splitlines())
    values = {key: value.strip("\"'") for key, _, value in lines}
    return {"id": values.get("ID", ""), "version_id": values.get("VERSION_ID", "")}
