"""What a host of the lab is told, as the design says it; and the host's modules, which are no package here."""

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[4]
STANDINS = ROOT / "tests" / "standins"
sys.path[:0] = [str(ROOT / "plugins" / "module_utils"), str(STANDINS)]


def policy_values(**changed: Any) -> dict[str, Any]:
    named = {26: 3, 48: 6}
    points = {priority: [dscp for dscp in range(64) if named.get(dscp, 0) == priority] for priority in (0, 3, 6)}
    values: dict[str, Any] = {
        "rails": ["rail0", "rail1"],
        "classes": [
            _class("bulk", points[0], 0, weight_percent=40),
            _class("roce", points[3], 3, lossless=True, weight_percent=60),
            _class("cnp", points[6], 6, strict=True),
        ],
        "dscp": 26,
        "priority": 3,
        "traffic_class": 106,
        "ecn": True,
        "cnp_dscp": 48,
        "cnp_priority": 6,
        "cable_m": 5,
    }
    return {**values, **changed}


def _class(name: str, dscp: list[int], priority: int, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dscp": dscp,
        "priority": priority,
        "lossless": False,
        "strict": False,
        "weight_percent": None,
        **more,
    }


@pytest.fixture
def values() -> dict[str, Any]:
    return policy_values()
