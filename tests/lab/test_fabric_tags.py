"""The fabric between switches that run planes told apart by tags: who is up, and what a wrong tag takes down."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from nornir_tasks.platforms.nvue.tree import to_data, to_tree
from switch_twins.clock import ManualClock
from switch_twins.engine import EOS, Context, Tree, load_text
from switch_twins.eos.extract import switch_state as eos_state
from switch_twins.eos.grammar import eos_grammar
from switch_twins.fabric import FabricSim
from switch_twins.nvue import checks
from switch_twins.nvue.autofill import complete
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.extract import switch_state as nvue_state
from switch_twins.nxos.day0 import bare_tree
from switch_twins.nxos.extract import switch_state as nxos_state
from switch_twins.spec import Cable, DeviceSpec, End, Host
from switch_twins.twin import RequestCounter
from tests.unit.design import tagged
from tests.unit.design.tagged import BUSINESS_VLAN, DEVICES, UPLINK_TAG, VRF

if TYPE_CHECKING:
    from collections.abc import Callable

    from switch_twins.state import SwitchState


@dataclass
class Switch:
    """A switch that runs this text."""

    device: DeviceSpec
    text: str
    requests: RequestCounter = field(default_factory=RequestCounter)
    on_commit: Callable[[], None] = lambda: None

    @property
    def name(self) -> str:
        return self.device.name

    def state(self) -> SwitchState:
        ports = frozenset(f"Ethernet1/{number}" for number in range(1, 67)) if self.device.os == "nxos" else frozenset()
        context = Context(self.device.release, self.device.asic, self.device.model, ports)
        if self.device.os == "nvue":
            data = nvue_data(self.text)
            return nvue_state(self.device, data, dialect_for(self.device.release))
        tree = Tree(eos_grammar(), EOS) if self.device.os == "eos" else bare_tree(context, self.name)
        assert load_text(tree, context, self.text) == []
        return eos_state(self.name, tree) if self.device.os == "eos" else nxos_state(tree, self.name)


def nvue_data(text: str) -> dict[str, Any]:
    data = json.loads(json.dumps(to_data(to_tree(text))))
    complete(data, {})
    return data


def fabric(**texts: str) -> FabricSim:
    """All switches of the site; some with another text than what is wanted of them."""
    network = tagged.tagged()
    links = {each.name: each for each in network.links}.values()
    ends = {each.name: [End(x.device, x.port) for x in (each.upper, each.lower)] for each in links}
    cables = [Cable(each.name, *ends[each.name]) for each in links if each.kind == "fabric"]
    hosts = [
        Host(*(each.lower.device, each.lower.port), ends[each.name][0], 9000) for each in links if each.kind == "host"
    ]
    sim = FabricSim(cables, hosts, ManualClock())
    for device in network.devices:
        ports = tuple(sorted({end.port for pair in ends.values() for end in pair if end.device == device.name}))
        spec = DeviceSpec(
            device.name, device.os, device.release, device.model, device.asic, "S", "127.0.0.1", 1, 2, 1, ports
        )
        text = texts.get(device.name.replace("-", "_"), tagged.part(device.name).text)
        sim.attach(Switch(spec, text))
    return sim


def states(sim: FabricSim, device: str, vrf: str) -> dict[str, str]:
    return {each.neighbor.address: each.state for each in sim.sessions(device, vrf)}


def test_both_planes_run_bgp_over_every_link_between_switches() -> None:
    sim = fabric()
    for device in tagged.tagged().devices:
        for vrf in ("default", VRF):
            found = states(sim, device.name, vrf)
            assert len(found) >= 2
            assert set(found.values()) == {"established"}, (device.name, vrf)
        for session in sim.sessions(device.name, VRF):
            assert session.interface.endswith(f".{UPLINK_TAG}")
            assert session.peer_device in {each.name for each in tagged.tagged().devices}
    assert "10.35.11.0/24" in sim.rib("leaf-g1-r0", VRF)
    assert "10.35.11.0/24" not in sim.rib("leaf-g1-r0")
    assert sim.rib("spine-1", VRF)["10.35.1.0/24"].protocol == "bgp"


TAG = {
    "eos": f"encapsulation dot1q vlan {UPLINK_TAG}",
    "nxos": f"encapsulation dot1q {UPLINK_TAG}",
    "nvue": f"vlan: {UPLINK_TAG}",
}


@pytest.mark.parametrize("device", ["leaf-g1-r0", "leaf-g1-r1", "leaf-g1-r2", "leaf-g1-r3"])
def test_a_tag_that_the_other_end_has_not_takes_the_sessions_with_that_tag_down_and_no_other(device: str) -> None:
    text, line = tagged.part(device).text, TAG[tagged.tagged().device(device).os]
    assert text.count(line) == 2
    sim = fabric(**{device.replace("-", "_"): text.replace(line, line.replace(str(UPLINK_TAG), "121"), 1)})
    found = states(sim, device, VRF)
    assert sorted(found.values())[-1] == "established"
    assert sorted(found.values())[0] != "established"
    assert set(states(sim, device, "default").values()) == {"established"}
    peers = [state for spine in ("spine-1", "spine-2") for state in states(sim, spine, VRF).values()]
    assert sum(state != "established" for state in peers) == 1


@pytest.mark.parametrize("system", ["eos", "nxos", "nvue 5.14", "nvue 5.16"])
def test_a_subinterface_is_up_with_its_port_and_an_svi_with_a_trunk_that_carries_its_vlan(system: str) -> None:
    device, sim = DEVICES[system], fabric()
    routed, trunk = tagged.host_port(device, "routed"), tagged.host_port(device, "trunk")
    svi = f"{tagged.realised(device).capabilities.svi_prefix}{BUSINESS_VLAN}"
    assert all(sim.is_up(device, name) for name in (routed, f"{routed}.510", f"{routed}.520", trunk, svi))
    (host,) = [each.lower.device for each in tagged.tagged().links_of(device) if each.upper.port == routed]
    sim.cut_cable(f"{host}:eth0")
    assert not any(sim.is_up(device, name) for name in (routed, f"{routed}.510", f"{routed}.520"))
    (host,) = [each.lower.device for each in tagged.tagged().links_of(device) if each.upper.port == trunk]
    sim.cut_cable(f"{host}:eth0")
    assert not sim.is_up(device, svi)
    assert "10.35.1.0/24" not in sim.rib(device, VRF) or device != "leaf-g1-r0"


def test_a_cumulus_switch_refuses_a_subinterface_of_vlan_1_and_one_wider_than_its_port() -> None:
    device = tagged.tagged().device("leaf-g1-r2")
    spec = DeviceSpec(
        device.name,
        "nvue",
        device.release,
        device.model,
        device.asic,
        "S",
        "127.0.0.1",
        1,
        2,
        1,
        tuple(f"swp{number}" for number in range(1, 65)),
    )
    data = nvue_data(tagged.part(device.name).text)
    dialect = dialect_for(device.release)
    assert checks.findings(data, dialect, spec) == []
    port = tagged.host_port(device.name, "routed")
    data["interface"][f"{port}.510"]["link"]["mtu"] = 9216
    data["interface"][f"{port}.520"]["vlan"] = 1
    found = dict(checks.findings(data, dialect, spec))
    assert set(found) == {f"interface.{port}.510.link.mtu", f"interface.{port}.520.vlan"}
