"""``nornir report``: a site on one page for people who do not sit at the command line."""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def report(
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write the page; - for stdout.")] = None,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Write the drawing alone, what was found as its layer `faults`."),
    ] = None,
    site: options.Site = "lab",
    now: Annotated[
        bool, typer.Option("--now", help="Validate and prove now, which takes as long as these verbs do.")
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", help="With --now: leave this proof out (may be given more than once)."),
    ] = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Write one self-contained page: causes first, the topology with what failed, changes, proofs, what is untested.

    It is made of what `validate`, `plan` and `prove` found last over the whole site. The page says how old that is,
    and names what was changed since. Ends with 0 whatever was found; `nornir validate` ends as the network is.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.documents import check_targets, write_document
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load
    from nornir_tasks.usecases.site_report import gather, page, picture, run_all

    target = html if html is not None else svg
    if target is None or None not in (html, svg):
        raise typer.BadParameter("--html FILE for the page, or --svg FILE for the drawing alone: one of both")
    check_targets({"--html": html, "--svg": svg}, {"--json": json})
    if without and not now:
        raise typer.BadParameter("--without is for --now: the page shows the proofs that were made last")
    design = load(site)
    if now:
        run_all(design, Reach(accept_release=accept_release, workers=workers), Display(), without=tuple(without or ()))
    found = gather(design)
    text = page(found) if svg is None else picture(found)
    lines = write_document(target, (text, f"{len(text.encode()):,} bytes"))
    if json:
        print_json("report", {"file": target, "bytes": len(text.encode())})
    elif lines:
        out.print(*lines)
