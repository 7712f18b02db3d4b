"""What we render against NVIDIA's published schema, read strictly: an unknown key, a wrong type or range is refused."""

import pytest
from hypothesis import HealthCheck, given, settings

from nornir_tasks.platforms.nvue.tree import to_data, to_tree
from tests.nvue_schema import ROOTS, mistakes
from tests.unit.platforms.nvue_examples import EXAMPLES, RELEASES, configs, leaf, rendered


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_knows_every_key_and_value_we_render(name: str) -> None:
    config = EXAMPLES[name]
    assert mistakes(to_data(to_tree(rendered(config))), ROOTS[config.release]) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configs())
def test_the_schema_takes_any_configuration_we_can_be_asked_for(config) -> None:
    assert mistakes(to_data(to_tree(rendered(config))), ROOTS[config.release]) == []


def test_there_is_a_schema_of_every_release_that_is_taken() -> None:
    assert tuple(ROOTS) == RELEASES


def test_the_walk_refuses_what_the_models_would_let_by() -> None:
    data = to_data(to_tree(rendered(leaf("5.14"))))
    assert mistakes(data, ROOTS["5.16"])
    data["interface"]["swp1"]["link"]["mtu"] = "9216"
    data["qos"]["roce"]["made-up"] = 1
    data["vrf"]["default"]["router"]["bgp"]["address-family"]["ipv4-unicast"]["multipaths"]["ebgp"] = 129
    assert len(mistakes(data, ROOTS["5.14"])) == 3
