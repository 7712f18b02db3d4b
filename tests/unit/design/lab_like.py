"""The lab's fabric under plain operating systems: what most design tests look at."""

from functools import cache

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from tests.plain_facts import plain_facts


@cache
def lab() -> Network:
    """Two NVUE spines, eight leaves, EOS and NX-OS in turn."""
    return design(load_site("lab-rails").intent, load_catalogue(), plain_facts())


@cache
def configs() -> dict[str, Realised]:
    """Every switch's configuration, by name."""
    return {each.config.name: each for each in device_configs(lab())}
