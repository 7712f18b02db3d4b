"""Each line that pairs, gateways, lists and ways out need: taken out or altered, `validate` names it.

The built-in site, a switch of each system. What it names is what a push would bring back (check ``config``); what a
line does to packets and peers is judged apart: tests/unit/proofs/test_isolation_mutants.py, test_ways_out.py,
tests/unit/checks/test_ways_on.py, tests/lab/test_pair_conflicts.py.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.usecases.site import load
from tests.property.mutants import each_change_is_reported
from tests.unit.design.wanted_of import wanted_of

LAB = Path(__file__).parents[2] / "inventory/lab"
EOS, NXOS, NVUE = "front-leaf-g1-a", "front-leaf-g2-a", "front-leaf-g3-a"
BRIDGE = "/ bridge / domain / br_default"
LINES: dict[str, dict[str, tuple[str, ...]]] = {
    "what both members compare": {
        EOS: (r"trunk (native|allowed) vlan", r"spanning-tree mode", r"spanning-tree mst 0 priority", r"mlag \d+$"),
        NXOS: (
            r"switchport access vlan",
            r"port-channel1 / mtu",
            r"spanning-tree vlan",
            r"vpc \d+$",
            r"Vlan\d+ / no shut",
        ),
        NVUE: (
            rf"peerlink {BRIDGE}",
            r"peerlink / link / mtu",
            rf"^{BRIDGE[2:]} / stp",
            rf"bond1 {BRIDGE}",
            r"mlag / mac",
        ),
    },
    "lists of VLANs": {
        EOS: (r"STORAGE-V200-(IN|OUT) / \d+ ", r"ip access-group"),
        NXOS: (r"STORAGE-V200-(IN|OUT) / \d+ ", r"ip access-group"),
        NVUE: (r"BUSINESS-V390-IN / rule", r"BUSINESS-V390-OUT / rule", r"vlan390 / acl"),
    },
    "a way on without uplinks": {
        EOS: (r"FRONT-PAIR", r"router bgp \d+ / neighbor 169\.254\.0\.\d", r"Vlan4094 / ip address"),
        NXOS: (r"FRONT-PAIR", r"neighbor 169\.254\.0\.\d", r"Vlan3967 / ip address"),
        NVUE: (r"FRONT-PAIR", r"peerlink\.4094"),
    },
    "the way out": {
        NVUE: (
            r"static / \W*0\.0\.0\.0/0",
            r"static / \W*10\.177\.0\.0/16",
            r"network / \W*0\.0\.0\.0/0",
            r"prefix-list .* 0\.0\.0\.0/0",
            r"vlan390 / ipv4",
        ),
        EOS: (r"prefix-list .*\b0\.0\.0\.0/0", r"maximum-routes"),
        NXOS: (r"prefix-list .*\b0\.0\.0\.0/0", r"maximum-prefix"),
    },
    "gateways": {
        EOS: (r"ip virtual-router", r"ip address virtual|virtual-router address"),
        NXOS: (r"hsrp",),
        NVUE: (r"/ vrr /",),
    },
    "pairs that come back": {
        EOS: (r"reload-delay", r"update wait-install", r"errdisable recovery", r"service-profile"),
        NXOS: (r"synchronize", r"peer-switch", r"delay restore", r"errdisable recovery", r"peer-gateway"),
        NVUE: (r"mlag / ",),
    },
}
"""What the lines are for -> switch -> patterns of them, each of which is on that switch."""


@cache
def part(name: str) -> Wanted:
    network = load(LAB).network
    return wanted_of(device_config(network, network.device(name)))


@pytest.mark.parametrize("what", LINES)
def test_every_line_taken_out_or_altered_is_named(what: str, figure: Callable[[str], None]) -> None:
    counts: dict[str, tuple[int, int]] = {}
    for name, patterns in LINES[what].items():
        paths = {path: " / ".join(path) for path in part(name).tree.paths()}
        missing = [each for each in patterns if not any(re.search(each, text) for text in paths.values())]
        assert missing == [], f"no such line on {name}"
        chosen = [path for path, text in paths.items() if any(re.search(each, text) for each in patterns)]
        made = [each_change_is_reported(part(name), path) for path in chosen]
        counts[name] = sum(gone for gone, _ in made), sum(altered for _, altered in made)
    gone, altered = (sum(each) for each in zip(*counts.values(), strict=True))
    assert gone > len(LINES[what])
    figure(f"{what}: {gone + altered} of {gone + altered} mutants named, {gone} lines taken out, {altered} altered")
