"""A pair of switches and a host's bond in a kernel that has VLANs and bonds: what is applied twice, cut, and mended."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from routed_lab import needs_root, until

from switch_twins.routed.bridging import all_ports
from switch_twins.routed.cabling import OF_LAYER_2, SETTINGS
from switch_twins.routed.changes import changes
from switch_twins.routed.commands import ip, run
from switch_twins.routed.form import Gateway, Routing
from switch_twins.routed.hosts import bond_lines, port_lines, vlan_lines
from switch_twins.routed.kernel import Kernel, has_devices
from switch_twins.routed.legs import TABLE, is_leg_up, rules, sent_already
from switch_twins.routed.lists import AccessList, Bound, rule, ruleset
from switch_twins.routed.ports import Port
from switch_twins.routed.surroundings import Surroundings
from switch_twins.spec import End, Host, HostBond, HostEnd, HostVlan
from switch_twins.state import InterfaceState, PairState, SwitchState

pytestmark = [
    needs_root,
    pytest.mark.skipif(os.geteuid() == 0 and not has_devices(), reason="this kernel has no VLANs or no bonds"),
]
PAIR = PairState("domain", "Port-Channel1000")
BOTH = "02:00:00:00:00:99"
MAC = "00:00:5e:00:01:01"
VLANS = frozenset({200, 300})
BOND = HostBond(
    "host", "front", 9000, lacp_is_fast=True, vlans=(HostVlan(None, ("10.2.0.4/24",)), HostVlan(300, ("10.3.0.4/24",)))
)
SWITCHES = {"a": 2, "b": 3}
"""Each with the last number of its addresses."""


def state_of(name: str) -> SwitchState:
    last = SWITCHES[name]
    trunk = {"is_routed": False, "is_group": True, "vlans": VLANS}
    return SwitchState(
        name,
        "eos",
        interfaces=(
            InterfaceState("Ethernet1", is_routed=False, group="Port-Channel1", lacp_active=True, lacp_is_fast=True),
            InterfaceState("Ethernet2", is_routed=False, group="Port-Channel1000", lacp_active=True, lacp_is_fast=True),
            InterfaceState("Port-Channel1", over_both="1", native_vlan=200, **trunk),
            InterfaceState("Port-Channel1000", **trunk),
            InterfaceState("Vlan200", addresses=(f"10.2.0.{last}/24",), mtu_bytes=9214, svi_vlan=200),
            InterfaceState("Vlan300", addresses=(f"10.3.0.{last}/24",), mtu_bytes=9214, svi_vlan=300),
            InterfaceState("Vlan9", addresses=("10.9.0.1/24",), svi_vlan=9, vrf="TENANT"),
        ),
        pair=PAIR,
    )


ROUTING = Routing(
    vlans=VLANS | {9},
    gateways=(Gateway("Vlan200", MAC, ("10.2.0.1",)), Gateway("Vlan300", MAC, ("10.3.0.1",))),
    lists=(AccessList("CLOSED", (rule("permit icmp host 10.3.0.4 host 10.3.0.1", {}),)),),
    bound=(Bound("Vlan300", "in", "CLOSED"),),
)


@dataclass
class Lab:
    """Two switches of a pair and a host, in namespaces that begin with ``name``."""

    name: str
    kernel: Kernel

    def namespace(self, who: str) -> str:
        return f"{self.name}-{who}"

    def wanted(self, who: str, *, has_leg: bool = True) -> dict[str, Port]:
        around = Surroundings(f"02:00:00:00:00:0{SWITCHES[who]}", {"Port-Channel1": BOTH})
        cabled = {"Ethernet1": has_leg, "Ethernet2": True}
        return all_ports(state_of(who), cabled, ROUTING, around)

    def apply(self, who: str, *, has_leg: bool = True) -> None:
        self.kernel.set(self.namespace(who), self.wanted(who, has_leg=has_leg))

    def filter(self) -> dict[str, list[str]]:
        """What the lab does when a leg changes; the bonds by which each switch sends no frame of the peer link."""
        found = {}
        for who, other in (("a", "b"), ("b", "a")):
            there = self.kernel.shown(self.namespace(other))
            found[who] = sent_already(state_of(who), state_of(other), there)
            lines = rules(PAIR.peer_link, found[who])
            self.kernel.filter(self.namespace(who), TABLE, lines, is_empty=not found[who])
        return found

    def legs(self) -> dict[str, bool]:
        return {who: is_leg_up("Port-Channel1", self.kernel.shown(self.namespace(who))) for who in SWITCHES}

    def answers(self, address: str, count: int = 2) -> bool:
        command = ["ip", "netns", "exec", self.namespace("host"), "ping", "-c", str(count), "-W", "2", address]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    made = Lab(f"gfd{os.getpid()}", Kernel(has_devices=True))
    names = [made.namespace(who) for who in (*SWITCHES, "host")]
    ip(None, (f"netns add {each}" for each in names))
    try:
        for who, port in (("a", "front0"), ("b", "front1")):
            near, far = made.namespace(who), made.namespace("host")
            ip(None, [f"link add name Ethernet1 mtu 9216 netns {near} type veth peer name {port} mtu 9216 netns {far}"])
        near, far = made.namespace("a"), made.namespace("b")
        ip(None, [f"link add name Ethernet2 mtu 9216 netns {near} type veth peer name Ethernet2 mtu 9216 netns {far}"])
        for who in SWITCHES:
            settings = (*SETTINGS, *OF_LAYER_2, "net.ipv4.ip_forward=1")
            run(["ip", "netns", "exec", made.namespace(who), "sysctl", "-qw", *settings])
            made.apply(who)
            made.kernel.filter(made.namespace(who), "lists", ruleset(ROUTING.lists, ROUTING.bound), is_empty=False)
        ports = [Host("host", port, End("a", "Ethernet1"), 9000, end=HostEnd(BOND)) for port in ("front0", "front1")]
        lines = [*bond_lines(BOND), *port_lines(ports, has_bonds=True), *vlan_lines(BOND)]
        ip(made.namespace("host"), lines)
        until(lambda: all(made.legs().values()))
        yield made
    finally:
        ip(None, (f"netns delete {each}" for each in names))


def test_applied_again_nothing_changes(lab: Lab) -> None:
    for who in SWITCHES:
        found = changes(lab.wanted(who), lab.kernel.read(lab.namespace(who)))
        assert (found.ip, found.bridge, found.up) == ((), (), ())


def test_a_hosts_bond_takes_both_legs_of_a_pair(lab: Lab) -> None:
    bond = lab.kernel.shown(lab.namespace("host"))["front"]
    assert bond.partner == BOTH
    members = [each for each in lab.kernel.shown(lab.namespace("host")).values() if each.master == "front"]
    assert len(members) == 2 and all(each.is_bundled for each in members)
    assert lab.filter() == {"a": ["Port-Channel1"], "b": ["Port-Channel1"]}


def test_the_gateway_and_both_switches_answer(lab: Lab) -> None:
    lab.filter()
    until(lambda: all(lab.answers(f"10.2.0.{last}") for last in (1, 2, 3)))


def test_an_access_list_lets_through_what_it_permits_and_no_more(lab: Lab) -> None:
    assert lab.answers("10.3.0.1") and not lab.answers("10.3.0.2", count=1)


def test_with_a_leg_cut_all_goes_by_the_other_and_the_peer_link_and_mended_it_is_as_before(lab: Lab) -> None:
    for who, other in (("a", "b"), ("b", "a")):
        lab.apply(who, has_leg=False)
        until(lambda who=who: not lab.legs()[who])
        assert lab.filter() == {who: ["Port-Channel1"], other: []}
        until(lambda: all(lab.answers(f"10.2.0.{last}") for last in (1, 2, 3)))
        lab.apply(who)
        until(lambda: all(lab.legs().values()))
        assert lab.filter() == {"a": ["Port-Channel1"], "b": ["Port-Channel1"]}
        assert changes(lab.wanted(who), lab.kernel.read(lab.namespace(who))).ip == ()


def test_an_interface_of_a_vlan_is_up_while_a_port_of_it_is(lab: Lab) -> None:
    shown = lab.kernel.shown(lab.namespace("a"))
    assert shown["Vlan200"].carrier and not shown["Vlan9"].carrier
    assert shown["Vlan9"].master == "TENANT"


def test_what_is_no_longer_wanted_is_gone(lab: Lab) -> None:
    """The last one: it takes a switch apart."""
    plain = replace(state_of("b"), interfaces=(), pair=None)
    wanted = all_ports(
        replace(plain, interfaces=()), {"Ethernet1": True, "Ethernet2": True}, Routing(), Surroundings("")
    )
    lab.kernel.set(lab.namespace("b"), wanted)
    left = {name for name, each in lab.kernel.read(lab.namespace("b")).items() if each.kind}
    assert left == set()
