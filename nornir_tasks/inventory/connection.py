"""Nornir's connection plug-in: it owns the SwitchSession of one host, so Nornir opens and closes it like any other."""

from dataclasses import replace
from typing import Any

from nornir.core.configuration import Config

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.masked import MaskedSession
from nornir_tasks.drivers.session import Depth, Endpoint, SwitchSession
from nornir_tasks.drivers.vault import NO_SECRETS, Vault
from nornir_tasks.errors import AuthError
from nornir_tasks.platforms import platform as system

CONNECTION = "gpufabric"
"""Name under which the plug-in is registered (entry point ``nornir.plugins.connections``)."""


class SwitchConnection:
    """Opens ``drivers.<platform>.session`` for the Endpoint in the host's connection extras.

    With the Vault there too: above this plug-in, no code sees a secret of a switch.
    """

    connection: SwitchSession

    def open(  # noqa: PLR0917 - the signature is Nornir's
        self,
        hostname: str | None,
        username: str | None,
        password: str | None,
        port: int | None,
        platform: str | None,
        extras: dict[str, Any] | None = None,
        configuration: Config | None = None,
    ) -> None:
        """Make the session. It connects at its first read; one to a switch after its first boot, at once."""
        del hostname, username, password, port, configuration  # all of it stands in the endpoint
        endpoint: Endpoint = (extras or {})["endpoint"]
        vault: Vault = (extras or {}).get("vault", NO_SECRETS)
        os = platform or ""
        self.connection = MaskedSession(_session(os, endpoint), system(os).secrets, vault)

    def close(self) -> None:
        """End the session."""
        self.connection.close()


def _session(os: str, endpoint: Endpoint) -> SwitchSession:
    """With the account of the device list; where a switch does not know that yet, with the one that day 0 made."""
    session = open_session(os, endpoint)
    if endpoint.once is None:
        return session
    try:
        session.read(Depth.TEXT)
    except AuthError:
        session.close()
        login = endpoint.once
        return open_session(os, replace(endpoint, username=login.username, password=login.password, once=None))
    except BaseException:
        session.close()
        raise
    return session
