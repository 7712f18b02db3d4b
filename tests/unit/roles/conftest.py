"""The host's modules are no package here; they are imported as Ansible's zip has them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
sys.path.insert(0, str(PLUGINS / "module_utils"))
AS_ANSIBLE_DOES = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def _done(tmp_path):
    """The module file itself, in a process of its own."""

    def run(name, arguments):
        arguments_file = tmp_path / "arguments.json"
        arguments_file.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": arguments}))
        module = PLUGINS / "modules" / f"{name}.py"
        command = [sys.executable, "-c", AS_ANSIBLE_DOES, PLUGINS.parent, module, arguments_file]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.fixture
def facts(_done):
    """(module, arguments) -> the facts that it answers."""

    def run(name, **arguments):
        done = _done(name, arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)["ansible_facts"]

    return run


@pytest.fixture
def refused(_done):
    """(module, arguments) -> the message that it fails with."""

    def run(name, **arguments):
        answer = json.loads(_done(name, arguments).stdout)
        assert answer["failed"]
        return answer["msg"]

    return run


@pytest.fixture
def tree(tmp_path):
    """({path: content}) -> a folder that holds these files, as the root of a host."""

    def plant(files):
        root = tmp_path / "host"
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content.encode())
        return root

    return plant
