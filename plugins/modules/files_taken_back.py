"""Ansible module: bring files back after a time unless a later task confirms their change. See DOCUMENTATION."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpufabric.host.plugins.module_utils.file_sets import Step, apply, read
from ansible_collections.gpufabric.host.plugins.module_utils.take_back import TakeBack

DOCUMENTATION = r"""
module: files_taken_back
short_description: Bring files back after a time unless a later task confirms their change
description:
  - Before files of a service change, keep a copy of them and start a timer of systemd that puts the copy back and has
    the services read it. So a change that shuts out Ansible itself does not last. A restart of the host in between
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
      content: {description: What it should hold., type: str, required: true}
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


def differing(files: list[dict[str, str]]) -> list[Step]:
    """Those that are not as they should be, in content or mode."""
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


def of_service(module: AnsibleModule, service: str) -> str:
    """Back to what it did."""
    name = shlex.quote(service)
    code, _, _ = module.run_command(["systemctl", "is-active", "--quiet", service])
    if code != 0:
        return f"  systemctl stop {name}"
    return f"  systemctl reload {name} || {{ systemctl reset-failed {name}; systemctl restart {name}; }}"


def replace(module: AnsibleModule, take_back: TakeBack, changed: list[Step]) -> None:
    """All together; the services read them, or all is as before."""
    for step in changed:
        apply(module, step)
    for service in module.params["services"] if changed else ():
        code, out, err = module.run_command(["systemctl", "reload-or-restart", service])
        if code != 0:
            take_back.run("systemctl", "stop", take_back.timer)
            module.run_command([str(take_back.script)])
            module.fail_json(msg=f"{service} does not run with the new files, all is as before: {(err or out).strip()}")


def start(module: AnsibleModule) -> dict[str, Any]:
    """Keep a copy of what is there, and replace files; what was changed, and the timer if there is one."""
    changed = differing(module.params["files"])
    judge(module, changed)
    paths = [*module.params["paths"], *(str(each.path) for each in changed)]
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
    if not paths or module.check_mode:
        return answer
    services = module.params["services"]
    live = [of_service(module, each) for each in services]
    take_back = TakeBack(module, paths, live=live, before=services)
    take_back.start()
    replace(module, take_back, changed)
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
