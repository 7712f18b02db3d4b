"""Split cages of three systems cabled to one another: links come up when both ends are split and agree, not before."""

from __future__ import annotations

from typing import Any

import pytest
from by_hand import Hand, hands
from described_lab import LabDescription

CABLES = (
    (("spine", "swp1s0"), ("eos", "Ethernet1/1")),
    (("spine", "swp1s1"), ("eos", "Ethernet1/5")),
    (("spine", "swp1s2"), ("nxos", "Ethernet1/1/1")),
    (("eos", "Ethernet2/1"), ("nxos", "Ethernet1/1/2")),
)
NXOS = ("interface breakout module 1 port 1 map 200g-2x",)
NXOS_PORT = ("no switchport", "no shutdown")
EOS_PORT = ("no switchport", "speed 200g-4", "error-correction encoding reed-solomon")


def spine_patch(*, negotiate: str = "disabled") -> dict[str, Any]:
    """swp1 in four parts of two lanes, three of them in use."""
    link = {"speed": "200G", "fec": "rs", "auto-negotiate": negotiate, "state": {"up": {}}}
    parts = {f"swp1s{part}": {"type": "swp", "link": link} for part in range(3)}
    cage = {"type": "swp", "link": {"breakout": {"4x": {"lanes-per-port": "2"}}}}
    return {"interface": {"swp1": cage, **parts}}


@pytest.fixture(scope="module")
def switches(start_module_lab: Any, tmp_path_factory: Any) -> dict[str, Hand]:
    """Three switches, cabled part to part; both leaves are split, the spine is not."""
    description = LabDescription(tmp_path_factory.mktemp("layer1") / "lab")
    description.add_device("spine", "nvue", release="5.16.0")
    description.add_device("eos", "eos")
    description.add_device("nxos", "nxos")
    for a, b in CABLES:
        description.add_cable(a, b)
    start_module_lab(description)
    found = hands(description.directory)
    for name in ("Ethernet1/1", "Ethernet1/5", "Ethernet2/1"):
        found["eos"].configure(f"interface {name}", *EOS_PORT)
    found["nxos"].configure("feature lldp", *NXOS)
    for name in ("Ethernet1/1/1", "Ethernet1/1/2"):
        found["nxos"].configure(f"interface {name}", *NXOS_PORT)
    return found


def eos_is_up(eos: Hand, name: str) -> bool:
    (answer,) = eos.eapi(f"show interfaces {name}", form="json")
    return bool(answer["interfaces"][name]["interfaceStatus"] == "connected")


def nxos_rows(nxos: Hand) -> dict[str, list[str]]:
    """Rows of ``show interface brief`` by interface."""
    (text,) = nxos.nxapi("show interface brief")
    return {row.split()[0]: row.split() for row in str(text).splitlines() if row.startswith("Eth1/")}


def test_parts_link_up_with_ends_that_are_not_split_or_do_not_agree(switches: dict[str, Hand]) -> None:
    spine, eos, nxos = switches["spine"], switches["eos"], switches["nxos"]
    assert not eos_is_up(eos, "Ethernet1/1"), "the spine's cage is whole"
    assert eos_is_up(eos, "Ethernet2/1"), "EOS and NX-OS are both split and agree"
    assert "Eth1/1" not in nxos_rows(nxos)

    spine.nvue(spine_patch())
    assert eos_is_up(eos, "Ethernet1/1")
    assert eos_is_up(eos, "Ethernet1/5")
    row = nxos_rows(nxos)["Eth1/1/1"]
    assert ("up" in row, "200G(D)" in row) == (True, True)
    (heard,) = eos.eapi("show lldp neighbors", form="json")
    ports = {each["port"]: each["neighborPort"] for each in heard["lldpNeighbors"]}
    assert ports == {"Ethernet1/1": "swp1s0", "Ethernet1/5": "swp1s1", "Ethernet2/1": "Ethernet1/1/2"}

    nxos.configure("interface Ethernet1/1/1", "fec off")
    assert "down" in nxos_rows(nxos)["Eth1/1/1"], "the spine uses Reed-Solomon"
    nxos.configure("interface Ethernet1/1/1", "fec rs-fec")
    assert "down" in nxos_rows(nxos)["Eth1/1/1"], "CL91 is not the code of lanes of 50G"
    nxos.configure("interface Ethernet1/1/1", "fec auto")
    assert "up" in nxos_rows(nxos)["Eth1/1/1"]

    eos.configure("interface Ethernet1/5", "phy link training")
    assert not eos_is_up(eos, "Ethernet1/5"), "the spine does not negotiate"
    eos.configure("interface Ethernet1/5", "no phy link training")
    assert eos_is_up(eos, "Ethernet1/5")

    eos.configure("interface Ethernet1/1", "speed 400g-8")
    assert not eos_is_up(eos, "Ethernet1/5"), "its lanes are gone"
    eos.configure("interface Ethernet1/1", "speed 200g-4")

    nxos.configure("no interface breakout module 1 port 1 map 200g-2x")
    assert "Eth1/1/1" not in nxos_rows(nxos)
    assert not eos_is_up(eos, "Ethernet2/1")
