"""``nornir init`` as it is typed: what is asked for, what is said of defaults, exit codes, and nothing left behind."""

import json
import os
import pty
import resource
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
NORNIR = Path(sys.executable).with_name("nornir")
REFUSED, LOCAL, WRONG, USAGE, INTERRUPTED = 7, 11, 3, 2, 130


def nornir(*words: str, cwd: Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(NORNIR), *words],
        env={**os.environ, "GPUFABRIC_STATE": str(cwd / "state"), "COLUMNS": "200"},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=before,
    )


def left(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*"))


def test_without_a_terminal_defaults_are_taken_and_said(tmp_path: Path) -> None:
    done = nornir("init", "dc1", "--nics", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = done.stderr.splitlines()[0]
    given = "--name dc1, --hosts 4, --speed 400G, --planes compute, --leaf as fits best, --ci github"
    assert first == f"not given, so by default: {given}"
    commands = [line.strip() for line in done.stdout.splitlines() if line.startswith("  nornir ")]
    assert commands == [f"nornir {verb} --site dc1" for verb in ("design", "lab up", "push", "validate", "lab down")]
    assert nornir(*commands[0].split()[1:], cwd=tmp_path).returncode == 0


def test_json_says_what_was_made_and_what_to_type_next(tmp_path: Path) -> None:
    words = ("--hosts", "5", "--nics", "1", "--speed", "200g", "--leaf", "nvue", "--planes", "compute", "--ci", "none")
    done = nornir("init", "my sites/dc-1", *words, "--name", "dc1", "--json", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["defaults"] == {}
    assert done.stderr == ""
    assert answer["next"][0] == "nornir design --site 'my sites/dc-1'"
    assert sorted(answer["files"]) == [
        each for each in left(tmp_path / "my sites/dc-1") if (tmp_path / "my sites/dc-1" / each).is_file()
    ]
    intent = yaml.safe_load((tmp_path / "my sites/dc-1/fabric.yml").read_text())
    assert (intent["site"], intent["hosts"]["gpu"]["count"]) == ("dc1", 5)


def test_a_name_that_means_another_site_is_written_as_a_path(tmp_path: Path) -> None:
    assert nornir("init", "inventory/dc1", "--nics", "1", cwd=tmp_path).returncode == 0
    done = nornir("init", "dc1", "--nics", "1", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["next"][0] == "nornir design --site ./dc1"


def test_the_working_directory_can_become_a_site(tmp_path: Path) -> None:
    (tmp_path / "dc7").mkdir()
    done = nornir("init", "--nics", "1", cwd=tmp_path / "dc7")
    assert "nornir design --site .\n" in done.stdout
    assert yaml.safe_load((tmp_path / "dc7/fabric.yml").read_text())["site"] == "dc7"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--leaf", "nvue:SN560"], WRONG, "error: --leaf: no such switch model\n  expected: one of SN5610, SN5600"),
        (["--planes", "stroage"], WRONG, "expected: one of storage"),
        (["--speed", "fast"], WRONG, "expected: Gbit/s, as 400G"),
        (["--from", "labb"], WRONG, "expected: one of lab, "),
        (["--from", "lab", "--hosts", "4"], USAGE, "--from has all of it already"),
        (["--update", "--hosts", "4"], USAGE, "none of the other options"),
        (["--ci", "jenkins"], USAGE, "one of github, gitlab, none"),
        (["--hosts", "0"], USAGE, "--hosts"),
        (["--hosts", "9000", "--spine", "nvue:SN2410"], 4, "hint: "),
        (["--update"], WRONG, "no fabric.yml here"),
    ],
)
def test_wrong_words_have_their_exit_code_and_leave_nothing(
    words: list[str], code: int, says: str, tmp_path: Path
) -> None:
    (tmp_path / "at").mkdir()
    done = nornir("init", "./dc1", *words, cwd=tmp_path / "at")
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert left(tmp_path / "at") == []


def test_files_in_the_way_are_refused(tmp_path: Path) -> None:
    (tmp_path / "dc1").mkdir()
    (tmp_path / "dc1/devices.yml").write_text("mine")
    done = nornir("init", "dc1", cwd=tmp_path)
    assert done.returncode == REFUSED
    assert "error: dc1/devices.yml: is in the way; nothing was written\n" in done.stderr
    assert left(tmp_path) == ["dc1", "dc1/devices.yml"]


def test_a_full_disk_has_its_exit_code_and_leaves_nothing(tmp_path: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    (tmp_path / "at").mkdir()
    done = nornir("init", "dc1", "--nics", "1", cwd=tmp_path / "at", before=full)
    assert done.returncode == LOCAL, done.stderr
    assert left(tmp_path / "at") == []


def test_where_nobody_may_write_has_its_exit_code(tmp_path: Path) -> None:
    done = nornir("init", "/proc/dc1", "--nics", "1", cwd=tmp_path)
    assert done.returncode == LOCAL, done.stderr
    assert "error: /proc/dc1: cannot be written: " in done.stderr


def test_what_there_is_to_choose_from_is_listed_and_each_of_it_is_taken(tmp_path: Path) -> None:
    listed: dict[str, Any] = json.loads(nornir("init", "--list", "--json", cwd=tmp_path).stdout)["options"]
    shown = nornir("init", "--list", cwd=tmp_path).stdout
    for option, known in listed.items():
        assert f"--{option}\n" in shown
        assert all(name in shown for name in known)
    assert {"lab", "ref-512", "one-nic"} <= listed["from"].keys()
    done = nornir("init", "dc1", "--from", "lab-rails", "--name", "dc1", "--ci", "gitlab", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert nornir("design", "--site", "dc1", cwd=tmp_path).returncode == 0
    assert (tmp_path / "dc1/.gitlab-ci.yml").is_file()


class Terminal:
    """``nornir init`` with somebody at a terminal."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [str(NORNIR), "init", *words], cwd=cwd, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self.shown = ""

    def until(self, text: str, timeout_s: float = 60) -> None:
        end = time.monotonic() + timeout_s
        while text not in self.shown:
            assert time.monotonic() < end, self.shown
            if select.select([self.master], [], [], 0.5)[0]:
                try:
                    self.shown += os.read(self.master, 4096).decode()
                except OSError:  # it has ended
                    break
        assert text in self.shown, self.shown

    def type(self, text: str) -> None:
        self.shown = ""
        os.write(self.master, text.encode())

    def ended(self) -> int:
        try:
            return self.process.wait(timeout=60)
        finally:
            os.close(self.master)


def test_at_a_terminal_each_thing_is_asked_with_its_default_and_again_after_a_wrong_answer(tmp_path: Path) -> None:
    there = Terminal("dc1", "--nics", "1", cwd=tmp_path)
    for question, answer in (
        ("What is the site called? [dc1]: ", "\n"),
        ("How many GPU hosts? [4]: ", "many\n"),
        ("How many GPU hosts? [4]: ", "6\n"),
        ("How fast is each of them? [400G]: ", "\n"),
        ("[compute]: ", "computer\n"),
        ("[compute]: ", "compute\n"),
        ("Which leaves, as OS:MODEL or OS?", "nvue:SN560\n"),
        ("one of SN5610, SN5600", ""),
        ("Which leaves, as OS:MODEL or OS?", "nvue:SN5600\n"),
        ("Continuous integration", "gitlab\n"),
    ):
        there.until(question)
        if answer:
            there.type(answer)
    there.until("Next, in the built-in lab:")
    assert there.ended() == 0
    intent = yaml.safe_load((tmp_path / "dc1/fabric.yml").read_text())
    assert intent["hosts"]["gpu"]["count"] == 6
    assert intent["fabrics"]["compute"]["leaf"]["model"] == "SN5600"
    assert (tmp_path / "dc1/.gitlab-ci.yml").is_file()


def test_ctrl_c_at_a_question_leaves_nothing(tmp_path: Path) -> None:
    there = Terminal("dc1", cwd=tmp_path)
    there.until("What is the site called?")
    there.type("\n")
    there.until("How many GPU hosts?")
    os.killpg(there.process.pid, 2)
    assert there.ended() == INTERRUPTED
    assert left(tmp_path) == []


def test_yes_asks_nothing_at_a_terminal(tmp_path: Path) -> None:
    there = Terminal("dc1", "--yes", "--nics", "1", cwd=tmp_path)
    there.until("Next, in the built-in lab:")
    assert there.ended() == 0
