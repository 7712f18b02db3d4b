"""What ANTA reads has the keys and kinds that were recorded, nested as there; some are shown of a fault alone."""

from __future__ import annotations

import json
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from anta_client import lab_of
from at_terminal import Operator
from test_anta import CASES

sys.path.append(str(Path(__file__).parents[1] / "recorded"))
from transcripts import read_transcript

pytestmark = pytest.mark.xdist_group("clients")

LEAF, FRONT = "leaf-g1-r0", "front-leaf-g1-a"
FILES = {
    "port_counters": LEAF,
    "port_states": LEAF,
    "bgp_neighbors": LEAF,
    "bgp_tables": LEAF,
    "routing_summary": LEAF,
    "front_states": FRONT,
    "management": LEAF,
    "storm_control": FRONT,
}
"""Recordings that were made of what ANTA reads, and a switch that has it."""
SWITCHES = {
    "show interfaces status errdisabled": FRONT,
    "show lacp counters all-ports": FRONT,
    "show platform trident counters": FRONT,
}
FAULTS = {
    "show interfaces status errdisabled": "VerifyInterfaceErrDisabled",
    "show qos interfaces ecn counters queue": "VerifyInterfacesECNCounters",
    "show bgp instance vrf all": "VerifyBGPRedistribution",
    "show vlan dynamic": "VerifyDynamicVlanSource",
    "show spanning-tree blockedports": "VerifySTPBlockedPorts",
    "show extensions": "VerifyEOSExtensions",
    "show management api http-commands ip access-list summary": "VerifyAPIIPv4Acl",
    "show management api http-commands ipv6 access-list summary": "VerifyAPIIPv6Acl",
    "show reload cause": "VerifyReloadCause",
    "show storm-control": "VerifyStormControlDrops",
}
"""What is shown of a fault alone, by the case that makes it."""
OF_SOME = {"totalRoutesWarnLimit", "includeLeaked", "routeMap"}
"""Keys of lines that no rendering has."""
OURS = (("192.0.2.1", "10.160.0.1"), ("192.0.2.0", "10.160.0.0"), ("vlan 10", "vlan 200"))
CALLS = [(name, number, call) for name in FILES for number, call in enumerate(read_transcript(f"eos_show/{name}.txt"))]


def keys(value: Any, at: str = "") -> dict[str, str]:
    """Each path to a value with its kind; what is named after ports, addresses, files or numbers is alike."""
    if isinstance(value, dict):
        found: dict[str, str] = {at: "object"}
        for key, below in value.items():
            if key not in OF_SOME:
                found |= keys(below, f"{at}/{_alike(key)}")
        return found
    if isinstance(value, list):
        found = {at: "list"}
        for below in value:
            found |= keys(below, f"{at}/[]")
        return found
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {at: "number" if is_number else type(value).__name__}


def _alike(key: str) -> str:
    is_name = re.search(r"^\d|[./]|\D\d+$", key) or key == "mlagsync"
    return "*" if is_name and not key.startswith(("ipv4", "v4", "MST")) else key


@pytest.mark.sampled(25)
@pytest.mark.parametrize(("name", "number", "call"), CALLS, ids=[f"{name}-{number}" for name, number, _ in CALLS])
def test_what_anta_reads_has_the_recorded_keys_and_kinds(
    name: str, number: int, call: Any, pushed_lab: Operator
) -> None:
    command, lab = call.command, lab_of(pushed_lab)
    for theirs, ours in OURS:
        command = command.replace(theirs, ours)
    switch = SWITCHES.get(call.command, FILES[name])
    fault = CASES[FAULTS[call.command]].case().fault(pushed_lab) if call.command in FAULTS else nullcontext()
    with fault:
        shown = keys(lab.hands[switch].shown(command))
    recorded = keys(json.loads(call.stdout))
    assert {key: shown.get(key) for key in recorded} == recorded
