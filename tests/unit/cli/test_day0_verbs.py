"""nornir day0 as it is called: refusals with their remedies and exit code, and help for both verbs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.errors import IntentError
from tests.unit.usecases.day0_site import write_site


def test_all_that_is_missing_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    site = write_site(tmp_path / "site", base="", day0="", without=frozenset({"spine-1"}))
    (site / "devices.yml").write_text((site / "devices.yml").read_text().replace("ca: ca.pem\n", ""))
    result = CliRunner().invoke(app, ["day0", "--site", str(site), "--out", str(tmp_path / "out"), "--renew", "nobody"])
    assert isinstance(result.exception, IntentError)
    text = str(result.exception)
    for each in ("day0: {server:", "no CA that a new switch could trust", "base configuration is unmanaged", "nobody"):
        assert each in text
    assert not (tmp_path / "out").exists()


def test_the_verb_that_serves_says_once_which_site(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "nornir", "day0", "serve", "--out", tmp_path / "out"]
    environment = {**os.environ, "GPUFABRIC_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr.count("site lab:")) == (10, 1)
    assert "the lab of this site is not up" in done.stderr
