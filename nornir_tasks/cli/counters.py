"""``nornir counters``: what grew just now on switches, what hurts most first."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.checks.counters.ranking import Row
    from nornir_tasks.usecases.soak import Listed

TOP = 20
DOUBTS_SHOWN = 12


def counters(
    site: options.Site = "lab",
    port: Annotated[
        list[str] | None,
        typer.Option("--port", metavar="SWITCH:PORT", help="All counters of this port and its far end (repeatable)."),
    ] = None,
    host: Annotated[
        list[str] | None, typer.Option("--host", help="All counters of the ports to this host (repeatable).")
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="List so many, those that hurt most.")] = TOP,
    over: Annotated[str, typer.Option("--over", metavar="TIME", help="Count for so long (5s to 24h).")] = "10s",
    limit: options.Limit = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    host_counters: options.HostCounters = None,
    json: options.Json = False,
) -> None:
    """Read the switches' counters twice and list what grew: lost packets first, then pauses, then marks.

    Changes nothing and judges nothing: nornir validate --soak does. With --port or --host everything is listed,
    what did not grow as well.
    """
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import soak
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load, select

    seconds = soak.duration_s(over, "--over")
    selection = select(load(site), (), limit or ())
    ends = soak.ends_named(selection, port or (), host or ())
    chosen = soak.narrowed(selection, ends)
    before = soak.hosts_before(selection, host_counters or ())
    counted = soak.count(chosen, Reach(accept_release=accept_release, workers=workers), seconds, Display())
    soak.require_read(counted)
    hosts = soak.hosts_after(selection, host_counters or (), before)
    found = soak.listed(chosen, soak.with_hosts(counted, *hosts), ends, None if ends else top)
    if json:
        print_json("counters", as_json(found))
    else:
        _print(found)


def as_json(found: "Listed") -> dict[str, Any]:
    """All of it as one document."""
    from nornir_tasks.cli.findings import coverage_as_json

    return {
        "seconds": found.seconds,
        "rows": [
            {
                "device": each.device,
                "port": each.place.port,
                "index": each.place.index,
                "counter": str(each.counter),
                "grown": each.grown,
                "per_s": each.per_s,
                "total": each.total,
                "lossless": each.lossless,
                "far": each.far,
                "cable": each.cable,
            }
            for each in found.rows
        ],
        "hidden": found.hidden,
        "coverage": coverage_as_json(found.coverage),
        "doubts": [{"device": device, "what": what} for device, what in found.doubts],
    }


def _print(found: "Listed") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.findings import print_coverage
    from nornir_tasks.cli.tables import named_table

    if found.rows:
        table = named_table("port", "counter", f"in {found.seconds:.0f} s", "a second", "total", "far end", "cable")
        for row in found.rows:
            table.add_row(*_cells(row))
        out.print(table)
    else:
        out.print(f"nothing that hurts grew in {found.seconds:.0f} s: no drop, error, pause or mark")
    if found.hidden:
        out.print(f"{found.hidden} more grew (--top {len(found.rows) + found.hidden} shows them)")
    for device, what in found.doubts[:DOUBTS_SHOWN]:
        out.print(f"could not tell: {device}: {what}", soft_wrap=True)
    if len(found.doubts) > DOUBTS_SHOWN:
        out.print(f"{len(found.doubts) - DOUBTS_SHOWN} more could not be told (--json has them)")
    print_coverage(found.coverage, show_all=False)


def _cells(row: "Row") -> tuple[str, ...]:
    index = "" if row.place.index is None else f" {row.place.index}"
    name = f"{row.counter}{index}" + (" (lossless)" if row.lossless else "")
    if row.per_s is None:
        return f"{row.device} {row.place.port}", name, f"{row.grown:,.1f}", "", "", row.far, row.cable
    grown, per_s, total = f"{row.grown:,.0f}", f"{row.per_s:,.1f}", f"{row.total:,.0f}"
    return f"{row.device} {row.place.port}", name, grown, per_s, total, row.far, row.cable
