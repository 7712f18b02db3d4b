"""When a pair of the lab's leaves speaks LACP to a bonded host, and when it takes a leg for lost."""

import socket
import struct
from collections.abc import Iterator

import pytest

from nornir_tasks.lab.machines.leaf_pair import LeafPair, Leg, System

HOST = bytes.fromhex("0c42a1000001")
ASKS_FAST, ASKS_SLOW = 0x3F, 0x3D
"""States of a host whose bond is up: with the short timeout, and with the long one."""


def pdu(state: int) -> bytes:
    """What a host says (IEEE 802.1AX, 6.4.2)."""
    own = struct.pack("!BBH6sHHHB3x", 1, 20, 0xFFFF, HOST, 9, 255, 1, state)
    return bytes.fromhex("0180c2000002") + HOST + b"\x88\x09\x01\x01" + own + bytes(72)


class Wires:
    """The far ends of a pair's legs."""

    def __init__(self, *, is_fast: bool) -> None:
        ends = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
        self.far = [far for _, far in ends]
        legs = [Leg(f"leg{number}", number, near) for number, (near, _) in enumerate(ends, 1)]
        self.pair = LeafPair(System(bytes.fromhex("025e00000001"), 1, is_fast), legs)

    def heard_at(self, leg: int, state: int, now: float) -> bool:
        return self.pair.hear(self.pair.legs[leg], pdu(state), now)

    def sent(self, leg: int) -> int:
        """How many frames came since the last look."""
        self.far[leg].setblocking(False)
        count = 0
        while True:
            try:
                assert len(self.far[leg].recv(2000)) == 124, "14 bytes of Ethernet, 110 of LACP"
            except BlockingIOError:
                return count
            count += 1

    def close(self) -> None:
        for each in (*self.far, *(leg.wire for leg in self.pair.legs)):
            each.close()


@pytest.fixture(params=[True, False], ids=["fast", "slow"])
def wires(request: pytest.FixtureRequest) -> Iterator[Wires]:
    made = Wires(is_fast=request.param)
    yield made
    made.close()


@pytest.mark.parametrize(("state", "frames_a_minute"), [(ASKS_FAST, 60), (ASKS_SLOW, 2)])
def test_the_pair_speaks_as_often_as_the_host_asks_whatever_it_asks_itself(
    wires: Wires, state: int, frames_a_minute: int
) -> None:
    wires.heard_at(0, state, 0.0)
    for step in range(240):
        wires.pair.speak(step / 4)
    assert (wires.sent(0), wires.sent(1)) == (frames_a_minute, 60), "each second to a host that said nothing yet"


def test_a_silent_leg_is_lost_after_three_frames_that_the_pair_asked_for(wires: Wires) -> None:
    every_s = 1.0 if wires.pair.system.is_fast else 30.0
    wires.heard_at(0, ASKS_FAST, 0.0)
    wires.heard_at(1, ASKS_FAST, every_s)
    assert [each.number for each in wires.pair.bundled(2.9 * every_s)] == [1, 2]
    assert [each.number for each in wires.pair.bundled(3.1 * every_s)] == [2]
    assert wires.pair.bundled(4.1 * every_s) == []


def test_only_news_is_answered_at_once(wires: Wires) -> None:
    assert wires.heard_at(0, ASKS_FAST, 0.0)
    assert not wires.heard_at(0, ASKS_FAST, 1.0)
    assert wires.heard_at(0, ASKS_SLOW, 2.0)
    assert wires.heard_at(0, ASKS_SLOW, 200.0), "it was lost in between"


def test_a_leg_whose_end_is_down_is_lost_at_once(wires: Wires) -> None:
    for leg in range(2):
        wires.heard_at(leg, ASKS_FAST, 0.0)
    wires.far[0].close()
    wires.pair.speak(0.5)
    assert [each.number for each in wires.pair.bundled(0.6)] == [2]
