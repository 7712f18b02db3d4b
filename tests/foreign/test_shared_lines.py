"""What a switch has once, or by number, when no design of ours wants it any more.

It stays and is named while lines of others need it, it goes where none does, and it stays where it was before our first
push. A second design that wants nothing on the switch takes all of ours away but that.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.site import select
from tests.foreign.hands import gone, tree_of, typed
from tests.foreign.operated import Operated, brought_up
from tests.foreign.pairs import Choice, text
from tests.foreign.sites import site_of, wanted_of

RICH = Choice(storage_v6=True, business_v6=True, relays=1, storage_relay=True, compute_vrf=True)
RAILS = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "leaf-g1-r2"}
PAIRED = "front-leaf-g1-a"
PORT = {"eos": "Ethernet40", "nxos": "Ethernet1/40", "nvue": "swp12"}

NEEDED = {
    # system: our line -> what others type that needs it
    "eos": {
        "ip routing": "ip route 198.18.0.0/16 Null0\n",
        "ipv6 unicast-routing": "vlan 700\ninterface Vlan700\nipv6 address 2001:db8:7::1/64\n",
        "ip virtual-router mac-address 00:00:5e:00:01:ff": (
            "vlan 700\ninterface Vlan700\nip address 198.18.7.2/24\nip virtual-router address 198.18.7.1\n"
        ),
        "vlan 200": "interface Ethernet40\nswitchport access vlan 200\n",
        "vlan 300": "interface Ethernet40\nswitchport mode trunk\nswitchport trunk allowed vlan 300\n",
        "mlag configuration": "interface Port-Channel900\nmlag 900\n",
        "vrf instance COMPUTE": "ip route vrf COMPUTE 198.18.0.0/16 Null0\n",
        "ip routing vrf COMPUTE": "ip route vrf COMPUTE 198.18.0.0/16 Null0\n",
        "ip prefix-list FRONT-OWN": "route-map THEIRS permit 10\nmatch ip address prefix-list FRONT-OWN\n",
        "qos profile GPUFABRIC-ROCE": "interface Port-Channel900\nservice-profile GPUFABRIC-ROCE\n",
    },
    "nxos": {
        "feature bfd": "router bgp 4200200000\nneighbor 203.0.113.9\nremote-as 64999\nbfd\n",
        "feature bgp": "router bgp 4200200000\nneighbor 203.0.113.9\nremote-as 64999\n",
        "feature interface-vlan": "vlan 700\ninterface Vlan700\nip address 198.18.7.2/24\n",
        "feature lacp": "interface Ethernet1/40\nchannel-group 900 mode active\n",
        "feature hsrp": "vlan 700\ninterface Vlan700\nip address 198.18.7.2/24\nhsrp 7\nip 198.18.7.1\n",
        "feature dhcp": "vlan 700\ninterface Vlan700\nip dhcp relay address 192.0.2.99\n",
        "service dhcp": "vlan 700\ninterface Vlan700\nip dhcp relay address 192.0.2.99\n",
        "ip dhcp relay": "vlan 700\ninterface Vlan700\nip dhcp relay address 192.0.2.99\n",
        "feature vpc": "interface port-channel900\nvpc 900\n",
        "vpc domain 1": "interface port-channel900\nvpc 900\n",
        "feature lldp": "interface Ethernet1/40\nno lldp transmit\n",
        "vlan 200": "interface Ethernet1/40\nswitchport access vlan 200\n",
        "vrf context COMPUTE": "vrf context COMPUTE\nip route 198.18.0.0/16 Null0\n",
        "ip prefix-list FRONT-OWN seq 10 permit 10.254.0.1/32": (
            "route-map THEIRS permit 10\nmatch ip address prefix-list FRONT-OWN\n"
        ),
        "policy-map type qos GPUFABRIC-CLASSIFY": (
            "interface port-channel900\nservice-policy type qos input GPUFABRIC-CLASSIFY\n"
        ),
    },
    "nvue": {
        "bridge / domain / br_default / vlan / 200": (
            "interface: {swp12: {type: swp, bridge: {domain: {br_default: {access: 200}}}}}"
        ),
        "bridge / domain / br_default / vlan / 300": (
            "interface: {swp12: {type: swp, bridge: {domain: {br_default: {vlan: {'300': {}}}}}}}"
        ),
        'router / vrr / enable: "on"': (
            "interface: {vlan700: {type: svi, vlan: 700, ip: {address: {198.18.7.2/24: {}},"
            " vrr: {address: {198.18.7.1/24: {}}}}}}\n"
            "bridge: {domain: {br_default: {vlan: {'700': {}}}}}"
        ),
        'mlag / enable: "on"': "interface: {bond90: {type: bond, bond: {mode: lacp, mlag: {enable: 'on', id: 90}}}}",
        "router / bgp / autonomous-system: 4200200000": (
            "vrf: {default: {router: {bgp: {neighbor: {203.0.113.9: {type: numbered, remote-as: 64999}}}}}}"
        ),
        'router / bgp / router-id: "10.254.0.1"': (
            "vrf: {default: {router: {bgp: {neighbor: {203.0.113.9: {type: numbered, remote-as: 64999}}}}}}"
        ),
        "vrf / COMPUTE": ("interface: {swp12: {type: swp, vrf: COMPUTE, ipv4: {address: {198.18.7.2/24: {}}}}}"),
        "router / policy / prefix-list / FRONT-OWN": (
            "router: {policy: {route-map: {THEIRS: {rule: {'10': {action: {permit: {}},"
            " match: {type: ipv4, ip-prefix-list: FRONT-OWN}}}}}}}"
        ),
    },
}
EACH = pytest.mark.parametrize(
    ("os", "line"),
    [(os, line) for os, lines in NEEDED.items() for line in lines],
    ids=[f"{os}: {line}" for os, lines in NEEDED.items() for line in lines],
)


def device_of(os: str, line: str) -> str:
    return RAILS[os] if "COMPUTE" in line else PAIRED


@cache
def _pushed(os: str, device: str) -> Operated:
    wanted = wanted_of(text(RICH, os), device)
    switch = brought_up(wanted, "{}" if os == "nvue" else "")
    switch.push(wanted)
    return switch


def case(os: str, line: str) -> tuple[Wanted, Wanted, Operated, Path]:
    """What is wanted, what is wanted later, a switch that has been pushed to, and the line as a path."""
    device = device_of(os, line)
    wanted = wanted_of(text(RICH, os), device)
    path = tuple(line.split(" / "))
    assert path in wanted.tree.paths()
    return wanted, nothing(wanted), _pushed(os, device).copy(), path


def nothing(wanted: Wanted) -> Wanted:
    """A design that has nothing left on this switch."""
    return replace(wanted, tree=wanted.platform.to_tree("{}" if wanted.config.os == "nvue" else ""), text="")


NEEDED_BY_DAY_0 = {
    ("eos", "ip routing"),
    ("nxos", "feature bgp"),
    ("nvue", "router / bgp / autonomous-system: 4200200000"),
    ("nvue", 'router / bgp / router-id: "10.254.0.1"'),
}
"""Switches of the lab come with a VRF of others that has sessions."""


@pytest.mark.sampled(4)
@EACH
def test_a_line_of_ours_that_lines_of_others_need_by_now_stays_and_is_named_with_one_of_them(
    os: str, line: str
) -> None:
    wanted, later, switch, path = case(os, line)
    theirs = typed(switch, wanted, NEEDED[os][line])
    inside = [below for below in wanted.tree.paths() if below[: len(path)] == path and has_meaning_in(path)]
    plan = switch.push(later)
    assert gone(switch, wanted, [path, *theirs, *inside]) == []
    found = [each for each in plan.others if each.path == path[: len(each.path)]]
    assert [each.in_the_way_of for each in found] == [()]
    words = ("needs it, and stays", "is in it, and stays")
    assert (os, line) == ("nxos", "feature bgp") or found[0].reason.endswith(words)  # which was there before
    assert switch.plan(later).changes == ()
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []
    assert switch.plan(wanted).changes == ()


def has_meaning_in(path: Path) -> bool:
    """Is what is in this object what others mean by its name?"""
    return path[-1].startswith(("ip prefix-list", "qos profile", "policy-map", "FRONT-OWN", "mlag", "vpc domain"))


@pytest.mark.sampled(4)
@EACH
def test_a_line_of_ours_that_nothing_of_others_needs_goes(os: str, line: str) -> None:
    wanted, later, switch, path = case(os, line)
    before = switch.running()
    plan = switch.push(later)
    is_gone = gone(switch, wanted, [path]) == [path]
    assert is_gone == ((os, line) not in NEEDED_BY_DAY_0)
    assert is_gone == (path not in {each.path for each in plan.others})
    assert switch.plan(later).changes == ()
    switch.roll_back(wanted)
    assert tree_of(switch, wanted) == wanted.platform.to_tree(before)


FIRST = {
    'mlag / enable: "on"': "mlag: {enable: 'on'}",
    "vpc domain 1": "feature vpc\nvpc domain 1\n",
    "service dhcp": "feature dhcp\nservice dhcp\n",
    "ip dhcp relay": "feature dhcp\nip dhcp relay\n",
    "router / policy / prefix-list / FRONT-OWN": "router: {policy: {prefix-list: {FRONT-OWN: {type: ipv4}}}}",
    "bridge / domain / br_default / vlan / 200": "bridge: {domain: {br_default: {vlan: {'200': {}}}}}",
    "bridge / domain / br_default / vlan / 300": "bridge: {domain: {br_default: {vlan: {'300': {}}}}}",
    'router / vrr / enable: "on"': "router: {vrr: {enable: 'on'}}",
    "router / bgp / autonomous-system: 4200200000": "router: {bgp: {autonomous-system: 4200200000}}",
    'router / bgp / router-id: "10.254.0.1"': "router: {bgp: {router-id: 10.254.0.1}}",
    "vrf / COMPUTE": "vrf: {COMPUTE: {table: auto}}",
    "vrf instance COMPUTE": "vrf instance COMPUTE\nip routing vrf COMPUTE\n",
    "ip routing vrf COMPUTE": "vrf instance COMPUTE\nip routing vrf COMPUTE\n",
}
"""Our line -> what is typed for it, where it is not the line alone."""


@pytest.mark.sampled(4)
@EACH
def test_a_line_that_was_there_before_our_first_push_stays_unless_that_push_adopted_it(os: str, line: str) -> None:
    device = device_of(os, line)
    wanted = wanted_of(text(RICH, os), device)
    path = tuple(line.split(" / "))
    switch = brought_up(wanted, "{}" if os == "nvue" else "")
    theirs = typed(switch, wanted, FIRST.get(line, line))
    switch.push(wanted)
    assert switch.adopted == ({path} if line.startswith("vlan") else set())
    switch.push(nothing(wanted))
    assert gone(switch, wanted, theirs) == sorted(switch.adopted)
    assert switch.plan(nothing(wanted)).changes == ()
    switch.roll_back(wanted)
    switch.roll_back(wanted)
    assert gone(switch, wanted, theirs) == []


LATER = {
    "bfd in routing: false": (
        ("nxos", RAILS["nxos"], Choice(), Choice(bfd=False)),
        "feature bfd",
        "router bgp 4200000001\nneighbor 203.0.113.9\nremote-as 64999\nbfd\n",
    ),
    "no pool of IPv6": (
        ("eos", PAIRED, Choice(business=0, storage_v6=True), Choice(business=0)),
        "ipv6 unicast-routing",
        "vlan 700\ninterface Vlan700\nipv6 address 2001:db8:7::1/64\n",
    ),
    "no relay": (
        ("nxos", PAIRED, Choice(relays=1), Choice()),
        "feature dhcp",
        "vlan 700\ninterface Vlan700\nip dhcp relay address 192.0.2.99\n",
    ),
}
"""What changes in the intent -> the switch with both designs, a line that the later one lacks, and what needs it."""


@pytest.mark.parametrize(
    ("what", "is_needed"),
    [
        *((what, False) for what in LATER),
        *((what, True) for what in LATER),
    ],
)
def test_a_later_design_without_it_takes_a_shared_line_away_only_where_nothing_of_others_needs_it(
    what: str, is_needed: bool
) -> None:
    (os, device, one, two), line, theirs = LATER[what]
    first, second = wanted_of(text(one, os), device), wanted_of(text(two, os), device)
    switch = brought_up(first, "")
    switch.push(first)
    added = typed(switch, first, theirs) if is_needed else ()
    plan = switch.push(second)
    assert gone(switch, first, [(line,), *added]) == ([] if is_needed else [(line,)])
    assert [each.reason.endswith("needs it, and stays") for each in plan.others if each.path == (line,)] == (
        [True] if is_needed else []
    )
    assert switch.plan(second).changes == ()
    switch.roll_back(first)
    assert gone(switch, first, [(line,), *added]) == []


@pytest.mark.parametrize(
    ("os", "line", "theirs"),
    [
        ("eos", "ipv6 unicast-routing", "vlan 700\ninterface Vlan700\nipv6 address 2001:db8:7::1/64\n"),
        (
            "nxos",
            "feature dhcp",
            "feature interface-vlan\nvlan 700\ninterface Vlan700\nip dhcp relay address 192.0.2.9\n",
        ),
    ],
)
def test_a_push_of_one_plane_leaves_what_others_have_once_where_nothing_of_ours_needs_it(
    os: str, line: str, theirs: str
) -> None:
    plane = select(site_of(text(Choice(business=0), os)), ["storage"], [PAIRED])[PAIRED]
    switch = brought_up(plane, "")
    added = typed(switch, plane, f"{line}\n{theirs}")
    plan = switch.push(plane)
    assert not {(line,), *added} & {each.path for each in plan.changes}
    assert gone(switch, plane, [(line,), *added]) == []
    assert switch.plan(plane).changes == ()
