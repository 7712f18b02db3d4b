"""A port that no cable of the intent is at, and where a switch hears somebody by LLDP all the same.

Not on Cumulus Linux: a port without a line of its own is down there, and one that somebody has set up has lines. NX-OS
listens only where LLDP is on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from described_lab import LabDescription, RunningLab
from lone_switches import LoneSwitch, site_folder
from two_planes import FIRST, LEAVES, PLANES, network, toy_planes_found

from nornir_tasks.platforms import platforms

SPARE = {
    "eos": ("interface Ethernet60/1", "interface Ethernet61/1"),
    "nxos": ("interface Ethernet1/29", "interface Ethernet1/30"),
}
"""Two ports that the intent has no cable for; a stranger is at the first."""
FACTS = {"nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}}


@pytest.fixture(scope="module", autouse=True)
def _toy_planes() -> Iterator[None]:
    with toy_planes_found():
        yield


@pytest.fixture(params=SPARE)
def leaf(
    request: pytest.FixtureRequest, lab_description: LabDescription, start_lab: Callable[[LabDescription], RunningLab]
) -> LoneSwitch:
    system: str = request.param
    asn = network(FIRST).device(LEAVES[system]).asn
    entry = lab_description.add_device("leaf", system, asn=asn, **FACTS.get(system, {}))
    lab_description.add_device("stranger", "eos")
    lab_description.add_cable(("leaf", SPARE[system][0].removeprefix("interface ")), ("stranger", "Ethernet5/1"))
    lab = start_lab(lab_description)
    folder = site_folder(lab, entry, LEAVES[system])
    switch = LoneSwitch(system, str(entry["address"]), lab, "leaf", folder, int(str(entry["api_port"])))
    if system == "nxos":
        switch.hand.configure("feature lldp", f"{SPARE[system][0]}", "no shutdown")
    return switch


def test_a_port_without_a_cable_where_somebody_is_heard_is_left_and_named_and_the_next_one_is_shut(
    leaf: LoneSwitch,
) -> None:
    used, free = SPARE[leaf.os]
    before = block(leaf, used)
    leaf.push(FIRST, PLANES)
    assert block(leaf, used) == before
    assert "down" in block(leaf, free)
    (summary,) = leaf.plan(FIRST, PLANES).plans.values()
    assert summary.count == 0
    named = {" / ".join(each.path): each.reason for each, _ in summary.others}
    assert ["'stranger' is heard there by LLDP" in reason for path, reason in named.items() if used in path] == [True]


def test_who_is_heard_there_is_asked_only_where_such_a_port_would_change(leaf: LoneSwitch) -> None:
    leaf.lab.control.ask("cut-cable", cable="c1")
    leaf.push(FIRST, PLANES)
    assert "down" in block(leaf, SPARE[leaf.os][0])
    leaf.lab.control.ask("mend-cable", cable="c1")
    (summary,) = leaf.plan(FIRST, PLANES).plans.values()
    assert (summary.count, summary.others) == (0, ())


def block(leaf: LoneSwitch, name: str) -> str:
    """The lines of one port."""
    tree = platforms()[leaf.os].to_tree(leaf.running())
    block = tree.get(name)
    return "" if block is None else " ".join(" ".join(path) for path, _ in block.walk())
