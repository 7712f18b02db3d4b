"""Published two-tier designs come out exactly, by enumeration. The models here are ports and nothing else."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from nornir_tasks.design.model.catalogue import Catalogue, Mode, PortGroup, SwitchModel
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.design.reports.counts import design_counts
from tests.plain_facts import plain_facts
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site


def box(model: str, *groups: tuple[int, int]) -> SwitchModel:
    """A switch of (count, Gb/s) ports."""
    ports, first = [], 1
    for count, speed in groups:
        ports.append(PortGroup(first, count, "OSFP", 8, (Mode(1, speed, 4),)))
        first += count
    return SwitchModel("any", model, ("nvue",), "spectrum4", tuple(ports), None, None, None)


CATALOGUE = Catalogue(
    {
        each.model: each
        for each in (box("64x400", (64, 400)), box("128x400", (128, 400)), box("leaf96", (64, 200), (32, 400)))
    },
    {},
)


def built(leaf: str, spine: str, **changes: Any) -> Network:
    nvue = {"platform": "nvue", "release": "5.14"}
    changes.setdefault("spine__oversubscription", 1)
    ratio = changes.pop("spine__oversubscription")
    data = site(leaf={**nvue, "model": leaf}, spine={**nvue, "model": spine, "oversubscription": ratio}, **changes)
    return design(intent_of(data), CATALOGUE, plain_facts())


@pytest.mark.parametrize(
    ("hosts", "leaves", "spines"),
    [pytest.param(64, 16, 8, id="2-SU"), pytest.param(128, 32, 16, id="4-SU"), pytest.param(256, 64, 32, id="8-SU")],
)
def test_dgx_superpod_b200_rows(hosts: int, leaves: int, spines: int) -> None:
    """docs.nvidia.com, DGX SuperPOD B200 reference architecture: 32 nodes to a scalable unit, 64-port switches."""
    network = built("64x400", "64x400", hosts={"count": hosts, "max": hosts}, nics={"rails": 8, "speed": "400G"})
    found = design_counts(network)["planes"]["compute"]
    assert (found["tiers"]["leaf"]["switches"], found["tiers"]["spine"]["switches"]) == (leaves, spines)
    assert found["host_links"] == found["fabric_links"] == 8 * hosts
    assert found["oversubscription"] == 1.0


def test_512_gpus_on_8_leaves_and_2_spines() -> None:
    """64 x 200G down and 32 x 400G up on each leaf, 16 to each spine."""
    network = built("leaf96", "128x400", hosts__count=64, hosts__max=64)
    found = design_counts(network)["planes"]["compute"]
    assert (found["tiers"]["leaf"]["switches"], found["tiers"]["spine"]["switches"]) == (8, 2)
    assert (found["host_links"], found["fabric_links"], found["oversubscription"]) == (512, 256, 1.0)


def test_28672_gpus_rail_optimised_7_to_1_on_256_leaves_and_32_spines(figure: Callable[[str], None]) -> None:
    """Each leaf has 112 hosts and 16 uplinks; 32 spines of 128 ports in two groups that only NVLink joins."""
    hosts, nics = {"count": 3584, "max": 3584}, {"rails": 8, "speed": "400G"}
    begin = time.process_time()
    network = built("128x400", "128x400", hosts=hosts, nics=nics, spine__oversubscription=7, cross_rail="nvlink")
    switches = sum(1 for _ in device_configs(network))
    figure(f"designed and realised {switches} switches in {time.process_time() - begin:.1f} s of CPU")
    found = design_counts(network)["planes"]["compute"]
    assert (found["tiers"]["leaf"]["switches"], found["tiers"]["spine"]["switches"]) == (256, 32)
    assert (found["host_links"], found["fabric_links"], found["oversubscription"]) == (28672, 4096, 7.0)
    fabric = network.fabrics["compute"]
    layout = fabric.parts[0].layout
    assert (layout.uplinks, layout.leaf_groups, layout.hosts_per_group) == (16, 32, 112)
    assert not fabric.reachable(3, 4)
    assert fabric.reachable(4, 7)
