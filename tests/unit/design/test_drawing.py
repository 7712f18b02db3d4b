"""The drawing names or counts every switch once, counts every cable once, overlaps nothing and never wavers."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.drawing_layout import STATES, Marks, drawing
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.plain_facts import plain_facts
from tests.strategies import fabrics

SVG = "{http://www.w3.org/2000/svg}"
EDGE = "./tests/sites/edge"
SITES = ("lab-rails", "lab-breakout", "ref-512", "ref-28672", "ref-32768", EDGE)
LETTER_EM = 0.602
"""Advance of every glyph of DejaVu Sans Mono, the widest of the fonts named: 1233 of 2048 units."""


@cache
def site(name: str) -> Network:
    """A site under plain operating systems; one with edge routers under real ones, by which they are judged."""
    facts = {each: found.facts for each, found in platforms().items()} if name == EDGE else plain_facts()
    return design(load_site(name).intent, load_catalogue(), facts)


@cache
def drawn(name: str) -> ElementTree.Element:
    """Its drawing, parsed by a library that is not ours; raises if it is not XML."""
    return ElementTree.fromstring(drawing(site(name)))


def boxes(svg: ElementTree.Element) -> list[tuple[list[str], list[str]]]:
    """Each box: the names of its switches, and every text that stands in it."""
    return [
        ((group.findtext(f"{SVG}title") or "").split(), [text.text or "" for text in group.iter(f"{SVG}text")])
        for group in svg.iter(f"{SVG}g")
    ]


def texts(svg: ElementTree.Element) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Each text with the rectangle it covers: left, top, right, bottom."""
    found = []
    for text in svg.iter(f"{SVG}text"):
        if text.get("class") == "ports":
            continue
        size, x, y = (float(text.attrib[key]) for key in ("font-size", "x", "y"))
        wide = len(text.text or "") * size * LETTER_EM
        left = x - wide / 2 if text.attrib["text-anchor"] == "middle" else x
        found.append((text.text or "", (left, y - 0.76 * size, left + wide, y + 0.24 * size)))
    return found


def bundles(svg: ElementTree.Element) -> Iterator[int]:
    """How many cables each field with a count says."""
    for text, _ in texts(svg):
        yield from (int(count.replace(",", "")) for count in re.findall(r"([\d,]+)×\d+G", text))


@pytest.mark.parametrize("name", SITES)
def test_every_switch_is_in_one_box_by_name_or_by_count(name: str) -> None:
    drawn_in = boxes(drawn(name))
    assert sorted(each for members, _ in drawn_in for each in members) == sorted(x.name for x in site(name).devices)
    for members, lines in drawn_in:
        counted = [int(n.replace(",", "")) for text in lines for n in re.findall(r"([\d,]+) (?:lea|spine|core)", text)]
        assert counted == [] and lines[0] == members[0] if len(members) == 1 else sum(counted) == len(members)


@pytest.mark.parametrize("name", SITES)
def test_every_link_is_counted_in_one_field(name: str) -> None:
    assert sum(bundles(drawn(name))) == len(site(name).links)


@pytest.mark.parametrize("name", SITES)
def test_no_two_texts_overlap_and_all_stand_on_the_sheet(name: str) -> None:
    svg = drawn(name)
    found = texts(svg)
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    for text, (left, top, right, bottom) in found:
        assert left >= 0 and right <= width and top >= 0 and bottom <= height, text
    for (one, a), (other, b) in combinations(found, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (one, other)


def ports(svg: ElementTree.Element) -> Iterator[tuple[list[str], tuple[float, float, float, float]]]:
    """Each text of ports: its rows, and the rectangle that they cover."""
    for text in svg.iter(f"{SVG}text"):
        if text.get("class") == "ports":
            rows, size = [each.text or "" for each in text], float(text.attrib["font-size"])
            x, top, wide = float(text[0].attrib["x"]), float(text.attrib["y"]) - size, max(map(len, rows)) * size
            left = x - wide * LETTER_EM if text.attrib["text-anchor"] == "end" else x
            yield rows, (left, top, left + wide * LETTER_EM, top + size * (len(rows) + 0.3))


@pytest.mark.parametrize("name", ["lab-rails", "lab-breakout", "ref-512"])
def test_who_zooms_in_reads_both_ports_of_each_cable_between_switches(name: str) -> None:
    texts_of_ports = [rows for rows, _ in ports(drawn(name))]
    bundled = zip(texts_of_ports[::2], texts_of_ports[1::2], strict=True)
    shown = sorted(tuple(each.split()[-1] for each in pair) for two in bundled for pair in zip(*two, strict=True))
    fabric = (each for each in site(name).links if each.kind == "fabric")
    assert shown == sorted((each.upper.port, each.lower.port) for each in fabric)


def test_of_a_bundle_with_many_cables_the_others_are_counted() -> None:
    rows = [each for each, _ in ports(drawn("ref-32768"))]
    assert any(re.fullmatch(r"and \d+ more", each[-1]) for each in rows)
    assert max(map(len, rows)) <= 40


@pytest.mark.parametrize("name", SITES)
def test_no_port_stands_on_another_or_on_a_dot_of_a_bus(name: str) -> None:
    svg = drawn(name)
    places = [place for _, place in ports(svg)]
    dots = {float(each.attrib["cy"]) + float(each.attrib["r"]) for each in svg.iter(f"{SVG}circle")}
    assert places
    for _, top, _, bottom in places:
        assert not any(top + 0.01 < y < bottom for y in dots)
    for one, other in pairwise(sorted(places, key=lambda each: (round(each[3]), each[0]))):
        assert one[2] <= other[0] + 0.01 or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("name", ["lab-rails", "ref-512"])
def test_what_was_found_is_a_layer_that_leaves_the_drawing_as_it_is(name: str) -> None:
    leaf, spine = (site(name).devices[at].name for at in (0, -1))
    marked = drawing(site(name), Marks({leaf: "fail", spine: "pass"}, frozenset({frozenset({leaf, spine})})))
    (layer,) = re.findall(r'<g id="faults" .*?</g>\n', marked, re.DOTALL)
    assert 'pointer-events="none"' in layer
    assert layer.count(STATES["fail"]) >= 2 and layer.count(STATES["pass"]) >= 2
    plain = drawing(site(name))
    assert 'id="faults"' not in plain
    assert set(re.findall(r"<(?:rect|line|circle)[^>]*x[^>]*>", marked.replace(layer, ""))) == set(
        re.findall(r"<(?:rect|line|circle)[^>]*x[^>]*>", plain)
    )


@pytest.mark.parametrize("name", SITES)
def test_two_lines_of_different_bundles_never_run_on_top_of_each_other(name: str) -> None:
    upright = [
        tuple(float(line.attrib[key]) for key in ("x1", "y1", "y2"))
        for line in drawn(name).iter(f"{SVG}line")
        if line.attrib["x1"] == line.attrib["x2"]
    ]
    for (x, top, bottom), (other_x, other_top, other_bottom) in combinations(upright, 2):
        assert abs(x - other_x) > 3 or bottom <= other_top or other_bottom <= top


@pytest.mark.parametrize("name", SITES)
def test_the_order_in_which_the_design_lists_things_changes_no_byte(name: str) -> None:
    network, mix = site(name), random.Random(3)
    shuffled = {
        key: tuple(mix.sample(getattr(network, key), len(getattr(network, key))))
        for key in ("devices", "links", "cables", "nics")
    }
    assert drawing(replace(network, **shuffled)) == drawing(network)


def test_edge_routers_stand_below_the_upstreams_with_their_firewalls_and_one_another() -> None:
    text = [each for each, _ in texts(drawn(EDGE))]
    assert {"upstreams", "edge routers", "isp-a", "isp-b"} <= {*text}
    assert {"1×25G to firewall-1", "1×25G to firewall-2", "2×100G to edge-2"} <= {*text}


def test_the_title_says_the_site_and_its_totals() -> None:
    assert texts(drawn("ref-32768"))[0][0] == ("ref-32768: 1,280 switches, 98,304 links, 98,304 cables, 196,608 optics")


def test_rails_that_share_no_spine_are_told_and_have_another_colour() -> None:
    lines = [text for text, _ in texts(drawn("ref-28672"))]
    assert "spine group 1 joins rails 0-3; spine group 2 joins rails 4-7." in lines
    assert any(text.startswith("16 pairs of rails share no spine") for text in lines)
    colour = {
        group.findtext(f"{SVG}text"): group.find(f"{SVG}rect").attrib["stroke"]
        for group in list(drawn("ref-28672").iter(f"{SVG}g"))[:2]
    }
    assert len(colour) == len(set(colour.values())) == 2
    assert "The fabric joins all rails." in [text for text, _ in texts(drawn("ref-512"))]


@pytest.mark.parametrize("name", SITES)
def test_no_sheet_is_larger_than_a_screen_can_show(name: str) -> None:
    svg = drawn(name)
    assert float(svg.attrib["width"]) <= 1800
    assert float(svg.attrib["height"]) <= 2400


@given(fabrics())
@settings(max_examples=25)
def test_any_site_can_be_drawn_with_every_switch_and_every_link(network: Network) -> None:
    svg = ElementTree.fromstring(drawing(network))
    assert sorted(each for members, _ in boxes(svg) for each in members) == sorted(x.name for x in network.devices)
    assert sum(bundles(svg)) == len(network.links)
