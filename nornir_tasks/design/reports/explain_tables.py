"""Tables of switches for ``nornir design --explain``: of the switch that fills each most, what is in it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nornir_tasks.design.addresses.routes import RouteCount
from nornir_tasks.design.capacity.tables import TableUse, table_uses
from nornir_tasks.design.model.network import Device, Network


class TableFigure(NamedTuple):
    """One table of the fullest switch of a kind."""

    name: str
    value: int
    rule: str
    inputs: Mapping[str, int | None]


def table_figures(
    network: Network, devices: Sequence[Device], routes: Mapping[str, RouteCount]
) -> Iterator[TableFigure]:
    """Routes, ECMP groups and the tables beside them, of these switches of one kind."""
    worst = max((routes[each.name] for each in devices), key=lambda each: each.total)
    inputs: dict[str, int | None] = {"connected": worst.connected, "own": worst.own, "learned": worst.learned}
    rule = "connected + own + learned by BGP; holds: the catalogue's figure, where a source names one"
    yield TableFigure("routes", worst.total, rule, {**inputs, "holds": worst.max_routes})
    inputs = {"members": worst.members, "widest": worst.widest}
    inputs |= {"holds_groups": worst.max_groups, "holds_width": worst.max_widest}
    yield TableFigure("ECMP groups", worst.groups, "different sets of two or more next hops", inputs)
    filled: dict[str, list[TableUse]] = {}
    for device in devices:
        for use in table_uses(network, device, routes[device.name])[2:]:
            filled.setdefault(use.name, []).append(use)
    for name, uses in filled.items():
        most = max(uses, key=lambda each: each.used)
        yield TableFigure(name, most.used, most.rule, {"holds": most.limit})
