"""SSH: an interactive shell for Netmiko's cisco_nxos, single commands, and SCP to bootflash:."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import asyncssh

from ..certificates import LabCertificates
from ..ssh import Host, Listener, typed
from .cli import Cli
from .reply import Reply
from .rights import DENIED, may_configure


class Backend(Host, Protocol):
    """The switch behind it."""

    def open_cli(self, user: str, *, in_config: bool = False) -> Cli:
        """A command line for one user."""


class SshServer:
    """The SSH listener of one switch. ``bootflash`` is the directory of its files."""

    def __init__(self, switch: Backend, certificates: LabCertificates, bootflash: Path) -> None:
        self._switch, self._bootflash = switch, bootflash
        self._listener = Listener(switch, lambda: certificates.host_key(switch.device))

    async def start(self) -> None:
        """Listen. Raises OSError if the address is taken."""
        await self._listener.start(
            process_factory=self._serve, sftp_factory=self._files, allow_scp=True, server_version="Cisco-1.25"
        )

    async def stop(self) -> None:
        """Close the listener and every connection."""
        await self._listener.stop()

    def _files(self, channel: asyncssh.SSHServerChannel[bytes]) -> asyncssh.SFTPServer:
        """Files for one channel: SCP and SFTP each have a feature of their own."""
        feature = "sftp-server" if channel.get_subsystem() == "sftp" else "scp-server"
        self._switch.requests.requests += 1
        cli = self._switch.open_cli(str(channel.get_extra_info("username")))
        running = cli.view.store.running
        refusal = "" if running.first(f"feature {feature}") is not None else f"feature {feature} is not enabled"
        return _Bootflash(channel, self._bootflash, refusal or ("" if may_configure(running, cli.user) else DENIED))

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
        async for line in typed(process, self._switch.requests):
            process.stdout.write(cli.run(line).text)
            cli.finish()
            if cli.closed:
                break
            process.stdout.write(cli.prompt)
        process.exit(0)


class _Bootflash(asyncssh.SFTPServer):
    """bootflash: over SCP: one flat directory. With ``refusal`` everything is refused, in these words."""

    def __init__(self, channel: asyncssh.SSHServerChannel[Any], directory: Path, refusal: str) -> None:
        super().__init__(channel)
        self._directory, self._refusal = directory, refusal

    def map_path(self, path: bytes) -> bytes:
        if self._refusal:
            raise asyncssh.SFTPPermissionDenied(self._refusal)
        name = path.decode().removeprefix("bootflash:").strip("/")
        name = name.removeprefix("sup-local").strip("/")
        if "/" in name or name.startswith("."):
            raise asyncssh.SFTPPermissionDenied(f"{name}: only files of bootflash: can be reached")
        return str(self._directory / name).encode() if name else str(self._directory).encode()
