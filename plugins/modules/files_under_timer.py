"""Ansible module: replace files, and bring them back unless somebody confirms in time. See DOCUMENTATION."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: files_under_timer
short_description: Replace files that can shut out whoever replaces them; they come back unless that is confirmed
description:
  - Files that differ are judged by a command of their own, then replaced all together, and O(reload) is run. Before
    that, a timer of systemd is started that brings all of them back as they were and runs O(reload) again.
  - What brings them back is kept in O(state_folder) as C(take_back.sh). A unit that runs it at boot, if it is there,
    has a restart bring them back, too (C(take_back.sh boot), which does not run O(reload)).
  - O(confirmed=true) keeps them, and ends the timer.
options:
  name:
    description: Of the timer, C(NAME-take-back.timer).
    type: str
    required: true
  state_folder:
    description: Where what is needed to bring them back is kept until it is confirmed.
    type: path
    required: true
  files:
    description: The files.
    type: list
    elements: dict
    default: []
    suboptions:
      path: {description: Absolute path., type: path, required: true}
      content: {description: What it shall hold., type: str, required: true}
      mode: {description: Octal., type: str, default: "0644"}
      validate: {description: "Command that judges it before anything is replaced, C(%s) is a copy.", type: str}
  reload:
    description: Command that has the service read its files.
    type: list
    elements: str
    default: []
  take_back_after_s:
    description: How long there is to confirm.
    type: int
    default: 60
  confirmed:
    description: Keep what was replaced.
    type: bool
    default: false
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing, and returns what would be changed."}
  diff_mode: {support: full, description: "Returns what differs, before and after."}
"""

EXAMPLES = r"""
- name: New settings of sshd, on trial
  gpufabric.host.files_under_timer:
    name: bastion
    state_folder: /var/lib/gpufabric/bastion
    files:
      - path: /etc/ssh/sshd_config
        content: "{{ text }}"
        mode: "0600"
        validate: /usr/sbin/sshd -t -f %s
    reload: [systemctl, reload, ssh.service]
"""

RETURN = r"""
take_back_timer:
  description: The timer that brings the files back.
  type: str
  returned: when one was started
"""


class Change(NamedTuple):
    """One file that is not as it shall be."""

    path: Path
    content: str
    mode: int
    now: str | None
    mode_now: int | None


def changes(files: list[dict[str, str]]) -> list[Change]:
    """Those that differ, in content or mode."""
    found = []
    for each in files:
        path, mode = Path(each["path"]), int(each["mode"], 8)
        there = path.is_file()
        now = path.read_bytes().decode("utf-8", errors="surrogateescape") if there else None
        mode_now = path.stat().st_mode & 0o7777 if there else None
        if (now, mode_now) != (each["content"], mode):
            found.append(Change(path, each["content"], mode, now, mode_now))
    return found


def write(path: Path, content: str, mode: int) -> None:
    """At once or not at all."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    with os.fdopen(
        os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", errors="surrogateescape"
    ) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.chmod(mode)
    scratch.replace(path)


def judge(module: AnsibleModule, changed: list[Change]) -> None:
    """Each by its own command; nothing was changed yet."""
    commands = {Path(each["path"]): each["validate"] for each in module.params["files"]}
    for number, each in enumerate(changed):
        command = commands[each.path]
        if command:
            copy = Path(module.tmpdir) / f"{number}-{each.path.name}"
            write(copy, each.content, each.mode)
            code, out, err = module.run_command([word.replace("%s", str(copy)) for word in shlex.split(command)])
            if code != 0:
                module.fail_json(
                    msg=f"{each.path}: {shlex.split(command)[0]} does not take it, nothing was changed: "
                    f"{(err or out).strip()}"
                )


class Trial:
    """What brings the files back."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.unit = f"{module.params['name']}-take-back"
        self.folder = Path(module.params["state_folder"])
        self.script = self.folder / "take_back.sh"

    @property
    def timer(self) -> str:
        """Its name."""
        return f"{self.unit}.timer"

    def refuse_while_waiting(self) -> None:
        """One change after the other."""
        if self.script.exists():
            self.module.fail_json(
                msg=f"files were changed and nobody confirmed it; they are brought back soon. Run again then; "
                f"`systemctl list-timers {self.timer}` says when, `sh {self.script}` does it now"
            )

    def begin(self, changed: list[Change]) -> None:
        """Keep what is there, and bring it back after so long."""
        before = self.folder / "before"
        shutil.rmtree(before, ignore_errors=True)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        before.mkdir(mode=0o700)
        lines = [
            "#!/bin/sh",
            "# What was there before the change that nobody confirmed; then it forgets itself.",
            "set -e",
        ]
        for number, each in enumerate(changed):
            path = shlex.quote(str(each.path))
            if each.now is None or each.mode_now is None:
                lines.append(f"rm -f {path}")
            else:
                kept = before / str(number)
                write(kept, each.now, each.mode_now)
                lines.append(f"cp -p {shlex.quote(str(kept))} {path}.old && mv -f {path}.old {path}")
        lines.append(f"rm -f {shlex.quote(str(self.script))}")
        if self.module.params["reload"]:
            lines.append(f'[ "$1" = boot ] || {shlex.join(self.module.params["reload"])}')
        write(self.script, "\n".join(lines) + "\n", 0o700)
        after = f"--on-active={self.module.params['take_back_after_s']}s"
        how = ["--quiet", "--collect", f"--unit={self.unit}", after, "--timer-property=AccuracySec=100ms"]
        code, out, err = self.module.run_command(["systemd-run", *how, "/bin/sh", str(self.script)])
        if code != 0:
            self.script.unlink()
            self.module.fail_json(msg=f"no timer to bring files back, nothing was changed: {(err or out).strip()}")

    def back(self) -> None:
        """Now."""
        self.module.run_command(["/bin/sh", str(self.script)])
        self.module.run_command(["systemctl", "stop", self.timer])

    def keep(self) -> bool:
        """It was confirmed; was there anything to keep?"""
        waited = self.script.exists()
        if waited and not self.module.check_mode:
            self.script.unlink()
            shutil.rmtree(self.folder / "before", ignore_errors=True)
            self.module.run_command(["systemctl", "stop", self.timer])
        return waited


def replace(module: AnsibleModule, changed: list[Change]) -> dict[str, str]:
    """All together, under the timer."""
    trial = Trial(module)
    trial.refuse_while_waiting()
    trial.begin(changed)
    for each in changed:
        write(each.path, each.content, each.mode)
    if module.params["reload"]:
        code, out, err = module.run_command(module.params["reload"])
        if code != 0:
            trial.back()
            module.fail_json(
                msg=f"{shlex.join(module.params['reload'])} failed, all is as before: {(err or out).strip()}"
            )
    return {"take_back_timer": trial.timer}


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
            "state_folder": {"type": "path", "required": True},
            "files": {"type": "list", "elements": "dict", "default": [], "options": file},
            "reload": {"type": "list", "elements": "str", "default": []},
            "take_back_after_s": {"type": "int", "default": 60},
            "confirmed": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    if module.params["confirmed"]:
        module.exit_json(changed=Trial(module).keep())
    changed = changes(module.params["files"])
    if changed:
        judge(module, changed)
    more = replace(module, changed) if changed and not module.check_mode else {}
    diff = [
        {
            "before_header": str(each.path),
            "after_header": str(each.path),
            "before": each.now or "",
            "after": each.content,
        }
        for each in changed
    ]
    module.exit_json(changed=bool(changed), diff=diff, **more)


if __name__ == "__main__":
    main()
