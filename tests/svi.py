"""The test site whose hosts share a subnet per leaf, as it stands and with another kind of host link."""

import tempfile
from functools import cache
from pathlib import Path

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

SITE = Path(__file__).parent / "sites" / "svi"
LINK = "link: svi\n    vlan: 200"
LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue 5.14": "leaf-g1-r2", "nvue 5.16": "leaf-g1-r3"}


@cache
def intent(link: str = LINK) -> Intent:
    """The site's intent with this in place of its own words on host links."""
    text = (SITE / "fabric.yml").read_text(encoding="utf-8")
    assert LINK in text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(text.replace(LINK, link), encoding="utf-8")
        return load_intent(file)


@cache
def network(link: str = LINK) -> Network:
    """The network of that intent."""
    return design(intent(link), load_catalogue(), {name: each.facts for name, each in platforms().items()})


@cache
def all_wanted(link: str = LINK) -> dict[str, Wanted]:
    """What each switch of it shall hold."""
    return {
        each.config.name: wanted(each.config, each.capabilities, each.claims, environment(each.config.os))
        for each in device_configs(network(link))
    }
