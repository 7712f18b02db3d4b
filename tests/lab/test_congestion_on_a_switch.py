"""A site whose congestion profile is another one for a while ends, on each of its switches, where it began."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import yaml
from line_shapes import Rendered
from taken import pushed
from typed_switches import SWITCHES

from nornir_tasks.design.pipeline import design, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.resources import resource
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.unit.design import test_congestion as one_asic
from tests.unit.design.front import loaded


def lab(profile: str) -> dict[str, Any]:
    """The lab with leaves of EOS and NX-OS and spines of two releases of NVUE."""
    found: dict[str, Any] = yaml.safe_load((resource("inventory") / "lab-rails" / "fabric.yml").read_text())
    policy = found["policy"]
    policy["congestion"] = profile
    if profile == "pfc_only":
        del policy["classes"]["roce"]["ecn"]
        policy["classes"]["cts"] = policy["classes"].pop("cnp")
    if profile == "lossy":
        del policy["classes"]["roce"]["lossless"]
    return found


@cache
def rendered(kind: str, profile: str) -> dict[str, Rendered]:
    wanted = lab(profile) if kind == "three systems" else one_asic.data(profile)
    network = design(loaded(wanted), load_catalogue(), {name: each.facts for name, each in platforms().items()})
    return {
        each.config.name: Rendered(
            each.config,
            each.capabilities,
            each.claims,
            render(each.config, each.capabilities, environment(each.config.os)),
        )
        for each in device_configs(network)
    }


ELSEWHERE = [("three systems", "pfc_only"), ("three systems", "lossy"), ("spectrum-4", "spectrum_x")]


@pytest.mark.parametrize(("kind", "profile"), ELSEWHERE)
def test_switched_to_another_profile_and_back_each_switch_runs_what_it_ran(kind: str, profile: str) -> None:
    usual, other = rendered(kind, "dcqcn"), rendered(kind, profile)
    seen = {(each.config.os, each.config.model, each.config.release): name for name, each in usual.items()}
    assert {each.config.os for each in usual.values()} == (
        {"eos", "nxos", "nvue"} if kind == "three systems" else {"nvue"}
    )
    for name in seen.values():
        first = usual[name]
        assert pushed(first, other[name], first) == SWITCHES[first.config.os](first).running(), name
