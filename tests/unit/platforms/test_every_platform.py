"""Every switch OS brings the same parts; what is missing is named by its path, so that a newcomer is told."""

import tomllib
from pathlib import Path

import pytest
import yaml

from nornir_tasks.design.model.device_config import SECTIONS
from nornir_tasks.files.systems import missing_parts
from nornir_tasks.platforms import names, platforms

ROOT = Path(__file__).parents[3]
OSES = names()


def test_the_systems_we_promise_are_there() -> None:
    assert OSES == ("eos", "nvue", "nxos")


@pytest.mark.parametrize("os", OSES)
def test_an_os_has_every_part(os: str) -> None:
    assert missing_parts(os) == ()
    corpus = (f"tests/corpus/{os}/{name}.txt" for name in ("accept", "reject"))
    assert [name for name in corpus if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("package", ["nornir_tasks.platforms", "switch_twins"])
def test_the_contract_that_keeps_systems_apart_names_all_of_them(package: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    apart = [set(each["modules"]) for each in contracts if each["type"] == "independence"]
    assert {f"{package}.{os}" for os in OSES} in apart


@pytest.mark.parametrize("os", OSES)
def test_an_os_has_no_template_for_a_section_that_does_not_exist(os: str) -> None:
    texts = {path.stem: path.read_text() for path in (ROOT / "templates" / os).glob("*.j2")}
    parts = {
        stem
        for stem in texts
        for section in SECTIONS
        if stem.startswith(f"{section}_") and f"{{% include '{stem}.j2' %}}" in texts[section]
    }
    assert texts.keys() - parts == {"main", *SECTIONS}


@pytest.mark.parametrize("os", OSES)
def test_every_line_shape_has_a_source_and_a_confidence(os: str) -> None:
    entries = yaml.safe_load((ROOT / "templates" / os / "SOURCES.yml").read_text())
    assert len(entries) >= len(SECTIONS)
    for entry in entries:
        assert entry["section"] in SECTIONS, entry
        assert entry["shape"], entry
        assert entry["source"], entry
        assert entry["confidence"] in {"V", "V-lab", "M"}, entry


@pytest.mark.parametrize("os", OSES)
def test_every_declared_release_and_its_asics_have_a_capability_record(os: str) -> None:
    facts = platforms()[os].facts
    assert facts.os == os
    assert facts.releases


@pytest.mark.parametrize("os", OSES)
def test_port_names_are_unique_and_sort_in_the_order_of_the_front_panel(os: str) -> None:
    facts = platforms()[os].facts
    names = [facts.port_name(number) for number in range(1, 65)]
    assert len(set(names)) == 64
    assert sorted(names, key=facts.sort_key) == names


NAMES = {
    "eos": (["Ethernet3/1", "Ethernet3/5"], ["Ethernet3/1", "Ethernet3/3", "Ethernet3/5", "Ethernet3/7"]),
    "nxos": (["Ethernet1/3/1", "Ethernet1/3/2"], [f"Ethernet1/3/{leg}" for leg in (1, 2, 3, 4)]),
    "nvue": (["swp3s0", "swp3s1"], [f"swp3s{leg}" for leg in range(4)]),
}
"""Cage 3 of eight lanes in two and in four parts, as a technician reads it on the switch."""


@pytest.mark.parametrize("os", OSES)
def test_the_parts_of_a_cage_bear_the_names_the_switch_gives_them(os: str) -> None:
    facts = platforms()[os].facts
    for ways, expected in zip((2, 4), NAMES[os], strict=True):
        names = [facts.port_name(3, leg, ways, 8 // ways) for leg in range(ways)]
        assert names == expected
        assert sorted(names, key=facts.sort_key) == names
    around = [facts.port_name(2), *NAMES[os][1], facts.port_name(4)]
    assert sorted(around, key=facts.sort_key) == around


def test_a_leg_whose_lanes_nobody_says_has_no_name_on_eos() -> None:
    with pytest.raises(ValueError, match="cage 3"):
        platforms()["eos"].facts.port_name(3, 1, 2)


def test_a_cage_of_one_lane_has_no_lane_in_its_name_on_eos() -> None:
    """A 7050SX3-48YC8 has Ethernet1-48 and Ethernet49/1-56/1 (netbox devicetype-library, DCS-7050SX3-48YC8-F.yaml)."""
    name = platforms()["eos"].facts.port_name
    assert [name(1, 0, 1, 1), name(48, 0, 1, 1), name(49, 0, 1, 4), name(56, 0, 1, 4)] == [
        *("Ethernet1", "Ethernet48", "Ethernet49/1", "Ethernet56/1"),
    ]
    assert [name(65), name(65, 0, 1, 1), name(64)] == ["Ethernet65", "Ethernet65", "Ethernet64/1"]  # 7060DX5-64S
