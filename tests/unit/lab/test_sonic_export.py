"""The export with SONiC-VS for switches: its ports, its tables, FRR's lines with its names."""

from __future__ import annotations

import copy
import csv
import json
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from nornir_tasks.errors import LabError
from nornir_tasks.lab.export.nodes import Options
from nornir_tasks.lab.export.parts import parts
from nornir_tasks.lab.export.sonic import BEGIN, SonicTopology
from nornir_tasks.usecases.lab import export
from nornir_tasks.usecases.site import load
from tests.unit.lab.sonic_tables import PORTS, faults

LEAF = "leaf-g1-r0"


def topology(site: str = "lab-rails") -> SonicTopology:
    """A site whose switches all say the same of their ports, as a lab does."""
    design = load(site)
    selection = export.chosen(design, (), ())
    has = parts(design.network, selection.devices.values())

    def startup(name: str) -> Mapping[str, Any]:
        cabled = has.cabled_ports(name)
        ports = [
            {"port": port, "name": f"et{number}", "mtu_bytes": 9214, "is_up": True, "addresses": [], "mac": ""}
            for number, port in enumerate(cabled, 1)
        ]
        ports[0] |= {"addresses": ["10.0.0.0/31"], "is_up": False}
        ports[1]["mac"] = "02:00:00:00:00:01"
        loopback = {
            "port": "",
            "name": "lo",
            "mtu_bytes": 65536,
            "is_up": True,
            "addresses": ["10.1.0.1/32"],
            "mac": "",
        }
        text = (
            "ip route 10.2.0.0/16 et1\nrouter bgp 65001\n neighbor et2 interface remote-as 65002\n neighbor et2 bfd\n"
        )
        return {
            "configuration": text,
            "refused": [],
            "left_out": ["'vrf red': not played"],
            "settings": ["net.ipv4.ip_forward=1"],
            "ports": [loopback, *ports],
        }

    return SonicTopology(design.site.name, has, Options({}), startup)


def made() -> dict[str, str]:
    return dict(topology().files())


def tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made()[f"{LEAF}.config_db.json"])
    return found


def test_every_cabled_port_is_the_one_behind_its_wire_in_the_image() -> None:
    rows = list(csv.DictReader(made()["ports.csv"].splitlines()))
    assert {row["in_the_topology"] for row in rows} >= {"eth1", "eth2"}
    for row in rows:
        assert PORTS[row["in_the_node"]].wire == row["in_the_topology"]
    ends = [
        end for link in yaml.safe_load(made()["lab-rails.clab.yml"])["topology"]["links"] for end in link["endpoints"]
    ]
    assert {f"{row['device']}:{row['in_the_topology']}" for row in rows} <= set(ends)


def test_tables_have_what_the_switch_has_by_recorded_names_alone() -> None:
    document = tables()
    assert list(faults(document)) == []
    first, second = document["PORT"]["Ethernet0"], document["PORT"]["Ethernet4"]
    assert (first["admin_status"], first["mtu"], second["admin_status"]) == ("down", "9214", "up")
    assert document["INTERFACE"] == {
        "Ethernet0": {},
        "Ethernet0|10.0.0.0/31": {},
        "Ethernet4": {"ipv6_use_link_local_only": "enable"},
    }
    assert "Loopback0|10.1.0.1/32" in document["LOOPBACK_INTERFACE"]
    assert document["DEVICE_METADATA"]["localhost"]["hostname"] == LEAF


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("PORT", "Ethernet0", "mtu"), "9217"),
        (("PORT", "Ethernet0", "mtu"), 9214),
        (("PORT", "Ethernet0", "lanes"), "1,2,3,4"),
        (("PORT", "Ethernet0", "fec"), "rs"),
        (("PORT", "Ethernet1"), {"lanes": "25", "speed": "40000"}),
        (("PORT", "Ethernet4"), {"lanes": "29,30,31,32"}),
        (("INTERFACE", "Ethernet8|10.0.0.2/31"), {}),
        (("INTERFACE", "Ethernet124"), {}),
        (("DEVICE_METADATA", "localhost", "docker_routing_config_mode"), "none"),
        (("BGP_NEIGHBOR",), {"10.0.0.1": {}}),
    ],
)
def test_the_judge_of_tables_sees_a_mistake(path: tuple[str, ...], value: object) -> None:
    whole = copy.deepcopy(tables())
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert list(faults(whole))


def test_frr_is_told_the_nodes_names_of_ports_and_the_labs_defaults() -> None:
    assert made()[f"{LEAF}.frr.conf"] == (
        "frr defaults datacenter\n"
        "ip route 10.2.0.0/16 Ethernet0\n"
        "router bgp 65001\n"
        " neighbor Ethernet4 interface remote-as 65002\n"
        " neighbor Ethernet4 bfd\n"
    )


def test_what_a_node_lacks_is_listed() -> None:
    left_out = list(csv.DictReader(made()["left-out.csv"].splitlines()))
    what = {row["what"] for row in left_out if row["where"] == LEAF}
    assert "'vrf red': not played" in what
    assert any("link-local address by MAC 02:00:00:00:00:01" in each for each in what)


def test_a_node_begins_with_files_that_are_beside_the_topology() -> None:
    files = made()
    node = yaml.safe_load(files["lab-rails.clab.yml"])["topology"]["nodes"][LEAF]
    assert {bind.split(":")[0] for bind in node["binds"]} <= files.keys()
    assert node["exec"][0].startswith("bash /gpufabric/begin.sh /gpufabric/frr.conf Ethernet0 Ethernet4")
    subprocess.run(["bash", "-n"], input=BEGIN, text=True, check=True)


def test_more_cables_than_the_image_has_ports_are_refused_with_both_numbers_at_every_switch() -> None:
    with pytest.raises(LabError) as refused:
        list(topology("ref-512").files())
    assert {problem.what for problem in refused.value.problems} == {
        f"the image has 32 ports, and {cabled} are cabled" for cabled in (96, 128)
    }
