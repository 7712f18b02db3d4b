"""SSH: EOS's command line, interactive or one command at a time.

It is on unless shut down: ``management ssh`` is enabled in the default VRF (um-eos, Secure Shell), and in another one
where its block there says ``no shutdown``. A login lands in privileged mode where ``aaa authorization exec`` consults
the accounts' levels, else in user mode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import asyncssh

from ..spec import DeviceSpec
from ..twin import RequestCounter
from .terminal import Terminal


class Backend(Protocol):
    """The switch behind it."""

    device: DeviceSpec
    requests: RequestCounter

    def terminal(self, user: str) -> Terminal:
        """A login."""

    def authenticate(self, user: str, password: str) -> bool:
        """Is it the account's password?"""

    def has_key(self, user: str, key: str) -> bool:
        """Is it one of the account's public keys, in OpenSSH's form?"""

    def is_ssh_reachable(self, client: str) -> bool:
        """Does SSH answer this client?"""


class SshServer:
    """The SSH listener of one switch."""

    def __init__(self, switch: Backend, host_key: Callable[[], Path]) -> None:
        self._switch, self._host_key = switch, host_key
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()

    async def start(self) -> None:
        """Listen. Raises OSError if the address is taken."""
        self._acceptor = await asyncssh.create_server(
            lambda: _Login(self._switch, self._connections),
            self._switch.device.address,
            self._switch.device.ssh_port,
            server_host_keys=[str(self._host_key())],
            process_factory=self._serve,
            server_version="OpenSSH_8.7",
            login_timeout=30,
        )

    async def stop(self) -> None:
        """Close the listener and every connection."""
        if self._acceptor is not None:
            self._acceptor.close()
            self._acceptor = None
        for connection in list(self._connections):
            connection.abort()

    async def _serve(self, process: asyncssh.SSHServerProcess[str]) -> None:
        """One shell or one command."""
        requests = self._switch.requests
        terminal = self._switch.terminal(str(process.get_extra_info("username")))
        requests.requests += 1
        await requests.answering()
        if process.command is not None:
            process.stdout.write(terminal.run(process.command))
            process.exit(0)
            return
        process.stdout.write(terminal.prompt)
        try:
            async for line in process.stdin:
                await requests.answering()
                process.stdout.write(terminal.run(line.rstrip("\n").replace("\x00", "")))
                if terminal.closed:
                    break
                if isinstance(process.channel, asyncssh.SSHLineEditorChannel):
                    process.channel.set_echo(not terminal.waits_for_password)
                process.stdout.write(terminal.prompt)
        except (asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, asyncio.IncompleteReadError):
            pass
        process.exit(0)


class _Login(asyncssh.SSHServer):
    """Login with an account's password, or one of its keys."""

    def __init__(self, switch: Backend, connections: set[asyncssh.SSHServerConnection]) -> None:
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
