"""Of a switch that was rendered nothing stays in memory, whatever lines it has: a push to 1,000 looks for no cycles.

A template's own macro that asks for a name from outside holds on to the configuration, which holds on to the macro:
Python frees both only when it looks for cycles.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.pipeline import Realised, design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.unit.design import bundled, filtered, paired, tagged, toy_layer3

FRONT = ("front-leaf-g1-a", "front-leaf-g2-a", "front-leaf-g3-a", "front-leaf-g4-a")


def front(name: str) -> Realised:
    """A leaf of the site that has storage and business on bonds."""
    intent = load_intent(Path(__file__).parents[1] / "sites/front/fabric.yml")
    network = design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})
    return device_config(network, network.device(name))


SWITCHES: dict[str, tuple[str, Callable[[], Realised]]] = {
    **{f"groups, {name}": ("channel|bond", partial(bundled.realised, each)) for name, each in bundled.DEVICES.items()},
    **{f"pair, {name}": ("mlag|vpc", partial(paired.realised, each)) for name, each in paired.DEVICES.items()},
    **{f"tags, {name}": ("tag|dot1q|vlan", partial(tagged.realised, each)) for name, each in tagged.DEVICES.items()},
    **{
        f"VRF, {name}": ("vrf", partial(toy_layer3.realised, each, toy_layer3.VRF))
        for name, each in toy_layer3.DEVICES.items()
    },
    **{
        f"access lists, {name}": ("access-list|dest-port", partial(filtered.realised, each))
        for name, each in filtered.tagged.LEAVES.items()
    },
    **{f"gateways, {name}": ("virtual-router|hsrp|vrr", partial(front, name)) for name in FRONT},
}
"""Name -> words that its lines have, and a switch with lines that the lab has not."""


def alive() -> int:
    """How many configurations there are."""
    return sum(type(each) is DeviceConfig for each in gc.get_objects())


@pytest.fixture(scope="module", autouse=True)
def what_other_tests_left() -> Iterator[None]:
    """It is millions of objects after an hour of tests, and none of them is looked at here."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("name", SWITCHES)
def test_what_was_rendered_is_gone_at_once_without_a_search_for_cycles(name: str) -> None:
    words, make = SWITCHES[name]
    made = make()
    jinja = environment(made.config.os)
    gc.collect()
    gc.disable()
    try:
        before = alive()
        config = replace(made.config)
        text = render(config, made.capabilities, jinja)
        assert alive() == before + 1
        del config
        left = alive() - before
    finally:
        gc.enable()
    assert left == 0
    assert re.search(words, text)


def test_every_system_is_looked_at() -> None:
    assert {make().config.os for _, make in SWITCHES.values()} == set(platforms())
