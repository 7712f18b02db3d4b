"""parse(render(x)) == (x, nothing) for random sites under the real operating systems, drained or not."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.render.render import render
from tests.strategies import intent_data, intent_of

few = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@st.composite
def switches(draw: st.DrawFn) -> list[Realised]:
    """One switch of each kind of a random site that can be built."""
    data: dict[str, Any] = draw(intent_data())
    facts = {name: each.facts for name, each in platforms().items()}
    try:
        fabric = design(intent_of(data), load_catalogue(), facts)
    except DesignError:
        return []
    drained = {device.name for device in fabric.devices if draw(st.booleans())} if len(fabric.devices) < 20 else set()
    kinds = {}
    for each in device_configs(fabric, drained=drained):
        tier = fabric.device(each.config.name).tier
        kinds.setdefault((each.config.os, each.config.release, tier, each.config.name in drained), each)
    return list(kinds.values())


@few
@given(switches())
def test_what_is_rendered_reads_back_as_what_was_designed_on_every_site(realised: list[Realised]) -> None:
    for each in realised:
        config = each.config
        os = platform(config.os)
        tree = os.to_tree(render(config, each.capabilities, environment(config.os)))
        parsed = os.parse(tree, each.capabilities, config.name, config.model)
        assert parsed.remainder.paths() == frozenset()
        assert parsed.config == config


@few
@given(switches())
def test_what_a_switch_prints_of_it_reads_back_the_same_on_every_site(realised: list[Realised]) -> None:
    for each in realised:
        config = each.config
        os = platform(config.os)
        tree = os.canonical(os.to_tree(render(config, each.capabilities, environment(config.os))))
        again = os.to_tree(os.to_text(tree))
        assert again == tree
        parsed = os.parse(again, each.capabilities, config.name, config.model)
        assert (parsed.config, parsed.remainder.paths()) == (config, frozenset())
