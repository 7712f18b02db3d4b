"""Front fabrics that cannot be configured as a whole: what is refused, of which switches, and what is not."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from nornir_tasks.errors import DesignError
from nornir_tasks.usecases.site import SiteDesign, load, select

SITE = Path(__file__).parents[2] / "sites" / "front"


def without_gateways(design: SiteDesign, system: str) -> SiteDesign:
    """The same site where this system had no gateways."""
    lacks = {"has_gateways": False, "gateway_gap": "no source has its lines"}
    devices = tuple(
        replace(each, capabilities=replace(each.capabilities, **lacks)) if each.os == system else each
        for each in design.network.devices
    )
    return replace(design, network=replace(design.network, devices=devices))


def test_a_front_fabric_of_systems_that_have_all_it_needs_is_taken() -> None:
    assert len(select(load(SITE))) == 14


def test_every_leaf_that_could_have_no_gateway_is_refused_with_its_system() -> None:
    design = without_gateways(load(SITE), "nxos")
    with pytest.raises(DesignError) as refused:
        select(design)
    assert [each.where for each in refused.value.problems] == ["front-leaf-g2-a", "front-leaf-g2-b"]
    first = refused.value.problems[0]
    assert first.what == "hosts of storage would have no gateway here: no source has its lines"
    assert first.found == "nxos 10.4(3)"
    assert "leaf.overrides" in first.hint


def test_switches_without_bonds_are_taken_whatever_their_system_lacks() -> None:
    design = without_gateways(load(SITE), "nvue")
    assert len(select(design, limit=["front-spine-*", "front-leaf-g1-*"])) == 4
    assert len(select(design, ["compute"])) == 4


def test_a_dhcp_server_that_a_release_cannot_relay_to_is_refused_once_with_its_place(tmp_path: Path) -> None:
    data = yaml.safe_load((SITE / "fabric.yml").read_text(encoding="utf-8"))
    data["planes"]["business"]["dhcp_relay"] = ["192.0.2.53", "2001:db8::53"]
    data["fabrics"]["front"]["leaf"]["overrides"][2]["release"] = "5.13"
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    design = load(tmp_path)
    with pytest.raises(DesignError) as refused:
        select(design)
    found = [(*each.what.split(": ")[:2], each.found) for each in refused.value.problems]
    first, second = "planes.business.dhcp_relay[0]", "planes.business.dhcp_relay[1]"
    assert sorted(found) == [
        (first, "switches with nvue 5.13 cannot relay to it", "192.0.2.53"),
        (second, "switches with nvue 5.13 cannot relay to it", "2001:db8::53"),
        (second, "switches with nvue 5.16 cannot relay to it", "2001:db8::53"),
    ]
    assert len(select(design, ["compute"])) == 4
    assert len(select(design, limit=["front-leaf-g1-*"])) == 2


def test_a_limit_that_a_system_has_not_is_refused_once_with_its_place_and_only_where_hosts_are(tmp_path: Path) -> None:
    data = yaml.safe_load((SITE / "fabric.yml").read_text(encoding="utf-8"))
    data["planes"]["storage"]["storm_control"] = {"broadcast_pps": 1000, "unknown_unicast_pps": 1000}
    data["fabrics"]["front"]["leaf"]["overrides"][0]["release"] = "10.3(5)"
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    design = load(tmp_path)
    with pytest.raises(DesignError) as refused:
        select(design)
    found = [(each.where, each.what) for each in refused.value.problems]
    assert [each.what.split(": ")[0] for each in refused.value.problems] == [
        "planes.storage.storm_control.broadcast_pps",
        "planes.storage.storm_control.unknown_unicast_pps",
    ], found
    assert all("nxos 10.3(5)" in what for _, what in found), "EOS and Cumulus Linux have both limits"
    assert len(select(design, limit=["front-leaf-g1-*"])) == 2
