"""What is rendered for a release is taken by a switch that runs it, which then has nothing left to change."""

from __future__ import annotations

import pytest
from line_shapes import Rendered
from typed_switches import SWITCHES

from tests.property.test_release_laws import RELEASES, under


@pytest.mark.parametrize(("os", "release"), RELEASES)
def test_a_switch_of_every_release_takes_what_is_rendered_and_prints_it_again(os: str, release: str) -> None:
    wanted = under(os, release)
    rendered = Rendered(wanted.config, wanted.capabilities, wanted.claims, wanted.text)
    switch = SWITCHES[os](rendered)
    assert switch.refused == []
    running = wanted.platform.to_tree(switch.running())
    assert rendered.owned(running).paths() == rendered.owned(wanted.platform.canonical(rendered.written())).paths()
