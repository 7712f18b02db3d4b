"""The sites that are measured: generated rail sites of growing size, and the reference sites of inventory/."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


def rail_site(folder: Path, groups: int, hosts_per_group: int = 32, oversubscription: int = 1) -> Path:
    """A rail site: eight EOS leaves a group, NVUE spines, 400G everywhere."""
    data = yaml.safe_load((ROOT / "inventory/lab/fabric.yml").read_text())
    compute = data["planes"]["compute"]
    count = groups * hosts_per_group
    compute["hosts"].update(count=count, max=count, per_group=hosts_per_group, speed="400G")
    compute["leaf"].pop("overrides")
    compute["leaf"]["medium"] = "DR4"  # joins 8 x 50G of the switch and 4 x 100G of the NIC
    compute["spine"].pop("overrides")
    compute["spine"]["oversubscription"] = oversubscription
    compute["cross_rail"] = "nvlink"
    return _written(folder, f"bench-{groups}-{hosts_per_group}-{oversubscription}", data)


def reference_site(folder: Path, name: str) -> Path:
    """A copy of a reference site whose switches stand in the lab."""
    data = yaml.safe_load((ROOT / "inventory" / name / "fabric.yml").read_text())
    return _written(folder, f"bench-{name}", {**data, "management": {"source": "lab"}})


def _written(folder: Path, name: str, data: dict[str, Any]) -> Path:
    where = folder / name
    where.mkdir(parents=True, exist_ok=True)
    (where / "fabric.yml").write_text(yaml.safe_dump({**data, "site": name}, sort_keys=False))
    return where
