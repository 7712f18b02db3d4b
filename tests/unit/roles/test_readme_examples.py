"""The example play of a role's README is what its Molecule scenario runs, so that it cannot rot."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2.sandbox import SandboxedEnvironment

ROOT = Path(__file__).resolve().parents[3]
ROLES = sorted({path.name for path in (ROOT / "roles").iterdir()} - {"host_validate"})  # has no variables to give
OF_THE_CONTAINER = ("_root", "_at_run_time")
"""Endings of what only the scenario sets: where its stand-ins are, and that it leaves the shared kernel alone."""


def example(role: str) -> dict[str, Any]:
    """The one play in a README."""
    readme = (ROOT / "roles" / role / "README.md").read_text()
    blocks = [block.partition("```")[0] for block in readme.split("```yaml\n")[1:]]
    plays = [play for block in blocks for play in yaml.safe_load(block) if "hosts" in play]
    assert len(plays) == 1, f"roles/{role}/README.md has {len(plays)} example plays"
    return plays[0]


def scenario(role: str) -> tuple[list[str], dict[str, Any]]:
    """Roles and their variables of a scenario's converge.yml."""
    folder = ROOT / "molecule" / role
    (play,) = yaml.safe_load((folder / "converge.yml").read_text())
    values: dict[str, Any] = {}
    if "vars_files" in play:
        values |= yaml.safe_load((folder / play["vars_files"]).read_text())
    for each in play["roles"]:
        values |= each.get("vars", {})
    return [each["role"] for each in play["roles"]], values


@pytest.mark.parametrize("role", ROLES)
def test_an_example_in_a_readme_is_what_its_scenario_runs(role: str) -> None:
    play = example(role)
    roles, values = scenario(role)
    assert play["roles"] == roles == [f"gpufabric.host.{role}"]
    ran = {
        name: SandboxedEnvironment().from_string(value).render(values) if isinstance(value, str) else value
        for name, value in values.items()
        if name.startswith(f"{role}_") and not name.endswith(OF_THE_CONTAINER)
    }
    if role == "roce_qos":  # the scenario gives them a name of their own, to vary them
        ran["roce_qos_classes"] = values["good_classes"]
    assert play["vars"] == ran


@pytest.mark.parametrize("role", ROLES)
def test_an_example_gives_every_variable_without_a_default(role: str) -> None:
    spec = yaml.safe_load((ROOT / "roles" / role / "meta/argument_specs.yml").read_text())
    options = spec["argument_specs"]["main"]["options"]
    required = {name for name, option in options.items() if option.get("required")}
    assert required <= set(example(role)["vars"]) <= set(options)
    assert spec["argument_specs"]["assert"] == spec["argument_specs"]["main"], "refusals alone judge the same variables"
