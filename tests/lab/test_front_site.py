"""A site with storage and business on pairs of three systems, from intent to its lab.

It is pushed plane by plane, has nothing to do again and is valid; what a hand at a switch does is named and repaired.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from at_terminal import Operator

pytestmark = pytest.mark.xdist_group("front-site")

PLANES = ("business", "storage")


@pytest.fixture
def pushed(front: Operator) -> Operator:
    """The site, pushed plane by plane."""
    return front


def test_a_push_after_all_planes_changes_nothing(pushed: Operator) -> None:
    assert "0 of 14 changed" in pushed.run("push", "--yes")


def test_the_whole_site_is_valid(pushed: Operator, figure: Callable[[str], None]) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    figure(f"tested {report['tested']} of {report['of']}")


@pytest.mark.parametrize("plane", PLANES)
def test_each_plane_is_valid_by_itself(pushed: Operator, plane: str) -> None:
    report = pushed.json("validate", "--plane", plane)
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert report["of"] > 0


def test_a_subnet_is_one_route_by_both_leaves_of_its_pair(pushed: Operator) -> None:
    ending = "2 of 2 next hops to 10.176.0.0/25 (front-leaf-g1-a, front-leaf-g1-b)"
    found = [each["message"] for each in pushed.json("validate")["findings"] if " to 10.176.0.0/25 " in each["message"]]
    others = [f"front-leaf-g{number}-{leaf}" for number in (2, 3, 4) for leaf in "ab"]
    assert sorted(found) == [f"{name}: {ending}" for name in (*others, "front-spine-1", "front-spine-2")]


def test_a_leaf_that_does_not_announce_its_pairs_subnet_is_named_and_repaired(pushed: Operator) -> None:
    before = pushed.running()
    pushed.hands()["front-leaf-g2-b"].configure(
        "router bgp 4200200003", "address-family ipv4 unicast", "no network 10.176.0.128/25"
    )
    report = pushed.run("validate", "--all", code=8)
    assert "front-spine-1: 1 of 2 next hops to 10.176.0.128/25 (front-leaf-g2-a, front-leaf-g2-b)" in report
    assert "FAILED, 1 cause," in report
    assert "1 of 10 changed" in pushed.run("push", "--plane", "storage", "--yes")
    assert pushed.running() == before


def test_a_leaf_that_lost_a_spine_is_one_cause(pushed: Operator) -> None:
    pushed.hands()["front-leaf-g1-a"].configure("interface Ethernet53/1", "shutdown")
    report = pushed.run("validate", code=8)
    assert "FAILED, 1 cause," in report
    assert "1 of 14 changed" in pushed.run("push", "--yes")
    assert pushed.json("validate")["failed"] == 0


SHUT = {
    "front-leaf-g1-b": ("Port-Channel1000", "Vlan300", ("Ethernet1", "Ethernet2", "Ethernet55/1", "Ethernet56/1")),
    "front-leaf-g2-b": (
        "port-channel1000",
        "Vlan200",
        ("Ethernet1/1", "Ethernet1/2", "Ethernet1/53", "Ethernet1/54"),
    ),
    "front-leaf-g4-b": ("peerlink", "vlan310", ("swp1", "swp55", "swp56")),
}
"""Secondary of a pair -> a group, an SVI, and all members of all its groups. With these of a primary shut the pair has
none: without the peer link the other one shuts its own."""


def test_groups_are_down_with_all_their_members_at_both_ends_and_so_are_svis_and_subnets(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    for leaf, (_, _, ports) in SHUT.items():
        if hands[leaf].os == "nvue":
            hands[leaf].nvue({"interface": {port: {"link": {"state": {"down": {}}}} for port in ports}})
        else:
            hands[leaf].configure(*(line for port in ports for line in (f"interface {port}", "shutdown")))
    report = pushed.json("validate", code=8)
    failed = {(each["device"], each["port"]) for each in report["findings"] if each["verdict"] == "fail"}
    for leaf, (group, svi, _) in SHUT.items():
        assert {(leaf, group), (leaf.removesuffix("b") + "a", group), (leaf, svi)} <= failed
    messages = {each["message"] for each in report["findings"]}
    for subnet, pair in (("10.177.0.0/25", 1), ("10.176.0.128/25", 2), ("10.177.1.128/25", 4)):
        leaves = ", ".join(f"front-leaf-g{pair}-{leaf}" for leaf in "ab")
        assert f"front-spine-1: 1 of 2 next hops to {subnet} ({leaves})" in messages
    assert len(report["causes"]) == sum(len(ports) for _, _, ports in SHUT.values())
    assert "3 of 14 changed" in pushed.run("push", "--yes")
    assert pushed.running() == before
    assert pushed.json("validate")["failed"] == 0


TAKEN_OUT = {
    "front-leaf-g1-a": ("Ethernet56/1", "Port-Channel1000", "bundled in"),
    "front-leaf-g2-b": ("Ethernet1/54", "port-channel1000", "bundled in"),
    "front-leaf-g4-b": ("swp56", "peerlink", "a member of"),
}
"""Leaf -> a member, its group, and what Cumulus Linux says less than the others."""


def test_a_member_taken_out_of_its_group_is_named_with_both_values_and_repaired_by_just_that(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    for leaf, (port, group, _) in TAKEN_OUT.items():
        if hands[leaf].os == "nvue":
            hands[leaf].nvue(delete=f"interface/{group}/bond/member/{port}")
        else:
            hands[leaf].configure(f"interface {port}", "no channel-group")
    report = pushed.json("validate", code=8)
    lacp = {(each["device"], each["port"]): each for each in report["findings"] if each["check"] == "lacp"}
    for leaf, (port, group, words) in TAKEN_OUT.items():
        found = lacp.pop((leaf, port))
        assert (found["verdict"], found["expected"], found["found"]) == ("fail", f"{words} {group}", "in no group")
        assert f"{leaf} {port} <-> " in found["message"]
    far = {name: each["found"] for name, each in lacp.items() if each["verdict"] == "fail"}
    assert far == {
        ("front-leaf-g1-b", "Ethernet56/1"): "not bundled in Port-Channel1000: waiting for LACP response",
        ("front-leaf-g2-a", "Ethernet1/54"): "not bundled in port-channel1000: suspended",
    }
    assert len(report["causes"]) == len(TAKEN_OUT)
    plan = pushed.json("plan", code=0)
    assert {name for name, each in plan["devices"].items() if each["changes"]} == TAKEN_OUT.keys()
    assert "3 of 14 changed" in pushed.run("push", "--yes")
    assert pushed.running() == before
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])


def test_a_group_with_lacp_at_one_end_alone_is_up_there_and_down_at_the_other(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    peer_link = SHUT["front-leaf-g2-b"][2][2:]
    for line in ("no channel-group", "channel-group 1000 mode on"):  # the mode of a group with members is fixed
        hands["front-leaf-g2-b"].configure(*(each for port in peer_link for each in (f"interface {port}", line)))
    hands["front-leaf-g4-b"].nvue({"interface": {"peerlink": {"bond": {"mode": "static"}}}})
    found = {
        (each["device"], each["port"]): each["verdict"]
        for each in pushed.json("validate", code=8)["findings"]
        if each["check"] == "port" and each["port"] in ("port-channel1000", "peerlink")
    }
    assert [found[f"front-leaf-g2-{leaf}", "port-channel1000"] for leaf in "ab"] == ["fail", "pass"]
    assert [found[f"front-leaf-g4-{leaf}", "peerlink"] for leaf in "ab"] == ["fail", "pass"]
    assert "2 of 14 changed" in pushed.run("push", "--yes")
    assert pushed.running() == before


def test_a_push_of_one_plane_changes_no_byte_of_the_others_objects(pushed: Operator) -> None:
    """Lines that somebody added to the other plane's VLANs and lists are still there."""
    hand = pushed.hands()["front-leaf-g1-a"]
    hand.configure("interface Vlan300", "description by hand")
    before = pushed.running()
    assert "0 of 10 changed" in pushed.run("push", "--plane", "storage", "--yes")
    assert pushed.running() == before
    assert "1 of 10 changed" in pushed.run("push", "--plane", "business", "--yes")
    assert "by hand" not in hand.running()


def test_the_pair_is_root_of_its_vlans_and_spreads_groups_by_ports(pushed: Operator) -> None:
    texts = pushed.running()
    for leaf in ("front-leaf-g1-a", "front-leaf-g1-b"):
        assert "spanning-tree mst 0 priority 4096" in texts[leaf]
        assert "port-channel load-balance trident fields ip source-ip destination-ip source-port" in texts[leaf]
    for leaf in ("front-leaf-g2-a", "front-leaf-g2-b"):
        assert "spanning-tree vlan 1-3967 priority 4096" in texts[leaf]


@pytest.mark.long
def test_a_gateway_that_somebody_changed_comes_back_on_cumulus_linux_in_both_spellings(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    hands["front-leaf-g4-a"].nvue({"interface": {"vlan310": {"ipv4": {"vrr": {"mac-address": "00:00:5e:00:01:09"}}}}})
    hands["front-leaf-g3-b"].nvue({"router": {"vrr": {"enable": "off"}}})
    assert "2 of 10 changed" in pushed.run("push", "--plane", "business", "--yes")
    assert pushed.running() == before


def test_a_relay_that_somebody_took_away_comes_back_with_each_plane_its_own(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    hands["front-leaf-g1-a"].configure("interface Vlan300", "no ip helper-address 192.0.2.54")
    hands["front-leaf-g2-b"].configure("no ip dhcp relay")
    hands["front-leaf-g4-a"].nvue({"service": {"dhcp-relay": {"default": {"downstream-interface": {"vlan310": None}}}}})
    # what all relays of a switch need is the switch's: a push of any plane brings it back
    assert "1 of 10 changed" in pushed.run("push", "--plane", "storage", "--yes")
    assert "2 of 10 changed" in pushed.run("push", "--plane", "business", "--yes")
    assert pushed.running() == before


def test_a_limit_on_storms_that_somebody_changed_is_named_with_both_values_and_comes_back(pushed: Operator) -> None:
    before, hands = pushed.running(), pushed.hands()
    group, port = "interface Port-Channel1", "interface port-channel1"
    hands["front-leaf-g1-a"].configure(group, "storm-control broadcast level pps 9000")
    hands["front-leaf-g2-a"].configure(port, "no storm-control multicast level pps 2000")
    hands["front-leaf-g4-a"].nvue({"interface": {"swp1": {"storm-control": {"broadcast": 9000}}}})
    report = pushed.run("validate", "--all", code=8)
    assert "broadcasts a second 9000 here, 1000 wanted" in report
    assert "multicasts a second none here, 2000 wanted" in report or "storm-control multicast level pps 2000" in report
    assert "broadcasts a second 9000 here, 500 wanted" in report
    assert "FAILED, 3 causes," in report
    assert "3 of 14 changed" in pushed.run("push", "--yes")
    assert pushed.running() == before
