"""Before ports have their names, roles look at those of rails and of bonds' members under the names they have now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[4]
PLAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars_files: [{vars}]
  vars:
    ansible_facts:
      gpufabric_rails: {{rails: {{"0000:18:00.0": {{netdev: ens1}}}}}}
      gpufabric_bonds: {bonds}
    ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
    rail_interfaces_rails: [{{name: rail0, match: {{pci: "0000:18:00.0"}}}}]
    bond_interfaces_bonds:
      - members: [{{name: data0, match: {{pci: "0000:3A:00.0"}}}}, {{name: data1, match: {{pci: "0000:3a:00.1"}}}}]
  tasks:
    - ansible.builtin.copy:
        dest: {out}
        content: "{{{{ {name} | to_json }}}}"
"""
MEMBERS = {"members": {"0000:3a:00.0": {"netdev": "ens2f0"}, "0000:3a:00.1": {"netdev": None}}}


def value(tmp_path: Path, role: str, name: str, bonds=None):
    """What a variable of the role is on this host."""
    play, out = tmp_path / "play.yml", tmp_path / "out.json"
    own = CHECKOUT / "roles" / role / "vars/main.yml"
    play.write_text(PLAY.format(vars=own, bonds=json.dumps(bonds or {}), out=out, name=name))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(play)],
        cwd=CHECKOUT,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(out.read_text())


@pytest.mark.parametrize("role", ["roce_qos", "nic_firmware"])
@pytest.mark.parametrize(("bonds", "of_bonds"), [(MEMBERS, {"data0": "ens2f0"}), ({}, {})])
def test_ports_of_rails_and_bonds_are_found_by_their_places(tmp_path: Path, role: str, bonds, of_bonds) -> None:
    assert value(tmp_path, role, f"__{role}_names_now", bonds) == {"rail0": "ens1", **of_bonds}


def test_members_that_bond_interfaces_will_name_are_no_misspelled_rails(tmp_path: Path) -> None:
    assert value(tmp_path, "roce_qos", "__roce_qos_to_be_named") == ["rail0", "data0", "data1"]
