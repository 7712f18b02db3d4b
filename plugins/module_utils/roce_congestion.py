"""Reads a NIC's congestion control: the priorities on which DCQCN works, and the marking of notifications (CNPs).

It is in one of three places; the first that exists is read:

1. ``/sys/class/net/IF/ecn`` of NVIDIA's modules (MLNX_OFED, DOCA-OFED): a switch for each priority, DSCP and priority;
2. ``/sys/kernel/debug/mlx5/PCI/cc_params`` of the kernel's own mlx5: DSCP and priority, no switch (Linux
   drivers/infiniband/hw/mlx5/cong.c). Writing ``np_cnp_prio`` sets ``np_cnp_prio_mode`` to 0 in the same command; under
   another mode the priority has no effect. So the mode is read, and never written;
3. the firmware's own settings (mlxconfig, mstconfig), with which the NIC started.

Under the kernel's lockdown, as Secure Boot sets it, debugfs cannot be read, and most builds of mstconfig cannot open
the device. A knob that cannot be read is "could not tell", with the remedies. Standard library only, Python 3.9.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import (
        PACKAGE,
        Firmware,
        FirmwareError,
        port_of_function,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_parse import (
        ABSENT,
        NOT_QUERIED,
        PRIORITIES,
        UNREADABLE,
        Reading,
        Unreadable,
    )
except ImportError:  # beside a service, or in a test
    from roce_firmware import PACKAGE, Firmware, FirmwareError, port_of_function
    from roce_parse import ABSENT, NOT_QUERIED, PRIORITIES, UNREADABLE, Reading, Unreadable

KNOBS = ("ecn_np", "ecn_rp", "cnp_dscp", "cnp_priority")
DRIVER = "mlx5_core"
_SYSFS_FILES = {"cnp_dscp": "roce_np/cnp_dscp", "cnp_priority": "roce_np/cnp_802p_prio"}
_DEBUGFS_FILES = {"cnp_dscp": "np_cnp_dscp", "cnp_priority": "np_cnp_prio"}
_SETTINGS = {
    "cnp_dscp": "CNP_DSCP",
    "cnp_priority": "CNP_802P_PRIO",
    **dict.fromkeys(("ecn_np", "ecn_rp"), "ROCE_CC_PRIO_MASK"),
}
PRIORITY_MODE = "np_cnp_prio_mode"
LOCKDOWN = "sys/kernel/security/lockdown"
FWCTL = "sys/class/fwctl"  # Linux commit 2e4986cf2d525eed3a240b7821f89ca45cf36d78 (its message)
LOCKDOWN_REMEDY = (
    "the kernel is locked down (Secure Boot), which closes debugfs and the NIC's registers. What helps: a kernel with "
    "fwctl (mlx5_fwctl) and an mstflint that uses it; NVIDIA's modules, signed with an enrolled key; or Secure Boot off"
)


@dataclass(frozen=True)
class Congestion:
    """The congestion control of one interface."""

    netdev: str
    driver: str | None
    pci: str
    """PCI address of the interface's function."""
    root: Path
    firmware: Callable[[], Firmware] | None
    """Queries the firmware; raises FirmwareError if that is impossible. None: the firmware is left alone."""

    def read(self, knob: str) -> Reading:
        """One of KNOBS. Raises Unreadable, OSError or ValueError."""
        if self._sysfs.is_dir():
            return Reading(self._from_sysfs(knob), "sysfs", "", self.shown_by(knob))
        if self.driver != DRIVER:
            reason = f"/sys/class/net/{self.netdev}/ecn is not there: it comes with NVIDIA's mlx5 modules"
            raise Unreadable(reason, ABSENT)
        if knob not in _DEBUGFS_FILES:
            return self._from_firmware(knob, "this driver has no switch for each priority")
        try:
            return self._from_debugfs(knob)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EPERM, errno.EACCES):
                raise
            path = f"{self._shown(self._debugfs)}/{_DEBUGFS_FILES[knob]}"
            return self._from_firmware(knob, f"{path}: {error.strerror}")

    def shown_by(self, knob: str) -> str:
        """The command or file that shows this knob to a person."""
        if self._sysfs.is_dir() or self.driver != DRIVER:
            part = _SYSFS_FILES.get(knob, f"roce_{knob[-2:]}/enable/")
            return f"/sys/class/net/{self.netdev}/ecn/{part}"
        if knob in _DEBUGFS_FILES and self._debugfs.is_dir():
            return f"{self._shown(self._debugfs)}/{_DEBUGFS_FILES[knob]}"
        return f"mstconfig -d {self.pci} -e q {self.setting(knob)}"

    def setting(self, knob: str) -> str:
        """The firmware's name for the initial value of this knob."""
        return f"{_SETTINGS[knob]}_P{port_of_function(self.pci)}"

    def file(self, knob: str) -> str:
        """The writable file of DSCP or priority on this host."""
        if self._sysfs.is_dir():
            return f"/sys/class/net/{self.netdev}/ecn/{_SYSFS_FILES[knob]}"
        return f"{self._shown(self._debugfs)}/{_DEBUGFS_FILES[knob]}"

    @property
    def _sysfs(self) -> Path:
        return self.root / "sys/class/net" / self.netdev / "ecn"

    @property
    def _debugfs(self) -> Path:
        return self.root / "sys/kernel/debug/mlx5" / self.pci / "cc_params"

    def _shown(self, path: Path) -> str:
        return f"/{path.relative_to(self.root)}"

    def _from_sysfs(self, knob: str) -> object:
        if knob in _SYSFS_FILES:
            return int(_number(self._sysfs / _SYSFS_FILES[knob]))
        folder = self._sysfs / f"roce_{knob[-2:]}/enable"
        return [bool(_number(folder / str(priority))) for priority in range(PRIORITIES)]

    def _from_debugfs(self, knob: str) -> Reading:
        value = _number(self._debugfs / _DEBUGFS_FILES[knob])
        mode = _number(self._debugfs / PRIORITY_MODE) if knob == "cnp_priority" else 0
        if mode:
            reason = f"{PRIORITY_MODE} is {mode}, so the priority {value} is not in force"
            return Reading(None, "debugfs", reason, self.shown_by(knob))
        return Reading(value, "debugfs", "", self.shown_by(knob))

    def _from_firmware(self, knob: str, why: str) -> Reading:
        name = self.setting(knob)
        shown_by = f"mstconfig -d {self.pci} -e q {name}"
        if self.firmware is None:
            raise Unreadable(f"{why}; the firmware is not queried here", NOT_QUERIED)
        try:
            setting = self.firmware().settings.get(name)
        except FirmwareError as error:
            package = PACKAGE if error.not_installed and may_open(self.root) else ""
            raise Unreadable(explained(f"{why}; {error}", self.root), UNREADABLE, package) from None
        if setting is None:
            raise Unreadable(f"{why}, and the firmware does not show {name}", ABSENT)
        return Reading(value_of(knob, setting.current), "firmware", "", shown_by)


def value_of(knob: str, number: int) -> object:
    """A firmware's number as the knob's value: a mask of priorities, or the number itself."""
    if knob in ("ecn_np", "ecn_rp"):
        return [bool(number >> priority & 1) for priority in range(PRIORITIES)]
    return number


def explained(why: str, root: Path) -> str:
    """Why a NIC could not be queried, with the remedies if the kernel's lockdown is the reason."""
    return f"{why}; {LOCKDOWN_REMEDY}" if locked_down(root) else why


def locked_down(root: Path) -> bool:
    """Is the kernel locked down? It marks its state with brackets: ``none [integrity] confidentiality``."""
    try:
        return "[none]" not in (root / LOCKDOWN).read_text(encoding="ascii")
    except OSError:  # this kernel has no lockdown
        return False


def may_open(root: Path) -> bool:
    """Can a tool that is yet to be installed open the NIC? Under lockdown by fwctl alone."""
    return not locked_down(root) or any((root / FWCTL).glob("*"))


def _number(file: Path) -> int:
    return int(file.read_text(encoding="ascii"))
