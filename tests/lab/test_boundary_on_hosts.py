"""The boundary of the built-in lab on hosts: playbook, judgement, the way to the out-of-band plane, failover."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from boundary_lab import REACH, STREAM, BoundaryLab, until
from busy_machine import is_idle
from routed_lab import needs_root

from nornir_tasks.usecases.lab.boundary import boundary_plan
from nornir_tasks.usecases.site import load

pytestmark = [needs_root, pytest.mark.long]

FIREWALLS, BASTIONS = ("firewall-1", "firewall-2"), ("bastion-1", "bastion-2")
SHARED = ("203.0.113.1", "203.0.113.65", "10.190.0.1", "2001:db8:100::1", "2001:db8:101::1", "fd00:190::1")
LOGIN, SOMEBODY, SOMEBODY_V6 = "10.177.1.5", "198.51.100.77", "2001:db8:500::77"
FROM_DMZ, FROM_DMZ_V6 = "203.0.113.90", "2001:db8:101::90"
OUTAGE_S = 3.0
"""Of an unloaded machine, by issue "The boundary"; a loaded one has ten times as long."""
STEADY_S = 2.0
"""How long new connections come about again before the streams are ended: one may have waited since before that."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundaryLab]:
    made = BoundaryLab(tmp_path_factory.mktemp("boundary"))
    try:
        made.nornir("lab", "up", "--boundary")
        yield made
    finally:
        made.nornir("lab", "down")
        assert made.hosts.wires.left() == []


@pytest.fixture(scope="module")
def runs(lab: BoundaryLab) -> list[dict[str, Any]]:
    """playbooks/boundary.yml twice, as an operator runs it."""
    return [lab.playbook("boundary.yml") for _ in range(2)]


@pytest.fixture
def brought_up(lab: BoundaryLab, runs: list[dict[str, Any]]) -> BoundaryLab:
    assert runs[0]["code"] == 0, messages(runs[0])
    return lab


def messages(run: dict[str, Any]) -> str:
    tasks = [task for play in run["plays"] for task in play["tasks"]]
    failed = [
        f"{host}: {task['task']['name']}: {each}"
        for task in tasks
        for host, each in task["hosts"].items()
        if each.get("failed")
    ]
    return "\n".join(failed)


def judged(lab: BoundaryLab) -> tuple[dict[str, tuple[int, int]], str]:
    """Host -> how much of it was tested, of how much; and what is not as the intent asks."""
    run = lab.playbook("validate.yml")
    words = re.findall(r"([a-z]+-\d): tested (\d+) of (\d+)", json.dumps(run["plays"]))
    assert run["code"] == 0 or messages(run)
    return {host: (int(tested), int(every)) for host, tested, every in words}, messages(run)


def test_the_playbook_brings_all_hosts_up_and_changes_nothing_when_it_runs_again(
    runs: list[dict[str, Any]], figure: Callable[[str], None]
) -> None:
    for run in runs:
        assert run["code"] == 0, messages(run)
    first, second = (run["stats"] for run in runs)
    assert {*first} == {*FIREWALLS, *BASTIONS}
    changed = {host: (first[host]["changed"], second[host]["changed"]) for host in first}
    assert all(before for before, _ in changed.values())
    assert {after for _, after in changed.values()} == {0}, changed
    figure(f"boundary of the lab by its playbook: changes of two runs: {changed}")


def test_every_host_is_as_the_intent_asks(brought_up: BoundaryLab, figure: Callable[[str], None]) -> None:
    found, otherwise = judged(brought_up)
    assert otherwise == ""
    assert {*found} == {*FIREWALLS, *BASTIONS}
    assert all(tested == every for tested, every in found.values())
    counts = ", ".join(f"{host} {tested} of {every}" for host, (tested, every) in found.items())
    figure(f"validate on hosts of the boundary: {counts}")


def test_shared_addresses_are_on_one_firewall_all_together(brought_up: BoundaryLab) -> None:
    (owner,) = brought_up.owners(SHARED[0], FIREWALLS)
    for address in SHARED:
        assert brought_up.owners(address, FIREWALLS) == [owner], address


def test_what_the_matrix_lets_pass_is_answered_and_its_opposite_is_not(brought_up: BoundaryLab) -> None:
    passes = {
        "business": [("tcp", LOGIN, SOMEBODY, 443), ("udp", LOGIN, SOMEBODY, 53), ("icmp", LOGIN, SOMEBODY, 0)],
        "dmz": [("tcp", "", SOMEBODY, 443), ("tcp", "", SOMEBODY_V6, 443)],
        "outside": [
            ("tcp", "192.0.2.9", LOGIN, 22),
            ("icmp", "192.0.2.9", LOGIN, 0),
            ("tcp", SOMEBODY, "203.0.113.70", 80),
        ],
    }
    refused = {
        "business": [("tcp", LOGIN, SOMEBODY, 22), ("tcp", LOGIN, FROM_DMZ, 443), ("icmp", LOGIN, FROM_DMZ, 0)],
        "dmz": [("tcp", "", LOGIN, 22), ("icmp", "", LOGIN, 0)],
        "outside": [
            ("tcp", SOMEBODY, LOGIN, 22),
            ("tcp", "192.0.2.9", LOGIN, 443),
            ("tcp", SOMEBODY, "203.0.113.70", 22),
        ],
    }
    settle(brought_up)
    until(lambda: brought_up.reach("outside", passes["outside"][2:]) == [True], "a published service has servers")
    for station, probes in passes.items():
        assert brought_up.reach(station, probes) == [True] * len(probes), (station, probes)
    for station, probes in refused.items():
        assert brought_up.reach(station, probes) == [False] * len(probes), (station, probes)


def test_what_the_firewalls_run_is_proved_to_let_pass_the_matrix_alone(
    brought_up: BoundaryLab, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    assert brought_up.playbook("boundary_state.yml", "-e", f"boundary_state_folder={tmp_path}")["code"] == 0
    proved = brought_up.nornir("prove", "--only", "boundary", "--firewalls", str(tmp_path)).splitlines()[-1]
    found = re.fullmatch(r"boundary (\d+) of (\d+) pairs", proved)
    assert found is not None, proved
    assert found[1] == found[2]
    figure(f"what the lab's firewalls run, proved: {proved}")


FETCH = """
import socket, ssl, sys
address, certificate, name = sys.argv[1:]
known = ssl.create_default_context(cafile=certificate)
with known.wrap_socket(socket.create_connection((address, 443), 10), server_hostname=name) as one:
    one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
    print(b"".join(iter(lambda: one.recv(4096), b"")).decode().splitlines()[-1])
"""


@pytest.mark.parametrize("address", ["203.0.113.70", "2001:db8:101::46"])
def test_a_published_service_is_served_outside_by_the_certificate_that_the_lab_made(
    brought_up: BoundaryLab, address: str
) -> None:
    certificate = str(brought_up.hosts.credentials.certificate("portal"))
    until(lambda: brought_up.reach("outside", [("tcp", SOMEBODY, "203.0.113.70", 80)]) == [True], "it has servers")
    fetching = brought_up.at("outside", sys.executable, "-I", "-c", FETCH, address, certificate, "portal.lab.invalid")
    answer = fetching.communicate(timeout=60)[0]
    assert re.fullmatch(r"here is 10\.177\.1\.\d+ port 8080\n", answer), answer


def settle(lab: BoundaryLab) -> None:
    """Somebody more in the DMZ, on its link."""
    lines = [f"address replace {FROM_DMZ}/27 dev mgmt", f"address replace {FROM_DMZ_V6}/64 dev mgmt nodad"]
    lab.hosts.wires.ip("dmz", lines)


def test_nothing_reaches_the_out_of_band_plane_but_the_bastions(
    brought_up: BoundaryLab, figure: Callable[[str], None]
) -> None:
    design = load(brought_up.site)
    (plane,) = (each for each in boundary_plan(design).stations if each.name == "plane")
    targets = [each.removesuffix("/32") for each in plane.behind]
    ports = [("tcp", port) for port in plane.tcp] + [("udp", port) for port in plane.udp] + [("icmp", 0)]
    probes = [(protocol, "", target, port) for target in targets for protocol, port in ports]
    watching = brought_up.at("plane", sys.executable, "-I", REACH, "watch")
    assert watching.stdout is not None
    assert watching.stdout.readline() == "ready\n"
    for station in ("outside", "business", "dmz"):
        assert answered(brought_up, station, probes) == []
    # From the bastions' own link by the bastions, and by a bastion that forgot itself: its kernel would route.
    for bastion in BASTIONS:
        address = next(each.entry for each in boundary_plan(design).hosts if each.name == bastion)
        brought_up.ssh(bastion, "sysctl -q -w net.ipv4.ip_forward=1")
        brought_up.hosts.wires.ip("dmz", [f"route replace 10.183.0.0/16 via {address}"])
        assert answered(brought_up, "dmz", probes) == [], bastion
        brought_up.hosts.wires.ip("dmz", ["route delete 10.183.0.0/16"])
        brought_up.ssh(bastion, "sysctl -q -w net.ipv4.ip_forward=0")
    assert brought_up.reach("tool", [("tcp", "", "10.183.0.2", 22)]) == [True]
    own = "10.183.0.2"
    brought_up.ssh("bastion-1", f"ping -q -c 1 -W 2 -I {own} {targets[0]} || true")
    sources = json.loads(watching.communicate(timeout=60)[0])
    assert own in sources, "the watch sees what comes"
    strangers = [each for each in sources if not each.startswith(("10.183.", "198.18.0.", "fe80:", "::"))]
    assert strangers == []
    where = "from outside, business and DMZ, by firewalls and bastions"
    figure(f"out-of-band plane: {5 * len(probes)} probes {where}: none arrived")


def answered(
    lab: BoundaryLab, station: str, probes: list[tuple[str, str, str, int]]
) -> list[tuple[str, str, str, int]]:
    return [probe for probe, is_answered in zip(probes, lab.reach(station, probes), strict=True) if is_answered]


def test_people_reach_it_by_a_bastion_are_recorded_and_a_wrong_code_is_refused_and_counted(
    brought_up: BoundaryLab,
) -> None:
    switch = "10.183.0.12:22"
    assert brought_up.jump("ada", "bastion-1", switch) == "hello\n"
    written = brought_up.ssh("bastion-1", "journalctl --identifier=gpufabric-bastion -o cat --no-pager")
    assert f"jump user=ada target={switch}" in written

    session = brought_up.session("linus", "bastion-1", "echo answer-$((6*7))\nexit\n")
    assert "This session is recorded" in session
    recorded = "journalctl -o cat TLOG_USER=linus --no-pager"
    until(lambda: "answer-42" in brought_up.ssh("bastion-1", recorded), "the session is in the journal")

    counted = "faillock --dir /var/lib/gpufabric/bastion-faillock --user grace | grep -c ' V$' || true"
    assert brought_up.ssh("bastion-2", counted).strip() == "0"
    assert "Permission denied" in brought_up.jump("grace", "bastion-2", switch, is_wrong=True)
    assert brought_up.ssh("bastion-2", counted).strip() == "1"
    assert brought_up.jump("grace", "bastion-2", switch) == "hello\n"
    assert "hello" not in brought_up.jump("linus", "bastion-2", switch), "switches are not what linus is for"


def test_connections_go_on_when_the_firewall_with_the_addresses_is_cut_off(
    brought_up: BoundaryLab, figure: Callable[[str], None]
) -> None:
    was_idle = is_idle()
    settle(brought_up)
    (active,) = brought_up.owners(SHARED[0], FIREWALLS)
    (standby,) = {*FIREWALLS} - {active}
    ways = {
        "translated": ("business", LOGIN, SOMEBODY),
        "routed": ("dmz", FROM_DMZ, SOMEBODY),
        "routed, IPv6": ("dmz", FROM_DMZ_V6, SOMEBODY_V6),
    }
    streams = {}
    for name, (station, source, destination) in ways.items():
        streams[name] = brought_up.at(station, sys.executable, "-I", STREAM, "stream", source, destination, "443")
        stdout = streams[name].stdout
        assert stdout is not None
        assert stdout.readline() == "ready\n"
    until(lambda: brought_up.owners(SHARED[0], FIREWALLS) == [active], "nothing has moved")
    synced(brought_up, standby)
    brought_up.hosts.cut_off(active)
    try:
        moved_s = until(lambda: standby in brought_up.owners(SHARED[-1], FIREWALLS), "the other one has the addresses")
        for address in SHARED:
            assert standby in brought_up.owners(address, FIREWALLS), address
        until(lambda: brought_up.reach("business", [("tcp", LOGIN, SOMEBODY, 443)]) == [True], "new ones pass")
        time.sleep(STEADY_S)
        counts = was_idle and is_idle()
        for name, stream in streams.items():
            outcome = json.loads(stream.communicate(timeout=90)[0])
            assert outcome["error"] == "", name
            assert outcome["silent_at_the_end_s"] < OUTAGE_S, name
            assert 0 <= outcome["outage_s"] < OUTAGE_S * (1 if counts else 10), name
            silent, outage = (f"{outcome[key]:.2f} s" for key in ("silent_s", "outage_s"))
            machine = "idle" if counts else "busy"
            when = f"{active} cut off on a {machine} machine, addresses moved after {moved_s:.1f} s"
            figure(f"{when}; {name}: open connection silent for {silent}, new ones for {outage}")
    finally:
        brought_up.hosts.plug_in(active)
    until(lambda: len(brought_up.owners(SHARED[0], FIREWALLS)) == 1, "one of them has the addresses again")
    # The one that was cut off has connections from before for a minute more, which the other one does not know of.
    until(lambda: not judged(brought_up)[1], "both are as before", 300)


def synced(lab: BoundaryLab, standby: str) -> None:
    """Until the other firewall knows the open connections."""
    shown = "conntrackd -C /etc/conntrackd/conntrackd.conf -e | grep -c dport=443 || true"
    until(lambda: int(lab.ssh(standby, shown)) >= 3, "connections are told of")
