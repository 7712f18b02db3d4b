"""The present values of a host's RoCE knobs: parsers of the tools' output, and one reader per knob.

Standard library only, Python 3.9; together with roce_parse.py it is used by a service as well as by Ansible modules.
Nothing is set here, and nothing here depends on a policy.

The interface, in the order of use::

    reader = RailReader("rail0", run=run_command, root=Path("/"), backend="auto")
    reader.read("pfc")  -> Reading([False, ...], source="dcb", reason="", shown_by="dcb pfc show dev rail0")
    reader.facts()      -> the dict of one rail in gpufabric_roce (KNOBS, and source, reason, shown_by)
    read_rails(("rail0", "rail1"), run, root, backend) -> {"rail0": {...}, "rail1": {...}}

A RailReader runs each tool at most once: make a new one to read back after a change. ``run`` takes an argument list and
returns an Answer; a missing program is exit code 127. ``root`` moves the files of /sys only.

A value is None if the knob could not be read; then ``reason`` is the cause. ``source`` is one of:

- ``absent``: this kernel, driver or interface has no such knob;
- ``unreadable``: it may exist, but no tool could show it (missing, failed, timed out, not understood);
- ``conflict``: two tools disagree; the reason has both values;
- any other (dcb, mlnx_qos, sysfs, debugfs, firmware, configfs, ethtool, ibv_devinfo, mlxreg, mstreg): where the value
  is from. Only ``traffic_class`` (it exists and was never set) and ``cnp_priority`` (another mode is in force) can be
  None there.

Sources of every format: tests/recorded (dcb of iproute2 6.1, mlnx_qos 1.2, ethtool 6.1, Linux 6.1, MLNX_OFED 5.x).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils import roce_congestion, roce_register
    from ansible_collections.gpufabric.host.plugins.module_utils import roce_parse as parse
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import RdmaPort, no_lag, port_of
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import Firmware, FirmwareError
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_parse import Reading, Unreadable
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import (
        MISSING_PROGRAM,
        Answer,
        Run,
        run_command,
    )
except ImportError:  # beside a service, or in a test
    import roce_congestion
    import roce_parse as parse
    import roce_register
    from roce_device import RdmaPort, no_lag, port_of
    from roce_firmware import Firmware, FirmwareError
    from roce_parse import Reading, Unreadable
    from roce_run import MISSING_PROGRAM, Answer, Run, run_command

ABSENT, UNREADABLE, CONFLICT = parse.ABSENT, parse.UNREADABLE, parse.CONFLICT
BACKENDS = ("auto", "dcb", "mlnx_qos")

DCB_KNOBS = ("dcbx", "dscp_to_priority", "trust", "pfc", "ets", "cable_m", "buffer")
"""Knobs of the driver's DCB operations: shown by dcb and by mlnx_qos."""

KNOBS = (
    *DCB_KNOBS,
    "pause_rx",
    "pause_tx",
    "rdma_cm_mode",
    "rdma_cm_tos",
    "traffic_class",
    "ecn_np",
    "ecn_rp",
    "cnp_dscp",
    "cnp_priority",
    "active_mtu",
    "mtu_bytes",
    "virtual_functions",
)
"""The values:

- dcbx ``os`` or ``firmware``; trust ``dscp`` or ``pcp``;
- dscp_to_priority: 64 priorities, None where the port holds no entry (all None under trust pcp);
- pfc, ecn_np, ecn_rp: 8 booleans by priority; pause_rx, pause_tx: booleans;
- ets ``{prio_tc, tc_tsa, tc_bw}``, 8 of each, tc_bw in percent; tc_tsa is None for a class that mlnx_qos does not list;
- buffer ``{buffer_bytes, priority_buffer, total_bytes}``; cable_m: metres (the PFC delay, as mlx5 takes it);
- rdma_cm_mode ``RoCE v2`` or ``IB/RoCE v1``; rdma_cm_tos, traffic_class: the whole byte, DSCP times 4 plus ECN bits;
- reorder (of REGISTER_KNOBS): does the NIC accept reordered packets;
- cnp_dscp, cnp_priority: numbers; active_mtu: the RoCE payload in bytes; mtu_bytes: of the interface;
- virtual_functions: how many the NIC's port has now (Linux drivers/pci/iov.c, pci_iov_sysfs_link: one link for each).
"""


REGISTER_KNOBS = ("reorder",)
"""Knobs in the NIC's run-time registers, whose tool opens the NIC: read where they are asked for."""

_FROM_DCB: dict[str, tuple[str, Callable[[str], Any]]] = {
    "dcbx": ("dcbx", parse.parse_dcb_dcbx),
    "dscp_to_priority": ("app", lambda text: parse.dscp_map(parse.parse_dcb_app(text))),
    "trust": ("app", lambda text: parse.trust_of(parse.parse_dcb_app(text))),
    "pfc": ("pfc", lambda text: parse.parse_dcb_pfc(text)["pfc"]),
    "cable_m": ("pfc", lambda text: parse.parse_dcb_pfc(text)["cable_m"]),
    "ets": ("ets", parse.parse_dcb_ets),
    "buffer": ("buffer", parse.parse_dcb_buffer),
}
_RDMA_CM_FILES = {"rdma_cm_mode": "default_roce_mode", "rdma_cm_tos": "default_roce_tos"}
_NOT_UNDERSTOOD = (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration)


@dataclass
class RailReader:
    """Reads the knobs of one interface. Each program is run once: make a new reader to read again."""

    netdev: str
    run: Run = run_command
    root: Path = Path("/")
    backend: str = "auto"
    """The tool that shows DCB_KNOBS: ``dcb``, ``mlnx_qos``, or ``auto`` for both if both exist."""
    with_firmware: bool = True
    """Query the firmware for what nothing else shows? Else such a knob's source is ``not queried``."""
    _answers: dict[tuple[str, ...], Answer] = field(default_factory=dict)

    def read(self, knob: str) -> Reading:
        """One of KNOBS or REGISTER_KNOBS. Raises KeyError for any other name, and nothing else."""
        reader = self._readers[knob]
        if not self._net.is_dir():
            return Reading(None, ABSENT, f"there is no interface {self.netdev}", self.shown_by(knob))
        try:
            return reader(knob)
        except Unreadable as why:
            return Reading(None, why.source, str(why), self.shown_by(knob), why.package)
        except OSError as error:
            return Reading(None, UNREADABLE, f"{error.filename}: {error.strerror}", self.shown_by(knob))
        except _NOT_UNDERSTOOD as error:
            return Reading(None, UNREADABLE, f"what is shown is not understood: {error!r}", self.shown_by(knob))

    def facts(self, *, registers: bool = False) -> dict[str, Any]:
        """All of KNOBS by name, the interface, and per knob ``source``, ``shown_by`` and, if there is one, ``reason``.

        ``firmware``: its settings, if it was queried to determine a knob; ``registers``: REGISTER_KNOBS as well.
        """
        readings = {knob: self.read(knob) for knob in (*KNOBS, *(REGISTER_KNOBS if registers else ()))}
        return {
            "netdev": self.netdev if self._net.is_dir() else None,
            "driver": self.driver,
            "rdma_device": self.rdma_device,
            "rdma_port": self.rdma_port,
            **{knob: reading.value for knob, reading in readings.items()},
            "source": {knob: reading.source for knob, reading in readings.items()},
            "reason": {knob: reading.reason for knob, reading in readings.items() if reading.reason},
            "shown_by": {knob: reading.shown_by for knob, reading in readings.items()},
            "firmware": self._firmware_facts() if "_firmware" in vars(self) else None,
        }

    def _firmware_facts(self) -> dict[str, Any]:
        """``settings`` (name without port to ``current`` and ``next_boot``), empty with the ``reason``."""
        try:
            return {
                "settings": {name: asdict(each) for name, each in self.firmware().of_port().items()},
                "reason": "",
            }
        except FirmwareError as error:
            return {"settings": {}, "reason": roce_congestion.explained(str(error), self.root)}

    @property
    def driver(self) -> str | None:
        """The kernel driver of the NIC, None for an interface without a device."""
        link = self._net / "device/driver"
        return link.resolve().name if link.is_symlink() else None

    @property
    def rdma_device(self) -> str | None:
        """The RDMA device whose first GID is on this interface, or on its bond (mlx5_0, rxe0), None without one."""
        return self._rdma.device if self._rdma else None

    @property
    def rdma_port(self) -> int | None:
        """The port of ``rdma_device`` with this interface."""
        return self._rdma.port if self._rdma else None

    @property
    def no_lag(self) -> str:
        """Why a bond's member has no RDMA device; empty if it has one, or is no member."""
        return no_lag(self.root, self.netdev)

    def shown_by(self, knob: str) -> str:
        """The command or file that shows this knob to a person."""
        device, port = self.rdma_device or "DEVICE", self.rdma_port or 1
        if knob in roce_congestion.KNOBS:
            return self.congestion.shown_by(knob)
        if knob in DCB_KNOBS:
            by_dcb = f"dcb {_FROM_DCB[knob][0]} show dev {self.netdev}"
            return f"mlnx_qos -i {self.netdev}" if self.backend == "mlnx_qos" else by_dcb
        return {
            "pause_rx": f"ethtool -a {self.netdev}",
            "pause_tx": f"ethtool -a {self.netdev}",
            "active_mtu": f"ibv_devinfo -d {device}",
            "mtu_bytes": f"/sys/class/net/{self.netdev}/mtu",
            "virtual_functions": f"ls -d /sys/class/net/{self.netdev}/device/virtfn*",
            "traffic_class": f"/sys/class/infiniband/{device}/tc/{port}/traffic_class",
            "rdma_cm_mode": f"cma_roce_mode -d {device} -p {port}",
            "rdma_cm_tos": f"cma_roce_tos -d {device} -p {port}",
            "reorder": " ".join(roce_register.get_command("mstreg", self.pci or "PCI")),
        }[knob]

    @property
    def _readers(self) -> dict[str, Callable[[str], Reading]]:
        return {
            **dict.fromkeys(DCB_KNOBS, self._read_dcb_knob),
            **dict.fromkeys(("pause_rx", "pause_tx"), self._read_pause),
            **dict.fromkeys(_RDMA_CM_FILES, self._read_rdma_cm),
            **dict.fromkeys(roce_congestion.KNOBS, self.congestion.read),
            "traffic_class": self._read_traffic_class,
            "reorder": self._read_reorder,
            "active_mtu": self._read_active_mtu,
            "mtu_bytes": lambda knob: Reading(int(_text(self._net / "mtu")), "sysfs", "", self.shown_by(knob)),
            "virtual_functions": self._count_virtual_functions,
        }

    @property
    def _net(self) -> Path:
        return self.root / "sys/class/net" / self.netdev

    @cached_property  # searched among all RDMA devices: slow, and needed by most knobs
    def _rdma(self) -> RdmaPort | None:
        return port_of(self.root, self.netdev)

    @property
    def pci(self) -> str:
        """PCI address of the interface's function; empty for an interface without a device."""
        device = self._net / "device"
        return device.resolve().name if device.exists() else ""

    @cached_property
    def _firmware(self) -> Firmware | FirmwareError:
        try:
            return Firmware(self.pci, self.run)
        except FirmwareError as error:
            return error

    def firmware(self) -> Firmware:
        """The firmware's settings, queried once. Raises FirmwareError if that is impossible."""
        if isinstance(self._firmware, FirmwareError):
            raise self._firmware
        return self._firmware

    @property
    def congestion(self) -> roce_congestion.Congestion:
        """The place of the congestion control of this interface, and its writable files."""
        firmware = self.firmware if self.with_firmware else None
        return roce_congestion.Congestion(self.netdev, self.driver, self.pci, self.root, firmware)

    def _ask(self, *argv: str) -> Answer:
        if argv not in self._answers:
            self._answers[argv] = self.run(argv)
        return self._answers[argv]

    def _read_dcb_knob(self, knob: str) -> Reading:
        """The value of one knob from dcb and mlnx_qos, as far as each exists and shows it; they must not disagree."""
        tools: dict[str, Callable[[str], object]] = {"dcb": self._by_dcb, "mlnx_qos": self._by_mlnx_qos}
        values, refused = {}, []
        for name in tools if self.backend == "auto" else (self.backend,):
            try:
                values[name] = tools[name](knob)
            except Unreadable as why:
                refused.append(why)
            except _NOT_UNDERSTOOD as error:
                refused.append(Unreadable(f"what {name} shows is not understood: {error!r}"))
        if conflicts := [why for why in refused if why.source == CONFLICT]:
            raise conflicts[0]
        if len(values) == 2 and not _agree(values["dcb"], values["mlnx_qos"], knob == "dscp_to_priority"):
            raise Unreadable(f"dcb says {values['dcb']}, mlnx_qos says {values['mlnx_qos']}", CONFLICT)
        for name, value in values.items():
            shown_by = (
                f"mlnx_qos -i {self.netdev}"
                if name == "mlnx_qos"
                else f"dcb {_FROM_DCB[knob][0]} show dev {self.netdev}"
            )
            return Reading(value, name, "", shown_by)
        absent = [why for why in refused if why.source == ABSENT]
        raise Unreadable("; ".join(map(str, absent or refused)), ABSENT if absent else UNREADABLE)

    def _by_dcb(self, knob: str) -> object:
        subject, understand = _FROM_DCB[knob]
        argv = ("dcb", "-j", subject, "show", "dev", self.netdev)
        return understand(_stdout(argv, self._ask(*argv)))

    def _by_mlnx_qos(self, knob: str) -> object:
        argv = ("mlnx_qos", "-i", self.netdev)
        values = parse.parse_mlnx_qos(_stdout(argv, self._ask(*argv)))
        if knob == "dscp_to_priority" and "dscp_pairs" in values:
            return parse.dscp_map(values["dscp_pairs"])
        if knob not in values:
            raise Unreadable(f"mlnx_qos -i {self.netdev} does not show it", ABSENT)
        return values[knob]

    def _read_pause(self, knob: str) -> Reading:
        argv = ("ethtool", "-a", self.netdev)
        return Reading(
            parse.parse_ethtool_pause(_stdout(argv, self._ask(*argv)))[knob], "ethtool", "", self.shown_by(knob)
        )

    def _read_active_mtu(self, knob: str) -> Reading:
        device, port = self._device()
        argv = ("ibv_devinfo", "-d", device)
        mtu = parse.parse_active_mtu(_stdout(argv, self._ask(*argv)), port)
        return Reading(mtu, "ibv_devinfo", "", self.shown_by(knob))

    def _device(self) -> tuple[str, int]:
        if self._rdma is None:
            why = self.no_lag or "no GID under /sys/class/infiniband is on it"
            raise Unreadable(f"{self.netdev} has no RDMA device: {why}", ABSENT)
        return self._rdma.device, self._rdma.port

    def _read_traffic_class(self, knob: str) -> Reading:
        device, port = self._device()
        file = self.root / f"sys/class/infiniband/{device}/tc/{port}/traffic_class"
        if not file.exists():
            raise Unreadable(f"{self.shown_by(knob)} is not there: it comes with NVIDIA's mlx5 modules", ABSENT)
        value = parse.parse_traffic_class(_text(file))
        never = "never set: each queue pair keeps what its application asked for"
        return Reading(value, "sysfs", never if value is None else "", self.shown_by(knob))

    def _read_reorder(self, knob: str) -> Reading:
        if self.driver != roce_congestion.DRIVER:
            raise Unreadable(f"the NIC is not of {roce_congestion.DRIVER}", ABSENT)
        return roce_register.read(self.pci, self._ask, self.root)

    def _count_virtual_functions(self, knob: str) -> Reading:
        found = sum(1 for _ in (self._net / "device").glob("virtfn*"))
        return Reading(found, "sysfs", "", self.shown_by(knob))

    def _read_rdma_cm(self, knob: str) -> Reading:
        """Its folder is created for the reading, as cma_roce_tos does, and removed again; that keeps the value."""
        device, port = self._device()
        base = self.root / "sys/kernel/config/rdma_cm"
        if not base.is_dir():
            raise Unreadable("/sys/kernel/config/rdma_cm is not there: load rdma_cm, mount configfs", UNREADABLE)
        with _config_folder(base / device):
            value = _text(base / device / f"ports/{port}" / _RDMA_CM_FILES[knob])
        return Reading(int(value) if knob == "rdma_cm_tos" else value, "configfs", "", self.shown_by(knob))


def read_rails(
    netdevs: Sequence[str],
    run: Run = run_command,
    root: Path = Path("/"),
    backend: str = "auto",
    *,
    registers: bool = False,
) -> dict[str, dict[str, Any]]:
    """The facts of each rail by the name of its interface; a missing one has all knobs None, source absent."""
    readers = {netdev: RailReader(netdev, run, root, backend) for netdev in netdevs}
    return {netdev: each.facts(registers=registers) for netdev, each in readers.items()}


@contextlib.contextmanager
def _config_folder(folder: Path) -> Iterator[None]:
    made = not folder.is_dir()
    if made:
        folder.mkdir()
    try:
        yield
    finally:
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace").strip()


def _stdout(argv: Sequence[str], answer: Answer) -> str:
    """The output of a program. Raises Unreadable with its own message if it failed."""
    if answer.exit_code == 0:
        return answer.stdout
    if answer.exit_code == MISSING_PROGRAM:
        raise Unreadable(f"{argv[0]} is not installed")
    words = answer.complaint
    source = ABSENT if "not supported" in words.lower() else UNREADABLE
    raise Unreadable(f"{' '.join(argv)}: {words}", source)


def _agree(one: object, other: object, exactly: bool = False) -> bool:
    """Equal; a None inside (which a tool does not show) equals anything unless ``exactly``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list) and not exactly:
        return len(one) == len(other) and all(_agree(one[i], other[i]) for i in range(len(one)))
    return one == other or (not exactly and None in (one, other))
