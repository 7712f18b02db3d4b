"""Pairs: each member has its peer, hears it and is like it; what is not is named with both values, by its one cause."""

import re
from dataclasses import replace
from typing import Any

import pytest
from simulated import Network

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.mlag import check_pairs
from nornir_tasks.deploy.tasks import worth_asking
from nornir_tasks.platforms.observed import FIELDS, NO_PAIR, Observed, PairState, Unlike

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
PAIRS = (EOS, NXOS, NVUE)
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}
MEMBERS = {EOS: "Ethernet{}/1", NXOS: "Ethernet1/{}", NVUE: "swp{}"}


def found(network: Network, device: str) -> dict[str, Finding]:
    return {each.subject: each for each in check_pairs(network.evidence()) if each.device == device}


def of_pairs(cause: Cause) -> set[tuple[str, str]]:
    return {(each.device, each.subject) for each in (cause.lead, *cause.follows) if each.check == "pairs"}


def shows(network: Network, device: str, **changes: Any) -> None:
    def changed(pair: PairState | None) -> PairState:
        assert pair is not None
        return replace(pair, **changes)

    network.shows(device, lambda seen: replace(seen, pair=changed(seen.pair)))


def test_every_member_of_the_design_is_judged_and_passes() -> None:
    findings = check_pairs(Network("front").evidence())
    assert {each.verdict for each in findings} == {Verdict.PASS}
    assert len(findings) == 2 * 4 * 3
    first = findings[0]
    assert (first.expected, first.found) == (first.found, f"peer in domain {EOS} over Port-Channel1000")


@pytest.mark.parametrize("pair", PAIRS)
def test_each_field_that_is_shown_of_a_pair_is_judged(pair: str) -> None:
    changes: list[dict[str, Any]] = [
        {"domain": "other"},
        {"peer_link": "Port-Channel9"},
        {"connected": False, "state": "connecting"},
        {"keepalive": False},
        {"unlike": (Unlike("STP Mode", "MST", "Rapid-PVST"),)},
    ]
    for change in changes:
        network = Network("front")
        shows(network, f"{pair}-a", **change)
        (bad,) = network.judge().failed
        assert (bad.check, bad.device, bad.port) == ("pairs", f"{pair}-a", LINK[pair])
        assert bad.found != bad.expected


def test_both_values_are_in_the_message() -> None:
    network = Network("front")
    shows(network, f"{NXOS}-a", domain="7", unlike=(Unlike("STP Mode", "MST", "Rapid-PVST"),), keepalive=False)
    seen = found(network, f"{NXOS}-a")
    where = f"{NXOS}-a port-channel1000 <-> {NXOS}-b"
    assert seen["peer"].message == f"{where}: peer in domain 7 over port-channel1000"
    assert seen["peer"].expected == "peer in domain 2 over port-channel1000"
    assert seen["likeness"].message == f"{where}: STP Mode: MST here, Rapid-PVST there"
    other = network.evidence().wanted[f"{NXOS}-a"].pair
    assert other is not None
    assert seen["keepalive"].found == f"keepalive of {other.keepalive_address} not heard"


@pytest.mark.parametrize("pair", PAIRS)
def test_a_peer_link_that_is_out_is_its_cables_cause_and_the_pair_follows_at_both_members(pair: str) -> None:
    network = Network("front")
    leaves = {f"{pair}-{leaf}" for leaf in "ab"}
    network.cut = {name for name, ends in network.cables.items() if {end.device for end in ends} == leaves}
    report = network.judge()
    assert len(report.causes) == 2  # the two cables
    assert {each.lead.check for each in report.causes} == {"port"}
    followed = set().union(*map(of_pairs, report.causes))
    assert followed == {(leaf, subject) for leaf in leaves for subject in ("peer", "likeness")}
    assert all(found(network, leaf)["keepalive"].verdict is Verdict.PASS for leaf in leaves)


def test_a_peer_link_that_is_shut_at_one_end_is_one_cause() -> None:
    network = Network("front")
    network.port(f"{EOS}-a", LINK[EOS], enabled=False)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.port) == ("config", LINK[EOS])
    assert (f"{EOS}-b", "peer") in of_pairs(cause)


@pytest.mark.parametrize("pair", [EOS, NXOS])
def test_another_domain_at_one_member_is_one_cause_for_both(pair: str) -> None:
    network = Network("front")
    lines = network.running[f"{pair}-a"].pair
    assert lines is not None
    network.config(f"{pair}-a", pair=replace(lines, **({"name": "wrong"} if pair == EOS else {"number": 77})))
    (cause,) = network.judge().causes
    assert cause.lead.check == "config"
    assert {(f"{pair}-{leaf}", "peer") for leaf in "ab"} <= of_pairs(cause)
    word = "wrong" if pair == EOS else "77"
    assert found(network, f"{pair}-a")["peer"].found.startswith(f"no peer in domain {word} over")


def test_another_address_to_keep_alive_is_one_cause_and_leaves_the_peer_up() -> None:
    for pair in PAIRS:
        network = Network("front")
        lines = network.running[f"{pair}-a"].pair
        assert lines is not None
        network.config(f"{pair}-a", pair=replace(lines, keepalive_address="192.0.2.9"))
        (cause,) = network.judge().causes
        assert cause.lead.check == "config"
        assert of_pairs(cause) == {(f"{pair}-{leaf}", "keepalive") for leaf in "ab"}


def test_a_keepalive_without_a_way_follows_what_took_the_route() -> None:
    network = Network("front")
    leaf, spines = f"{NXOS}-a", {"front-spine-1", "front-spine-2"}
    # else it has the default route over the peer link, and keepalives go by that
    for name in (f"{NVUE}-a", f"{NVUE}-b"):
        network.bgp(name, networks=tuple(each for each in network.bgp_of(name).networks if each != "0.0.0.0/0"))
    between = {name: {end.device for end in ends} for name, ends in network.cables.items()}
    network.cut = {name for name, devices in between.items() if leaf in devices and devices & spines}
    assert len(network.cut) > 1
    report = network.judge()
    assert {(each.device, each.subject) for each in report.failed if each.check == "pairs"} == {
        (f"{NXOS}-{each}", "keepalive") for each in "ab"
    }
    assert not [each for each in report.causes if each.lead.check == "pairs"]


def test_a_vlan_that_the_peer_link_lacks_at_one_end_is_one_cause_with_both_values() -> None:
    network = Network("front")
    port = next(each for each in network.wanted[f"{NXOS}-a"].interfaces if each.name == LINK[NXOS])
    assert port.tagged_vlans
    network.port(f"{NXOS}-a", LINK[NXOS], tagged_vlans=frozenset({*port.tagged_vlans, 999}))
    (cause,) = network.judge().causes
    assert cause.lead.check == "config"
    assert of_pairs(cause) == {(f"{NXOS}-{leaf}", "likeness") for leaf in "ab"}
    assert found(network, f"{NXOS}-b")["likeness"].found == "Allowed VLANs: 200,3967 here, 200,999,3967 there"


def altered(network: Network, leaf: str, what: str) -> None:
    """One line of a member of a Cumulus pair, altered by hand."""
    lines, tree = network.running[leaf].pair, network.running[leaf].spanning_tree
    assert lines is not None and tree is not None
    if what == "system-mac":
        network.config(leaf, pair=replace(lines, mac_address="44:38:39:ff:00:77"))
    elif what == "bridge-priority":
        network.config(leaf, spanning_tree=replace(tree, priority=8192))
    else:
        network.port(leaf, *ALTERED[what][0], **ALTERED[what][1])


ALTERED: dict[str, tuple[tuple[str], dict[str, Any]]] = {
    "peerlink-native-vlan": (("peerlink",), {"native_vlan": None}),
    "peerlink-mtu": (("peerlink",), {"mtu_bytes": 9000}),
    "bond1 native-vlan": (("bond1",), {"access_vlan": 311}),
}
ROWS = {
    "peerlink-native-vlan": ("-", "1"),
    "peerlink-mtu": ("9000", "9216"),
    "bond1 native-vlan": ("311", "310"),
    "bridge-priority": ("8192", "4096"),
    "system-mac": ("44:38:39:ff:00:77", "44:38:39:ff:00:04"),
}
"""Rows for which the secondary holds its bonds over both down: the value of the altered member, and the other's."""


@pytest.mark.parametrize("leaf", "ab")
@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_differs_is_named_with_both_values_and_is_the_cause_of_bonds_that_are_held_down(
    row: str, leaf: str
) -> None:
    network, other = Network("front"), "ab".replace(leaf, "")
    altered(network, f"{NVUE}-{leaf}", row)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device) == ("config", f"{NVUE}-{leaf}")
    assert {(f"{NVUE}-{each}", "likeness") for each in "ab"} <= of_pairs(cause)
    assert ("port", f"{NVUE}-b", "bond1") in {(each.check, each.device, each.port) for each in cause.follows}
    here, there = ROWS[row]
    assert f"{row}: {here} here, {there} there" in found(network, f"{NVUE}-{leaf}")["likeness"].found.split("; ")
    assert f"{row}: {there} here, {here} there" in found(network, f"{NVUE}-{other}")["likeness"].found.split("; ")


def test_bonds_that_are_held_down_for_what_no_line_explains_follow_what_both_have_otherwise() -> None:
    def in_conflict(seen: Observed) -> Observed:
        assert seen.pair is not None
        pair = replace(seen.pair, unlike=(Unlike("clag-protocol-version", "1.6.1", "1.7.0"),))
        ports = (replace(each, oper_up=each.oper_up and each.name != "bond1") for each in seen.ports)
        return replace(seen, pair=pair, ports=tuple(ports))

    network = Network("front")
    network.shows(f"{NVUE}-b", in_conflict)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.subject) == ("pairs", "likeness")
    assert ("port", f"{NVUE}-b", "bond1") in {(each.check, each.device, each.port) for each in cause.follows}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_member_that_is_gone_is_one_cause_and_what_the_other_carries_is_said(pair: str) -> None:
    network = Network("front")
    network.silence(f"{pair}-a", dead=True)
    report = network.judge()
    (cause,) = report.causes
    assert (cause.lead.check, cause.lead.device) == ("reach", f"{pair}-a")
    groups = 3 if pair == NVUE else 2  # of the first the way out has two
    dead, what, carried = cause.remedy.split("; ")
    assert re.fullmatch(rf"all \d neighbours of {pair}-a lost the carrier: power, or the switch itself", dead)
    assert what == "is it up?"
    assert carried == f"{pair}-b carries on alone: {groups} of {groups} groups over both are up"
    assert {(f"{pair}-b", "peer"), (f"{pair}-b", "keepalive")} <= of_pairs(cause)


def test_of_a_member_that_does_not_answer_but_is_there_nothing_is_said() -> None:
    network = Network("front")
    network.silence(f"{EOS}-a", dead=False)
    (cause,) = network.judge().causes
    assert cause.remedy == "is it up?"


def test_what_nothing_explains_leads_once_for_both_members_and_each_thing() -> None:
    network = Network("front")
    for leaf in "ab":
        shows(network, f"{EOS}-{leaf}", keepalive=False, connected=False, state="connecting", unlike=None)
    causes = network.judge().causes
    assert [(each.lead.check, each.lead.subject) for each in causes] == [("pairs", "peer"), ("pairs", "keepalive")]
    assert of_pairs(causes[0]) == {(f"{EOS}-{leaf}", subject) for leaf in "ab" for subject in ("peer", "likeness")}


def test_a_switch_that_is_in_no_pair_fails_and_one_that_shows_none_could_not_be_told() -> None:
    network = Network("front")
    network.shows(f"{EOS}-a", lambda seen: replace(seen, pair=NO_PAIR))
    assert (found(network, f"{EOS}-a")["peer"].verdict, found(network, f"{EOS}-a")["peer"].found) == (
        Verdict.FAIL,
        "in no pair",
    )
    network.shows(f"{EOS}-a", lambda seen: replace(seen, pair=None))
    assert {each.verdict for each in found(network, f"{EOS}-a").values()} == {Verdict.ERROR}
    assert len(judge(network.evidence()).undecided) == 3


def test_only_switches_that_shall_be_in_a_pair_are_asked_for_it() -> None:
    wanted = Network("front").wanted
    with_requests = {name for name, config in wanted.items() if "pair" in worth_asking(config, FIELDS)}
    assert with_requests == {f"front-leaf-g{number}-{leaf}" for number in range(1, 5) for leaf in "ab"}
