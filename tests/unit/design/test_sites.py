"""The reference sites of inventory/ come out exactly, by enumeration; their figures are not code."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.design.counts import design_counts
from nornir_tasks.design.fabric import Fabric
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.reference import reference
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

PRODUCT = Path(__file__).parents[3] / "nornir_tasks"


def facts() -> dict[str, Any]:
    return {name: each.facts for name, each in platforms().items()}


def counts(of: Fabric) -> tuple[int, ...]:
    """Leaves, spines, cores, host links, fabric links."""
    plane = design_counts(of)["planes"]["compute"]
    tiers = (plane["tiers"][tier]["switches"] for tier in ("leaf", "spine", "core"))
    return (*tiers, plane["host_links"], plane["fabric_links"])


def test_512_gpus() -> None:
    found = reference("ref-512")
    assert counts(found) == (8, 2, 0, 512, 256)
    assert found.planes["compute"].oversubscription == 1.0
    assert {len([link for link in found.links_of(leaf.name) if link.kind == "fabric"]) for leaf in found.devices} == {
        32,
        128,
    }


def test_28672_gpus() -> None:
    found = reference("ref-28672")
    assert counts(found) == (256, 32, 0, 28672, 4096)
    assert found.planes["compute"].oversubscription == 7.0
    assert found.planes["compute"].rail_spine_group == (1, 1, 1, 1, 2, 2, 2, 2)


def test_32768_gpus() -> None:
    found = reference("ref-32768")
    assert counts(found) == (512, 512, 256, 32768, 65536)
    totals = design_counts(found)["totals"]
    assert (totals["switches"], totals["links"], totals["optics"]) == (1280, 98304, 196608)


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (2, (16, 8, 0)),
        (4, (32, 16, 0)),
        (8, (64, 32, 0)),
        (16, (128, 128, 64)),
        (32, (256, 256, 128)),
        (64, (512, 512, 256)),
    ],
)
def test_dgx_superpod_b200(units: int, expected: tuple[int, int, int]) -> None:
    """docs.nvidia.com, DGX SuperPOD B200 reference architecture: 32 nodes of 8 to a scalable unit, 64-port switches."""
    hosts, kind = 32 * units, {"platform": "nvue", "release": "5.14", "model": "REF-64x400G"}
    three = {"design": "clos3", "core": kind} if units > 8 else {}
    host = {"group": "gpu", "count": hosts, "max": hosts, "rails": 8, "speed": "400G"}
    data = site(hosts=host, leaf=kind, spine={**kind, "oversubscription": 1}, **three)
    found = design(intent_of(data), load_catalogue(), facts())
    links = 8 * hosts
    assert counts(found) == (*expected, links, links * (2 if units > 8 else 1))


def test_no_figure_of_a_reference_site_stands_in_the_code() -> None:
    figures = re.compile(r"(?<![\d.])(28_?672|32_?768|98_?304|196_?608|1_?280|4_?096|65_?536|256|512|3584)(?![\d.])")
    allowed = {"ge=1", "le=", "max=", "(1 <<", "1024"}
    wrong = []
    for file in sorted((PRODUCT / "design").rglob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            code = line.partition("#")[0]
            if figures.search(code) and not any(word in code for word in allowed):
                wrong.append(f"{file.name}:{number}: {line.strip()}")
    assert not wrong


def test_hosts_with_subnets_of_their_own() -> None:
    data = site(hosts__link="subnet/28")
    found = design(intent_of(data), load_catalogue(), facts())
    nic = found.nics[0]
    assert (nic.prefix_length, nic.gateway.rpartition(".")[2], nic.address.rpartition(".")[2]) == (28, "1", "2")
    second = next(nic for nic in found.nics if nic.host_index == 2 and nic.rail == 0)
    assert second.gateway.rpartition(".")[2] == "17"
    port = next(p for p in device_config(found, found.device(nic.leaf)).config.interfaces if p.name == nic.leaf_port)
    assert port.address == f"{nic.gateway}/28"


def test_leaving_unused_ports_alone_says_nothing_of_them() -> None:
    intent = load_site("lab").intent
    left = intent.model_copy(update={"policy": intent.policy.model_copy(update={"unused_ports": "leave"})})
    found = design(left, load_catalogue(), facts())
    realised = device_config(found, found.devices[0])
    assert all(port.enabled for port in realised.config.interfaces)
    assert realised.claims.spare_ports == frozenset()
    assert replace(realised.claims, spare_ports=frozenset()) == realised.claims
