"""What a site calls its fabric and plane is in names on its switches and hosts, and nothing else follows from it."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.intent_parts import needs

ROOT = Path(__file__).parents[3]
SITES = {
    "lab-rails": ROOT / "inventory" / "lab-rails",
    "svi": ROOT / "tests" / "sites" / "svi",
    "fabrics": ROOT / "tests" / "sites" / "fabrics",
}
"""All have switches of all systems; hosts of the second are in VLANs, which bear their plane's name; the third has two
fabrics, and a plane in VLANs beside one that is routed."""
ONE = (
    ("fabrics:", "  compute:", "  red:"),
    ("\nplanes:", "  compute:", "  blue:\n    kind: compute"),
    ("\nplanes:", "fabric: compute", "fabric: red"),
    ("\n    nics:", "      compute:", "      blue:"),
)
TWO = (
    ("fabrics:", "  rails:", "  red:"),
    ("fabrics:", "  front:", "  green:"),
    ("\nplanes:", "  compute:", "  blue:\n    kind: compute"),
    ("\nplanes:", "fabric: rails", "fabric: red"),
    ("\nplanes:", "  data:", "  black:"),
    ("\nplanes:", "fabric: front", "fabric: green"),
    ("\nplanes:", "  archive:", "  amber:"),
    ("\n  amber:", "fabric: front", "fabric: green"),
    ("\n    nics:", "      compute:", "      blue:"),
    ("\n    nics:", "      data:", "      black:"),
    ("\n  store:", "      data:", "      black:"),
    ("\n  store:", "      archive:", "      amber:"),
)
CALLED = {"lab-rails": ONE, "svi": ONE, "fabrics": TWO}
"""Below which line of the file, what stands there, and what instead. The new names are in another order."""
ONCE = {"RED-": "COMPUTE-", "BLUE-": "COMPUTE-"}
BACK = {"lab-rails": ONCE, "svi": ONCE, "fabrics": {"RED-": "RAILS-", "GREEN-": "FRONT-", "BLACK-": "DATA-"}}
"""What new names on switches were before."""
PLANES = {
    "lab-rails": {"blue": "compute"},
    "svi": {"blue": "compute"},
    "fabrics": {"blue": "compute", "black": "data", "amber": "archive"},
}


@cache
def intent(site: str) -> Intent:
    return load_intent(SITES[site] / "fabric.yml")


def made(intended: Intent) -> Network:
    return design(intended, load_catalogue(), {name: each.facts for name, each in platforms().items()})


def renamed(site: str, folder: Path) -> Intent:
    """The site with fabrics called red and green, and on them planes called blue and black."""
    text = (SITES[site] / "fabric.yml").read_text()
    for below, old, new in CALLED[site]:
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


def replaced(text: str, names: Mapping[str, str]) -> str:
    for new, old in names.items():
        text = text.replace(new, old)
    return text


@pytest.mark.parametrize("site", SITES)
def test_other_names_of_fabrics_and_planes_change_nothing_on_switches_but_names(site: str, tmp_path: Path) -> None:
    found = texts(made(renamed(site, tmp_path)))
    assert {device.os for device in made(intent(site)).devices} == set(platforms())
    in_vlans = any(plane.host_vlan for plane in made(intent(site)).planes.values())
    for new in BACK[site]:
        assert any(new in text for text in found.values()) is (in_vlans or new not in ("BLUE-", "BLACK-"))
    back = {name: replaced(text, BACK[site]) for name, text in found.items()}
    assert back == texts(made(intent(site)))


@pytest.mark.parametrize("site", SITES)
def test_other_names_of_fabrics_and_planes_change_nothing_on_hosts_but_the_planes_names(
    site: str, tmp_path: Path
) -> None:
    other = renamed(site, tmp_path)
    before, after = made(intent(site)), made(other)
    for host in before.hosts:
        variables = json.dumps(host_vars(after, needs(other), host).ansible())
        there = {name for name in PLANES[site] if after.rails_of(host, name)}
        assert all(variables.count(name) == (name in there) for name in PLANES[site])
        assert not any(name in variables.replace("shared", "") for name in ("red", "green"))
        assert replaced(variables, PLANES[site]) == json.dumps(host_vars(before, needs(intent(site)), host).ansible())
