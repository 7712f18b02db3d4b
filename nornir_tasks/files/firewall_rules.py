"""The rules of a firewall as its roles write them: the roles' own templates, with their own defaults."""

from collections.abc import Mapping
from typing import Any

import jinja2
import yaml

from nornir_tasks.files.resources import resource

TEMPLATES = {"nat_gateway": "nat.nft.j2", "firewall": "firewall.nft.j2"}
"""Role -> its rules, in the order in which hosts get them."""


def boundary_rules(variables: Mapping[str, Any]) -> str:
    """A file for ``nft -f`` with all tables of a firewall, and its roles' defaults whatever group_vars say."""
    return "\n".join(_rules(role, variables) for role in TEMPLATES)


def _rules(name: str, variables: Mapping[str, Any]) -> str:
    role = resource("roles") / name
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(role / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,  # as Ansible's template module has it
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - nftables, not HTML
    )
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text(encoding="utf-8"))
    return made.get_template(TEMPLATES[name]).render(**defaults, **variables)
