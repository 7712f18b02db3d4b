"""show access-lists, show route-map: what is configured, and how often a list's rows were hit.

Lines: tests/recorded/nxos_show/access_lists.txt, route_map_text.txt. No packet reaches a list in the lab.
"""

from __future__ import annotations

from ..engine import Node
from .reply import Reply, View


def access_lists(view: View, name: str | None = None) -> Reply:
    """Show access-lists [NAME], of IPv4 and IPv6."""
    blocks = []
    for kind, title in (("ip", "IP"), ("ipv6", "IPv6")):
        for node in view.store.running.find(f"{kind} access-list"):
            if name in (None, node.params.get("name")):
                blocks += ["\n".join(_list(node, title)) + "\n"]
    return Reply("\n" + "\n".join(blocks))


def _list(node: Node, title: str) -> list[str]:
    counts = node.first("statistics per-entry") is not None
    lines = [f"{title} access list {node.params['name']}"]
    if counts:
        lines.append("        statistics per-entry ")
    rows = [each for each in node.children.values() if each.words.split()[0].isdigit()]
    for each in sorted(rows, key=lambda row: int(row.words.split()[0])):
        is_remark = each.words.split()[1] == "remark"
        lines.append(f"        {each.words} {'[match=0] ' if counts and not is_remark else ''}")
    return lines


_CLAUSES = (
    ("match ip address prefix-list ", "ip address prefix-lists: "),
    ("match ipv6 address prefix-list ", "ipv6 address prefix-lists: "),
    ("match as-path ", "as-path (as-path filter): "),
    ("match community ", "community  (community-list filter): "),
    ("match tag ", "tag: "),
    ("match interface ", "interface: "),
)


def route_maps(view: View, name: str | None = None) -> Reply:
    """Show route-map [NAME]."""
    lines: list[str] = []
    for node in view.store.running.find("route-map"):
        if name not in (None, node.params["name"]):
            continue
        rows = [each.words for each in node.children.values()]
        lines.append(f"route-map {node.params['name']}, {node.words.split()[2]}, sequence {node.params['seq']} ")
        lines += ["  Match clauses:", *(f"    {_clause(row)} " for row in rows if row.startswith("match "))]
        lines += ["  Set clauses:", *(f"    {row.removeprefix('set ')} " for row in rows if row.startswith("set "))]
    return Reply("\n".join([*lines, ""]))


def _clause(row: str) -> str:
    for line, shown in _CLAUSES:
        if row.startswith(line):
            return shown + row.removeprefix(line)
    return row.removeprefix("match ")
