"""Published outputs of groups become the same neutral rows on three systems."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import FIELDS, GroupMember

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import read_transcript, stdout_of


def recorded(name: str, command: str) -> Any:
    return json.loads(stdout_of(name, command))


def test_eos_lists_active_and_inactive_ports_and_the_other_switchs_beside_them() -> None:
    answers = {eos.GROUPS.what: recorded("eos_show/port_channel.txt", eos.GROUPS.what)}
    assert eos.OBSERVING.read("leaf", answers).groups == (
        GroupMember("Ethernet31", "Port-Channel1000", bundled=True),
        GroupMember("Ethernet32", "Port-Channel1000", bundled=True),
        GroupMember("Ethernet1", "Port-Channel101", bundled=True),
        GroupMember("Ethernet2", "Port-Channel102", bundled=False, reason="waiting for LACP response"),
    )


def test_nxos_says_by_a_letter_what_became_of_a_member() -> None:
    shown = recorded("nxos_show/port_channel_summary.txt", f"{nxos.GROUPS.what} | json")
    assert nxos.OBSERVING.read("leaf", {nxos.GROUPS.what: shown}).groups == (
        GroupMember("Ethernet1/31", "port-channel1000", bundled=True),
        GroupMember("Ethernet1/32", "port-channel1000", bundled=True),
    )
    member = shown["TABLE_channel"]["ROW_channel"][0]["TABLE_member"]["ROW_member"][1]
    member["port-status"] = "s"
    assert nxos.OBSERVING.read("leaf", {nxos.GROUPS.what: shown}).groups[1] == GroupMember(
        "Ethernet1/32", "port-channel1000", bundled=False, reason="suspended"
    )


def test_cumulus_linux_lists_the_members_of_a_bond_and_not_whether_it_uses_them() -> None:
    """Nothing of a bond is published as JSON: the rows of the table, nested as all that is."""
    (table, _) = (call.stdout for call in read_transcript("nvue_show/lag.txt"))
    row = next(line for line in table.splitlines() if line.startswith("[member]"))
    assert row.split() == ["[member]", "swp1", "swp1"]
    answers = {nvue.PORTS: {"bond1": {"type": "bond", "bond": {"member": {"swp1": {}}}}, "swp1": {"type": "swp"}}}
    assert nvue.OBSERVING.read("leaf", answers).groups == (GroupMember("swp1", "bond1", bundled=None),)


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_shall_have_no_group_is_asked_nothing_of_groups(os: str) -> None:
    observing = platforms()[os].observing
    alone = [each for each in FIELDS if each != "pair"]  # on Cumulus Linux the bonds of a pair are read as well
    without = [each for each in alone if each != "groups"]
    with_groups, fewer = observing.requests_for(alone), observing.requests_for(without)
    own = [each.what for each in observing.requests["groups"]]
    if os == "nvue":  # one more part of what is read anyway
        assert [each.what for each in with_groups] == [each.what for each in fewer]
        assert "/*/bond" not in next(each for each in fewer if each.what == nvue.PORTS).parts
    else:
        assert {each.what for each in with_groups} - {each.what for each in fewer} == set(own)
