"""Published outputs of spanning trees become the same neutral rows on three systems."""

import json
import sys
from pathlib import Path

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import TreePort, TreeState

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of

ONE, TWO = "02:00:5e:00:00:11", "02:00:5e:00:00:12"


def test_eos_shows_the_bridges_of_an_instance_and_its_ports() -> None:
    shown = json.loads(stdout_of("eos_show/spanning_tree.txt", eos.TREES.what))
    found = eos.OBSERVING.read("leaf", {eos.TREES.what: shown})
    assert found.trees == (TreeState("MST0", ONE, 4096, ONE),)
    assert found.tree_ports == (TreePort("Port-Channel101", "forwarding", True, True, None),)


def test_eos_takes_of_several_instances_the_one_in_which_a_port_does_not_forward() -> None:
    shown = json.loads(stdout_of("eos_show/spanning_tree.txt", eos.TREES.what))
    one = shown["spanningTreeInstances"]["MST0"]
    blocked = {**one["interfaces"]["Port-Channel101"], "state": "discarding"}
    for order in ((blocked, one["interfaces"]["Port-Channel101"]), (one["interfaces"]["Port-Channel101"], blocked)):
        instances = {f"MST{at}": {**one, "interfaces": {"Port-Channel101": each}} for at, each in enumerate(order)}
        (port,) = eos.OBSERVING.read("leaf", {eos.TREES.what: {"spanningTreeInstances": instances}}).tree_ports or ()
        assert (port.forwards, port.state) == (False, "discarding")


def test_nxos_shows_the_bridges_of_each_vlan_and_its_ports() -> None:
    found = nxos.OBSERVING.read(
        "leaf", {nxos.TREES.what: stdout_of("nxos_show/spanning_tree_text.txt", nxos.TREES.what)}
    )
    assert found.trees == (TreeState("VLAN0101", ONE, 4096, ONE), TreeState("VLAN0102", ONE, 4096, TWO))
    assert found.tree_ports == (
        TreePort("port-channel1000", "FWD", True, None, None),
        TreePort("port-channel101", "FWD", True, None, None),
        TreePort("port-channel11", "BLK", False, None, None),
    )


@pytest.mark.parametrize("is_nested", [False, True])
def test_cumulus_linux_shows_the_rows_of_its_table_in_either_release(is_nested: bool) -> None:
    table = stdout_of("nvue_show/spanning_tree.txt", "nv show interface swp1 bridge domain br_default").splitlines()
    end = table[0].index("applied")
    rows = dict(line[:end].split() for line in table[2:] if len(line[:end].split()) == 2)
    for edge, guard, is_on in ((rows["admin-edge"], rows["bpdu-guard"], True), ("disabled", "off", False)):
        state = {rows["state"]: {}} if is_nested else rows["state"]
        stp = {"admin-edge": edge, "bpdu-guard": guard, "state": state}
        answer = {nvue.PORTS: {"swp1": {"bridge": {"domain": {"br_default": {"stp": stp}}}}, "swp2": {"link": {}}}}
        found = nvue.OBSERVING.read("leaf", answer)
        assert found.tree_ports == (TreePort("swp1", "forwarding", True, is_on, is_on),)
        assert found.trees is None


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_was_not_asked_or_refused_shows_nothing(os: str) -> None:
    found = platforms()[os].observing.read("leaf", {})
    assert (found.trees, found.tree_ports) == (None, None)
