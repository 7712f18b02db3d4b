"""NX-OS configuration text and the tree of its lines, both ways, and what NX-OS leaves unsaid.

A tree made from text keeps the text: the candidate is that very text with our blocks exchanged, so every other line
stays byte for byte, comments and trailing blanks included.
"""

import re

from nornir_tasks.platforms.config_tree import ConfigTree, Heredoc, Path, from_text

INDENT = "  "
"""NX-OS indents each level by two blanks (napalm 5.2.0 test/nxos/nxos/new_good.conf)."""

_NOISE = re.compile(r"!.*")
_HEREDOCS = (
    # A banner's text runs to the delimiter that opened it (``^C`` is one delimiter); a banner on one line closes it
    # there and is no block.
    Heredoc(re.compile(r"banner (?:motd|exec) (?P<mark>\^C|\S)(?:(?!(?P=mark)).)*"), r"\g<mark>"),
)


class SourceTree(ConfigTree):
    """The root of a configuration together with the rows of text it was read from."""

    __slots__ = ("rows",)

    def __init__(self, rows: tuple[str, ...]) -> None:
        super().__init__()
        self.rows = rows


def to_tree(text: str) -> SourceTree:
    """Running configuration, or rendered text, as a tree that remembers its text."""
    root = SourceTree(tuple(text.splitlines()))
    root.children = from_text(text, _HEREDOCS, _NOISE).children
    return root


def to_text(tree: ConfigTree) -> str:
    """The tree as NX-OS would print it; ``to_tree(to_text(tree)) == tree``."""
    return "".join(f"{row}\n" for row in tree.lines(INDENT))


HIDDEN_DEFAULTS: tuple[tuple[str, ...], ...] = (
    # cisco.nxos 11.1.0 nxos_bfd_global: 50/50/3 is the default interval.
    (r"bfd interval 50 min_rx 50 multiplier 3",),
    # Cisco Nexus 9000 Interfaces Configuration Guide: an interface's MTU is 1500 unless set.
    (r"interface Ethernet.+", r"mtu 1500"),
    # A routed port is down, and a port redirects and is switched, unless said otherwise (published configurations of
    # 9.3 and 10.4(2): routed ports print "no shutdown" when up and nothing when down; cisco.nxos 11.1.0 interfaces).
    (r"interface Ethernet.+", r"(?:shutdown|switchport|ip redirects)"),
    # YANG 10.4(4): interface PFC mode auto, watch-dog-interval off.
    (r"interface Ethernet.+", r"priority-flow-control (?:mode auto|watch-dog-interval off)"),
    # DME 10.5(3), bgpDomAf maxEcmp: 1 unless set.
    (r"router bgp .+", r"address-family ipv4 unicast", r"maximum-paths 1"),
    # Cisco Nexus 9000 Unicast Routing Configuration Guide, "Configuring Basic BGP": keepalive 60 s, hold 180 s,
    # reconnect-interval 60 s unless set.
    (r"router bgp .+", r"template peer .+", r"timers 60 180"),
    (r"router bgp .+", r"reconnect-interval 60"),
    # cisco-network-node-utils cmd_ref/bgp.yaml: graceful restart is on unless set.
    (r"router bgp .+", r"graceful-restart"),
)
"""Paths (one full-match pattern per line) that a template may print and ``show running-config`` leaves out."""

_HIDDEN = tuple(tuple(re.compile(part) for part in path) for path in HIDDEN_DEFAULTS)


def canonical(tree: ConfigTree) -> ConfigTree:
    """The tree without the lines that NX-OS hides because they are its defaults; nothing else is changed."""
    return _visible(tree, _HIDDEN)


def _visible(tree: ConfigTree, hidden: tuple[tuple[re.Pattern[str], ...], ...]) -> ConfigTree:
    """``hidden``: what is left of each hidden path from this node down."""
    kept = ConfigTree(tree.text, tree.line)
    for text, child in tree.children.items():
        below = tuple(path[1:] for path in hidden if path[0].fullmatch(text))
        if () in below and not child:
            continue
        deeper = tuple(path for path in below if path)
        kept.children[text] = _visible(child, deeper) if deeper else child
    return kept


def is_hidden(path: Path) -> bool:
    """Does the switch leave this line out because it says what holds anyway?"""
    return any(
        len(pattern) == len(path) and all(part.fullmatch(line) for part, line in zip(pattern, path, strict=True))
        for pattern in _HIDDEN
    )
