"""Brings the rails of a host to the RoCE policy: reads, sets what differs, reads each set back, says what it did.

Standard library only (it runs on hosts, Python 3.9): under Ansible as part of the module roce_qos, and as the service
gpufabric-roce-qos. The order of the knobs is the one that works on ConnectX: RDMA-CM's module first, then DCBX out of
the firmware's hands (else trust is refused or taken back), trust and code points, PFC, scheduling, pause, cable length,
RDMA-CM and verbs defaults, ECN. A set that did not take is a failure, whatever the tool's exit code says: ``dcb pfc
set`` exits 0 where the driver refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

try:
    from ansible.module_utils.roce_commands import Step, Write, dcb_steps, driver_steps, mlnx_qos_steps, pause_steps
    from ansible.module_utils.roce_firmware import Firmware, FirmwareError, port_of, wanted_settings
    from ansible.module_utils.roce_knobs import holds, spell, wanted_values
    from ansible.module_utils.roce_policy import KNOBS, Policy
    from ansible.module_utils.roce_state import (
        ABSENT,
        CONFLICT,
        DCB_KNOBS,
        UNREADABLE,
        Answer,
        RailReader,
        Reading,
        Run,
        run_command,
    )
except ImportError:  # installed beside the service
    from roce_commands import Step, Write, dcb_steps, driver_steps, mlnx_qos_steps, pause_steps
    from roce_firmware import Firmware, FirmwareError, port_of, wanted_settings
    from roce_knobs import holds, spell, wanted_values
    from roce_policy import KNOBS, Policy
    from roce_state import ABSENT, CONFLICT, DCB_KNOBS, UNREADABLE, Answer, RailReader, Reading, Run, run_command

STRICT_DRIVER = "mlx5_core"  # has every knob, so a missing one is a fault and not a property of the NIC
LOCK = "/run/gpufabric-roce-qos.lock"  # not /run/lock, which everybody may write to
LOCK_WAIT_S = 300
RDMA_CM = "/sys/kernel/config/rdma_cm"
RDMA_KNOBS = ("rdma_cm_mode", "rdma_cm_tos", "traffic_class")
FOLLOWERS = ("trust", "pause_tx", "cable_m")  # may come with the knob set just before
_DCB_QUERY = re.compile(r"dcb -j \w+ show dev \S+")
NOT_READ = (ABSENT, UNREADABLE)  # a conflict is something to be set right


@dataclass(frozen=True)
class Host:
    """The machine: how a program is run on it and where its /sys, /proc and /run are."""

    root: Path = Path("/")
    run: Run = run_command

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def reader(self, rail: str, backend: str) -> RailReader:
        return RailReader(rail, run=self.run, root=self.root, backend=backend)


@dataclass(frozen=True)
class Change:
    """One knob that was set, or would be (check mode)."""

    rail: str
    knob: str
    found: str
    wanted: str
    by: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: {self.found} -> {self.wanted} ({self.by})"


@dataclass(frozen=True)
class Absence:
    """One knob that this rail does not have."""

    rail: str
    knob: str
    wanted: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: absent ({self.reason}); wanted {self.wanted}; shown on: hardware only"


@dataclass(frozen=True)
class Failure:
    """One knob that is not as the policy says, and why."""

    rail: str
    knob: str
    found: str
    wanted: str
    why: str

    def __str__(self) -> str:
        return f"{self.rail} {self.knob}: wanted {self.wanted}, found {self.found}: {self.why}"


@dataclass
class Report:
    """What one run did and could not do."""

    changes: list[Change] = field(default_factory=list)
    absent: list[Absence] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    reboot_reasons: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "absent_words": self.absent_words()}

    def absent_words(self) -> list[str]:
        """One line for each reason, with the knobs and the rails it is true of."""
        knobs: dict[str, tuple[set[str], dict[str, None]]] = {}
        for each in self.absent:
            reason = _DCB_QUERY.sub("dcb", each.reason).replace(each.rail, "RAIL")
            rails, names = knobs.setdefault(reason, (set(), {}))
            rails.add(each.rail)
            names[each.knob] = None
        return [
            f"{', '.join(sorted(rails))} without {', '.join(names)} ({reason}); shown on: hardware only"
            for reason, (rails, names) in knobs.items()
        ]


def apply(policy: Policy, host: Host, *, check: bool = False) -> Report:
    """All rails of the policy, one after the other. With ``check`` nothing is changed, the report says what would be.

    One run at a time on a host: service and Ansible wait for each other.
    """
    report = Report()
    with _alone(host, check=check):
        _load_rdma_cm(host, report, check=check)
        for name in policy.rails:
            _Rail(name, policy, host, report, check=check).bring()
            if policy.firmware:
                _bring_firmware(name, policy, host, report, check=check)
    return report


@contextlib.contextmanager
def _alone(host: Host, *, check: bool) -> Iterator[None]:
    if check:
        yield
        return
    path = host.at(LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="ascii") as file:
        _take(file.fileno(), path)
        yield


def _take(descriptor: int, path: Path) -> None:
    until = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                busy = f"{path} is locked for more than {LOCK_WAIT_S} s by another run"
                raise TimeoutError(f"{busy}: systemctl status gpufabric-roce-qos") from None
            time.sleep(0.5)
        else:
            return


def _load_rdma_cm(host: Host, report: Report, *, check: bool) -> None:
    """Without it there is no configfs folder and no default ToS for RDMA-CM."""
    if host.at(RDMA_CM).is_dir():
        return
    command = ("modprobe", "rdma_cm")
    change = Change("host", "rdma_cm_module", "not loaded", "loaded", " ".join(command))
    words = "" if check else _complaint(host.run(command))
    if check or host.at(RDMA_CM).is_dir():
        report.changes.append(change)
        return
    why = f"{change.by}: {words or 'exit code 0'}; is configfs mounted on /sys/kernel/config?"
    report.failures.append(Failure("host", change.knob, change.found, change.wanted, why))


def _bring_firmware(rail: str, policy: Policy, host: Host, report: Report, *, check: bool) -> None:
    """What will hold after the next reset of the NIC; a reason to reboot for all that does not hold yet."""
    pci = host.at(f"/sys/class/net/{rail}/device").resolve().name
    if host.reader(rail, policy.backend).driver != STRICT_DRIVER:
        report.absent.append(Absence(rail, "firmware", "the policy", f"the NIC is not of {STRICT_DRIVER}"))
        return
    try:
        firmware = Firmware(pci, host.run)
        differing = firmware.differing(wanted_settings(policy, port_of(pci)))
        for name, (found, wanted) in differing.items():
            report.changes.append(Change(rail, name, found, wanted, firmware.tool + " set"))
        if differing and not check:
            firmware.write({name: wanted for name, (_, wanted) in differing.items()})
        if firmware.waits_for_reset(wanted_settings(policy, port_of(pci))) or (check and differing):
            report.reboot_reasons.append(f"{rail}: the firmware of {pci} takes its settings after a reset (mlxfwreset)")
    except FirmwareError as error:
        report.failures.append(Failure(rail, "firmware", "unknown", "the policy", str(error)))


def _complaint(answer: Answer) -> str:
    """A tool's complaint in one line; nothing where it had none."""
    words = " ".join((answer.stderr.strip() or answer.stdout.strip()).split())
    return f"exit code {answer.exit_code}: {words[:300]}" if answer.exit_code or answer.stderr.strip() else ""


class _Rail:
    """One rail on its way to the policy."""

    def __init__(self, name: str, policy: Policy, host: Host, report: Report, *, check: bool) -> None:
        self.name, self.policy, self.host, self.report, self.check = name, policy, host, report, check
        self.wanted = wanted_values(policy)
        self.read_anew()

    def read_anew(self) -> None:
        self.reader = self.host.reader(self.name, self.policy.backend)

    def bring(self) -> None:
        """Each knob in turn; at last all of them once more, since one set can undo another."""
        if not self.host.at(f"/sys/class/net/{self.name}").exists():
            self.missing("interface", "rail_interfaces names the rails; see ip -br link")
            return
        knobs = [knob for knob in KNOBS if knob in self.wanted]
        if self.reader.rdma_device is None:
            self.missing("RDMA device", "rdma_stack loads the driver, or makes the device of Soft-RoCE; see rdma link")
            knobs = [knob for knob in knobs if knob not in RDMA_KNOBS]
        before = {knob: self.reader.read(knob) for knob in knobs}
        changed = [knob for knob, reading in before.items() if self.bring_knob(knob, reading)]
        if not changed or self.check:
            return
        self.read_anew()
        for knob, was in before.items():
            was_right = knob in changed or holds(knob, was.value, self.wanted[knob])
            if was_right and not holds(knob, self.reader.read(knob).value, self.wanted[knob]):
                self.fail(knob, self.reader.read(knob), "held, but a later set or somebody else took it back")

    def missing(self, what: str, why: str) -> None:
        """In check mode an earlier role may be about to make it."""
        if self.check:
            change = Change(self.name, f"knobs of the {what}", f"no {what} yet", "as the policy says", why)
            self.report.changes.append(change)
        else:
            self.report.failures.append(Failure(self.name, what, "none", "one", why))

    def bring_knob(self, knob: str, before: Reading) -> bool:
        """Set one knob if it differs. Was it set, and does it hold?"""
        wanted = self.wanted[knob]
        come_along = knob in FOLLOWERS or not_read(before)
        now = self.reader.read(knob) if come_along and not self.check else before
        if not_read(now) and not (self.check and self.comes_with_another(knob)):
            self.cannot_read(knob, now)
            return False
        if holds(knob, before.value, wanted):
            return False
        steps = self.steps(knob, now if not_read(before) else before)
        by = "; ".join(str(step) if isinstance(step, Write) else " ".join(step) for step in steps)
        if not self.check and not holds(knob, now.value, wanted) and not self.set_knob(knob, steps, by):
            return False
        found = self.found(knob, before)
        self.report.changes.append(Change(self.name, knob, found, spell(knob, wanted), by or "with another knob"))
        return True

    def set_knob(self, knob: str, steps: Sequence[Step], by: str) -> bool:
        """Do the steps and read back: what a tool says of itself only explains."""
        words = "; ".join(filter(None, (self.do(step) for step in steps)))
        self.read_anew()
        reading = self.reader.read(knob)
        took = holds(knob, reading.value, self.wanted[knob])
        if not took:
            self.fail(knob, reading, f"{by or 'what sets it'} did not take" + (f" ({words})" if words else ""))
        return took

    def comes_with_another(self, knob: str) -> bool:
        """In check mode: will this knob be readable once an earlier one is set?"""
        if knob.startswith("rdma_cm_"):
            return not self.host.at(RDMA_CM).is_dir()
        return knob in DCB_KNOBS and self.reader.read("dcbx").value == "firmware"

    def steps(self, knob: str, reading: Reading) -> Sequence[Step]:
        """By the tool that showed the knob, or (nothing did, or two disagreed) the one asked for."""
        if knob in ("pause_rx", "pause_tx"):
            return pause_steps(self.name)
        if knob in DCB_KNOBS and reading.source != "mlnx_qos" and self.policy.backend != "mlnx_qos":
            return dcb_steps(knob, self.name, self.policy, reading.value)
        if knob in DCB_KNOBS:
            length = self.reader.read("cable_m").value
            return mlnx_qos_steps(knob, self.name, self.policy, reading.value, length)
        device, port = self.reader.rdma_device or "", self.reader.rdma_port or 1
        return driver_steps(knob, self.name, (device, port), self.policy, reading.value)

    def do(self, step: Step) -> str:
        """What went wrong, as far as the tool or the kernel says; the reading back decides."""
        if not isinstance(step, Write):
            return _complaint(self.host.run(step))
        try:
            with configured(self.host, step.path):
                self.host.at(step.path).write_text(step.text + "\n", encoding="ascii")
        except OSError as error:
            return f"{step}: {error.strerror}"
        return ""

    def cannot_read(self, knob: str, reading: Reading) -> None:
        allowed = knob in self.policy.absent_allowed
        strict = self.reader.driver == STRICT_DRIVER or reading.source != ABSENT
        if strict and not allowed:
            why = f"{reading.reason}. Where that is as it should be, name {knob} in roce_qos_absent_allowed"
            wanted = spell(knob, self.wanted[knob])
            self.report.failures.append(Failure(self.name, knob, reading.source, wanted, why))
            return
        absence = Absence(self.name, knob, spell(knob, self.wanted[knob]), reading.reason)
        self.report.absent.append(absence)

    def fail(self, knob: str, reading: Reading, why: str) -> None:
        wanted = spell(knob, self.wanted[knob])
        self.report.failures.append(Failure(self.name, knob, self.found(knob, reading), wanted, why))

    @staticmethod
    def found(knob: str, reading: Reading) -> str:
        is_read = reading.value is not None or reading.source not in (*NOT_READ, CONFLICT)
        return spell(knob, reading.value) if is_read else f"{reading.source} ({reading.reason})"


def not_read(reading: Reading) -> bool:
    """Is there no value because it could not be read?"""
    return reading.value is None and reading.source in NOT_READ


@contextlib.contextmanager
def configured(host: Host, path: str) -> Iterator[None]:
    """Within, RDMA-CM's folder of the device is there.

    What is written to it stays when the folder goes; a folder that stayed would hold the device.
    """
    folder = host.at(path).parents[2] if path.startswith(RDMA_CM) else None
    made = folder is not None and not folder.exists()
    if folder is not None and made:
        folder.mkdir()
    try:
        yield
    finally:
        if folder is not None and made:
            with contextlib.suppress(OSError):
                folder.rmdir()
