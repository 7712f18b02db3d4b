"""The role's own rules for members of bonds: which have an RDMA device, where Soft-RoCE's is, and what is said."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[4]
PLAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars_files: [{role}/vars/main.yml]
  vars:
    ansible_facts: {{gpufabric_rdma: {facts}}}
    ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
    rdma_stack_provider: {provider}
    rdma_stack_rails: [rail0, data0, data1]
    found:
      without: "{{{{ rdma_stack_rails | reject('in', __rdma_stack_with_device) | list }}}}"
      soft: "{{{{ __rdma_stack_soft_rails }}}}"
      says: "{{{{ __rdma_stack_no_lag }}}}"
  tasks:
    - ansible.builtin.copy:
        dest: {out}
        content: "{{{{ found | to_json }}}}"
"""
RAIL = {"interface": "rail0", "state": "ACTIVE", "link_layer": "Ethernet"}


def role(tmp_path: Path, provider: str, devices: dict[str, Any], why: str = "") -> dict[str, Any]:
    bonds = {each: {"bond": "data", "no_device": why} for each in ("data0", "data1")}
    facts = json.dumps({"soft_roce_kept": [], "devices": {"mlx5_0": RAIL, **devices}, "bonds": bonds})
    play, out = tmp_path / "play.yml", tmp_path / "out.json"
    play.write_text(PLAY.format(role=CHECKOUT / "roles/rdma_stack", facts=facts, provider=provider, out=out))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(play)],
        cwd=CHECKOUT,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(out.read_text())
    return answer


def test_members_have_the_device_of_their_bond(tmp_path: Path) -> None:
    lag = {**RAIL, "interface": "data", "members": ["data0", "data1"], "gids": ["data 10.176.0.4"]}
    assert role(tmp_path, "mlx5", {"mlx5_bond_0": lag}) == {"without": [], "soft": [], "says": ""}


def test_members_whose_nics_made_no_device_are_named_with_the_reason_once(tmp_path: Path) -> None:
    bare = {**RAIL, "interface": "data"}
    found = role(tmp_path, "mlx5", {"mlx5_1": bare, "mlx5_2": bare}, "not of one NIC")
    assert found == {"without": ["data0", "data1"], "soft": [], "says": "not of one NIC"}


def test_soft_roce_is_on_the_bond_once(tmp_path: Path) -> None:
    assert role(tmp_path, "rxe", {})["soft"] == ["rail0", "data"]
