"""A switch of each system has learned the addresses of what is cabled to its access ports, and shows them."""

from dataclasses import replace
from pathlib import Path

import pytest
import requests

from nornir_tasks.lab.manager import Lab
from nornir_tasks.lab.plan import played_mac
from nornir_tasks.platforms.nvue.observe import MACS, OBSERVING
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.site import load
from tests.lab.by_hand import Hand, hands
from tests.unit.design.out_of_band import network

LEAF, DEVICES = "oob-leaf-g1", ("bastion-1", "pdu-1")


def learned(hand: Hand) -> set[tuple[str, str]]:
    answer = requests.get(
        f"{hand.url}/nvue_v1/{MACS.what}", params={"rev": "operational"}, auth=hand.auth, verify=hand.ca, timeout=20
    )
    return {(each.port, each.mac) for each in OBSERVING.read(LEAF, {MACS.what: answer.json()}).macs or ()}


@pytest.mark.xdist_group("learned-macs")
def test_cumulus_linux_learns_at_access_ports_that_are_up_what_is_cabled_there_now(tmp_path: Path) -> None:
    found = network()
    links = tuple(each for each in found.links if each.upper.device == LEAF and each.lower.device in DEVICES)
    some = replace(found, devices=tuple(each for each in found.devices if each.name == LEAF), links=links, nics=())
    lab = Lab(tmp_path)
    lab.up(lab_plan(replace(load("lab-rails"), network=some)))
    try:
        hand, ports = hands(lab.directory)[LEAF], {each.lower.device: each.upper.port for each in links}
        assert learned(hand) == set()
        member = {"type": "swp", "link": {"state": {"up": {}}}, "bridge": {"domain": {"br_default": {"access": 40}}}}
        hand.nvue(
            {
                "bridge": {"domain": {"br_default": {"vlan": {"40": {}}}}},
                "interface": dict.fromkeys(ports.values(), member),
            }
        )
        assert learned(hand) == {(ports[name], played_mac(name)) for name in DEVICES}
        lab.ask("swap-cables", cables=[each.name for each in links])
        one, other = DEVICES
        assert learned(hand) == {(ports[one], played_mac(other)), (ports[other], played_mac(one))}
    finally:
        lab.down()
