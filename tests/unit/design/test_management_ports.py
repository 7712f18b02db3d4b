"""A switch's management port may be the lower end of a link of another fabric: cabled, and configured by neither."""

import csv
from io import StringIO

import pytest

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.design.reports.cabling_plan import cabling_csv, cabling_plan
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.ownership import split
from nornir_tasks.render.render import render
from tests.unit.design.oob import FABRIC, MANAGEMENT, ONE_OF_EACH, SWITCH, among, with_management
from tests.unit.design.toys import real_lab

SYSTEMS = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def realised(name: str) -> Realised:
    return device_config(with_management(), with_management().device(name), among=among())


def text(name: str) -> str:
    each = realised(name)
    return str(render(each.config, each.capabilities, environment(each.config.os)))


@SYSTEMS
def test_a_switch_whose_management_port_another_fabric_uses_is_configured_as_without_it(device: str) -> None:
    before = device_config(real_lab(), real_lab().device(device))
    after = realised(device)
    assert (after.config, after.claims) == (before.config, before.claims)
    assert after.claims.by_port(MANAGEMENT[after.config.os]) is None


@SYSTEMS
def test_lines_of_a_management_port_are_nobodys(device: str) -> None:
    each = realised(device)
    os = platform(each.config.os)
    port = MANAGEMENT[os.facts.os]
    path = (
        ("interface", port, "ip", "address", "10.250.0.1/31")
        if os.facts.os == "nvue"
        else (
            f"interface {port}",
            "ip address 10.250.0.1/31",
        )
    )
    tree = os.to_tree("")
    tree.add_path(path)
    assert split(tree, os.ownership, each.claims)[None].get(*path) is not None


def test_the_switch_at_the_other_end_has_ports_with_the_planes_addresses_and_no_queues() -> None:
    config = realised(SWITCH).config
    used = [each for each in config.interfaces if each.enabled]
    assert [each.description for each in used] == [each.name for each in real_lab().devices]
    assert {(each.qos_profile, each.mtu_bytes) for each in used} == {(None, 1500)}
    assert all(each.address and each.address.startswith("10.250.") for each in used)
    assert (config.qos, config.bgp, config.bfd) == (None, None, None)
    assert not {"pfc", "qos", "roce"} & set(text(SWITCH).replace(":", " ").split())


def test_each_management_port_is_in_the_cabling_plan_with_the_port_at_its_other_end() -> None:
    network = with_management()
    rows = [row for row in csv.DictReader(StringIO(cabling_csv(cabling_plan(network)))) if row["plane"] == FABRIC]
    assert {(row["b_device"], row["b_port"]) for row in rows} == {
        (each.name, MANAGEMENT[each.os]) for each in real_lab().devices
    }
    assert len({row["a_port"] for row in rows}) == len(rows) == len(real_lab().devices)
    assert {(row["a_device"], row["part"], row["length_m"]) for row in rows} == {(SWITCH, "100G-DAC", "3")}
    others = [row for row in cabling_plan(network) if row.plane != FABRIC]
    assert others == list(cabling_plan(real_lab()))


def test_nothing_of_the_other_fabric_is_counted_as_this_ones() -> None:
    before, after = design_counts(real_lab()), design_counts(with_management())
    assert after["fabrics"]["compute"] == before["fabrics"]["compute"]
    assert after["planes"]["compute"] == before["planes"]["compute"]
    tables = count_routes(with_management())
    assert {name: tables[name] for name in count_routes(real_lab())} == count_routes(real_lab())
    assert with_management().hosts == real_lab().hosts
