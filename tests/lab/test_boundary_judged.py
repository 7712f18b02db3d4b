"""Both firewalls are judged by what they are, with real keepalived and conntrackd: one is cut off and comes back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from boundary_pair import ROOT, ZONES, Pair, rendered, site
from routed_lab import needs_root
from test_boundary_failover import SHARED, Firewall, firewalls, until

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.boundary_parts import FACT, GENERATED
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from nornir_tasks.checks.hosts.host_suite import judge_host, requests
from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars

__all__ = ["firewalls"]
pytestmark = [needs_root, pytest.mark.long]

RULES = "/etc/gpufabric/firewall.nft"
JUDGED = ("boundary_rules", "boundary_addresses", "vrrp", "conntrack")
"""Files and services are those of a host, which a namespace is not: molecule/firewall."""
OF_ZONES = {
    each["name"]: (each["shared"], each["shared_v6"])
    for each in firewall_host_vars(*site())["firewall-1"].ansible()["firewall_zones"]
}
OTHER = "conntrack: the other firewall"


def statistics(firewall: Firewall) -> str:
    return firewall.pair.inside(firewall.name, "conntrackd", "-C", str(firewall.folder / "conntrackd.conf"), "-s")


def judged(firewall: Firewall, other: Firewall) -> list[HostFinding]:
    """By the real module, in the namespace; what NAT and a host would have beside it is left out."""
    both = {"own": statistics(firewall), "other": statistics(other)}
    of_firewall = firewall_host_vars(*site())[firewall.name].ansible()
    values = {name: value for name, value in of_firewall.items() if name.startswith("firewall_")}
    values |= {GENERATED: {RULES: rendered("firewall.nft.j2", firewall.name)}, "host_validate_conntrackd": both}
    (request,) = requests(values)
    arguments = {**request.arguments, "files": [], "units": [], "conntrackd": str(firewall.folder / "conntrackd.conf")}
    file = firewall.folder / "arguments.json"
    file.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": arguments}))
    module = str(ROOT / "plugins" / "modules" / "boundary_facts.py")
    answer = json.loads(firewall.pair.inside(firewall.name, sys.executable, module, str(file)))
    found = {**answer["ansible_facts"][FACT], "units": {}}
    report = judge_host(HostEvidence(firewall.name, values, {FACT: found}, {}))
    return [each for each in report.findings if each.check in JUDGED]


def wrong(firewall: Firewall, other: Firewall) -> list[str]:
    return [f"{each.check}: {each.name}" for each in judged(firewall, other) if each.verdict is not Verdict.PASS]


def test_both_pass_and_what_happens_to_one_is_named_on_each(firewalls: tuple[Firewall, Firewall]) -> None:
    owner, other = firewalls
    assert wrong(owner, other) == []
    assert wrong(other, owner) == []
    total = len(judged(owner, other))

    owner.cut("down")
    until(lambda: other.shared() == SHARED, "the other one has all shared addresses")
    time.sleep(2)  # of IPv6 they answer once they are not tentative any more
    assert wrong(other, owner) == [OTHER]
    of_owner = judged(owner, other)
    assert {each.subject for each in of_owner if each.knob == "link" and each.verdict is Verdict.FAIL} == {
        *ZONES.values(),
        "sync",
    }
    assert len(of_owner) == total

    owner.cut("up")
    until(lambda: sorted(len(each.shared()) for each in firewalls) == [0, len(SHARED)], "one has them again")
    until(lambda: wrong(owner, other) == wrong(other, owner) == [], "both are as before", 60)


def test_two_firewalls_that_do_not_hear_one_another_are_named_as_two_owners(
    firewalls: tuple[Firewall, Firewall],
) -> None:
    """VRRP alone is lost, on all links (on one, the group stays where it is): only the wire shows it."""
    owner, other = firewalls
    for each in firewalls:
        lost = "chain in { type filter hook input priority -10; meta l4proto 112 drop; }"
        each.pair.inside(each.name, "nft", "-f", "-", input=f"table inet lost {{\n{lost}\n}}\n")
    until(lambda: "203.0.113.65/27" in owner.addresses() & other.addresses(), "both have the addresses of the DMZ")
    time.sleep(2)
    found = wrong(other, owner)
    assert sorted(found) == sorted(
        f"vrrp: {zone} {each.partition('/')[0]}" for zone, both in OF_ZONES.items() for each in both
    )


def test_a_rule_that_was_added_by_hand_is_shown_with_its_text(firewalls: tuple[Firewall, Firewall]) -> None:
    owner, other = firewalls
    owner.pair.inside(
        owner.name, "nft", "insert", "rule", "inet", "gpufabric_firewall", "forward", "tcp", "dport", "22", "accept"
    )
    (found,) = (each for each in judged(owner, other) if each.verdict is not Verdict.PASS)
    assert (found.name, found.found) == ("inet gpufabric_firewall rules", "has tcp dport 22 accept")


def test_judging_changes_nothing(firewalls: tuple[Firewall, Firewall], tmp_path: Path) -> None:
    owner, other = firewalls
    pair: Pair = owner.pair

    def state() -> list[Any]:
        shown = [pair.inside(owner.name, "nft", "-s", "list", "ruleset")]
        shown += [
            subprocess.run(["ip", "-n", pair.name(owner.name), what], capture_output=True, check=True).stdout
            for what in ("address", "route")
        ]
        return shown

    before = state()
    judged(owner, other)
    assert state() == before
    assert "203.0.113.1" not in pair.inside("outside", "ip", "neigh", "show", "nud", "failed")
