"""Redundant gateways that cannot be, and what each OS keeps of one."""

from dataclasses import replace

import pytest

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from tests.unit.design import toys
from tests.unit.design.toy_layer3 import VLAN, VRF, both, realised
from tests.unit.design.toys import ONE_OF_EACH, storage_port, with_storage

LEAVES = {os: ONE_OF_EACH[os] for os in ("eos", "nxos")}
SYSTEMS = pytest.mark.parametrize("device", LEAVES.values(), ids=LEAVES)
GOOD = Gateway("10.32.101.254", "2001:db8::fe", "00:1c:73:00:00:40", 64)
SVI = PartialPort(address="10.32.101.1/24", ipv6_address="2001:db8::1/64", mtu_bytes=9000)


def refused(device: str, port: PartialPort, name: str = f"Vlan{VLAN}") -> list[str]:
    config = PartialConfig(vlans={VLAN: Vlan(VLAN, "STORAGE-HOSTS")}, ports={name: port})
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), with_storage().device(device), among=toys.saying(lambda _: config))
    return [f"{each.where}: {each.what}" for each in caught.value.problems]


@SYSTEMS
def test_a_gateway_is_kept_as_its_os_has_lines_for_it(device: str) -> None:
    config = realised(device, VRF).config
    (svi,) = (each for each in config.interfaces if each.name == f"Vlan{VLAN}")
    assert svi.gateway is not None
    roles = (64, 110, True) if config.os == "nxos" else (None, None, False)
    assert (svi.gateway.group, svi.gateway.priority, svi.gateway.preempt) == roles
    assert svi.gateway.mac_address == (None if config.os == "nxos" else "00:1c:73:00:00:40")
    assert ("hsrp" in config.services) is (config.os == "nxos")


@SYSTEMS
@pytest.mark.parametrize(
    "gateway",
    [
        replace(GOOD, address="10.32.102.254"),
        replace(GOOD, address="10.32.101.1"),
        replace(GOOD, address="10.32.101.300"),
        replace(GOOD, ipv6_address="2001:db8:1::fe"),
    ],
    ids=["other subnet", "own address", "no address", "other subnet of IPv6"],
)
def test_a_gateway_that_is_no_other_address_of_its_subnet_is_refused(device: str, gateway: Gateway) -> None:
    found = refused(device, replace(SVI, gateway=gateway))
    assert found == [f"{device} Vlan{VLAN}: the gateway is no other address of the SVI's subnet"]


@SYSTEMS
def test_a_gateway_of_a_port_or_without_any_address_is_refused(device: str) -> None:
    port = storage_port(device)
    assert refused(device, replace(SVI, gateway=GOOD), port) == [f"{device} {port}: a redundant gateway is an SVI's"]
    empty = replace(GOOD, address=None, ipv6_address=None)
    found = refused(device, replace(SVI, gateway=empty))
    assert found == [f"{device} Vlan{VLAN}: a redundant gateway without an address"]


def test_what_one_os_needs_and_is_not_said_is_refused_there() -> None:
    where = f"Vlan{VLAN}"
    no_mac, no_group = (
        replace(SVI, gateway=replace(GOOD, mac_address=None)),
        replace(SVI, gateway=replace(GOOD, group=None)),
    )
    assert refused(LEAVES["eos"], no_mac) == [f"{LEAVES['eos']} {where}: a redundant gateway without a MAC address"]
    assert refused(LEAVES["nxos"], no_group) == [f"{LEAVES['nxos']} {where}: no such group"]
    high = replace(SVI, gateway=replace(GOOD, priority=256))
    assert refused(LEAVES["nxos"], high) == [f"{LEAVES['nxos']} {where}: no such priority"]


@SYSTEMS
def test_an_os_without_gateways_refuses_each_by_name(device: str) -> None:
    network = with_storage(VRF)
    there = network.device(device)
    bare = replace(there, capabilities=replace(there.capabilities, has_gateways=False, gateway_gap="no source"))
    config = PartialConfig(vlans={VLAN: Vlan(VLAN, "STORAGE-HOSTS")}, ports={f"Vlan{VLAN}": replace(SVI, gateway=GOOD)})
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), bare, among=toys.saying(lambda _: config))
    assert [each.what for each in caught.value.problems] == ["no redundant gateway can be configured: no source"]


@SYSTEMS
def test_what_gateways_need_once_is_others_where_no_owner_has_any(device: str) -> None:
    assert realised(device, VRF).claims.has_gateways
    assert not toys.realised(device, VRF).claims.has_gateways
    once = {"eos": "ip virtual-router mac-address", "nxos": "feature hsrp", "nvue": "vrr:"}[
        realised(device, VRF).config.os
    ]
    assert once in both(device, vrf=VRF).text
