"""The loopback network of a lab: its own, so that labs of different sites can run in parallel."""

import hashlib
import socket
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LabError, Problem

_FIRST, _COUNT = 64, 128


def networks(directory: Path, before: str = "") -> Iterator[str]:
    """``127.x`` in the order to be tried: the one it had ``before``, the one its folder's name says, all others."""
    start = hashlib.sha256(str(directory.resolve()).encode()).digest()[0]
    ordered = [f"127.{_FIRST + (start + step) % _COUNT}" for step in range(_COUNT)]
    yield from dict.fromkeys([before, *ordered] if before in ordered else ordered)


def free_network(directory: Path, devices: Iterable[dict[str, Any]], before: str, taken: Collection[str]) -> str:
    """The first network, ``taken`` ones left out, in which no process listens on any of the lab's addresses.

    ``devices`` as the specification has them, in any network. Raises LabError when there is none.
    """
    sockets = [
        (each["address"].split(".", 2)[2], port) for each in devices for port in (each["api_port"], each["ssh_port"])
    ]
    for network in networks(directory, before):
        if network not in taken and all(_is_free(f"{network}.{host}", port) for host, port in sockets):
            return network
    ports = ", ".join(str(port) for port in sorted({port for _, port in sockets}))
    raise LabError(
        Problem(
            str(directory),
            "no loopback network is free for this lab",
            expected=f"TCP ports {ports} unused on one of 127.{_FIRST} to 127.{_FIRST + _COUNT - 1}",
            hint="end what listens there ('ss -ltnp' lists it), other labs among it: nornir lab down --site NAME",
        )
    )


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the lab's own listeners do
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
