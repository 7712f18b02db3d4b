"""The RDMA device of a network interface. The only place that determines it: for facts, roles, service and checks.

A bond's members have one RDMA device together, whose GIDs are the bond's and its VLANs' (``mlx5_bond_0``, or whatever
udev calls it). mlx5 makes it where all ports of one NIC, and nothing else, are members of one bond that sends a flow by
one of them (Linux drivers/net/ethernet/mellanox/mlx5/core/lag/lag.c at 014e4d48eaa3, mlx5_handle_changeupper_event;
NVIDIA's "RoCE LAG"). Over two NICs each has a device of its own, and both have the bond's GIDs
(drivers/infiniband/core/roce_gid_mgmt.c, is_eth_port_of_netdev), while packets come in by either: no member has an RDMA
device then. Soft-RoCE's stands on the bond itself.

Reads files under ``root`` only; standard library, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIRST_GIDS = 4
"""Number of entries of a GID table that are examined. The first two are the port's own (RoCE v1 and v2 of its
link-local address); those of VLANs and other upper devices come later (Linux
drivers/infiniband/core/roce_gid_mgmt.c). They are opened by number: a table has up to a thousand entries (1,024 of
Soft-RoCE), and to list them takes longer than all the rest of what is read of a rail."""


@dataclass(frozen=True)
class RdmaPort:
    """One port of an RDMA device, and its network interface; empty if it has none."""

    device: str
    port: int
    interface: str


def rdma_ports(root: Path) -> list[RdmaPort]:
    """Every port of every RDMA device, in order of names."""
    return list(_ports(root))


def port_of(root: Path, interface: str) -> RdmaPort | None:
    """The RDMA port of a network interface, for a bond's member that of the bond; None if it has none."""
    if bond := bond_of(root, interface):
        found = [each for each in _ports(root) if each.interface == bond]
        return found[0] if len(found) == 1 and _is_of(root, found[0], bond) else None
    return next((each for each in _ports(root) if each.interface == interface), None) if interface else None


def bond_of(root: Path, interface: str) -> str:
    """The bond that an interface is a member of; empty if it is in none."""
    port = root / "sys/class/net" / interface
    return (port / "master").resolve().name if interface and (port / "bonding_slave").is_dir() else ""


def members_of(root: Path, bond: str) -> list[str]:
    """Members of a bond, sorted; empty for what is no bond."""
    return sorted(text(root / "sys/class/net" / bond / "bonding/slaves").split()) if bond else []


def no_lag(root: Path, interface: str) -> str:
    """Why a bond's member of mlx5 has no RDMA device, as far as files show it; empty for all others."""
    bond, net = bond_of(root, interface), root / "sys/class/net"
    driver = net / interface / "device/driver"
    if not bond or port_of(root, interface) is not None or driver.resolve().name != MAKER:
        return ""
    members = members_of(root, bond)
    where = f"it is a member of {bond}, and the ports of one NIC have one RDMA device in a bond of them alone"
    if len(_cards(root, bond)) > 1:
        places = ", ".join(f"{each} at {(net / each / 'device').resolve().name}" for each in members)
        return f"{where}: {places} are not of one NIC"
    mode = text(net / bond / "bonding/mode").partition(" ")[0]
    if mode not in LAG_MODES:
        return f"{where}, of mode {', '.join(LAG_MODES)}: this one's is {mode or 'not shown'}"
    if busy := [each for each in members if any((net / each / "device").glob("virtfn*"))]:
        return f"{where}, without virtual functions: {', '.join(busy)} has some (sriov_numvfs)"
    return f"{where}: is a port of it missing in {bond}, has switchdev one? journalctl -k | grep -i lag"


MAKER = "mlx5_core"
"""The only driver that makes a bond's RDMA device."""
LAG_MODES = ("802.3ad", "balance-xor", "active-backup")
"""Of NETDEV_LAG_TX_TYPE_HASH or _ACTIVEBACKUP (mlx5_handle_changeupper_event; drivers/net/bonding/bond_main.c,
bond_lag_tx_type). Virtual functions, and switchdev, end it (mlx5_lag_is_roce_lag)."""


def text(path: Path) -> str:
    """A file without surrounding blanks; empty if it cannot be read, as with an unused GID entry (EINVAL)."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _ports(root: Path) -> Iterator[RdmaPort]:
    for device in _folders(root / "sys/class/infiniband"):
        for port in _numbers(device / "ports") or [1]:
            yield RdmaPort(device.name, port, _interface_of(device, port))


def _interface_of(device: Path, port: int) -> str:
    """From the GID table; while that is empty, from rxe's parent, or as the PCI device's only interface."""
    owners = device / "ports" / str(port) / "gid_attrs/ndevs"
    found = next(filter(None, (text(owners / str(slot)) for slot in range(FIRST_GIDS))), "")
    if found:
        return found
    siblings = [folder.name for folder in _folders(device / "device/net")]
    return text(device / "parent") or (siblings[0] if port == 1 and len(siblings) == 1 else "")


def _cards(root: Path, bond: str) -> set[str]:
    """PCI addresses, without the function, of a bond's members; a port without a PCI device is none."""
    net = root / "sys/class/net"
    return {card for each in members_of(root, bond) for card in _card(net / each / "device")}


def _is_of(root: Path, port: RdmaPort, bond: str) -> bool:
    """Are all members ports of the RDMA device's NIC? Soft-RoCE's has none."""
    own = _card(root / "sys/class/infiniband" / port.device / "device")
    return not own or _cards(root, bond) <= own


def _card(device: Path) -> set[str]:
    name, _, function = device.resolve().name.rpartition(".") if device.exists() else ("", "", "")
    return {name} if ":" in name and function.isdigit() else set()


def _folders(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else []


def _numbers(path: Path) -> list[int]:
    return sorted(int(each.name) for each in _folders(path) if each.name.isdigit())
