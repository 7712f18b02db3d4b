"""What the generator makes is what twins take, and keeps away from ours unless it shall meet it."""

import re
from functools import cache
from random import Random

import pytest
from typed_switches import SWITCHES

from nornir_tasks.design.model.device_config import DeviceConfig
from tests.foreign.generator import Draw, Facts, Piece, every_piece, foreign_text, joined, pieces
from tests.foreign.lines import lines
from tests.foreign.pairs import SYSTEMS, Choice, text
from tests.foreign.sites import facts, wanted_of

SITE = text(Choice(base=2, business_v6=True, relays=1, flows=True))
LEFT = text(Choice(base=2, business_v6=True, relays=1, flows=True, unused="leave"))
DEVICES = {"eos": ("front-leaf-g1-a",), "nxos": ("front-leaf-g2-a",), "nvue": ("front-leaf-g3-a", "leaf-g1-r2")}
ALL = [device for found in DEVICES.values() for device in found]
SEEDS = range(3)
TEXTS = range(25)


@cache
def switch(device: str) -> tuple[DeviceConfig, Facts]:
    return wanted_of(SITE, device).config, facts(SITE, device)


def refused(config: DeviceConfig, text: str) -> list[str]:
    """What a twin at day 0 says of these lines."""
    try:
        found: list[str] = SWITCHES[config.os].at_day0(config, text).refused  # type: ignore[attr-defined]
    except KeyError as error:  # data of another form than the schema's
        return [repr(error)]
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("meets", [False, True], ids=["aside", "meets"])
@pytest.mark.parametrize("device", ALL)
def test_every_generated_kind_is_accepted_by_its_twin(device: str, meets: bool) -> None:
    config, known = switch(device)
    for seed in SEEDS:
        for piece, each in every_piece(config.os, Random(seed), known, meets=meets):
            if piece.is_taken:
                assert refused(config, each) == [], (piece, each)


@pytest.mark.parametrize("os", SYSTEMS)
def test_a_piece_that_is_said_to_be_for_plans_alone_is_refused_by_its_twin(os: str) -> None:
    config, known = switch(DEVICES[os][0])
    found = [(piece, each) for piece, each in every_piece(os, Random(1), known, meets=False) if not piece.is_taken]
    assert [str(piece) for piece, each in found if not refused(config, each)] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("meets", [False, True], ids=["aside", "meets"])
@pytest.mark.parametrize("device", ALL)
def test_every_generated_text_is_accepted_by_its_twin(device: str, meets: bool) -> None:
    config, known = switch(device)
    for seed in TEXTS:
        found = foreign_text(config.os, Random(seed), known, meets=meets)
        assert refused(config, found) == [], found
        assert found == foreign_text(config.os, Random(seed), known, meets=meets)


@pytest.mark.parametrize("device", ALL)
def test_a_text_that_keeps_aside_has_no_vlan_address_name_or_port_of_ours(device: str) -> None:
    config, known = switch(device)
    for seed in TEXTS:
        found = foreign_text(config.os, Random(seed), known)
        paths = " ; ".join(" / ".join(path) for path in lines(config.os, found))
        assert not re.search(r"\b10\.1[67]\d\.|\b10\.25\d\.", paths), paths
        assert not [name for name in known.our_prefixes if name in paths], paths
        ports = set(re.findall(r"Ethernet[\d/]+|swp\d+", paths))
        assert ports <= set(known.free_ports), ports
        assert not {f"vlan {each}" for each in known.our_vlans} & set(re.findall(r"vlan \d+", paths))


@pytest.mark.parametrize("device", ALL)
def test_texts_that_meet_ours_have_vlans_addresses_names_and_ports_of_ours(device: str) -> None:
    config, known = switch(device)
    found = "\n".join(foreign_text(config.os, Random(seed), known, meets=True) for seed in range(60))
    assert any(name in found for name in known.our_prefixes)
    assert any(re.search(rf"\b{port}\b", found) for port in known.cabled_ports)
    pools = [pool.rpartition(".")[0].rpartition(".")[0] for pool in known.our_pools]
    assert any(f"{pool}." in found for pool in pools)
    assert not known.our_vlans or any(re.search(rf"[Vv]lan ?{each}\b", found) for each in known.our_vlans)


@pytest.mark.parametrize("os", SYSTEMS)
def test_a_text_for_plans_alone_may_have_what_no_twin_takes(os: str) -> None:
    config, known = switch(DEVICES[os][0])
    texts = [foreign_text(os, Random(seed), known, pushed=False, most=12) for seed in TEXTS]
    assert any(refused(config, each) for each in texts)


@pytest.mark.parametrize("device", ALL)
def test_a_switch_whose_unused_ports_are_left_alone_has_free_ports_that_are_not_cabled(device: str) -> None:
    known, left = facts(SITE, device), facts(LEFT, device)
    assert len(left.free_ports) >= 8
    assert left.cabled_ports == known.cabled_ports
    assert set(left.free_ports) <= set(known.free_ports)


def test_no_two_pieces_of_a_system_have_one_name() -> None:
    for os in SYSTEMS:
        names = [each.name for each in pieces(os)]
        assert len(names) == len(set(names)) >= 60


def test_pieces_with_a_vlan_of_bgp_come_last_where_a_vlan_could_be_taken_for_it() -> None:
    known = switch("front-leaf-g1-a")[1]
    two = [Piece("eos", "a", "router bgp {asn}\n   vlan 7\n      rd 1:1\n", False, True, False)]
    two += [Piece("eos", "b", "vlan 8\n   name X\n", False, True, False)]
    draw = Draw(Random(1), known, meets=False)
    assert joined("eos", [draw.filled(each) for each in two], known.release).startswith("vlan 8\n")
