"""How a routed lab begins and ends: beside another one, killed, and not at all where something is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator, lab_site, small_site
from routed_lab import RoutedLab, needs_root, on_this_machine, until

from nornir_tasks.lab.routed import lacking
from tests.preloaded_client import NORNIR

pytestmark = needs_root
UP = ("lab", "up", "--routed")
DOWN_S = 10.0
NEW_LOOPBACK = "ip link set lo up"
"""Of a machine that has no network but its own addresses: what listens there disturbs nobody."""


def as_another_machine(operator: Operator, prepare: str, *words: str) -> tuple[int, str]:
    """Run a verb where the machine looks otherwise: ``prepare`` mounts what makes it so, for this process alone."""
    verb = " ".join([str(NORNIR), *words, "--site", str(operator.site)])
    apart = ["--net"] if NEW_LOOPBACK in prepare else []
    command = ["unshare", "--mount", *apart, "sh", "-c", f"{prepare}\nexec {verb}"]
    environ = {**os.environ, "GPUFABRIC_STATE": str(operator.state)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ, check=False)
    return done.returncode, done.stdout + done.stderr


def test_two_labs_stand_side_by_side_and_one_ends_without_the_other(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    one, other = small_site(tmp_path / "one"), small_site(tmp_path / "other")
    try:
        for each in (one, other):
            each.run(*UP)
            each.run("push", "--plane", "compute", "--yes")
        labs = [RoutedLab(each) for each in (one, other)]
        assert labs[0].name != labs[1].name
        for lab in labs:
            until(lab.assert_both_tiers_agree)
            assert all(lab.established("spine-1").values())
        assert "is up already" in one.run(*UP) or "were up already" in one.run(*UP)
        one.run("lab", "freeze", "spine-1")
        until(lambda: not any(labs[0].established("leaf-g1-r0")[peer] for peer in ("10.160.0.0",)))
        one.run("lab", "down")
        assert all(labs[1].established("spine-1").values())
        labs[1].assert_both_tiers_agree()
    finally:
        for each in (one, other):
            each.run("lab", "down")
    assert on_this_machine(one) + on_this_machine(other) == []


def test_a_lab_that_was_killed_is_said_before_the_next_and_down_removes_all_of_it(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    try:
        operator.run(*UP)
        operator.run("lab", "freeze", "spine-1")  # its daemons stand still, and cannot end by themselves
        process = int((operator.lab / "pid").read_text())
        os.kill(process, signal.SIGKILL)
        until(lambda: not Path(f"/proc/{process}/ns/net").exists())
        assert on_this_machine(operator)
        for words in (UP, ("lab", "up")):
            output = operator.run(*words, code=10)
            assert "ended without 'nornir lab down', and its network namespaces are still there" in output
            assert "hint: nornir lab down" in output
        assert "the lab is down" in operator.run("lab", "down")
        assert on_this_machine(operator) == []
        operator.run(*UP)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


def test_a_lab_that_is_killed_while_it_starts_leaves_nothing_that_down_does_not_remove(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    starting = operator.begin(*UP)
    try:
        until(lambda: [each for each in on_this_machine(operator) if each.endswith("-spine-2")])
        os.kill(int((operator.lab / "pid").read_text()), signal.SIGKILL)
        _, stderr = starting.communicate(timeout=60)
        assert starting.returncode == 10 and "the lab did not start" in stderr, stderr
    finally:
        starting.kill()
        starting.communicate()
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


def test_a_lab_that_runs_without_routing_is_not_taken_for_one_with(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    operator.run("lab", "up")
    try:
        assert "it runs without --routed" in operator.run(*UP, code=10)
    finally:
        operator.run("lab", "down")


_AS_IT_IS = """
ip -oneline link; ip -oneline address; ip route show table all; ip rule; nft list ruleset
ip netns; find /run /dev/shm "$TMPDIR" | sort; sed 's/^/mount /' /proc/self/mountinfo | cut -d ' ' -f 1,5- | sort
ps -eo args | grep -vE '^(ps|sort|sh|grep|cut|sed|find) '; sysctl net 2> /dev/null
"""
"""All that a lab could leave on a machine that is nobody else's."""
_ENDS = {
    "down": "nornir lab down",
    "killed": (
        "nornir lab freeze spine-1\nkill -9 $(cat {folder}/state/*/lab/pid)\n"
        "while ! nornir lab status | grep -q crashed; do sleep 0.2; done\nnornir lab down"
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("end", _ENDS)
def test_the_machine_is_after_down_what_it_was_before_up(end: str, tmp_path: Path) -> None:
    """Links, addresses, routes, filters, settings, namespaces, mounts, processes, files in /run."""
    operator = small_site(tmp_path)
    script = f"""
set -e
mount -t tmpfs none /mnt  # a short name, as sockets need
export TMPDIR=/mnt GPUFABRIC_STATE={operator.state}
mount -t tmpfs none /run
mkdir /run/frr  # as FRR's package does at boot, and ip netns itself
ip netns add any
ip netns delete any
mount -t tmpfs none /dev/shm
ip link set lo up
nornir() {{ verb=$1; shift; {NORNIR} "$verb" "$@" --site {operator.site}; }}
look() {{ {_AS_IT_IS.strip()}
}}
look > {tmp_path}/before
nornir lab up --routed
nornir push --yes
look > {tmp_path}/meanwhile
{_ENDS[end].format(folder=tmp_path)}
look > {tmp_path}/after
"""
    apart = ["unshare", "--mount", "--net", "--pid", "--fork", "--mount-proc"]
    done = subprocess.run([*apart, "sh", "-s"], input=script, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    before, meanwhile, after = ((tmp_path / each).read_text() for each in ("before", "meanwhile", "after"))
    assert _but_mounts(before) == _but_mounts(after)
    assert {*after.splitlines()} <= {*before.splitlines()}, "another program may have removed its mounts meanwhile"
    assert len(meanwhile.splitlines()) > len(before.splitlines())


def _but_mounts(looked: str) -> list[str]:
    return [line for line in looked.splitlines() if not line.startswith("mount ")]


_LISTENER = """
import os, socket, sys, time
with socket.create_server(("0.0.0.0", 8022)):
    print("ready", flush=True)
    while os.path.exists("/proc/" + sys.argv[1]):
        time.sleep(0.1)
"""
"""On the port of every switch's SSH, at every address, as another service of the machine might; until the verb ends."""

MISSING = {
    "free ports": (
        "mkfifo {folder}/says\n"
        "printf '%s' '{listener}' > {folder}/listener.py\n"
        f"{NEW_LOOPBACK}\n"
        "{python} {folder}/listener.py $$ > {folder}/says 2> /dev/null &\n"
        "read -r ready < {folder}/says",
        [
            "no loopback network is free for this lab",
            "TCP ports 8022, 8443, 8765 unused",
            "hint: end what listens there",
        ],
    ),
    "no FRR": (
        "mount -t tmpfs none /usr/lib/frr",
        ["a routed lab needs FRR, which this machine has not: sudo apt-get install -y frr", "no /usr/lib/frr/zebra"],
    ),
    "too little memory": (
        "sed 's/^MemAvailable: .*/MemAvailable: 300000 kB/' /proc/meminfo > {folder}/meminfo\n"
        "mount --bind {folder}/meminfo /proc/meminfo",
        ["too little memory for 4 routed switches", "expected: 580 MiB", "found: 292 MiB available"],
    ),
    "a small table of neighbours": (
        "echo 5 > {folder}/thresh\nmount --bind {folder}/thresh /proc/sys/net/ipv4/neigh/default/gc_thresh3",
        ["the kernel's table of neighbours is too small", "hint: sysctl -w net.ipv4.neigh.default.gc_thresh3="],
    ),
}


_OTHER = {"listener": _LISTENER.replace("'", '"'), "python": sys.executable}


@pytest.mark.parametrize("missing", MISSING)
def test_what_is_missing_is_said_before_anything_starts(missing: str, tmp_path: Path) -> None:
    prepare, words = MISSING[missing]
    operator = small_site(tmp_path)
    try:
        code, output = as_another_machine(operator, prepare.format(folder=tmp_path, **_OTHER), *UP)
        assert code == 10, output
        for each in words:
            assert each in output
        assert on_this_machine(operator) == []
    finally:
        operator.run("lab", "down")  # of one that should not have come up


def test_who_is_not_root_is_told_so(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    operator.state.mkdir(mode=0o777)
    operator.state.chmod(0o777)
    code, output = as_another_machine(operator, "", *UP) if os.geteuid() else _as_nobody(operator)
    assert code == 10, output
    assert "network namespaces need root: run it with sudo" in output


def _as_nobody(operator: Operator) -> tuple[int, str]:
    """The checkout may be closed to nobody, so the capability to read everything stays, and nothing else does."""
    keep = "--inh-caps=-all,+dac_override,+dac_read_search"
    command = ["setpriv", "--reuid=65534", "--clear-groups", keep, "--ambient-caps=+dac_override,+dac_read_search"]
    words = [*command, str(NORNIR), *UP, "--site", str(operator.site)]
    environ = {**os.environ, "GPUFABRIC_STATE": str(operator.state)}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environ, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(not {"VLAN", "bond"} & {*lacking()}, reason="this kernel has all that planes need")
def test_planes_that_this_kernel_cannot_have_run_in_a_machine_where_there_is_room_for_one(tmp_path: Path) -> None:
    operator = Operator(ROOT / "inventory/lab", tmp_path / "state")
    prepare, _ = MISSING["too little memory"]
    code, output = as_another_machine(operator, prepare.format(folder=tmp_path), *UP)
    assert code == 10, output
    gone = ", no ".join(each for each in sorted(lacking()) if each != "VRF")
    assert (
        f"the fabric runs in one machine: this kernel has no {gone}, for business, fabric edge, oob, storage" in output
    )
    assert "too little memory for a machine with 24 routed switches" in output
    assert "found: 292 MiB available" in output
    refused = operator.run(*UP, "--hosts", "1", code=10)
    assert "--hosts: hosts cannot be machines where the switches run in one" in refused
    assert on_this_machine(operator) == []


def test_a_lab_in_a_machine_names_all_that_is_missing_for_it_at_once(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    prepare, _ = MISSING["too little memory"]
    without = "touch {folder}/nothing\nmount --bind {folder}/nothing /usr/bin/setpriv\n"
    code, output = as_another_machine(operator, (without + prepare).format(folder=tmp_path), *UP, "--machine")
    assert code == 10, output
    assert "its planes need a machine here, and that needs util-linux, which this machine has not" in output
    assert "too little memory for a machine with 4 routed switches" in output
    assert "--machine: only a routed lab runs in a machine" in operator.run("lab", "up", "--machine", code=10)
    assert on_this_machine(operator) == []


@pytest.mark.long
@pytest.mark.parametrize(("hosts", "switches", "up_within_s"), [(28, 24, 60.0), (60, 40, 90.0)])
def test_a_larger_plane_stands_and_agrees(
    hosts: int, switches: int, up_within_s: float, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """In time, where nothing else keeps the processors busy before it starts."""
    load = os.getloadavg()[0]
    operator = lab_site(tmp_path)
    file = operator.site / "fabric.yml"
    text = file.read_text().replace("count: 4 ", f"count: {hosts} ").replace("max: 4 ", f"max: {hosts} ")
    file.write_text(text.replace("oversubscription: 1 ", "count: 8\n      oversubscription: 1 "))
    try:
        began = time.monotonic()
        operator.run(*UP, "--plane", "compute")
        up_s = time.monotonic() - began
        operator.run("push", "--plane", "compute", "--yes")
        lab = RoutedLab(operator)
        assert len(lab.switches) == switches
        until(lab.assert_both_tiers_agree)
        all_s = time.monotonic() - began
        memory_mib = sum(_memory_kib(int(pid)) for pid in _processes(lab)) // 1024
        began = time.monotonic()
    finally:
        operator.run("lab", "down")
    down_s = time.monotonic() - began
    times = f"up {up_s:.0f} s, pushed and converged {all_s:.0f} s, down {down_s:.0f} s (load before: {load:.1f})"
    figure(f"{switches} routed switches, {memory_mib} MiB of FRR and twins: {times}")
    assert memory_mib < 3 * 1024
    assert load > (os.cpu_count() or 1) or (all_s < up_within_s and down_s < DOWN_S)
    assert on_this_machine(operator) == []


def _processes(lab: RoutedLab) -> list[str]:
    found = [(lab.operator.lab / "pid").read_text()]
    for name in lab.switches:
        command = ["ip", "netns", "pids", f"{lab.name}-{name}"]
        found += subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return found


def _memory_kib(pid: int) -> int:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))
