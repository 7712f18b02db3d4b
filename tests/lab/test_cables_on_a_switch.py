"""A lossless cable that grows, shrinks, and follows somebody else's profile of buffers, on switches that take it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from line_shapes import Rendered
from taken import push
from typed_switches import SWITCHES

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.render.render import render
from tests.property.mutants import each_change_is_reported
from tests.unit.design import long_cables


def rendered(device: str, spine_m: int) -> Rendered:
    each = long_cables.realised(device, spine_m)
    text = render(each.config, each.capabilities, environment(each.config.os))
    return Rendered(each.config, each.capabilities, each.claims, text)


@pytest.mark.parametrize("device", long_cables.DEVICES.values(), ids=long_cables.DEVICES)
def test_a_switch_takes_each_length_and_ends_where_it_began(device: str) -> None:
    steps = [rendered(device, metres) for metres in (100, 150, 400, 300, 100)]
    switch = SWITCHES[steps[0].config.os](steps[0])
    first = switch.running()
    for start, end in pairwise(steps):
        push(switch, start, end)
    assert switch.running() == first


def test_a_profile_of_buffers_that_somebody_else_applied_gives_way() -> None:
    own, long = rendered("leaf-g1", 100), rendered("leaf-g1", 300)
    switch = SWITCHES["eos"](own)
    switch.type(("platform trident mmu queue profile RP", "ingress headroom cells 500"))
    switch.type(("platform trident mmu queue profile RP apply",))
    push(switch, own, long)
    applied = [line for line in switch.running().splitlines() if line.endswith(" apply")]
    assert applied == ["platform trident mmu queue profile GPUFABRIC-HEADROOM apply"]
    assert "platform trident mmu queue profile RP\n" in switch.running()  # described by somebody else, and not in force


def test_bytes_without_their_unit_are_the_same_bytes() -> None:
    long = rendered("leaf-g1", 300)
    typed = long.text.replace("ingress headroom bytes ", "ingress headroom ")
    assert typed != long.text
    assert long.os.to_tree(typed) == long.os.to_tree(long.text)


@pytest.mark.parametrize("device", long_cables.DEVICES.values(), ids=long_cables.DEVICES)
def test_every_line_of_headroom_deleted_or_changed_is_a_difference(device: str) -> None:
    switch = rendered(device, 300)
    tree = switch.owned(switch.os.canonical(switch.written()))
    owners = frozenset({"switch"}) | switch.claims.planes
    wanted = Wanted(switch.config, switch.capabilities, switch.claims, owners, switch.text, tree)
    words = ("headroom", "HEADROOM apply", "cable-length")
    paths = [path for path, _ in tree.walk() if any(word in path[-1] for word in words)]
    assert len(paths) == {"eos": 2, "nvue": 1}[switch.config.os]
    assert all(each_change_is_reported(wanted, path)[0] for path in paths)
    assert device_plan(wanted, wanted.platform.to_text(tree)).changes == ()


def test_a_profile_that_is_not_applied_or_says_nothing_is_no_headroom() -> None:
    switch = rendered("leaf-g1", 300)
    header = "platform trident mmu queue profile GPUFABRIC-HEADROOM"
    for gone in ((f"{header} apply",), (header, "ingress headroom bytes 839470")):
        tree: ConfigTree = switch.owned(switch.os.canonical(switch.written())).copy()
        above = tree.get(*gone[:-1])
        assert above is not None
        del above.children[gone[-1]]
        parsed = switch.os.parse(tree, switch.capabilities, switch.config.name, switch.config.model)
        assert parsed.config.qos is not None
        assert parsed.config.qos.headroom_bytes is None
        assert parsed.remainder
