"""The lab with a second group of GPU hosts, whose rail 0 is where the first has its storage NIC, and the reverse."""

import shutil
from pathlib import Path

LAB = Path(__file__).parents[3] / "inventory/lab"
SECOND = """  fresh:
    count: 2
    max: 2
    nics:
      compute:
        rails: 8
        speed: 200G
        model: ConnectX-7
        at: ["0000:00:18.0", "0000:00:11.0", "0000:00:12.0", "0000:00:13.0",
             "0000:00:14.0", "0000:00:15.0", "0000:00:16.0", "0000:00:17.0"]
      storage: {rails: 2, speed: 25G, port_names: front, at: ["0000:00:10.0", "0000:00:19.0"]}
    out_of_band: [bmc]
    interfaces: {management: [ens3]}
"""
BEFORE = "  storage:\n    count: 2\n"


def crossing_site(folder: Path, text: str | None = None) -> Path:
    """A folder with it; ``text``: with this intent instead."""
    where = folder / "lab"
    shutil.copytree(LAB, where, dirs_exist_ok=True)
    lab = (LAB / "fabric.yml").read_text()
    assert BEFORE in lab
    (where / "fabric.yml").write_text(text or lab.replace(BEFORE, SECOND + BEFORE, 1))
    return where
