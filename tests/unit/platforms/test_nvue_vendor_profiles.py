"""A switch that NVIDIA's own profiles configure is refused by the profile's name; others are planned as ever."""

import json
from typing import Any

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.platforms.nvue.tree import from_data, to_data
from tests.nvue_schema import ROOTS, mistakes
from tests.property.test_release_laws import under

SPX: dict[str, Any] = {
    "profile": {
        "leaf": {
            "uplink": {"swp1-32": {"breakout": "4x"}},
            "downlink": {"swp33-64": {"breakout": "4x"}},
            "otlp-destination": {"10.1.1.100": {"otlp-port": 4317}},
        }
    }
}
"""docs518 Profile-Based-Configuration.md, the first example."""


def running(**more: Any) -> str:
    """What the lab's spine holds with 5.18 if somebody set these root keys besides."""
    data = to_data(under("nvue", "5.18").tree)
    for key, value in more.items():
        data[key] = {**data.get(key, {}), **value}
    assert mistakes({key: data[key] for key in more}, ROOTS["5.18"]) == []
    return json.dumps(data)


def with_mode(mode: str) -> str:
    """The same with RoCE in another mode."""
    return running(qos={"roce": {"state": "enabled", "mode": mode}})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param(running(system={"do-spx": SPX}), "system do-spx profile leaf", id="profile"),
        pytest.param(
            running(system={"do-spx": {"active-profile": {"spine-2": {}}}}), "do-spx profile spine-2", id="active"
        ),
        *(pytest.param(with_mode(mode), mode, id=mode) for mode in ("dci-1", "dci-custom", "lossy-multi-tc")),
    ],
)
def test_a_switch_under_a_profile_of_the_vendor_is_refused_by_its_name(text: str, name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        device_plan(under("nvue", "5.18"), text)
    (problem,) = refused.value.problems
    assert name in problem.what
    assert problem.where == under("nvue", "5.18").device
    assert problem.expected
    assert "plan again" in problem.hint


@pytest.mark.parametrize("mode", ["lossy", "lossless-single-ipool"])
def test_a_mode_that_is_no_profile_is_replaced_and_shown(mode: str) -> None:
    changes = device_plan(under("nvue", "5.18"), with_mode(mode)).changes
    assert {(each.op, each.path[-1]) for each in changes} == {("-", f'mode: "{mode}"'), ("+", 'mode: "lossless"')}


def test_a_switch_without_any_of_them_is_planned() -> None:
    assert device_plan(under("nvue", "5.18"), running()).changes == ()


@pytest.mark.parametrize("offload", ["enabled", {"mode": "kernel"}])
def test_bfd_that_somebody_handed_to_the_driver_is_named_and_makes_validate_doubt(offload: Any) -> None:
    """As a word until the first updates of 5.18, as a mode since (docs518 BFD page, BFD Offload to Kernel)."""
    data = to_data(under("nvue", "5.18").tree)
    data["router"] = {**data["router"], "bfd": {**data["router"].get("bfd", {}), "offload": offload}}
    plan = device_plan(under("nvue", "5.18"), PLATFORM.to_text(from_data(data)))
    assert plan.changes == ()
    assert {each.matters for each in plan.others} == {"cannot tell"}
    assert all("offload" in " ".join(each.path) for each in plan.others)
