"""The test site whose plane is in a VRF, as it stands and with another kind of host link."""

import tempfile
from functools import cache
from pathlib import Path

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms

SITE = Path(__file__).parent / "sites" / "vrf"
VRF = "COMPUTE"
PLANE = f"link: p2p\n    vrf: {VRF}"
LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue 5.14": "leaf-g1-r2", "nvue 5.16": "leaf-g1-r3"}


@cache
def network(plane: str = PLANE) -> Network:
    """The site's network with this in place of what its plane says of links and VRF."""
    text = (SITE / "fabric.yml").read_text(encoding="utf-8")
    assert PLANE in text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(text.replace(PLANE, plane), encoding="utf-8")
        return design(load_intent(file), load_catalogue(), {name: each.facts for name, each in platforms().items()})


@cache
def all_wanted(plane: str = PLANE) -> dict[str, Wanted]:
    """What each switch of it shall hold."""
    return {
        each.config.name: wanted(each.config, each.capabilities, each.claims, environment(each.config.os))
        for each in device_configs(network(plane))
    }
