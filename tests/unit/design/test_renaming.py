"""What a site calls its fabric and plane is in names on its switches and hosts, and nothing else follows from it."""

import json
from functools import cache
from pathlib import Path

import pytest

from nornir_tasks.design.host_vars import host_vars
from nornir_tasks.design.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.model import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.intent_parts import needs

ROOT = Path(__file__).parents[3]
SITES = {"lab": ROOT / "inventory" / "lab", "svi": ROOT / "tests" / "sites" / "svi"}
"""Both have switches of all systems; hosts of the second are in VLANs, which bear their plane's name."""
CALLED = (
    ("fabrics:", "  compute:", "  red:"),
    ("\nplanes:", "  compute:", "  blue:\n    kind: compute"),
    ("\nplanes:", "fabric: compute", "fabric: red"),
    ("\n    nics:", "      compute:", "      blue:"),
)
"""Below which line of the file, what stands there, and what instead."""


@cache
def intent(site: str) -> Intent:
    return load_intent(SITES[site] / "fabric.yml")


def made(intended: Intent) -> Network:
    return design(intended, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def renamed(site: str, folder: Path) -> Intent:
    """The site with a fabric called red, and on it a plane called blue."""
    text = (SITES[site] / "fabric.yml").read_text()
    for below, old, new in CALLED:
        head, mark, rest = text.partition(below)
        assert old in rest
        text = head + mark + rest.replace(old, new, 1)
    file = folder / "fabric.yml"
    file.write_text(text)
    return load_intent(file)


def texts(network: Network) -> dict[str, str]:
    """Every switch's configuration as it is sent."""
    return {
        each.config.name: str(render(each.config, each.capabilities, environment(each.config.os)))
        for each in device_configs(network)
    }


@pytest.mark.parametrize("site", SITES)
def test_another_name_of_fabric_and_plane_changes_nothing_on_switches_but_names(site: str, tmp_path: Path) -> None:
    found = texts(made(renamed(site, tmp_path)))
    assert {device.os for device in made(intent(site)).devices} == set(platforms())
    assert any("RED-" in text for text in found.values())
    assert any("BLUE-HOSTS" in text for text in found.values()) is (site == "svi")
    back = {name: text.replace("RED-", "COMPUTE-").replace("BLUE-", "COMPUTE-") for name, text in found.items()}
    assert back == texts(made(intent(site)))


@pytest.mark.parametrize("site", SITES)
def test_another_name_of_fabric_and_plane_changes_nothing_on_hosts_but_the_planes_name(
    site: str, tmp_path: Path
) -> None:
    other = renamed(site, tmp_path)
    for host in made(intent(site)).hosts:
        text = json.dumps(host_vars(made(other), needs(other), host).ansible())
        assert text.count("blue") == 1
        assert "red" not in text.replace("shared", "")
        assert text.replace("blue", "compute") == json.dumps(
            host_vars(made(intent(site)), needs(intent(site)), host).ansible()
        )
