"""What the lab's NX-OS switches show has the keys and the lines of what real ones showed (tests/recorded/nxos_show)."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import read_transcript

pytestmark = pytest.mark.xdist_group("clients")

COMPUTE, FRONT, OOB = "leaf-g1-r1", "front-leaf-g2-a", "oob-leaf-g2"
DATA = [
    ("arp.txt", "show ip arp", OOB),
    ("environment.txt", "show environment", COMPUTE),
    ("environment.txt", "show processes cpu", COMPUTE),
    ("environment.txt", "show processes memory shared", COMPUTE),
    ("environment.txt", "show system resources", COMPUTE),
    ("interfaces.txt", "show interface", COMPUTE),
    ("interfaces.txt", "show interface counters detailed", COMPUTE),
    ("ip_interfaces.txt", "show ip interface", COMPUTE),
    ("module.txt", "show module", COMPUTE),
    ("ntp_peers.txt", "show ntp peers", COMPUTE),
    ("vlan_text.txt", "show vlan", FRONT),
    ("vrf.txt", "show vrf detail", FRONT),
    ("vrf_text.txt", "show vrf", FRONT),
    ("vrf_text.txt", "show vrf interface", FRONT),
]
TEXT = [
    ("arp.txt", "show ip arp", OOB),
    ("arp.txt", "show ip arp vrf all", OOB),
    ("environment.txt", "show environment temperature", COMPUTE),
    ("environment.txt", "show system resources", COMPUTE),
    ("interfaces.txt", "show interface", FRONT),
    ("interfaces.txt", "show interface brief", FRONT),
    ("interface_switchport.txt", "show interface switchport", FRONT),
    ("ip_interfaces.txt", "show ip interface vrf all", COMPUTE),
    ("ip_interfaces.txt", "show ip interface brief", COMPUTE),
    ("mac_address_table_text.txt", "show mac address-table", OOB),
    ("module.txt", "show license host-id", COMPUTE),
    ("ntp_peers.txt", "show ntp peers", COMPUTE),
    ("bgp_text.txt", "show ip bgp", COMPUTE),
    ("bgp_text.txt", "show ip bgp neighbors", COMPUTE),
    ("hsrp_text.txt", "show hsrp all", FRONT),
    ("vlan_text.txt", "show vlan", FRONT),
    ("vrf_text.txt", "show vrf", FRONT),
]


def keys(value: Any, at: str = "") -> Iterator[tuple[str, type]]:
    """Every key with the kind of its value; one row stands as a list of one or as itself."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{at}/{key}", dict if isinstance(below, list) else str if isinstance(below, int) else type(below)
            yield from keys(below, f"{at}/{key}")
    for each in value if isinstance(value, list) else ():
        yield from keys(each, at)


def recorded(file: str, command: str) -> str:
    """The first output of a command in a transcript, of its form as text, or as data if the name ends so."""
    name, _, kind = command.partition(" | ")
    for call in read_transcript(f"nxos_show/{file}"):
        called, _, form = call.command.partition(" | ")
        if called == name and form.startswith("json") == bool(kind):
            return call.stdout
    raise AssertionError(f"{file} has no {command}")


@pytest.mark.parametrize(("file", "command", "device"), DATA, ids=[command for _, command, _ in DATA])
def test_data_has_recorded_keys_alone(pushed_lab: Operator, file: str, command: str, device: str) -> None:
    known = dict(keys(json.loads(recorded(file, f"{command} | json"))))
    shown = dict(keys(pushed_lab.hands()[device].shown(command)))
    assert {key: kind for key, kind in shown.items() if known.get(key) != kind} == {}
    assert len(shown) > len(known) / 5


def forms(text: str) -> set[str]:
    """Lines without what differs from switch to switch: numbers, states, names that somebody gave."""
    found = set()
    for line in text.splitlines():
        plain = re.sub(r"((?:Description:|channel:|peer-template|configured is|for context|VRF) ?).*", r"\1", line)
        plain = re.sub(r"\([^)]*\)", "()", plain)
        plain = re.sub(r"\S*\d\S*", "#", plain)
        plain = re.sub(r"\b(up|down|on|off|trunk|access|routed|enabled|disabled|Ok|OK|full|auto)\b", "?", plain)
        found.add(" ".join(plain.split()))
    return found - {""}


@pytest.mark.parametrize(("file", "command", "device"), TEXT, ids=[command for _, command, _ in TEXT])
def test_most_lines_of_text_are_of_recorded_forms(pushed_lab: Operator, file: str, command: str, device: str) -> None:
    (text,) = pushed_lab.hands()[device].nxapi(command)
    shown, known = forms(text), forms(recorded(file, command))
    assert len(shown & known) >= len(shown) / 2, sorted(shown - known)
