"""What ``make demo`` does and leaves out on machines that lack something; nornir itself is a stand-in here."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NO_NFT = "nft is not installed here"
NO_QEMU = "lab machines need qemu-system-x86, which this machine has not"
Demo = Callable[..., subprocess.CompletedProcess[str]]


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    """A run; what is said of packages, why nothing can be proved, who is blamed for a storm, which words of nornir
    fail, what sending packets is, and what a playbook does.
    """
    calls = tmp_path / "calls"
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/demo.sh", tmp_path / "scripts/demo.sh")

    def run(
        is_root: bool = False,
        lacks: str = "",
        unproved: str = "",
        blamed: str = "gpu-1",
        fails: str = "nothing",
        sends: str = "true",
        play: str = "true",
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        finds = f'case "$*" in validate*--soak*) echo "host {blamed} takes nothing in" ;; esac'
        finds += f'\ncase "$*" in "{fails}") echo "{fails} is wrong"; exit 8 ;; esac'
        for program, also in (("nornir", finds), ("ansible-playbook", play)):
            script(tmp_path / "bin" / program, f'echo "{program} $*" >>{calls}\n{also}')
        script(tmp_path / "bin/id", f"echo {0 if is_root else 1000}")
        script(
            tmp_path / "bin/python",
            f'case "$1" in scripts/can_prove.py) echo "{unproved}"; exit {len(unproved[:1])} ;;\n'
            f"*show_whole_way.py) {sends} ;; esac",
        )
        script(
            tmp_path / "scripts/machine_packages.sh",
            f'echo packages >>{calls}; echo "{lacks}" >&2; exit {len(lacks[:1])}',
        )
        return subprocess.run(
            ["bash", "scripts/demo.sh", "bin/nornir"],
            cwd=tmp_path,
            env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def calls(tmp_path: Path) -> Callable[[], list[str]]:
    """What was started so far."""
    file = tmp_path / "calls"
    return lambda: file.read_text().splitlines() if file.exists() else []


def test_where_all_is_there_every_proof_is_made_and_nothing_is_left_out(
    demo: Demo, calls: Callable[[], list[str]]
) -> None:
    done = demo(HOSTS="0")
    assert done.returncode == 0, done.stderr
    assert "nornir prove" in calls() and "packages" not in calls()
    assert "left out" not in done.stdout
    assert "nornir lab cut leaf-g1-r0-u1" in done.stdout.splitlines()[-3]


def test_each_step_is_named_with_its_time_at_the_end(demo: Demo) -> None:
    times = demo(HOSTS="0").stdout.partition("== The steps and their times\n")[2].split("\n\n")[0].splitlines()
    assert [re.sub(r"\d+ s$", "", line) for line in times][:2] == [
        "  1. A fresh lab: ",
        "  2. What the intent asks for: ",
    ]
    assert len(times) == 9 and all(re.search(r": \d+ s$", line) for line in times)


def test_a_demo_whose_storm_is_blamed_on_another_host_fails(demo: Demo) -> None:
    done = demo(blamed="gpu-2", HOSTS="0")
    assert done.returncode == 1 and "gpu-1 should have been named" in done.stderr


@pytest.mark.parametrize(
    ("fails", "step"), [("prove", "3. What its lines do"), ("validate --plane oob", "8. Each plane by itself")]
)
def test_what_fails_beside_other_steps_ends_the_demo_in_its_own_with_its_words(
    demo: Demo, calls: Callable[[], list[str]], fails: str, step: str
) -> None:
    done = demo(fails=fails, HOSTS="0")
    assert done.returncode == 8
    last = done.stdout.rpartition("\n== ")[2]
    assert last.startswith(step) and last.endswith(f"{fails} is wrong\n")
    assert not [each for each in calls() if " lab play " in each]


def test_a_demo_that_fails_ends_what_runs_beside_it(demo: Demo, tmp_path: Path) -> None:
    begun = "while [ ! -s sending ]; do sleep 0.1; done"
    done = demo(is_root=True, sends="sleep 600 & echo $! >sending; wait", play=f"{begun}; exit 4")
    assert done.returncode == 4
    status = Path(f"/proc/{(tmp_path / 'sending').read_text().strip()}/status")
    for _ in range(100):  # it has its signal, and takes it when it has its turn
        if not status.exists() or "\nState:\tZ" in status.read_text():  # a zombie where nothing takes in orphans' ends
            return
        time.sleep(0.1)
    raise AssertionError("what was sending still runs")


def test_a_proof_that_cannot_be_made_is_left_out_and_said_before_and_after_all_else(
    demo: Demo, calls: Callable[[], list[str]]
) -> None:
    done = demo(unproved=NO_NFT, HOSTS="0")
    assert done.returncode == 0, done.stderr
    assert "nornir prove --without boundary" in calls() and "nornir validate --plane boundary" in calls()
    first, *_, last = (line for line in done.stdout.splitlines() if line)
    assert first == f"will be left out: the proof of the boundary: {NO_NFT}"
    assert last == f"left out: the proof of the boundary: {NO_NFT}"


@pytest.mark.parametrize("why", [NO_QEMU, ""])
def test_hosts_that_a_normal_user_cannot_have_are_left_out_with_the_reason(
    demo: Demo, calls: Callable[[], list[str]], why: str
) -> None:
    done = demo(lacks=why)
    assert done.returncode == 0, done.stderr
    assert "nornir push --yes" in calls() and not [each for each in calls() if "--hosts" in each or "ansible" in each]
    reason = why or "lab machines need root for their network namespace: sudo make demo"
    assert done.stdout.splitlines()[-1] == f"left out: GPU hosts: {reason}"


def test_hosts_that_were_asked_for_by_number_are_refused_before_anything_starts(
    demo: Demo, calls: Callable[[], list[str]]
) -> None:
    done = demo(lacks=NO_QEMU, HOSTS="2")
    assert done.returncode == 1 and NO_QEMU in done.stderr
    assert calls() == ["packages"]


def test_root_has_packages_installed_first_and_brings_hosts_up(demo: Demo, calls: Callable[[], list[str]]) -> None:
    done = demo(is_root=True)
    assert done.returncode == 0, done.stderr
    assert calls()[0] == "packages"
    assert calls().index("nornir lab up --hosts 1") < calls().index("nornir prove --only boundary --packets")
    assert calls().count("ansible-playbook site.yml -e gpufabric_reboot_allowed=true") == 2
    assert "hosts of storage and business reach what they must" in done.stdout
    assert "left out" not in done.stdout


def test_a_machine_without_nft_is_said_to_be_one_in_one_line(tmp_path: Path) -> None:
    start = "import runpy; from nornir_tasks.files import programs; programs.SYSTEM_FOLDERS = ()"
    run = "runpy.run_path('scripts/can_prove.py', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", f"{start}; {run}"],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "nft and unshare are not installed here (sudo apt-get install -y nftables util-linux" in line


@pytest.mark.needs("nft", "namespaces")
def test_where_firewalls_can_be_proved_nothing_is_said_to_be_missing() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/can_prove.py"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
