"""Two lab machines cabled into a routed lab: what they send crosses leaves and spines, and obeys the lab's faults."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from lab_machines import HUGE_PAGES, BroughtUp, MachineLab
from on_the_wire import Captured, capturing
from rdma import CLIENT, SERVER, address, assert_marked, measured, serving, variables, way_in

from tests.intent_parts import of_two_rails
from tests.lab.by_hand import Hand, hands

pytestmark = pytest.mark.long

HOSTS, ROUTED = 2, True
VARIABLES = ("-e", json.dumps({**HUGE_PAGES, "rail_interfaces_lldp": True}))
LEAF, OTHER_LEAF, SPINES = "leaf-g1-r0", "leaf-g1-r1", ("spine-1", "spine-2")
FROM_LEAF = "swp1"
"""Of each spine, its port to LEAF: what the client sends on rail 0 arrives there."""
UPLINKS = ("Ethernet63/1", "Ethernet64/1")
QUEUE_PAIRS = 16
"""Each is a flow of its own. That 16 all take one of two spines happens once in 2^15 tries."""
MESSAGE_B = 65536
LARGEST_B = 4096
"""The largest path MTU of RoCE, which a port of 9000 bytes can have (InfiniBand Architecture Specification, 11.2.4)."""
NOTICED_S = 60.0


def SITE(site: Path) -> None:  # noqa: N802  (what the fixtures look for)
    """Two rails: one leaf of EOS, one of NX-OS, and both spines of Cumulus Linux."""
    file = site / "fabric.yml"
    file.write_text(of_two_rails(file.read_text()))


@contextmanager
def on_the_spines(lab: MachineLab) -> Iterator[dict[str, Captured]]:
    """What arrives at both spines from the client's leaf while the block runs."""
    with ExitStack() as stack:
        yield {each: stack.enter_context(capturing(lab, FROM_LEAF, switch=each)) for each in SPINES}


def heard(lab: MachineLab, leaf: str) -> dict[str, tuple[str, str]]:
    """Port of a leaf -> who announces himself there, and with which port, as a switch's own command shows it."""
    found = leaf_hand(lab, leaf).shown("show lldp neighbors")["lldpNeighbors"]
    return {each["port"]: (each["neighborDevice"], each["neighborPort"]) for each in found}


def leaf_hand(lab: MachineLab, leaf: str) -> Hand:
    return hands(lab.machines.directory.parent)[leaf]


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + NOTICED_S
    while not holds():
        assert time.monotonic() < deadline, f"not within {NOTICED_S:.0f} s"
        time.sleep(1)


def verb(lab: MachineLab, *words: str, code: int = 0) -> str:
    done = lab.nornir(*words)
    assert done.returncode == code, f"{words}: exit {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def test_site_yml_brings_hosts_behind_routed_leaves_up_and_then_changes_nothing(
    lab: MachineLab, brought_up: BroughtUp
) -> None:
    for host in (CLIENT, SERVER):
        assert brought_up.first.failures(host) == []
        assert brought_up.second.changed(host) == []
    assert (brought_up.first.code, brought_up.second.code) == (0, 0)


def test_rdma_writes_at_9000_cross_both_spines_with_the_policys_dscp(
    configured: MachineLab, figure: Callable[[str], None]
) -> None:
    options = f"-q {QUEUE_PAIRS} -s {MESSAGE_B} -n 10 {way_in(configured, 'verbs')}"
    with serving(configured, "ib_write_bw", options, "rail0", "rail1") as client, on_the_spines(configured) as found:
        output = measured(configured, client)
    flows = {spine: each.flows() for spine, each in found.items()}
    bandwidth = re.findall(rf"^\s*{MESSAGE_B}.*", output, re.MULTILINE)
    figure(f"ib_write_bw over two tiers, bytes, iterations, peak and average MB/s, Mpps: {bandwidth[0].split()}")
    for spine, each in found.items():
        figure(f"{spine}: {len(flows[spine])} flows of {QUEUE_PAIRS}, {each.histogram()}")
        assert_marked(each, variables(configured, CLIENT).roce_qos.dscp)
        assert max(packet["bytes"] for packet in each.writes()) > LARGEST_B
    assert not flows["spine-1"].keys() & flows["spine-2"].keys(), "a flow was balanced packet by packet"
    assert sum(len(each) for each in flows.values()) == QUEUE_PAIRS


def test_leaves_hear_the_hosts_own_lldp_and_judge_these_cables(configured: MachineLab) -> None:
    ports = {"Ethernet1/1": (CLIENT, "rail0"), "Ethernet2/1": (SERVER, "rail0")}
    until(lambda: ports.items() <= heard(configured, LEAF).items())
    until(lambda: f"{CLIENT}" in str(leaf_hand(configured, OTHER_LEAF).shown("show lldp neighbors")))
    verb(configured, "lab", "swap", f"{CLIENT}:rail0", f"{SERVER}:rail0")
    try:
        swapped = {"Ethernet1/1": (SERVER, "rail0"), "Ethernet2/1": (CLIENT, "rail0")}
        until(lambda: swapped.items() <= heard(configured, LEAF).items())
        output = verb(configured, "validate", code=8)
        assert "swap the ends of" in output, output
    finally:
        verb(configured, "lab", "mend")
    until(lambda: ports.items() <= heard(configured, LEAF).items())
    output = verb(configured, "validate")
    assert "passed, tested" in output


def test_a_cut_cable_takes_the_guests_carrier_and_a_shut_port_does_too(configured: MachineLab) -> None:
    def carrier() -> str:
        return configured.ssh(CLIENT, "cat /sys/class/net/rail0/carrier").strip()

    leaf = leaf_hand(configured, LEAF)
    assert carrier() == "1"
    verb(configured, "lab", "cut", f"{CLIENT}:rail0")
    try:
        until(lambda: carrier() == "0")
        assert "look at cable leaf-g1-r0-h1" in verb(configured, "validate", code=8)
    finally:
        verb(configured, "lab", "mend")
    until(lambda: carrier() == "1")
    leaf.configure("interface Ethernet1/1", "shutdown")
    try:
        until(lambda: carrier() == "0")
    finally:
        leaf.configure("interface Ethernet1/1", "no shutdown")
    until(lambda: carrier() == "1")
    verb(configured, "lab", "kill", LEAF)
    try:
        until(lambda: carrier() == "0")
    finally:
        verb(configured, "lab", "revive", LEAF)
        verb(configured, "push", "--yes")
    until(lambda: carrier() == "1")


def test_a_leafs_mtu_that_was_lowered_is_named_by_validate_and_by_a_probe(configured: MachineLab) -> None:
    source, target = address(configured, CLIENT, "rail0"), address(configured, SERVER, "rail1")
    probe = f"ping -c 3 -W 5 -M do -s 8972 -I {source} {target}"
    gateway = variables(configured, CLIENT).rail_interfaces.rails[0].gateway
    until(lambda: " 0% packet loss" in configured.ssh(CLIENT, probe, check=False))
    leaf = leaf_hand(configured, LEAF)
    for port in UPLINKS:
        leaf.configure(f"interface {port}", "mtu 1500")
    try:
        output = configured.ssh(CLIENT, probe, check=False)
        assert f"From {gateway} icmp_seq=1 Frag needed and DF set (mtu = 1500)" in output
        found = verb(configured, "validate", code=8)
        for port in UPLINKS:
            assert re.search(rf"fail: config: {LEAF} {port} .*MTU 1500 here, 9214 wanted", found), found
        assert re.search(r"mtu +12 +4", found), found
    finally:
        verb(configured, "push", "--yes")
    configured.ssh(CLIENT, "ip route flush cache")
    assert " 0% packet loss" in configured.ssh(CLIENT, probe)
    assert "passed, tested" in verb(configured, "validate")


def test_a_machine_that_was_killed_has_no_carrier_at_its_leaf_until_the_next_up(lab: MachineLab) -> None:
    pid = lab.machines.machine(SERVER).pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)

    def link() -> object:
        return leaf_hand(lab, LEAF).shown("show interfaces status")["interfaceStatuses"]["Ethernet2/1"]["linkStatus"]

    until(lambda: link() == "notconnect")  # the kernel frees a killed process's memory first, then closes its taps
    assert lab.machines.machine(SERVER).pid() is None
    assert f"{SERVER}: up after" in lab.up(2, "--routed")
    assert link() == "connected"
