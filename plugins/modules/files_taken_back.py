"""Ansible module: bring files back after a time unless somebody confirms their change. See DOCUMENTATION."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.file_sets import Step, apply, read

DOCUMENTATION = r"""
module: files_taken_back
short_description: Bring files back after a time unless somebody confirms their change
description:
  - Before files of a service change, keep a copy of them and start a timer of systemd that puts the copy back and has
    the services read it. So a change that shuts out whoever makes it does not last. A restart of the host in between
    brings the copy back as well, before the services start.
  - What changes them is O(files), judged and then replaced all together by this task, or other tasks (O(paths)).
  - With O(state=kept) the timer ends, and the copy goes.
options:
  name:
    description: What the change is of; one at a time of each name.
    type: str
    required: true
  state:
    description: V(started) keeps the copy, starts the timer, and replaces O(files); V(kept) ends the timer.
    type: str
    choices: [started, kept]
    default: started
  paths:
    description: Absolute paths of files and folders; what is not there is removed when they are brought back.
    type: list
    elements: path
    default: []
  files:
    description:
      - Files to replace. Where none differs, and there are no O(paths), nothing is started.
      - After that O(services) are reloaded, or restarted; where that fails all is brought back at once.
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Absolute path., type: path, required: true}
      content: {description: What it shall hold., type: str, required: true}
      mode: {description: Octal., type: str, default: "0644"}
      validate: {description: "Command that judges it before anything is replaced, C(%s) is a copy.", type: str}
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
  state_folder:
    description: Where the copy is kept.
    type: path
    default: /var/lib/gpufabric/take-back
  units_folder:
    description: Where the unit is put that brings it back at boot.
    type: path
    default: /etc/systemd/system
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Judges O(files), changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs of O(files); set C(diff: false) where they are secret."}
"""

EXAMPLES = r"""
- name: A timer brings back what is there now
  gpufabric.host.files_taken_back:
    name: load-balancer
    paths: [/etc/haproxy]
    services: [haproxy.service]

- name: New settings of sshd, on trial
  gpufabric.host.files_taken_back:
    name: bastion
    files:
      - path: /etc/ssh/sshd_config
        content: "{{ text }}"
        mode: "0600"
        validate: /usr/sbin/sshd -t -f %s
    services: [ssh.service]
"""

RETURN = r"""
timer:
  description: The timer that brings the files back.
  type: str
  returned: when one was started
"""

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
    if not Path(path).exists():
        return f"rm -rf {there}"
    return f"cp -a {number} {there}.before && mv -fT {there}.before {there}"


def differing(files: list[dict[str, str]]) -> list[Step]:
    """Those that are not as they shall be, in content or mode."""
    every = [Step(Path(each["path"]), each["mode"], read(Path(each["path"])), each["content"]) for each in files]
    return [each for each in every if each.now != each.wanted or _mode(each.path) != int(each.mode, 8)]


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def judge(module: AnsibleModule, changed: list[Step]) -> None:
    """Each by its own command; nothing was changed yet."""
    commands = {Path(each["path"]): each["validate"] for each in module.params["files"]}
    for number, step in enumerate(changed):
        if not (command := commands[step.path]):
            continue
        copy = Path(module.tmpdir) / f"{number}-{step.path.name}"
        copy.touch(mode=0o600)
        copy.write_text(step.wanted or "", encoding="utf-8")
        code, out, err = module.run_command([word.replace("%s", str(copy)) for word in shlex.split(command)])
        copy.unlink()
        if code != 0:
            program, why = shlex.split(command)[0], (err or out).strip()
            module.fail_json(msg=f"{step.path}: {program} does not take it, nothing was changed: {why}")


class TakeBack:
    """The copy of what was there, and what brings it back."""

    def __init__(self, module: AnsibleModule, paths: list[str]) -> None:
        self.module = module
        self.paths = paths
        self.name: str = module.params["name"]
        self.unit = f"gpufabric-take-back-{self.name}"
        self.timer = f"{self.unit}-timer.timer"
        self.folder = Path(module.params["state_folder"]) / self.name
        self.script = self.folder / "bring-back"
        self.unit_file = Path(module.params["units_folder"]) / f"{self.unit}.service"

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
        for number, path in enumerate(self.paths):
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
        code, out, err = self.module.run_command(["systemd-run", *how, str(self.script)])
        if code != 0:
            self.forget()
            self.module.fail_json(msg=f"no timer to bring files back, nothing was changed: {(err or out).strip()}")

    def text(self) -> str:
        """What brings the copy back."""
        return SCRIPT.format(
            folder=shlex.quote(str(self.folder)),
            files="\n".join(of_path(number, each) for number, each in enumerate(self.paths)),
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

    def replace(self, changed: list[Step]) -> None:
        """All together; the services read them, or all is as before."""
        for step in changed:
            apply(self.module, step)
        for service in self.module.params["services"] if changed else ():
            code, out, err = self.module.run_command(["systemctl", "reload-or-restart", service])
            if code != 0:
                self.run("systemctl", "stop", self.timer)
                self.module.run_command([str(self.script)])
                self.module.fail_json(
                    msg=f"{service} does not run with the new files, all is as before: {(err or out).strip()}"
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


def start(module: AnsibleModule) -> dict[str, Any]:
    """Keep a copy of what is there, and replace files; what was changed, and the timer if there is one."""
    changed = differing(module.params["files"])
    judge(module, changed)
    take_back = TakeBack(module, [*module.params["paths"], *(str(each.path) for each in changed)])
    diff = [
        {
            "before_header": str(each.path),
            "after_header": str(each.path),
            "before": each.now or "",
            "after": each.wanted,
        }
        for each in changed
    ]
    answer = {"changed": bool(changed), "diff": diff}
    if not take_back.paths or module.check_mode:
        return answer
    take_back.start()
    take_back.replace(changed)
    return {**answer, "timer": take_back.timer}


def main() -> None:
    """Entry point."""
    file = {
        "path": {"type": "path", "required": True},
        "content": {"type": "str", "required": True},
        "mode": {"type": "str", "default": "0644"},
        "validate": {"type": "str"},
    }
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["started", "kept"], "default": "started"},
            "paths": {"type": "list", "elements": "path", "default": []},
            "files": {"type": "list", "elements": "dict", "default": [], "options": file},
            "services": {"type": "list", "elements": "str", "default": []},
            "after_s": {"type": "int", "default": 60},
            "state_folder": {"type": "path", "default": "/var/lib/gpufabric/take-back"},
            "units_folder": {"type": "path", "default": "/etc/systemd/system"},
        },
        supports_check_mode=True,
    )
    if module.params["state"] == "started":
        module.exit_json(**start(module))
    if not module.check_mode:
        TakeBack(module, []).keep()
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()
