"""A host for the stand-ins: makes a state folder, and plays the kernel's files of its NICs under ``STATE/root/sys``.

    standin_host.py make STATE rail0=0000:00:10.0 rail1=0000:00:11.0 [--driver mlx5_core|virtio_net] [--vf]
    standin_host.py make STATE rail0=0000:00:10.0 --state inbox_mlx5 [--other ens3]
                                   a host of states/ with its tools in STATE/bin, and interfaces that are no rails
                                   --card connectx7|bluefield3: firmware with more settings (nic_state.CARDS)
                                   --served-by SOCKET: tools that ask a server (standin_server.py)
                                   --bond data: all rails are members of one bond, with one RDMA device
    standin_host.py up STATE       mount and serve in the background (root, /dev/fuse)
    standin_host.py down STATE     unmount
    standin_host.py reload STATE   the driver is loaded anew: everything volatile is as it comes, the firmware as set
    standin_host.py load STATE rdma_cm

Use: ``export GPUFABRIC_STANDIN=STATE PATH=tests/standins/bin:$PATH``, and ``STATE/root`` as root. ``--vf`` makes
``ecn`` read-only, as on a virtual function. A state is a composite of recordings and says of what (states/*.json).
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from fuse_tree import File, Folder, FuseTree, Link, Node, folder_of
from nic_state import CARDS, FACTORY_FIRMWARE, KEPT, changed, factory, read_nic, write_nic
from standin_server import caller

HERE = Path(__file__).resolve().parent
WAIT_S = 10
TOTAL_VFS, VF_OFFSET = 4, 2
"""``sriov_totalvfs`` and ``sriov_offset`` of every NIC here."""
MODES = ("IB/RoCE v1", "RoCE v2")


class Attributes:
    """Values by path, one file each under ``STATE/values``, so that they can be set back from outside."""

    def __init__(self, state: Path) -> None:
        self.folder = state / "values"

    def get(self, path: str, unset: str) -> str:
        file = self.folder / path.replace("/", "!")
        return file.read_text() if file.exists() else unset

    def put(self, path: str, text: str) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / path.replace("/", "!")).write_text(text)

    def number(self, path: str, unset: str, highest: int, *, shown: str = "{}\n", too_big: int = errno.EINVAL) -> File:
        """An attribute that takes 0 to ``highest``; before it was set it shows ``unset``."""

        def write(text: str) -> None:
            if not text.strip().isdigit():
                raise OSError(errno.EINVAL, text)
            if int(text) > highest:
                raise OSError(too_big, text)
            self.put(path, shown.format(int(text)))

        return File(lambda: self.get(path, unset), write)

    def word(self, path: str, unset: str, words: tuple[str, ...]) -> File:
        def write(text: str) -> None:
            if text.strip("\n") not in words:
                raise OSError(errno.EINVAL, text)
            self.put(path, text.strip("\n") + "\n")

        return File(lambda: self.get(path, unset), write)


def fixed(text: str) -> File:
    return File(lambda: text + "\n")


def tree(state: Path) -> Folder:
    """The kernel's files of all NICs in the state folder."""
    nics = {path.stem: read_nic(path) for path in sorted((state / "nics").glob("*.json"))}
    attributes = Attributes(state)
    net: dict[str, Node] = {name: net_folder(name, nic, attributes) for name, nic in nics.items()}
    net |= {bond: bond_folder(bond, nics) for bond in {nic["bond"] for nic in nics.values()} - {""}}
    firsts = first_ports(nics)
    rdma: dict[str, Node] = {
        nic["rdma_device"]: rdma_folder(nic["bond"] or name, nic, attributes) for name, nic in firsts.items()
    }
    devices: dict[str, Node] = {nic["pci"]: device_folder(nic, attributes) for nic in nics.values()}
    drivers: dict[str, Node] = {nic["driver"]: folder_of({}) for nic in nics.values()}
    return folder_of(
        {
            "class": folder_of({"net": folder_of(net), "infiniband": folder_of(rdma)}),
            "devices": folder_of({"pci0000:00": folder_of(devices)}),
            "bus": folder_of({"pci": folder_of({"drivers": folder_of(drivers)})}),
            "kernel": folder_of(
                {
                    "config": config_folder(state, list(rdma), attributes),
                    "debug": debug_folder(firsts.values(), attributes),
                    "security": folder_of({"lockdown": lockdown_file(nics.values())}),
                }
            ),
        }
    )


def net_folder(name: str, nic: dict, attributes: Attributes) -> Folder:
    children: dict[str, Node] = {
        "mtu": fixed(str(nic["mtu_bytes"])),
        "operstate": fixed("up"),
        "device": Link(f"../../../devices/pci0000:00/{nic['pci']}"),
    }
    if nic["driver"] == "mlx5_core" and not nic["inbox"]:
        children["ecn"] = ecn_folder(f"net/{name}/ecn", attributes, writable=not nic["vf"])
    if nic["bond"]:
        children |= {"master": Link(f"../{nic['bond']}"), "bonding_slave": folder_of({"state": fixed("active")})}
    return folder_of(children)


def bond_folder(bond: str, nics: dict[str, dict]) -> Folder:
    """Linux drivers/net/bonding/bond_sysfs.c."""
    slaves = " ".join(name for name, nic in nics.items() if nic["bond"] == bond)
    return folder_of({"bonding": folder_of({"slaves": fixed(slaves), "mode": fixed("802.3ad 4")})})


def first_ports(nics: dict[str, dict]) -> dict[str, dict]:
    """Of each RDMA device the first port, of whose PCI function it is, and alone its files of debugfs.

    Linux drivers/infiniband/hw/mlx5/cong.c, mlx5_ib_init_cong_debugfs: one folder for each port of the RDMA device,
    and that of a bond has one (from memory of main.c).
    """
    found: dict[str, dict] = {}
    for name, nic in nics.items():
        if nic["rdma_device"] and nic["rdma_device"] not in {each["rdma_device"] for each in found.values()}:
            found[name] = nic
    return found


def device_folder(nic: dict, attributes: Attributes) -> Folder:
    """A physical function; writing ``sriov_numvfs`` makes a link to each of its virtual ones, all or none.

    Linux drivers/pci/iov.c at ef421b4d206f, sriov_numvfs_store and pci_iov_sysfs_link.
    """
    number = attributes.number(f"devices/{nic['pci']}/sriov_numvfs", "0\n", TOTAL_VFS, too_big=errno.ERANGE)
    bus, _, own = nic["pci"].rpartition(":")

    def write(text: str) -> None:
        if int(number.read()) and text.strip() not in ("0", number.read().strip()):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        number.write(text)

    def link(index: int) -> Link:
        slot, _, function = own.partition(".")
        place = int(slot, 16) * 8 + int(function) + VF_OFFSET + index
        return Link(f"../{bus}:{place // 8:02x}.{place % 8}")

    def children() -> dict[str, Node]:
        links: dict[str, Node] = {f"virtfn{index}": link(index) for index in range(int(number.read()))}
        driver = Link(f"../../../bus/pci/drivers/{nic['driver']}")
        return {"driver": driver, "sriov_numvfs": File(number.read, write), **links}

    return Folder(children)


def ecn_folder(path: str, attributes: Attributes, *, writable: bool) -> Folder:
    """On from the start, as ConnectX comes (ROCE_CC_PRIO_MASK 255); read-only on a virtual function."""

    def attribute(name: str, unset: str, highest: int) -> File:
        file = attributes.number(f"{path}/{name}", unset + "\n", highest)
        return file if writable else File(file.read)

    points: dict[str, Node] = {}
    for point in ("roce_np", "roce_rp"):
        enable: dict[str, Node] = {str(each): attribute(f"{point}/enable/{each}", "1", 1) for each in range(8)}
        points[point] = folder_of({"enable": folder_of(enable), **(cnp_files(attribute) if point == "roce_np" else {})})
    return folder_of(points)


def cnp_files(attribute: Callable[[str, str, int], File]) -> dict[str, Node]:
    return {
        "cnp_dscp": attribute("roce_np/cnp_dscp", "48", 63),
        "cnp_802p_prio": attribute("roce_np/cnp_802p_prio", "6", 7),
    }


def rdma_folder(netdev: str, nic: dict, attributes: Attributes) -> Folder:
    gids = folder_of({"ndevs": folder_of({"0": fixed(netdev)}), "types": folder_of({"0": fixed("IB/RoCE v1")})})
    port = folder_of({"gid_attrs": gids, "state": fixed("4: ACTIVE"), "link_layer": fixed("Ethernet")})
    device = Link(f"../../../devices/pci0000:00/{nic['pci']}")
    children: dict[str, Node] = {
        "ports": folder_of({"1": port}),
        "fw_ver": fixed(nic["fw_version"]),
        "device": device,
    }
    if nic["driver"] == "mlx5_core" and not nic["inbox"]:
        path = f"infiniband/{nic['rdma_device']}/tc/1/traffic_class"
        shown = attributes.number(path, "", 255, shown="Global tclass={}\n")
        children["tc"] = folder_of({"1": folder_of({"traffic_class": shown})})
    return folder_of(children)


def debug_folder(nics: Iterable[dict], attributes: Attributes) -> Folder:
    """debugfs of the kernel's mlx5 (tests/recorded/kernel/debugfs_mlx5_cc_params.txt)."""
    shown = [nic for nic in nics if nic["driver"] == "mlx5_core" and nic["debugfs"]]
    return folder_of({"mlx5": folder_of({nic["pci"]: cc_params(nic, attributes) for nic in shown})})


def cc_params(nic: dict, attributes: Attributes) -> Folder:
    """Files of the notification point. Writing the priority sets the mode to 0; locked down none can be opened."""
    path = f"debug/{nic['pci']}"
    mode = attributes.number(f"{path}/np_cnp_prio_mode", "1\n", 1)
    priority = attributes.number(f"{path}/np_cnp_prio", nic["firmware"]["CNP_802P_PRIO"] + "\n", 7)

    def put_priority(text: str) -> None:
        priority.write(text)
        mode.write("0")

    files = {
        "np_cnp_dscp": attributes.number(f"{path}/np_cnp_dscp", nic["firmware"]["CNP_DSCP"] + "\n", 63),
        "np_cnp_prio": File(priority.read, put_priority),
        "np_cnp_prio_mode": mode,
        "np_min_time_between_cnps": fixed("4"),
    }
    return folder_of({"cc_params": folder_of(dict.fromkeys(files, closed()) if nic["locked_down"] else files)})


def closed() -> File:
    """As any file of debugfs that is not read-only, under lockdown."""

    def refuse(text: str = "") -> str:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), text)

    return File(refuse, refuse)


def lockdown_file(nics: Iterable[dict]) -> File:
    locked = any(nic["locked_down"] for nic in nics)
    return fixed("none [integrity] confidentiality" if locked else "[none] integrity confidentiality")


def config_folder(state: Path, devices: list[str], attributes: Attributes) -> Folder:
    """configfs: rdma_cm is there once the module is, and holds the folders that somebody made."""
    made: set[str] = set()

    def port(device: str) -> Folder:
        path = f"config/{device}"
        tos = attributes.number(f"{path}/default_roce_tos", "0\n", 255, too_big=errno.ERANGE)
        return folder_of(
            {"default_roce_tos": tos, "default_roce_mode": attributes.word(f"{path}/mode", "RoCE v2\n", MODES)}
        )

    def make(name: str) -> None:
        if name not in devices:
            raise OSError(errno.ENODEV, name)
        if name in made:
            raise OSError(errno.EEXIST, name)
        made.add(name)

    def remove(name: str) -> None:
        if name not in made:
            raise OSError(errno.ENOENT, name)
        made.remove(name)

    def present() -> dict[str, Node]:
        folders: dict[str, Node] = {each: folder_of({"ports": folder_of({"1": port(each)})}) for each in sorted(made)}
        loaded = (state / "modules").read_text().split() if (state / "modules").exists() else []
        return {"rdma_cm": Folder(lambda: folders, make, remove)} if "rdma_cm" in loaded else {}

    return Folder(present)


def make_state(state: Path, rails: list[str], *, driver: str = "mlx5_core", bond: str = "", **given: object) -> None:
    """A new state folder: one NIC per ``NAME=PCI``, with an RDMA device each or for the bond, and rdma_cm loaded."""
    for index, rail in enumerate(rails):
        name, _, pci = rail.partition("=")
        device = "mlx5_bond_0" if bond else f"mlx5_{index}"
        own = {"pci": pci, "rdma_device": device, "bond": bond, "mtu_bytes": 9000, "vf": False, **given}
        write_nic(state, name, factory(driver, **own))
    (state / "modules").write_text("rdma_cm\n")
    (state / "root/sys").mkdir(parents=True, exist_ok=True)


def make_named_state(
    state: Path,
    name: str,
    rails: list[str],
    others: list[str],
    card: str = "plain",
    served_by: str = "",
    bond: str = "",
) -> None:
    """A host of states/, with the tools that it has and no other in ``STATE/bin``; ``others`` are no ConnectX."""
    described = json.loads((HERE / "states" / f"{name}.json").read_text())
    nic = dict(described["nic"])
    make_state(state, rails, bond=bond, factory_firmware={**nic.pop("firmware"), **CARDS[card]}, **nic)
    for index, other in enumerate(others):
        own = {"pci": f"0000:00:0{index + 3}.0", "rdma_device": "", "mtu_bytes": 1500, "vf": False}
        write_nic(state, other, factory("virtio_net", **own))
    (state / "bin").mkdir()
    for tool in described["tools"]:
        path = state / "bin" / tool
        if served_by:
            path.write_text(caller(tool, served_by))
            path.chmod(0o755)
        else:
            path.symlink_to(HERE / "bin" / tool)


def reload_driver(state: Path) -> None:
    """Everything a driver keeps is gone; what the firmware was told now holds."""
    for path in (state / "nics").glob("*.json"):
        with changed(path) as nic:
            kept = {"driver": nic["driver"], **{key: nic[key] for key in KEPT}}
            firmware = {"firmware": nic["firmware_next"], "firmware_next": nic["firmware_next"]}
            nic.clear()
            nic.update({**factory(kept["driver"]), **kept, **firmware})
    shutil.rmtree(state / "values", ignore_errors=True)


def serve(state: Path) -> None:
    """In a process of its own, until it is unmounted."""
    mount_point = state / "root/sys"
    if os.fork():
        wait_for(mount_point)
        return
    os.setsid()
    with (state / "kernel.log").open("a") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.close(0)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # whoever asked for it waits until these are closed
    FuseTree(tree(state)).serve(mount_point, lambda: None)
    os._exit(0)


def wait_for(mount_point: Path) -> None:
    until = time.monotonic() + WAIT_S
    while not (mount_point / "class/net").is_dir():
        if time.monotonic() > until:
            sys.exit(f"stand-in: nothing is served at {mount_point}; see kernel.log beside it (needs root, /dev/fuse)")
        time.sleep(0.05)


def unmount(state: Path) -> None:
    mount_point = os.fsencode(state / "root/sys")
    if ctypes.CDLL(None, use_errno=True).umount2(mount_point, 2) and ctypes.get_errno() != errno.EINVAL:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(state))


def main(words: list[str]) -> int:
    """See the head of this file."""
    parser = argparse.ArgumentParser(prog="standin_host.py")
    parser.add_argument("verb", choices=("make", "up", "down", "reload", "load"))
    parser.add_argument("state", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--driver", default="mlx5_core")
    parser.add_argument("--state", dest="named", choices=sorted(path.stem for path in (HERE / "states").glob("*.json")))
    parser.add_argument("--other", action="append", default=[])
    parser.add_argument("--card", choices=sorted(CARDS), default="plain")
    parser.add_argument("--vf", action="store_true")
    parser.add_argument("--served-by", default="")
    parser.add_argument("--bond", default="")
    options = parser.parse_args(words)
    state = options.state.resolve()
    if options.verb == "make" and options.named:
        make_named_state(
            state, options.named, options.names, options.other, options.card, options.served_by, options.bond
        )
    elif options.verb == "make":
        firmware = {**FACTORY_FIRMWARE, **CARDS[options.card]}
        make_state(state, options.names, driver=options.driver, vf=options.vf, factory_firmware=firmware)
    elif options.verb == "load":
        with (state / "modules").open("a") as modules:
            modules.write("\n".join(options.names) + "\n")
    else:
        {"up": serve, "down": unmount, "reload": reload_driver}[options.verb](state)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
