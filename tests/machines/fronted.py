"""The lab's site with hosts that have bonds: the front fabric of ``tests/sites/front`` beside the rails, or alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PLACES = ["0000:00:18.0", "0000:00:19.0"]
"""Where machines have the two NIC ports of their bond."""
OTHERS = {"oob": ["ens4"], "management": ["ens3"]}
"""Planes that the intent does not describe; business it does."""
PLANES = ("storage", "business")
RAILS = 4
"""Of the lab's eight: each costs an emulated machine some 30 processor seconds. Machines with all eight are in
test_two_machines.py."""


def beside_rails(site: Path) -> None:
    """Have GPU hosts of a copy of the lab's site RAILS rails and a bond: storage untagged, business in a VLAN."""
    lab, front = _read(site), _front()
    gpu, nics = lab["hosts"]["gpu"], front["hosts"]["gpu"]["nics"]
    compute = gpu["nics"]["compute"]
    compute |= {"rails": RAILS, "at": compute["at"][:RAILS]}
    for part in lab["fabrics"]["compute"]["leaf"]["overrides"]:
        part["rails"] = [rail for rail in part["rails"] if rail < RAILS]
    lab["fabrics"]["front"] = front["fabrics"]["front"]
    lab["planes"] |= {name: front["planes"][name] for name in PLANES}
    gpu["nics"] |= {name: nics[name] for name in PLANES}
    gpu["nics"]["storage"]["at"] = PLACES
    gpu["interfaces"] = OTHERS
    lab["hosts"] |= {name: each for name, each in front["hosts"].items() if name != "gpu"}
    _write(site, lab)


def alone(site: Path) -> None:
    """Make a copy of the lab's site one of hosts with bonds and no rail, those of storage first."""
    front = _front()
    del front["fabrics"]["compute"], front["planes"]["compute"], front["hosts"]["gpu"]
    del front["planes"]["storage"]["flows"]
    for host in front["hosts"].values():
        (nics,) = host["nics"].values()
        nics["at"] = PLACES
    front["hosts"]["storage"]["interfaces"] = OTHERS
    _write(site, front)


def _front() -> dict[str, Any]:
    return _read(ROOT / "tests" / "sites" / "front")


def _read(site: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((site / "fabric.yml").read_text(encoding="utf-8"))
    return found


def _write(site: Path, data: dict[str, Any]) -> None:
    (site / "fabric.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
