"""Hosts on one leaf need no spine: such a site is pushed, valid and left alone; spines that come later move nothing."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from at_terminal import ROOT, Operator, lab_of_its_own

from tests import intent_parts

LEAVES: dict[str, dict[str, str]] = {
    "eos": {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
    "nxos": {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"},
    "nvue": {"platform": "nvue", "release": "5.14", "model": "SN5600"},
}


def one_leaf(leaf: dict[str, str], spines: int) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((ROOT / "inventory/lab-rails/fabric.yml").read_text())
    fabric, nics = intent_parts.fabric(data), intent_parts.nics(data)
    fabric["design"], fabric["leaf"] = "clos", {**leaf, "cable_m": 5}
    if leaf["platform"] == "nvue":
        fabric["leaf"]["breakout"] = "4x200G"
    fabric["spine"] |= {"count": spines, "max": 2, "overrides": []}
    del fabric["spine"]["medium"]
    nics |= {"rails": 4, "at": nics["at"][:4]}
    return data


@pytest.mark.parametrize("platform", LEAVES)
def test_a_leaf_alone_is_pushed_valid_and_left_alone_and_spines_move_nothing(platform: str, tmp_path: Path) -> None:
    def made(where: Path) -> Operator:
        site = where / "one"
        site.mkdir(parents=True)
        (site / "fabric.yml").write_text(yaml.safe_dump(one_leaf(LEAVES[platform], 0)))
        return Operator(site, where / "state")

    with lab_of_its_own(tmp_path, made) as operator:
        assert "1 of 1 changed" in operator.run("push", "--plane", "compute", "--yes")
        assert "0 of 1 changed" in operator.run("push", "--plane", "compute", "--yes")
        report = operator.json("validate")
        assert (report["failed"], report["tested"]) == (0, report["of"])
        later = tmp_path / "later"
        later.mkdir()
        (later / "fabric.yml").write_text(yaml.safe_dump(one_leaf(LEAVES[platform], 2)))
        before = str(operator.site)
        counts = Operator(later, tmp_path / "later-state").json("design", "--against", before)["counts"]
        assert {action: many for action, many in counts.items() if many and not action.startswith("add")} == {}
