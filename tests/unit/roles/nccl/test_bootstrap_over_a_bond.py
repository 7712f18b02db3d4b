"""Before the first role has its turn the bond over which NCCL finds its peers is not there yet: nothing is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.needs("root")  # the role reads root's own settings of NCCL
ROOT = Path(__file__).parents[4]
VALUES = {
    "nccl_rails": ["rail0"],
    "nccl_traffic_class": 106,
    "nccl_cross_nic": 2,
    "nccl_pxn_disable": 0,
    "nccl_socket_interfaces": ["front.300"],
    "bond_interfaces_bonds": [{"name": "front", "planes": [{"interface": "front"}, {"interface": "front.300"}]}],
}
PLAY = [
    {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "tasks": [{"ansible.builtin.import_role": {"name": "gpufabric.host.nccl", "tasks_from": "assert"}}],
    }
]


def refusals(folder: Path, **extra: Any) -> subprocess.CompletedProcess[str]:
    """What the role's refusals say on this machine, which has no such bond; they only read."""
    (folder / "play.yml").write_text(json.dumps(PLAY))
    interpreter = {"ansible_python_interpreter": sys.executable, "nccl_root": str(folder)}
    return subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(folder / "play.yml"),
         "-e", json.dumps({**VALUES, **interpreter, **extra})],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip


def test_before_the_bond_is_made_its_interface_counts_as_there(tmp_path: Path) -> None:
    done = refusals(tmp_path, gpufabric_early=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_when_nccls_turn_comes_the_bond_must_be_there(tmp_path: Path) -> None:
    done = refusals(tmp_path)
    assert done.returncode != 0
    assert "nccl_socket_interfaces: front.300 is no interface of this host" in done.stdout


def test_an_interface_that_no_role_makes_is_refused_before_the_first_change(tmp_path: Path) -> None:
    done = refusals(tmp_path, gpufabric_early=True, bond_interfaces_bonds=[])
    assert done.returncode != 0
    assert "nccl_socket_interfaces: front.300 is no interface of this host" in done.stdout
