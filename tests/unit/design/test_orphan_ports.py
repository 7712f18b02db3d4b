"""No port of a pair of NX-OS switches is an orphan: one in a VLAN of the vPCs, and in no vPC.

An orphan's host is cut off where the secondary member shuts its vPCs' VLAN interfaces, and would need
``vpc orphan-ports suspend``. Every bond has as many ports on one leaf as on the other, and no other port has its VLANs.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.pipeline import Realised, device_configs
from tests.unit.design import front
from tests.unit.platforms import front_drawn


def vlans(port: Interface) -> set[int]:
    return {each for each in (port.access_vlan, port.native_vlan, *(port.tagged_vlans or ())) if each is not None}


def orphans(config: DeviceConfig) -> list[str]:
    """Ports in a VLAN that the peer link carries, which are neither it nor a vPC nor in one of these."""
    assert config.pair is not None
    ports = {each.name: each for each in config.interfaces}
    shared = vlans(ports[config.pair.peer_link])
    joined = {config.pair.peer_link, *(each.name for each in config.interfaces if each.lag and each.lag.pair_id)}
    there = {each.name: each.member.group if each.member else each.name for each in config.interfaces}
    return [name for name, group in there.items() if vlans(ports[name]) & shared and group not in joined]


def members(site: dict[str, Any]) -> list[DeviceConfig]:
    configs = [each.config for each in device_configs(front.built(site))]
    return [each for each in configs if each.os == "nxos" and each.pair is not None]


def with_routed_and_single_ports() -> dict[str, Any]:
    """The front site with a plane on routed ports and one in a VLAN of each leaf beside the bonds."""
    site = front.data()
    site["planes"] |= {
        "routed": {"fabric": "front", "kind": "compute", "pools": {"hosts": "10.170.0.0/16"}},
        "single": {
            "fabric": "front",
            "kind": "compute",
            "link": "svi",
            "vlan": 400,
            "pools": {"hosts": "10.171.0.0/16"},
        },
    }
    for name in ("routed", "single"):
        site["hosts"]["store"]["nics"][name] = {"rails": 2, "speed": "25G", "port_names": name}
    return site


@pytest.mark.parametrize(("site", "single"), [(front.data, 0), (with_routed_and_single_ports, 4)])
def test_no_port_beside_the_bonds_is_in_a_vlan_of_theirs(site: Callable[[], dict[str, Any]], single: int) -> None:
    found = members(site())
    assert [orphans(each) for each in found] == [[]] * len(found)
    assert sum(port.edge and not port.lag for each in found for port in each.interfaces) == single


@settings(max_examples=15, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(front_drawn.leaves("nxos"))
def test_none_of_random_fronts_is(found: tuple[Realised, Realised]) -> None:
    assert [orphans(each.config) for each in found] == [[], []]
