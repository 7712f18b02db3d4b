"""Netmiko, as anybody opens it, on an NX-OS switch of the lab: its host key is verified against known_hosts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from at_terminal import Operator
from netmiko import ConnectHandler
from nxos_intent import switch

PROMPT = r"#\s*$"
"""Whatever the switch is called."""


@contextmanager
def netmiko(lab: Operator, name: str) -> Iterator[Any]:
    """One session."""
    found = switch(lab, name)
    session = ConnectHandler(
        device_type="cisco_nxos",
        host=found["address"],
        port=found["ssh_port"],
        username=found["username"],
        password=found["password"],
        ssh_strict=True,
        system_host_keys=False,
        alt_host_keys=True,
        alt_key_file=str(lab.lab / "known_hosts"),
        conn_timeout=20,
        read_timeout_override=60,  # a whole configuration, on a busy machine
    )
    try:
        yield session
    finally:
        session.disconnect()


_KEPT: dict[tuple[str, str], tuple[Any, Any]] = {}


def kept(lab: Operator, name: str) -> Any:
    """A session that stays open for the tests that follow."""
    key = (str(lab.lab), name)
    if key not in _KEPT:
        context = netmiko(lab, name)
        _KEPT[key] = (context, context.__enter__())
    return _KEPT[key][1]
