"""The sites that are measured: generated rail sites of growing size, and the reference sites of inventory/."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


def rail_site(folder: Path, groups: int, hosts_per_group: int = 32, oversubscription: int = 1) -> Path:
    """A rail site: eight EOS leaves a group, NVUE spines, 400G everywhere."""
    data = yaml.safe_load((ROOT / "inventory/lab-rails/fabric.yml").read_text())
    fabric, plane, hosts = data["fabrics"]["compute"], data["planes"]["compute"], data["hosts"]["gpu"]
    count = groups * hosts_per_group
    hosts.update(count=count, max=count)
    hosts["nics"]["compute"].update(per_group=hosts_per_group, speed="400G")
    fabric["leaf"].pop("overrides")
    fabric["leaf"]["medium"] = "DR4"  # joins 8 x 50G of the switch and 4 x 100G of the NIC
    fabric["spine"].pop("overrides")
    fabric["spine"]["oversubscription"] = oversubscription
    plane["cross_rail"] = "nvlink"
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
