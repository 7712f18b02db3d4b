"""The options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from nornir_tasks.cli.commands import remember


def names_site(context: typer.Context) -> bool:
    """Does the command line name a site?"""
    source = context.get_parameter_source("site")
    return source is not None and source.name != "DEFAULT"


def say_site(context: typer.Context, site: str) -> str:
    """Print on stderr which folder a name stands for; every JSON document names it, and commands in hints."""
    remember(context)
    is_silent = context.resilient_parsing or context.params.get("list_checks")
    if not is_silent:  # no completion in a shell is wanted here, and the list of checks is of no site unless it says so
        work_on(site)
    return site


def work_on(site: str) -> None:
    """Print which folder is used, and add it to JSON documents."""
    from nornir_tasks.cli.console import SITE_DIRECTORY, say_site

    SITE_DIRECTORY.set(str(say_site(site)))


Site = Annotated[
    str,
    typer.Option(
        "--site",
        "-s",
        callback=say_site,
        help="A site's name: looked for in ./inventory, here, and among the built-in ones. Or the path of its folder.",
    ),
]
SiteOfGroup = Annotated[str, typer.Option("--site", "-s", help="The site, for all commands below.")]
"""Of a verb that has others below it: it says which site only where it works on it itself."""
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
Junit = Annotated[
    str | None, typer.Option("--junit", help="Write the verdicts as JUnit's XML to this file.", metavar="FILE")
]
Sarif = Annotated[
    str | None, typer.Option("--sarif", help="Write the verdicts as SARIF 2.1.0 to this file.", metavar="FILE")
]
Plane = Annotated[
    list[str] | None,
    typer.Option("--plane", "-p", help="Only this plane, or base (may be given more than once); default: all."),
]
Limit = Annotated[
    list[str] | None,
    typer.Option("--limit", "-l", help="Only these switches: names or patterns like 'leaf-*' (may be repeated)."),
]
AllLines = Annotated[bool, typer.Option("--all", help="Show every line that would change, not a page of them alone.")]
Message = Annotated[
    str, typer.Option("--message", "-m", help="Why: one line, kept in the journal (a site may require it).")
]
Ticket = Annotated[str, typer.Option("--ticket", help="Its number in your system for changes, kept in the journal.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
AllowManagement = Annotated[
    list[str] | None,
    typer.Option("--allow-management", help="Let this switch's change touch accounts, management path or API."),
]
Adopt = Annotated[
    list[str] | None,
    typer.Option(
        "--adopt",
        help="Take over an object of others that is in the way, as plan lists it: SWITCH:OBJECT, or @FILE with one a "
        "line (may be repeated).",
    ),
]
AcceptRelease = Annotated[
    bool, typer.Option("--accept-release", help="Go on though a switch runs another release than declared.")
]
Unguarded = Annotated[
    bool,
    typer.Option("--unguarded", help="Commit also to a switch without a commit timer: it keeps what cuts us off."),
]
HostsReorder = Annotated[
    bool,
    typer.Option(
        "--hosts-reorder", help="Switches may begin to balance packet by packet: hosts' NICs reorder already."
    ),
]
HostCounters = Annotated[
    list[Path] | None,
    typer.Option(
        "--host-counters",
        metavar="DIR",
        help="What hosts counted: given twice, the folder written before the soak and the one written after "
        "(ansible -m gpufabric.host.counter_facts --tree DIR).",
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, max=512, help="Switches worked on at the same time.")]
