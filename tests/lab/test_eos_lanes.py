"""Cages and lanes on the EOS twin: every lane has its interface, and the speeds say which of them work."""

from __future__ import annotations

import pytest

from switch_twins.clock import ManualClock
from switch_twins.engine import ConfigSession, LineError
from switch_twins.eos.configuration import Configuration
from switch_twins.eos.extract import switch_state
from switch_twins.eos.ports import lane_ports
from switch_twins.spec import DeviceSpec
from switch_twins.state import InterfaceState

PORTS = (*(f"Ethernet{cage}/1" for cage in range(1, 5)), "Ethernet65")


def device(model: str = "7060DX5-64S") -> DeviceSpec:
    return DeviceSpec("leaf", "eos", "4.33.1F", model, "tomahawk4", "LAB1", "127.0.0.1", 8443, 8022, 65000, PORTS)


def switch(*lines: str) -> dict[str, InterfaceState]:
    """The interfaces of a switch after these lines."""
    configuration = Configuration(device(), ("admin", "secret"), ManualClock())
    session = ConfigSession(configuration.running, configuration.context)
    for line in lines:
        session.feed(line)
    return {interface.name: interface for interface in switch_state("leaf", configuration.running).interfaces}


def working(found: dict[str, InterfaceState], cage: str) -> list[str]:
    return [name for name, port in found.items() if name.startswith(f"{cage}/") and not port.is_dark]


def test_a_lane_of_a_cage_has_no_block_in_the_running_configuration() -> None:
    text = Configuration(device(), ("admin", "secret"), ManualClock()).running.text()
    assert [lane for lane in range(1, 9) if f"interface Ethernet1/{lane}\n" not in text] == []
    assert "interface Ethernet65/1\n" not in text
    assert "interface Ethernet1/9\n" not in text


@pytest.mark.parametrize(("model", "lanes"), [("7060DX5-64S", 8), ("7060X6-64PE", 8), ("7060CX2-32S", 4)])
def test_a_cage_has_another_number_of_lanes_than_its_kind(model: str, lanes: int) -> None:
    assert len([name for name in lane_ports(device(model)) if name.startswith("Ethernet1/")]) == lanes


@pytest.mark.parametrize("name", ["Ethernet1/9", "Ethernet65/5", "Ethernet9/1"])
def test_a_lane_that_no_cage_has_can_be_configured(name: str) -> None:
    with pytest.raises(LineError):
        switch(f"interface {name}")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), [1]),
        (("interface Ethernet1/1", "speed 400g-8"), [1]),
        (("interface Ethernet1/1", "speed 200g-4"), [1, 5]),
        (("interface Ethernet1/1", "speed 200g-4", "interface Ethernet1/5", "speed 200g-4"), [1, 5]),
        (("interface Ethernet1/5", "speed 200g-4"), [1]),
        (("interface Ethernet1/1", "speed 400g-8", "interface Ethernet1/5", "speed 200g-4"), [1]),
        (("interface Ethernet1/1", "speed auto 100g-2"), [1, 3, 5, 7]),
        (("interface Ethernet1/1", "speed 50g-1"), [1, 2, 3, 4, 5, 6, 7, 8]),
        (("interface Ethernet1/1", "speed 200g-4", "interface Ethernet1/5", "speed 100g-2"), [1, 5, 7]),
    ],
)
def test_an_interface_works_whose_lanes_another_one_uses(lines: tuple[str, ...], expected: list[int]) -> None:
    assert working(switch(*lines), "Ethernet1") == [f"Ethernet1/{lane}" for lane in expected]


@pytest.mark.parametrize(
    ("lines", "speed", "fec", "negotiate"),
    [
        ((), None, None, None),
        (("speed auto",), None, None, None),
        (("speed 200g-4", "error-correction encoding reed-solomon"), "200g", "rs", False),
        (("speed 200g-4", "phy link training"), "200g", None, True),
        (("speed auto 200g-4", "no error-correction encoding"), "200g", "none", True),
        (("speed forced 100gfull", "error-correction encoding fire-code"), "100g", "fc", False),
        (("speed forced 10000full",), "10g", None, False),
        (("error-correction encoding fire-code", "no error-correction encoding"), None, "none", None),
        (("no error-correction encoding", "error-correction encoding fire-code"), None, "fc", None),
        (("error-correction encoding fire-code", "default error-correction encoding"), None, None, None),
    ],
)
def test_the_neighbour_is_told_something_else_than_is_configured(
    lines: tuple[str, ...], speed: str | None, fec: str | None, negotiate: bool | None
) -> None:
    port = switch("interface Ethernet1/1", *lines)["Ethernet1/1"]
    assert (port.speed, port.fec, port.negotiate) == (speed, fec, negotiate)
