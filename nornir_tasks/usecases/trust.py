"""Trust: pin the certificate of one switch that no CA of ours signed, in three steps of which none can be left out."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.deploy.identity import named_as_another
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.fingerprint import shown_fingerprint
from nornir_tasks.drivers.session import Depth, Endpoint, Facts
from nornir_tasks.errors import IdentityError, Problem
from nornir_tasks.files.devices_file import pin_fingerprint
from nornir_tasks.inventory.endpoints import device_list_file, endpoints
from nornir_tasks.usecases.site import SiteDesign, select


@dataclass(frozen=True, slots=True)
class Seen:
    """The certificate that a switch shows. Nothing was sent to it, and who it is is not known yet."""

    device: str
    os: str
    endpoint: Endpoint
    fingerprint: str
    """SHA-256, hex."""
    serial: str | None
    """The serial number that is declared; None: none is."""


@dataclass(frozen=True, slots=True)
class Identified:
    """The same certificate, and who answers under it."""

    seen: Seen
    facts: Facts


@dataclass(frozen=True, slots=True)
class Pinned:
    """A certificate that is trusted from now on."""

    file: Path
    """Where it stands: the site's device list."""
    changed: bool
    """False: it stood there already."""


def seen(design: SiteDesign, device: str) -> Seen:
    """Look at the certificate of one switch. Raises IntentError for a switch that is not listed, or ConnectError."""
    os = next(iter(select(design, limit=[device]).devices.values())).os
    known = endpoints(design.site, {device: os}, is_trusting=True)[device]
    fingerprint = shown_fingerprint(device, known.endpoint.address, known.endpoint.api_port)
    return Seen(device, os, known.endpoint, fingerprint, known.serial)


def identified(design: SiteDesign, seen: Seen) -> Identified:
    """Log in under the certificate seen and read who answers. Raises IdentityError for another switch."""
    endpoint = dataclasses.replace(seen.endpoint, ca_file=None, fingerprint=seen.fingerprint)
    session = open_session(seen.os, endpoint)
    try:
        facts = session.read(Depth.TEXT).facts
    finally:
        session.close()
    assert facts is not None  # noqa: S101 - of this depth they are always asked for
    if seen.serial is not None and seen.serial != facts.serial:
        hint = "do not pin it: another device is at this address, or in between"
        raise IdentityError(
            Problem(seen.device, "another serial number than declared", seen.serial, facts.serial, hint)
        )
    names = {each.name for each in design.network.devices}
    if seen.serial is None and (problems := list(named_as_another(seen.device, facts, names))):
        raise IdentityError(problems)
    return Identified(seen, facts)


def pin(design: SiteDesign, identified: Identified) -> Pinned:
    """Note the certificate in the site's device list: from now on this switch must show it."""
    file = device_list_file(design.site)
    return Pinned(file, pin_fingerprint(file, identified.seen.device, identified.seen.fingerprint))
