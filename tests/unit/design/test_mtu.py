"""The MTU of a port, and the reason why it is not what was asked."""

from dataclasses import replace

import pytest

from nornir_tasks.design.addresses.mtu import PortMtu, agreed_bytes, of_link, of_ports
from nornir_tasks.design.model.links import Circuit, Use
from nornir_tasks.design.model.network import Network
from tests.svi import LEAVES
from tests.svi import network as in_a_vlan
from tests.unit.design.lab_like import configs, lab


def mtus(network: Network, device: str) -> dict[str, PortMtu]:
    return dict(of_ports(network, network.device(device)))


def limits(network: Network, device: str, kind: str) -> set[str | None]:
    ports = {link.end(device).port for link in network.links_of(device) if link.kind == kind}
    return {mtu.limit for port, mtu in mtus(network, device).items() if port in ports}


def test_a_system_that_takes_less_than_asked_limits_its_own_port_and_the_far_one() -> None:
    """EOS takes 9214 of 9216."""
    assert limits(lab(), "leaf-g1-r0", "fabric") == {"own"}
    assert limits(lab(), "leaf-g1-r1", "fabric") == {None}
    far = [mtu for mtu in mtus(lab(), "spine-1").values() if mtu.limit is not None]
    assert {(mtu.intended_bytes, mtu.configured_bytes, mtu.limit) for mtu in far} == {(9216, 9214, "far")}
    assert {lab().device(mtu.far.device).os for mtu in far if mtu.far} == {"eos"}


def test_both_ends_of_every_circuit_between_switches_hold_the_same() -> None:
    for circuit in lab().circuits:
        link = circuit.link
        if link.kind == "fabric":
            ends = [mtus(lab(), end.device)[end.port] for end in (link.upper, link.lower)]
            assert {mtu.configured_bytes for mtu in ends} == {circuit.use.mtu_bytes}


def test_a_port_switched_into_a_vlan_holds_what_its_system_can_set_for_it() -> None:
    found = {os: limits(in_a_vlan(), leaf, "host") for os, leaf in LEAVES.items()}
    assert found == {"eos": {"unchecked"}, "nxos": {"jumbo"}, "nvue 5.14": {None}, "nvue 5.16": {None}}
    routed = {os: limits(in_a_vlan("link: p2p"), leaf, "host") for os, leaf in LEAVES.items()}
    assert routed == {"eos": {"own"}, "nxos": {None}, "nvue 5.14": {None}, "nvue 5.16": {None}}


@pytest.mark.parametrize("device", ["leaf-g1-r0", "leaf-g1-r1", "spine-1"])
def test_each_port_is_configured_with_what_is_decided_here(device: str) -> None:
    ports = {port.name: port.mtu_bytes for port in configs()[device].config.interfaces}
    assert all(ports[name] == mtu.configured_bytes for name, mtu in mtus(lab(), device).items())


def test_a_port_of_several_circuits_holds_the_largest_mtu_of_them() -> None:
    link = lab().links[0]
    small = Circuit(link, Use("business", 1500, vrf="business", tag=10), "10.99.0.0", "10.99.0.1")
    trunk = replace(lab(), circuits=(small, *lab().circuits))
    subinterface = {f"{link.lower.port}.10": PortMtu(1500, 1500)}
    assert mtus(trunk, link.lower.device) == {**mtus(lab(), link.lower.device), **subinterface}
    assert of_link(trunk, link) == lab().circuits_on(link)[0].use.mtu_bytes > 1500
    alone = replace(lab(), circuits=(small,))
    assert mtus(alone, link.lower.device)[link.lower.port] == PortMtu(1500, 1500)


def test_a_circuit_gets_no_more_than_any_switch_at_its_ends_takes() -> None:
    eos, nxos = (lab().device(name).capabilities for name in ("leaf-g1-r0", "leaf-g1-r1"))
    assert agreed_bytes(9216, eos, nxos) == 9214
    assert agreed_bytes(9216, nxos) == 9216
    assert agreed_bytes(1500, eos, nxos) == 1500
