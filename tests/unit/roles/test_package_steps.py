"""Steps that install packages restart no service of others, and wait for others who are at work on packages."""

from pathlib import Path

import pytest
import yaml

ROLES = Path(__file__).parents[3] / "roles"
INSTALL = ("ansible.builtin.apt", "ansible.builtin.package", "ansible.builtin.dnf")


def steps(tasks):
    for task in tasks:
        for part in ("block", "rescue", "always"):
            yield from steps(task.get(part, ()))
        if set(INSTALL) & set(task):
            yield task


FOUND = [
    pytest.param(step, id=f"{path.parts[-3]}: {step['name']}")
    for path in sorted(ROLES.glob("*/tasks/*.yml"))
    for step in steps(yaml.safe_load(path.read_text()) or ())
]


def test_there_are_such_steps():
    assert len(FOUND) >= 9


@pytest.mark.parametrize("step", FOUND)
def test_needrestart_restarts_nothing_after_it_and_a_held_lock_is_waited_for(step):
    assert step["environment"] == {"NEEDRESTART_SUSPEND": "1"}
    assert step["module_defaults"] == {"ansible.builtin.apt": {"lock_timeout": 600}}
