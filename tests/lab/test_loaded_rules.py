"""Rules that a kernel has loaded are read as nft prints them; a rule more changes what is said of packets."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from loaded_rules import Rules, Sent

from switch_twins.routed.lists import AccessList, Bound, rule, ruleset

pytestmark = pytest.mark.needs("root", "nft")
IN = (
    "permit icmp any any 3",
    "permit icmp 10.2.0.0/25 host 10.2.0.1 8",
    "deny ip any host 10.2.0.1",
    "permit tcp 10.2.0.0/25 10.2.0.128/25 eq 2049",
    "permit udp 10.2.0.0/25 any range 5000 5010",
)
OUT = ("permit tcp 10.2.0.128/25 eq 2049 10.2.0.0/25 established",)
SIX = ("permit icmpv6 any any echo-request", "permit udp any any eq 53")
HERE, THERE, GATEWAY = "10.2.0.4", "10.2.0.132", "10.2.0.1"
NFS = Sent(HERE, THERE, "tcp", 2049)


@pytest.fixture
def namespace() -> Iterator[str]:
    name = f"gfrules{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        yield name
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


def loaded(namespace: str, into: tuple[str, ...] = IN, bridged_vlan: int | None = None) -> Rules:
    lists = (
        AccessList("IN", tuple(rule(each, {}) for each in into)),
        AccessList("OUT", tuple(rule(each, {}) for each in OUT)),
        AccessList("SIX", tuple(rule(each, {}, "ip6") for each in SIX), "ip6"),
    )
    bound = (
        Bound("Vlan200", "in", "IN", bridged_vlan=bridged_vlan),
        Bound("Vlan200", "out", "OUT", bridged_vlan=bridged_vlan),
        Bound("Vlan200", "in", "SIX", "ip6"),
    )
    words = ["ip", "netns", "exec", namespace, "nft"]
    subprocess.run([*words, "-f", "-"], input=ruleset(lists, bound), text=True, check=True)
    shown = subprocess.run([*words, "-j", "list", "ruleset"], capture_output=True, text=True, check=True).stdout
    return Rules(shown)


def test_what_lists_permit_passes_and_no_more(namespace: str) -> None:
    rules = loaded(namespace)
    assert rules.takes(NFS, "in", 200) and not rules.takes(NFS, "out", 200)
    assert rules.takes(NFS.answer, "out", 200) and not rules.takes(NFS.answer, "in", 200)
    back = Sent(THERE, HERE, "tcp", 30_000, own_port=2049)  # opens a connection from a server's port
    assert not rules.takes(back, "out", 200)
    assert rules.takes(Sent(HERE, GATEWAY, "icmp", 0), "in", 200)
    assert not rules.takes(Sent(HERE, THERE, "icmp", 0), "in", 200)
    assert not rules.takes(Sent(HERE, GATEWAY, "tcp", 22), "in", 200)
    assert rules.takes(Sent(HERE, THERE, "udp", 5010), "in", 200)
    assert not rules.takes(Sent(HERE, THERE, "udp", 5011), "in", 200)
    assert rules.takes(Sent(HERE, THERE, "tcp", 22), "in", 300), "another VLAN has no list"


def test_lists_of_ipv6_are_theirs_alone(namespace: str) -> None:
    rules = loaded(namespace)
    assert rules.takes(Sent("fd00::4", "fd00:1::4", "icmp", 0, is_ipv6=True), "in", 200)
    assert rules.takes(Sent("fd00::4", "fd00:1::4", "udp", 53, is_ipv6=True), "in", 200)
    assert not rules.takes(Sent("fd00::4", "fd00:1::4", "tcp", 53, is_ipv6=True), "in", 200)
    assert rules.takes(Sent("fd00::4", "fd00:1::4", "tcp", 53, is_ipv6=True), "out", 200)


def test_frames_of_a_vlan_meet_lists_where_the_system_has_it_so(namespace: str) -> None:
    one = Sent(HERE, "10.2.0.5", "tcp", 22)
    assert loaded(namespace).bridges(one, 200)
    met = loaded(namespace, bridged_vlan=200)
    assert not met.bridges(one, 200) and met.bridges(one, 300)


def test_a_permit_more_is_seen(namespace: str) -> None:
    ssh = Sent(HERE, THERE, "tcp", 22)
    assert not loaded(namespace).takes(ssh, "in", 200)
    assert loaded(namespace, ("permit ip any any", *IN)).takes(ssh, "in", 200)


def test_a_statement_that_nobody_knows_is_an_error(namespace: str) -> None:
    text = "table ip lists { chain in { type filter hook prerouting priority raw; limit rate 5/second drop; }; }"
    words = ["ip", "netns", "exec", namespace, "nft"]
    subprocess.run([*words, "-f", "-"], input=text, text=True, check=True)
    shown = subprocess.run([*words, "-j", "list", "ruleset"], capture_output=True, text=True, check=True).stdout
    with pytest.raises(ValueError, match="unknown"):
        Rules(shown).takes(NFS, "in", 200)
