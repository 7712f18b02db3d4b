"""One rail: its knobs read, judged, and set with each value read back.

Standard library only (it runs on hosts, Python 3.9). The order of the knobs is the one that works on ConnectX: DCBX
under the host's control (else trust is refused or reverted), trust and code points, PFC, scheduling, pause, cable
length, RDMA-CM and verbs defaults, ECN. A setting without effect is a failure, whatever the tool's exit code:
``dcb pfc set`` exits 0 where the driver refused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_commands import (
        Step,
        Write,
        dcb_steps,
        driver_steps,
        mlnx_qos_steps,
        pause_steps,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_congestion import DRIVER
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import RDMA_CM, Host, configured
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_knobs import holds, spell, wanted_values
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_parse import (
        ABSENT,
        CONFLICT,
        NOT_QUERIED,
        UNREADABLE,
        Reading,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_policy import KNOBS, NEVER_ABSENT, Policy
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_register import set_command
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_report import Absence, Change, Failure, Report
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import Answer
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_state import DCB_KNOBS
except ImportError:  # installed beside the service
    from roce_commands import Step, Write, dcb_steps, driver_steps, mlnx_qos_steps, pause_steps
    from roce_congestion import DRIVER
    from roce_host import RDMA_CM, Host, configured
    from roce_knobs import holds, spell, wanted_values
    from roce_parse import ABSENT, CONFLICT, NOT_QUERIED, UNREADABLE, Reading
    from roce_policy import KNOBS, NEVER_ABSENT, Policy
    from roce_register import set_command
    from roce_report import Absence, Change, Failure, Report
    from roce_run import Answer
    from roce_state import DCB_KNOBS

RDMA_KNOBS = ("rdma_cm_mode", "rdma_cm_tos", "traffic_class")
FOLLOWERS = ("trust", "pause_tx", "cable_m")  # may change together with the knob set just before
OF_DCBX = ("trust", "dscp_to_priority")  # the driver does not show them while the firmware has DCBX
NOT_READ = (ABSENT, UNREADABLE)  # a conflict can be repaired


class Rail:
    """One rail to which the policy is applied.

    ``check``: set nothing; ``early``: what other roles bring may be missing yet; ``with_firmware``: query the firmware.
    """

    to_be_named: Collection[str] | None = None
    """The names that rail_interfaces will give, if that is known: an interface of another name has no maker."""

    def __init__(
        self,
        name: str,
        policy: Policy,
        host: Host,
        report: Report,
        *,
        check: bool = False,
        early: bool = False,
        with_firmware: bool = True,
    ) -> None:
        self.name, self.policy, self.host, self.report = name, policy, host, report
        self.check, self.early, self.with_firmware = check, early, with_firmware
        self.wanted = wanted_values(policy, name)
        self.before: dict[str, Reading] = {}
        self.read_anew()

    def read_anew(self) -> None:
        self.reader = self.host.reader(self.name, self.policy.backend, with_firmware=self.with_firmware)

    def look(self) -> None:
        """Read every knob, and report those that cannot be set to the policy here. Changes nothing."""
        if not self.host.at(f"/sys/class/net/{self.name}").exists():
            if self.early and self.to_be_named is not None and self.name not in self.to_be_named:
                names = ", ".join(sorted(self.to_be_named)) or "none"
                why = f"rail_interfaces_rails gives none this name (it has {names}). Correct it; see ip -br link"
                self.report.failures.append(Failure(self.name, "interface", "none", "one", why))
                return
            self.missing("interface", "rail_interfaces names the rails; see ip -br link")
            return
        knobs = [knob for knob in KNOBS if knob in self.wanted]
        if self.reader.rdma_device is None:
            usual = "rdma_stack loads the driver, or makes the device of Soft-RoCE; see rdma link"
            self.missing("RDMA device", self.reader.no_lag or usual)
            knobs = [knob for knob in knobs if knob not in RDMA_KNOBS]
        readings = {knob: self.reader.read(knob) for knob in knobs}
        self.before = {knob: reading for knob, reading in readings.items() if self.can_be_set(knob, reading)}

    def can_be_set(self, knob: str, reading: Reading) -> bool:
        """Can the knob be set, or is it as wanted already? If neither, the report has the reason."""
        if reading.source == NOT_QUERIED:
            self.report.not_queried.append(f"{self.name} {knob}: {reading.reason}")
            return False
        if not_read(reading) and not self.comes_with_another(knob):
            self.cannot_read(knob, reading)
            return False
        if reading.source == "firmware" and not self.holds(knob, reading):
            if not self.policy.firmware:
                remedy = "Set nic_firmware_policy: true (role nic_firmware sets it), or install NVIDIA's modules"
                self.fail(knob, reading, f"only the firmware holds it on this host. {remedy}")
            return False
        return True

    def bring(self, *, go_on: bool = False) -> None:
        """Set each knob in turn, up to the first that does not take, or, to ``go_on``, all that do.

        Finally read all of them again, since one change can undo another.
        """
        changed: list[str] = []
        failures = len(self.report.failures)
        for knob, reading in self.before.items():
            if len(self.report.failures) > failures and not (go_on or self.check):
                self.report.not_tried.extend(self.untried(after=knob))
                return
            if self.bring_knob(knob, reading):
                changed.append(knob)
        if not changed or self.check:
            return
        self.read_anew()
        for knob, was in self.before.items():
            was_right = knob in changed or self.holds(knob, was)
            if was_right and not self.holds(knob, self.reader.read(knob)):
                self.fail(knob, self.reader.read(knob), "held, but a later set or another tool took it back")

    def untried(self, after: str = "") -> list[str]:
        """The knobs that differ and were not set: all of them, or from ``after`` on."""
        knobs = list(self.before)
        left = knobs[knobs.index(after) :] if after else knobs
        return [f"{self.name} {knob}" for knob in left if not self.holds(knob, self.before[knob])]

    def holds(self, knob: str, reading: Reading) -> bool:
        return holds(knob, reading.value, self.wanted[knob], reading.source)

    def missing(self, what: str, why: str) -> None:
        """Report a missing part; early, another role creates it."""
        if self.early:
            change = Change(self.name, f"knobs of the {what}", f"no {what} yet", "as the policy says", why)
            self.report.changes.append(change)
        else:
            self.report.failures.append(Failure(self.name, what, "none", "one", why))

    def comes_with_package(self, what: str, wanted: str, why: str, package: str) -> None:
        """Early: what cannot be read before another role installed its tool."""
        by = f"rdma_stack would install {package}; judged after that"
        self.report.changes.append(Change(self.name, what, f"could not tell ({why})", wanted, by))

    def bring_knob(self, knob: str, before: Reading) -> bool:
        """Set one knob if it differs. Returns whether it was set, and whether it is as wanted."""
        wanted = self.wanted[knob]
        come_along = knob in (*FOLLOWERS, *RDMA_KNOBS) or not_read(before)
        now = self.reader.read(knob) if come_along and not self.check else before
        if not_read(now) and not (self.check and self.comes_with_another(knob)):
            self.cannot_read(knob, now)
            return False
        of_bond = knob in RDMA_KNOBS and not not_read(before) and self.holds(knob, now)  # set for another member
        if self.holds(knob, before) or of_bond:
            return False
        steps = self.steps(knob, now if not_read(before) else before)
        by = "; ".join(str(step) if isinstance(step, Write) else " ".join(step) for step in steps)
        if not self.check and not self.holds(knob, now) and not self.set_knob(knob, steps, by):
            return False
        found = self.found(knob, before)
        self.report.changes.append(Change(self.name, knob, found, spell(knob, wanted), by or "with another knob"))
        return True

    def set_knob(self, knob: str, steps: Sequence[Step], by: str) -> bool:
        """Execute the steps and read back; a tool's own messages are only explanations."""
        words = "; ".join(filter(None, (self.do(step) for step in steps)))
        self.read_anew()
        reading = self.reader.read(knob)
        took = self.holds(knob, reading)
        if not took:
            self.fail(knob, reading, f"{by or 'what sets it'} did not take" + (f" ({words})" if words else ""))
        return took

    def comes_with_another(self, knob: str) -> bool:
        """Will this knob be readable once an earlier one is set?

        While the firmware has DCBX, mlx5 shows no code points (en_dcbnl.c); everything else of DCB it shows as ever.
        """
        if knob.startswith("rdma_cm_"):
            return not self.host.at(RDMA_CM).is_dir()
        return knob in OF_DCBX and self.reader.read("dcbx").value == "firmware"

    def steps(self, knob: str, reading: Reading) -> Sequence[Step]:
        """The steps of the tool that showed the knob, or (none did, or two disagreed) of the requested one."""
        if knob in ("pause_rx", "pause_tx"):
            return pause_steps(self.name)
        if knob == "reorder":
            return [set_command(reading.source, self.reader.pci)]
        if knob in DCB_KNOBS and reading.source != "mlnx_qos" and self.policy.backend != "mlnx_qos":
            return dcb_steps(knob, self.name, self.policy, reading.value)
        if knob in DCB_KNOBS:
            length = self.reader.read("cable_m").value
            return mlnx_qos_steps(knob, self.name, self.policy, reading.value, length)
        device, port = self.reader.rdma_device or "", self.reader.rdma_port or 1
        if knob in ("cnp_dscp", "cnp_priority"):
            return [Write(self.reader.congestion.file(knob), str(self.wanted[knob]))]
        return driver_steps(knob, self.name, (device, port), self.policy, reading.value)

    def do(self, step: Step) -> str:
        """The error message of the tool or the kernel; the value read back decides."""
        if not isinstance(step, Write):
            return complaint(self.host.run(step))
        try:
            with configured(self.host, step.path):
                self.host.at(step.path).write_text(step.text + "\n", encoding="ascii")
        except OSError as error:
            return f"{step}: {error.strerror}"
        return ""

    def cannot_read(self, knob: str, reading: Reading) -> None:
        """A failure on ConnectX, unless the NIC has no such knob and the site allows that."""
        wanted, lacks = spell(knob, self.wanted[knob]), reading.source == ABSENT
        if self.early and reading.package:
            self.comes_with_package(knob, wanted, reading.reason, reading.package)
            return
        if lacks and (self.reader.driver != DRIVER or knob in self.policy.absent_allowed):
            self.report.absent.append(Absence(self.name, knob, wanted, reading.reason))
            return
        allowed = lacks and knob not in NEVER_ABSENT
        remedy = f". Where that is as it should be, name {knob} in roce_qos_absent_allowed" if allowed else ""
        found = "absent" if lacks else "could not tell"
        self.report.failures.append(Failure(self.name, knob, found, wanted, reading.reason + remedy))

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


def complaint(answer: Answer) -> str:
    """A tool's error message in one line; empty if there was none."""
    words = " ".join((answer.stderr.strip() or answer.stdout.strip()).split())
    return f"exit code {answer.exit_code}: {words[:300]}" if answer.exit_code or answer.stderr.strip() else ""
