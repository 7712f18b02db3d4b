"""The laws under every release train that is taken: one leaf of each system, as the lab has it, with each release."""

from functools import cache

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.site import load, select
from tests.property.mutants import each_change_is_reported, running_text

REPORTED = {"10.3(x)": "10.3(8)", "10.4(x)": "10.4(3)", "10.5(x)": "10.5(3)", "10.6(x)": "10.6(1)"}
"""What a switch reports of a whole train."""
LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
RELEASES = [
    pytest.param(os, REPORTED.get(train.release, train.release), id=f"{os}-{train.name}")
    for os, each in platforms().items()
    for train in each.facts.trains
]
LINES = 40
"""Lines tried of each switch; tests/property/test_laws.py tries all of one release."""


@cache
def under(os: str, release: str) -> Wanted:
    """What the lab's switch of a system shall hold if it runs this release."""
    name = LEAVES[os]
    return select(load("lab-rails").with_releases({name: release}), limit=(name,))[name]


@pytest.mark.parametrize(("os", "release"), RELEASES)
def test_what_is_rendered_for_a_release_reads_back_and_leaves_nothing_to_change(os: str, release: str) -> None:
    wanted = under(os, release)
    assert wanted.capabilities.runs(release)
    parsed = wanted.platform.parse(wanted.tree, wanted.capabilities, wanted.device, wanted.config.model)
    assert not parsed.remainder, list(parsed.remainder.walk())
    assert parsed.config == wanted.config
    assert device_plan(wanted, running_text(wanted, wanted.tree)).changes == ()


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("os", "release"), RELEASES)
def test_a_line_deleted_or_changed_is_a_difference_under_every_release(os: str, release: str) -> None:
    wanted = under(os, release)
    paths = [path for path, _ in wanted.tree.walk()]
    counts = [each_change_is_reported(wanted, path) for path in paths[:: max(1, len(paths) // LINES)]]
    deleted, changed = (sum(column) for column in zip(*counts, strict=True))
    assert deleted >= LINES // 3, "of NVUE's paths most are containers, which go with what is in them"
    assert changed > 5
