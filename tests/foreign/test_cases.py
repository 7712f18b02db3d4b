"""Lines of others that a push once took away or could not stand beside, typed before it or after: all of them stay."""

from __future__ import annotations

from functools import cache

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.usecases.site import Selection, load, select
from tests.foreign.hands import gone, named, touched, tree_of, typed
from tests.foreign.operated import Operated, brought_up

WHEN = pytest.mark.parametrize("when", ["before our first push", "after a push of ours"])
NUMBER = "its number is one of ours, and no push of ours added it"


@cache
def lab() -> Selection:
    return select(load("lab"))


def stands(device: str, text: str, when: str) -> dict[str, str]:
    """What the plan says of others; their lines stand whatever is planned, pushed and rolled back."""
    wanted = lab()[device]
    switch = pushed(device) if when.startswith("after") else bare(wanted)
    theirs = typed(switch, wanted, text)
    if when.startswith("before"):
        assert touched(switch.plan(wanted), theirs) == []
        switch.push(wanted)
    assert theirs
    plan = switch.plan(wanted)
    assert plan.changes == ()
    assert gone(switch, wanted, theirs) == []
    assert switch.push(wanted).changes == ()
    switch.standing.pop()
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []
    found = named(plan)
    found.pop("vlan 310", None) if device == "front-leaf-g2-a" else None  # what stands there on every NX-OS of the lab
    return found


def bare(wanted: Wanted) -> Operated:
    """As day 0 leaves it."""
    return brought_up(wanted, "{}" if wanted.config.os == "nvue" else "")


def pushed(device: str) -> Operated:
    """After one push."""
    return _pushed(device).copy()


@cache
def _pushed(device: str) -> Operated:
    wanted = lab()[device]
    switch = bare(wanted)
    switch.push(wanted)
    return switch


NUMBERED = {
    "front-leaf-g1-a": (
        """\
vlan 310
name TENANT-A-WEB
exit
interface Vlan310
description gateway of another team
ip address 198.18.10.1/24
exit
""",
        ("vlan 310", "interface Vlan310"),
    ),
    "front-leaf-g2-a": (
        """\
feature interface-vlan
vlan 300
name TENANT-A-WEB
interface Vlan300
ip address 198.18.10.1/24
no shutdown
""",
        ("vlan 300", "interface Vlan300"),
    ),
    "front-leaf-g3-a": (
        """\
bridge: {domain: {br_default: {vlan: {'200': {}}}}}
interface: {vlan200: {type: svi, vlan: 200, ipv4: {address: {198.18.40.1/24: {}}}}}
""",
        ("bridge / domain / br_default / vlan / 200", "interface / vlan200"),
    ),
}


@WHEN
@pytest.mark.parametrize("device", NUMBERED)
def test_a_vlan_of_others_with_a_number_that_a_plane_has_elsewhere_is_not_removed(device: str, when: str) -> None:
    text, objects = NUMBERED[device]
    assert stands(device, text, when) == dict.fromkeys(objects, NUMBER)


def test_a_vlan_of_others_that_day_0_left_is_not_removed_by_the_first_push() -> None:
    wanted = lab()["front-leaf-g2-a"]
    switch = bare(wanted)
    plan = switch.push(wanted)
    assert named(plan) == {"vlan 310": NUMBER}
    assert "name OLD-STORAGE" in switch.running()


STATICS = {
    "front-leaf-g1-a": """\
ip prefix-list CUST-STATICS
seq 10 permit 198.18.0.0/15 le 24
exit
route-map CUST-STATICS permit 10
match ip address prefix-list CUST-STATICS
exit
ip route 198.18.7.0/24 Null0
router bgp 4200200000
neighbor 203.0.113.77 remote-as 64999
redistribute static route-map CUST-STATICS
""",
    "front-leaf-g2-a": """\
feature bgp
ip prefix-list CUST-STATICS seq 10 permit 198.18.0.0/15 le 24
route-map CUST-STATICS permit 10
match ip address prefix-list CUST-STATICS
exit
ip route 198.18.7.0/24 Null0
router bgp 4200200002
neighbor 203.0.113.77
remote-as 64999
exit
address-family ipv4 unicast
redistribute static route-map CUST-STATICS
""",
    "front-spine-2": """\
router: {bgp: {enable: 'on', autonomous-system: 4200209998, router-id: 10.254.32.2}}
vrf: {default: {router: {bgp: {address-family: {ipv4-unicast: {redistribute: {static: {enable: 'on'}}}}}}}}
""",
}


@WHEN
@pytest.mark.parametrize("device", STATICS)
def test_a_redistribution_of_others_routes_stays_and_is_nobodys_business(device: str, when: str) -> None:
    assert stands(device, STATICS[device], when) == {}


IPV4 = "vrf: {default: {router: {bgp: {address-family: {ipv4-unicast: {%s}}}}}}"
PROCESS = "router: {bgp: {enable: 'on', autonomous-system: 4200209998, router-id: 10.254.32.2}}\n" + IPV4
AGGREGATES = "aggregate-address 10.176.0.0/12\naggregate-address 198.18.0.0/15\n"
NX_FAMILY = "feature bgp\nrouter bgp 4200200002\naddress-family ipv4 unicast\n"
ANNOUNCING = {
    "eos, connected": ("front-leaf-g1-a", "router bgp 4200200000\nredistribute connected\n", "it announces"),
    "eos, route map": (
        "front-leaf-g1-a",
        "router bgp 4200200000\nredistribute connected route-map THEIRS\n",
        "cannot tell whether it announces",
    ),
    "eos, aggregate": ("front-leaf-g1-a", "router bgp 4200200000\n" + AGGREGATES, "it covers"),
    "nxos, direct": ("front-leaf-g2-a", NX_FAMILY + "redistribute direct route-map THEIRS\n", "cannot tell"),
    "nxos, aggregate": ("front-leaf-g2-a", NX_FAMILY + AGGREGATES, "it covers"),
    "nvue, connected": ("front-spine-2", PROCESS % "redistribute: {connected: {enable: 'on'}}", "it announces"),
    "nvue, route map": (
        "front-spine-2",
        PROCESS % "redistribute: {connected: {enable: 'on', route-map: FRONT-OUT}}",
        "cannot tell whether it announces",
    ),
    "nvue, aggregate": ("front-spine-2", PROCESS % "aggregate-route: {10.176.0.0/12: {}, 198.18.0.0/15: {}}", "it cov"),
}


@WHEN
@pytest.mark.parametrize("case", ANNOUNCING)
def test_what_others_announce_of_our_prefixes_is_named_and_stays_and_only_that_is_named(case: str, when: str) -> None:
    device, text, words = ANNOUNCING[case]
    found = stands(device, text, when)
    assert found
    assert all(reason.startswith(words) and "prefixes of ours" in reason for reason in found.values())
    assert not any("198.18" in line for line in found)


@pytest.mark.parametrize("case", [name for name in ANNOUNCING if "aggregate" not in name])
def test_a_redistribution_of_others_that_is_adopted_goes_and_comes_back(case: str) -> None:
    device, text, _ = ANNOUNCING[case]
    wanted, switch = lab()[device], pushed(device)
    theirs = typed(switch, wanted, text)
    switch.adopt(wanted, *(each.adopt for each in switch.plan(wanted).others if "redistribute" in " ".join(each.path)))
    assert gone(switch, wanted, theirs)
    assert not any("redistribute" in line for line in named(switch.plan(wanted)))
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []


@WHEN
@pytest.mark.parametrize(
    ("device", "text", "line"),
    [
        (
            "front-leaf-g3-a",
            "interface: {lo: {ipv4: {address: {198.19.9.9/32: {}}}}}",
            "ipv4 / address / 198.19.9.9/32",
        ),
        ("front-spine-2", "interface: {lo: {ip: {address: {198.19.9.8/32: {}}}}}", "ip / address / 198.19.9.8/32"),
    ],
    ids=["5.16", "5.14"],
)
def test_a_second_address_of_others_on_the_only_loopback_stays(device: str, text: str, line: str, when: str) -> None:
    reason = "it is on a port of ours, and no push of ours added it"
    assert stands(device, text, when) == {f"interface / lo / {line}": reason}


@WHEN
def test_bfd_of_a_session_of_others_stays(when: str) -> None:
    text = "feature bgp\nfeature bfd\nrouter bgp 4200000001\nneighbor 203.0.113.9\nremote-as 64999\nbfd\n"
    assert stands("leaf-g1-r1", text, when) == {}


@WHEN
def test_ipv6_routing_of_others_stays_on_a_switch_where_nothing_of_ours_has_ipv6(when: str) -> None:
    text = "vlan 700\ninterface Vlan700\nipv6 address 2001:db8:7::1/64\nexit\nipv6 unicast-routing\n"
    assert stands("leaf-g1-r0", text, when) == {}


@WHEN
def test_a_relay_of_others_stays_on_a_switch_that_relays_nothing_of_ours(when: str) -> None:
    text = "feature interface-vlan\nfeature dhcp\nservice dhcp\nip dhcp relay\nvlan 700\ninterface Vlan700\n"
    assert stands("front-leaf-g2-a", text + "ip dhcp relay address 192.0.2.99\n", when) == {}


@pytest.mark.parametrize("device", ["front-leaf-g1-a", "front-leaf-g2-a", "front-leaf-g3-a"])
def test_without_the_journal_of_the_other_checkout_nothing_is_removed_and_what_differs_can_be_adopted(
    device: str,
) -> None:
    """Two checkouts of one site: the second one's intent lacks what the first one's has on this switch."""
    wanted, first = lab()[device], pushed(device)
    text = NUMBERED[device][0]
    theirs = typed(first, wanted, text)
    second = Operated(first.switch)
    plan = second.push(wanted)
    assert [str(each) for each in plan.changes if each.op == "-"] == []
    assert set(NUMBERED[device][1]) <= set(named(plan))
    assert gone(second, wanted, theirs) == []
    objects = tuple(tuple(each.split(" / ")) for each in NUMBERED[device][1])
    second.adopt(wanted, *objects)
    assert [path for path in objects if path not in gone(second, wanted, theirs)] == []
    second.roll_back(wanted)
    assert gone(second, wanted, theirs) == []


EOS_PORT, NX_PORT = "interface Ethernet60/1\n", "interface Ethernet1/30\n"
SPARE = {
    "eos, address": ("leaf-g1-r0", EOS_PORT + "no switchport\nip address 198.18.60.1/31\nno shutdown\n"),
    "eos, description": ("leaf-g1-r0", EOS_PORT + "description kept for the firewall of another team\n"),
    "eos, group": ("leaf-g1-r0", EOS_PORT + "channel-group 60 mode active\n"),
    "nxos, address": ("leaf-g1-r1", NX_PORT + "no switchport\nip address 198.18.60.1/31\nno shutdown\n"),
    "nxos, description": ("leaf-g1-r1", NX_PORT + "description kept for the firewall of another team\n"),
    "nxos, group": ("leaf-g1-r1", "feature lacp\n" + NX_PORT + "channel-group 60 mode active\n"),
    "nvue, address": (
        "spine-1",
        "interface: {swp20: {type: swp, ipv4: {address: {198.18.60.1/31: {}}}, link: {state: {up: {}}}}}",
    ),
    "nvue, description": ("spine-1", "interface: {swp20: {type: swp, description: kept for the firewall}}"),
}
NAMED_ELSEWHERE = {
    "eos, subinterface": (
        "leaf-g1-r0",
        "interface Ethernet60/1.100\nencapsulation dot1q vlan 100\nip address 198.18.60.1/31\n",
    ),
    "eos, session": (
        "leaf-g1-r0",
        "router bgp 4200000000\nneighbor X peer group\nneighbor interface Ethernet60/1 peer-group X remote-as 64999\n",
    ),
    "nxos, subinterface": (
        "leaf-g1-r1",
        NX_PORT + "no switchport\ninterface Ethernet1/30.100\nencapsulation dot1q 100\nip address 198.18.60.1/31\n",
    ),
    "nxos, session": (
        "leaf-g1-r1",
        "feature bgp\nrouter bgp 4200000001\nneighbor Ethernet1/30\nremote-as 64999\n",
    ),
    "nvue, subinterface": (
        "spine-1",
        "interface: {swp20.100: {type: sub, base-interface: swp20, vlan: 100, ipv4: {address: {198.18.60.1/31: {}}}}}",
    ),
    "nvue, group": ("spine-1", "interface: {bond60: {type: bond, bond: {member: {swp20: {}}}}}"),
}
NO_CABLE = "no cable of the intent is there, and others use it: "
BLOCKS = {
    "leaf-g1-r0": ("interface Ethernet60/1",),
    "leaf-g1-r1": ("interface Ethernet1/30",),
    "spine-1": ("interface", "swp20"),
}
DOWN = {"leaf-g1-r0": ("shutdown",), "leaf-g1-r1": ("shutdown",), "spine-1": ("link", "state", "down")}


@WHEN
@pytest.mark.parametrize("case", SPARE)
def test_a_port_that_others_use_is_left_as_it_is_and_not_shut(case: str, when: str) -> None:
    device, text = SPARE[case]
    found = stands(device, text, when)
    (reason,) = (reason for name, reason in found.items() if name == " / ".join(BLOCKS[device]))
    assert reason.startswith(NO_CABLE)
    assert len(found) == 1


@pytest.mark.parametrize("case", NAMED_ELSEWHERE)
def test_a_port_that_lines_of_others_name_elsewhere_is_not_shut(case: str) -> None:
    device, text = NAMED_ELSEWHERE[case]
    found = stands(device, text, "before our first push")
    assert found[" / ".join(BLOCKS[device])].startswith(NO_CABLE)
    stands(device, text, "after a push of ours")


@pytest.mark.parametrize("case", [*SPARE, *NAMED_ELSEWHERE])
def test_a_port_of_others_that_is_adopted_is_shut_and_a_rollback_gives_it_back(case: str) -> None:
    device, text = (SPARE | NAMED_ELSEWHERE)[case]
    wanted, block = lab()[device], BLOCKS[device]
    switch = bare(wanted)
    theirs = typed(switch, wanted, text)
    switch.push(wanted)
    assert (*block, *DOWN[device]) not in tree_of(switch, wanted).paths()
    switch.adopt(wanted, block)
    assert (*block, *DOWN[device]) in tree_of(switch, wanted).paths()
    assert " / ".join(block) not in named(switch.plan(wanted))
    assert switch.plan(wanted).changes == ()
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []
    assert (*block, *DOWN[device]) not in tree_of(switch, wanted).paths()


def test_a_switched_port_of_others_stays_where_ports_are_routed_unless_they_say_otherwise() -> None:
    text = f"no system default switchport\n{NX_PORT}switchport\nno shutdown\n"
    found = stands("leaf-g1-r1", text, "before our first push")
    assert found["interface Ethernet1/30"] == f"{NO_CABLE}'switchport'"


def test_an_unused_port_keeps_the_mode_that_others_gave_it_when_it_is_shut() -> None:
    wanted = lab()["leaf-g1-r1"]
    switch = bare(wanted)
    typed(switch, wanted, f"{NX_PORT}no switchport\nno shutdown\n")
    switch.push(wanted)
    port = tree_of(switch, wanted).children["interface Ethernet1/30"]
    assert list(port.children) == ["no switchport"]  # and down: what a routed port does not print
    assert switch.plan(wanted).changes == ()


def test_a_bgp_process_of_others_without_lines_is_named_before_ours_takes_its_place() -> None:
    wanted = lab()["front-leaf-g2-a"]
    plan = device_plan(wanted, "feature bgp\nrouter bgp 64999\n", allow_management=True)
    (found,) = (each for each in plan.others if each.path == ("router bgp 64999",))
    assert found.is_in_the_way
    assert found.reason == f"'{found.in_the_way_of[-1]}' is wanted there"


@pytest.mark.parametrize("case", SPARE)
def test_a_port_that_others_took_after_we_had_shut_it_is_theirs_until_it_is_adopted(case: str) -> None:
    device, text = SPARE[case]
    wanted, block, switch = lab()[device], BLOCKS[device], pushed(device)
    theirs = typed(switch, wanted, text)
    switch.adopt(wanted, block)
    assert [path for path in gone(switch, wanted, theirs) if path[: len(block)] == block]
    assert (*block, *DOWN[device]) in tree_of(switch, wanted).paths()
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []


def test_a_port_of_ours_leaves_a_bond_of_others_only_when_that_is_adopted_and_a_rollback_brings_it_back() -> None:
    """Cumulus has the members in the bond and refuses a second bond; EOS and NX-OS have the bond in the port."""
    wanted = lab()["front-leaf-g3-a"]
    ours = next(path for path, _ in wanted.tree.walk() if path[1:-1] == ("peerlink", "bond", "member"))
    theirs = ("interface", "bond758", "bond", "member", ours[-1])
    switch = bare(wanted)
    typed(
        switch, wanted, f"interface: {{bond758: {{type: bond, bond: {{member: {{{ours[-1]}: {{}}, swp40: {{}}}}}}}}}}"
    )
    assert named(switch.plan(wanted))[" / ".join(theirs)] == f"'{' / '.join(ours)}' takes its place"
    switch.push(wanted)
    assert theirs not in tree_of(switch, wanted).paths()
    assert (*theirs[:-1], "swp40") in tree_of(switch, wanted).paths()
    assert switch.plan(wanted).changes == ()
    switch.roll_back(wanted)
    assert theirs in tree_of(switch, wanted).paths()
