"""`policy.telemetry.counters`: the lines by which queues count what they mark, where an OS needs any."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.pipeline import Realised, design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.policy import TelemetryIntent
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.render.render import render
from tests.unit.design.long_cables import DEVICES, SITE
from tests.unit.design.wanted_of import wanted_of
from tests.unit.platforms import eos_examples

COUNT, FEATURE = "random-detect ecn count", "hardware counter feature ecn out"


@cache
def realised(device: str, *, counters: bool) -> Realised:
    loaded = load_intent(SITE)
    policy = loaded.policy.model_copy(update={"telemetry": TelemetryIntent(counters=counters)})
    facts = {name: each.facts for name, each in platforms().items()}
    network = design(loaded.model_copy(update={"policy": policy}), load_catalogue(), facts)
    return device_config(network, network.device(device))


def text_of(each: Realised) -> str:
    return render(each.config, each.capabilities, environment(each.config.os))


def test_every_queue_of_eos_that_marks_counts_and_is_read_back() -> None:
    each = realised(DEVICES["eos"], counters=True)
    assert each.config.qos is not None
    queues = [queue for profile in each.config.qos.profiles for queue in profile.queues]
    assert {queue.counts_marks for queue in queues} == {True, False}
    assert all(queue.counts_marks == (queue.ecn is not None) for queue in queues)
    assert text_of(each).count(COUNT) == sum(queue.counts_marks for queue in queues)
    whole = wanted_of(each)
    parsed = whole.platform.parse(whole.tree, whole.capabilities, whole.device, each.config.model)
    assert parsed.config == each.config
    assert not parsed.remainder


@pytest.mark.parametrize("os", sorted(DEVICES))
def test_without_the_word_nothing_is_rendered_for_it(os: str) -> None:
    assert COUNT not in text_of(realised(DEVICES[os], counters=False))
    assert FEATURE not in text_of(realised(DEVICES[os], counters=False))


def test_a_system_that_counts_without_a_line_gets_none() -> None:
    wanted, usual = (text_of(realised(DEVICES["nvue"], counters=each)) for each in (True, False))
    assert wanted == usual


@pytest.mark.parametrize("asic", ["tomahawk4", "jericho2"])
def test_jericho_alone_needs_the_feature_besides(asic: str) -> None:
    known = eos_examples.PLATFORM.facts.capabilities(eos_examples.RELEASE, asic)
    assert known.counts_marks_by == (("mark-counters",) if asic == "jericho2" else ())
    base = eos_examples.leaf(asic=asic)
    config = replace(base, services=(*base.services, *(known.counts_marks_by or ())))
    tree = eos_examples.PLATFORM.to_tree(eos_examples.rendered(config))
    assert (FEATURE in tree.children) == (asic == "jericho2")
    parsed = eos_examples.PLATFORM.parse(tree, known, config.name, config.model)
    assert set(parsed.config.services) == set(config.services)
    assert not parsed.remainder


def test_a_count_in_a_queue_that_does_not_mark_is_nothing_we_know() -> None:
    config = eos_examples.leaf()
    known = eos_examples.facts_of(config)
    tree = eos_examples.PLATFORM.to_tree(eos_examples.rendered(config))
    tree.add_path(("qos profile GPUFABRIC-ROCE", "uc-tx-queue 0", COUNT))
    parsed = eos_examples.PLATFORM.parse(tree, known, config.name, config.model)
    assert parsed.config.qos == config.qos
    assert [lines for lines, _ in parsed.remainder.walk()][-1][-1] == COUNT


@pytest.mark.parametrize("lines", [(FEATURE,), ("qos profile GPUFABRIC-ROCE", "uc-tx-queue 3", COUNT)])
def test_plan_says_that_the_lines_disturb_packets_for_a_moment(lines: tuple[str, ...]) -> None:
    for op in ("+", "-"):
        assert platform("eos").disruption(Change(lines, op)) is Disruption.DATAPLANE_BLIP
