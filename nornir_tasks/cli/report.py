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
    offline: Annotated[bool, typer.Option("--offline", help="Ask no switch: the design and the proofs alone.")] = False,
    unproved: Annotated[bool, typer.Option("--unproved", help="Prove nothing: faster on large sites.")] = False,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Leave this proof out (may be given more than once).")
    ] = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Write one self-contained page: causes first, the topology with what failed, changes, proofs, what is untested.

    Reads the switches and changes nothing. Ends with 0 whatever it found; `nornir validate` ends as the network is.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.documents import check_targets, write_document
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load
    from nornir_tasks.usecases.site_report import gather, page, picture

    target = html if html is not None else svg
    if target is None or None not in (html, svg):
        raise typer.BadParameter("--html FILE for the page, or --svg FILE for the drawing alone: one of both")
    check_targets({"--html": html, "--svg": svg}, {"--json": json})
    reach = None if offline else Reach(accept_release=accept_release, workers=workers)
    proves = not unproved and svg is None
    found = gather(load(site), reach, Display(), proves=proves, without=tuple(without or ()))
    text = page(found) if svg is None else picture(found)
    lines = write_document(target, (text, f"{len(text.encode()):,} bytes"))
    if json:
        print_json("report", {"file": target, "bytes": len(text.encode())})
    elif lines:
        out.print(*lines)
