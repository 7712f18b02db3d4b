"""The device list takes a fingerprint whole or not at all."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from nornir_tasks.files.devices_file import load_devices, pin_fingerprint

LIST = """\
username: gpufabric
password: !secret switch_password  # the account of the push
devices:
  leaf-g1-r0: {address: 192.0.2.11}
  # racked last
  leaf-g1-r1: {address: 192.0.2.12}
"""
PIN = "ab" * 32


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    file = tmp_path / "devices.yml"
    file.write_text(LIST)
    file.chmod(0o600)
    return file


def test_a_fingerprint_is_written_once_and_comments_and_mode_are_kept(listed: Path) -> None:
    assert pin_fingerprint(listed, "leaf-g1-r1", PIN)
    assert not pin_fingerprint(listed, "leaf-g1-r1", PIN)
    assert load_devices(listed).devices["leaf-g1-r1"].fingerprint == PIN
    assert all(comment in listed.read_text() for comment in ("# the account of the push", "# racked last"))
    assert listed.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_the_list_as_it_was(listed: Path) -> None:
    code = (
        "from pathlib import Path; from nornir_tasks.errors import LocalError\n"
        "from nornir_tasks.files.devices_file import pin_fingerprint\n"
        f"try: pin_fingerprint(Path({str(listed)!r}), 'leaf-g1-r1', {PIN!r})\n"
        "except LocalError as error: print(error.problems[0].where)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == f"{listed}\n"
    assert listed.read_text() == LIST
    assert [path.name for path in listed.parent.iterdir()] == ["devices.yml"]
