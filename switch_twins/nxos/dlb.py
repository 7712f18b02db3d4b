"""Dynamic load balancing: its ports, and its profile, which the hardware applies only at boot.

Ports: typed one per line, in short (document 43483806360) or as a list (genie.libs.conf 26.9 dlb/nxos), shown joined
(document 70664489287). Layer-3 physical interfaces only (document 43483806360). Lines that wait for a reload, and their
wording: ``show system config reload-pending``, document 70664489287.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..engine import Change, LineError, Node, Tree
from .words import canonical_name

PROFILE = "hardware profile dlb"
_PORTS = "dlb-interface"
_ALL = "all"


def profile_lines(tree: Tree) -> tuple[str, ...]:
    """The lines of the profile in the configuration, without its header; empty without a profile."""
    profile = tree.first(PROFILE)
    if profile is None:
        return ()
    return tuple(child.line for child in profile.ordered()) or ("",)


def waiting(now: tuple[str, ...], started: tuple[str, ...]) -> list[str]:
    """The lines that differ from those at boot, as in the switch's reload-pending list."""
    if now == started:
        return []
    rows = [f"{PROFILE} ; {line}".removesuffix(" ; ") for line in now if line not in started]
    rows += [f"{PROFILE} ; no {line}" for line in started if line and now and line not in now]
    return rows if now else [f"no {PROFILE}"]


# -- hook ----------------------------------------------------------------------------------------------------------


def dlb_ports(change: Change) -> None:
    """Ports are added and removed one by one, and are stored as one line."""
    if change.removed:
        return
    own = [node for node in change.parent.children.values() if node.words.startswith(_PORTS)]
    listed = {port for node in own if node is not change.node for port in _named(node)}
    named = set(_named(change.node))
    for port in named:
        whole = "/".join(port.split("/")[:2])
        if port != _ALL and whole not in change.session.context.ports:
            raise LineError("reference", change.node.line, message="Invalid range at '^' marker.")
    wanted = listed - named if change.node.negated else listed | named
    rule = change.node.rule
    for node in own:
        if node.rule is not None:
            change.parent.children.pop(node.rule.key(node.identity), None)
    if wanted and rule is not None:
        text = _ALL if _ALL in wanted else ",".join(_short(port) for port in sorted(wanted, key=_natural))
        words = f"{_PORTS} {text}"
        node = Node(rule, words, {"ports": text}, (text,), False, (), change.tree.next_entered(), change.parent)
        change.parent.children[rule.key(node.identity)] = node
    change.tree.touched()


def _named(node: Node) -> Iterator[str]:
    """The ports of one line, in full: ``Eth1/5-6 , Eth1/9``."""
    for part in node.params["ports"].split(","):
        found = re.fullmatch(r"([A-Za-z-]+[\d/]*?)(\d+)(?:-(\d+))?", part.strip())
        if part.strip() == _ALL:
            yield _ALL
        elif found is None:
            yield part.strip()
        else:
            for number in range(int(found[2]), int(found[3] or found[2]) + 1):
                yield canonical_name(f"{found[1]}{number}") or part.strip()


def _short(port: str) -> str:
    return port.replace("Ethernet", "Eth")


def _natural(port: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", port))
