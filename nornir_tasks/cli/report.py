"""``nornir report``: a site on one page for people who do not sit at the command line."""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def report(
    html: Annotated[str, typer.Option("--html", metavar="FILE", help="Where the page goes; - for stdout.")],
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
    from nornir_tasks.usecases.site_report import gather, page

    check_targets({"--html": html}, {"--json": json})
    reach = None if offline else Reach(accept_release=accept_release, workers=workers)
    found = gather(load(site), reach, Display(), proves=not unproved, without=tuple(without or ()))
    text = page(found)
    lines = write_document(html, (text, f"{len(text.encode()):,} bytes"))
    if json:
        print_json("report", {"file": html, "bytes": len(text.encode())})
    elif lines:
        out.print(*lines)
