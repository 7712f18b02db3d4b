"""The catalogue: every figure has a source, and every model can be used with an OS of ours."""

import re
from pathlib import Path

import pytest
import yaml

from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.resources import resource
from nornir_tasks.platforms import platforms

FILES = sorted(resource("catalogue").glob("*/*.yml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_and_folder_are_named_after_model_and_vendor(file: Path) -> None:
    data = yaml.safe_load(file.read_text())
    assert (data["model"], data["vendor"]) == (file.stem, file.parent.name)


def test_every_switch_model_has_capabilities_for_some_release_of_each_of_its_systems() -> None:
    for model in load_catalogue().switches.values():
        for os in model.os:
            facts = platforms()[os].facts
            known = any(_knows(facts, release, model.asic_under(os)) for release in facts.releases)
            assert known, (model.model, os)


def test_a_switch_of_64_cages_makes_128_ports_of_400g_with_two_spare_small_ones() -> None:
    model = load_catalogue().switches["SN5610"]
    assert len(model.slots_at(400, ways=2)) == 128
    assert model.ports_at(25) == (65, 66)
    assert model.logical_ports == 258


def test_a_front_end_switch_has_its_25g_and_100g_ports_where_a_device_library_has_them() -> None:
    switches = load_catalogue().switches
    for model, uplinks in (("SN2410", 8), ("7050SX3-48YC8", 8), ("N9K-C93180YC-FX3", 6)):
        assert switches[model].ports_at(25) == tuple(range(1, 49)), model
        assert switches[model].ports_at(100) == tuple(range(49, 49 + uplinks)), model


def test_no_cage_of_several_lanes_runs_as_one_port_of_one_lane_on_eos_whose_port_would_be_called_otherwise() -> None:
    for model in (each for each in load_catalogue().switches.values() if "eos" in each.os):
        for group in (each for each in model.ports if each.lanes > 1):
            assert not any((mode.ways, mode.lanes) == (1, 1) for mode in group.modes), model.model


def test_a_nic_that_the_roles_cannot_set_has_no_rdma_stack_of_theirs() -> None:
    nics = load_catalogue().nics
    assert {name for name, nic in nics.items() if nic.rdma_provider is None} == {"Thor2", "Pollara-400"}
    assert all(nics[name].speeds_gbps == (400,) for name in ("Thor2", "Pollara-400"))


def test_no_mode_uses_more_lanes_than_its_cage_has() -> None:
    for model in load_catalogue().switches.values():
        for group in model.ports:
            assert all(mode.ways * mode.lanes <= group.lanes for mode in group.modes), model.model


def _knows(facts, release: str, asic: str) -> bool:
    try:
        facts.capabilities(release, asic)
    except KeyError:
        return False
    return True


def test_port_numbers_of_a_model_do_not_overlap() -> None:
    for model in load_catalogue().switches.values():
        numbers = [number for group in model.ports for number in range(group.first, group.first + group.count)]
        assert len(set(numbers)) == len(numbers), model.model


def test_a_figure_without_a_source_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "arista" / "X.yml"
    file.parent.mkdir()
    text = (resource("catalogue") / "arista" / "7060DX5-64S.yml").read_text()
    file.write_text(re.sub(r"  source: >-\n    sonic-buildimage.*\n", "", text, count=1))
    with pytest.raises(IntentError, match=r"X.yml:\d+: asic.source: missing"):
        load_catalogue(tmp_path)


def test_a_model_that_stands_twice_is_refused(tmp_path: Path) -> None:
    for name in ("A", "B"):
        file = tmp_path / "arista" / f"{name}.yml"
        file.parent.mkdir(exist_ok=True)
        file.write_text((resource("catalogue") / "arista" / "7060DX5-64S.yml").read_text())
    with pytest.raises(IntentError, match="occurs twice"):
        load_catalogue(tmp_path)
