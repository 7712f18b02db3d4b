"""Files of a host that come back after a time unless their change is confirmed: the copy, the script, the timer.

Standard library only (it runs on hosts, Python 3.9). Used by files_taken_back and network_adopted.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule

SCRIPT = """#!/bin/sh
# Brings back what was there before a change that was not confirmed. At boot services are not running yet.
cd {folder} || exit 1
{first}
{files}
if [ "$1" != boot ]; then
{live}
fi
systemctl disable --quiet {unit}.service
rm -f {unit_file}
cd / && rm -rf {folder}
logger -t gpufabric 'the change of {name} was not confirmed: it was taken back'
{at_boot}
"""
UNIT = """# Written by Ansible (gpufabric); removed once the change is confirmed.
[Unit]
Description=Take back the change of {name} that was not confirmed
Before={services}
ConditionPathExists={script}

[Service]
Type=oneshot
ExecStart={start} boot

[Install]
WantedBy=multi-user.target
"""


def of_path(number: int, path: str) -> str:
    """A file or folder as it was; a folder stays the same one, which may be a mount."""
    there = shlex.quote(path)
    if Path(path).is_dir():
        return f"mkdir -p {there} && find {there} -mindepth 1 -delete && cp -a {number}/. {there}/"
    if not Path(path).exists():
        return f"rm -rf {there}"
    return f"cp -a {number} {there}.before && mv -fT {there}.before {there}"


def boot_id() -> str:
    """What tells one start of the kernel from another; a container's restart is told by its first process."""
    first = Path("/proc/1/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text(encoding='utf-8').strip()} {first}"


class TakeBack:
    """The copy of what was there, and what brings it back."""

    def __init__(
        self,
        module: AnsibleModule,
        paths: Sequence[str],
        *,
        live: Sequence[str] = (),
        before: Sequence[str] = (),
        first: Sequence[str] = (),
        at_boot: Sequence[str] = (),
        after_boot_s: int | None = None,
    ) -> None:
        """``live``: lines of shell that have the running host follow its files; ``before``: units that read them.

        ``first``: lines that run before the copy comes back; ``at_boot``: after it, where it comes back at a boot;
        ``after_boot_s``: the change is for the next boot, and the time runs from there; None: from now on, and a boot
        brings the copy back at once.
        """
        self.module = module
        self.paths = paths
        self.live, self.before, self.first, self.at_boot = live, before, first, at_boot
        self.after_boot_s = after_boot_s
        self.name: str = module.params["name"]
        self.unit = f"gpufabric-take-back-{self.name}"
        self.timer = f"{self.unit}-timer.timer"
        self.folder = Path(module.params["state_folder"]) / self.name
        self.script = self.folder / "bring-back"
        self.boot = self.folder / "boot-id"
        self.unit_file = Path(module.params["units_folder"]) / f"{self.unit}.service"

    def run(self, *command: str) -> None:
        """A command that must not fail."""
        self.module.run_command(list(command), check_rc=True)

    def start(self) -> None:
        """Keep the copy, then start what brings it back."""
        if self.script.exists():
            self.module.fail_json(
                msg=f"{self.name} was changed and not confirmed; it is brought back soon.  "
                f"Run again then; `systemctl list-timers '{self.unit}*'` says when. Where none is, run {self.script}"
            )
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700, parents=True)
        for number, path in enumerate(self.paths):
            if Path(path).exists():
                self.run("cp", "-a", path, str(self.folder / str(number)))
        # The script is what says that the copy is whole.
        scratch = self.folder / "scratch"
        scratch.write_text(self.text(), encoding="utf-8")
        scratch.chmod(0o700)
        self.boot.write_text(boot_id(), encoding="utf-8")
        start = str(self.script) if self.after_boot_s is None else " ".join(self.timed(self.after_boot_s))
        unit = UNIT.format(name=self.name, services=" ".join(self.before), script=self.script, start=start)
        self.unit_file.write_text(unit, encoding="utf-8")
        scratch.rename(self.script)
        self.run("systemctl", "enable", "--quiet", self.unit_file.name)
        if self.after_boot_s is not None:
            return
        code, out, err = self.module.run_command(self.timed(self.module.params["after_s"]))
        if code != 0:
            self.forget()
            self.module.fail_json(msg=f"no timer to bring files back, nothing was changed: {(err or out).strip()}")

    def timed(self, seconds: int) -> list[str]:
        """The command that brings the copy back after a time."""
        how = ["--quiet", "--collect", f"--unit={self.unit}-timer", f"--on-active={seconds}s"]
        program = "systemd-run" if self.after_boot_s is None else "/usr/bin/systemd-run"  # a unit's are absolute
        return [program, *how, "--timer-property=AccuracySec=100ms", str(self.script)]

    def is_of_this_boot(self) -> bool:
        """Was the host not started since?"""
        return self.boot.is_file() and self.boot.read_text(encoding="utf-8") == boot_id()

    def text(self) -> str:
        """What brings the copy back."""
        return SCRIPT.format(
            folder=shlex.quote(str(self.folder)),
            first="\n".join(self.first),
            files="\n".join(of_path(number, each) for number, each in enumerate(self.paths)),
            live="\n".join(self.live) or "  :",
            at_boot="\n".join(f'[ "$1" != boot ] || {each}' for each in self.at_boot),
            unit=self.unit,
            unit_file=shlex.quote(str(self.unit_file)),
            name=self.name,
        )

    def keep(self) -> None:
        """End what brings the copy back, then remove it."""
        # A timer that has elapsed is not there any more, and what it started may be at work.
        code, _, _ = self.module.run_command(["systemctl", "stop", self.timer])
        if code != 0 or not self.script.exists():
            self.module.fail_json(msg=f"the change of {self.name} was taken back before it was confirmed")
        self.forget()

    def forget(self) -> None:
        """Nothing brings it back any more."""
        self.run("systemctl", "disable", "--quiet", self.unit_file.name)
        self.unit_file.unlink()
        shutil.rmtree(self.folder)
