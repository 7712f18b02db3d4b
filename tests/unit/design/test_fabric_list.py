"""Lists of what comes to a switch by ports other than its management port: what is in them, and where they are not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.design.config.access_lists import TCP, AccessList
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.usecases.site import load
from tests.unit.design import fabric_listed

SITES = Path(__file__).parents[2] / "sites"


def lists(network: Network, switch: str) -> tuple[AccessList, ...]:
    return device_config(network, network.device(switch)).config.base.reach.fabric


def loaded(folder: Path, data: dict[str, Any]) -> Network:
    (folder / "fabric.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return load(str(folder)).network


def test_both_families_have_a_list_that_denies_and_counts_the_rest_and_lets_in_no_way_to_manage() -> None:
    network = fabric_listed.network()
    for device in network.devices:
        found = lists(network, device.name)
        assert [each.family for each in found] == ["ipv4", "ipv6"]
        for each in found:
            assert each.counted and each.rules[-1].is_all and not each.rules[-1].permit
            new = [rule for rule in each.rules if rule.protocol in (None, TCP) and rule.permit and not rule.established]
            assert {rule.destination_ports for rule in new} <= {(179, 179), (4432, 4432)}
            assert all(rule.source is not None for rule in new)


def test_managed_in_band_those_who_are_allowed_get_in_there_and_the_management_port_has_no_list() -> None:
    network = fabric_listed.network(in_band=True)
    for device in network.devices:
        reach = device_config(network, device).config.base.reach
        assert reach.control_plane is None
        four, six = reach.fabric
        assert [rule.source for rule in four.rules[:2]] == list(fabric_listed.ALLOWED)
        assert all(rule.source not in fabric_listed.ALLOWED for rule in six.rules)
    outside = fabric_listed.network()
    control = device_config(outside, outside.devices[0]).config.base.reach.control_plane
    assert control is not None and control.vrf == "MGMT"


def test_more_hosts_change_no_list_of_a_switch_that_is_there(tmp_path: Path) -> None:
    data = yaml.safe_load(fabric_listed.text())
    small = fabric_listed.network()
    data["hosts"]["gpu"] |= {"count": 4}
    large = loaded(tmp_path, data)
    assert large.hosts != small.hosts
    for device in small.devices:
        assert lists(large, device.name) == lists(small, device.name), device.name


@pytest.mark.parametrize("switch", ["leaf-g1-r0", "front-spine-1", "front-leaf-g1-a"])
def test_relays_and_pairs_are_let_in_where_they_are_and_nowhere_else(switch: str) -> None:
    network = fabric_listed.network()
    (rules,) = (each.rules for each in lists(network, switch) if each.family == "ipv4")
    ports = {rule.destination_ports for rule in rules}
    is_leaf_of_a_pair = switch == "front-leaf-g1-a"
    assert ((67, 67) in ports) == is_leaf_of_a_pair
    assert ((4432, 4432) in ports) == is_leaf_of_a_pair
    assert (179, 179) in ports


def test_a_switch_with_ports_in_other_vrfs_is_refused(tmp_path: Path) -> None:
    data = yaml.safe_load((SITES / "vrf" / "fabric.yml").read_text(encoding="utf-8"))
    network = loaded(tmp_path, data)
    policy = fabric_listed.network().base["front"]
    for fabric in network.fabrics:
        network = replace(network, base={**network.base, fabric: policy})
    device = next(each for each in network.devices if each.os == "eos")
    with pytest.raises(DesignError, match="do not meet what comes by ports in other VRFs"):
        device_config(network, device)


def test_without_the_key_nothing_is_in_the_default_vrf_and_vrf_default_asks_for_it(tmp_path: Path) -> None:
    control: dict[str, Any] = {"allowed": ["192.0.2.0/28"]}
    network = loaded(tmp_path, yaml.safe_load(fabric_listed.text({"control_plane": control})))
    assert all(lists(network, each.name) == () for each in network.devices)
    in_band = {"vrf": "default", "control_plane": control}
    with pytest.raises(IntentError, match=r"control_plane: \{fabric: true\}"):
        loaded(tmp_path, yaml.safe_load(fabric_listed.text(in_band)))
