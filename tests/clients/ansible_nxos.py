"""Runs of ansible-playbook: modules of cisco.nxos, unmodified, on one NX-OS switch of the lab, over verified TLS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from at_terminal import Operator
from nxos_intent import switch

PLAYBOOK = Path(sys.executable).parent / "ansible-playbook"
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
    (where / "ansible.cfg").write_text("[defaults]\n")
    listed = [{"name": task, "ignore_errors": True, **call} for task, call in tasks.items()]
    (where / "play.json").write_text(json.dumps([{"hosts": name, "gather_facts": False, "tasks": listed}]))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE")}
    environment |= {
        "ANSIBLE_CONFIG": str(where / "ansible.cfg"),
        "ANSIBLE_HOME": str(where / "home"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
        "ANSIBLE_PERSISTENT_CONNECT_TIMEOUT": "60",
        "ANSIBLE_PERSISTENT_COMMAND_TIMEOUT": "60",
    }
    words = [str(PLAYBOOK), "-i", str(where / "hosts.json"), str(where / "play.json"), *(["--check"] if check else [])]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL
    )
    assert done.stdout.lstrip().startswith("{"), f"exit {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"
    (played,) = json.loads(done.stdout)["plays"]
    return {task["task"]["name"]: task["hosts"][name] for task in played["tasks"]}


def returned(results: Results, task: str) -> dict[str, Any]:
    """What a task returned. Raises AssertionError with its message if it failed."""
    found = results[task]
    assert not found.get("failed") and not found.get("unreachable"), f"{task}: {found.get('msg', found)}"
    return found
