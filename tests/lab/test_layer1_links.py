"""Links at layer 1: both ends agree or there is no link, and cables may end at parts of cages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_twins.spec import Cable, DeviceSpec, End
from switch_twins.state import InterfaceState
from switch_twins.wiring import Wiring


@pytest.mark.parametrize(
    ("here", "there", "reason"),
    [
        ({"speed": "400g"}, {"speed": "400g"}, ""),
        ({"speed": "400g"}, {}, ""),
        ({"speed": "400g"}, {"speed": "200g"}, "speed differs: 400g here, 200g at the other end"),
        ({"fec": "rs"}, {"fec": "none"}, "FEC differs: rs here, none at the other end"),
        ({"fec": "rs"}, {}, ""),
        ({"negotiate": False}, {"negotiate": True}, "negotiation differs: off here, on at the other end"),
        ({"negotiate": True}, {}, ""),
        ({"is_dark": True}, {}, "its lanes are in use by another port of the cage"),
        ({}, {"is_dark": True}, "the other end is down"),
    ],
)
def test_a_link_comes_up_between_ends_that_do_not_agree_on_layer_1(
    here: dict[str, object], there: dict[str, object], reason: str
) -> None:
    ends = {
        End("a", "Ethernet1/1"): replace(InterfaceState("Ethernet1/1"), **here),  # type: ignore[arg-type]
        End("b", "swp1s0"): replace(InterfaceState("swp1s0"), **there),  # type: ignore[arg-type]
    }
    wiring = Wiring([Cable("c1", End("a", "Ethernet1/1"), End("b", "swp1s0"))], [])
    link = wiring.link(End("a", "Ethernet1/1"), ends)
    assert (link.is_up, link.reason) == (not reason, reason)


def test_a_cable_in_a_part_that_is_not_split_off_is_up() -> None:
    wiring = Wiring([Cable("c1", End("a", "Ethernet1/1"), End("b", "swp1s0"))], [])
    ends = {End("a", "Ethernet1/1"): InterfaceState("Ethernet1/1")}
    assert wiring.link(End("b", "swp1s0"), ends).reason == "there is no such port: its cage is not split this way"
    assert not wiring.link(End("a", "Ethernet1/1"), ends).is_up


@pytest.mark.parametrize(
    ("port", "known"),
    [
        ("Ethernet1/1", True),
        ("Ethernet1/5", True),  # a lane on EOS
        ("Ethernet65", True),
        ("Ethernet65/1", False),
        ("Ethernet2/5", False),
        ("swp1s3", True),
        ("swp2s0", False),
        ("Ethernet1/1/4", True),  # a part on NX-OS
        ("Loopback0", False),
    ],
)
def test_a_cable_may_end_at_a_port_the_device_cannot_have(port: str, known: bool) -> None:
    ports = ("Ethernet1/1", "Ethernet65", "swp1")
    device = DeviceSpec("a", "eos", "", "", "", "S1", "127.0.0.1", 1, 2, 1, ports)
    assert device.has_place_for(port) is known
