"""A role's defaults, the options that its argument_specs name, and its README's table say the same."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROLES = sorted(path.parent for path in (Path(__file__).parents[3] / "roles").glob("*/README.md"))
QUOTED = re.compile(r"`([^`]*)`")
OF_PLAYS = ("node_health_enabled",)
"""Variables of playbooks that a README lists among its own: whether the role runs at all."""
VALUES = re.compile(r"(?:`[^`]*`|none)(?:, (?:`[^`]*`|none))*")


def defaults_of(role: Path) -> dict[str, Any]:
    return yaml.safe_load((role / "defaults/main.yml").read_text()) or {}


def options_of(role: Path) -> dict[str, Any]:
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]
    options: dict[str, Any] = specs["main"]["options"]
    return options


def rows_of(role: Path) -> Iterator[tuple[str, str]]:
    """Of tables of variables and defaults: a variable, and its default in YAML, or "" where that is in words."""
    for table in re.split(r"\n(?!\|)", (role / "README.md").read_text()):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        if lines and re.match(r"\| *variable *\| *default", lines[0]):
            for line in lines[2:]:
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:]]
                names = QUOTED.findall(cells[0])
                values = [each.strip("`") for each in re.findall(r"`[^`]*`|none", cells[1])]
                fits = VALUES.fullmatch(cells[1]) and len(values) == len(names)
                # `firewall_never`, `_v6`: the second is an abbreviation.
                pairs = zip(names, values if fits else [""] * len(names), strict=True)
                yield from (
                    (name, value) for name, value in pairs if name.startswith(f"{role.name}_") and name not in OF_PLAYS
                )


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_defaults_and_argument_specs_name_the_same_variables_with_the_same_defaults(role: Path) -> None:
    options, defaults = options_of(role), defaults_of(role)
    assert [name for name in defaults if name not in options] == []
    fixed = {name: value for name, value in defaults.items() if "{{" not in str(value)}
    named = {name: option["default"] for name, option in options.items() if "default" in option}
    assert {name: value for name, value in named.items() if "{{" not in str(value)} == fixed


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_readme_has_no_other_default_and_no_variable_that_is_gone(role: Path) -> None:
    defaults, rows = defaults_of(role), list(rows_of(role))
    assert [name for name, _ in rows if name not in options_of(role)] == []
    others = {
        name: shown
        for name, shown in rows
        if shown and "{{" not in str(defaults.get(name))
        if not (shown == "none" and not defaults.get(name)) and yaml.safe_load(shown) != defaults.get(name)
    }
    assert others == {}


def test_most_defaults_are_compared_with_a_readme() -> None:
    assert sum(bool(shown) for role in ROLES for _, shown in rows_of(role)) > 90
