"""As on EOS, under this name."""

from dataclasses import replace

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse import parse as of_eos
from nornir_tasks.platforms.platform import Parsed


def parse(tree: ConfigTree, facts: Capabilities, name: str, model: str) -> Parsed:
    """What EOS's lines say."""
    found = of_eos(tree, facts, name, model)
    return replace(found, config=replace(found.config, os="toyos"))
