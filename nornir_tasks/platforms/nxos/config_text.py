"""NX-OS configuration text and the tree of its lines, both ways, with NX-OS's hidden defaults.

A tree made from text keeps the text: the candidate is the same text with our blocks replaced, so every other line stays
byte for byte, comments and trailing blanks included.
"""

import re
from collections.abc import Sequence

from nornir_tasks.platforms.acl_lines import LIST
from nornir_tasks.platforms.asn import make_asns_plain
from nornir_tasks.platforms.config_tree import ConfigTree, Heredoc, Path, from_text
from nornir_tasks.platforms.nxos.access_lists import WORDS
from nornir_tasks.platforms.nxos.parse_reach import on_flash
from nornir_tasks.platforms.vlan_lists import NONE, has_trunks, join_lists, numbers, ranges, split_lists

INDENT = "  "
"""NX-OS indents each level by two blanks (napalm 5.2.0 test/nxos/nxos/new_good.conf)."""

_NOISE = re.compile(r"!.*")
HEREDOCS = (
    # A banner's text runs from one character to the next of its kind, and what stands behind it says nothing; one that
    # ends in its first row is no block (batfish/batfish, CiscoNxosBaseLexer and testconfigs/nxos_banner; netutils
    # 1.19.2, NXOSConfigParser). So the ``C`` of ``^C`` is text already.
    Heredoc(re.compile(r"banner (?:motd|exec) +(?P<mark>\S)(?:(?!(?P=mark)).)*"), r"\g<mark>", stands_alone=False),
)


BREAKOUT = "interface breakout module "
_MERGED = re.compile(rf"{BREAKOUT}(?P<module>\d+) port (?P<ports>\d+(?:[-,]\d+)*) map (?P<map>\S+)")


_SEVERAL_VLANS = re.compile(r"vlan (?P<ids>\d+(?:[-,]\d+)+)")
_VDC = re.compile(r"(?P<before>vdc )\S+(?P<after> id 1)")
_ITS_NAME = "switch"
NEVER_EXPIRES = re.compile(r"username (?P<name>\S+) passphrase +lifetime 99999 warntime \d+(?: gracetime \d+)?")
"""A switch has this line of accounts by itself, on some releases and not on others (published running configurations of
9.3 and 10.3: document 24688241063, netmiko's and napalm's tests). It says nothing, and comes and goes with its account.
"""

BUILT_IN_GROUP = "aaa group server radius radius"
"""A group that every switch has by itself, of all its RADIUS servers (published running configurations: documents
57732398629, 12477298730); some releases print it."""

DLB = "hardware profile dlb"
_DLB_PORTS = re.compile(r"dlb-interface (?P<ports>.+)")
_DLB_DEFAULT = "mode flowlet"
"""Flowlet is the default (QoS Configuration Guide 10.6); whether the switch prints it is not published."""


class SourceTree(ConfigTree):
    """The root of a configuration together with the rows of text it was read from."""

    __slots__ = ("listed", "negated", "rows")

    def __init__(self, rows: tuple[str, ...]) -> None:
        super().__init__()
        self.rows = rows
        self.listed: frozenset[str] = frozenset()
        """VLANs (``vlan 310``) that occur only in a row of several, without a block of their own."""
        self.negated: dict[Path, int] = {}
        """Lines of which the negation stands in a template, where it says nothing -> its row."""


def to_tree(text: str) -> SourceTree:
    """Running configuration, or rendered text, as a tree that remembers its text.

    Each port that is broken out or takes part in dynamic load balancing, and each VLAN, has a line of its own, however
    the switch groups them; rules of access lists are numbers and masked prefixes.
    """
    root = SourceTree(tuple(text.splitlines()))
    root.children = from_text(text, HEREDOCS, _NOISE).children
    _leave_out_what_says_nothing(root, text)
    make_asns_plain(root)
    _call_vdc_alike(root)
    if profile := root.children.get(DLB):
        printed, profile.children = profile.children, {}
        for node in printed.values():
            for line in one_port_each(node.text):
                if line != _DLB_DEFAULT:
                    _keep(profile, line, node)
    _leave_out_negations(root)
    if any(line.startswith(BREAKOUT) for line in root.children):
        printed, root.children = root.children, {}
        for node in printed.values():
            for line in one_port_each(node.text):
                _keep(root, line, node)
    _one_vlan_each(root)
    _one_path_each(root)
    for head in [head for head in root.children if LIST.fullmatch(head)]:
        root.children[head] = WORDS.in_one_spelling(root.children[head])
    if has_trunks(text):
        split_lists(root)
    return root


def _call_vdc_alike(root: SourceTree) -> None:
    """The default VDC has the switch's name, whichever that is: in a tree it is always called the same."""
    named = next((line for line in root.children if _VDC.fullmatch(line)), None)
    if named is not None:
        root.children = {vdc_in_one_spelling(line): node for line, node in root.children.items()}
        root.children[vdc_in_one_spelling(named)].text = vdc_in_one_spelling(named)


def vdc_in_one_spelling(line: str) -> str:
    """``vdc leaf-1 id 1`` with the one name that trees have for it; any other line unchanged."""
    return vdc_called(_ITS_NAME, line)


def vdc_called(hostname: str, line: str) -> str:
    """``vdc leaf-1 id 1`` with the switch's name; any other line unchanged."""
    found = _VDC.fullmatch(line)
    return line if found is None else f"{found['before']}{hostname}{found['after']}"


def _leave_out_what_says_nothing(root: ConfigTree, text: str) -> None:
    root.children.pop(BUILT_IN_GROUP, None)
    if " passphrase " in text:
        root.children = {line: node for line, node in root.children.items() if not NEVER_EXPIRES.fullmatch(line)}


def _leave_out_negations(root: SourceTree) -> None:
    """``no bfd`` of a template, which stays where ``bfd`` was taken out: a template without it says the same."""
    for head, process in root.children.items() if "feature bfd" in root.children else ():
        for name, template in process.children.items() if head.startswith("router bgp ") else ():
            if name.startswith("template peer ") and (node := template.children.pop("no bfd", None)) is not None:
                root.negated[head, name, "bfd"] = node.line


def _keep(parent: ConfigTree, line: str, printed: ConfigTree) -> None:
    """Add a line under ``parent`` that the switch printed, alone or with others, as ``printed``."""
    node = parent.add(line, printed.line)
    node.children.update(printed.children)
    node.repeats += (*(() if node.line == printed.line else (printed.line,)), *printed.repeats)


def _one_vlan_each(root: SourceTree) -> None:
    """``vlan 1,310`` lists all VLANs once; blocks below have the settings of some."""
    rows = [node for text, node in root.children.items() if _SEVERAL_VLANS.fullmatch(text)]
    if not rows:
        return
    blocks = {text for text in root.children if text.startswith("vlan ")}
    printed, root.children = root.children, {}
    for node in printed.values():
        for line in vlans_of(node.text):
            block = printed.get(line, node)
            kept = root.children.setdefault(line, ConfigTree(line, block.line))
            if block.text == line:
                kept.children.update(block.children)
                kept.repeats = block.repeats
    root.listed = frozenset(line for node in rows for line in vlans_of(node.text)) - blocks


def _one_path_each(root: SourceTree) -> None:
    """Files of the API in one spelling of their place, however many slashes the switch prints."""
    if any(line != on_flash(line) for line in root.children):
        printed, root.children = root.children, {}
        for node in printed.values():
            _keep(root, on_flash(node.text), node)


def vlans_of(line: str) -> tuple[str, ...]:
    """``vlan 1,310-311`` -> one such line per VLAN; any other line unchanged."""
    found = _SEVERAL_VLANS.fullmatch(line)
    return (line,) if found is None else tuple(f"vlan {number}" for number in numbers(found["ids"]))


def one_row_of(vlans: Sequence[str]) -> str:
    """The inverse: ``vlan 1,310-311``."""
    return f"vlan {ranges(int(each.removeprefix('vlan ')) for each in vlans)}"


def one_port_each(line: str) -> tuple[str, ...]:
    """``interface breakout module 1 port 10,18,25-26 map 10g-4x`` -> one such line for each port; any other as it is.

    Source: a published running configuration of a Nexus 9332PQ merges the ports of one map so; a Nexus joins the ports
    of dynamic load balancing as ``dlb-interface Eth1/5,Eth1/7`` in its list of what waits for a reload.
    """
    if named := _DLB_PORTS.fullmatch(line):
        return tuple(f"dlb-interface {port}" for part in named["ports"].split(",") for port in _ports(part.strip()))
    found = _MERGED.fullmatch(line) if line.startswith(BREAKOUT) else None
    if found is None:
        return (line,)
    return tuple(f"{BREAKOUT}{found['module']} port {port} map {found['map']}" for port in numbers(found["ports"]))


def _ports(text: str) -> tuple[str, ...]:
    """``Eth1/5`` -> its full name; ``Ethernet1/5-6`` -> both; anything else unchanged."""
    found = re.fullmatch(r"Eth(?:ernet)?(?P<above>[\d/]*/)(?P<first>\d+)(?:-(?P<last>\d+))?", text)
    if found is None:
        return (text,)
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return tuple(f"Ethernet{found['above']}{port}" for port in range(first, last + 1))


def joined(source: SourceTree) -> SourceTree:
    """A configuration with each trunk's list as one line, which knows its rows; all else is ``source``'s own."""
    whole = SourceTree(source.rows)
    whole.listed, whole.negated, whole.children = source.listed, source.negated, join_lists(source).children
    for port in whole.children.values():
        if NONE in port.children:
            port.children[NONE].line = _row_below(source.rows, port.line, NONE)
    return whole


def _row_below(rows: Sequence[str], first: int, line: str) -> int:
    """The row, from 1, of a line of the block whose first line is row ``first``."""
    return next(number for number, row in enumerate(rows[first:], start=first + 1) if row.strip() == line)


def to_text(tree: ConfigTree) -> str:
    """The tree as NX-OS would print it; ``to_tree(to_text(tree)) == tree``."""
    return "".join(f"{row}\n" for row in join_lists(tree).lines(INDENT))
