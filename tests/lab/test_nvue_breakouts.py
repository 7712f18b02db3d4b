"""Split cages on the NVUE twin: parts come and whole ports go, the next cage with them where the hardware asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from switch_twins.nvue.checks import findings
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.extract import switch_state
from switch_twins.nvue.ports import ports, share
from switch_twins.nvue.tree import merge
from switch_twins.spec import DeviceSpec
from switch_twins.state import InterfaceState

NAMES = tuple(f"swp{number}" for number in range(1, 5))
SPINE = DeviceSpec("spine", "nvue", "5.14.0", "SN5600", "spectrum4", "LAB1", "127.0.0.1", 8765, 8022, 65000, NAMES)


def split(cage: str, mode: str, **lanes: str) -> dict[str, Any]:
    return {cage: {"link": {"breakout": {mode: {key.replace("_", "-"): value for key, value in lanes.items()}}}}}


def interfaces(**content: Any) -> dict[str, Any]:
    return {"interface": content}


def port(tree: dict[str, Any], name: str, release: str = "5.14.0") -> InterfaceState:
    state = switch_state(replace(SPINE, release=release), tree, dialect_for(release))
    return next(interface for interface in state.interfaces if interface.name == name)


def reasons(tree: dict[str, Any], device: DeviceSpec = SPINE) -> list[str]:
    return [location for location, _ in findings(tree, dialect_for(device.release), device)]


@pytest.mark.parametrize(
    ("content", "there"),
    [
        ({}, ["swp1", "swp2", "swp3", "swp4"]),
        (split("swp1", "2x"), ["swp1s0", "swp1s1", "swp2", "swp3", "swp4"]),
        (split("swp2", "4x", lanes_per_port="2"), ["swp1", "swp2s0", "swp2s1", "swp2s2", "swp2s3", "swp3", "swp4"]),
        (split("swp1", "8x"), [*(f"swp1s{part}" for part in range(8)), "swp3", "swp4"]),
        (split("swp4", "disabled"), ["swp1", "swp2", "swp3"]),
        (split("swp1", "1x"), ["swp1", "swp2", "swp3", "swp4"]),
    ],
)
def test_a_cage_shows_the_ports_its_split_makes_and_no_other(content: dict[str, Any], there: list[str]) -> None:
    tree = interfaces(**content)
    assert ports(SPINE, tree) == there
    assert [
        name for name in (i.name for i in switch_state(SPINE, tree, dialect_for("5.14")).interfaces) if name != "lo"
    ] == there


def test_the_later_of_two_modes_replaces_the_earlier_in_one_cage() -> None:
    tree = interfaces(**split("swp1", "2x"))
    merge(tree, interfaces(**split("swp1", "4x")))
    assert list(tree["interface"]["swp1"]["link"]["breakout"]) == ["4x"]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ({"swp1s0": {"type": "swp"}}, ["interface.swp1s0"]),
        ({**split("swp1", "2x"), "swp1s2": {"type": "swp"}}, ["interface.swp1s2"]),
        ({**split("swp1", "2x"), "swp1s1": {"type": "swp"}}, []),
        (split("swp2", "8x"), ["interface.swp2.link.breakout"]),
        (split("swp1", "4x", lanes_per_port="4"), ["interface.swp1.link.breakout"]),
        (split("swp65", "4x"), ["interface.swp65.link.breakout"]),
        ({**split("swp1", "2x"), **split("swp1s0", "2x")}, ["interface.swp1s0.link.breakout"]),
    ],
)
def test_a_split_the_hardware_cannot_do_is_refused_with_its_place(content: dict[str, Any], where: list[str]) -> None:
    assert reasons(interfaces(**content)) == where


@pytest.mark.parametrize(
    ("link", "negotiate"),
    [
        ({}, None),
        ({"speed": "auto"}, None),
        ({"speed": "400G"}, False),  # "Cumulus Linux disables auto-negotiation and uses the port speed"
        ({"auto-negotiate": "on"}, True),
        ({"auto-negotiate": "off"}, False),
        ({"auto-negotiate": "on", "speed": "400G"}, None),
    ],
)
def test_a_port_negotiates_as_speed_and_negotiation_are_configured(
    link: dict[str, Any], negotiate: bool | None
) -> None:
    assert port(interfaces(swp1={"link": link}), "swp1").negotiate is negotiate
    new = {key: {"on": "enabled", "off": "disabled"}.get(value, value) for key, value in link.items()}
    assert port(interfaces(swp1={"link": new}), "swp1", "5.16.0").negotiate is negotiate


def test_a_part_shows_its_share_of_the_cages_speed_and_its_own_fec() -> None:
    tree = interfaces(**split("swp1", "2x"), swp1s0={"link": {"speed": "400G", "fec": "rs"}}, swp1s1={"type": "swp"})
    assert (port(tree, "swp1s0").speed, port(tree, "swp1s0").fec) == ("400g", "rs")
    assert share(SPINE, tree, "swp1s1") == "400G"
    assert share(SPINE, tree, "swp2") == "800G"
    assert port(tree, "swp1s1").is_admin_up


def test_a_part_that_nobody_configured_is_down() -> None:
    assert not port(interfaces(**split("swp1", "2x")), "swp1s0").is_admin_up
