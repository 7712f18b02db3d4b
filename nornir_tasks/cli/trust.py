"""``nornir trust``: pin the certificate of one switch that no CA of ours signed."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.drivers.session import Endpoint, Facts


def trust(
    device: Annotated[str, typer.Argument(help="The switch, by its name in the design.")],
    site: options.Site = "lab",
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Show the certificate a switch serves; if you say it is the right one, compare its serial number and pin it."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.scope import load
    from nornir_tasks.drivers.fingerprint import shown_fingerprint
    from nornir_tasks.files.devices_file import pin_fingerprint
    from nornir_tasks.inventory.endpoints import device_list_file, endpoints

    scope = load(site)
    os = next(iter(scope.wanted(None, [device]).values())).config.os
    known = endpoints(scope.site, {device: os}, is_trusting=True)[device]
    fingerprint = shown_fingerprint(device, known.endpoint.address, known.endpoint.api_port)
    if not json:
        out.print(f"{device} at {known.endpoint.address} shows a certificate with SHA-256 {fingerprint}")
    _ask(yes, "Is that what its console shows?")
    names = {each.name for each in scope.fabric.devices}
    endpoint = dataclasses.replace(known.endpoint, ca_file=None, fingerprint=fingerprint)
    facts = _identify(os, endpoint, known.serial, names)
    if not json:
        out.print(f"it is a {facts.model}, serial number {facts.serial}, release {facts.release}")
    _ask(yes, "Pin this certificate?")
    file = device_list_file(scope.site)
    changed = pin_fingerprint(file, device, fingerprint)
    if json:
        print_json({"device": device, "fingerprint": fingerprint, "serial": facts.serial, "changed": changed})
    else:
        out.print(f"{'pinned' if changed else 'was pinned already'} in {file}")


def _identify(os: str, endpoint: "Endpoint", serial: str | None, names: set[str]) -> "Facts":
    """Log in under the certificate seen and read who answers. Raises IdentityError for another switch."""
    from nornir_tasks.deploy.identity import named_as_another
    from nornir_tasks.drivers import open_session
    from nornir_tasks.drivers.session import Depth
    from nornir_tasks.errors import IdentityError, Problem

    session = open_session(os, endpoint)
    try:
        facts = session.read(Depth.TEXT).facts
    finally:
        session.close()
    assert facts is not None  # noqa: S101 - of this depth they are always asked for
    if serial is not None and serial != facts.serial:
        hint = "do not pin it: another device stands at this address, or in between"
        raise IdentityError(Problem(endpoint.device, "another serial number than declared", serial, facts.serial, hint))
    if serial is None and (problems := list(named_as_another(endpoint.device, facts, names))):
        raise IdentityError(problems)
    return facts


def _ask(yes: bool, question: str) -> None:
    import sys

    from nornir_tasks.errors import Interrupted, Problem

    if yes:
        return
    if not sys.stdin.isatty():
        raise Interrupted(
            Problem("trust", "nobody is there to be asked", hint="compare the fingerprint, then say --yes")
        )
    if not typer.confirm(question, err=True):
        raise Interrupted(Problem("trust", "declined; nothing was pinned"))
