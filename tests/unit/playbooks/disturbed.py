"""What tests of plays that disturb hosts share: where jobs are looked for, and a reboot that is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOTS = "{{ inventory_dir }}/roots/{{ inventory_hostname }}"
"""gpufabric_jobs_root: a tree for each host, since all of them are this machine."""


def with_hosts(copy: Path, hosts: list[str]) -> None:
    """The inventory has these GPU hosts, each with a tree of its own that shows no job."""
    inventory = yaml.safe_load((copy / "hosts.yml").read_text())
    inventory["all"]["children"]["compute"]["hosts"] = dict.fromkeys(hosts)
    inventory["all"]["vars"] |= {"gpufabric_jobs_root": ROOTS, "rail_interfaces_rails": [], "roce_qos_rails": []}
    (copy / "hosts.yml").write_text(yaml.safe_dump(inventory))
    for host in hosts:
        (copy / "roots" / host / "proc").mkdir(parents=True)


def with_gpu_process(copy: Path, host: str) -> None:
    """Somebody has a GPU of the host open."""
    process = copy / "roots" / host / "proc/77"
    (process / "fd").mkdir(parents=True)
    (process / "comm").write_text("train\n")
    (process / "fd/3").symlink_to("/dev/nvidia0")
    (copy / "roots" / host / "dev").mkdir()


def with_login(copy: Path, host: str) -> None:
    """Somebody is at a terminal of the host."""
    sessions = copy / "roots" / host / "run/systemd/sessions"
    sessions.mkdir(parents=True)
    (sessions / "3").write_text("USER=ada\nCLASS=user\nREMOTE=1\nREMOTE_HOST=10.9.9.9\nTTY=pts/0\n")


def with_reboots_by(copy: Path, program: Path) -> None:
    """``program HOST`` in place of Ansible's reboot, which would be one of this machine."""
    file = copy / "playbooks/tasks/reboot.yml"
    tasks: list[dict[str, Any]] = yaml.safe_load(file.read_text())
    (reboot,) = [each for each in tasks if "ansible.builtin.reboot" in each]
    del reboot["ansible.builtin.reboot"]
    reboot["ansible.builtin.command"] = {"argv": [str(program), "{{ inventory_hostname }}"]}
    file.write_text(yaml.safe_dump(tasks, sort_keys=False))


def disturbing(hosts: list[str], role: str = "rail_interfaces") -> dict[str, dict[str, str]]:
    """What the test's ``foresee`` of a role finds on these hosts."""
    return {role: dict.fromkeys(hosts, "rails are configured again")}
