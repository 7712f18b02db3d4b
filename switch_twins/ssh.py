"""What SSH listeners of all systems do alike: listen, log in, end. What a shell says is the system's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Protocol

import asyncssh

from .spec import DeviceSpec
from .twin import RequestCounter
from .unexpected import noted

_LOGIN_TIMEOUT_S = 120
"""LoginGraceTime of OpenSSH (sshd_config(5)); a busy machine that emulates the processor took more than 30 s."""


class Host(Protocol):
    """The switch behind a listener."""

    device: DeviceSpec
    requests: RequestCounter

    def authenticate(self, user: str, password: str) -> bool:
        """Is it the account's password?"""

    def has_key(self, user: str, key: str) -> bool:
        """Is it one of the account's public keys, in OpenSSH's form?"""

    def is_ssh_reachable(self, client: str) -> bool:
        """Does SSH answer this client?"""


class Listener:
    """Accepts connections of one switch and ends them."""

    def __init__(self, switch: Host, host_key: Callable[[], Path]) -> None:
        self._switch, self._host_key = switch, host_key
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()

    async def start(self, **options: Any) -> None:  # noqa: ANN401 - asyncssh's own
        """Listen. ``options``: what asyncssh.create_server takes besides. Raises OSError if the address is taken."""
        self._acceptor = await asyncssh.create_server(
            lambda: _Login(self._switch, self._connections),
            self._switch.device.address,
            self._switch.device.ssh_port,
            server_host_keys=[str(self._host_key())],
            login_timeout=_LOGIN_TIMEOUT_S,
            line_echo=False,
            **options,
        )

    async def stop(self) -> None:
        """Close the listener and every connection."""
        if self._acceptor is not None:
            self._acceptor.close()
            self._acceptor = None
        for connection in list(self._connections):
            connection.abort()


async def typed(process: asyncssh.SSHServerProcess[str], requests: RequestCounter) -> AsyncIterator[str]:
    """The lines of a shell, until its client is gone.

    On a terminal a line is echoed as it is read: a client that sends several has each prompt on a line of its own.
    """
    try:
        async for line in process.stdin:
            await requests.answering()
            if process.get_terminal_type():
                process.stdout.write(line if line.endswith("\n") else f"{line}\n")
            yield line.rstrip("\n").replace("\x00", "")
    except (asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, asyncio.IncompleteReadError):
        pass


class _Login(asyncssh.SSHServer):
    """Login with an account's password, or one of its keys."""

    def __init__(self, switch: Host, connections: set[asyncssh.SSHServerConnection]) -> None:
        self._switch, self._connections = switch, connections
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        if not self._switch.is_ssh_reachable(str(conn.get_extra_info("peername")[0])):
            conn.abort()
            return
        self._connections.add(conn)
        self._switch.requests.connections += 1

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self._connections.discard(self._connection)
        if exc is not None and not isinstance(exc, asyncssh.Error | OSError):  # a fault of ours, which closed it
            noted(self._switch.device.name, exc)

    async def begin_auth(self, username: str) -> bool:
        await self._switch.requests.answering()
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return self._switch.authenticate(username, password)

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return self._switch.has_key(username, key.export_public_key().decode())
