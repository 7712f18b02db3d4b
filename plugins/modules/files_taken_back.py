"""Ansible module: bring files back after a time unless somebody confirms their change. See DOCUMENTATION."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: files_taken_back
short_description: Bring files back after a time unless somebody confirms their change
description:
  - Before files of a service change, keep a copy of them and start a timer of systemd that puts the copy back and has
    the services read it. So a change that shuts out whoever makes it does not last. A restart of the host in between
    brings the copy back as well, before the services start.
  - With O(state=kept) the timer ends, and the copy goes.
options:
  name:
    description: What the change is of; one at a time of each name.
    type: str
    required: true
  state:
    description: V(started) keeps the copy and starts the timer; V(kept) ends it.
    type: str
    choices: [started, kept]
    default: started
  paths:
    description: Absolute paths of files and folders; what is not there is removed when they are brought back.
    type: list
    elements: path
    default: []
  services:
    description:
      - Units that read them. They are reloaded, or restarted where that fails; those that did not run are stopped.
    type: list
    elements: str
    default: []
  after_s:
    description: The time.
    type: int
    default: 60
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Does nothing."}
  diff_mode: {support: none, description: "Files may be secret."}
"""

EXAMPLES = r"""
- name: A timer brings back what is there now
  gpufabric.host.files_taken_back:
    name: load-balancer
    paths: [/etc/haproxy]
    services: [haproxy.service]
"""

RETURN = r"""
timer:
  description: The timer that brings the files back.
  type: str
  returned: always
"""

FOLDER = Path("/var/lib/gpufabric/take-back")
UNITS = Path("/etc/systemd/system")

SCRIPT = """#!/bin/sh
# Brings back what was there before a change that nobody confirmed. At boot services are not running yet.
cd {folder} || exit 1
{files}
if [ "$1" != boot ]; then
{services}
fi
systemctl disable --quiet {unit}.service
rm -f {unit_file}
cd / && rm -rf {folder}
logger -t gpufabric 'nobody confirmed the change of {name}: it was taken back'
"""
UNIT = """# Written by Ansible (gpufabric); removed once the change is confirmed.
[Unit]
Description=Take back the change of {name} that nobody confirmed
Before={services}
ConditionPathExists={script}

[Service]
Type=oneshot
ExecStart={script} boot

[Install]
WantedBy=multi-user.target
"""


def of_path(number: int, path: str) -> str:
    """A file or folder as it was; a folder stays the same one, which may be a mount."""
    there = shlex.quote(path)
    if Path(path).is_dir():
        return f"mkdir -p {there} && find {there} -mindepth 1 -delete && cp -a {number}/. {there}/"
    return f"rm -rf {there}; [ ! -e {number} ] || cp -a {number} {there}"


class TakeBack:
    """The copy of what was there, and what brings it back."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.name: str = module.params["name"]
        self.unit = f"gpufabric-take-back-{self.name}"
        self.folder = FOLDER / self.name
        self.script = self.folder / "bring-back"
        self.unit_file = UNITS / f"{self.unit}.service"

    def run(self, *command: str) -> None:
        """A command that must not fail."""
        self.module.run_command(list(command), check_rc=True)

    def start(self) -> None:
        """Keep the copy, then start what brings it back."""
        if self.script.exists():
            self.module.fail_json(
                msg=f"{self.name} was changed and nobody confirmed it; it is brought back soon. "
                f"Run again then; `systemctl list-timers '{self.unit}*'` says when. Where none is, run {self.script}"
            )
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700, parents=True)
        for number, path in enumerate(self.module.params["paths"]):
            if Path(path).exists():
                self.run("cp", "-a", path, str(self.folder / str(number)))
        # The script is what says that the copy is whole.
        scratch = self.folder / "scratch"
        scratch.write_text(self.text(), encoding="utf-8")
        scratch.chmod(0o700)
        services = " ".join(self.module.params["services"])
        self.unit_file.write_text(UNIT.format(name=self.name, services=services, script=self.script), encoding="utf-8")
        scratch.rename(self.script)
        self.run("systemctl", "enable", "--quiet", self.unit_file.name)
        after = f"--on-active={self.module.params['after_s']}s"
        how = ["--quiet", "--collect", f"--unit={self.unit}-timer", after, "--timer-property=AccuracySec=100ms"]
        self.run("systemd-run", *how, str(self.script))

    def text(self) -> str:
        """What brings the copy back."""
        return SCRIPT.format(
            folder=shlex.quote(str(self.folder)),
            files="\n".join(of_path(number, each) for number, each in enumerate(self.module.params["paths"])),
            services="\n".join(self.of_service(each) for each in self.module.params["services"]) or "  :",
            unit=self.unit,
            unit_file=shlex.quote(str(self.unit_file)),
            name=self.name,
        )

    def of_service(self, service: str) -> str:
        """Back to what it did."""
        name = shlex.quote(service)
        code, _, _ = self.module.run_command(["systemctl", "is-active", "--quiet", service])
        if code != 0:
            return f"  systemctl stop {name}"
        return f"  systemctl reload {name} || {{ systemctl reset-failed {name}; systemctl restart {name}; }}"

    def keep(self) -> None:
        """End what brings the copy back, then remove it."""
        # A timer that has elapsed is not there any more, and what it started may be at work.
        code, _, _ = self.module.run_command(["systemctl", "stop", f"{self.unit}-timer.timer"])
        if code != 0 or not self.script.exists():
            self.module.fail_json(msg=f"the change of {self.name} was taken back before it was confirmed")
        self.run("systemctl", "disable", "--quiet", self.unit_file.name)
        self.unit_file.unlink()
        shutil.rmtree(self.folder)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["started", "kept"], "default": "started"},
            "paths": {"type": "list", "elements": "path", "default": []},
            "services": {"type": "list", "elements": "str", "default": []},
            "after_s": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    take_back = TakeBack(module)
    if not module.check_mode:
        take_back.start() if module.params["state"] == "started" else take_back.keep()
    module.exit_json(changed=False, timer=f"{take_back.unit}-timer.timer")


if __name__ == "__main__":
    main()
