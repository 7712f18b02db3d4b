"""Both gateways with real keepalived, conntrackd and logs: one dies, and who had which address is known anyway."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from boundary_pair import Pair
from busy_machine import is_idle
from routed_lab import needs_root
from test_boundary_failover import FIREWALLS, HANGS_S, NEW_WITHIN_S, PORT, PROGRAM, SHARED, Firewall, until
from test_boundary_nat import SERVER, Gateway, found, hosts
from test_boundary_packets import PREFIXES

pytestmark = [needs_root, pytest.mark.long]


@pytest.fixture
def both(tmp_path: Path) -> Iterator[list[tuple[Firewall, Gateway]]]:
    """The one with the addresses first."""
    pair = Pair(FIREWALLS)
    try:
        pair.build()
        inside = [each for its in hosts().values() for each in its]
        pair.settle({"outside": [SERVER], "dmz": [], "business": inside}, PREFIXES)
        firewalls = [Firewall(pair, name, tmp_path / name) for name in FIREWALLS]
        gateways = [Gateway(pair, name, tmp_path / f"{name}-log") for name in FIREWALLS]
        for each in firewalls:
            each.start()
        until(lambda: sorted(len(each.shared()) for each in firewalls) == [0, len(SHARED)], "one has all addresses")
        pair.start("outside", sys.executable, "-I", PROGRAM, "serve", str(PORT))
        yield sorted(zip(firewalls, gateways, strict=True), key=lambda each: -len(each[0].shared()))
    finally:
        pair.end()


def opened(gateway: Gateway, copy: str | None) -> list[dict[str, Any]]:
    return [each for each in gateway.records() if each["event"] == "opened" and each.get("copy") == copy]


def test_translated_connections_go_on_at_the_other_gateway_and_both_logs_say_one_host(
    both: list[tuple[Firewall, Gateway]], figure: Callable[..., None]
) -> None:
    (active, its_log), (standby, other_log) = both
    was_idle = is_idle()
    source = hosts()["login"][0]
    stream = active.pair.start("business", sys.executable, "-I", PROGRAM, "stream", source, SERVER, str(PORT))
    assert stream.stdin is not None
    assert stream.stdout is not None
    assert stream.stdout.readline() == "ready\n"
    time.sleep(3)
    (first, *_) = opened(its_log, None)
    assert opened(other_log, None) == [], "who translates nothing writes down nothing"
    before = time.time()
    active.die()
    until(lambda: standby.shared() == SHARED, "the other one has all addresses")
    time.sleep(6)
    stream.stdin.close()
    outcome = json.loads(stream.stdout.readline())
    assert outcome["error"] == ""
    assert outcome["silent_at_the_end_s"] < HANGS_S
    assert outcome["outage_s"] >= 0
    if was_idle and is_idle():
        assert outcome["outage_s"] < NEW_WITHIN_S

    port, address = first["outside_port"], first["outside"]
    taken = [each for each in opened(other_log, "taken_over") if each["outside_port"] == port]
    assert [each["inside"] for each in taken] == [source], "the second record of it is marked"
    assert opened(other_log, None), "new ones are not"
    moved = [each for each in its_log.records() if each["event"] == "ended" and each["outside_port"] == port]
    assert {each.get("copy") for each in moved} == {"moved"}, "it has not ended where it left"
    folders = (its_log.folder, other_log.folder)
    for when in (before - 1, before, time.time() - 1):
        (answer,) = found(address, port, when, "tcp", *folders)
        assert answer.startswith(f"{source} port ")
        assert answer.endswith(f"by {active.name}, {standby.name}")
    (alone,) = found(address, port, before - 1, "tcp", other_log.folder)
    assert alone.startswith(f"{source} port ")
    assert f"to {SERVER} port {PORT}, before " in alone

    both_say = {each["outside"] for log in (its_log, other_log) for each in opened(log, None)}
    assert both_say == {address}, "the host has one address of its pool, whichever gateway translates"
    every = [each for log in (its_log, other_log) for each in opened(log, None)]
    times = sorted(each["time"] for each in every)
    gap = max(_seconds(later) - _seconds(earlier) for earlier, later in pairwise(times))
    assert gap <= outcome["outage_s"] + 0.7, "the log has a gap beyond that of connections"
    figure(
        f"NAT, {active.name} dies: an open connection silent for {outcome['silent_s']:.2f} s, new ones for "
        f"{outcome['outage_s']:.2f} s, longest gap of the log {gap:.2f} s, {len(every)} translations in both logs"
    )


def test_two_hosts_with_one_address_and_one_port_of_their_own_both_go_on(
    both: list[tuple[Firewall, Gateway]],
) -> None:
    (active, its_log), (standby, other_log) = both
    two = hosts()["gpu"][:2]  # one address outside
    streams = []
    for source in two:
        command = ("stream", source, SERVER, str(PORT), "33333")
        streams.append(active.pair.start("business", sys.executable, "-I", PROGRAM, *command))
    for each in streams:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    time.sleep(2)
    first = {each["inside"]: each for each in opened(its_log, None) if each["inside_port"] == 33333}
    assert {*first} == {*two}
    ports = {each["outside_port"] for each in first.values()}
    assert len(ports) == 2, "the kernel gave one of them another port"
    active.die()
    until(lambda: standby.shared() == SHARED, "the other one has all addresses")
    time.sleep(6)
    for each in streams:
        assert each.stdin is not None
        assert each.stdout is not None
        each.stdin.close()
        outcome = json.loads(each.stdout.readline())
        assert outcome["error"] == ""
        assert outcome["silent_at_the_end_s"] < HANGS_S
    for source, each in first.items():
        (answer,) = found(
            each["outside"], each["outside_port"], time.time() - 1, "tcp", its_log.folder, other_log.folder
        )
        assert answer.startswith(f"{source} port 33333 tcp ")


def _seconds(text: str) -> float:
    return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float(f"0{text[19:-1]}")
