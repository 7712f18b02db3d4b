"""The switches of `nornir design` as a table: on a narrow terminal columns are left out, and nothing is cut."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nornir_tasks.design.model.network import Device, Network

HEADS: tuple[str, ...] = (
    "switch",
    "hosts",
    "system",
    "release",
    "model",
    "AS",
    "loopback",
    "host block",
    "links",
    "routes",
    "ECMP groups",
)
LEAST_WANTED = ("ECMP groups", "release", "host block", "system", "routes", "AS", "model", "links", "loopback", "hosts")
"""The order in which columns are dropped on a narrow terminal; never the switch's name."""
PADDING = 2
MOST_ROWS = 30
"""With more switches than this, those that are alike share a row: a page, not a scroll."""
FIRST_TO_LAST = frozenset(HEADS.index(head) for head in ("switch", "AS", "loopback", "host block"))
"""What switches that are alike do not share: the row has that of the first and of the last."""


def print_switches(network: "Network", *, shows_all: bool = False) -> None:
    """One row for each switch; of many switches one row for those that are alike, unless all are wanted."""
    from rich.table import Column, Table

    from nornir_tasks.cli.console import out

    rows = _rows(network)
    grouped = rows if shows_all or len(rows) <= MOST_ROWS else rows_of_alike(rows)
    is_shared = any(len(each.parts) > 1 for each in network.fabrics.values())
    known = HEADS if is_shared else tuple(head for head in HEADS if head != "hosts")
    heads = columns_for(grouped, out.width, known)
    table = Table(*(Column(head, no_wrap=True, overflow="ignore") for head in heads), box=None)
    for row in grouped:
        table.add_row(*(row[HEADS.index(head)] for head in heads))
    # A name that alone is wider than the terminal goes on in the next line instead of being cut.
    out.print(table, width=max(out.width, _width(grouped, heads)))
    if gone := [head for head in known if head not in heads]:
        out.print(f"left out on {out.width} columns: {', '.join(gone)}; a wider terminal or --json has them")
    if len(grouped) < len(rows):
        out.print("switches that are alike share a row; --all has a row for each")


def rows_of_alike(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """One row for all that differ in nothing but names and addresses, in the order of the first of each."""
    alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for row in rows:
        key = tuple(text for place, text in enumerate(row) if place not in FIRST_TO_LAST)
        alike.setdefault(key, []).append(row)
    found = []
    for same in alike.values():
        joined = [_joined(dict.fromkeys(column)) for column in zip(*same, strict=True)]
        if len(same) > 1:
            joined[0] += f" ({len(same)})"
        found.append(tuple(joined))
    return found


def _joined(texts: dict[str, None]) -> str:
    """One or two texts as they are, of more the first and the last."""
    found = list(texts)
    return f"{found[0]} to {found[-1]}" if len(found) > 2 else ", ".join(found)


def columns_for(rows: list[tuple[str, ...]], width: int, heads: tuple[str, ...] = HEADS) -> tuple[str, ...]:
    """The columns that fit side by side, least wanted ones left out."""
    for gone in LEAST_WANTED:
        if _width(rows, heads) <= width:
            break
        heads = tuple(head for head in heads if head != gone)
    return heads


def _width(rows: list[tuple[str, ...]], heads: tuple[str, ...]) -> int:
    places = [HEADS.index(head) for head in heads]
    return sum(max(len(HEADS[place]), *(len(row[place]) for row in rows)) + PADDING for place in places)


def _rows(network: "Network") -> list[tuple[str, ...]]:
    from nornir_tasks.cli.explain import routes_in_short
    from nornir_tasks.design.addresses.routes import count_routes

    routes, rows = count_routes(network), list[tuple[str, ...]]()
    for each in network.devices:
        links, block = (
            str(len(network.links_of(each.name))),
            ", ".join(prefix for _, prefix in network.prefixes_at(each.name)) or "-",
        )
        known = (
            each.name,
            _served(network, each),
            each.os,
            each.release,
            each.model,
            str(each.asn),
            each.loopback,
            block,
            links,
        )
        rows.append((*known, *routes_in_short(routes[each.name])))
    return rows


def _served(network: "Network", device: "Device") -> str:
    """``gpu: compute, data``: the group of hosts and the planes that a leaf is for; empty for other switches."""
    found: dict[str, list[str]] = {}
    for part in network.fabrics[device.fabric].parts:
        if device.level == 0 and part.layout.has_group(device.index):
            found.setdefault(part.group, []).append(part.plane)
    return "; ".join(f"{group}: {', '.join(planes)}" for group, planes in found.items()) or "-"
