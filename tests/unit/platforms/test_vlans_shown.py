"""Published outputs of VLANs become the same neutral rows on three systems."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from napalm.nxos import NXOSDriver

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of


def carried(observing: Any, what: str, shown: Any) -> dict[str, set[int]]:
    return {each.port: set(each.vlans) for each in observing.read("leaf", {what: shown}).carried}


def on_eos(shown: Any) -> dict[str, set[int]]:
    return carried(eos.OBSERVING, eos.VLANS.what, shown)


def on_nxos(shown: Any) -> dict[str, set[int]]:
    return carried(nxos.OBSERVING, nxos.VLANS.what, shown)


def test_eos_lists_the_ports_of_each_vlan() -> None:
    shown = json.loads(stdout_of("eos_show/vlan.txt", eos.VLANS.what))
    assert on_eos(shown) == {"Port-Channel1000": {1, 101, 4094}, "Port-Channel101": {101}, "Cpu": {101, 1006, 4094}}
    shown["vlans"]["101"]["status"] = "suspended"
    assert on_eos(shown)["Port-Channel1000"] == {1, 4094}


def test_nxos_lists_the_ports_of_each_vlan() -> None:
    shown = json.loads(stdout_of("nxos_show/vlan.txt", f"{nxos.VLANS.what} | json native"))
    members = ("Ethernet1/1", "Ethernet1/31", "Ethernet1/32")
    assert on_nxos(shown) == {key: {101} for key in ("port-channel101", "port-channel1000", *members)}
    (row,) = shown["TABLE_vlanbriefxbrief"]["ROW_vlanbriefxbrief"]
    assert on_nxos({"TABLE_vlanbriefxbrief": {"ROW_vlanbriefxbrief": row}}).keys() == on_nxos(shown).keys()
    for key, word in (("vlanshowbr-vlanstate", "suspend"), ("vlanshowbr-shutstate", "shutdown")):
        assert on_nxos({"TABLE_vlanbriefxbrief": {"ROW_vlanbriefxbrief": {**row, key: word}}}) == {}
    del row["vlanshowplist-ifidx"]  # a VLAN without ports
    assert on_nxos(shown) == {}


@pytest.mark.parametrize(
    "ports",
    [
        "port-channel101-103,Ethernet1/1-2,Ethernet1/7/3-4",
        ["port-channel101-102,port-channel103", "Ethernet1/1-2,Ethernet1/7/3", "Ethernet1/7/4"],
        "Po101, Po102, Po103, Eth1/1, Eth1/2, Eth1/7/3, Eth1/7/4",
    ],
    ids=["ranges", "texts", "short names"],
)
def test_nxos_ports_are_the_same_as_ranges_as_texts_and_by_short_names(ports: str | list[str]) -> None:
    """NAPALM, whose reader we did not write, finds the same."""
    row = {"vlanshowbr-vlanid": "101", "vlanshowplist-ifidx": ports}
    found = on_nxos({"TABLE_vlanbriefxbrief": {"ROW_vlanbriefxbrief": [row]}})
    wanted = {f"port-channel{each}" for each in (101, 102, 103)} | {
        f"Ethernet1/{each}" for each in (1, 2, "7/3", "7/4")
    }
    assert found.keys() == wanted
    by_napalm = NXOSDriver("switch", "user", "password")._parse_vlan_ports(ports)
    assert {each.replace("Port-channel", "port-channel") for each in by_napalm} == wanted


def test_cumulus_linux_shows_the_rows_of_its_table() -> None:
    """The table's rows, nested as all that NVUE shows: port, then VLAN."""
    table = stdout_of("nvue_show/bridge.txt", "nv show bridge domain br_default port vlan").splitlines()
    ports: dict[str, Any] = {}
    name = ""
    for row in table[2:]:
        *first, number, tag, state = row.split()
        name = first[0] if first else name
        ports.setdefault(name, {"vlan": {}})["vlan"][number] = {"tag-state": tag, "fwd-state": state}
    assert carried(nvue.OBSERVING, nvue.MEMBERS.what, ports) == {
        "swp1": {10}, "swp2": {1, 10, 20, 30}, "swp3": {1, 10, 20, 30},
    }  # fmt: skip


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_was_not_asked_or_refused_shows_nothing(os: str) -> None:
    assert platforms()[os].observing.read("leaf", {}).carried is None
