"""RJ45 ports, as management switches have them: twisted pair alone fits them, and nothing forces their speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.platforms.nvue.tree import to_data
from nornir_tasks.render.render import render
from tests.nvue_schema import ROOTS, mistakes

RELEASES = ("5.14", "5.16")
HOSTS, UPLINKS = 40, 4


def site(release: str = "5.14", **leaf: Any) -> dict[str, Any]:
    """Forty hosts with a port of 1G each on two SN2201, below two more."""
    switch = {"platform": "nvue", "release": release, "model": "SN2201"}
    return {
        "site": "wires",
        "policy": {
            "classes": {"bulk": {"dscp": 0, "priority": 0, "weight": 100}},
            "congestion": "pfc_only",
            "load_balancing": "static",
            "mtu": {"host": 1500, "fabric": 1500},
        },
        "fabrics": {
            "wires": {
                "design": "clos",
                "pools": {"loopback": "10.30.0.0/24", "links": "10.30.1.0/24", "asn": "4200030000-4200030999"},
                "leaf": {**switch, **leaf},
                "spine": {**switch, "count": 2, "oversubscription": 4, "medium": "DAC", "cable_m": 2},
            }
        },
        "planes": {
            "wires": {
                "fabric": "wires", "kind": "business", "link": "svi", "vlan": 100, "pools": {"hosts": "10.31.0.0/16"}
            }
        },
        "hosts": {
            "gpu": {
                "count": HOSTS, "max": HOSTS, "nics": {"wires": {"rails": 1, "speed": "1G", "per_group": HOSTS // 2}}
            }
        },
    }  # fmt: skip


def built(folder: Path, data: dict[str, Any]) -> Network:
    """The network of this intent as a file, so that what is refused has its line."""
    file = folder / "fabric.yml"
    file.write_text(yaml.safe_dump(data))
    return design(load_intent(file), load_catalogue(), {name: each.facts for name, each in platforms().items()})


@pytest.mark.parametrize("medium", [{}, {"medium": "BASE-T", "cable_m": 100}], ids=["undeclared", "BASE-T"])
@pytest.mark.parametrize("release", RELEASES)
def test_no_line_forces_the_speed_of_an_rj45_port_which_then_would_never_come_up(
    release: str, medium: dict[str, Any], tmp_path: Path
) -> None:
    network = built(tmp_path, site(release, **medium))
    each = device_config(network, network.device("leaf-g1"))
    os = platform("nvue")
    text = render(each.config, each.capabilities, environment("nvue"))
    interfaces = to_data(os.to_tree(text))["interface"]
    words = {"speed", "fec", "auto-negotiate"}
    found = {name: words & settings.get("link", {}).keys() for name, settings in interfaces.items()}
    assert {name for name, there in found.items() if there == words} == {"swp51", "swp52"}
    assert all(not found[f"swp{number}"] for number in range(1, HOSTS // 2 + 1))
    assert mistakes(to_data(os.to_tree(text)), ROOTS[release]) == []
    parsed = os.parse(os.to_tree(text), each.capabilities, each.config.name, each.config.model)
    assert (parsed.config, parsed.remainder.paths()) == (each.config, frozenset())


@pytest.mark.parametrize("medium", [{}, {"medium": "BASE-T"}], ids=["undeclared", "BASE-T"])
def test_twisted_pair_has_no_optics_and_is_in_the_cabling_plan_by_its_name(
    medium: dict[str, Any], tmp_path: Path
) -> None:
    network = built(tmp_path, site(cable_m=30, **medium))
    assert design_counts(network)["totals"] == {
        "switches": 4, "links": HOSTS + UPLINKS, "cables": HOSTS + UPLINKS, "optics": 0
    }  # fmt: skip
    rows = [row for row in cabling_plan(network) if row.b_device.startswith("gpu-")]
    assert {(row.medium, row.length_m, row.part) for row in rows} == {("BASE-T", 30, "1G-BASE-T")}
    assert len(rows) == HOSTS


@pytest.mark.parametrize(
    ("tier", "change", "what"),
    [
        ("leaf", {"medium": "DAC"}, "fabrics.wires.leaf.medium: DAC does not fit the RJ45 ports that SN2201 has at 1G"),
        ("leaf", {"medium": "LR4"}, "fabrics.wires.leaf.medium: LR4 does not fit the RJ45 ports that SN2201 has at 1G"),
        ("spine", {"medium": "BASE-T"}, "fabrics.wires.spine.medium: BASE-T does not fit the QSFP28 ports that SN2201"),
        ("leaf", {"medium": "BASE-T", "cable_m": 101}, "fabrics.wires.leaf.cable_m: too long for BASE-T"),
    ],
)
def test_what_does_not_fit_a_port_or_reach_over_it_is_refused_at_its_line(
    tier: str, change: dict[str, Any], what: str, tmp_path: Path
) -> None:
    data = site()
    data["fabrics"]["wires"][tier] |= change
    with pytest.raises(DesignError) as caught:
        built(tmp_path, data)
    assert len(caught.value.problems) == 1
    assert what in str(caught.value)
