"""The proof over nftables rules: of the generated rulesets of the boundary's site, as the kernel lists them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from boundary_pair import site

from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars, firewall_host_vars
from nornir_tasks.files.firewall_rules import boundary_rules
from nornir_tasks.lab.boundary.rules import listed
from nornir_tasks.proofs.rules.failures import failures
from nornir_tasks.proofs.rules.judge import Guarded, judge
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.planned import planned_ports, planned_routes
from nornir_tasks.proofs.rules.ruleset import read

pytestmark = pytest.mark.needs("nft", "namespaces")
FIREWALLS = ("firewall-1", "firewall-2")


def variables(name: str = "firewall-1") -> FirewallVars:
    return firewall_host_vars(*site())[name].firewall


def text(name: str = "firewall-1") -> str:
    return boundary_rules(firewall_host_vars(*site())[name].ansible())


@cache
def generated(name: str = "firewall-1") -> State:
    return loaded(text(name), name)


def loaded(rules: str, name: str = "firewall-1") -> State:
    found = variables(name)
    return State(name, read(listed(rules, name)), planned_routes(found), planned_ports(found), firewall=found)


def found(*states: State) -> Guarded:
    intended = boundary(*site())
    assert intended is not None
    return judge(intended, states)


def shown(guarded: Guarded) -> list[str]:
    return [f"{pair.source} to {pair.destination}: {each}" for pair in guarded.failed for each in pair.breaches]


def test_generated_rules_let_pass_just_the_flow_matrix_at_both_firewalls() -> None:
    guarded = found(*map(generated, FIREWALLS))
    assert shown(guarded) == []
    assert guarded.undecided == ()
    assert guarded.proved == len(guarded.pairs) > 200
    ends = {pair.source.name for pair in guarded.pairs}
    assert {
        "outside",
        "dmz",
        "business",
        "office",
        "login",
        "bastions",
        "plane oob",
        "plane compute",
        "no zone",
    } <= ends
    assert {pair.source.name for pair in guarded.pairs if pair.destination.name == "firewalls"} == ends
    assert len(ends) > 15


ESTABLISHED = "ct state established,related accept"
TOOLS_SSH = "ip saddr @tools_ip tcp dport 22 accept"
INVALID = "ct state invalid counter"
CHANGES = [
    ("another port", "{ 80, 443 }", "{ 80, 443, 8080 }", ("outside", "published.portal"), "open"),
    ("no such port", "{ 80, 443 }", "{ 80 }", ("office", "published.portal"), "blocked"),
    ("anybody's source", "\t\tjump genuine\n", "", ("outside", "published.portal"), "open"),
    ("all else", 'counter name "refused" drop', "accept", ("outside", "bastions"), "open"),
    ("two zones", '"dmz" . "lan" : jump from_52_to_53, ', "", ("balancers", "api"), "blocked"),
    ("answers", ESTABLISHED, "ct state related accept", ("outside", "login"), "blocked"),
    ("management", "iifname != {", 'iifname != { "mgmt",', ("no zone", "login"), "open"),
    (
        "a wrong route",
        'oifname "wan" ip daddr @own_ip counter name "astray" drop',
        "",
        ("login", "outside"),
        "open",
    ),
    ("another pool", "snat to 203.0.113.16-", "snat to 203.0.113.15-", ("login", "outside"), "open"),
    ("no pool", "counter snat to 203.0.113.20 persistent", "counter", ("gpu", "outside"), "blocked"),
    ("untranslated", 'counter name "untranslated" drop', "accept", ("business", "outside"), "open"),
    ("no neighbour", "nd-neighbor-solicit, nd-neighbor-advert", "nd-redirect", ("outside", "firewalls"), "blocked"),
    (
        "neighbours far away",
        "nd-neighbor-advert } ip6 hoplimit 255",
        "nd-neighbor-advert }",
        ("login", "firewalls"),
        "open",
    ),
    ("anybody's SSH", f'iifname "mgmt" {TOOLS_SSH}', "tcp dport 22 accept", ("outside", "firewalls"), "open"),
    ("locked out", TOOLS_SSH, "tcp dport 23 accept", ("no zone", "firewalls"), "blocked"),
    (
        "anybody's VRRP",
        "ip saddr 203.0.113.3 ip daddr 224.0.0.18",
        "ip daddr 224.0.0.18",
        ("outside", "firewalls"),
        "open",
    ),
    (
        "no VRRP",
        "ip6 daddr ff02::12 meta l4proto 112",
        "ip6 daddr ff02::12 meta l4proto 113",
        ("dmz", "firewalls"),
        "blocked",
    ),
    ("no sync", "udp dport 3780", "udp dport 3781", ("no zone", "firewalls"), "blocked"),
    ("snooping", "mld-listener-query, ", "", ("business", "firewalls"), "blocked"),
    ("no ping", "icmp type echo-request limit rate 20/second accept", "drop", ("office", "firewalls"), "blocked"),
    ("all to itself", 'counter name "refused_here" drop', "accept", ("dmz", "firewalls"), "open"),
    ("no connection", INVALID, f"ct state invalid accept\n\t\t{INVALID}", ("outside", "gpu"), "open"),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("old", "new", "ends", "kind"), [pytest.param(*each[1:], id=each[0]) for each in CHANGES])
def test_a_change_that_matters_fails_the_pair_that_it_is_about(
    old: str, new: str, ends: tuple[str, str], kind: str
) -> None:
    rules = text()
    assert old in rules
    failed = {(str(p.source), str(p.destination)): p for p in found(loaded(rules.replace(old, new))).failed}
    assert kind in {each.kind for each in failed[ends].breaches}


def test_a_firewall_without_the_shared_addresses_is_reached_by_its_neighbours_and_the_tool_all_the_same() -> None:
    standby = replace(generated(), has_shared=False)
    assert shown(found(standby)) == []
    for old in ("nd-neighbor-solicit, nd-neighbor-advert", TOOLS_SSH):
        changed = loaded(text().replace(old, old.replace("nd-neighbor-solicit, ", "").replace("22", "23")))
        failed = found(replace(changed, has_shared=False)).failed
        assert {str(pair.destination) for pair in failed if any(e.kind == "blocked" for e in pair.breaches)} == {
            "firewalls"
        }


def test_each_single_failure_keeps_what_is_allowed_and_opens_nothing() -> None:
    intended = boundary(*site())
    assert intended is not None
    every = list(failures(intended, tuple(map(generated, FIREWALLS))))
    assert [each for each in every if each.breaches or each.undecided] == []
    assert [str(each.destination).removeprefix("everyone without ") for each in every] == [
        *(
            name
            for firewall in FIREWALLS
            for name in (firewall, *(f"the cable of {port} at {firewall}" for port in ("wan", "dmz", "lan")))
        ),
        *(f"the cable between both, {firewall} active" for firewall in FIREWALLS),
    ]


def test_what_is_wrong_with_the_other_firewall_alone_is_found_in_the_failures_that_it_matters_to() -> None:
    intended = boundary(*site())
    assert intended is not None
    other = loaded(text("firewall-2").replace("{ 80, 443 }", "{ 80 }"), "firewall-2")
    wrong = {str(each.destination) for each in failures(intended, (generated(), other)) if each.breaches}
    assert "everyone without firewall-1" in wrong
    assert "everyone without firewall-2" not in wrong


def routes(change: Any) -> State:
    state = generated()
    return replace(state, routes={family: change(list(its)) for family, its in state.routes.items()})


def test_a_route_to_elsewhere_blocks_what_must_pass_and_is_named() -> None:
    def by_another(its: list[Any]) -> list[Any]:
        return [{**each, "gateway": "10.190.0.9"} if each.get("gateway") == "10.190.0.4" else each for each in its]

    failed = found(routes(by_another)).failed
    lines = {line for pair in failed for each in pair.breaches for line in each.by}
    assert "firewall-1: route 10.177.0.0/16 via 10.190.0.9 dev lan" in lines
    assert {each.kind for pair in failed for each in pair.breaches} == {"blocked"}


def test_without_a_default_route_nothing_reaches_the_outside() -> None:
    failed = found(routes(lambda its: [each for each in its if each["dst"] not in ("0.0.0.0/0", "::/0")])).failed
    assert {("login", "outside"), ("dmz", "outside")} <= {(str(p.source), str(p.destination)) for p in failed}


def test_a_second_default_route_by_the_management_port_is_found() -> None:
    def by_management(its: list[Any]) -> list[Any]:
        return (
            [{"dst": "default", "gateway": "10.183.0.1", "dev": "mgmt", "metric": -1}, *its]
            if any("." in each["dst"] for each in its)
            else its
        )

    failed = found(routes(by_management)).failed
    assert any('counter name "no_zone" drop' in line for p in failed for each in p.breaches for line in each.by)


def test_a_rule_that_is_not_understood_leaves_open_what_depends_on_it_and_nothing_else() -> None:
    rules = text().replace("\t\tjump genuine\n", "\t\tjump genuine\n\t\tip saddr 192.0.2.0/25 meta hour < 8 accept\n")
    guarded = found(loaded(rules))
    pairs = {(str(p.source), str(p.destination)) for p in guarded.unknown}
    assert ("office", "bastions") in pairs
    assert not any(destination.startswith("plane") for _, destination in pairs)
    assert ("gpu", "bastions") not in pairs
    assert any("meta hour" in line for line in guarded.undecided)
    assert shown(guarded) == []


def test_each_service_of_each_pair_passes_or_not_and_the_line_is_named() -> None:
    intended = boundary(*site())
    assert intended is not None
    guarded = judge(intended, (generated(),), overview=True)
    pairs = {(str(pair.source), str(pair.destination)): pair.services for pair in guarded.pairs}
    by_name = {ends: {each.service: each for each in its} for ends, its in pairs.items()}
    assert by_name["outside", "published.portal"]["TCP 443"].passes
    assert 'comment "published.portal"' in by_name["outside", "published.portal"]["TCP 443"].by[0]
    assert not by_name["outside", "published.portal"]["TCP 22"].passes
    assert by_name["office", "bastions"]["TCP 22"].passes
    assert 'counter name "refused" drop' in by_name["balancers", "api"]["TCP 22"].by[0]
    assert {each.passes for each in pairs["office", "plane oob"]} == {False}
    assert all('counter name "never" drop' in each.by[0] for each in pairs["office", "plane oob"])
    assert all(each.by for its in pairs.values() for each in its if each.passes)
