"""Nornir's connection plug-in: it owns the SwitchSession of one host, so Nornir opens and closes it like any other."""

from typing import Any

from nornir.core.configuration import Config

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint, SwitchSession

CONNECTION = "gpufabric"
"""Name under which the plug-in is registered (entry point ``nornir.plugins.connections``)."""


class SwitchConnection:
    """Opens ``drivers.<platform>.session`` for the Endpoint in the host's connection extras."""

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
        """Make the session. It connects at its first read."""
        del hostname, username, password, port, configuration  # all of it stands in the endpoint
        endpoint: Endpoint = (extras or {})["endpoint"]
        self.connection = open_session(platform or "", endpoint)

    def close(self) -> None:
        """End the session."""
        self.connection.close()
