"""EOS: the payload holds the difference and nothing else, and the switch's own diff reads as the same changes."""

import pytest

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms.config_tree import Change, difference
from nornir_tasks.platforms.eos import PLATFORM
from nornir_tasks.platforms.eos.candidate import candidate, server_changes
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import to_tree
from tests.unit.platforms.eos_examples import drained, leaf, rendered, split_leaf

BGP = "router bgp 4200000001"


def test_one_wrong_value_is_replaced_without_taking_it_away_first() -> None:
    wanted = canonical(to_tree(rendered(leaf())))
    owned = wanted.copy()
    process, port = owned.get(BGP), owned.get("interface Ethernet1/1")
    assert process is not None
    assert port is not None
    del process.children["neighbor 10.160.0.1 remote-as 4200000000"], port.children["mtu 9214"]
    process.add("neighbor 10.160.0.1 remote-as 65000")
    port.add("mtu 9000")
    made = candidate(owned, owned, wanted)
    assert [line.strip() for line in made.payload] == [
        "interface Ethernet1/1",
        "mtu 9214",
        "exit",
        BGP,
        "neighbor 10.160.0.1 remote-as 4200000000",
        "exit",
    ]
    assert set(made.changes) == {
        Change(("interface Ethernet1/1", "mtu 9000"), "-"),
        Change(("interface Ethernet1/1", "mtu 9214"), "+"),
        Change((BGP, "neighbor 10.160.0.1 remote-as 65000"), "-"),
        Change((BGP, "neighbor 10.160.0.1 remote-as 4200000000"), "+"),
    }


def test_what_is_the_same_is_not_sent() -> None:
    wanted = canonical(to_tree(rendered(leaf())))
    made = candidate(wanted, wanted, wanted)
    assert made.payload == ()
    assert made.changes == ()


def test_the_payload_never_rolls_the_switch_back_to_an_empty_configuration() -> None:
    wanted = canonical(to_tree(rendered(drained())))
    made = candidate(to_tree(""), to_tree(""), wanted)
    assert not any("rollback" in line or "replace" in line for line in made.payload)


def test_a_code_point_that_leaves_its_class_goes_back_to_the_default_by_name() -> None:
    wanted = to_tree("")
    owned = to_tree("qos map dscp 26 27 to traffic-class 5\nqos map traffic-class 3 to tx-queue 4\n")
    assert candidate(owned, owned, wanted).payload == (
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 27 to traffic-class 3",
        "qos map traffic-class 3 to tx-queue 3",
    )


DIFF = """\
--- system:/running-config
+++ session:/gpufabric-1-session-config
 interface Ethernet1/1
    description gpu-0
-   mtu 9000
+   mtu 9214
 !
-qos map dscp 1 2 26 to traffic-class 5
+qos map dscp 1 2 to traffic-class 5
 !
 router bgp 4200000001
-   neighbor 10.160.0.1 remote-as 65000
+   neighbor 10.160.0.1 remote-as 4200000000
    !
    address-family ipv4
+      network 10.168.0.0/24
"""


def test_the_switchs_own_diff_reads_as_changes_with_their_place() -> None:
    assert server_changes(DIFF) == {
        Change(("interface Ethernet1/1", "mtu 9000"), "-"),
        Change(("interface Ethernet1/1", "mtu 9214"), "+"),
        Change(("qos map dscp 26 to traffic-class 5",), "-"),
        Change((BGP, "neighbor 10.160.0.1 remote-as 65000"), "-"),
        Change((BGP, "neighbor 10.160.0.1 remote-as 4200000000"), "+"),
        Change((BGP, "address-family ipv4", "network 10.168.0.0/24"), "+"),
    }
    assert server_changes("") == frozenset()


@pytest.mark.parametrize(
    ("path", "worst"),
    [
        (("service routing protocols model multi-agent",), Disruption.RELOAD),
        (("interface Ethernet1/1", "shutdown"), Disruption.PORT_FLAP),
        (("interface Ethernet1/1", "mtu 9214"), Disruption.DATAPLANE_BLIP),
        (("interface Ethernet1/1", "description x"), Disruption.NONE),
        (("qos profile GPUFABRIC-ROCE",), Disruption.DATAPLANE_BLIP),
        ((BGP, "neighbor 10.160.0.1 remote-as 1"), Disruption.DATAPLANE_BLIP),
        ((BGP, "neighbor 10.160.0.1 description x"), Disruption.NONE),
        (("lldp run",), Disruption.NONE),
    ],
)
def test_a_change_says_how_disruptive_it_is(path: tuple[str, ...], worst: Disruption) -> None:
    assert PLATFORM.disruption(Change(path, "+")) is worst


def test_draining_touches_one_route_map_and_nothing_else() -> None:
    before, after = (canonical(to_tree(rendered(each))) for each in (leaf(), drained()))
    made = candidate(before, before, after)
    assert [line.strip() for line in made.payload] == [
        "route-map COMPUTE-OUT permit 10",
        "set as-path prepend 4200000001 4200000001",
        "set community GSHUT",
        "exit",
    ]
    assert set(made.changes) == set(difference(before, after))


PORT = "interface Ethernet4/1"


@pytest.mark.parametrize(
    ("running", "sent"),
    [
        (["speed 200g-4", "error-correction encoding reed-solomon"], ["speed 400g-8"]),
        (["speed auto 400g-8", "error-correction encoding reed-solomon"], ["speed 400g-8"]),
        (
            ["speed 400g-8", "error-correction encoding fire-code"],
            ["default error-correction encoding", "error-correction encoding reed-solomon"],
        ),
        (
            ["speed 400g-8", "no error-correction encoding"],
            ["default error-correction encoding", "error-correction encoding reed-solomon"],
        ),
        (
            ["speed 400g-8", "error-correction encoding fire-code", "error-correction encoding reed-solomon"],
            ["default error-correction encoding", "error-correction encoding reed-solomon"],
        ),
        (
            ["speed 400g-8", "error-correction encoding reed-solomon", "phy link training"],
            ["default phy link training"],
        ),
    ],
)
def test_layer_1_is_set_right_whatever_stands_there(running: list[str], sent: list[str]) -> None:
    wanted = canonical(to_tree(rendered(split_leaf())))
    owned = wanted.copy()
    port = owned.get(PORT)
    assert port is not None
    for line in ("speed 400g-8", "error-correction encoding reed-solomon"):
        del port.children[line]
    for line in running:
        port.add(line)
    made = candidate(owned, owned, wanted)
    assert [line.strip() for line in made.payload] == [PORT, *sent, "exit"]
    assert set(made.changes) == set(difference(owned, wanted))
    assert PLATFORM.disruption(made.changes[0]) is Disruption.PORT_FLAP


def test_an_unused_port_is_shut_and_all_else_on_it_goes() -> None:
    wanted = canonical(to_tree(rendered(split_leaf())))
    owned = wanted.copy()
    port = owned.get("interface Ethernet7/1")
    assert port is not None
    port.children.clear()
    for line in ("description old rack", "no switchport", "ip address 192.0.2.1/31"):
        port.add(line)
    made = candidate(owned, owned, wanted)
    lines = [line.strip() for line in made.payload]
    assert lines[0] == "interface Ethernet7/1"
    assert sorted(lines[1:]) == [
        "default description old rack",
        "default ip address 192.0.2.1/31",
        "default switchport",
        "exit",
        "shutdown",
    ]
