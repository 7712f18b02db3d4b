"""The rules of a firewall as its role writes them: the role's own template, with the role's own defaults."""

from collections.abc import Mapping
from typing import Any

import jinja2
import yaml

from nornir_tasks.files.resources import resource


def firewall_rules(variables: Mapping[str, Any]) -> str:
    """The file for ``nft -f`` with these variables of role firewall, and its defaults whatever group_vars say."""
    role = resource("roles") / "firewall"
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(role / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,  # as Ansible's template module has it
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - nftables, not HTML
    )
    defaults = yaml.safe_load((role / "defaults" / "main.yml").read_text(encoding="utf-8"))
    return made.get_template("firewall.nft.j2").render(**defaults, **variables)
