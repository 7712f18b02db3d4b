"""What the machine of a routed lab is sent, and with which packages its image is made."""

from __future__ import annotations

import io
import json
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from nornir_tasks.lab.fabric_machine.parcel import parcel
from nornir_tasks.lab.machines.image import FABRIC_RECIPE, fabric_recipe, host_recipe
from switch_twins.spec_reader import parse_spec

ROOT = Path(__file__).parents[3]
BESIDE = {"pydantic": "nvueschema's", "ruamel.yaml": "the toolkit's own, in its main dependencies"}


def sent(folder: Path, *, is_emulated: bool) -> tuple[tarfile.TarFile, dict[str, object]]:
    (folder / ".secrets").mkdir(mode=0o700)
    (folder / ".secrets/switch_password").write_text("a word\n")
    (folder / "ca.key").write_text("a key of an earlier lab\n")
    spec = {
        "site": "of-test",
        "dir": str(folder),
        "ca": str(folder / "ca.pem"),
        "username": "gpufabric",
        "password_file": str(folder / ".secrets/switch_password"),
        "devices": [],
        "routed": {"name": "gf1", "run_folder": "/run/gpufabric/gf1"},
        "machine": {"memory_mib": 700},
    }
    packed = io.BytesIO(parcel(spec, is_emulated=is_emulated))
    archive = tarfile.open(fileobj=packed)  # noqa: SIM115 - in memory
    read = archive.extractfile("lab/spec.json")
    assert read is not None
    return archive, json.loads(read.read())


def test_the_switches_program_the_specification_and_the_password_are_sent_and_nothing_else(tmp_path: Path) -> None:
    archive, spec = sent(tmp_path, is_emulated=True)
    entries = {each.name: each for each in archive.getmembers()}
    assert {name for name in entries if not name.startswith("opt/gpufabric/switch_twins")} == {
        "lab/spec.json",
        "lab/.secrets/switch_password",
    }
    assert entries["lab/.secrets/switch_password"].mode == 0o600
    assert "opt/gpufabric/switch_twins/process.py" in entries
    assert str(tmp_path) not in json.dumps(spec), "paths of this machine are none there"


@pytest.mark.parametrize(("is_emulated", "factor"), [(True, 10), (False, 1)])
def test_bfd_is_slower_where_the_processor_is_emulated_alone(is_emulated: bool, factor: int, tmp_path: Path) -> None:
    _, spec = sent(tmp_path, is_emulated=is_emulated)
    routed = parse_spec(spec).routed
    assert routed is not None and routed.bfd_factor == factor


def test_the_image_has_every_package_of_the_lab_in_a_version_that_it_takes() -> None:
    lines = (FABRIC_RECIPE / "python_packages.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    own = [Requirement(each) for each in project["dependencies"]]
    wanted = [Requirement(each) for each in project["optional-dependencies"]["lab"]]
    wanted += [each for each in own if each.name in BESIDE]
    for each in wanted:
        assert each.name in pinned and each.specifier.contains(pinned[each.name]), str(each)


def test_a_change_of_one_recipe_makes_no_other_image_anew() -> None:
    assert fabric_recipe().hash != host_recipe().hash
    assert FABRIC_RECIPE not in host_recipe().folders
