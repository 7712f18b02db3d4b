"""The schemas of fabric.yml and devices.yml take what the product takes, and underline common mistakes."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.files.marked_yaml import Marked, read_marked
from nornir_tasks.files.yaml_schemas import FILES, schema_of_file
from nornir_tasks.intent.core.secret_name import Secret
from tests.errors.patches import FOLDER, cases
from tests.unit.files.language_server import LanguageServer

ROOT = Path(__file__).parents[3]
RELEASE = "yaml-language-server@1.19.2"
"""What editors run; ``make test`` has a validator that we did not write either, so that it needs no Node.js."""
LAB = ROOT / "inventory" / "lab" / "fabric.yml"
SITES = sorted(
    [*ROOT.glob("inventory/*/fabric.yml"), *ROOT.glob("tests/sites/**/fabric*.yml"), *FOLDER.glob("bases/*.yml")]
)
DEVICES = """\
username: gpufabric
password: !secret switch_password
ca: ca.pem
timeout_s: 30
devices:
  leaf-g1-r0: {address: 192.0.2.11, serial: ABC123, mac: "0c:42:a1:00:00:12"}
  leaf-g1-r1: {address: "2001:db8::12", api_port: 8443}
attached:
  gpu-bmc-1: {mac: "0c:42:a1:00:01:01"}
"""
UNBUILDABLE = [each for each in cases() if "exit code 4" in (each.folder / "expected.txt").read_text(encoding="utf-8")]
"""Intents whose values are fine one by one."""


def mistakes(name: str, file: Path) -> list[str]:
    """What an editor underlines: ``3: $.site: ...``, by the line of the value, or of the key that is too much."""
    marked = read_marked(file)
    found = list(Draft202012Validator(schema_of_file(name)).iter_errors(plain(marked.data)))
    return [f"{line_of(each, marked)}: {each.json_path}: {each.message[:200]}" for each in found]


def line_of(error: ValidationError, marked: Marked) -> int:
    unknown = re.search(r"'([^']*)' was unexpected", error.message)
    path = (*error.absolute_path, *([unknown[1]] if unknown else []))
    return marked.marks.line(path)


def plain(value: Any) -> Any:
    """As an editor reads it: a secret is the text behind its tag."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value.name if isinstance(value, Secret) else value


@pytest.mark.parametrize("name", FILES)
def test_a_schema_is_one_of_2020_12_with_the_text_of_each_key(name: str) -> None:
    schema = json.loads(CliRunner().invoke(app, ["schema", name]).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("/2020-12/schema")
    if name == "fabric":
        assert schema["properties"]["hosts"]["description"].startswith("Group -> its hosts")
    parts = [*schema["$defs"].values(), schema]
    silent = [key for part in parts for key, each in part.get("properties", {}).items() if not each.get("description")]
    assert silent == []


@pytest.mark.parametrize("file", SITES, ids=lambda each: str(each.relative_to(ROOT)))
def test_every_site_is_taken(file: Path) -> None:
    assert mistakes("fabric", file) == []


@pytest.mark.parametrize("case", UNBUILDABLE, ids=lambda each: each.name)
def test_an_intent_that_cannot_be_built_is_taken_all_the_same(case: Any, tmp_path: Path) -> None:
    assert mistakes("fabric", case.written_to(tmp_path) / "fabric.yml") == []


def test_a_device_list_is_taken(tmp_path: Path) -> None:
    (tmp_path / "devices.yml").write_text(DEVICES)
    assert mistakes("devices", tmp_path / "devices.yml") == []


PLANTED = [
    ("site: lab\n", "sit: lab\n", "sit"),
    ("site: lab\n", "site: 7\n", "site"),
    ("site: lab\n", "site: Lab Hall\n", "site"),
    ("congestion: dcqcn", "congestion: dcqcnn", "congestion"),
    ("speed: 200G", "speed: 200", "speed"),
    ("rails: 8", "rails: 80", "rails"),
    ("platform: nvue", "platform: nvuee", "platform"),
    ("lossless: true", "lossless: maybe", "lossless"),
    ("  source: lab ", "  source: labs ", "source"),
    ("host: 9000", "host: many", "host"),
    ("priority: 3", "priority: 9", "priority"),
    ("  design: rail ", "  desing: rail ", "desing"),
]


@pytest.mark.parametrize(("right", "wrong", "key"), PLANTED, ids=[wrong.strip() for _, wrong, _ in PLANTED])
def test_a_mistake_is_underlined_in_its_line(right: str, wrong: str, key: str, tmp_path: Path) -> None:
    text = LAB.read_text(encoding="utf-8")
    assert right in text, "the lab's file says it otherwise"
    line = text[: text.index(right)].count("\n") + 1
    (tmp_path / "fabric.yml").write_text(text.replace(right, wrong, 1))
    found = mistakes("fabric", tmp_path / "fabric.yml")
    assert any(each.startswith(f"{line}: ") and key in each for each in found), found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("username: gpufabric", "usernam: gpufabric"),
        ("192.0.2.11", "leaf-1.example.net"),
        ('"0c:42:a1:00:00:12"', '"0c:42:a1:00:00"'),
        ("timeout_s: 30", "timeout_s: 3"),
        ("!secret switch_password", "Correct Horse"),
    ],
)
def test_a_mistake_of_the_device_list_is_underlined(right: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "devices.yml").write_text(DEVICES.replace(right, wrong, 1))
    assert mistakes("devices", tmp_path / "devices.yml")


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    """A real one: the one that is installed, else this release of it from npm's registry."""
    program = os.environ.get("YAML_LANGUAGE_SERVER") or shutil.which("yaml-language-server")
    if program is None:
        place = tmp_path_factory.mktemp("npm")
        subprocess.run(["npm", "install", "--silent", "--prefix", str(place), RELEASE], check=True, timeout=300)
        program = str(place / "node_modules/.bin/yaml-language-server")
    folder, schemas = tmp_path_factory.mktemp("schemas"), dict[str, Path]()
    for name in FILES:
        schemas[f"*{name}.yml"] = folder / f"{name}.schema.json"
        schemas[f"*{name}.yml"].write_text(json.dumps(schema_of_file(name)))
    with LanguageServer(program, schemas) as server:
        yield server


@pytest.mark.long
def test_an_editor_underlines_nothing_in_sites_that_are_right(editor: LanguageServer, tmp_path: Path) -> None:
    for number, file in enumerate(SITES):
        copy = tmp_path / f"{number}-fabric.yml"
        copy.write_bytes(file.read_bytes())
        assert editor.underlined(copy) == [], file
    (tmp_path / "devices.yml").write_text(DEVICES)
    assert editor.underlined(tmp_path / "devices.yml") == []


@pytest.mark.long
def test_an_editor_underlines_each_planted_mistake_in_its_line(editor: LanguageServer, tmp_path: Path) -> None:
    text = LAB.read_text(encoding="utf-8")
    for number, (right, wrong, _) in enumerate(PLANTED):
        file = tmp_path / f"{number}-fabric.yml"
        file.write_text(text.replace(right, wrong, 1))
        line = text[: text.index(right)].count("\n") + 1
        assert any(each.startswith(f"{line}: ") for each in editor.underlined(file)), wrong
