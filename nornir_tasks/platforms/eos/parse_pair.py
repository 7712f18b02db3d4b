"""The pair of an EOS configuration (MLAG), and what keeps its VLAN apart: lines of VLAN, peer link and SVI."""

import re

from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, leave, number, read, row, table, text, yes

TRUNK_GROUP = "MLAG"
"""Keeps the peer VLAN off all trunks but the peer link (published pairs; batfish/lab-validation, DC1-LEAF2A)."""

_HEAD = "mlag configuration"
_DEFAULT_RELOAD_DELAY_S = 300
"""Of a switch in one box (tests/corpus/eos/NOTES.md)."""
_IPV4 = r"\d+\.\d+\.\d+\.\d+"

_PAIR = (
    row(r"domain-id (\S+)", "name", text, single="domain-id"),
    row(r"local-interface Vlan(\d+)", "vlan", number, single="local-interface"),
    row(rf"peer-address ({_IPV4})", "peer_address", text, single=r"peer-address(?= \d)"),
    row(
        rf"peer-address heartbeat ({_IPV4})(?: vrf (\S+))?",
        "keepalive",
        lambda found: (found[1], found[2]),
        single="peer-address heartbeat",
    ),
    row(r"peer-link (Port-Channel\d+)", "peer_link", text, single="peer-link"),
    row(
        r"dual-primary detection delay (\d+) action errdisable all-interfaces",
        "detection_delay_s",
        number,
        single="dual-primary detection delay",
    ),
    *(
        row(rf"reload-delay {word} (\d+)", name, number, single=f"reload-delay {word}", hidden=(hidden,))
        for word, name, hidden in (
            ("mlag", "reload_delay_s", f"reload-delay mlag {_DEFAULT_RELOAD_DELAY_S}"),
            ("non-mlag", "routed_reload_delay_s", f"reload-delay non-mlag {_DEFAULT_RELOAD_DELAY_S}"),
        )
    ),
)
_LINES = table(*_PAIR)
BLOCK = Block((rf"{_HEAD}$",), _PAIR)

OF_VLAN = row(r"trunk group (\S+)", "trunk_groups", text, many=True)
OF_PEER_LINK = row(r"switchport trunk group (\S+)", "trunk_groups", text, many=True)
OF_SVI = row(r"no autostate", "is_always_up", yes)
OF_GROUP = row(r"mlag (\d+)", "pair_id", number, single="mlag")


def read_pair(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """``mlag configuration``."""
    values, unknown = read(node.children.values(), _LINES)
    fields["pair"] = (values, node)
    return unknown


def note(fields: Fields, *path: str) -> None:
    """Remember a line of a VLAN, group or SVI that is a pair's alone."""
    fields.setdefault("of_pair", []).append(path)


def pair(fields: Fields, left: ConfigTree) -> PairSettings | None:
    """The pair, if it has a peer link, a keepalive and a VLAN of its own; else its lines are left."""
    values, node = fields.get("pair", ({}, None))
    needed, found = _needed(values), set(fields.get("of_pair", ()))
    is_whole = {"peer_link", "keepalive", "vlan"} <= values.keys() and needed <= found
    for path in found - needed if is_whole else found:
        left.add_path(path)
    if not is_whole:
        leave(left, (), [] if node is None else [node])
        return None
    own = {name: value for name, value in values.items() if name != "keepalive"}
    address, vrf = values["keepalive"]
    defaults = {"reload_delay_s": _DEFAULT_RELOAD_DELAY_S, "routed_reload_delay_s": _DEFAULT_RELOAD_DELAY_S}
    return PairSettings(**{**defaults, **own, "keepalive_address": address, "keepalive_vrf": vrf})


def _needed(values: Fields) -> set[Path]:
    """Spanning tree must not block the peer VLAN, which no other trunk carries; its SVI is up without the peer link."""
    vlan, link = values.get("vlan"), values.get("peer_link")
    return {
        (f"no spanning-tree vlan-id {vlan}",),
        (f"vlan {vlan}", f"trunk group {TRUNK_GROUP}"),
        (f"interface {link}", f"switchport trunk group {TRUNK_GROUP}"),
        (f"interface Vlan{vlan}", "no autostate"),
    }
