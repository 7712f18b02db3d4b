"""EOS writes rules of access lists in words of its own; they are compared by what they match."""

import pytest

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.platforms.eos.access_lists import WORDS
from nornir_tasks.platforms.eos.tree import to_text, to_tree

NET = "10.180.20.32/27"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("10 permit udp any range 0 65535 10.180.20.59/27", AclRule(10, True, 17, None, NET, (0, 65535))),
        ("20 permit tcp any 9.8.7.0/24 range tcpmux ssh", AclRule(20, True, 6, None, "9.8.7.0/24", None, (1, 22))),
        ("30 deny tcp host 1.2.3.4 any eq telnet", AclRule(30, False, 6, "1.2.3.4/32", None, None, (23, 23))),
        (
            "40 permit tcp 0.0.0.0/0 gt 1023 any established",
            AclRule(40, True, 6, source_ports=(1024, 65535), established=True),
        ),
        ("50 permit 6 any lt 1024 any", AclRule(50, True, 6, source_ports=(0, 1023))),
        ("60 permit icmp any any unreachable", AclRule(60, True, 1, icmp_type=3)),
        ("70 permit ospf any any", AclRule(70, True, 89)),
        ("4294967295 deny ip any any", AclRule(4294967295, False)),
    ],
)
def test_a_rule_is_read_by_its_numbers_and_masked_prefixes(line: str, rule: AclRule) -> None:
    assert WORDS.rule_of(line, "ipv4") == rule


@pytest.mark.parametrize(
    "line",
    [
        "10 remark permit ip any any",
        "10 permit ip any any log",
        "10 permit ip any any tracked",
        "10 permit tcp any any eq 80 443",
        "10 permit tcp any any neq 80",
        "10 permit tcp any any syn",
        "10 permit tcp any any eq no-such-name",
        "10 permit icmp any any 3 4",
        "10 permit icmp any any 3 ttl eq 40",
        "10 permit ip 1.2.3.4 255.255.0.255 any",
        "10 permit udp any any established",
        "10 permit ip any any eq 80",
        "10 permit ip 2001:db8::/32 any",
        "permit ip any any",
    ],
)
def test_a_rule_that_the_model_cannot_hold_is_never_read_as_a_wider_one(line: str) -> None:
    assert WORDS.rule_of(line, "ipv4") is None
    assert to_text(to_tree(f"ip access-list A\n   {line}\n")) == f"ip access-list A\n   {line}\n"


def test_two_spellings_of_one_rule_are_one_line() -> None:
    typed = "ipv6 access-list A\n   10 permit tcp 2001:DB8::1/64 any eq 443\n   20 permit icmpv6 ::/0 2001:db8::7/128\n"
    printed = (
        "ipv6 access-list A\n   10 permit tcp 2001:db8::/64 any eq https\n   20 permit icmpv6 any host 2001:db8::7\n"
    )
    assert to_tree(typed) == to_tree(printed)
    assert to_tree(to_text(to_tree(typed))) == to_tree(typed)


def test_a_list_of_the_standard_kind_is_left_as_it_is() -> None:
    text = "ip access-list standard A\n   10 permit 10.1.1.1/8\n"
    assert to_text(to_tree(text)) == text
