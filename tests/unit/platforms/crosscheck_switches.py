"""Switches of designed sites for the cross-checks with code we did not write: one of each shape, by system."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.reference import shape
from tests.unit.design import front_full, managed, reached, tagged, toy_layer3, toys, with_radius

ROOT = Path(__file__).parents[3]
SITES = ("inventory/lab", "tests/sites/front", "tests/sites/vrf", "tests/sites/svi")
"""The default lab, whose front leaves have a pair, VLANs, gateways, relays and lists; another front; VRFs; SVIs."""


@cache
def switches(os: str) -> tuple[Realised, ...]:
    """One of each shape of the sites; a front leaf with all that planes can say; planes with IPv6, VRFs and tags."""
    found: dict[object, Realised] = {}
    for each in (*(each for site in SITES for each in device_configs(_network(site))), *_more(os)):
        if each.config.os == os:
            found.setdefault(shape(each.config), each)
    return tuple(found.values())


def _network(site: str) -> Network:
    facts = {name: each.facts for name, each in platforms().items()}
    return design(load_intent(ROOT / site / "fabric.yml"), load_catalogue(), facts)


def _more(os: str) -> Iterator[Realised]:
    yield front_full.realised(front_full.DEVICES[os])
    yield toys.realised(toys.ONE_OF_EACH[os], "STORAGE")
    yield tagged.realised(tagged.DEVICES[os])
    yield from (site.realised(site.DEVICES[os], vrf) for site in (managed, with_radius, reached) for vrf in site.VRFS)
    yield from (toy_layer3.realised(toy_layer3.DEVICES[os], vrf) for vrf in (None, toy_layer3.VRF))


def text_of(each: Realised) -> str:
    """What we render for it."""
    return render(each.config, each.capabilities, environment(each.config.os))
