"""Real packets through the gateway's translation: the log leads from what is seen outside to the inside host."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from itertools import count
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from boundary_pair import ROOT, Pair, rendered, run, site
from routed_lab import needs_root
from test_boundary_packets import PREFIXES, first, v4

from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars

sys.path.insert(0, str(ROOT / "roles" / "nat_gateway" / "files"))
import nat_find
from nat_records import Files, files, records, written

pytestmark = [needs_root]

ROLE = ROOT / "roles" / "nat_gateway"
BALANCER = ROOT / "roles" / "load_balancer"
LOG, FIND = ROLE / "files" / "nat_log.py", ROLE / "files" / "nat_find.py"
SERVER, OFFICE = "198.51.100.77", "192.0.2.5"
TALK = Path(__file__).with_name("boundary_talk.py")
"""Says what it sees outside, and sends from inside."""
EACH = 8
"""Connections of one host by one protocol."""
PORTS = count(20000)
"""Each connection has a port of its own: the kernel's choice may be one host's twice within the log's resolution."""


def values(firewall: str = "firewall-1") -> dict[str, Any]:
    return firewall_host_vars(*site())[firewall].ansible()


def ruleset(**more: Any) -> str:
    environment = jinja2.Environment(
        trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    text = (ROLE / "templates" / "nat.nft.j2").read_text()
    return environment.from_string(text).render(**{**values(), **more})


def pools() -> dict[str, Any]:
    return {
        each["name"].partition(".")[2]: (ip_address(each["first"]), ip_address(each["last"]))
        for each in values()["nat_gateway_translations"]
    }


def settings(pair: Pair, name: str) -> None:
    """Of the kernel, as the role has them: without them the kernel tells of no end whose beginning nobody heard.

    And as role load_balancer has them where the firewalls are the balancers too.
    """
    its = {
        **yaml.safe_load((ROLE / "vars" / "main.yml").read_text())["__nat_gateway_settings"],
        **yaml.safe_load((BALANCER / "vars" / "main.yml").read_text())["__load_balancer_settings"],
    }
    pair.inside(name, "sysctl", "-q", "-w", *(f"{key}={value}" for key, value in its.items()))


class Gateway:
    """One firewall that translates, and writes down what it does."""

    def __init__(self, pair: Pair, name: str, folder: Path, *more: str) -> None:
        self.pair, self.name, self.folder = pair, name, folder
        folder.mkdir(exist_ok=True)
        settings(pair, name)
        pair.inside(name, "nft", "-f", "-", input=ruleset())
        shared = values()["nat_gateway_shared"]
        sizes = more or ("--file-megabytes", "10", "--megabytes", "40")
        command = [sys.executable, "-I", str(LOG), "--folder", str(folder), "--gateway", name, "--shared", shared]
        # -I leaves out the program's own folder, in which its other module is.
        command[1:2] = []
        self.process = pair.start(name, *command, *sizes)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def stop(self) -> None:
        self.process.terminate()
        assert self.process.wait(10) == 0
        self.pair.processes.remove(self.process)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "translations.log").read_text().splitlines()]


def found(address: str, port: int, when_s: float, protocol: str, *folders: Path) -> list[str]:
    """What the operator's command answers."""
    when = datetime.fromtimestamp(when_s, UTC)
    question = nat_find.Question(address, port, when, timedelta(seconds=0.5), protocol)
    return [str(each) for each in nat_find.answer(question, folders).found]


def hosts() -> dict[str, list[str]]:
    """Group -> its hosts here."""
    places = {"login": (9, 10, 11), "api": (20, 21), "gpu": (9, 10, 11)}
    return {group: [str(v4(group)[place]) for place in its] for group, its in places.items()}


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    pair = Pair(["firewall-1"])
    try:
        pair.build()
        for zone in values()["firewall_zones"]:
            pair.ip("firewall-1", "address", "add", zone["shared"], "dev", zone["port"])
        for route in ("default via 203.0.113.4", "10.177.0.0/16 via 10.190.0.4"):
            pair.ip("firewall-1", "route", "add", *route.split())
        inside = [each for its in hosts().values() for each in its]
        # 10.190.0.9 is a router of the zone: no rule of egress is for it.
        pair.settle({"outside": [SERVER, OFFICE], "dmz": [], "business": [*inside, "10.190.0.9"]}, PREFIXES)
        pair.load("firewall-1", rendered("firewall.nft.j2"))
        settings(pair, "firewall-1")
        yield pair
    finally:
        pair.end()


class Seen:
    """What somebody outside saw: address, port and time of each thing that came."""

    def __init__(self, pair: Pair) -> None:
        self.process = pair.start("outside", sys.executable, "-I", str(TALK), "see", SERVER)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def ended(self) -> list[dict[str, Any]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        return json.loads(self.process.stdout.readline())  # type: ignore[no-any-return]


def send(pair: Pair, who: str, to: str, jobs: list[tuple[str, str, int]]) -> int:
    """How many were answered, of jobs: source, protocol, source port (0: any)."""
    return int(pair.inside(who, sys.executable, "-I", str(TALK), "talk", to, input=json.dumps(jobs)))


def talk(pair: Pair, sources: list[str], protocols: list[str]) -> int:
    jobs = [(source, protocol, next(PORTS)) for source in sources for protocol in protocols for _ in range(EACH)]
    return send(pair, "business", SERVER, jobs)


def test_each_thing_seen_outside_leads_to_the_host_that_sent_it(
    pair: Pair, tmp_path: Path, figure: Callable[..., None]
) -> None:
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")
    seen = Seen(pair)
    for its in hosts().values():
        talk(pair, its, ["tcp", "udp", "icmp"])
    every = seen.ended()
    assert len(every) == sum(len(its) for its in hosts().values()) * 3 * EACH
    right = 0
    group_of = {host: group for group, its in hosts().items() for host in its}
    for each in every:
        answers = found(each["address"], each["port"], each["time"], each["protocol"], gateway.folder)
        assert [answer.split()[0] for answer in answers] == [each["source"]], (each, answers)
        low, high = pools()["gpus" if group_of[each["source"]] == "gpu" else "hosts"]
        assert low <= ip_address(each["address"]) <= high, "an address of another pool"
        right += 1
    assert len({(each["source"], each["address"]) for each in every}) == len(group_of), "a host has one address"
    assert found(every[0]["address"], 1, every[0]["time"], "tcp", gateway.folder) == []
    gateway.stop()
    figure(f"translations: {right} of {len(every)} things seen outside lead to the inside host")


def test_the_same_port_of_two_hosts_is_told_apart(pair: Pair, tmp_path: Path) -> None:
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")
    seen = Seen(pair)
    two = hosts()["gpu"][:2]  # one address outside
    send(pair, "business", SERVER, [(source, "udp", 33333) for source in two])
    every = seen.ended()
    assert {each["source"] for each in every} == set(two)
    assert len({each["address"] for each in every}) == 1
    assert len({each["port"] for each in every}) == 2, "the kernel gave the second one another port"
    for each in every:
        (answer,) = found(each["address"], each["port"], each["time"], "udp", gateway.folder)
        assert answer.startswith(f"{each['source']} port 33333 udp ")
    gateway.stop()


def test_a_source_without_a_pool_does_not_leave_as_it_is_and_is_counted(pair: Pair, tmp_path: Path) -> None:
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")
    seen = Seen(pair)
    talk(pair, ["10.190.0.9"], ["udp"])
    assert seen.ended() == []
    listed = json.loads(pair.inside("firewall-1", "nft", "-j", "list", "counters", "table", "ip", "gpufabric_nat"))
    (counter,) = [each["counter"] for each in listed["nftables"] if "counter" in each]
    assert counter["packets"] == EACH
    gateway.stop()


def test_answers_to_a_network_that_reaches_hosts_by_their_own_addresses_pass(pair: Pair, tmp_path: Path) -> None:
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")
    login = first("login", 4)
    assert send(pair, "outside", login, [(OFFICE, "icmp", 0)] * 3) == 3
    assert [each for each in gateway.records() if each["event"] == "opened" and "copy" not in each] == []
    gateway.stop()


def test_what_was_open_when_the_log_began_is_in_it(pair: Pair, tmp_path: Path) -> None:
    pair.inside("firewall-1", "nft", "-f", "-", input=ruleset())
    seen = Seen(pair)
    source = hosts()["api"][0]
    talk(pair, [source], ["udp"])
    (*_, last) = seen.ended()
    time.sleep(1)
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")
    (answer,) = found(last["address"], last["port"], last["time"], "udp", gateway.folder)
    assert answer.split()[0] == source
    its = [each for each in gateway.records() if each.get("outside_port") == last["port"]]
    assert {each["copy"] for each in its if each["inside"] == source} == {"found"}
    pair.inside("firewall-1", "conntrack", "-D", "-s", source)
    time.sleep(0.5)
    assert found(last["address"], last["port"], time.time() + 5, "udp", gateway.folder) == []
    gateway.stop()


def outside() -> tuple[str, str]:
    """The shared address, with its length, and the port that has it."""
    shared = values()["nat_gateway_shared"]
    (its,) = (each for each in values()["firewall_zones"] if each["shared"].startswith(f"{shared}/"))
    return its["shared"], its["port"]


def test_where_the_shared_address_has_left_a_connection_has_moved_and_not_ended(pair: Pair, tmp_path: Path) -> None:
    address, port = outside()
    gateway = Gateway(pair, "firewall-1", tmp_path / "log")

    source = hosts()["api"][0]

    def one() -> dict[str, Any]:
        seen = Seen(pair)
        send(pair, "business", SERVER, [(source, "udp", 0)])
        (its,) = seen.ended()
        return its

    def last_record(of: dict[str, Any]) -> tuple[str, str | None]:
        pair.inside("firewall-1", "conntrack", "-D", "-s", source)
        time.sleep(0.5)
        *_, its = (each for each in gateway.records() if each.get("outside_port") == of["port"])
        return its["event"], its.get("copy")

    ended = one()
    assert last_record(ended) == ("ended", None)
    moved = one()
    pair.ip("firewall-1", "address", "delete", address, "dev", port)
    try:
        assert last_record(moved) == ("ended", "moved")
    finally:
        pair.ip("firewall-1", "address", "add", address, "dev", port)
    later = time.time() + 5
    assert found(ended["address"], ended["port"], later, "udp", gateway.folder) == []
    (answer,) = found(moved["address"], moved["port"], later, "udp", gateway.folder)
    assert "to still open, by firewall-1" in answer
    gateway.stop()


def test_an_address_is_had_by_whoever_has_it_although_sockets_may_be_bound_to_any(pair: Pair) -> None:
    (shared, port), others = outside(), ("203.0.113.3", "2001:db8:100::3", "192.0.2.200", "fd00:bad::1")
    shared_v6 = next(each["shared_v6"] for each in values()["firewall_zones"] if each["shared"] == shared)
    pair.ip("firewall-1", "address", "add", shared_v6, "dev", port, "nodad")
    ours = [each.partition("/")[0] for each in (shared, shared_v6)]
    asking = f"""
import json, socket, sys
sys.path.insert(0, {str(LOG.parent)!r})
from nat_log import has
for address in sys.argv[1:]:
    socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM).bind((address, 0))
print(json.dumps([address for address in sys.argv[1:] if has(address)]))
"""
    assert json.loads(pair.inside("firewall-1", sys.executable, "-Ic", asking, *ours, *others)) == ours
    pair.ip("firewall-1", "address", "delete", shared_v6, "dev", port)


def test_the_log_is_bounded_and_says_where_it_begins(pair: Pair, tmp_path: Path) -> None:
    gateway = Gateway(pair, "firewall-1", tmp_path / "log", "--file-megabytes", "0.02", "--megabytes", "0.045")
    seen = Seen(pair)
    for _ in range(4):
        talk(pair, hosts()["login"], ["tcp", "udp"])
    assert seen.ended()
    pair.inside("firewall-1", "conntrack", "-F")
    time.sleep(0.5)
    gateway.stop()
    there = sorted(gateway.folder.iterdir())
    assert sum(each.stat().st_size for each in there) <= 45_000
    assert there[-1].stat().st_size <= 20_000
    assert {each.suffix for each in there[:-1]} == {".gz"}
    command = [sys.executable, str(FIND), "203.0.113.16", "5", "2026-01-01T00:00:00Z", "--folder", str(gateway.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the log of firewall-1 begins at " in done.stderr


def test_on_a_full_disk_the_oldest_records_make_room_for_the_newest(tmp_path: Path) -> None:
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path))
    try:
        there = Files(tmp_path, 8_000, 1_000_000)
        lines = [json.dumps({"time": written(number), "gateway": "g", "event": "alive"}) for number in range(30_000)]
        for start in range(0, len(lines), 100):
            there.write(lines[start : start + 100], start)
        there.close()
        kept = [each["time"] for path in files(tmp_path) for each in records(path)]
        assert kept[-1] == written(29_999)
        assert kept == [written(number) for number in range(30_000 - len(kept), 30_000)], "without a hole"
        assert len(kept) < 30_000
    finally:
        run("umount", str(tmp_path))


def test_where_events_were_lost_the_log_says_so_and_writes_down_what_is_open(pair: Pair, tmp_path: Path) -> None:
    pair.inside("firewall-1", "conntrack", "-F")
    sizes = ("--file-megabytes", "10", "--megabytes", "40", "--buffer-bytes", "4096")
    gateway = Gateway(pair, "firewall-1", tmp_path / "log", *sizes)
    seen = Seen(pair)
    gateway.process.send_signal(signal.SIGSTOP)
    stopped = time.time()
    for _ in range(3):
        talk(pair, hosts()["login"], ["udp"])
    every = seen.ended()
    time.sleep(2.5)
    before = time.time()
    gateway.process.send_signal(signal.SIGCONT)
    time.sleep(1)
    records = gateway.records()
    (lost,) = [number for number, each in enumerate(records) if each["event"] == "lost"]
    fresh = [each for each in records[:lost] if each["event"] == "opened"]
    assert len(fresh) < len(every), "the buffer holds fewer than there were"
    for each in every:
        for when in (each["time"], before):
            (answer,) = found(each["address"], each["port"], when, "udp", gateway.folder)
            assert answer.startswith(f"{each['source']} port ")
    command = [
        sys.executable,
        str(FIND),
        every[0]["address"],
        "1",
        datetime.fromtimestamp(before - 0.1, UTC).isoformat(),
    ]
    done = subprocess.run([*command, "--folder", str(gateway.folder)], capture_output=True, text=True, check=False)
    assert "firewall-1 wrote down nothing between " in done.stderr
    assert all(each["since"] <= datetime.fromtimestamp(stopped, UTC).isoformat() for each in fresh)
    gateway.stop()


def test_each_record_is_sent_to_syslog_too(pair: Pair, tmp_path: Path) -> None:
    where = tmp_path / "log.socket"
    listener = f"""
import socket, sys
there = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
there.bind({str(where)!r})
print("ready", flush=True)
while True:
    print(there.recv(4096).decode(), flush=True)
"""
    hearing = pair.start("outside", sys.executable, "-c", listener)
    assert hearing.stdout is not None
    assert hearing.stdout.readline() == "ready\n"
    sizes = ("--file-megabytes", "10", "--megabytes", "40")
    gateway = Gateway(pair, "firewall-1", tmp_path / "log", *sizes, "--syslog", str(where))
    heard = hearing.stdout.readline()
    assert heard.startswith("<134>gpufabric-nat[")
    assert json.loads(heard.partition(": ")[2]) == gateway.records()[0]
    gateway.stop()


def test_the_pool_is_nobody_outside_and_packets_to_it_do_not_loop(pair: Pair) -> None:
    pair.inside("firewall-1", "nft", "-f", "-", input=ruleset())
    pool = ip_network("203.0.113.16/30")
    pair.inside("firewall-1", "nft", "reset", "counters", "table", "inet", "gpufabric_firewall")
    assert send(pair, "outside", str(pool[1]), [(SERVER, "udp", 0)]) == 0
    listed = json.loads(
        pair.inside("firewall-1", "nft", "-j", "list", "counters", "table", "inet", "gpufabric_firewall")
    )
    packets = {each["counter"]["name"]: each["counter"]["packets"] for each in listed["nftables"] if "counter" in each}
    assert packets["astray"] == 1
