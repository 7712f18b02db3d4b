"""SSH: an interactive shell for Netmiko's cisco_nxos, single commands, and SCP to bootflash:."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import asyncssh

from ..certificates import LabCertificates
from .nxapi import Backend
from .reply import Reply


class SshServer:
    """The SSH listener of one switch. ``bootflash`` is the directory of its files."""

    def __init__(self, switch: Backend, certificates: LabCertificates, bootflash: Path) -> None:
        self._switch, self._certificates, self._bootflash = switch, certificates, bootflash
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._connections: set[asyncssh.SSHServerConnection] = set()

    async def start(self) -> None:
        """Listen. Raises OSError if the address is taken."""
        self._acceptor = await asyncssh.create_server(
            lambda: _Login(self._switch, self._connections),
            self._switch.device.address,
            self._switch.device.ssh_port,
            server_host_keys=[str(self._certificates.host_key(self._switch.device))],
            process_factory=self._serve,
            sftp_factory=self._files,
            allow_scp=True,
            server_version="Cisco-1.25",
            login_timeout=30,
        )

    async def stop(self) -> None:
        """Close the listener and every connection."""
        if self._acceptor is not None:
            self._acceptor.close()
            self._acceptor = None
        for connection in list(self._connections):
            connection.abort()

    def _files(self, channel: asyncssh.SSHServerChannel[bytes]) -> asyncssh.SFTPServer:
        """Files for one channel: SCP and SFTP each have a feature of their own."""
        feature = "sftp-server" if channel.get_subsystem() == "sftp" else "scp-server"
        self._switch.requests.requests += 1
        cli = self._switch.open_cli(str(channel.get_extra_info("username")))
        is_on = cli.view.store.running.first(f"feature {feature}") is not None
        return _Bootflash(channel, self._bootflash, "" if is_on else feature)

    async def _serve(self, process: asyncssh.SSHServerProcess[str]) -> None:
        """One shell or one command."""
        cli = self._switch.open_cli(str(process.get_extra_info("username")))
        self._switch.requests.requests += 1
        await self._switch.requests.answering()
        if process.command is not None:
            reply = Reply()
            for part in process.command.split(" ;"):
                reply = cli.run(part)
                process.stdout.write(reply.text)
            cli.finish()
            process.exit(1 if reply.is_refused else 0)
            return
        process.stdout.write("Cisco Nexus Operating System (NX-OS) Software\n" + cli.prompt)
        try:
            async for line in process.stdin:
                await self._switch.requests.answering()
                process.stdout.write(cli.run(line.rstrip("\n").replace("\x00", "")).text)
                cli.finish()
                if cli.closed:
                    break
                process.stdout.write(cli.prompt)
        except (asyncssh.BreakReceived, asyncssh.TerminalSizeChanged, asyncio.IncompleteReadError):
            pass
        process.exit(0)


class _Login(asyncssh.SSHServer):
    """Password login against the users of the configuration."""

    def __init__(self, switch: Backend, connections: set[asyncssh.SSHServerConnection]) -> None:
        self._switch, self._connections = switch, connections
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        if not self._switch.is_ssh_reachable():
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


class _Bootflash(asyncssh.SFTPServer):
    """bootflash: over SCP: one flat directory. ``missing_feature`` refuses everything."""

    def __init__(self, channel: asyncssh.SSHServerChannel[Any], directory: Path, missing_feature: str) -> None:
        super().__init__(channel)
        self._directory, self._missing = directory, missing_feature

    def map_path(self, path: bytes) -> bytes:
        if self._missing:
            raise asyncssh.SFTPPermissionDenied(f"feature {self._missing} is not enabled")
        name = path.decode().removeprefix("bootflash:").strip("/")
        name = name.removeprefix("sup-local").strip("/")
        if "/" in name or name.startswith("."):
            raise asyncssh.SFTPPermissionDenied(f"{name}: only files of bootflash: can be reached")
        return str(self._directory / name).encode() if name else str(self._directory).encode()
