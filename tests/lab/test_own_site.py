"""The README's "Your own site", followed word for word by somebody who has a checkout and a shell."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from at_terminal import ROOT, Operator

(SECTION,) = re.findall(r"^## Your own site\n(.*?)^## ", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
COPY, DEVICES, VERBS = re.findall(r"^```(?:yaml)?\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


class Shell:
    """A shell in a checkout, its virtual environment activated."""

    def __init__(self, checkout: Path) -> None:
        self.checkout, self.state = checkout, checkout / "state"
        self.site = checkout / "inventory" / "dc1"
        self.secrets: dict[str, str] = {}

    def run(self, line: str) -> tuple[int, str]:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        variables = {"PATH": path, "GPUFABRIC_STATE": str(self.state), "COLUMNS": "200", **self.secrets}
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.checkout,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def edit(self, *changes: tuple[str, str]) -> None:
        """Exchange what the README says is to be exchanged; it must say so, and be there."""
        file = self.site / "fabric.yml"
        text = file.read_text()
        for old, new in changes:
            assert f"`{new}`" in SECTION
            assert len(re.findall(rf"\b{old}\b", text)) == 1
            text = re.sub(rf"\b{old}\b", new, text)
        file.write_text(text)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The copy is made and named; its switches are still the lab's."""
    shutil.copytree(ROOT / "inventory", tmp_path / "inventory")
    made = Shell(tmp_path)
    assert made.run(COPY) == (0, "")
    made.edit(("site: lab", "site: dc1"))
    return made


@pytest.fixture
def lab(shell: Shell) -> Iterator[Operator]:
    """Switches of this design, up under the same name."""
    made = Operator(shell.site, shell.state)
    made.run("lab", "up")
    try:
        yield made
    finally:
        shell.run("sed -i 's/source: devices/source: lab/' inventory/dc1/fabric.yml")
        made.run("lab", "down")


def test_the_verbs_of_the_readme_work_on_a_site_made_as_it_says(shell: Shell, lab: Operator) -> None:
    assert "`source: lab`" in SECTION
    assert "`nornir lab up --site dc1`" in SECTION
    assert "24 of 24 switches would change" in lab.run("plan"), "the lab is tried first"
    shell.edit(("source: lab", "source: devices"))
    listed = yaml.safe_load((lab.lab / "devices.yml").read_text().replace("!secret ", ""))["devices"]
    entries = [f"  {name}: {{address: {each['address']}, serial: {each['serial']}" for name, each in listed.items()]
    ports = [f", api_port: {each['api_port']}, ssh_port: {each['ssh_port']}}}" for each in listed.values()]
    head = DEVICES.partition("devices:\n")[0] + "devices:\n"
    (shell.site / "devices.yml").write_text(head + "\n".join(map("".join, zip(entries, ports, strict=True))) + "\n")
    for name in ("ca.pem", "known_hosts"):
        shutil.copy(lab.lab / name, shell.site / name)
    shell.secrets["GPUFABRIC_SECRET_SWITCH_PASSWORD"] = (lab.lab / ".secrets" / "switch_password").read_text().strip()
    design, render, plan = VERBS.splitlines()
    code, output = shell.run(design)
    assert (code, "site dc1: inventory/dc1" in output) == (0, True), output
    assert all(f" {name} " in output for name in listed), "the design names the switches"
    assert shell.run(render)[0] == 0
    assert {path.stem for path in (shell.checkout / "out" / "dc1").glob("[!.]*")} == set(listed)
    code, output = shell.run(plan)
    assert (code, "24 of 24 switches would change" in output) == (0, True), output


def test_what_is_still_missing_is_said_step_by_step_with_what_to_do(shell: Shell) -> None:
    shell.edit(("source: lab", "source: devices"))
    plan = VERBS.splitlines()[-1]
    code, output = shell.run(plan)
    assert code == 3
    assert "inventory/dc1/devices.yml: this site has real switches and no device list\n  hint: " in output
    (shell.site / "devices.yml").write_text(DEVICES)
    code, output = shell.run(plan)
    assert code == 3
    assert output.count("the design has this switch, the device list has not") == 23, "all at once, but the one it has"
    assert "leaf-g1-r0" not in output


def test_the_readme_says_where_the_command_is() -> None:
    readme = (ROOT / "README.md").read_text()
    output = readme.index("The command is `.venv/bin/nornir`")
    assert readme.index("make demo ") < output < readme.index("nornir design ")
