"""EOS configuration text to a tree and back, in one spelling, with EOS's hidden defaults left out."""

import re

from nornir_tasks.platforms.asn import make_asns_plain
from nornir_tasks.platforms.config_tree import ConfigTree, Heredoc, from_text
from nornir_tasks.platforms.eos.access_lists import WORDS
from nornir_tasks.platforms.eos.parse_validators import in_one_spelling
from nornir_tasks.platforms.vlan_lists import has_trunks, join_lists, numbers, split_lists

INDENT = "   "
_NOISE = re.compile(r"!.*|end")
_HEREDOCS = (
    # batfish/batfish, AristaBaseLexer and testconfigs/eos_banner: "EOF not alone" is text
    Heredoc(re.compile(r"banner (?:login|motd)"), "EOF", stands_alone=True),
    Heredoc(re.compile(r"comment"), "EOF", stands_alone=True),
)

_MAP = re.compile(r"qos map (dscp|traffic-class) ((?:\d+ )+)(to (?:traffic-class|tx-queue) \d+)")
_TIMER = re.compile(
    r"(priority-flow-control pause watchdog default (?:timeout|recovery-time|polling-interval)) (\d+(?:\.\d+)?)"
)

_SET = "set community "
_IS_ONE = re.compile(r"GSHUT|no-export|\d+:\d+")
"""One community; other words say what becomes of those that a route has."""

_PREFIX_ENTRY = re.compile(r"(?P<list>ip(?:v6)? prefix-list \S+) (?P<entry>seq \d+ (?:permit|deny) .+)")
"""A list typed so is printed so (batfish/lab-validation, eos_ceos_bgp_weight_experiment, 4.36.0.1F); one typed as a
block is printed as a block, with one entry as well (a snapshot report of s1-spine1, 4.32.1F)."""

_VLANS = re.compile(r"vlan (\d+(?:-\d+)?(?:,\d+(?:-\d+)?)+|\d+-\d+)")

_BYTES = re.compile(r"^(ingress headroom) (\d+)$")
"""Bytes without their unit (Intel Gaudi's switch configurations); pyavd 6.4.0 eos__platform_trident prints it."""

_MANY_SPELLINGS = re.compile(
    r"qos map |platform trident mmu |priority-flow-control |vlan |ip(?:v6)? (?:access|prefix)-list "
)
"""Beginnings of lines with several notations; most lines are not among them."""

DSCP_DEFAULT = tuple({0: 1, 1: 0}.get(dscp // 8, dscp // 8) for dscp in range(64))
"""Traffic class of each code point on an unconfigured switch.

Source: "Arista_EOS_RoCEv2_Lossless_Config", section 1, citing um-eos Quality of Service: 0-7 go to class 1, 8-15 to
class 0, every other block of eight to the class of its own number, on all ASIC families.
"""


def seconds(milliseconds: int) -> str:
    """Watchdog time in EOS's notation: 200 -> ``0.2``, 5 -> ``0.005``."""
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


COMMUNITIES = {"GSHUT": "65535:0", "no-export": "65535:65281"}
"""Words that EOS prints for communities: RFC 8326's (public lab configuration, GRACEFUL_SHUTDOWN map), RFC 1997's
(batfish/batfish at 39ab35e9, arista_ip_community_list_standard: vEOS 4.21.1.1F)."""
_WORD_OF = {number: word for word, number in COMMUNITIES.items()}


def community_word(community: str) -> str:
    """A community as EOS prints it."""
    return _WORD_OF.get(community, community)


def community_of(word: str) -> str:
    """The inverse of :func:`community_word`."""
    return COMMUNITIES.get(word, word)


def _communities_in_order(block: ConfigTree) -> ConfigTree:
    """A route map's communities by number: they are a set, and no source says in which order EOS prints them."""
    found = next((line for line in block.children if line.startswith(_SET)), None)
    if found is None or not (words := found.removeprefix(_SET).split())[1:] or not all(map(_IS_ONE.fullmatch, words)):
        return block
    plain = ConfigTree(block.text, block.line)
    for line, child in block.children.items():
        text = _SET + " ".join(sorted(words, key=community_of)) if line == found else line
        plain.add(text, child.line).children = child.children
    return plain


def to_tree(text: str) -> ConfigTree:
    """Running configuration, session configuration or rendered text.

    A map line of several code points, one of several VLANs, and a trunk's list of them become one line each, a watchdog
    time gets its shortest spelling, AS numbers are plain, a prefix list is a block, and rules of access lists are
    numbers, so that one meaning has one spelling wherever it came from.
    """
    tree = from_text(text, _HEREDOCS, _NOISE)
    make_asns_plain(tree)
    plain = ConfigTree()
    for head, node in tree.children.items():
        if _MANY_SPELLINGS.match(head) is None and head not in plain.children:
            plain.children[head] = _communities_in_order(node) if head.startswith("route-map ") else node
            continue
        if entry := _PREFIX_ENTRY.fullmatch(node.text):
            plain.add(entry["list"], node.line).add(entry["entry"], node.line)
            continue
        if (acl := WORDS.in_one_spelling(node)) is not node:
            plain.children[head] = acl
            continue
        for line in _one_spelling(node.text):
            plain.add(line, node.line).children.update(_with_units(node).children)
    if has_trunks(text):
        split_lists(plain)
    in_one_spelling(plain)
    return plain


def _with_units(node: ConfigTree) -> ConfigTree:
    """A profile of buffers with the unit of its headroom."""
    plain = ConfigTree(node.text, node.line)
    for line, child in node.children.items():
        plain.add(_BYTES.sub(r"\1 bytes \2", line), child.line).children = child.children
    return plain


def _one_spelling(line: str) -> tuple[str, ...]:
    if found := _MAP.fullmatch(line):
        return tuple(f"qos map {found[1]} {number} {found[3]}" for number in found[2].split())
    if found := _TIMER.fullmatch(line):
        return (f"{found[1]} {seconds(round(float(found[2]) * 1000))}",)
    if found := _VLANS.fullmatch(line):
        return tuple(f"vlan {number}" for number in numbers(found[1]))
    return (line,)


def to_text(tree: ConfigTree) -> str:
    """One line per row, three blanks per level, ended by a newline."""
    return "".join(f"{line}\n" for line in join_lists(tree).lines(INDENT))
