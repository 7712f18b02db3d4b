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


def test_a_dhcp_relay_is_refused_where_it_would_be_left_out(tmp_path: Path) -> None:
    data = yaml.safe_load((SITE / "fabric.yml").read_text(encoding="utf-8"))
    data["planes"]["business"]["dhcp_relay"] = ["192.0.2.53"]
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
    design = load(tmp_path)
    with pytest.raises(DesignError, match=r"planes\.business\.dhcp_relay: switches do not relay DHCP yet"):
        select(design)
    assert len(select(design, ["compute"])) == 4
