"""A plane with IPv6 and routes out comes, changes and goes on switches that take what is sent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from line_shapes import Rendered
from taken import pushed

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.files.templates import environment
from nornir_tasks.render.render import render
from tests.unit.design import toy_layer3, toys
from tests.unit.design.toy_layer3 import DEVICES, VRF


def without(device: str) -> Rendered:
    """The switch with a plane of IPv4 alone in the same VRF."""
    each = toys.realised(device, VRF)
    return rendered(each.config, device)


def rendered(config: DeviceConfig, device: str, vrf: str | None = VRF) -> Rendered:
    each = toy_layer3.realised(device, vrf)
    return Rendered(config, each.capabilities, each.claims, render(config, each.capabilities, environment(config.os)))


def with_it(device: str, vrf: str | None = VRF) -> Rendered:
    return rendered(toy_layer3.realised(device, vrf).config, device, vrf)


def changed(device: str) -> Rendered:
    """Other addresses, other next hops, another tag."""
    config = toy_layer3.realised(device, VRF).config
    ports = [
        replace(each, ipv6_address=each.ipv6_address.replace("2001:db8:32", "2001:db8:32:f"))
        if each.ipv6_address and "127" in each.ipv6_address
        else each
        for each in config.interfaces
    ]
    routes = [
        replace(each, next_hops=each.next_hops[1:], tag=9) if len(each.next_hops) == 2 else replace(each, tag=None)
        for each in config.static_routes
    ]
    return rendered(replace(config, interfaces=tuple(ports), static_routes=tuple(routes)), device)


STEPS = {
    "comes": (without, with_it),
    "goes": (with_it, without),
    "changes": (with_it, changed),
    "changes back": (changed, with_it),
    "leaves its VRF": (with_it, lambda device: with_it(device, None)),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_a_plane_of_ipv6_and_routes_that_moves_runs_just_its_new_lines(device: str, step: str) -> None:
    pushed(*(make(device) for make in STEPS[step]))
