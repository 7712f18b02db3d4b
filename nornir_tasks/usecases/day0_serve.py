"""Serve first boots of the lab on loopback, for a limited time."""

import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.day0.first_boot import NewSwitch
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.files.resources import shown
from nornir_tasks.files.site import INTENT
from nornir_tasks.lab.day0.authority import Authority, fingerprint
from nornir_tasks.lab.day0.desk import Desk, Handed, Handout
from nornir_tasks.lab.day0.server import Ports, serving
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.day0 import Day0, names_of

_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Served:
    """How it ended."""

    enrolled: tuple[str, ...]
    """Switches that have their certificate, now or from before."""
    waiting: tuple[str, ...]
    refused: int
    """Requests that were refused."""


def serve(
    day0: Day0,
    folder: Path,
    for_s: float,
    on: Callable[[Handed], None] = lambda _: None,
    stop: threading.Event | None = None,
) -> Served:
    """Hand out what ``nornir day0`` wrote to a folder until every switch has its certificate, or the time is over.

    A file there that is not what day 0 of this site writes is not handed out. Raises IntentError for a server that is
    not on loopback, LabError where a port is taken, LocalError without the CA's key.
    """
    _check_loopback(day0)
    store, authority = Day0File(day0.design.site.state_directory), Authority(day0.authority)
    refused, lock = 0, threading.Lock()

    def tell(handed: Handed) -> None:
        nonlocal refused
        with lock:
            refused += bool(handed.refused)
            on(handed)

    def use(name: str, token: str, certificate: bytes) -> bool:
        return store.use(name, token, fingerprint(certificate))

    def sign(request: bytes, name: str) -> bytes:
        return authority.signed(request, name, day0.addresses[name])

    used = [name for name, known in day0.secrets.items() if known.is_used]
    desk = Desk([_handout(day0, each, folder) for each in day0.switches], used, sign, use, tell)
    address = str(day0.intent.server)
    ports = Ports(address, day0.intent.http_port, day0.intent.https_port)
    ends, stop = time.monotonic() + for_s, stop or threading.Event()
    with (
        tempfile.TemporaryDirectory() as scratch,
        serving(ports, desk, authority.server_context(address, Path(scratch))),
    ):
        while desk.waiting and time.monotonic() < ends and not stop.wait(_LOOK_S):
            pass
    names = [each.name for each in day0.switches]
    waiting = desk.waiting
    return Served(
        tuple(name for name in names if name not in waiting), tuple(name for name in names if name in waiting), refused
    )


def _check_loopback(day0: Day0) -> None:
    if not day0.intent.server.is_loopback:
        hint = "serve real switches by a web server of your own, from nornir day0 --out DIR --fill (docs/day0.md)"
        where = f"{shown(day0.design.site.directory / INTENT)}: day0.server"
        raise IntentError(
            Problem(where, "nornir day0 serve is for the lab", "an address as 127.0.0.1", str(day0.intent.server), hint)
        )


def _handout(day0: Day0, switch: NewSwitch, folder: Path) -> Handout:
    """What a switch gets, unless its files were changed since they were written."""
    known, made = day0.secrets[switch.name], day0.boot(switch, day0.filled(switch))
    return Handout(
        name=switch.name,
        identity=switch.identity.text,
        serial=switch.identity.serial,
        token=known.token,
        serial_header=platform(switch.os).first_boot.serial_header,
        script=made.script.encode(),
        config=made.config.encode(),
        why_not=_why_not(day0, switch, folder),
    )


def _why_not(day0: Day0, switch: NewSwitch, folder: Path) -> str:
    """Compare both files with what is made from the site now, whether they have names or the secrets themselves."""
    found: list[list[str]] = []
    for made in (day0.boot(switch, day0.named(switch)), day0.boot(switch, day0.filled(switch))):
        texts = zip(names_of(switch), (made.script, made.config), strict=True)
        found.append([name for name, text in texts if _text_of(folder / name) != text])
    changed = min(found, key=len)
    if not changed:
        return ""
    return f"{', '.join(changed)}: changed since it was written, or not there; run nornir day0 --out {folder} again"


def _text_of(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
