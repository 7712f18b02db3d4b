"""A leaf that lost its uplinks hands on what hosts send it, over its pair: connections go on, and packets are counted.

The front fabric of the built-in lab, whose pairs are of three systems, in one QEMU machine: clients open connections
from ports of all kinds, so that their bonds use both leaves of their pair, and ask on each of them all the time.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from at_terminal import ROOT, Operator
from routed_lab import RoutedLab, needs_root, on_this_machine, until
from test_all_planes_in_a_machine import Machine

from nornir_tasks.usecases.site import load
from switch_twins.routed.names import kernel_name

pytestmark = [needs_root, pytest.mark.long]
CONVERGED_S = 900.0
"""In an emulated machine on busy cores."""
PLANES = ("--plane", "storage", "--plane", "business")
PORT, FLOWS, SECONDS = 2049, 32, 40.0
EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g3"
PEER_LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}
BETWEEN = {EOS: "169.254.0.1", NXOS: "169.254.0.2", NVUE: "peerlink.4094"}
ENDS = {EOS: ("gpu-1", "storage-1"), NXOS: ("gpu-2", "storage-1"), NVUE: ("login-1", "gpu-1")}
"""Pair -> a client and a server; one of both is at this pair, and what it sends or is sent is routed."""
TAGS = {"storage-1": 200, "gpu-1": 300}
"""Server -> the VLAN in which it serves."""
TIMES: list[str] = []
_SERVE = """
import selectors, socket, sys
chosen = selectors.DefaultSelector()
open_ = socket.create_server((sys.argv[1], int(sys.argv[2])), backlog=256)
open_.setblocking(False)
chosen.register(open_, selectors.EVENT_READ)
while True:
    for key, _ in chosen.select():
        if key.fileobj is open_:
            chosen.register(open_.accept()[0], selectors.EVENT_READ)
        elif data := key.fileobj.recv(64):
            key.fileobj.sendall(data)
        else:
            chosen.unregister(key.fileobj)
"""
_ASK = """
import json, socket, sys, threading, time
there, flows, end_s = (sys.argv[1], int(sys.argv[2])), int(sys.argv[3]), time.monotonic() + float(sys.argv[4])
answers, longest_s, lost = [0] * flows, [0.0] * flows, []
def ask(number):
    try:
        connection = socket.create_connection(there, timeout=60, source_address=("", int(sys.argv[5]) + 7 * number))
        while (began_s := time.monotonic()) < end_s:
            connection.sendall(b"%64d" % answers[number])
            assert len(connection.recv(64, socket.MSG_WAITALL)) == 64
            longest_s[number] = max(longest_s[number], time.monotonic() - began_s)
            answers[number] += 1
            time.sleep(0.1)
    except OSError as error:
        lost.append(f"{number}: {error}")
asking = [threading.Thread(target=ask, args=(number,)) for number in range(flows)]
[each.start() for each in asking]
[each.join() for each in asking]
print(json.dumps({"answers": answers, "longest_s": max(longest_s), "lost": lost}))
"""


def address(lab: RoutedLab, host: str) -> str:
    """The address in the VLAN in which a host serves: of a bond without tags, its own."""
    spec: dict[str, Any] = json.loads((lab.operator.lab / "spec.json").read_text())
    (bond,) = (each for each in spec["bonds"] if each["host"] == host)
    vlan = next((each for each in bond["vlans"] if each.get("tag") == TAGS[host]), bond["vlans"][0])
    return str(next(each for each in vlan["addresses"] if ":" not in each)).partition("/")[0]


def begin_serving(lab: RoutedLab) -> list[subprocess.Popen[str]]:
    """On each server, until the lab is down."""
    machine = Machine(lab)
    return [machine.begin(host, _SERVE, f"python3 - {address(lab, host)} {PORT}") for host in TAGS]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = Operator(ROOT / "inventory/lab", tmp_path_factory.mktemp("uplinks") / "state", timeout_s=3600.0)
    began_s = time.monotonic()
    try:
        operator.run("lab", "up", "--routed", "--machine", *PLANES)
        operator.run("push", *PLANES, "--yes")
        made = RoutedLab(operator)
        until(made.assert_both_tiers_agree, CONVERGED_S)
        until(made.assert_bonds_talk, CONVERGED_S)
        TIMES.append(f"{len(made.switches)} switches, all sessions after {time.monotonic() - began_s:.0f} s")
        begin_serving(made)
        yield made
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


def test_a_second_push_changes_nothing_and_each_member_has_its_session_and_uses_it_for_nothing(
    lab: RoutedLab, figure: Callable[[str], None]
) -> None:
    figure(f"lost uplinks: {TIMES[0]}")
    assert f"0 of {len(lab.switches)} changed" in lab.operator.run("push", *PLANES, "--yes")
    for pair, peer in BETWEEN.items():
        assert lab.established(f"{pair}-a")[peer]
        shown = lab.inside(f"{pair}-a", "ip", "route", "show", "proto", "bgp")
        assert shown and "Vlan3967" not in shown and "Vlan4094" not in shown and "peerlink" not in shown


def sent(lab: RoutedLab, leaf: str) -> int:
    """Packets that a leaf sent over its peer link."""
    name = kernel_name(PEER_LINK[leaf.rpartition("-")[0]])
    (link,) = json.loads(lab.inside(leaf, "ip", "-json", "-stats", "link", "show", "dev", name))
    return int(link["stats64"]["tx"]["packets"])


def uplinks(lab: RoutedLab, leaf: str) -> list[str]:
    """The cables of a leaf to spines."""
    links = load(lab.operator.site).network.links_of(leaf)
    return [each.cable for each in links if each.kind == "fabric"]


@pytest.mark.parametrize("pair", [EOS, NXOS, NVUE])
def test_with_both_uplinks_of_a_member_cut_hosts_keep_all_flows(
    lab: RoutedLab, pair: str, figure: Callable[[str], None]
) -> None:
    machine, leaf, (client, server) = Machine(lab), f"{pair}-a", ENDS[pair]
    there, before = address(lab, server), sent(lab, leaf)
    try:
        asking = machine.begin(client, _ASK, f"python3 - {there} {PORT} {FLOWS} {SECONDS} 20000")
        time.sleep(SECONDS / 4)
        for cable in uplinks(lab, leaf):
            lab.operator.run("lab", "cut", cable)
        stdout, stderr = asking.communicate(timeout=600)
        assert asking.returncode == 0, stderr
        found = json.loads(stdout)
        assert found["lost"] == [] and min(found["answers"]) > 10, found
        assert [name for name, is_up in lab.established(leaf).items() if is_up] == [BETWEEN[pair]]
        after = machine.begin(client, _ASK, f"python3 - {there} {PORT} {FLOWS} 15 24000")
        stdout, stderr = after.communicate(timeout=120)
        assert json.loads(stdout)["lost"] == [] and min(json.loads(stdout)["answers"]) > 0, stderr
        crossed = sent(lab, leaf) - before
        assert crossed > FLOWS
        report = lab.operator.json("validate", *PLANES, code=8)
        ways = [each for each in report["findings"] if each["check"] == "ways-on"]
        assert ways and {each["verdict"] for each in ways} == {"pass"}
        answered, longest_s = sum(found["answers"]), found["longest_s"]
        figure(
            f"{leaf} without uplinks: {FLOWS} of {FLOWS} flows from {client} to {server} go on, all"
            f" {answered} requests answered, the longest after {longest_s:.1f} s; {crossed} packets over the peer link"
        )
    finally:
        lab.operator.run("lab", "mend")
        until(lab.assert_both_tiers_agree, CONVERGED_S)
        until(lab.assert_bonds_talk, CONVERGED_S)
