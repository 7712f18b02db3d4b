"""Secrets: a whole push, validate and rollback, with every library's log at its loudest, leaves none anywhere."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from nornir_tasks.files.plan_document import unpacked

LOUD = (
    "import logging, sys\nlogging.basicConfig(level=1, filename=sys.argv.pop(1))\n"
    "import warnings\nwarnings.simplefilter('always')\n"
    "from nornir_tasks.cli.main import main\nmain()"
)
SECRET_WORDS = (
    r"\$(?:\d|nvsec)\$[^\s\"':]+",  # crypt(3) hashes, NVUE's encrypted values
    r"(?<=key 7 )\S+",
    r"(?<=localized )\S+",
    r"(?<=auth sha )\S+",
    r"0x[0-9a-f]{32}",
)


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path / "site", small_site) as made:
        yield made


@pytest.fixture
def secrets(operator: Operator) -> frozenset[str]:
    """The password of the login, and every hash and key that the switches' own configurations hold."""
    password = (operator.lab / ".secrets/switch_password").read_text().strip()
    found = {word for text in operator.day0.values() for pattern in SECRET_WORDS for word in re.findall(pattern, text)}
    hashes = [word for word in found if word.startswith("$")]
    assert len(hashes) >= 6  # accounts of EOS and NX-OS, and what NVUE encrypts; it masks its accounts itself
    return frozenset({password, *(word for word in found if len(word) >= 10)})


def loud(operator: Operator, log: Path, *words: str, code: int = 0) -> str:
    """Run a verb with every logger writing all it has; returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", LOUD, str(log), *words, "--site", str(operator.site)],
        env={**os.environ, "GPUFABRIC_STATE": str(operator.state), "PYTHONDEVMODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def leaked(operator: Operator, secrets: frozenset[str], log: Path, printed: str) -> list[str]:
    """Where a secret stands that should not."""
    places = {"the terminal": printed.encode(), "the log": log.read_bytes()}
    kept = [each for each in operator.state.rglob("*") if each.is_file() and ".secrets" not in each.parts]
    assert any(each.name == "journal.sqlite" for each in kept)
    places |= {str(each.relative_to(operator.state)): each.read_bytes() for each in kept}
    return sorted(place for place, text in places.items() for secret in secrets if secret.encode() in text)


def test_no_secret_is_printed_logged_or_kept(
    operator: Operator, secrets: frozenset[str], tmp_path: Path, figure: Callable[[str], None]
) -> None:
    log = tmp_path / "log"
    file = operator.state / "plan.json"
    printed = loud(operator, log, "plan", "--json", "--out", str(file))
    written = ""
    for each in json.loads(file.read_text())["switches"].values():
        written += unpacked(each["read"]) + unpacked(each["changes"])
    engines = set(re.findall(r"localized (\S+) auth", written))
    assert engines, "SNMP engines' names, which agents tell everybody (RFC 3414, 4), stand before the keys"
    assert [each for each in secrets - engines if each in written] == []
    printed += loud(operator, log, "push", "--yes", "--plan", str(file))
    printed += loud(operator, log, "validate", "--all", "--json")
    printed += loud(operator, log, "rollback", "--yes")
    printed += loud(operator, log, "push", "--yes", "--json")
    assert "4 of 4 changed" in printed
    assert log.stat().st_size > 10_000, "the log was not loud"
    assert leaked(operator, secrets, log, printed) == []
    (journal,) = operator.state.glob("*/lab-records/journal.sqlite")
    assert journal.stat().st_mode & 0o077 == 0
    figure(f"{len(secrets)} secrets looked for in {len(printed) + log.stat().st_size} bytes of output and log")


def test_no_secret_stands_in_an_error(operator: Operator, secrets: frozenset[str], tmp_path: Path) -> None:
    """A commit of somebody else's that waits, a refused password, a switch that is not there."""
    log = tmp_path / "log"
    printed = loud(operator, log, "push", "--yes")
    operator.hands()["leaf-g1-r0"].eapi("configure session colleague", "interface Ethernet9/1", "description x", "end")
    operator.hands()["leaf-g1-r0"].configure("no ip route 10.168.0.0/24 Null0")
    try:
        printed += loud(operator, log, "push", "--yes", code=7)
        assert "colleague" in printed
    finally:
        operator.hands()["leaf-g1-r0"].eapi("configure session colleague abort")
    file = operator.lab / ".secrets/switch_password"
    before = file.read_text()
    file.write_text("not-the-password-5117")
    try:
        printed += loud(operator, log, "push", "--yes", code=6)
    finally:
        file.write_text(before)
    devices = operator.lab / "devices.yml"
    listed = devices.read_text()
    devices.write_text(listed.replace("8443", "9").replace("8765", "9"))
    try:
        printed += loud(operator, log, "validate", code=9)
    finally:
        devices.write_text(listed)
    assert leaked(operator, secrets | {"not-the-password-5117"}, log, printed) == []


def test_the_password_of_the_lab_can_be_read_by_its_owner_alone(operator: Operator) -> None:
    folder = operator.lab / ".secrets"
    assert folder.stat().st_mode & 0o077 == 0
    assert all(each.stat().st_mode & 0o077 == 0 for each in folder.iterdir())
