"""``nornir prove``: what rendered or running configurations do, judged for every packet."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.proofs.isolation import Isolation, Judged

_MOST_PAIRS = 20
"""Pairs that are printed; ``--json`` has all."""


def prove(
    site: options.Site = "lab",
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this proof (may be given more than once): isolation.")
    ] = None,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every pair with every service, and the line that lets it pass or refuses it."
        ),
    ] = False,
    running: Annotated[
        bool,
        typer.Option("--running", help="Read what the switches run and prove that, others' lines among it; read-only."),
    ] = False,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Render every switch and prove what its lines do: which group of hosts reaches which other. Asks no switch.

    With --running it is what the switches run that is proved. A switch that does not answer and a line that may decide
    and is not known leave pairs undecided (exit code 9), and never proved.
    Between planes nothing may pass but what a flow names, and within a plane with flows these and nothing else.
    Every pair of groups is judged for all packets, each way that is open or blocked with the line that decides.
    """
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases import prove as usecase
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load

    design, proofs = load(site), tuple(only or ())
    if running:
        reach = Reach(accept_release=accept_release, workers=workers)
        found = usecase.prove_running(design, reach, proofs, Display())
    else:
        found = usecase.prove(design, proofs, Display())
    if json:
        print_json({"isolation": isolation_as_json(found.isolation), "undecided": list(map(str, found.undecided))})
    else:
        print_isolation(found.isolation, show_all=show_all)
    usecase.require_proved(found)


def print_isolation(found: "Isolation", *, show_all: bool = False) -> None:
    """Each pair that is not as asked, and the sum. ``show_all``: before them every pair with its services."""
    from nornir_tasks.cli.console import out

    for pair in found.pairs if show_all else ():
        out.print("\n".join(_services(pair)), markup=False)
    for pair in found.failed[:_MOST_PAIRS]:
        for line in _lines(pair):
            out.print(line, markup=False)
    if len(found.failed) > _MOST_PAIRS:
        out.print(f"... and {len(found.failed) - _MOST_PAIRS} more pairs; --json has all", markup=False)
    for line in found.assumed:
        out.print(f"taken for granted: {line}", markup=False)
    if not found.pairs:
        out.print("isolation: nothing to prove: one plane, and no flows", markup=False)
    else:
        out.print(found.summary(), markup=False)


def _services(pair: "Judged") -> Iterator[str]:
    yield f"{pair.source} to {pair.destination}"
    for each in pair.services:
        yield f"  {each.service}: {'passes' if each.passes else 'refused'} ({'; '.join(each.by)})"


def _lines(pair: "Judged") -> Iterator[str]:
    for each in pair.breaches:
        yield f"{pair.source} to {pair.destination}: {each.kind}" + (f": {each.packet}" if each.packet else "")
        yield from (f"  {line}" for line in each.by)


def isolation_as_json(found: "Isolation") -> dict[str, Any]:
    """Every pair with its verdict, and what is wrong of it."""
    return {
        "proved": found.proved,
        "total": len(found.pairs),
        "assumed": list(found.assumed),
        "pairs": [
            {
                "source": each.source._asdict(),
                "destination": each.destination._asdict(),
                "verdict": "fail" if each.breaches else "could not tell" if each.undecided else "pass",
                "services": [
                    {"service": one.service, "passes": one.passes, "decided_by": list(one.by)} for one in each.services
                ],
                "breaches": list(_breaches(each)),
            }
            for each in found.pairs
        ],
    }


def _breaches(pair: "Judged") -> Iterable[dict[str, Any]]:
    for each in pair.breaches:
        yield {
            "kind": each.kind,
            "decided_by": list(each.by),
            "packet": each.packet._asdict() if each.packet is not None else None,
        }
