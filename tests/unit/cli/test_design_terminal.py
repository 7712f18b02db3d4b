"""`nornir design` as somebody reads it: the choice of layout as text and JSON; narrow terminals cut no name."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from nornir_tasks.cli.app import app
from nornir_tasks.cli.design_table import HEADS, columns_for

NORNIR = Path(sys.executable).with_name("nornir")
LAB = Path(__file__).parents[3] / "inventory/lab-rails/fabric.yml"
SITES = Path(__file__).parents[2] / "sites"
NAMES = {*(f"leaf-g1-r{rail}" for rail in range(8)), "spine-1", "spine-2"}


def design(*arguments: str) -> Result:
    """``nornir design`` with these arguments."""
    return CliRunner().invoke(app, ["design", *arguments])


def on_a_terminal(columns: int, site: Path = LAB.parent) -> str:
    """What ``nornir design`` of a site prints on a terminal so wide."""
    ours, its = pty.openpty()
    surroundings = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    words = [str(NORNIR), "design", "--site", str(site)]
    with subprocess.Popen(words, stdin=its, stdout=its, stderr=its, env=surroundings) as running:
        os.close(its)
        text = bytearray()
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not piece:
                break
            text += piece
        assert running.wait(timeout=60) == 0
    os.close(ours)
    return text.decode()


def test_at_80_columns_every_name_and_address_stands_whole() -> None:
    text = on_a_terminal(80)
    assert "…" not in text
    rows = {words[0]: words for line in text.splitlines() if (words := line.split()) and words[0] in NAMES}
    assert set(rows) == NAMES
    assert rows["leaf-g1-r7"][1:4] == ["N9K-C9332D-GX2B", "4200000007", "10.255.112.1"]
    assert "left out on 80 columns: system, release, host block, ECMP groups" in text


def test_288_switches_are_a_page_and_all_of_them_are_shown_where_asked_for() -> None:
    short, whole = (design("--site", "ref-28672", *more).stdout.splitlines() for more in ((), ("--all",)))
    assert len(short) < 20
    leaves = next(line for line in short if line.strip().startswith("leaf-g1-r0"))
    assert leaves.split()[:4] == ["leaf-g1-r0", "to", "leaf-g32-r7", "(256)"]
    assert sum(line.strip().startswith(("leaf-", "spine-")) for line in whole) == 288


def test_adjustments_are_counted_and_explained_each_with_its_reason() -> None:
    short, long = design("--site", "lab-rails").stdout, design("--site", "lab-rails", "--explain").stdout
    count = int(short.partition("adjusted to what switches can: ")[2].split()[0])
    assert sum(line.startswith("adjusted: ") and " times), as: " in line for line in long.splitlines()) == count > 3


@pytest.mark.parametrize(
    ("site", "served"),
    [
        ("fabrics", {"front-leaf-g2": "gpu: data", "front-leaf-g3": "store: data", "front-leaf-g9": "store: archive"}),
        ("shared", {"leaf-g1-r0": "gpu: compute, data"}),
    ],
)
def test_at_80_columns_leaves_are_told_apart_by_the_hosts_and_planes_they_are_for(
    site: str, served: dict[str, str]
) -> None:
    text = on_a_terminal(80, SITES / site)
    for leaf, hosts in served.items():
        assert any(line.split()[:1] == [leaf] and f" {hosts} " in line for line in text.splitlines()), text


def test_planes_on_one_fabric_and_on_shared_ports_are_told_apart() -> None:
    text = design("--site", str(SITES / "fabrics")).stdout
    assert "data: 4 leaf, 2 spine of fabric front, with archive; 1:1" in text
    archive = text[text.index("archive: 4 leaf") :]
    assert "laid out for 6 hosts of store: 1 leaf" in archive
    text = design("--site", str(SITES / "shared")).stdout
    assert text.count("laid out for") == 1
    assert "on the NIC ports of gpu for compute: the same leaves and links" in text[text.index("data: 3 leaf") :]
    text = design("--site", str(SITES / "shared"), "--explain").stdout
    assert "data, on ports of compute" in text


@pytest.mark.parametrize("width", range(1, 160, 9))
def test_whatever_the_width_the_names_stay_and_what_stays_fits(width: int) -> None:
    rows = [("spine-1", "-", "nvue", "5.14", "SN5600", "4200099998", "10.255.128.1", "-", "8", "25", "0, 0 members")]
    heads = columns_for(rows, width)
    assert heads[0] == "switch"
    wide = sum(max(len(head), len(rows[0][HEADS.index(head)])) + 2 for head in heads)
    assert wide <= width or heads == ("switch",)


def site(folder: Path, **keys: str) -> str:
    """The lab with keys of its spines set."""
    lines = "".join(f"      {key}: {value}\n" for key, value in keys.items())
    (folder / "fabric.yml").write_text(LAB.read_text().replace("      cable_m: 40\n", f"      cable_m: 40\n{lines}"))
    return str(folder)


def test_the_runner_up_and_what_a_lost_spine_leaves_are_printed(tmp_path: Path) -> None:
    text = design("--site", site(tmp_path, capacity_after_loss="0.6")).stdout
    assert "laid out for 4 hosts: 8 leaves, 2 spines, 4 uplinks a leaf: 10 switches, 64 links, 64 optics" in text
    runner_up = "8 leaves, 3 spines, 3 uplinks a leaf: 11 switches, 56 links, 48 optics"
    assert f"runner-up: {runner_up}; it lost: 1 switch more" in text
    assert "with one spine lost a leaf keeps 100 % of its declared bandwidth (capacity_after_loss: 0.6)" in text


def test_json_has_layout_runner_up_and_warnings_of_each_plane(tmp_path: Path) -> None:
    plane = json.loads(design("--json", "--site", site(tmp_path, count="1")).stdout)["planes"]["compute"]
    of_gpus = plane["groups"]["gpu"]
    assert of_gpus["layout"]["spines"] == 1
    assert of_gpus["layout"]["capacity_after_loss"] == 0
    assert of_gpus["runner_up"]["lost_by"].endswith("more")
    assert of_gpus["core_oversubscription"] is None
    assert "single point of failure" in of_gpus["warnings"][0]


def test_one_spine_is_warned_of_in_the_text(tmp_path: Path) -> None:
    text = design("--site", site(tmp_path, count="1")).stdout
    assert "  warning: single point of failure: one spine joins all leaves, as spine.count declares" in text
    assert "single point of failure" not in design().stdout
