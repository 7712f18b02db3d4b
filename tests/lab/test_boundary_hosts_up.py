"""Hosts of the boundary begin, are found again and end; whatever a killed one left is gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from boundary_lab import BoundaryLab, until
from routed_lab import needs_root

from nornir_tasks.errors import LabError
from nornir_tasks.lab.boundary_hosts import requirements

pytestmark = needs_root

UP = ("lab", "up", "--boundary", "--plane", "oob")
"""With few switches, which have no part in this."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundaryLab]:
    """At its end nothing of it is left."""
    made = BoundaryLab(tmp_path_factory.mktemp("boundary"))
    try:
        begun = made.nornir(*UP)
        assert begun.splitlines()[-1] == "the boundary's hosts: firewall-1, firewall-2, bastion-1, bastion-2"
        yield made
    finally:
        ended = made.nornir("lab", "down")
    assert "4 hosts of the boundary ended" in ended
    assert made.hosts.wires.left() == []
    assert not made.hosts.directory.exists()
    until(
        lambda: not [each for each in Path("/proc").glob("[0-9]*") if _is_of(made.hosts.wires.prefix, each)],
        "all ended",
    )


def test_a_host_that_was_off_begins_with_its_files_and_the_others_are_left_alone(lab: BoundaryLab) -> None:
    assert lab.nornir(*UP).splitlines()[-1].endswith(", as before")
    assert [each.running for each in lab.hosts.status()] == [True] * 4

    # As after a power cut: files are there, what was in the kernel is not.
    lab.ssh("firewall-1", "nft add table inet leftover; echo kept >/etc/kept; sync")
    pids = [lab.hosts.container(name).pid() for name in lab.hosts.names()]
    assert pids[0] is not None
    os.kill(pids[0], signal.SIGKILL)
    until(lambda: not lab.hosts.status()[0].running, "it is off")
    assert "powered off" in lab.nornir("lab", "status")
    lab.nornir(*UP)
    assert lab.ssh("firewall-1", "nft list tables; cat /etc/kept") == "kept\n"
    assert [lab.hosts.container(name).pid() for name in lab.hosts.names()[1:]] == pids[1:], "the others were left alone"


def test_a_host_is_a_debian_with_its_addresses_and_changes_nothing_of_the_machine(lab: BoundaryLab) -> None:
    lab.nornir(*UP)
    assert lab.ssh("bastion-1", "id -un; hostname; cat /proc/sys/net/ipv4/ip_forward").split() == [
        "root",
        "bastion-1",
        "0",
    ]
    own = lab.ssh(
        "firewall-2", "ip -br address show wan; systemctl is-system-running || systemctl --failed --no-legend"
    )
    assert "203.0.113.3/29" in own
    assert own.endswith("running\n"), own
    refused = subprocess.run(
        [*lab.hosts.ssh, "firewall-2", "echo 1 >/proc/sys/kernel/panic; date -s @0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode != 0, "the machine's kernel and clock are out of reach"


def _is_of(prefix: str, process: Path) -> bool:
    """Is a process in a group of this lab's?"""
    try:
        return f"/{prefix}-" in (process / "cgroup").read_text(encoding="utf-8")
    except OSError:
        return False


def test_what_a_killed_start_left_is_of_no_harm(lab: BoundaryLab) -> None:
    for name in lab.hosts.names()[:2]:
        pid = lab.hosts.container(name).pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    (lab.hosts.directory / "plan.json").unlink()  # as of a start that was killed before it had all of them
    lab.nornir(*UP)
    assert [each.running for each in lab.hosts.status()] == [True] * 4


def test_what_a_machine_lacks_is_named_all_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(requirements, "FILES", {str(tmp_path / "no-keyring"): "debian-archive-keyring"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LabError) as refused:
        requirements.check_requirements()
    first, second = refused.value.problems
    assert "debian-archive-keyring mmdebstrap openssh-client" in first.what
    assert "root" in second.what
