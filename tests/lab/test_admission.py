"""Which clients the lists of the lab's switches let in: the first rule that an opening may match decides."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from switch_twins.admission import Opening, admits

HTTPS = Opening(IPv4Address("192.0.2.7"), 443, frozenset({"https"}))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], False),
        (["counters per-entry"], False),
        (["10 permit ip 192.0.2.0/24 any"], True),
        (["20 permit ip any any", "10 deny ip host 192.0.2.7 any"], False),
        (["10 permit tcp any any eq ssh https snmp"], True),
        (["10 permit tcp any any eq 22", "20 deny ip any any"], False),
        (["10 permit tcp 192.0.2.0/24 any eq 443"], True),
        (["10 permit udp any any", "20 permit icmp any any"], False),
        (["10 permit tcp any any established", "20 deny ip any any log"], False),
        (["10 permit udp any eq 123 any", "20 permit tcp any eq 443 any", "30 permit ip 198.51.100.0/24 any"], False),
    ],
)
def test_the_first_rule_that_an_opening_matches_decides_and_else_it_is_refused(
    rules: list[str], expected: bool
) -> None:
    assert admits(rules, HTTPS) is expected
