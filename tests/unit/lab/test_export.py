"""``nornir lab export``: what it writes keeps to what containerlab and NVIDIA Air publish, and has every cable once."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.errors import DesignError
from nornir_tasks.lab.export.nodes import Options
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.lab import export
from nornir_tasks.usecases.site import Selection, SiteDesign, load
from tests.unit.lab.published_schema import faults

SITES = ("lab", "lab-rails", "lab-breakout", "lab-unnumbered", "ref-512")
"""Five sites of up to 40 switches."""
OPTIONS = Options({})
Lines = tuple[str, ...]
MANAGEMENT = "a management port: the lab's own management network is there instead"
OUTSIDE = "a firewall or an upstream's router at its other end: neither is a node of an exported lab"


@pytest.fixture(scope="module", params=SITES)
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[SiteDesign, Path]:
    design, folder = load(request.param), tmp_path_factory.mktemp(request.param)
    assert len(design.network.devices) <= 40
    export.containerlab(export.chosen(design, (), ()), folder, OPTIONS)
    return design, folder


def topology(exported: tuple[SiteDesign, Path]) -> dict[str, Any]:
    design, folder = exported
    loaded: dict[str, Any] = yaml.safe_load((folder / f"{design.site.name}.clab.yml").read_text())
    return loaded


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_key_kind_and_pattern_is_published(exported: tuple[SiteDesign, Path]) -> None:
    assert list(faults(topology(exported))) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("mgmt", "ipv4"), "172.30.0.0/16"),
        (("topology", "kinds", "arista_eos"), {"image": "ceos:1"}),
        (("topology", "nodes", "spine 1"), {"kind": "linux"}),
        (("topology", "nodes", "leaf-g1-r0", "kind"), "cumulus"),
        (("topology", "nodes", "leaf-g1-r0", "mgmt-ipv4"), "172.30.0.300"),
        (("topology", "nodes", "leaf-g1-r0", "startup_config"), "a.cfg"),
        (("topology", "links", 0, "mtu"), 70_000),
        (("topology", "links", 0, "ends"), []),
    ],
)
def test_the_judge_itself_sees_a_mistake(path: tuple[Any, ...], value: object, tmp_path: Path) -> None:
    design = load("lab-rails")
    export.containerlab(export.chosen(design, (), ()), tmp_path, OPTIONS)
    whole = topology((design, tmp_path))
    at: Any = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert list(faults(whole))


def test_every_cable_is_one_link_and_what_has_none_is_named(exported: tuple[SiteDesign, Path]) -> None:
    design, folder = exported
    names = {(row["device"], row["in_the_topology"]): row["port"] for row in table(folder, "ports.csv")}
    links = Counter(
        frozenset((node, names.get((node, port), port)) for node, port in (end.split(":") for end in link["endpoints"]))
        for link in topology(exported)["topology"]["links"]
    )
    planned = Counter(
        frozenset(((row.a_device, row.a_port), (row.b_device, row.b_port))) for row in cabling_plan(design.network)
    )
    without = [row for row in table(folder, "left-out.csv") if row["why"] in (MANAGEMENT, OUTSIDE)]
    assert set(links.values()) == {1}
    assert links <= planned
    left = planned - links
    assert sorted(f"{'/'.join(sorted(' '.join(end) for end in each))}" for each in left) == sorted(
        "/".join(sorted(row["what"].split(" - "))) for row in without
    )


def test_no_two_cables_end_at_one_port_of_a_node(exported: tuple[SiteDesign, Path]) -> None:
    ends = Counter(end for link in topology(exported)["topology"]["links"] for end in link["endpoints"])
    assert set(ends.values()) == {1}
    nodes = topology(exported)["topology"]["nodes"]
    assert {end.split(":")[0] for end in ends} <= nodes.keys()


def test_no_two_ports_of_a_switch_have_one_name_in_its_image(exported: tuple[SiteDesign, Path]) -> None:
    rows = table(exported[1], "ports.csv")
    assert len({(row["device"], row["in_the_node"]) for row in rows}) == len(rows)
    assert len({(row["device"], row["in_the_topology"]) for row in rows}) == len(rows)


def as_designed(path: Lines, back: dict[str, str]) -> Lines:
    """A path of a node with the design's names of ports."""
    return tuple(
        line if line.startswith("description") else re.sub(r"[\w/]+", lambda word: back.get(word[0], word[0]), line)
        for line in path
    )


def test_every_line_of_a_node_is_the_designs_or_said_to_be_another(exported: tuple[SiteDesign, Path]) -> None:
    design, folder = exported
    selection = export.chosen(design, (), ())
    for name in selection:
        made, wanted = lines(selection, folder, name)
        other = {row["why"].partition("; '")[2].removesuffix("' instead") for row in rows_of(folder, name)}
        assert {path for path in made - wanted if path[-1] not in other} == set(), name


def test_every_line_that_a_node_lacks_is_said_or_of_a_port_without_a_cable(exported: tuple[SiteDesign, Path]) -> None:
    design, folder = exported
    selection = export.chosen(design, (), ())
    cabled = {(row["device"], row["port"]) for row in table(folder, "ports.csv")}
    for name in selection:
        image = platform(design.network.device(name).os).image
        made, wanted = lines(selection, folder, name)
        quoted = {row["what"] for row in rows_of(folder, name)}
        for path in wanted - made:
            above = {" / ".join(path[:depth]) for depth in range(1, len(path) + 1)}
            ports = {found["port"] for each in above if (found := re.fullmatch(image.port_block, each))}
            assert above & quoted or any((name, port) not in cabled for port in ports), (name, path)


def rows_of(folder: Path, name: str) -> list[dict[str, str]]:
    return [row for row in table(folder, "left-out.csv") if row["where"] == name]


def lines(selection: Selection, folder: Path, name: str) -> tuple[set[Lines], set[Lines]]:
    """The lines of a node, with the design's names, and those of the design."""
    os = platform(selection.devices[name].os)
    back = {row["in_the_node"]: row["port"] for row in table(folder, "ports.csv") if row["device"] == name}
    text = (folder / (name + os.file_suffix)).read_text().removeprefix(os.image.before)
    made = {as_designed(path, back) for path, _ in os.to_tree(text).walk()}
    return made, {path for path, _ in selection[name].tree.walk()}


def test_a_second_export_changes_no_file(exported: tuple[SiteDesign, Path]) -> None:
    design, folder = exported
    again = export.containerlab(export.chosen(design, (), ()), folder, OPTIONS)
    assert again.written.changed == ()


def test_no_password_stands_in_any_file(exported: tuple[SiteDesign, Path]) -> None:
    _, folder = exported
    kinds = topology(exported)["topology"]["kinds"]
    assert {each["credentials"]["password"] for each in kinds.values() if "credentials" in each} == {
        "${GPUFABRIC_SECRET_CONTAINERLAB}"
    }
    assert "password: !secret containerlab" in (folder / "devices.yml").read_text()


def test_split_ports_get_numbers_that_no_whole_port_has(tmp_path: Path) -> None:
    design = load("lab-breakout")
    export.containerlab(export.chosen(design, (), ()), tmp_path, OPTIONS)
    moved = [row for row in table(tmp_path, "ports.csv") if row["port"] != row["in_the_node"]]
    assert moved, "this site has split ports on systems whose images have none"
    for device in {row["device"] for row in moved}:
        os = platform(design.network.device(device).os)
        text = (tmp_path / (device + os.file_suffix)).read_text()
        assert "breakout" not in text
        for row in moved:
            if row["device"] == device:
                assert row["in_the_node"] in text


def test_more_cables_than_an_image_has_ports_are_refused_with_both_numbers() -> None:
    image = platform("nxos").image
    with pytest.raises(ValueError, match="ports 1 to 64, and 65 are cabled"):
        image.ports([f"Ethernet1/{number}/1" for number in range(1, 66)])


def test_air_takes_cumulus_linux_alone_and_names_every_other_switch(tmp_path: Path) -> None:
    design = load("lab")
    with pytest.raises(DesignError) as refused:
        export.nvidia_air(export.chosen(design, (), ()), tmp_path / "air")
    named = {problem.where for problem in refused.value.problems}
    assert named == {each.name for each in design.network.devices if each.os != "nvue"}
    assert not (tmp_path / "air").exists()


def test_airs_topology_has_each_cable_once_between_nodes_of_its_own(tmp_path: Path) -> None:
    design = load("lab-unnumbered")
    selection = export.chosen(design, (), ("spine-*", *(e.name for e in design.network.devices if e.os == "nvue")))
    done = export.nvidia_air(selection, tmp_path)
    content = json.loads((tmp_path / f"{design.site.name}.air.json").read_text())
    assert content.keys() == {"format", "title", "ztp", "content"}
    assert content["content"].keys() == {"nodes", "links"}
    nodes, links = content["content"]["nodes"], content["content"]["links"]
    assert {key for node in nodes.values() for key in node} == {"os", "cpu", "memory", "storage"}
    ends = Counter((end["node"], end["interface"]) for link in links for end in link)
    assert set(ends.values()) <= {1}
    assert {node for node, _ in ends} <= nodes.keys()
    assert len(links) == len(done.parts.cables) > 0
    assert export.nvidia_air(selection, tmp_path).written.changed == ()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (Options({"ceos": "ceos:1"}), "no node of this lab is of kind ceos"),
        (Options({"frr": "frr:1"}), "no node of this lab is of kind frr"),
        (Options({}, "172.30.0.0/28"), r"with room for \d+ nodes"),
        (Options({}, "2001:db8::/64"), "no management network of IPv4"),
        (Options({}, "172.30.0.1/16"), "has host bits set"),
    ],
)
def test_an_image_or_prefix_that_cannot_be_used_is_refused_before_anything_is_written(
    options: Options, what: str, tmp_path: Path
) -> None:
    selection = export.chosen(load("lab-rails"), (), ())
    with pytest.raises(DesignError, match=what):
        export.containerlab(selection, tmp_path / "clab", options)
    assert not (tmp_path / "clab").exists()
