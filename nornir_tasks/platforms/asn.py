"""AS numbers in configuration lines, with or without a dot, are compared by value.

EOS prints them with a dot under ``bgp asn notation asdot`` and NX-OS under ``as-format asdot``; both accept either form
at any time. Our trees have them without a dot (RFC 5396, asplain).
"""

import re

from nornir_tasks.platforms.config_tree import ConfigTree

_MAYBE = re.compile(r" \d{1,5}\.\d{1,5}(?: |$)")
_LINE = re.compile(
    r"(?P<words>(?:no |default )?"
    r"(?:router bgp|set as-path prepend|confederation (?:identifier|peers)"
    r"|(?:neighbor (?:interface )?\S+ (?:peer-group \S+ )?|bgp listen range \S+ .*peer-group \S+ )?"
    r"(?:remote-as|local-as))"
    r" )(?P<numbers>.+)"
)
"""Lines with AS numbers; in any other line (a description) a dot is left alone."""
_DOTTED = re.compile(r"(?<![\w.])(\d{1,5})\.(\d{1,5})(?![\w.])")
_BLOCKS = ("router bgp ", "route-map ")


def plain_asns(line: str) -> str:
    """``remote-as 65166.10010`` -> ``remote-as 4270728986``; any other line unchanged."""
    if not _MAYBE.search(line) or (found := _LINE.fullmatch(line)) is None:
        return line
    return found["words"] + _DOTTED.sub(_value, found["numbers"])


def _value(found: re.Match[str]) -> str:
    high, low = int(found[1]), int(found[2])
    return str(high * 65536 + low) if max(high, low) <= 0xFFFF else found[0]


def make_asns_plain(tree: ConfigTree) -> None:
    """Rewrite the lines of BGP and of route maps in place."""
    _rewrite(tree, tuple(text for text in tree.children if text.startswith(_BLOCKS)))


def _rewrite(tree: ConfigTree, texts: tuple[str, ...]) -> None:
    plain = {text: plain_asns(text) for text in texts}
    if any(text != line for text, line in plain.items()):
        children, tree.children = tree.children, {}
        for text, node in children.items():
            node.text = plain.get(text, text)
            tree.children.setdefault(node.text, node)
    for text in texts:
        node = tree.children[plain[text]]
        if node.children:
            _rewrite(node, tuple(node.children))
