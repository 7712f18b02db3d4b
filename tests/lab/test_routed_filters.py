"""Filters of a routed lab: access lists as rules of nftables, and frames of a peer link that were sent already."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from loaded_twins import loaded
from routed_lab import needs_root

from switch_twins.eos.acl import PORT_NAMES
from switch_twins.groups import Member
from switch_twins.routed.circles import Cabled, closed_ports
from switch_twins.routed.hosts import bond_lines, port_lines, vlan_lines
from switch_twins.routed.legs import as_bundled, is_leg_up, rules, sent_already
from switch_twins.routed.lists import AccessList, Bound, Family, UnknownRule, rule, ruleset
from switch_twins.routed.ports import Port
from switch_twins.routed.startup import routing_of
from switch_twins.spec import Cable, End, Host, HostBond, HostEnd, HostRoute, HostVlan
from switch_twins.state import InterfaceState, PairState, SwitchState

RULES = {
    "permit ip any any": "counter accept",
    "deny ip any any log": "counter drop",
    "permit icmp any any 3": "icmp type 3 counter accept",
    "permit icmp 10.1.0.0/16 host 10.2.0.1": "meta l4proto icmp ip saddr 10.1.0.0/16 ip daddr 10.2.0.1 counter accept",
    "permit tcp 10.1.0.0/25 10.1.0.128/25 eq nfs": "ip saddr 10.1.0.0/25 ip daddr 10.1.0.128/25 tcp dport 2049"
    " counter accept",
    "permit tcp any eq ssh any established": "tcp sport 22 tcp flags & (ack | rst) != 0 counter accept",
    "permit udp any range 1000 2000 any gt 1023": "udp sport 1000-2000 udp dport 1024-65535 counter accept",
    "permit tcp any any eq ssh https snmp": "tcp dport { 22, 443, 161 } counter accept",
    "deny udp 10.0.0.0 0.0.0.255 any neq 53": "ip saddr 10.0.0.0/24 udp dport != 53 counter drop",
    "permit ospf any any": "meta l4proto ospfigp counter accept",
    "permit tcp any any": "meta l4proto tcp counter accept",
    "permit 47 any any": "meta l4proto 47 counter accept",
}
SIX = {
    "permit ipv6 2001:db8::/32 any": "ip6 saddr 2001:db8::/32 counter accept",
    "permit tcp host 2001:db8::1 any eq 179": "ip6 saddr 2001:db8::1 tcp dport 179 counter accept",
    "permit icmpv6 any any": "meta l4proto icmpv6 counter accept",
    "permit icmp any any 135": "icmpv6 type 135 counter accept",
    "permit 58 any 2001:db8::/128": "meta l4proto 58 ip6 daddr 2001:db8:: counter accept",
    "deny ipv6 any any": "counter drop",
}
UNKNOWN = (
    "permit tcp addrgroup SERVERS any",
    "permit ip any any ttl eq 255",
    "permit tcp any eq no-such-name any",
    "permit nonsense any any",
    "permit ip 10.0.0.1 0.0.255.0 any",
    "permit tcp any",
)


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_what_nftables_has_for_it(text: str) -> None:
    assert rule(text, PORT_NAMES) == RULES[text]


@pytest.mark.parametrize("text", SIX)
def test_a_rule_of_ipv6_is_what_nftables_has_for_it(text: str) -> None:
    assert rule(text, PORT_NAMES, "ip6") == SIX[text]


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_rule_with_a_word_without_counterpart_is_refused(text: str) -> None:
    with pytest.raises(UnknownRule):
        rule(text, PORT_NAMES)


def test_a_list_meets_what_comes_in_at_the_gateway_as_well_and_denies_the_rest() -> None:
    text = ruleset([AccessList("IN-1", ("counter accept",))], [Bound("Vlan200", "in", "IN-1")])
    assert 'iifname { "Vlan200", "Vlan200-v0" } goto list_IN_2d_1' in text
    assert re.search(r"chain list_IN_2d_1 \{\n  counter accept\n  counter drop\n", text)


@needs_root
@pytest.mark.parametrize(("family", "rules"), [("ip", ("tcp dport 179 counter accept",)), ("ip6", ())])
def test_a_list_of_the_control_plane_meets_what_comes_to_the_switch_by_ports_of_the_default_vrf(
    family: Family, rules: tuple[str, ...]
) -> None:
    text = ruleset([AccessList("CP", rules, family)], [Bound("", "control", "CP", family)])
    own = text[text.index(" chain control {") :].splitlines()
    assert own[0].endswith("type filter hook input priority filter; policy accept;")
    assert [each.strip() for each in own[1:4]] == ['iifname "lo" accept', 'meta iifkind "vrf" accept', "goto list_CP"]
    done = subprocess.run(["nft", "-c", "-f", "-"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), text


def test_without_a_list_in_use_there_is_no_table() -> None:
    none = "".join(f"add table {family} lists\ndelete table {family} lists\n" for family in ("ip", "ip6", "bridge"))
    assert ruleset([AccessList("UNUSED", ("counter accept",))], []) == none


@needs_root
def test_nftables_takes_every_list_of_the_default_lab(tmp_path: Path) -> None:
    lab, texts = loaded("lab", [], tmp_path), set[str]()
    for twin in lab.twins.values():
        routing = routing_of(twin, has_devices=True)
        texts.add(ruleset(routing.lists, routing.bound))
        assert {each.name for each in routing.bound} == {each.name for each in routing.lists}
    assert len(texts) > 4 and shutil.which("nft")
    for text in texts:
        done = subprocess.run(["nft", "-c", "-f", "-"], input=text, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), text


# -- both legs of a group ------------------------------------------------------------------------------------------

LACP = (("mode", "802.3ad"),)
LEG = Port(True, 9216, carrier=True, kind="bond", options=LACP, partner="02:00:00:00:00:01")
MEMBER = Port(True, 9216, carrier=True, master="po7", is_bundled=True)
PAIR = PairState("domain", "Port-Channel1000")
GROUP = InterfaceState("po7", is_routed=False, is_group=True, over_both="7")
HOST = ("gpu-1", "front")


@pytest.mark.parametrize(
    ("bond", "member", "is_up"),
    [
        (LEG, MEMBER, True),
        (replace(LEG, carrier=False), MEMBER, False),
        (replace(LEG, partner=""), MEMBER, False),
        (LEG, replace(MEMBER, is_bundled=False), False),
        (replace(LEG, options=(("mode", "balance-xor"),), partner=""), MEMBER, True),
    ],
    ids=["both talk", "no carrier", "nobody answers", "not in sync", "without LACP"],
)
def test_a_leg_is_up_if_frames_go_through_it(bond: Port, member: Port, *, is_up: bool) -> None:
    assert is_leg_up("po7", {"po7": bond, "member": member}) is is_up


SILENT = replace(LEG, partner="")


@pytest.mark.parametrize(
    ("bond", "port", "partner"),
    [(LEG, MEMBER, HOST), (SILENT, MEMBER, None), (LEG, replace(MEMBER, carrier=False), None)],
    ids=["both talk", "nobody answers", "no carrier"],
)
def test_a_partner_that_the_kernel_does_not_hear_is_not_shown(
    bond: Port, port: Port, partner: tuple[str, str] | None
) -> None:
    """Nor is one that the configurations promise: the other switch of a pair may hear the real one."""
    (found,) = as_bundled([Member("member", True, "", HOST)], "po7", {"po7": bond, "member": port})
    assert (found.partner, found.is_bundled) == (partner, partner is not None)


def test_frames_of_the_peer_link_leave_by_groups_whose_other_leg_is_down() -> None:
    one, other = (SwitchState(name, "eos", interfaces=(GROUP,), pair=PAIR) for name in ("one", "other"))
    there = {"po7": LEG, "member": MEMBER}
    assert sent_already(one, other, there) == ["po7"]
    assert sent_already(one, other, {**there, "po7": replace(LEG, carrier=False)}) == []
    assert 'iifname "po1000" oifname { "po7" } drop' in rules("Port-Channel1000", ["po7"])
    assert "drop" not in rules("Port-Channel1000", [])


# -- circles of cables ---------------------------------------------------------------------------------------------


def closed(cables: list[tuple[str, str, str, str]], groups: dict[str, tuple[InterfaceState, ...]]) -> object:
    """``cables``: switch and port of both ends; all are switched. ``groups``: of switches, with their members."""
    ends = [(End(a, one), End(b, other)) for a, one, b, other in cables]
    interfaces = {end: InterfaceState(end.port, is_routed=False) for both in ends for end in both}
    for device, found in groups.items():
        interfaces.update({End(device, each.name): each for each in found})
    names = {end.device for end in interfaces}
    pairs = {"a": "b", "b": "a"} if groups else {}
    states = {name: SwitchState(name, "eos", pair=PAIR if name in pairs else None) for name in names}
    plugged = [Cable(str(number), *both) for number, both in enumerate(ends)]
    return closed_ports(Cabled(plugged, interfaces, states, pairs))


def test_of_three_switches_in_a_circle_one_port_is_closed() -> None:
    circle = [("a", "e1", "b", "e1"), ("b", "e2", "c", "e2"), ("c", "e3", "a", "e3")]
    assert closed(circle, {}) == {"c": frozenset({"e2"})}
    assert closed(circle[:2], {}) == {}


def test_two_cables_between_two_switches_and_one_from_a_switch_to_itself_are_circles() -> None:
    assert closed([("a", "e1", "b", "e1"), ("a", "e2", "b", "e2")], {}) == {"b": frozenset({"e2"})}
    assert closed([("a", "e1", "a", "e2")], {}) == {"a": frozenset({"e2"})}


def test_a_group_over_both_of_a_pair_is_no_circle() -> None:
    up = {
        name: (
            InterfaceState("e1", is_routed=False, group="Port-Channel1000"),
            InterfaceState("e2", is_routed=False, group="po7"),
            InterfaceState("Port-Channel1000", is_routed=False, is_group=True),
            GROUP,
        )
        for name in ("a", "b")
    }
    below = tuple(InterfaceState(name, is_routed=False, group="po1") for name in ("e1", "e2"))
    up["c"] = (*below, InterfaceState("po1", is_routed=False, is_group=True))
    assert closed([("a", "e1", "b", "e1"), ("a", "e2", "c", "e1"), ("b", "e2", "c", "e2")], up) == {}


# -- hosts ---------------------------------------------------------------------------------------------------------


def test_a_host_has_its_bond_its_vlans_and_its_routes() -> None:
    vlans = (
        HostVlan(None, ("10.1.0.4/25",), (HostRoute("10.1.0.0/16", "10.1.0.1"),)),
        HostVlan(
            300, ("10.3.0.4/25", "fd00::4/64"), (HostRoute("0.0.0.0/0", "10.3.0.1"), HostRoute("::/0", "fd00::1"))
        ),
    )
    bond = HostBond("gpu-1", "front", 9000, lacp_is_fast=True, vlans=vlans)
    port = Host("gpu-1", "front0", End("leaf", "e1"), 9000, end=HostEnd(bond))
    assert [*bond_lines(bond), *port_lines([port], has_bonds=True), *vlan_lines(bond)] == [
        "link add name front type bond mode 802.3ad lacp_active on lacp_rate fast miimon 100 xmit_hash_policy layer3+4",
        "link set front mtu 9000",
        "link set front0 mtu 9000",
        "link set front0 master front",
        "link set front0 up",
        "link set front up",
        "address add 10.1.0.4/25 dev front",
        "link set front up",
        "route add 10.1.0.0/16 via 10.1.0.1 dev front",
        "link add link front name front.300 type vlan id 300",
        "address add 10.3.0.4/25 dev front.300",
        "address add fd00::4/64 dev front.300 nodad",
        "link set front.300 up",
        "route add 0.0.0.0/0 via 10.3.0.1 dev front.300",
        "route add ::/0 via fd00::1 dev front.300",
    ]
    assert "master" not in " ".join(port_lines([port], has_bonds=False))
