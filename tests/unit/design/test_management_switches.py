"""Switches for management: 1G leaves of Arista and Cisco below split cages of an SN2201, with one class alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.design.reports.unverified_releases import assumed
from nornir_tasks.errors import DesignError
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform
from nornir_tasks.render.render import render
from tests.unit.design.test_twisted_pairs import built
from tests.unit.design.test_twisted_pairs import site as wires

ARISTA = {"platform": "eos", "release": "4.33.1F", "model": "7010TX-48"}
CISCO = {"platform": "nxos", "release": "10.4(3)", "model": "N9K-C9348GC-FXP"}


def site(**leaf: Any) -> dict[str, Any]:
    """Forty hosts with a port of 1G each on one leaf of Arista and one of Cisco, each with two ports of 25G up."""
    data = wires()
    fabric = data["fabrics"]["wires"]
    fabric["leaf"] = {**ARISTA, "overrides": [{"groups": [2], **CISCO}], **leaf}
    fabric["spine"]["breakout"] = "4x25G"
    return data


def rendered(network: Network, name: str) -> str:
    """The configuration of a switch; what it says is read back as the same."""
    each = device_config(network, network.device(name))
    os = platform(each.config.os)
    text = render(each.config, each.capabilities, environment(each.config.os))
    parsed = os.parse(os.to_tree(text), each.capabilities, each.config.name, each.config.model)
    assert (parsed.config, parsed.remainder.paths()) == (each.config, frozenset())
    return text


def test_uplinks_are_ports_of_25g_at_parts_of_split_cages_by_copper_that_splits(tmp_path: Path) -> None:
    rows = [row for row in cabling_plan(built(tmp_path, site())) if row.a_device.startswith("spine")]
    assert {row.medium for row in rows} == {"DAC"}
    assert [(row.a_device, row.a_port, row.a_leg, row.b_device, row.b_port) for row in rows] == [
        ("spine-1", "swp49s0", 1, "leaf-g1", "Ethernet51"),
        ("spine-1", "swp49s1", 2, "leaf-g2", "Ethernet1/51"),
        ("spine-2", "swp49s0", 1, "leaf-g1", "Ethernet52"),
        ("spine-2", "swp49s1", 2, "leaf-g2", "Ethernet1/52"),
    ]


@pytest.mark.parametrize(
    ("leaf", "words"),
    [
        ("leaf-g1", ("speed auto 25g", "error-correction encoding reed-solomon")),
        ("leaf-g2", ("speed 25000", "fec rs-ieee")),
    ],
)
def test_ports_of_25g_have_the_error_correction_of_the_ieee_at_both_ends(
    leaf: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    """``rs-fec`` of NX-OS is the consortium's at 25G; SN2201 has ``fec: rs``."""
    text = rendered(built(tmp_path, site()), leaf)
    uplinks = [block.partition("interface")[0] for block in text.split("description spine-")[1:3]]
    assert all(word in block for block in uplinks for word in words)


def test_a_7010tx_gets_no_line_for_the_mtu_of_a_port_nor_for_lossless_queues(tmp_path: Path) -> None:
    text = rendered(built(tmp_path, site()), "leaf-g1")
    assert "mtu" not in text
    assert "priority-flow-control" not in text
    assert "random-detect" not in text


@pytest.mark.parametrize("leaf", ["leaf-g1", "leaf-g2"])
def test_an_rj45_port_gets_no_line_of_speed_negotiation_or_error_correction(leaf: str, tmp_path: Path) -> None:
    blocks = rendered(built(tmp_path, site()), leaf).split("\ninterface Ethernet")
    of_hosts = [block for block in blocks if " rail0" in block.partition("!")[0]]
    assert len(of_hosts) == 20
    assert not any(word in block for block in of_hosts for word in ("speed", "negotiate", "fec", "error-correction"))


def test_what_no_source_shows_on_these_asics_is_said_to_whoever_designs_with_them(tmp_path: Path) -> None:
    missing = assumed(built(tmp_path, site()))
    assert "Trident 3 X2" in missing["eos 4.33.1F"]
    assert "Cloud Scale FX" in missing["nxos 10.4(3)"]


LOSSLESS = {
    "fast": {"dscp": 26, "priority": 3, "lossless": True, "weight": 60},
    "bulk": {"dscp": 0, "priority": 0, "weight": 40},
}
MARKING = {
    "fast": {"dscp": 26, "priority": 3, "ecn": "auto", "weight": 50},
    "cnp": {"dscp": 48, "priority": 6, "strict": True},
    "bulk": {"dscp": 0, "priority": 0, "weight": 50},
}


@pytest.mark.parametrize("model", [ARISTA, CISCO], ids=["7010TX-48", "N9K-C9348GC-FXP"])
def test_a_lossless_class_is_refused_with_the_model_that_has_none(model: dict[str, str], tmp_path: Path) -> None:
    data = site(**model, overrides=[])
    data["policy"]["classes"] = LOSSLESS
    with pytest.raises(DesignError) as caught:
        built(tmp_path, data)
    assert "policy.classes.fast.lossless: 1 lossless classes, where a switch takes 0" in str(caught.value)
    assert f"at most 0: {model['model']} with {model['platform']} {model['release']}" in str(caught.value)


@pytest.mark.parametrize("model", [ARISTA, CISCO], ids=["7010TX-48", "N9K-C9348GC-FXP"])
def test_a_class_that_marks_is_refused_where_no_source_says_how(model: dict[str, str], tmp_path: Path) -> None:
    data = site(**model, overrides=[])
    data["policy"] |= {"classes": MARKING, "congestion": "lossy"}
    with pytest.raises(DesignError) as caught:
        built(tmp_path, data)
    name = f"{model['model']} with {model['platform']} {model['release']}"
    assert f"policy.classes.fast.ecn: {name}: no source says how its queues mark" in str(caught.value)


@pytest.mark.parametrize(
    ("host", "fabric", "what"),
    [
        (9000, 9216, "policy.mtu.host: 7010TX-48 with eos 4.33.1F carries 1500 bytes"),
        (1400, 1400, "policy.mtu.fabric: 7010TX-48 with eos 4.33.1F has no MTU of single ports: all have 1500 bytes"),
    ],
)
def test_an_mtu_that_a_7010tx_cannot_have_is_refused(host: int, fabric: int, what: str, tmp_path: Path) -> None:
    data = site()
    data["policy"]["mtu"] = {"host": host, "fabric": fabric}
    with pytest.raises(DesignError) as caught:
        built(tmp_path, data)
    assert what in str(caught.value)
