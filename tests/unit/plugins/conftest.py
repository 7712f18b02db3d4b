"""Our Ansible modules are run as a host runs them: the file itself, in a process, arguments as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = Path(__file__).parents[3] / "plugins/modules"


@pytest.fixture
def run_module(tmp_path):
    """(module, arguments, check) -> what it answers."""

    def run(name, arguments, check=False):
        parameters = {**arguments, "_ansible_check_mode": check, "_ansible_diff": True}
        arguments_file = tmp_path / "arguments.json"
        arguments_file.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": parameters}))
        command = [sys.executable, str(MODULES / f"{name}.py"), str(arguments_file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return json.loads(done.stdout or done.stderr)

    return run
