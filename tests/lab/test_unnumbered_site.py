"""A site whose links between switches have no addresses: pushed, nothing to do again, valid; and what hands spoil."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import ROOT, Operator, lab_of_its_own

LEAVES, SPINES = ("leaf-g1-r0", "leaf-g1-r1"), ("spine-1", "spine-2")


def unnumbered_site(where: Path) -> Operator:
    """A copy of the site with a state of its own."""
    shutil.copytree(ROOT / "inventory/lab-unnumbered", where / "lab-unnumbered")
    return Operator(where / "lab-unnumbered", where / "state")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("unnumbered"), unnumbered_site) as made:
        assert "4 of 4 changed" in made.run("push", "--plane", "compute", "--yes")
        yield made


def fabric_links(operator: Operator) -> list[Any]:
    return [link for link in operator.json("design")["links"] if link["kind"] == "fabric"]


def advertise(pushed: Operator, leaf: str, port: str, word: str) -> None:
    switch, on, family = ("enable", "on", "ip") if leaf == LEAVES[0] else ("state", "enabled", "ipv6")
    off = {"on": "off", "enabled": "disabled"}[on]
    settings = {switch: {"on": on, "off": off}[word]}
    patch = {"interface": {port: {family: {"neighbor-discovery": {"router-advertisement": settings}}}}}
    pushed.hands()[leaf].nvue(patch)


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 4 changed" in pushed.run("push", "--plane", "compute", "--yes")


def test_every_session_is_up_by_its_port_and_everything_was_judged(
    pushed: Operator, figure: Callable[[str], None]
) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    sessions = [each for each in report["findings"] if each["check"] == "bgp"]
    assert len(sessions) == 2 * len(fabric_links(pushed))
    assert all(each["port"] in each["message"] and each["verdict"] == "pass" for each in sessions)
    advertised = [each for each in report["findings"] if each["check"] == "ra" and "10000" in each["expected"]]
    assert len(advertised) == len(sessions)
    assert {each["check"] for each in report["findings"]} >= {"config", "port", "lldp", "mtu", "bgp", "ra", "ecmp"}
    figure(f"tested {report['tested']} of {report['of']}, {len(sessions)} sessions by their ports")


def test_the_design_has_no_address_on_a_link_between_switches_and_one_on_every_host_port(
    pushed: Operator, tmp_path: Path
) -> None:
    found = pushed.json("design")
    for link in found["links"]:
        ends = [link["upper"]["address"], link["lower"]["address"]]
        assert (None in ends) == (link["kind"] == "fabric"), link
    hosts = sum(link["kind"] == "host" for link in found["links"])
    assert sum(table["connected"] for table in found["routes"].values()) == hosts
    assert "unused, as links are unnumbered" in pushed.run("design", "--explain")
    pushed.run("design", "--csv", str(tmp_path / "cables.csv"))
    rows = list(csv.DictReader((tmp_path / "cables.csv").read_text().splitlines()))
    assert len(rows) == len(found["links"])


def test_what_is_rendered_names_ports_and_as_numbers_and_no_address_of_the_links_pool(
    pushed: Operator, tmp_path: Path
) -> None:
    pushed.run("render", "--out", str(tmp_path))
    for name in (*LEAVES, *SPINES):
        text = (tmp_path / f"{name}.yaml").read_text()
        assert text.count('type: "unnumbered"') == 2
        assert "10.160." not in text
        assert "external" not in text


def test_a_wrong_cable_is_shown_by_its_as_and_by_lldp_and_no_push_pretends_to_repair_it(pushed: Operator) -> None:
    one, other = [link for link in fabric_links(pushed) if link["upper"]["device"] == "spine-1"][:2]
    pushed.run("lab", "swap", one["cable"], other["cable"])
    try:
        report = pushed.json("validate", code=8)
        failed = {(each["check"], each["device"]) for each in report["findings"] if each["verdict"] == "fail"}
        assert {("bgp", "spine-1"), ("bgp", LEAVES[0]), ("bgp", LEAVES[1]), ("lldp", "spine-1")} <= failed
        (down,) = [
            each
            for each in report["findings"]
            if (each["check"], each["device"], each["port"]) == ("bgp", "spine-1", one["upper"]["port"])
        ]
        assert f"neighbour {one['upper']['port']}: idle with AS" in down["message"]
        assert f"swap the ends of {one['cable']} and {other['cable']}" in pushed.run("validate", code=8)
        assert "0 of 4 switches would change" in pushed.run("plan")
    finally:
        pushed.run("lab", "mend")
    assert pushed.json("validate")["failed"] == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("leaf", LEAVES)
def test_a_wrong_as_by_hand_is_told_with_both_ends_values_and_repaired(pushed: Operator, leaf: str) -> None:
    link = next(each for each in fabric_links(pushed) if each["lower"]["device"] == leaf)
    port, spine = link["lower"]["port"], link["upper"]["device"]
    wrong = {port: {"remote-as": 65009}}
    pushed.hands()[leaf].nvue({"vrf": {"default": {"router": {"bgp": {"neighbor": wrong}}}}})
    report = pushed.run("validate", "--all", code=8)
    (asn,) = [each["asn"] for each in pushed.json("design")["devices"] if each["name"] == spine]
    assert f"{leaf} {port} <-> {spine} {link['upper']['port']}, neighbour {port}: idle with AS 65009 here" in report
    assert f"remote AS is 65009 here, {spine} is AS {asn}" in report
    assert "1 of 4 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert pushed.json("validate")["failed"] == 0


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_port_that_stopped_advertising_itself_is_named_with_its_session_and_repaired(
    pushed: Operator, leaf: str
) -> None:
    link = next(each for each in fabric_links(pushed) if each["lower"]["device"] == leaf)
    advertise(pushed, leaf, link["lower"]["port"], "off")
    report = pushed.json("validate", code=8)
    failed = {(each["check"], each["device"], each["port"]) for each in report["findings"] if each["verdict"] == "fail"}
    assert ("ra", leaf, link["lower"]["port"]) in failed
    assert {("bgp", end["device"], end["port"]) for end in (link["upper"], link["lower"])} <= failed
    assert "1 of 4 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert pushed.json("validate")["failed"] == 0
