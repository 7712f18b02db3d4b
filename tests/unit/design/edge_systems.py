"""tests/sites/edge with each system that can be an edge router."""

import tempfile
from dataclasses import replace
from pathlib import Path

from nornir_tasks.design import pipeline
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.system_facts import GuardFacts
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.site import SiteDesign

SITE = Path(__file__).parents[2] / "sites" / "edge" / "fabric.yml"
SYSTEMS = {
    "nvue": {"platform": "nvue", "release": '"5.16"', "model": "SN2410", "speed": "10G"},
    "eos": {"platform": "eos", "release": "4.33.1F", "model": "7280SR3K-48YC8", "speed": "10G"},
    "nxos": {"platform": "nxos", "release": "10.5(3)", "model": "N9K-C93180YC-FX3", "speed": "25G"},
}
"""What of the site is another word; the speed is that of the upstreams' links."""
PASSWORD = "Zq7-right"
"""Of sessions that are signed: the value of their secret on all systems."""
VALIDATORS = "    validators: [{address: 10.183.0.20}, {address: 10.183.0.21, port: 3323}]\n"
ROUTES = 64_000
"""How many a model holds of which no source says it; ``takes: partial`` is refused there."""


def text_of(system: str, *, signed: bool = False) -> str:
    """The site's file with this system; ``signed``: with all that it has to guard sessions with upstreams.

    All are signed by one secret, and validators are asked, one of them at a port of its own.
    """
    before, mark, after = SITE.read_text(encoding="utf-8").partition("  edge:\n")
    for key, word in SYSTEMS["nvue"].items():
        line, new = f"      {key}: {word}\n", f"      {key}: {SYSTEMS[system][key]}\n"
        at = line if key == "speed" else line.removeprefix("  ")
        assert at in after, at
        after = after.replace(at, new if key == "speed" else new.removeprefix("  "))
    if signed and _guards(system).md5 is not None:
        after = after.replace("      edge: ", "      md5: !secret upstreams\n      edge: ")
    if signed and _guards(system).has_rpki:
        after = VALIDATORS + after
    return before + mark + after


def _guards(system: str) -> GuardFacts:
    words = SYSTEMS[system]
    asic = load_catalogue().switches[words["model"]].asic
    return platforms()[system].facts.capabilities(words["release"].strip('"'), asic).guards


def catalogue() -> Catalogue:
    """Every model of it holds routes."""
    there = load_catalogue()
    switches = {name: replace(each, ipv4_routes=each.ipv4_routes or ROUTES) for name, each in there.switches.items()}
    return replace(there, switches=switches)


def design_of(folder: Path) -> SiteDesign:
    """The design of a site, whatever its models hold."""
    facts = {name: each.facts for name, each in platforms().items()}
    site, known = load_site(folder), catalogue()
    return SiteDesign(site, pipeline.design(site.intent, known, facts), known)


def edges(system: str, *, signed: bool = False, drained: bool = False) -> tuple[Realised, ...]:
    """Both edge routers of the site with this system."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yml").write_text(text_of(system, signed=signed), encoding="utf-8")
        network = design_of(Path(folder)).network
    return tuple(device_config(network, network.device(f"edge-{n}"), drained=drained) for n in (1, 2))
