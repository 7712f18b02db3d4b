"""Sites that people begin from are whole: each is designed, rendered and proved, and nothing in them loosens safety."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.files.site import gallery, site_names
from nornir_tasks.usecases.site import load

UNDECIDED = {"ecn-before-pfc", "headroom-fits", "layer-1"}
"""Proofs of which switches show no line: alpha and pool, their own headroom, FEC of NX-OS."""


SITES = [
    pytest.param(each, marks=[pytest.mark.long] if folder.parent.name != "gallery" else [])
    for each, folder in gallery().items()
]


def nornir(*words: str, code: int = 0) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == code, done.output
    return done.stdout


@pytest.mark.parametrize("name", SITES)
def test_a_site_of_the_gallery_is_designed_rendered_and_proved(name: str, tmp_path: Path) -> None:
    switches = {each.name for each in load(name).network.devices}
    nornir("render", "--site", name, "--out", str(tmp_path / "out"))
    assert {file.stem for file in (tmp_path / "out").rglob("*") if file.is_file()} >= switches
    report = json.loads(nornir("prove", "--site", name, "--json"))
    assert all(pair["verdict"] == "pass" for pair in report["isolation"]["pairs"])
    proofs = report["proofs"]
    assert len(proofs) >= 6
    for found in proofs:
        assert found["failed"] == 0, found
        assert found["verdict"] == "pass" or found["proof"] in UNDECIDED, found


@pytest.mark.parametrize("name", SITES)
def test_no_site_of_the_gallery_has_another_layout_that_the_design_would_rather_have(name: str) -> None:
    assert "would do" not in nornir("design", "--site", name)


def test_the_gallery_has_small_and_large_sites_and_each_is_found_by_its_name() -> None:
    assert len(gallery()) >= 14
    assert gallery().keys() <= set(site_names())
    assert all(f"\nsite: {name}\n" in (folder / "fabric.yml").read_text() for name, folder in gallery().items())


def test_no_built_in_site_that_people_copy_lets_hosts_reboot_or_switches_be_taken_over() -> None:
    inventory = next(iter(gallery().values())).parents[1]
    files = [each for each in inventory.rglob("*") if each.suffix in {".yml", ".yaml", ".cfg"}]
    assert len(files) > 20
    loose = ("reboot_allowed: true", "allow_management", "accept_release", "unguarded", "host_key_checking: false")
    assert [(each, word) for each in files for word in loose if word in each.read_text()] == []
