"""``nornir trust``: pin the certificate of one switch that no CA of ours signed."""

from typing import Annotated

import typer

from nornir_tasks.cli import options


def trust(
    device: Annotated[str, typer.Argument(help="The switch, by its name in the design.")],
    site: options.Site = "lab",
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Show the certificate of a switch; if you confirm it, check the switch's serial number and pin the certificate."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases import trust as usecase
    from nornir_tasks.usecases.site import load

    design = load(site)
    seen = usecase.seen(design, device)
    if not json:
        out.print(f"{device} at {seen.endpoint.address} shows a certificate with SHA-256 {seen.fingerprint}")
    _ask(yes, "Is that what its console shows?")
    identified = usecase.identified(design, seen)
    facts = identified.facts
    if not json:
        out.print(f"it is a {facts.model}, serial number {facts.serial}, release {facts.release}")
    _ask(yes, "Pin this certificate?")
    pinned = usecase.pin(design, identified)
    if json:
        answer = {"device": device, "fingerprint": seen.fingerprint, "serial": facts.serial, "changed": pinned.changed}
        print_json("trust", answer)
    else:
        out.print(f"{'pinned' if pinned.changed else 'was pinned already'} in {pinned.file}")


def _ask(yes: bool, question: str) -> None:
    import sys

    from nornir_tasks.errors import Interrupted, Problem

    if yes:
        return
    if not sys.stdin.isatty():
        raise Interrupted(
            Problem("trust", "no terminal to ask for confirmation", hint="compare the fingerprint, then use --yes")
        )
    if not typer.confirm(question, err=True):
        raise Interrupted(Problem("trust", "declined; nothing was pinned"))
