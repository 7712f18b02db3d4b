"""Runs of ansible-playbook: modules of cisco.nxos, unmodified, on one NX-OS switch of the lab, over verified TLS."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from at_terminal import Operator
from nxos_intent import switch
from preloaded_ansible import ansible_playbook

Results = dict[str, dict[str, Any]]
"""What each task returned, by its name."""


def inventory(lab: Operator, name: str) -> dict[str, Any]:
    """One switch over httpapi, its certificate verified against the lab's CA."""
    found = switch(lab, name)
    return {
        "ansible_connection": "ansible.netcommon.httpapi",
        "ansible_network_os": "cisco.nxos.nxos",
        "ansible_host": found["address"],
        "ansible_httpapi_port": found["api_port"],
        "ansible_httpapi_use_ssl": True,
        "ansible_httpapi_validate_certs": True,
        "ansible_httpapi_ca_path": found["ca"],
        "ansible_user": found["username"],
        "ansible_password": found["password"],
    }


def play(
    lab: Operator,
    name: str,
    tasks: dict[str, dict[str, Any]],
    where: Path,
    *,
    check: bool = False,
    reached: Callable[[Operator, str], dict[str, Any]] = inventory,
) -> Results:
    """Run these tasks in one play. ``reached``: the variables of the host.

    A task that fails does not end the play, so that each start of Ansible serves all tests: whoever looks at a task's
    result does so by ``returned``, which fails for that task alone.
    """
    where.mkdir(parents=True, exist_ok=True)
    (where / "hosts.json").write_text(json.dumps({"all": {"hosts": {name: reached(lab, name)}}}))
    listed = [{"name": task, "ignore_errors": True, **call} for task, call in tasks.items()]
    (where / "play.json").write_text(json.dumps([{"hosts": name, "gather_facts": False, "tasks": listed}]))
    words = ["-i", str(where / "hosts.json"), str(where / "play.json"), *(["--check"] if check else [])]
    done = ansible_playbook((module for call in tasks.values() for module in call), *words, timeout_s=300)
    assert done.stdout.lstrip().startswith("{"), f"exit {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"
    (played,) = json.loads(done.stdout)["plays"]
    return {task["task"]["name"]: task["hosts"][name] for task in played["tasks"]}


def returned(results: Results, task: str) -> dict[str, Any]:
    """What a task returned. Raises AssertionError with its message if it failed."""
    found = results[task]
    assert not found.get("failed") and not found.get("unreachable"), f"{task}: {found.get('msg', found)}"
    return found
