"""Tests of roles install Docker on nobody's machine who did not allow it."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("allowed", "installs"), [("", False), ("1", os.geteuid() == 0)], ids=["unset", "allowed"])
def test_docker_is_installed_only_where_that_was_allowed(tmp_path: Path, allowed: str, installs: bool) -> None:
    """A machine without Docker, whose apt-get takes notes."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "cat", "dirname", "flock", "id", "mkdir", "sha256sum", "cut", "timeout"):
        where = subprocess.check_output(["sh", "-c", f"command -v {name}"], text=True).strip()
        (programs / name).symlink_to(where)
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/apt\nexit 1\n')
    (programs / "apt-get").chmod(0o755)
    given = {"PATH": str(programs), "XDG_CACHE_HOME": str(tmp_path), "GPUFABRIC_MAY_INSTALL": allowed}
    done = subprocess.run(
        ["bash", str(ROOT / "scripts/role_hosts.sh"), "start"], env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert (tmp_path / "apt").exists() == installs
    if not installs:
        assert "docker is missing. Install it: sudo apt-get install docker.io" in done.stderr
