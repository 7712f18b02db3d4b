"""Exports for containerlab with FRR or SONiC-VS: their files load in a real FRR, and reach the routes of the lab."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from at_terminal import ROOT, Operator
from containers import Containers, containers, short_folder
from routed_lab import needs_root, until

from tests.unit.lab.published_schema import faults
from tests.unit.lab.sonic_tables import faults as sonic_faults

pytestmark = needs_root
SITES = {"lab": ["--plane", "compute"], "lab-rails": [], "lab-unnumbered": [], "lab-breakout": [], "ref-512": []}
"""Five sites of up to 40 switches, with the planes that FRR can play in this kernel."""
LARGE = ("lab", "lab-rails", "ref-512")
"""By hosts, or with the routing that another site has as well (lab-rails: test_running_lab.py)."""
TOO_LARGE = "ref-512"
"""SONiC-VS has fewer ports than its switches have cables."""
QUICK_SONIC = "lab-unnumbered"


def cases() -> Iterator[object]:
    for name in SITES:
        yield pytest.param(name, "--frr", id=f"{name}-frr", marks=[pytest.mark.long] if name in LARGE else [])
        if name != TOO_LARGE:
            marks = [] if name == QUICK_SONIC else [pytest.mark.long]
            yield pytest.param(name, "--sonic", id=f"{name}-sonic", marks=marks)


@pytest.fixture
def run() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "kind"), list(cases()))
def test_exported_files_load_without_an_error_line_and_reach_the_labs_routes(
    name: str, kind: str, tmp_path: Path, run: Path, figure: Callable[[str], None]
) -> None:
    shutil.copytree(ROOT / "inventory" / name, tmp_path / name)
    operator, folder = Operator(tmp_path / name, tmp_path / "state"), tmp_path / "clab"
    export = ["lab", "export", "--containerlab", str(folder), kind, *SITES[name]]
    try:
        operator.run("lab", "up", *SITES[name])
        assert "has no routing yet" in operator.run(*export, code=10)
        operator.run("push", "--yes", *SITES[name])
        operator.run(*export)
        assert "0 changed" in operator.run(*export)
        (file,) = folder.glob("*.clab.yml")
        assert list(faults(yaml.safe_load(file.read_text()))) == []
        configurations = [json.loads(each.read_text()) for each in folder.glob("*.config_db.json")]
        assert [fault for each in configurations for fault in sonic_faults(each)] == []
        assert bool(configurations) == (kind == "--sonic")
        with containers(folder, run) as made:
            wanted = {each: simulated(operator, folder, each) for each in made.switches}
            until(lambda: assert_routes(made, wanted), timeout_s=90.0)
            figure(f"{name} {kind}: {len(wanted)} containers, {sum(map(len, wanted.values()))} routes as in the lab")
    finally:
        operator.run("lab", "down")


def simulated(operator: Operator, folder: Path, switch: str) -> dict[str, set[str]]:
    """BGP's routes of a switch of the lab: prefix -> ports, by the names of the export."""
    with (folder / "ports.csv").open(newline="") as table:
        names = {row["port"]: row["in_the_node"] for row in csv.DictReader(table) if row["device"] == switch}
    rib = operator.control.ask("rib", device=switch)
    return {
        prefix: {names[interface] for _, interface in route["next_hops"]}
        for prefix, route in rib.items()
        if route["protocol"] == "bgp"
    }


def assert_routes(made: Containers, wanted: dict[str, dict[str, set[str]]]) -> None:
    for switch, routes in wanted.items():
        assert routes, switch
        assert made.routes(switch) == routes, switch


def test_an_export_of_a_lab_that_is_down_says_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "inventory" / "lab-rails", tmp_path / "site")
    operator = Operator(tmp_path / "site", tmp_path / "state")
    output = operator.run("lab", "export", "--containerlab", str(tmp_path / "clab"), "--frr", code=10)
    assert "nornir lab up" in output
    assert not (tmp_path / "clab").exists()
