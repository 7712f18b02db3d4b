"""A fabric that is cabled to the management ports of other switches, in the lab: cables, and no hosts."""

from dataclasses import replace
from pathlib import Path

import pytest
import requests

from nornir_tasks.lab.manager import Lab
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.site import load
from tests.lab.by_hand import Hand, hands
from tests.unit.design.oob import MANAGEMENT, ONE_OF_EACH, SWITCH, with_management
from tests.unit.design.toys import real_lab


def test_a_switch_at_the_lower_end_of_a_link_is_cabled_and_no_host() -> None:
    plan = lab_plan(replace(load("lab-rails"), network=with_management()))
    before = lab_plan(load("lab-rails"))
    assert plan.hosts == before.hosts
    added = {name: (upper, lower) for name, upper, lower in plan.cables if (name, upper, lower) not in before.cables}
    assert {lower for _, lower in added.values()} == {(each.name, MANAGEMENT[each.os]) for each in real_lab().devices}
    assert {upper[0] for upper, _ in added.values()} == {SWITCH}


def test_a_link_that_nobody_uses_is_cabled_to_its_host_all_the_same() -> None:
    network = real_lab()
    link = next(each for each in network.links if each.kind == "host")
    unused = replace(network, circuits=tuple(each for each in network.circuits if each.link is not link))
    found = {each.cable: each.mtu_bytes for each in lab_plan(replace(load("lab-rails"), network=unused)).hosts}
    assert found[link.name] == 1500


@pytest.mark.xdist_group("management-cables")
def test_switches_of_all_systems_hear_the_management_switch_on_their_management_port_alone(tmp_path: Path) -> None:
    network = with_management()
    chosen = {SWITCH, *ONE_OF_EACH.values()}
    links = [each for each in network.links if {each.upper.device, each.lower.device} <= chosen]
    some = replace(
        network, devices=tuple(each for each in network.devices if each.name in chosen), links=tuple(links), nics=()
    )
    lab = Lab(tmp_path)
    lab.up(lab_plan(replace(load("lab-rails"), network=some)))
    try:
        ports = {each.upper.port: each.lower for each in links if each.upper.device == SWITCH}
        there = hands(lab.directory)[SWITCH]
        hands(lab.directory)[ONE_OF_EACH["nxos"]].configure("feature lldp")  # the others have it on from day 0
        there.nvue({"interface": {port: {"type": "swp", "link": {"state": {"up": {}}}} for port in ports}})
        heard = {(port, name, each["port"]["name"]) for port in ports for name, each in neighbours(there, port).items()}
        assert heard == {(port, end.device, end.port) for port, end in ports.items()}
    finally:
        lab.down()


def neighbours(hand: Hand, port: str) -> dict[str, dict[str, dict[str, str]]]:
    """Who is heard on a port, by name, as NVUE shows it."""
    answer = requests.get(
        f"{hand.url}/nvue_v1/interface/{port}/lldp/neighbor",
        params={"rev": "operational"},
        auth=hand.auth,
        verify=hand.ca,
        timeout=20,
    )
    found: dict[str, dict[str, dict[str, str]]] = answer.json()
    return found
