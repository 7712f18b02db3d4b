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


def isolation_site(folder: Path, name: str = "isolation", storage: int = 12, business: int = 20) -> Path:
    """Rails for GPUs, and a front fabric on which groups of hosts of two planes with flows are on four pairs each."""
    made = yaml.safe_load((rail_site(folder, 4) / "fabric.yml").read_text())
    made["fabrics"]["front"] = {
        "design": "clos",
        "name_prefix": "front",
        "pools": {"loopback": "10.254.64.0/18", "links": "10.180.0.0/15", "asn": "4200200000-4200299999"},
        "leaf": {
            "platform": "eos", "release": "4.33.1F", "model": "7050SX3-48YC8", "medium": "DAC", "cable_m": 3,
            "pairs": {"links": 2, "medium": "DAC", "cable_m": 1},
            "overrides": [
                {"hosts": ["b1", "b2", "b3"], "platform": "nvue", "release": "5.14", "model": "SN2410"},
                {"hosts": ["b4", "b5", "b6"], "platform": "nxos", "release": "10.4(3)", "model": "N9K-C93180YC-FX3"},
            ],
        },
        "spine": {
            "platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S", "breakout": "4x100G", "medium": "DR4",
            "cable_m": 100, "oversubscription": 4,
        },
    }  # fmt: skip
    del made["hosts"]["gpu"]["interfaces"]
    services = {"nfs": {"tcp": 2049}, "https": {"tcp": 443}, "ssh": {"tcp": 22}}
    clients = {"storage": [f"s{number}" for number in range(2, storage + 1)],
               "business": [f"b{number}" for number in range(2, business + 1)]}  # fmt: skip
    made["planes"]["storage"] = {
        "fabric": "front", "link": "bond", "transport": "tcp", "vlan": 200, "pools": {"hosts": "10.176.0.0/16"},
        "services": services,
        "flows": [{"source": each, "destination": "s1", "services": ["nfs"]} for each in clients["storage"]],
    }  # fmt: skip
    made["planes"]["business"] = {
        "fabric": "front", "link": "bond", "vlan": 300, "pools": {"hosts": "10.177.0.0/16"}, "services": services,
        "flows": [
            *({"source": each, "destination": "b1", "services": ["https", "ssh"]} for each in clients["business"]),
            {"source": "outside", "destination": "b2", "services": ["https"]},
        ],
    }  # fmt: skip
    for plane, groups in (("storage", ["s1", *clients["storage"]]), ("business", ["b1", *clients["business"]])):
        for group in groups:
            nics = {plane: {"rails": 2, "speed": "25G", "port_names": plane}}
            made["hosts"][group] = {"count": 4 * HOSTS_OF_PAIR, "max": 4 * HOSTS_OF_PAIR, "nics": nics}
    return _written(folder, f"bench-{name}", made)


HOSTS_OF_PAIR = 48
"""As many as a leaf of 25G has ports for."""


def _written(folder: Path, name: str, data: dict[str, Any]) -> Path:
    where = folder / name
    where.mkdir(parents=True, exist_ok=True)
    (where / "fabric.yml").write_text(yaml.safe_dump({**data, "site": name}, sort_keys=False))
    return where
