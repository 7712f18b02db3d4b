"""Both firewalls with real keepalived and conntrackd: one dies, and open connections go on through the other one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from boundary_pair import Pair, rendered
from busy_machine import is_idle
from routed_lab import needs_root
from test_boundary_packets import PREFIXES, first

pytestmark = [needs_root, pytest.mark.long]

FIREWALLS = ("firewall-1", "firewall-2")
SERVERS = {4: "192.0.2.5", 6: "2001:db8:500::5"}
PORT = 443
SHARED = {
    "203.0.113.1/29",
    "203.0.113.65/27",
    "10.190.0.1/28",
    "2001:db8:100::1/64",
    "2001:db8:101::1/64",
    "fd00:190::1/64",
}
"""Addresses of the pair."""
HANGS_S = 5.0
"""Less than what follows a failover: a connection that does not go on is silent for longer."""
NEW_WITHIN_S = 3.0
"""So soon new connections pass again, where nothing else keeps the processors busy."""
PROGRAM = str(Path(__file__).with_name("boundary_stream.py"))
Ends = dict[int, tuple[str, str]]


def until(true: Callable[[], bool], what: str, within_s: float = 90) -> None:
    deadline = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.1)


class Firewall:
    """One of the pair, with its daemons."""

    def __init__(self, pair: Pair, name: str, folder: Path) -> None:
        self.pair, self.name, self.folder = pair, name, folder
        folder.mkdir()
        names = {
            "__firewall_name": name,
            "__firewall_state_folder": str(folder),
            "__firewall_conntrackd_systemd": False,
            "__firewall_conntrackd_conf": str(folder / "conntrackd.conf"),
            "__firewall_state_script": str(folder / "state.sh"),
        }
        for template in ("conntrackd.conf", "keepalived.conf", "state.sh"):
            (folder / template).write_text(rendered(f"{template}.j2", name, file=pair.file, **names))
        (folder / "state.sh").chmod(0o755)
        self.daemons: list[subprocess.Popen[str]] = []

    def start(self) -> None:
        """Rules, then conntrackd, then keepalived, as the role starts them."""
        self.pair.load(self.name, rendered("firewall.nft.j2", self.name, file=self.pair.file))
        with (self.folder / "log").open("a") as log:
            conntrackd = ["conntrackd", "-C", str(self.folder / "conntrackd.conf")]
            self.daemons.append(self.pair.start(self.name, *conntrackd, stderr=log))
            until((self.folder / "conntrackd.sock").exists, f"conntrackd of {self.name}")
            own = [f"--{kind}={self.folder / kind}" for kind in ("pid", "vrrp_pid")]
            keepalived = ["keepalived", "--dont-fork", "--vrrp", "--log-console", "--log-detail", *own]
            keepalived += ["--use-file", str(self.folder / "keepalived.conf")]
            self.daemons.append(self.pair.start(self.name, *keepalived, stderr=log))

    def die(self) -> None:
        """As a machine whose power is cut: no word to anybody, no carrier, nothing left in the kernel."""
        self.cut("down")
        for each in reversed(self.daemons):
            each.kill()
            each.wait(10)
            self.pair.processes.remove(each)
            for stream in filter(None, (each.stdin, each.stdout)):
                stream.close()
        self.daemons.clear()
        for port in self.pair.ports:
            for shared in self.shared():
                subprocess.run(
                    ["ip", "-n", self.pair.name(self.name), "address", "delete", shared, "dev", port],
                    check=False,
                    capture_output=True,
                )
        self.pair.inside(self.name, "conntrack", "-F")
        for left in ("conntrackd.sock", "conntrackd.lock", "pid", "vrrp_pid"):
            (self.folder / left).unlink(missing_ok=True)

    def cut(self, state: str, ports: Sequence[str] = ()) -> None:
        """Every cable of these ports; none named: of all."""
        for port in ports or (*self.pair.ports, "sync"):
            self.pair.cut(self.name, port, state)

    def addresses(self) -> set[str]:
        shown = json.loads(self.pair.inside(self.name, "ip", "-j", "address", "show"))
        return {f"{each['local']}/{each['prefixlen']}" for port in shown for each in port["addr_info"]}

    def shared(self) -> set[str]:
        """Those of the pair that it has now."""
        return self.addresses() & self.pair.shared


@pytest.fixture
def firewalls(tmp_path: Path) -> Iterator[tuple[Firewall, Firewall]]:
    pair = Pair(FIREWALLS)
    try:
        pair.build()
        there = {"outside": list(SERVERS.values()), "dmz": [], "business": [each for each, _ in ends().values()]}
        pair.settle(there, PREFIXES)
        both = [Firewall(pair, name, tmp_path / name) for name in FIREWALLS]
        for each in both:
            each.start()
        until(lambda: sorted(len(each.shared()) for each in both) == [0, len(SHARED)], "one has all shared addresses")
        pair.start("outside", sys.executable, "-I", PROGRAM, "serve", str(PORT))
        first, second = sorted(both, key=lambda each: -len(each.shared()))
        yield first, second
    finally:
        pair.end()


def ends() -> Ends:
    """Family -> a host of group login, and who it talks to outside."""
    return {family: (first("login", family), SERVERS[family]) for family in (4, 6)}


class Streams:
    """One of each family, from inside to outside."""

    def __init__(self, pair: Pair) -> None:
        self.running = {}
        for family, (source, server) in ends().items():
            command = (sys.executable, "-I", PROGRAM, "stream", source, server, str(PORT))
            self.running[family] = pair.start("business", *command)
        for each in self.running.values():
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"

    def ended(self) -> dict[int, dict[str, Any]]:
        found = {}
        for family, each in self.running.items():
            assert each.stdin is not None
            assert each.stdout is not None
            each.stdin.close()
            found[family] = json.loads(each.stdout.readline())
        return found


def went_on(found: dict[int, dict[str, Any]], what: str, figure: Callable[..., None], counts: bool) -> None:
    for family, each in found.items():
        assert each["error"] == "", f"IPv{family}: the open connection ended"
        assert each["silent_at_the_end_s"] < HANGS_S, f"IPv{family}: the open connection hangs"
        assert each["outage_s"] >= 0, f"IPv{family}: new connections do not pass any more"
        if counts:
            assert each["outage_s"] < NEW_WITHIN_S, f"IPv{family}: new connections passed late"
        figure(
            f"{what}, IPv{family}: an open connection silent for {each['silent_s']:.2f} s, new ones for "
            f"{each['outage_s']:.2f} s, {each['opened']} opened, {each['refused']} not"
        )


def test_connections_go_on_when_the_firewall_with_the_addresses_dies_and_stay_where_they_went(
    firewalls: tuple[Firewall, Firewall], figure: Callable[..., None]
) -> None:
    active, standby = firewalls
    was_idle = is_idle()
    streams = Streams(active.pair)
    time.sleep(3)
    active.die()
    until(lambda: standby.shared() == SHARED, "the other one has all addresses")
    time.sleep(8)
    went_on(streams.ended(), f"{active.name} dies", figure, was_idle and is_idle())

    again = Streams(active.pair)
    active.cut("up")
    active.start()
    time.sleep(8)
    assert active.shared() == set(), "who comes back leaves the addresses where they are"
    assert standby.shared() == SHARED
    went_on(again.ended(), f"{active.name} comes back", figure, was_idle and is_idle())


def test_all_addresses_move_together_when_one_port_loses_its_cable(
    firewalls: tuple[Firewall, Firewall], figure: Callable[..., None]
) -> None:
    active, standby = firewalls
    was_idle = is_idle()
    streams = Streams(active.pair)
    time.sleep(3)
    active.cut("down", ("lan",))
    until(lambda: (active.shared(), standby.shared()) == (set(), SHARED), "all addresses moved, of both families")
    time.sleep(8)
    went_on(streams.ended(), f"{active.name} loses the cable of lan", figure, was_idle and is_idle())


def test_without_any_carrier_in_one_zone_no_zone_has_its_addresses_until_one_is_back(
    firewalls: tuple[Firewall, Firewall],
) -> None:
    active, standby = firewalls
    for each in firewalls:
        each.cut("down", ("lan",))
    until(lambda: active.shared() == set(), "the addresses of all zones are given up")
    time.sleep(5)
    assert (active.shared(), standby.shared()) == (set(), set()), "docs/boundary.md says so of both firewalls"
    standby.cut("up", ("lan",))
    until(lambda: (active.shared(), standby.shared()) == (set(), SHARED), "the one that has a carrier has them all")


def test_without_the_other_ones_connections_an_open_one_does_not_go_on(firewalls: tuple[Firewall, Firewall]) -> None:
    active, standby = firewalls
    streams = Streams(active.pair)
    time.sleep(3)
    standby.daemons[0].kill()
    active.die()
    until(lambda: standby.shared() == SHARED, "the other one has all addresses")
    time.sleep(8)
    for family, each in streams.ended().items():
        assert each["silent_at_the_end_s"] > HANGS_S, f"IPv{family}: its answers come, by whatever"
        assert each["outage_s"] >= 0, f"IPv{family}: new connections pass"
