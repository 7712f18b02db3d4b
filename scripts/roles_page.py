"""docs/role-variables.md: every variable of every role, made from the roles' argument_specs and defaults.

python scripts/roles_page.py            compare; ends with 1 where the page is another one
python scripts/roles_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from made_page import compare_or_write

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "role-variables.md"
HEAD = """\
# Variables of the roles

Made by `.venv/bin/python scripts/roles_page.py --write` from `meta/argument_specs.yml` and `defaults/main.yml` of each
role; `make check` compares. "From the intent" is what the inventory says of each host: change it in fabric.yml. What
has a default is a site's to set, in `group_vars`. The reason of each default stands beside it in `defaults/main.yml`.
"""


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_section(specs.parents[1]) for specs in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")))


def _section(role: Path) -> str:
    options = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((role / "defaults/main.yml").read_text()) or {}
    rows = "".join(_row(name, option, defaults) for name, option in options.items())
    head = f"\n## [`{role.name}`](../roles/{role.name}/README.md)\n\n"
    return f"{head}| variable | type | default | meaning |\n|---|---|---|---|\n{rows}"


def _row(name: str, option: dict[str, Any], defaults: dict[str, Any]) -> str:
    missing = "from the intent" if option.get("required") else "none"
    default = f"`{_shown(defaults[name])}`" if name in defaults else missing
    cells = (f"`{name}`", " ".join(_kind(option)), default, " ".join(_text(option["description"]).split()))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _shown(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True)
    return text.removesuffix("\n...\n").strip()


def _text(description: str | list[str]) -> str:
    return description if isinstance(description, str) else " ".join(description)


def _kind(option: dict[str, Any]) -> Iterator[str]:
    yield option["type"]
    if "elements" in option:
        yield f"of {option['elements']}"
    if "choices" in option:
        yield "(" + ", ".join(f"`{each}`" for each in option["choices"]) + ")"


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "as the roles say"))
