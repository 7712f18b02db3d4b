"""When is a host up after a reboot? The command of playbooks/tasks/reboot.yml, run against a systemctl of the test."""

import os
import subprocess
import time
from pathlib import Path

import jinja2
import pytest
import yaml

TASKS = Path(__file__).resolve().parents[3] / "playbooks/tasks/reboot.yml"


def command(timeout_s: int) -> str:
    (task,) = [each for each in yaml.safe_load(TASKS.read_text()) if "ansible.builtin.reboot" in each]
    text = task["ansible.builtin.reboot"]["test_command"]
    return jinja2.Environment().from_string(text).render(gpufabric_reboot_timeout_s=timeout_s)


@pytest.fixture
def up(tmp_path: Path):
    """(answer of is-system-running, answers of is-active in turn) -> (exit code, seconds) of the command."""

    def run(system: str, *unit: str, timeout_s: int = 20) -> tuple[int, float]:
        (tmp_path / "answers").write_text("".join(f"{each}\n" for each in unit))
        systemctl = tmp_path / "systemctl"
        systemctl.write_text(
            f"""#!/bin/sh
            case "$*" in
            "is-system-running --wait") {system} ;;
            "is-active gpufabric-roce-qos.service")
              head -n 1 {tmp_path}/answers
              [ "$(wc -l <{tmp_path}/answers)" -lt 2 ] || sed -i 1d {tmp_path}/answers
              [ "$(head -n 1 {tmp_path}/answers)" = active ] ;;
            *) echo "unknown: $*" >&2; exit 64 ;;
            esac
            """
        )
        systemctl.chmod(0o755)
        started = time.monotonic()
        environment = os.environ | {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        done = subprocess.run(["sh", "-c", command(timeout_s)], env=environment, timeout=60, check=False)
        return done.returncode, time.monotonic() - started

    return run


@pytest.mark.parametrize("system", ["echo running", "echo degraded; exit 1"])
def test_a_host_that_is_through_with_its_units_is_up(up, system: str) -> None:
    assert up(system, "active")[0] == 0
    assert up(system, "failed")[0] == 0, "host_validate names what failed"
    assert up(system, "inactive")[0] == 0, "a host without the role"


def test_a_run_that_the_watcher_started_is_waited_for(up) -> None:
    code, seconds = up("echo running", "deactivating", "activating", "activating", "active")
    assert code == 0
    assert seconds >= 3


@pytest.mark.parametrize(
    "system", ["echo offline; exit 1", "echo stopping; exit 1", "exit 1", "exec sh -c 'kill -9 $$'"]
)
def test_a_system_that_does_not_answer_is_not_up(up, system: str) -> None:
    assert up(system, "active")[0] != 0


def test_a_manager_that_dies_in_between_is_not_up(up) -> None:
    assert up("echo running", "activating", "")[0] != 0


@pytest.mark.parametrize(("system", "unit"), [("sleep 600", "active"), ("echo running", "activating")])
def test_what_never_ends_ends_in_time_and_is_not_up(up, system: str, unit: str) -> None:
    code, seconds = up(system, unit, timeout_s=2)
    assert code == 124
    assert seconds < 20
