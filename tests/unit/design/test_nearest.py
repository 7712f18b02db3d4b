"""A refusal names the nearest design that can be built: so it must be one that can."""

import copy
from typing import Any

import pytest

from nornir_tasks.errors import DesignError
from tests import intent_parts
from tests.strategies import built

SITE: dict[str, Any] = {
    "site": "near",
    "policy": {
        "classes": {
            "roce": {"dscp": 26, "priority": 3, "lossless": True, "ecn": "auto", "weight": 60},
            "cnp": {"dscp": 48, "priority": 6, "strict": True},
            "bulk": {"dscp": 0, "priority": 0, "weight": 40},
        },
        "congestion": "dcqcn",
        "mtu": {"host": 9000, "fabric": 9216},
    },
    "fabrics": {
        "compute": {
            "design": "rail",
            "pools": {"loopback": "10.255.0.0/16", "links": "10.160.0.0/13", "asn": "4200000000-4200099999"},
            "leaf": {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
            "spine": {"platform": "nvue", "release": "5.14", "model": "SN5600", "oversubscription": 1},
        }
    },
    "planes": {"compute": {"fabric": "compute", "pools": {"hosts": "10.168.0.0/13"}}},
    "hosts": {"gpu": {"count": 4, "max": 4, "nics": {"compute": {"rails": 8, "speed": "200G"}}}},
}
OF_PLANE = ("cross_rail", "link", "vlan", "mtu")


def site(**changes: Any) -> dict[str, Any]:
    """The site above with values at ``part__key`` exchanged: of a part of the fabric, the hosts, their nics, the plane.

    A bare key is the plane's, the fabric's, or the whole of what is said of ``hosts`` (their number) or ``nics``.
    """
    data = copy.deepcopy(SITE)
    parts = {"hosts": intent_parts.group(data), "nics": intent_parts.nics(data), "plane": intent_parts.plane(data)}
    for path, value in changes.items():
        part, _, key = path.rpartition("__")
        if path in ("hosts", "nics"):
            parts[path].update(value)
        elif part:
            (parts[part] if part in parts else intent_parts.fabric(data)[part])[key] = value
        else:
            (intent_parts.plane(data) if key in OF_PLANE else intent_parts.fabric(data))[key] = value
    return data


@pytest.mark.parametrize(
    ("wanted", "named", "hint"),
    [
        pytest.param({"nics__per_group": 64}, {"nics__per_group": 42}, "per_group: 42", id="leaf-ports"),
        pytest.param({"hosts__max": 400}, {"hosts__max": 336}, "hosts.gpu.max: 336", id="spine-ports"),
        pytest.param(
            {"hosts__max": 400}, {"hosts__max": 400, "cross_rail": "nvlink"}, "cross_rail: nvlink", id="spine-groups"
        ),
        pytest.param(
            {"spine__count": 50, "nics__per_group": 40},
            {"spine__count": 24, "nics__per_group": 40},
            "count: 24",
            id="spine-count",
        ),
    ],
)
def test_the_nearest_design_that_a_refusal_names_can_be_built(wanted: Any, named: Any, hint: str) -> None:
    with pytest.raises(DesignError) as caught:
        built(site(**wanted))
    assert hint in str(caught.value)
    assert built(site(**named)).devices
    if "hosts__max" in named and "cross_rail" not in named:
        with pytest.raises(DesignError):
            built(site(hosts__max=named["hosts__max"] + 1))


def test_a_leaf_never_gets_more_oversubscription_than_declared_nor_needless_uplinks() -> None:
    fabric = built(site(nics__per_group=16, spine__oversubscription=2))
    (leaves,) = fabric.fabrics["compute"].parts
    assert leaves.layout.uplinks == 4
    assert fabric.fabrics["compute"].oversubscription == 2.0
