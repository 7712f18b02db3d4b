"""One rule for names of rails: what the intent makes of port_names all roles take, a dash in them included."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from pydantic import TypeAdapter, ValidationError

from ansible_collections.gpufabric.host.plugins.filter.plane_problems import plane_problems
from ansible_collections.gpufabric.host.plugins.filter.rail_problems import FilterModule
from ansible_collections.gpufabric.host.plugins.module_utils.interface_names import as_instance, not_rails, of_instance
from nornir_tasks.intent.core.fields import OwnName, PortStem

CHECKOUT = Path(__file__).parents[4]
RAILS = ["rail-0", "rail1", "r_2"]
PLAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars_files: [{role}/vars/main.yml]
  vars:
    ansible_facts: {{gpufabric_rdma: {{soft_roce_kept: [], devices: {{}}}}}}
    ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
    rdma_stack_provider: rxe
    rdma_stack_rails: {rails}
  tasks:
    - ansible.builtin.copy:
        dest: {out}
        content: "{{{{ [__rdma_stack_soft_units, rdma_stack_rails | gpufabric.host.not_rail_names] | to_json }}}}"
"""


@given(st.text(alphabet="abz_-", min_size=1, max_size=13), st.integers(0, 15))
def test_what_the_intent_takes_every_role_takes(stem: str, rail: int) -> None:
    try:
        TypeAdapter(PortStem).validate_python(stem)
    except ValidationError:
        return
    assert not_rails([f"{stem}{rail}"]) == []


@given(st.text(alphabet="abz_-0", min_size=1, max_size=15))
def test_what_the_intent_takes_for_a_plane_and_its_ports_is_guarded(name: str) -> None:
    try:
        TypeAdapter(OwnName).validate_python(name)
        TypeAdapter(PortStem).validate_python(name)
    except ValidationError:
        return
    assert plane_problems({name: [name], "other": ["ens3"]}, [name, "ens3"]) == []


@pytest.mark.parametrize("name", ["Rail0", "0rail", "rail.0", "a-name-of-16-let", "rail 0", ""])
def test_what_is_no_name_of_a_rail_is_told(name: str) -> None:
    assert FilterModule().filters()["not_rail_names"](["rail-0", name]) == [name]


@given(st.from_regex(r"[a-z][a-z0-9_-]{0,14}", fullmatch=True))
def test_a_name_comes_back_from_its_unit(name: str) -> None:
    assert of_instance(as_instance(name)) == name


@pytest.mark.parametrize("role", ["gpudirect", "host_tuning"])
def test_units_that_a_rail_starts_name_its_device_as_systemd_does(role: str) -> None:
    """``systemd-escape --path /sys/subsystem/net/devices/gpu-rail0``: else no interface ever starts them."""
    private = yaml.safe_load((CHECKOUT / "roles" / role / "vars/main.yml").read_text())
    template = next(each for each in private.values() if isinstance(each, str) and "sys-subsystem-net" in each)
    environment = Environment()
    filters = {f"gpufabric.host.{name}": each for name, each in FilterModule().filters().items()}
    environment.filters.update(filters)
    (line,) = {each.strip() for each in template.splitlines() if "sys-subsystem-net" in each}
    rail = {"host_tuning": "gpu-rail0", "gpudirect": {"name": "gpu-rail0"}}[role]
    shown = environment.from_string(line).render(rail=rail)
    assert shown == r"WantedBy=sys-subsystem-net-devices-gpu\x2drail0.device"


def test_the_role_names_units_as_systemd_does(tmp_path: Path) -> None:
    """``systemd-escape rail-0`` is ``rail\\x2d0``: else %I, the interface, would be rail/0."""
    play, out = tmp_path / "play.yml", tmp_path / "out.json"
    play.write_text(PLAY.format(role=CHECKOUT / "roles/rdma_stack", rails=json.dumps(RAILS), out=out))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(play)],
        cwd=CHECKOUT,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    units = ["gpufabric-rxe@rail\\x2d0.service", "gpufabric-rxe@rail1.service", "gpufabric-rxe@r_2.service"]
    assert json.loads(out.read_text()) == [units, []]
