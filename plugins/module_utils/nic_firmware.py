"""Brings the firmware settings of a host's NICs to what is wanted: reads, judges, writes, resets, reads back.

Standard library only (it runs on hosts, Python 3.9). All NICs are judged before the first is written. A new value is in
effect after a reset of the card, a reboot, or a power cycle, so each setting has two: the current value, and the one
at the next start. What the intent's profile had the role write, and asks for no more, is set back to what was found
(nic_record.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.doca_host import rides
    from ansible_collections.gpufabric.host.plugins.module_utils.nic_record import (
        FILE,
        Record,
        RecordError,
        after_writing,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.nic_settings import (
        NAMES,
        Want,
        below_floor,
        of_port,
        wanted_settings,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_congestion import DRIVER, explained, may_open
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import port_of, text
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import (
        Firmware,
        FirmwareError,
        Setting,
        port_of_function,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import Host, locked
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_report import Absence, Change, Failure, Report
except ImportError:  # in a test
    from doca_host import rides
    from nic_record import FILE, Record, RecordError, after_writing
    from nic_settings import NAMES, Want, below_floor, of_port, wanted_settings
    from roce_congestion import DRIVER, explained, may_open
    from roce_device import port_of, text
    from roce_firmware import Firmware, FirmwareError, Setting, port_of_function
    from roce_host import Host, locked
    from roce_report import Absence, Change, Failure, Report

SPECTRUM_X_PROGRAM = "/opt/mellanox/doca/tools/doca_spcx_cc"
"""NVIDIA's algorithm, which runs beside each port as ``doca_spcx_cc --device <RDMA device>``:
github.com/Mellanox/nic-configuration-operator, pkg/spectrumx/spectrumx.go at 8bfbeb34ba25."""
RESET_TOOLS = {"mlxconfig": "mlxfwreset", "mstconfig": "mstfwreset"}
"""The tool that resets a card, of the package that has the tool for its settings."""
BACK_WITHIN_S = 120.0
POLL_S = 0.5


@dataclass
class FirmwareReport(Report):
    """What one run changed, what it could not, and what each change waits for."""

    reboot_reasons: list[str] = field(default_factory=list)
    power_cycle_reasons: list[str] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    """Cards that were reset, or would be."""


def _serves(cmdline: Path, device: str) -> bool:
    """Is this process NVIDIA's algorithm for this RDMA device? A process that has gone is none."""
    try:
        words = cmdline.read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    is_it = words[0].rpartition("/")[2] == SPECTRUM_X_PROGRAM.rpartition("/")[2]
    return is_it and bool({device, f"--device={device}"}.intersection(words[1:]))


class Nic:
    """The NIC of one rail."""

    def __init__(self, rail: str, host: Host) -> None:
        self.rail, self.host = rail, host
        self.net = host.at(f"/sys/class/net/{rail}")
        self.firmware: Firmware | None = None

    @property
    def there(self) -> bool:
        return self.net.is_dir()

    @property
    def driver(self) -> str:
        link = self.net / "device/driver"
        return link.resolve().name if link.is_symlink() else ""

    @property
    def pci(self) -> str:
        return (self.net / "device").resolve().name

    @property
    def card(self) -> str:
        """PCI address without the function: what is reset as a whole."""
        return self.pci.rpartition(".")[0]

    @property
    def version(self) -> str:
        """Of the firmware that runs; empty without an RDMA device, which shows it."""
        found = port_of(self.host.root, self.rail)
        return text(self.host.at(f"/sys/class/infiniband/{found.device}/fw_ver")) if found else ""

    @property
    def algorithm(self) -> str:
        """Of NVIDIA's own: ``runs`` for this port, ``is installed``, or ``is not installed``."""
        found = port_of(self.host.root, self.rail)
        if found is not None and any(
            _serves(each, found.device) for each in self.host.at("/proc").glob("[0-9]*/cmdline")
        ):
            return "runs"
        return "is installed" if self.host.at(SPECTRUM_X_PROGRAM).is_file() else "is not installed"

    def ask(self) -> Firmware:
        """The settings, queried now. Raises FirmwareError."""
        self.firmware = Firmware(self.pci, self.host.run)
        return self.firmware

    @property
    def settings(self) -> dict[str, Setting]:
        """Those of NAMES, without the port, as asked last."""
        assert self.firmware is not None  # noqa: S101 - asked before
        port, shown = port_of_function(self.pci), self.firmware.settings
        names = {name: of_port(name, port) for name in NAMES}
        return {name: shown[full] for name, full in names.items() if full in shown}

    def facts(self) -> dict[str, Any]:
        """``pci``, ``version``, ``settings`` (of NAMES: ``current``, ``next_boot``), ``written``; or the reason."""
        found: dict[str, Any] = {"pci": None, "version": "", "settings": {}, "written": {}, "reason": ""}
        if not self.there:
            return {**found, "reason": f"there is no interface {self.rail}"}
        found |= {"driver": self.driver, "algorithm": self.algorithm}
        if self.driver != DRIVER:
            return {**found, "reason": f"the NIC is not of {DRIVER}"}
        found |= {"pci": self.pci, "version": self.version}
        try:
            self.ask()
            written = Record(self.host).of(self.pci)
        except FirmwareError as error:
            return {**found, "reason": explained(str(error), self.host.root)}
        except RecordError as error:
            return {**found, "reason": f"{FILE}: {error}"}
        shown = {name: asdict(each) for name, each in self.settings.items()}
        return {**found, "settings": shown, "written": {name: asdict(each) for name, each in written.items()}}


class Run:
    """One run over all rails of a host; ``values`` are the role's variables without their prefix."""

    def __init__(self, values: Mapping[str, Any], host: Host, *, early: bool = False) -> None:
        self.values, self.host, self.early = values, host, early
        self.wants = wanted_settings(values)
        self.report = FirmwareReport()
        self.record: Record | None = None
        """What earlier runs wrote; None if that cannot be read."""
        try:
            self.record = Record(host)
        except RecordError as error:
            why = f"{error}. It alone says what this role wrote; repair it, or remove it and set the rest by hand"
            self.report.failures.append(Failure("host", FILE, "could not tell", "as this role wrote it", why))

    def wants_of(self, nic: Nic) -> tuple[Want, ...]:
        """What the variables want of this NIC, and what they want no more, unless another tool has set it since."""
        if self.record is None:
            return self.wants
        back = self.record.to_take_back(nic.pci, self.wants)
        if nic.firmware is not None:
            own, shown = self.record.of(nic.pci), nic.settings
            back = tuple(each for each in back if each.name in shown and own[each.name].is_ours(shown[each.name]))
        return (*self.wants, *back)

    def judge(self, names_now: Mapping[str, str]) -> list[Nic]:
        """NICs to be brought; what cannot be is in the report. Changes nothing."""
        found = []
        for rail in self.values["rails"]:
            nic = Nic(rail, self.host)
            if not nic.there and rail in names_now:
                nic = Nic(names_now[rail], self.host)
            if self._can_be_judged(nic) and self.wants_of(nic):
                found.append(nic)
        found = [nic for nic in found if self._can_be_queried(nic)]
        for nic in found:
            self._judge(nic)
        if self.values["reset_allowed"] and any(map(self._to_reset, found)):
            self._judge_resets()
        return found

    def _fail(self, nic: Nic, what: str, found: str, wanted: str, why: str) -> None:
        self.report.failures.append(Failure(nic.rail, what, found, wanted, why))

    def _can_be_judged(self, nic: Nic) -> bool:
        if not nic.there:
            if not self.early:
                self._fail(nic, "interface", "none", "one", "rail_interfaces names the rails; see ip -br link")
            return False
        if nic.driver != DRIVER:
            self.report.absent.append(Absence(nic.rail, "firmware", "as asked", f"the NIC is not of {DRIVER}"))
            return False
        if self.values["floors"]:
            self._judge_version(nic)
        if self.values["spectrum_x"] and nic.algorithm == "is not installed":
            why = f"there is no {SPECTRUM_X_PROGRAM}, of NVIDIA's package doca-spcx-cc; this role does not install it"
            remedy = "install it, or take congestion: dcqcn in the intent"
            self._fail(
                nic, "Spectrum-X algorithm", nic.algorithm, "installed (nic_firmware_spectrum_x)", f"{why}; {remedy}"
            )
        return True

    def _judge_version(self, nic: Nic) -> None:
        version, floors = nic.version, ", ".join(self.values["floors"])
        if not version:
            if not self.early:
                why = "no RDMA device shows it (/sys/class/infiniband/*/fw_ver); rdma_stack loads its driver"
                self._fail(nic, "firmware's version", "could not tell", f"nic_firmware_floors {floors}", why)
            return
        floor = below_floor(version, self.values["floors"])
        if floor and not self.values["below_floor_allowed"]:
            remedy = "burn a newer image (mlxfwmanager, flint), or set nic_firmware_below_floor_allowed: true"
            self._fail(nic, "firmware's version", version, f"{floor} or later", f"below nic_firmware_floors; {remedy}")

    def _can_be_queried(self, nic: Nic) -> bool:
        try:
            nic.ask()
        except FirmwareError as error:
            if self.early and error.not_installed and may_open(self.host.root):
                by = "rdma_stack would install its tool; judged after that"
                self.report.changes.append(Change(nic.rail, "firmware", "could not tell", "as asked", by))
                return False
            asking = ", ".join(sorted({each.variable for each in self.wants_of(nic)}))
            why = f"{explained(str(error), self.host.root)}. Asked for by {asking}"
            self._fail(nic, "firmware", "could not tell", "as asked", why)
            return False
        return True

    def _judge(self, nic: Nic) -> None:
        for want in self.wants_of(nic):
            name, setting = self._setting(nic, want)
            if setting is None:
                if not want.if_there:
                    why = f"the card has no {want.name} ({nic.firmware.tool} -d {nic.pci} -e q)"  # type: ignore[union-attr]
                    remedy = f"take back {want.variable}, or set it for the hosts alone whose cards have it"
                    self._fail(nic, name, "no such setting", want.with_reason, f"{why}; {remedy}")
            elif setting.next_boot != want.value and not self.values["change_allowed"]:
                why = "nic_firmware_change_allowed is false. Set it to true"
                self._fail(nic, name, str(setting.next_boot), want.with_reason, f"{why}, or change {want.variable}")

    def _setting(self, nic: Nic, want: Want) -> tuple[str, Any]:
        name = want.on_port(port_of_function(nic.pci))
        assert nic.firmware is not None  # noqa: S101 - asked before
        return name, nic.firmware.settings.get(name)

    def _to_reset(self, nic: Nic) -> bool:
        """Does any setting wait, or will it, for a reset of the card?"""
        wants = [want for want in self.wants_of(nic) if not want.by_power_cycle]
        settings = [self._setting(nic, want)[1] for want in wants]
        values = [want.value for want in wants]
        return any(each is not None and each.current != value for each, value in zip(settings, values))  # noqa: B905

    def _judge_resets(self) -> None:
        """A reset takes the driver away from all ports of the card."""
        for reason in rides(self.host.root, self.values["rails"]):
            remedy = "end that, or set nic_firmware_reset_allowed: false and have a reboot bring the settings in"
            self.report.failures.append(Failure("host", "reset of a NIC", "in use", "idle", f"{reason}; {remedy}"))

    def bring(self, nics: list[Nic], *, check: bool) -> None:
        """Write what differs, NIC by NIC, up to the first that does not take it; then reset what is to be reset."""
        for nic in nics:
            if self.report.failures:
                self.report.not_tried.append(f"{nic.rail} firmware")
            else:
                self._write(nic, check=check)
        if self.report.failures:
            return
        cards = {nic.card: nic for nic in reversed(nics) if self._waits(nic)}
        if self.values["reset_allowed"]:
            for nic in reversed(cards.values()):
                self._reset(nic, nics, check=check)
        else:
            for nic in nics:
                if self._waits(nic):
                    reason = f"{nic.rail}: the firmware of {nic.pci} takes its settings after a reset (mlxfwreset)"
                    self.report.reboot_reasons.append(reason)

    def _write(self, nic: Nic, *, check: bool) -> None:
        firmware = nic.ask()  # another port of the same card may have had it written just now
        differing = {}
        for want in self.wants_of(nic):
            name, setting = self._setting(nic, want)
            if setting is None:
                continue
            if setting.next_boot != want.value:
                differing[name] = str(want.value)
                found, by = str(setting.next_boot), f"{firmware.tool} set"
                self.report.changes.append(Change(nic.rail, name, found, str(want.value), by))
            if want.by_power_cycle and setting.current != want.value:
                reason = f"{nic.rail}: {name} of {nic.pci} is in effect after a power cycle"
                self.report.power_cycle_reasons.append(reason)
        if not check:
            self._remember(nic)
        try:
            if differing and not check:
                firmware.write(differing)
        except FirmwareError as error:
            self._fail(nic, "firmware", "another value", "as asked", str(error))

    def _remember(self, nic: Nic) -> None:
        """Before a write what it will change, after a reset what is back."""
        assert self.record is not None  # noqa: S101 - else the host is refused
        own = self.record.of(nic.pci)
        self.record.keep(nic.pci, after_writing(own, self.wants_of(nic), nic.settings))

    def _waits(self, nic: Nic) -> bool:
        return self._to_reset(nic)

    def _reset(self, nic: Nic, nics: list[Nic], *, check: bool) -> None:
        """Reset the card, wait until its rails are back, and read the current values."""
        assert nic.firmware is not None  # noqa: S101 - asked before
        command = (RESET_TOOLS[nic.firmware.tool], "-d", nic.pci, "-y", "reset")
        self.report.resets.append(nic.card)
        self.report.changes.append(Change(nic.rail, "firmware", "waits for a reset", "in effect", " ".join(command)))
        if check:
            return
        of_card = [each for each in nics if each.card == nic.card]
        answer = self.host.run(command)
        words = "" if answer.exit_code == 0 else f"; {' '.join(command)}: {answer.complaint}"
        until = time.monotonic() + BACK_WITHIN_S
        while not all(each.there for each in of_card) and time.monotonic() < until:
            time.sleep(POLL_S)
        for each in of_card:
            self._judge_after_reset(each, words)

    def _judge_after_reset(self, nic: Nic, words: str) -> None:
        remedy = "reboot, or cycle the power" + words
        if not nic.there:
            self._fail(nic, "interface", f"not back within {BACK_WITHIN_S:g} s after the reset", "back", remedy)
            return
        try:
            nic.ask()
        except FirmwareError as error:
            self._fail(nic, "firmware", "could not tell after the reset", "as asked", f"{error}{words}")
            return
        self._remember(nic)
        for want in self.wants_of(nic):
            name, setting = self._setting(nic, want)
            if setting is not None and not want.by_power_cycle and setting.current != want.value:
                self._fail(nic, name, f"{setting.current} after the reset", str(want.value), remedy)


def judge(
    values: Mapping[str, Any], host: Host, names_now: Mapping[str, str], *, early: bool = False
) -> FirmwareReport:
    """What stands against it on any NIC, found by reading alone."""
    run = Run(values, host, early=early)
    run.judge(names_now)
    return run.report


def apply(values: Mapping[str, Any], host: Host, *, check: bool = False) -> FirmwareReport:
    """Bring all NICs to what is wanted; nothing is written on any if one of them is refused."""
    run = Run(values, host, early=check)
    if check:
        nics = run.judge({})
        run.bring(nics, check=True)
        return run.report
    with locked(host):
        nics = run.judge({})
        if not run.report.failures:
            run.bring(nics, check=False)
    return run.report


def read_nics(rails: list[str], root: Path) -> dict[str, dict[str, Any]]:
    """Rail -> ``Nic.facts``."""
    host = Host(root=root)
    return {rail: Nic(rail, host).facts() for rail in rails}
