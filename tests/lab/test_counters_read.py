"""Counters read over three APIs: with the clock, only what is wanted, and NVUE port by port as all at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from described_lab import LabDescription, RunningLab

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.nvue import NvueSession
from nornir_tasks.drivers.nvue_client import NvueClient
from nornir_tasks.drivers.nvue_ports import AT_ONCE, PortCounters
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.nvue.counters import OF_SWITCH, PARTS, PORTS
from nornir_tasks.platforms.nvue.reading import look

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}


@pytest.fixture(scope="module")
def lab(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> RunningLab:
    """A switch of each system, as it comes."""
    description = LabDescription(tmp_path_factory.mktemp("counters") / "lab")
    for os, name in SWITCHES.items():
        description.add_device(name, os, asn=4200000001)
    return start_module_lab(description)


@pytest.fixture
def sessions(lab: RunningLab) -> Iterator[dict[str, Any]]:
    """A session of each system, as the product opens them."""
    found = {os: open_session(os, lab.endpoint(name)) for os, name in SWITCHES.items()}
    yield found
    for session in found.values():
        session.close()


@pytest.mark.parametrize("os", sorted(SWITCHES))
def test_a_reading_has_the_switchs_own_time_and_says_all_that_it_has_not(sessions: dict[str, Any], os: str) -> None:
    before_s = time.monotonic()
    first, second = sessions[os].counters(), sessions[os].counters()
    assert before_s < first.read_at_s < second.read_at_s
    assert first.problems == ()
    for each in (first, second):
        assert each.clock_s is not None
        assert each.uptime_s is not None
    assert (first.clock_s, first.uptime_s) <= (second.clock_s, second.uptime_s)
    hosts_alone = {Counter.CNP_SENT, Counter.XID}
    assert hosts_alone < set(first.not_read)
    assert not set(first.values) & set(first.not_read)


@pytest.mark.parametrize("os", sorted(SWITCHES))
def test_only_what_is_wanted_is_read(sessions: dict[str, Any], os: str) -> None:
    found = sessions[os].counters({Counter.BYTES_IN, Counter.XID})
    assert set(found.values) <= {Counter.BYTES_IN}
    assert set(found.not_read) == {Counter.XID}
    assert found.problems == ()


def test_cumulus_is_read_port_by_port_for_what_it_does_not_tell_of_all_at_once(sessions: dict[str, Any]) -> None:
    """Several ports at a time over the one session, and one request a port as long as its answer has all parts."""
    client = CountingClient(sessions["nvue"].endpoint)
    ports: dict[str, Any] = {f"swp{number}": {"link": {"oper-status": "up"}} for number in range(1, 9)}
    PortCounters(client).complete(ports, ALL)
    for port in ports.values():
        assert all(look(port, *path) for path in PARTS if path not in OF_SWITCH)
        assert not any(look(port, *path) for path in OF_SWITCH), "no qos roce here"
    whole = {f"interface/{port}" for port in ports}
    assert whole <= {*client.requested}
    in_vain = [each for each in client.requested if each not in whole]
    assert len(in_vain) <= AT_ONCE, "the first ports of all threads, and no other"
    client.close()


def test_the_time_of_a_reading_is_that_of_its_clock_however_long_the_ports_take(sessions: dict[str, Any]) -> None:
    """Else a busy switch of many ports would seem to have another clock than the rest."""
    session: NvueSession = sessions["nvue"]
    session.client = SlowPorts(session.endpoint)
    assert session.counters().read_at_s < time.monotonic() - 0.5


class CountingClient(NvueClient):
    """Notes what it asks for."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._requested: list[str] = []

    @property
    def requested(self) -> list[str]:
        return sorted(self._requested)

    def live(self, *path: str, **query: str | list[str]) -> dict[str, Any]:
        self._requested.append("/".join(path))
        return super().live(*path, **query)


class SlowPorts(NvueClient):
    """A switch that takes its time for its ports."""

    def live(self, *path: str, **query: str | list[str]) -> dict[str, Any]:
        if path[0] == PORTS:
            time.sleep(0.5)
        return super().live(*path, **query)
