"""Which switches a verb works on: those of the fabrics that the planes ride on."""

from dataclasses import replace

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.usecases.site import SiteDesign, load, select


@pytest.fixture(scope="module")
def design() -> SiteDesign:
    """The lab with its spines as a fabric of their own, on which storage rides."""
    lab = load("lab-rails")
    devices = tuple(
        replace(each, fabric="front") if each.name.startswith("spine") else each for each in lab.network.devices
    )
    storage = replace(lab.network.planes["compute"], name="storage", fabric="front")
    planes = {**lab.network.planes, "storage": storage}
    return replace(lab, network=replace(lab.network, devices=devices, planes=planes))


def test_switches_that_have_nothing_of_the_planes_are_left_out(design: SiteDesign) -> None:
    every = list(select(design))
    spines = [name for name in every if name.startswith("spine")]
    assert list(select(design, ["storage"])) == spines != []
    assert list(select(design, ["compute"])) == [name for name in every if name not in spines]
    assert list(select(design, ["compute", "storage"])) == every
    assert list(select(design, ["storage"], ["*-1"])) == ["spine-1"]


def test_a_limit_that_leaves_nothing_of_the_planes_is_refused(design: SiteDesign) -> None:
    with pytest.raises(IntentError, match="--limit: names no switch that has anything of storage"):
        select(design, ["storage"], ["leaf-*"])
