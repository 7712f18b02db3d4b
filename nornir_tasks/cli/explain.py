"""Output of ``nornir design`` about routes and, with ``--explain``, about the source of each figure."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.addresses.routes import RouteCount
    from nornir_tasks.design.reports.explain import Figure

WIDEST = 10_000
"""Columns that no row of figures needs."""


def routes_as_json(routes: "Mapping[str, RouteCount]") -> dict[str, dict[str, Any]]:
    """Switch -> its routes, ECMP groups and members, each with the limit or null."""
    return {
        name: {
            "total": each.total,
            "connected": each.connected,
            "own": each.own,
            "learned": each.learned,
            "ecmp_groups": each.groups,
            "ecmp_members": each.members,
            "ecmp_widest": each.widest,
            "max_routes": each.max_routes,
            "max_ecmp_groups": each.max_groups,
            "max_ecmp_paths": each.max_widest,
        }
        for name, each in routes.items()
    }


def routes_in_short(each: "RouteCount") -> tuple[str, str]:
    """Routes and ECMP groups, each with its limit where a source names one."""
    routes = str(each.total) + (f" of {each.max_routes}" if each.max_routes is not None else "")
    groups = f"{each.groups}, {each.members} members"
    return routes, groups + (f" (of {each.max_groups} groups)" if each.max_groups is not None else "")


def figures_as_json(figures: "Iterable[Figure]") -> list[dict[str, Any]]:
    """Every figure with its inputs."""
    return [
        {"plane": x.plane, "figure": x.name, "value": x.value, "from": dict(x.inputs), "rule": x.rule} for x in figures
    ]


def print_figures(figures: "Iterable[Figure]") -> None:
    """The same as a table; folded to fit a terminal, and whole rows in a pipe."""
    from rich.table import Column, Table
    from rich.text import Text

    from nornir_tasks.cli.console import out, screen

    heads = ("plane", "figure", "value", "comes from", "rule or source")
    table = Table(*(Column(head, overflow="fold") for head in heads), box=None)
    for each in figures:
        inputs = ", ".join(f"{key} {'unknown' if value is None else value}" for key, value in each.inputs.items())
        table.add_row(*(Text(str(part)) for part in (each.plane, each.name, each.value, inputs, each.rule)))
    (out if out.is_terminal else screen(width=WIDEST)).print(table)
