"""Spectrum-X on NICs: settings as published, and NVIDIA's algorithm, without which nothing slows senders down."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, values_of
from nic_firmware import SPECTRUM_X_PROGRAM, apply, judge, read_nics
from nic_settings import SPECTRUM_X, find_problems, wanted_settings
from roce_host import Host

OF_LINKS_AND_FUNCTIONS = {"LINK_TYPE_P1", "SRIOV_EN", "NUM_OF_VFS", "INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE"}
"""Of the published settings those that the role has other variables for, or leaves to the card."""
CURRENT = {"RA2.0", "RA2.1", "RA2.2", "RA3.0"}


def published() -> dict[str, set[str]]:
    """Setting -> its values in the current published profiles, for the NICs of the catalogue."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in (ROOT / "tests/corpus/nics/spectrum_x.tsv").read_text().splitlines():
        if not line.startswith(("#", "profile")):
            profile, device, how, name, value, _ = line.split("\t")
            if profile in CURRENT and device in ("1023", "a2dc") and how == "mlxconfig":
                found[name].add(value)
    return found


def test_the_settings_are_those_on_which_all_current_published_profiles_agree() -> None:
    agreed = {name: int(*values) for name, values in published().items() if len(values) == 1}
    assert {name: value for name, value in agreed.items() if name not in OF_LINKS_AND_FUNCTIONS} == SPECTRUM_X


def test_what_published_profiles_say_differently_is_left_alone() -> None:
    differing = {name.removesuffix("_P1") for name, values in published().items() if len(values) > 1}
    assert differing == {"ROCE_RTT_RESP_DSCP", "ROCE_RTT_RESP_DSCP_MODE"}
    assert not differing & {each.name for each in wanted_settings(values_of(spectrum_x=True))}


def test_an_algorithm_of_two_kinds_is_refused() -> None:
    (problem,) = find_problems(values_of(spectrum_x=True, cc_algorithm="dcqcn"))
    assert "programmable or keep" in problem
    assert find_problems(values_of(spectrum_x=True, cc_algorithm="programmable")) == []


class Tree:
    """/sys, /proc and /opt of a host with one rail, as far as the algorithm is looked for in them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        driver, device = root / "sys/bus/pci/drivers/mlx5_core", root / "sys/devices/0000:01:00.0"
        ports = root / "sys/class/infiniband/mlx5_3/ports/1/gid_attrs/ndevs"
        device.mkdir(parents=True)
        ports.mkdir(parents=True)
        (ports / "0").write_text("rail0\n")
        driver.mkdir(parents=True)
        (device / "driver").symlink_to(driver)
        (root / "sys/class/net/rail0").mkdir(parents=True)
        (root / "sys/class/net/rail0/device").symlink_to(device)
        (root / "proc").mkdir()

    def install(self) -> None:
        program = self.root / SPECTRUM_X_PROGRAM.lstrip("/")
        program.parent.mkdir(parents=True)
        program.touch()

    def run(self, *words: str) -> None:
        (self.root / "proc/4711").mkdir()
        (self.root / "proc/4711/cmdline").write_bytes("\0".join((*words, "")).encode())


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def refusals(tree: Tree, **changed: Any) -> list[str]:
    values = values_of(rails=["rail0"], link_type="keep", mode="keep", **changed)
    return [each.knob for each in judge(values, Host(root=tree.root), {}, early=True).failures]


def test_a_host_without_the_algorithm_is_refused_before_anything_is_set(tree: Tree) -> None:
    assert "Spectrum-X algorithm" in refusals(tree, spectrum_x=True)
    assert "Spectrum-X algorithm" not in refusals(tree)
    values = values_of(rails=["rail0"], spectrum_x=True, change_allowed=True)
    report = apply(values, Host(root=tree.root), check=False)
    (failure,) = [each for each in report.failures if each.knob == "Spectrum-X algorithm"]
    assert "congestion: dcqcn" in failure.why
    assert report.changes == []
    tree.install()
    assert "Spectrum-X algorithm" not in refusals(tree, spectrum_x=True)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((SPECTRUM_X_PROGRAM, "--device", "mlx5_3"), "runs"),
        ((SPECTRUM_X_PROGRAM, "--device", "mlx5_30"), "is installed"),
        (("/usr/bin/vi", SPECTRUM_X_PROGRAM, "mlx5_3"), "is installed"),
    ],
)
def test_the_algorithm_runs_for_a_rail_only_where_its_process_names_the_rails_device(
    tree: Tree, words: tuple[str, ...], found: str
) -> None:
    tree.install()
    tree.run(*words)
    assert read_nics(["rail0"], tree.root)["rail0"]["algorithm"] == found
