"""The judge of removals is judged: what it must let pass, and every way of taking too much that it must catch."""

import json
from collections.abc import Set
from typing import Any

import pytest

from tests.foreign.lines import lines
from tests.foreign.oracle import added, robbed, unknown_removals

WANTED = {
    "eos": """\
ip routing
!
vlan 300
   name BUSINESS-HOSTS
!
interface Ethernet1
   description gpu-1 front0
   no shutdown
   mtu 9214
!
interface Vlan300
   description business hosts
   ip address 10.177.0.2/25
!
ip prefix-list FRONT-OWN
   seq 10 permit 10.254.0.1/32
!
route-map FRONT-OUT permit 10
   match ip address prefix-list FRONT-OWN
!
spanning-tree mst 0 priority 4096
router bgp 4200200000
   router-id 10.254.0.1
   neighbor FRONT-SPINES peer group
   neighbor FRONT-SPINES bfd
   neighbor 10.180.0.0 peer group FRONT-SPINES
   neighbor 10.180.0.0 remote-as 4200209998
   address-family ipv4
      neighbor FRONT-SPINES activate
end
""",
    "nxos": """\
feature bgp
vlan 300
  name BUSINESS-HOSTS
ip prefix-list FRONT-OWN seq 10 permit 10.254.0.2/32
route-map FRONT-OUT permit 10
  match ip address prefix-list FRONT-OWN
spanning-tree vlan 1-3967 priority 4096
interface Ethernet1/1
  description gpu-1 front0
  mtu 9216
  no shutdown
interface Vlan300
  description business hosts
  ip address 10.177.0.2/25
router bgp 4200200002
  router-id 10.254.0.2
  template peer FRONT-SPINES
    bfd
  neighbor 10.180.0.16
    inherit peer FRONT-SPINES
    remote-as 4200209998
""",
    "nvue": """\
bridge: {domain: {br_default: {vlan: {"300": {}}}}}
interface:
  lo: {ip: {address: {"10.254.0.3/32": {}}}}
  swp1: {description: gpu-1 front0, link: {mtu: 9216, state: {up: {}}}}
  vlan300: {type: svi, vlan: 300, ip: {address: {"10.177.1.2/25": {}}}}
router:
  policy: {prefix-list: {FRONT-OWN: {rule: {"10": {action: permit}}}}}
vrf:
  default:
    router:
      bgp:
        enable: "on"
        peer-group: {FRONT-SPINES: {bfd: {enable: "on"}}}
        neighbor: {"10.180.0.32": {remote-as: 4200209998}}
""",
}
LOST: dict[str, list[tuple[str, ...]]] = {
    "eos": [
        ("vlan 55", "   name CAMERAS"),
        ("vlan 300", "   trunk group OTHERS"),
        ("interface Ethernet1", "   load-interval 30"),
        ("interface Loopback0", "   ip address 192.0.2.7/32 secondary"),
        ("interface Vlan300", "   ip helper-address 203.0.113.9"),
        ("ip prefix-list FRONT-OWNERS", "   seq 10 permit 10.254.0.0/18"),
        ("route-map front-out permit 20", "   set local-preference 200"),
        ("ip route 10.177.5.0/24 Null0",),
        ("ip route 198.18.0.0/24 203.0.113.1",),
        ("ipv6 unicast-routing",),
        ("router bgp 4200200000", "   neighbor 10.180.0.9 remote-as 64999"),
        ("router bgp 4200200000", "   neighbor 10.180.0.0 password 7 00"),
        ("router bgp 4200200000", "   neighbor FRONT-SPINES2 peer group"),
        ("router bgp 4200200000", "   aggregate-address 10.177.0.0/16"),
        ("router bgp 4200200000", "   address-family ipv4", "      network 198.18.0.0/24"),
    ],
    "nxos": [
        ("vlan 55", "  name CAMERAS"),
        ("feature ospf",),
        ("interface Ethernet1/1", "  ip flow monitor OTHERS input"),
        ("interface loopback0", "  ip address 192.0.2.7/32 secondary"),
        ("ip prefix-list FRONT-OWNERS seq 10 permit 10.254.0.0/18",),
        ("route-map front-out permit 20", "  set local-preference 200"),
        ("ip route 10.177.5.0/24 Null0",),
        ("router bgp 4200200002", "  neighbor 10.180.0.99", "    remote-as 64999"),
        ("router bgp 4200200002", "  template peer FRONT-SPINES2", "    bfd"),
        ("router bgp 4200200002", "  neighbor 10.180.0.16", "    password 3 00"),
    ],
    "nvue": [
        ('bridge: {domain: {br_default: {vlan: {"55": {}}}}}',),
        ('interface: {lo: {ip: {address: {"192.0.2.7/32": {}}}}}',),
        ("interface: {swp1: {lldp: {state: enabled}}}",),
        ("interface: {vlan301: {type: svi, vlan: 301}}",),
        ('router: {policy: {prefix-list: {FRONT-OWNERS: {rule: {"10": {action: permit}}}}}}',),
        ('router: {ospf: {enable: "on"}}',),
        ('vrf: {default: {router: {static: {"10.177.5.0/24": {via: {"192.0.2.1": {}}}}}}}',),
        ('vrf: {default: {router: {bgp: {neighbor: {"10.180.0.99": {remote-as: 64999}}}}}}',),
        ("vrf: {default: {router: {bgp: {peer-group: {FRONT-SPINES2: {remote-as: external}}}}}}",),
    ],
}
"""Of each: lines of others that a push removed though nothing showed them to be ours, however near ours they are."""
REPLACED: dict[str, list[tuple[str, ...]]] = {
    "eos": [
        ("interface Ethernet1", "   description core uplink"),
        ("interface Ethernet1", "   shutdown"),
        ("interface Ethernet1", "   mtu 1500"),
        ("no ip routing",),
        ("router bgp 4200200000", "   router-id 192.0.2.1"),
        ("spanning-tree mst 0 priority 8192",),
        ("interface Vlan300", "   ip address 192.0.2.1/24"),
    ],
    "nxos": [
        ("interface Ethernet1/1", "  description core uplink"),
        ("interface Ethernet1/1", "  shutdown"),
        ("spanning-tree vlan 10,20-30 priority 8192",),
        ("router bgp 4200200002", "  router-id 192.0.2.1"),
    ],
    "nvue": [
        ("interface: {swp1: {description: core uplink}}",),
        ("interface: {swp1: {link: {state: {down: {}}}}}",),
        ("interface: {swp1: {link: {mtu: 1500}}}",),
        ('vrf: {default: {router: {bgp: {enable: "off"}}}}',),
    ],
}
"""Of each: lines of others whose single value a wanted line sets."""
OURS_BY_NAME: dict[str, list[tuple[str, ...]]] = {
    "eos": [
        ("ip prefix-list FRONT-OWN", "   seq 20 permit 0.0.0.0/0 le 32"),
        ("route-map FRONT-OUT permit 20", "   set local-preference 200"),
        ("router bgp 4200200000", "   neighbor FRONT-SPINES password 7 00"),
    ],
    "nxos": [
        ("ip prefix-list FRONT-OWN seq 20 permit 0.0.0.0/0 le 32",),
        ("route-map FRONT-OUT permit 20", "  set local-preference 200"),
        ("router bgp 4200200002", "  template peer FRONT-SPINES", "    password 3 00"),
    ],
    "nvue": [
        ('router: {policy: {prefix-list: {FRONT-OWN: {rule: {"20": {action: permit}}}}}}',),
        ("vrf: {default: {router: {bgp: {peer-group: {FRONT-SPINES: {password: x}}}}}}",),
    ],
}
"""Of each: lines in an object that the intent wants under just this name."""


def text(os: str, rows: tuple[str, ...]) -> str:
    return "\n".join(rows) + "\n"


def rows(table: dict[str, list[tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(os, each) for os, found in table.items() for each in found]


def judged(
    os: str,
    before: tuple[str, ...],
    ours: Set[tuple[str, ...]] = frozenset(),
    given: Set[tuple[str, ...]] = frozenset(),
) -> list[tuple[str, ...]]:
    """What is said of a push that removed all of these lines."""
    return unknown_removals(os, text(os, before), "{}" if os == "nvue" else "", WANTED[os], set(ours), set(given))


@pytest.mark.parametrize(("os", "before"), rows(LOST))
def test_a_line_of_others_that_goes_is_found_however_near_it_is_to_ours(os: str, before: tuple[str, ...]) -> None:
    gone = lines(os, text(os, before))
    (deepest,) = [path for path in gone if len(path) == max(map(len, gone))] if os != "nvue" else [min(gone)]
    assert deepest in judged(os, before)


@pytest.mark.parametrize(("os", "before"), rows(REPLACED) + rows(OURS_BY_NAME))
def test_a_line_that_a_wanted_one_replaces_or_that_is_in_an_object_of_our_name_may_go(
    os: str, before: tuple[str, ...]
) -> None:
    deepest = max(lines(os, text(os, before)), key=len)
    assert deepest not in judged(os, before)


@pytest.mark.parametrize(("os", "before"), rows(LOST))
def test_what_an_earlier_push_added_or_somebody_gave_over_may_go(os: str, before: tuple[str, ...]) -> None:
    gone = lines(os, text(os, before))
    assert judged(os, before, ours=gone) == []
    assert judged(os, before, given={path[:1] for path in gone}) == []


@pytest.mark.parametrize(
    ("os", "before", "written"),
    [
        ("eos", ("interface Ethernet1", "   load-interval 30"), ("interface Ethernet1", "mtu 9214")),
        (
            "eos",
            ("router bgp 4200200000", "   neighbor 10.180.0.0 password 7 00"),
            ("router bgp 4200200000", "neighbor 10.180.0.0 remote-as 4200209998"),
        ),
        ("nxos", ("interface Ethernet1/1", "  ip flow monitor OTHERS input"), ("interface Ethernet1/1", "mtu 9216")),
        ("nvue", ("interface: {swp1: {lldp: {state: enabled}}}",), ("interface", "swp1", "link", "mtu: 9216")),
    ],
)
def test_in_a_port_or_neighbour_that_we_wrote_to_and_want_all_lines_may_go(
    os: str, before: tuple[str, ...], written: tuple[str, ...]
) -> None:
    deepest = max(lines(os, text(os, before)), key=len)
    assert deepest not in judged(os, before, ours={written})
    elsewhere = tuple(each.replace("swp1", "swp7").replace("Ethernet1", "Ethernet7") for each in written)
    elsewhere = tuple(each.replace("10.180.0.0", "10.180.0.2") for each in elsewhere)
    assert deepest in judged(os, before, ours={elsewhere})


@pytest.mark.parametrize("os", WANTED)
def test_a_push_that_removes_nothing_is_never_blamed_and_one_that_empties_the_switch_always_is(os: str) -> None:
    others = [text(os, each) for each in LOST[os]]
    for each in others:
        assert unknown_removals(os, each, each, WANTED[os], set(), set()) == []
        assert unknown_removals(os, each, WANTED[os], WANTED[os], set(), set()) != []


def test_vlans_that_a_switch_prints_in_one_line_are_judged_one_by_one() -> None:
    found = unknown_removals("nxos", "vlan 1,55,300-301\n", "vlan 1,300\n", "vlan 300\n", {("vlan 301",)}, set())
    assert found == [("vlan 55",)]
    assert added("nxos", "vlan 1\n", "vlan 1,7-8\n") == {("vlan 7",), ("vlan 8",)}


def test_a_value_of_nvue_is_one_line_and_a_key_that_got_entries_is_still_there() -> None:
    before: dict[str, Any] = {"interface": {"swp9": {"link": {}}}}
    after = {"interface": {"swp9": {"link": {"mtu": 9216}}}}
    assert unknown_removals("nvue", json.dumps(before), json.dumps(after), "{}", set(), set()) == []
    found = unknown_removals("nvue", json.dumps(after), json.dumps(before), "{}", set(), set())
    assert found == [("interface", "swp9", "link", "mtu: 9216")]


@pytest.mark.parametrize(
    ("os", "before", "after"),
    [
        ("eos", "ip routing\nip route 198.18.0.0/24 203.0.113.1\n", "ip route 198.18.0.0/24 203.0.113.1\n"),
        (
            "eos",
            "vrf instance OTHERS\ninterface Ethernet9\n   vrf OTHERS\n",
            "interface Ethernet9\n   vrf OTHERS\n",
        ),
        (
            "nxos",
            "feature hsrp\ninterface Vlan55\n  hsrp 55\n    ip 198.18.0.1\n",
            "interface Vlan55\n  hsrp 55\n    ip 198.18.0.1\n",
        ),
        (
            "nvue",
            'router: {vrr: {enable: "on"}}\ninterface: {vlan55: {ip: {vrr: {enable: "on"}}}}\n',
            'interface: {vlan55: {ip: {vrr: {enable: "on"}}}}\n',
        ),
        (
            "nvue",
            'vrf: {OTHERS: {}}\ninterface: {swp9: {ip: {vrf: "OTHERS"}}}\n',
            'interface: {swp9: {ip: {vrf: "OTHERS"}}}\n',
        ),
    ],
)
def test_what_lines_of_others_need_is_missed_whoever_had_added_it(os: str, before: str, after: str) -> None:
    assert robbed(os, before, after, "{}" if os == "nvue" else "") != []
    assert robbed(os, before, before, "{}" if os == "nvue" else "") == []
    assert robbed(os, before, "{}" if os == "nvue" else "", "{}" if os == "nvue" else "") == []
