"""The wanted configuration on a switch whose defaults others changed."""

from __future__ import annotations

import pytest

from nornir_tasks.deploy.changed_defaults import as_it_would_print
from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.usecases.earlier import restored
from tests.unit.design.full_groups import DEVICES, part

SYSTEMS = pytest.mark.parametrize("os", DEVICES)
CHANGED = {"eos": "interface defaults\n   ethernet\n      shutdown\n", "nxos": "system default switchport shutdown\n"}


def changed(whole: Wanted) -> ConfigTree:
    return whole.platform.to_tree(CHANGED[whole.config.os])


@SYSTEMS
def test_a_switch_of_the_factory_gets_the_very_same_wanted_configuration(os: str) -> None:
    whole = part(DEVICES[os])
    assert as_it_would_print(whole, whole.tree) is whole


@pytest.mark.parametrize("os", CHANGED)
def test_only_admin_states_differ_where_others_turned_ports_off(os: str) -> None:
    whole = part(DEVICES[os])
    made = as_it_would_print(whole, changed(whole))
    assert (made.text, made.config, made.owners) == (whole.text, whole.config, whole.owners)
    differing = {path[-1] for path in made.tree.paths() ^ whole.tree.paths()}
    assert differing == {"shutdown", "no shutdown"}


@pytest.mark.parametrize("os", CHANGED)
def test_of_some_planes_only_their_ports_say_more(os: str) -> None:
    whole, some = part(DEVICES[os]), part(DEVICES[os], "business")
    made = as_it_would_print(some, changed(some))
    assert made.tree.paths() < as_it_would_print(whole, changed(whole)).tree.paths()
    assert made.tree.paths() - some.tree.paths()


@pytest.mark.parametrize("os", CHANGED)
def test_what_a_rollback_brings_back_was_printed_and_stays_as_it_is(os: str) -> None:
    whole = part(DEVICES[os])
    earlier = restored(whole, Done(whole.platform.to_text(whole.tree), ""))
    assert as_it_would_print(earlier, changed(whole)) is earlier
