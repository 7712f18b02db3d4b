"""The README's "Your own site", and what continuous integration of such a site runs, word for word from nothing."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from nornir_tasks.files import starter

ROOT = Path(__file__).parents[2]
(SECTION,) = re.findall(r"^## Your own site\n(.*?)^## ", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
VERBS, DEVICES = re.findall(r"^```(?:yaml)?\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs/own-site.md").read_text()
SECRET = "GPUFABRIC_SECRET_SWITCH_PASSWORD"


class Shell:
    """A shell with an empty home, in an empty folder, the virtual environment activated."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        self.more: dict[str, str] = {}

    def run(self, line: str, code: int = 0, within: Path | None = None) -> str:
        (self.folder / "home").mkdir(exist_ok=True)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        variables = {"PATH": path, "HOME": str(self.folder / "home"), "GPUFABRIC_STATE": str(self.state)}
        done = subprocess.run(
            ["bash", "-e", "-c", line],
            cwd=within or self.folder,
            env={**os.environ, **variables, "COLUMNS": "200", **self.more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == code, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    made = Shell(tmp_path)
    try:
        yield made
    finally:
        for site in (tmp_path / "dc1", tmp_path / "dc1/out/lab"):
            if (site / "fabric.yml").exists():
                made.run(f"nornir lab down --site {site}")


def newcomer(shell: Shell, begin: str) -> str:
    """From nothing to a validated site with what ``init`` prints to be typed next: at most eight commands."""
    output = shell.run(begin)
    printed = re.findall(r"^  (nornir .*)$", output, re.MULTILINE)
    commands = [each for each in printed if " lab down " not in each]
    assert len(commands) <= 7
    for each in commands:
        output = shell.run(f"{each} --yes" if " push " in each else each)
    passed, tested = re.findall(r"passed, tested (\d+) of (\d+)", output)[0]
    assert int(passed) == int(tested) > 0
    return output


def made_real(file: Path) -> str:
    """Take out the line of the device list that has the lab play the switches; returns the others."""
    text = re.sub(r"^source: lab.*\n", "", file.read_text(), flags=re.MULTILINE)
    assert text != file.read_text()
    file.write_text(text)
    return text


@pytest.mark.parametrize(
    "sized",
    [
        pytest.param("--hosts 4 --nics 1", id="4-hosts-one-nic"),
        pytest.param("--hosts 16 --leaf nvue:SN5600", id="16-hosts", marks=pytest.mark.long),
        pytest.param("--hosts 37 --leaf nxos", id="37-hosts", marks=pytest.mark.long),
        pytest.param(
            "--hosts 3 --nics 2 --planes compute,storage,business,oob", id="all-planes", marks=pytest.mark.long
        ),
        pytest.param("--from lab-rails", id="built-in", marks=pytest.mark.long),
    ],
)
def test_a_newcomer_has_a_validated_site_in_at_most_eight_commands(sized: str, shell: Shell) -> None:
    newcomer(shell, f"nornir init dc1 {sized}")


@pytest.mark.long
def test_the_commands_of_the_readme_and_of_the_page_are_those_that_init_prints(shell: Shell) -> None:
    begin, *others = [line.partition("#")[0].strip() for line in VERBS.splitlines()]
    output = shell.run(begin)
    printed = re.findall(r"^  (nornir .*)$", output, re.MULTILINE)
    assert printed[:4] == others
    assert VERBS.replace(VERBS.splitlines()[0], begin) in PAGE
    assert all(each in PAGE for each in printed)


@pytest.mark.parametrize(
    "sized",
    [
        pytest.param("--nics 1", id="4-hosts-one-nic"),
        pytest.param("--hosts 16 --leaf nvue:SN5600", id="16-hosts", marks=pytest.mark.long),
        pytest.param("--hosts 37 --leaf nxos", id="37-hosts", marks=pytest.mark.long),
    ],
)
def test_the_same_site_against_switches_started_apart_from_it_by_editing_the_device_list_alone(
    sized: str, shell: Shell
) -> None:
    """They are those of a copy of it: serial numbers, account and CA are theirs, and dc1 knows what it is given."""
    newcomer(shell, f"nornir init dc1 {sized} --ci none")
    shell.run("nornir lab down --site dc1; mkdir apart; cp dc1/*.yml apart/; nornir lab up --site ./apart")
    try:
        (lab,) = shell.state.glob("apart-*/lab")
        theirs = yaml.safe_load((lab / "devices.yml").read_text().replace("!secret ", ""))
        intent, file = (shell.folder / "dc1/fabric.yml").read_text(), shell.folder / "dc1/devices.yml"
        text = made_real(file)
        output = shell.run("nornir plan --site dc1", code=3)
        assert output.count("still to be written") == 2 * len(theirs["devices"])
        assert "switch_password" in output
        for name, each in theirs["devices"].items():
            ports = f"api_port: {each['api_port']}, ssh_port: {each['ssh_port']}"
            written = f"{name}: {{address: {each['address']}, serial: {each['serial']}, {ports}}}"
            text = text.replace(f'{name}: {{address: "???", serial: "???"}}', written)
        file.write_text(text.replace("username: gpufabric", f"username: {theirs['username']}"))
        for name in ("ca.pem", "known_hosts"):
            shutil.copy(lab / name, shell.folder / "dc1")
        shell.more[SECRET] = (lab / ".secrets/switch_password").read_text().strip()
        count = len(theirs["devices"])
        # what was pushed to the lab is no push of these
        assert "no push that could be rolled back" in shell.run("nornir rollback --site dc1 --yes", code=7)
        assert f"{count} of {count} changed" in shell.run("nornir push --site dc1 --yes")
        assert f"0 of {count} switches would change" in shell.run("nornir plan --site dc1")
        assert "passed, tested" in shell.run("nornir validate --site dc1")
        assert (shell.folder / "dc1/fabric.yml").read_text() == intent
    finally:
        shell.run("nornir lab down --site ./apart")


def test_what_continuous_integration_runs_passes_for_a_site_of_real_switches_too(shell: Shell) -> None:
    shell.run("nornir init dc1 --nics 1 --ci gitlab")
    made_real(shell.folder / "dc1/devices.yml")
    output = ""
    for line in starter.offer().in_the_lab:
        output += shell.run(line, within=shell.folder / "dc1")
    assert "3 of 3 changed" in output
    assert "0 of 3 switches would change" in output
    assert "passed, tested" in output


def test_the_readme_shows_a_device_list_as_init_writes_it(shell: Shell) -> None:
    shell.run("nornir init dc1 --nics 1")
    ours = (shell.folder / "dc1/devices.yml").read_text()
    keys = [line.partition("#")[0].strip() for line in DEVICES.partition("devices:")[0].splitlines()]
    assert all(each in ours for each in keys)
    assert all(each in PAGE for each in keys)


def test_the_readme_says_where_the_command_is() -> None:
    readme = (ROOT / "README.md").read_text()
    output = readme.index("The command is `.venv/bin/nornir`")
    assert readme.index("make demo ") < output < readme.index("nornir lab up ")
