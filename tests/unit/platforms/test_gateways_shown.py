"""Published outputs of redundant gateways become the same neutral state on three systems."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import FIELDS, GatewayState

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import read_transcript, stdout_of

MAC = "00:1c:73:00:00:01"


def on_eos(shown: Any) -> tuple[GatewayState, ...]:
    return eos.OBSERVING.read("leaf", {eos.GATEWAYS.what: shown}).gateways


def test_eos_shows_each_address_with_the_mac_address_of_all() -> None:
    shown = json.loads(stdout_of("eos_show/virtual_router.txt", eos.GATEWAYS.what))
    row = GatewayState("Vlan101", "192.0.2.1", is_up=True, is_active=None, state="active", mac_address=MAC)
    assert on_eos(shown) == (row,)
    shown["virtualRouters"][0]["state"] = "another word"
    assert [each.is_up for each in on_eos(shown)] == [False]
    del shown["virtualRouters"][0]["state"]
    assert [each.is_up for each in on_eos(shown)] == [None]


def test_eos_without_gateways_shows_none_in_either_spelling_of_its_mac_address() -> None:
    others = [each for each in read_transcript("eos_show/virtual_router.txt") if each.command != eos.GATEWAYS.what]
    assert [on_eos(json.loads(each.stdout)) for each in others] == [(), ()]
    old = {"virtualMac": MAC.upper(), "virtualRouters": [{"interface": "Vlan7", "virtualIps": [{"ip": "192.0.2.1"}]}]}
    assert [each.mac_address for each in on_eos(old)] == [MAC]


def on_nxos(shown: Any) -> tuple[GatewayState, ...]:
    return nxos.OBSERVING.read("leaf", {nxos.GATEWAYS.what: shown}).gateways


def test_nxos_shows_groups_of_ipv4_and_which_switch_is_active() -> None:
    shown = json.loads(stdout_of("nxos_show/hsrp.txt", "show hsrp | json-pretty native"))
    active = GatewayState("Vlan101", "192.0.2.1", True, True, "active", "00:00:0c:9f:f0:01")
    assert on_nxos(shown) == (active,)
    first = shown["TABLE_grp_detail"]["ROW_grp_detail"][0]
    states = {
        word: on_nxos({"TABLE_grp_detail": {"ROW_grp_detail": {**first, "sh_group_state": word}}}) for word in WORDS
    }
    assert {word: (each.is_up, each.is_active) for word, (each,) in states.items()} == {
        "Active": (True, True),
        "Standby": (True, False),
        "Initial": (False, False),
    }


WORDS = ("Active", "Standby", "Initial")


def test_the_words_of_nxos_for_its_states_are_those_of_its_text() -> None:
    text = stdout_of("nxos_show/hsrp_text.txt", "show hsrp all")
    assert all(f"Local state is {word}" in text for word in WORDS)


def test_a_switch_that_has_none_shows_no_gateways() -> None:
    assert on_nxos({}) == ()


def table() -> dict[str, str]:
    """The operational column of ``nv show interface vlan10 ip vrr``."""
    head, _, *rows = stdout_of("nvue_show/gateways.txt", "nv show interface vlan10 ip vrr").splitlines()
    at, end = head.index("operational"), head.index("applied")
    return {row.split()[0]: row[at:end].strip() for row in rows if row[at:end].strip()}


@pytest.mark.parametrize("spell", [str, lambda word: {word: {}}])
@pytest.mark.parametrize(("family", "key"), [("ip", "state"), ("ipv4", "vrr-state")])
def test_cumulus_linux_shows_the_rows_of_its_table_in_the_keys_of_either_release(
    family: str, key: str, spell: Any
) -> None:
    rows = table()
    assert rows.keys() == {"mac-address", "[address]", "state"}
    shown = {"address": {rows["[address]"]: {}, "2001:db8::1/64": {}}, "mac-address": rows["mac-address"]}
    if key != "state":
        shown["state"] = "enabled"
    for word, is_up in ((rows["state"], True), ("down", False)):
        answer = {nvue.PORTS: {"vlan10": {family: {"vrr": {**shown, key: spell(word)}}}, "swp1": {"link": {}}}}
        found = nvue.OBSERVING.read("leaf", answer).gateways
        assert found == (GatewayState("vlan10", "10.7.10.1", is_up, None, word, "00:00:5e:00:01:01"),)


@pytest.mark.parametrize("os", platforms())
def test_a_switch_that_shall_have_no_gateway_is_asked_nothing_of_them(os: str) -> None:
    observing = platforms()[os].observing
    without = observing.requests_for([each for each in FIELDS if each != "gateways"])
    parts = {(each.what, part) for each in without for part in each.parts or ("",)}
    parts_of_gateways = {(each.what, part) for each in observing.requests["gateways"] for part in each.parts or ("",)}
    assert parts_of_gateways.isdisjoint(parts)
    assert observing.read("leaf", {}).gateways is None  # not asked, or refused: nothing is known
