"""``ecn: auto``: every figure is a published row, each port marks by that of its speed, and what stands in is named."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.model.capabilities import MARKS, Capabilities, Knob
from nornir_tasks.design.pipeline import Realised, device_configs
from nornir_tasks.design.realise.buffers import ecn_in_cells
from nornir_tasks.design.realise.configuration import Adjustment
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.unit.design import test_congestion as sites
from tests.unit.design.test_sites import ROOT

PUBLISHED = ROOT / "tests/corpus/ecn/published.tsv"
OF_100G, OF_400G = Ecn(150_000, 3_000_000, 7), Ecn(950_000, 3_000_000, 7)
NEXUS, ARISTA = {"platform": "nxos", "release": "10.5(1)"}, {"platform": "eos", "release": "4.33.1F"}


def records() -> Iterator[tuple[str, Capabilities, set[int]]]:
    """Every model with each of its systems, and the speeds of its ports."""
    for model in load_catalogue().switches.values():
        for os in sorted(model.os):
            facts = platforms()[os].facts
            try:
                known = facts.capabilities(facts.releases[-1], model.asic_under(os))
            except KeyError:
                continue
            yield model.model, known, {mode.speed_gbps for group in model.ports for mode in group.modes}


def published() -> set[tuple[str, str, Ecn]]:
    """(ASIC or maker, speed, figures) of every row of the corpus."""
    rows = [line.split("\t") for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")][1:]
    return {(row[0] if row[2] == "-" else row[2], row[3], Ecn(*map(int, row[4:7]))) for row in rows}


def test_every_start_value_is_a_row_of_the_corpus_for_its_asic_and_speed() -> None:
    rows = published()
    for model, known, _ in records():
        figures = [known.ecn_at(gbps) for gbps in (None, *(each.gbps for each in known.ecn_others))]
        for each in figures:
            if each is not None:
                speed = "every" if each.gbps is None else f"{each.gbps}G"
                of = "Cisco" if known.os == "nxos" else known.asic
                assert (of, speed, each.ecn) in rows, model


def test_each_speed_of_each_model_has_a_published_figure_or_the_nearest_slower_one_or_the_asic_has_none(
    figure: Callable[[str], None],
) -> None:
    exact = stands_in = refused = 0
    for model, known, speeds in records():
        there = sorted(each.gbps or 0 for each in (known.ecn_at(None), *known.ecn_others) if each is not None)
        for gbps in speeds:
            found = known.ecn_at(gbps)
            if found is None:
                assert known.ecn_source.startswith("no source"), model
                refused += 1
            elif found.is_for(gbps):
                exact += 1
            else:
                assert found.gbps == max((each for each in there if each < gbps), default=there[0]), (model, gbps)
                stands_in += 1
    figure(f"speeds of models: {exact} published, of {stands_in} that of another speed stands in, {refused} refused")
    assert min(exact, stands_in, refused) > 0


def test_a_system_whose_ports_cannot_differ_marks_by_the_first_figure_alone() -> None:
    known = platforms()["nxos"].facts.capabilities("10.5(1)", "cloudscale-gx2")
    once = replace(known, knobs={**known.knobs, MARKS: Knob("switch", "a line", "a source")})
    assert ecn_in_cells("auto", known, 100) == OF_100G
    assert ecn_in_cells("auto", once, 100) == OF_400G


def site(speed: str, **more: object) -> dict[str, Realised]:
    """One leaf of each kind of a site whose hosts have ports of this speed."""
    made = sites.data("dcqcn", leaf={**NEXUS, "model": "N9K-C9332D-GX2B", "overrides": []} | more)
    (nics,) = made["hosts"]["gpu"]["nics"].values()
    nics["speed"] = speed
    network = sites.built(made)
    return {
        each.config.name: each for each in device_configs(network) if network.device(each.config.name).role == "leaf"
    }


def split(breakout: str) -> dict[str, object]:
    """Leaves of Tomahawk 5."""
    return {**ARISTA, "model": "7060X6-64PE", "breakout": breakout}


def marks(each: Realised) -> dict[int, set[tuple[str, Ecn]]]:
    """Speed -> the profiles of its ports and what these mark by."""
    assert each.config.qos is not None
    of = {profile.name: [queue.ecn for queue in profile.queues if queue.ecn] for profile in each.config.qos.profiles}
    found: dict[int, set[tuple[str, Ecn]]] = {}
    for port in each.config.interfaces:
        if port.layer1 is not None and port.qos_profile is not None:
            found.setdefault(port.layer1.speed_gbps, set()).update(
                (port.qos_profile, ecn) for ecn in of[port.qos_profile]
            )
    return found


def noted(each: Realised) -> list[Adjustment]:
    return [note for note in each.adjustments if note.field.endswith(".ecn")]


@pytest.mark.parametrize(("speed", "gbps"), [("100G", 100), ("200G", 200)])
def test_ports_of_hosts_and_links_between_switches_mark_each_by_the_figure_of_their_speed(
    speed: str, gbps: int
) -> None:
    leaf, *_ = site(speed).values()
    assert marks(leaf) == {gbps: {("GPUFABRIC-CLASSIFY-100G", OF_100G)}, 400: {("GPUFABRIC-CLASSIFY", OF_400G)}}
    reasons = " ".join(note.reason for note in noted(leaf))
    assert (f"for ports of {gbps}G: it stands in" in reasons) is (gbps != 100)


def test_ports_of_the_first_figures_speed_have_the_profile_of_links_between_switches() -> None:
    leaf, *_ = site("400G").values()
    assert marks(leaf) == {400: {("GPUFABRIC-CLASSIFY", OF_400G)}}


def test_a_7060x6_marks_by_speed_too() -> None:
    leaf, *_ = site("100G", **split("8x100G")).values()
    assert {gbps: {ecn for _, ecn in found} for gbps, found in marks(leaf).items()}[100] == {Ecn(166_912, 282_624, 5)}


@pytest.mark.parametrize(("speed", "breakout"), [("100G", "8x100G"), ("200G", "4x200G")])
def test_what_is_rendered_for_several_speeds_is_read_back_whole(speed: str, breakout: str) -> None:
    for each in (*site(speed).values(), *site(speed, **split(breakout)).values()):
        os = platforms()[each.config.os]
        tree = os.canonical(os.to_tree(render(each.config, each.capabilities, environment(each.config.os))))
        read = os.parse(tree, each.capabilities, each.config.name, each.config.model)
        assert (read.config, list(read.remainder.walk())) == (each.config, [])


def test_thresholds_of_ones_own_are_the_same_at_every_speed() -> None:
    made = sites.data("dcqcn", leaf={**NEXUS, "model": "N9K-C9332D-GX2B", "overrides": []})
    made["policy"]["classes"]["roce"]["ecn"] = {"min_bytes": 500_000, "max_bytes": 2_000_000, "probability_percent": 10}
    network = sites.built(made)
    (leaf,) = (each for each in device_configs(network) if each.config.name == "leaf-g1-r0")
    assert {ecn for found in marks(leaf).values() for _, ecn in found} == {Ecn(500_000, 2_000_000, 10)}
    assert all("-100G" not in each.qos_profile for each in leaf.config.interfaces if each.qos_profile)
