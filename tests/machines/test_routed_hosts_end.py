"""A routed lab with a machine whose process was killed: ``lab down`` leaves nothing of it on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from lab_machines import MachineLab

from nornir_tasks.lab.routed import RUN, lab_name

pytestmark = pytest.mark.long

HOSTS, ROUTED = 1, True
HOST = "gpu-1"


def of(lab: MachineLab) -> list[str]:
    """Everything that the lab has on this machine: namespaces, interfaces, folders, processes."""
    folder = lab.machines.directory.parent
    machines, routed = lab.machines.namespace.name, lab_name(folder)
    found = [each.name for each in Path("/run/netns").iterdir() if each.name.startswith((machines, routed))]
    links = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True, check=True).stdout
    found += re.findall(rf"^t{machines.removeprefix('gpuf-')}\S*", links, re.MULTILINE)
    found += [str(each) for each in (RUN / routed, folder) if each.exists()]
    words = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return found + [line for line in words.splitlines() if str(folder) in line or str(RUN / routed) in line]


def port_kind(lab: MachineLab) -> str:
    """What the leaf's port to the host's first rail is in the kernel."""
    command = lab.in_namespace("ip", "-json", "-details", "link", "show", "et1_1", switch="leaf-g1-r0")
    (found,) = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return str(found["linkinfo"]["info_kind"])


def test_without_machines_namespaces_are_the_hosts_again_and_with_them_no_more(lab: MachineLab) -> None:
    assert port_kind(lab) == "tun"
    assert "machines: none" in lab.up(0, "--routed")
    assert port_kind(lab) == "veth"
    assert f"{HOST}: up after" in lab.up(1, "--routed")
    assert port_kind(lab) == "tun"
    assert f"machines: {HOST}, as before" in lab.up(1, "--routed")


def test_a_machine_whose_lab_has_ended_is_named_by_the_next_and_cabled_into_it_with_hosts(lab: MachineLab) -> None:
    folder = lab.machines.directory.parent
    process = int((folder / "pid").read_text())
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + 60
    while Path(f"/proc/{process}/ns/net").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    done = lab.nornir("lab", "up", "--routed")
    assert done.returncode == 0, done.stderr
    assert f"{HOST}: cabled to the lab that ended; --hosts 1 starts them in this one" in done.stdout
    assert port_kind(lab) == "veth"
    assert f"{HOST}: up after" in lab.up(1, "--routed")
    assert port_kind(lab) == "tun"


def test_down_after_the_labs_process_was_killed_leaves_nothing_of_it_or_of_its_machine(lab: MachineLab) -> None:
    assert len(of(lab)) > 1
    os.kill(int((lab.machines.directory.parent / "pid").read_text()), signal.SIGKILL)
    refused = lab.nornir("lab", "up", "--routed", "--hosts", "1")
    assert refused.returncode == 10
    assert "ended without 'nornir lab down'" in refused.stderr
    assert lab.nornir("lab", "down").returncode == 0
    assert of(lab) == []
    lab.up(HOSTS, "--routed")  # for the other test, whichever comes first
