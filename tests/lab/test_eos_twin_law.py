"""What is rendered, an EOS twin takes; what the twin then prints, the parser reads as the same configuration.

Templates, parser and remediation on one side, the grammar on the other, share no code: one of them wrong shows here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import difference
from nornir_tasks.platforms.eos import PLATFORM
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import to_text, to_tree
from switch_twins.engine import EOS, ConfigSession, Context, Tree
from switch_twins.eos.grammar import eos_grammar
from tests.unit.platforms.eos_examples import configs, examples, facts_of, leaf, rendered


def context(config: DeviceConfig) -> Context:
    return Context(config.release, config.asic, config.model)


def push(config: DeviceConfig) -> Tree:
    session = ConfigSession(Tree(eos_grammar(), EOS), context(config))
    for line in rendered(config).splitlines():
        session.feed(line)
    return session.tree


def assert_reads_back(config: DeviceConfig) -> None:
    printed = push(config).text()
    read = PLATFORM.parse(to_tree(printed), facts_of(config), config.name, config.model)
    assert to_text(read.remainder) == ""
    assert read.config == config


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_the_twins_print_of_what_was_pushed_reads_back_whole(config: DeviceConfig) -> None:
    assert_reads_back(config)


@given(configs())
@settings(max_examples=60, deadline=None)
def test_any_configuration_reads_back_from_the_twin(config: DeviceConfig) -> None:
    assert_reads_back(config)


@pytest.mark.parametrize("config", examples(), ids=lambda each: each.name)
def test_pushing_twice_changes_nothing(config: DeviceConfig) -> None:
    tree = push(config)
    before = tree.text()
    session = ConfigSession(tree, context(config))
    for line in [*rendered(config).splitlines(), *before.splitlines()]:
        session.feed(line)
    assert tree.text() == before


@given(configs(), configs())
@settings(max_examples=60, deadline=None)
def test_the_remediation_between_any_two_configurations_leads_the_twin_there(
    first: DeviceConfig, other: DeviceConfig
) -> None:
    """Same hardware and AS number; an emptied port stays as an empty block, because hardware does not go away."""
    if first.asic.startswith("jericho") != other.asic.startswith("jericho") or first.bgp is None or other.bgp is None:
        return
    tree = push(first)
    asn = f"router bgp {first.bgp.asn}"
    wanted = canonical(to_tree(rendered(other).replace(f"router bgp {other.bgp.asn}", asn)))
    now = to_tree(tree.text())
    session = ConfigSession(tree, context(first))
    for line in PLATFORM.candidate(now, now, wanted).payload:
        session.feed(line)
    left = [change for change in difference(to_tree(tree.text()), wanted) if not _is_empty_port(change.path, change.op)]
    assert left == []


def _is_empty_port(path: tuple[str, ...], op: str) -> bool:
    return op == "-" and len(path) == 1 and path[0].startswith(("interface Ethernet", "interface Management"))


def test_a_large_switch_prints_at_once(figure: Callable[[str], None]) -> None:
    tree = push(leaf(ports=62, spines=2))
    started = time.perf_counter()
    text = tree.text()
    first_s = time.perf_counter() - started
    started = time.perf_counter()
    assert tree.text() is text
    again_s = time.perf_counter() - started
    figure(f"EOS twin, {len(text.splitlines())} lines: {first_s * 1000:.1f} ms, again {again_s * 1e6:.0f} us")
    assert len(text.splitlines()) > 450
