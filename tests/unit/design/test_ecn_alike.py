"""Rails of one plane mark alike, whatever switches they are, unless ``ecn: per_switch`` lets them differ."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.choices import choose
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.design.realise.buffers import refusals
from nornir_tasks.design.realise.configuration import Adjustment
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from nornir_tasks.usecases.site import load
from tests.unit.design import front
from tests.unit.design.test_sites import ROOT

SITES = sorted((*ROOT.glob("inventory/lab*"), *(file.parent for file in ROOT.glob("tests/sites/*/fabric.yml"))))
TH4, GX2_HOSTS, GX2_LINKS = Ecn(256_000, 512_000, 100), Ecn(150_000, 3_000_000, 7), Ecn(950_000, 3_000_000, 7)


def lab(ecn: object = "auto") -> dict[str, Any]:
    """The lab's rails: odd ones on another maker's leaves."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "inventory/lab-rails/fabric.yml").read_text(encoding="utf-8"))
    found["policy"]["classes"]["roce"]["ecn"] = ecn
    return found


@cache
def lab_network(ecn: str = "auto") -> Network:
    return front.built(lab(ecn))


def marks(network: Network) -> Iterator[tuple[str, Realised, frozenset[Ecn]]]:
    """(tier, switch, all thresholds of its ports) of every switch that marks."""
    for each in device_configs(network):
        device = network.device(each.config.name)
        profiles = each.config.qos.profiles if each.config.qos else ()
        found = frozenset(queue.ecn for profile in profiles for queue in profile.queues if queue.ecn is not None)
        if found:
            yield f"{device.fabric} {device.role}", each, found


def of_leaves(network: Network) -> dict[str, frozenset[Ecn]]:
    return {each.config.os: found for tier, each, found in marks(network) if tier.endswith("leaf")}


def unlike(network: Network) -> set[str]:
    """Tiers whose switches differ by more than one of their cells."""
    tiers: dict[str, list[tuple[int, Ecn]]] = {}
    for tier, each, found in marks(network):
        tiers.setdefault(tier, []).extend((each.capabilities.ecn_cell_bytes, ecn) for ecn in found)
    return {tier for tier, found in tiers.items() if _differ(found)}


def _differ(found: list[tuple[int, Ecn]]) -> bool:
    cell = max(each for each, _ in found)
    shares = {ecn.probability_percent for _, ecn in found}
    spans = [[getattr(ecn, field) for _, ecn in found] for field in ("min_bytes", "max_bytes")]
    return len(shares) > 1 or any(max(span) - min(span) >= cell for span in spans)


def test_leaves_of_two_makers_mark_by_the_figure_that_marks_in_full_first_on_ports_of_every_speed() -> None:
    assert of_leaves(lab_network()) == {"eos": {TH4}, "nxos": {TH4}}


def test_per_switch_lets_each_kind_of_switch_mark_by_its_own_figures() -> None:
    found = of_leaves(lab_network("per_switch"))
    assert found == {"eos": {TH4}, "nxos": {GX2_LINKS, GX2_HOSTS}}
    assert unlike(lab_network("per_switch")) == {"compute leaf"}


@pytest.mark.parametrize("site", SITES, ids=lambda path: path.name)
def test_no_tier_of_any_site_differs(site: Path) -> None:
    facts = {name: each.facts for name, each in platforms().items()}
    assert unlike(design(load_intent(site / "fabric.yml"), load_catalogue(), facts)) == set()


def test_the_note_names_the_source_the_switches_and_the_way_out() -> None:
    (note,) = {each.reason for _, made, _ in marks(lab_network()) for each in made.adjustments if _is_of_nexus(each)}
    assert note.startswith("all leaves mark alike, by RoCE guide for EOS 4.36, section 2")
    assert "ecn: per_switch lets 7060DX5-64S with eos 4.33.1F and N9K-C9332D-GX2B with nxos 10.4(3) differ" in note


def _is_of_nexus(each: Adjustment) -> bool:
    return each.device == "leaf-g1-r1" and each.field.endswith(".ecn")


def test_what_is_rendered_is_read_back_whole() -> None:
    for _, each, _ in marks(lab_network()):
        os = platforms()[each.config.os]
        tree = os.canonical(os.to_tree(render(each.config, each.capabilities, environment(each.config.os))))
        read = os.parse(tree, each.capabilities, each.config.name, each.config.model)
        assert (read.config, list(read.remainder.walk())) == (each.config, [])


def test_a_switch_that_runs_another_release_still_marks_as_its_tier_does() -> None:
    site = load("lab-rails")
    upgraded = site.with_releases({each.name: "10.5(1)" for each in site.network.devices if each.os == "nxos"})
    assert {each.release for each in upgraded.network.devices if each.os == "nxos"} == {"10.5(1)"}
    assert of_leaves(upgraded.network) == {"eos": {TH4}, "nxos": {TH4}}


def test_one_class_that_may_differ_lets_all_classes_of_its_fabric_differ() -> None:
    wanted = lab("per_switch")
    wanted["policy"]["classes"]["bulk"]["ecn"] = "auto"
    assert of_leaves(front.built(wanted))["nxos"] == {GX2_LINKS, GX2_HOSTS}


@pytest.mark.parametrize(
    ("buffer_bytes", "ecn", "reason"),
    [(400_000, TH4, "can never hold that much"), (1 << 30, Ecn(4_000, 8_000, 100), "less than one packet")],
)
def test_a_switch_that_cannot_take_what_its_tier_marks_by_is_refused_where_the_class_says_so(
    buffer_bytes: int, ecn: Ecn, reason: str
) -> None:
    intent, facts = front.loaded(lab()), {name: each.facts for name, each in platforms().items()}
    (compute,) = demands(intent, kinds().planes)
    leaf = choose(compute, load_catalogue(), facts, intent.marks).leaf
    small = replace(
        leaf,
        model=replace(leaf.model, buffer_bytes=buffer_bytes),
        capabilities=replace(leaf.capabilities, ecn_auto=ecn),
    )
    (finding,) = refusals(compute.terms, small)
    assert reason in finding.what and "ecn: per_switch" in finding.hint
    assert finding.path == ("policy", "classes", "roce", "ecn")
