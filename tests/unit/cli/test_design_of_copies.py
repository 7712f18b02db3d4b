"""`nornir design` of a fabric in copies: how many, what each has, and that none reaches another."""

import json
from pathlib import Path

import yaml
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from tests.unit.design.copies import places, site


def design(folder: Path, *arguments: str) -> str:
    """What ``nornir design`` prints of 4 hosts with 8 NICs, each on 2 copies."""
    data = {**site(2, hosts=4, at=list(places(2))), "management": {"source": "lab"}}
    (folder / "fabric.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    done = CliRunner().invoke(app, ["design", "--site", str(folder), *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_text_says_that_copies_have_no_switch_in_common(tmp_path: Path) -> None:
    text = " ".join(design(tmp_path).split())
    assert "compute: 16 leaf, 4 spine; 1:1; 64 host links, 64 fabric links" in text
    assert "2 equal copies, without a switch in common: no packet goes from one to another" in text
    assert "each NIC has a port on each copy; an address for each port" in text
    assert "in each of 2 copies 8 leaves, 2 spines, 4 uplinks a leaf; in all 20 switches, 128 links" in text


def test_the_document_says_the_copy_of_each_switch(tmp_path: Path) -> None:
    document = json.loads(design(tmp_path, "--json"))
    assert document["fabrics"]["compute"]["copies"] == 2
    assert document["planes"]["compute"]["groups"]["gpu"]["layout"]["copies"] == 2
    found = {each["name"]: each["copy"] for each in document["devices"]}
    assert {found["leaf-c1-g1-r0"], found["spine-c1-2"]} == {1}
    assert {found["leaf-c2-g1-r0"], found["spine-c2-2"]} == {2}
