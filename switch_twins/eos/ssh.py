"""SSH: EOS's command line, interactive or one command at a time.

It is on unless shut down: ``management ssh`` is enabled in the default VRF (um-eos, Secure Shell), and in another one
where its block there says ``no shutdown``. A login lands in privileged mode where ``aaa authorization exec`` consults
the accounts' levels, else in user mode.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import asyncssh

from ..ssh import Host, Listener, typed
from .terminal import Terminal


class Backend(Host, Protocol):
    """The switch behind it."""

    def terminal(self, user: str) -> Terminal:
        """A login."""


class SshServer:
    """The SSH listener of one switch."""

    def __init__(self, switch: Backend, host_key: Callable[[], Path]) -> None:
        self._switch, self._listener = switch, Listener(switch, host_key)

    async def start(self) -> None:
        """Listen. Raises OSError if the address is taken."""
        await self._listener.start(process_factory=self._serve, server_version="OpenSSH_8.7")

    async def stop(self) -> None:
        """Close the listener and every connection."""
        await self._listener.stop()

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
        async for line in typed(process, requests):
            process.stdout.write(terminal.run(line))
            if terminal.closed:
                break
            if process.term_type and isinstance(process.channel, asyncssh.SSHLineEditorChannel):
                process.channel.set_echo(not terminal.waits_for_password)
            process.stdout.write(terminal.prompt)
        process.exit(0)
