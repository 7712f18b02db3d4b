"""A release of Toy OS holds what the same one of EOS does."""

from dataclasses import replace

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.platforms.eos.capabilities import capabilities as of_eos


def capabilities(release: str, asic: str) -> Capabilities:
    """The record of EOS, under this name."""
    return replace(of_eos(release, asic), os="toyos")
