"""FRR of one switch: started in its namespace, told lines, asked for JSON."""

from __future__ import annotations

import functools
import json
import re
import shutil
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import Problem, TwinError
from .commands import FRR, run
from .leftovers import end_processes

_DAEMONS = ("zebra", "mgmtd", "staticd", "bgpd", "bfdd")
"""In the order FRR's own script starts them; mgmtd is there from release 9 on."""
_ANSWER_TIMEOUT_S = 10.0
_NETLINK_BUFFER_B = 90_000_000
"""As Debian's /etc/frr/daemons: a burst of routes overflows the default."""
_END = b"\0\0\0"


@functools.cache
def release() -> int:
    """The major release of FRR on this machine. Raises TwinError if it is not there."""
    found = re.search(r"version (\d+)", run([str(FRR / "zebra"), "--version"]))
    if found is None:
        raise TwinError(Problem(str(FRR / "zebra"), "does not say its version"))
    return int(found[1])


class Frr:
    """The daemons of one switch. ``folder`` holds their sockets and files."""

    def __init__(self, namespace: str, folder: Path) -> None:
        self._namespace, self._folder = namespace, folder

    def start(self) -> None:
        """Start every daemon; each listens when this returns. Raises TwinError."""
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        (self._folder / "empty.conf").touch()
        (self._folder / "vtysh.conf").write_text("service integrated-vtysh-config\n", encoding="utf-8")
        shutil.chown(self._folder, "frr", "frr")
        for name in _DAEMONS:
            if (FRR / name).exists():
                run(["ip", "netns", "exec", self._namespace, *self._command(name)])

    def _command(self, name: str) -> list[str]:
        folder = self._folder
        common = ["-d", "-u", "frr", "-g", "frr", "-F", "datacenter", "-A", "127.0.0.1", "-f", f"{folder}/empty.conf"]
        files = ["-i", f"{folder}/{name}.pid", "-z", f"{folder}/zserv.api", "--vty_socket", str(folder)]
        own = {
            "zebra": ["-s", str(_NETLINK_BUFFER_B)],
            "bfdd": ["--bfdctl", f"{folder}/bfdd.sock"],
            "bgpd": ["-p", "179"],
        }
        log = ["--log", f"file:{folder}/frr.log", "--log-level", "warnings"]
        return [str(FRR / name), *common, *files, *own.get(name, []), *log]

    def stop(self) -> None:
        """End every process in the switch's namespace. Raises TwinError if one does not end."""
        try:
            end_processes([self._namespace])
        except OSError as error:
            raise TwinError(Problem(self._namespace, str(error))) from error

    def tell(self, lines: str) -> None:
        """Have the daemons run these configuration lines. Raises TwinError with the first line they refuse."""
        self._check_all_listen()
        if not lines:
            return
        file = self._folder / "change.conf"
        file.write_text(lines, encoding="utf-8")
        run([*self._vtysh(), "-f", str(file)])

    def _check_all_listen(self) -> None:
        """Raises TwinError for a daemon that is gone: vtysh would pass over it."""
        for name in _DAEMONS:
            if (FRR / name).exists():
                self._connected(name).close()

    def running_config(self) -> str:
        """What the daemons say they were told."""
        return run([*self._vtysh(), "-c", "show running-config no-header"])

    def _vtysh(self) -> list[str]:
        return ["vtysh", "--vty_socket", str(self._folder), "--config_dir", str(self._folder)]

    def ask(self, daemon: str, command: str) -> Any:  # noqa: ANN401  (decoded JSON)
        """A show command's JSON, over the daemon's own socket (lib/vty.c, vtysh_read). Raises TwinError."""
        try:
            with suppress(ValueError):
                return json.loads(self._answered(daemon, command) or "{}")
            # What changes while it is printed may be no JSON; asked again, it is.
            return json.loads(self._answered(daemon, command) or "{}")
        except (OSError, ValueError) as error:
            raise self._silent(daemon, error) from error

    def _answered(self, daemon: str, command: str) -> str:
        """What the daemon says."""
        with self._connected(daemon) as connection:
            for each in ("enable", command):
                connection.sendall(each.encode() + b"\0")
                answer = _answer(connection)
        return answer

    def _connected(self, daemon: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_ANSWER_TIMEOUT_S)
        try:
            connection.connect(str(self._folder / f"{daemon}.vty"))
        except OSError as error:
            connection.close()
            raise self._silent(daemon, error) from error
        return connection

    def _silent(self, daemon: str, error: Exception) -> TwinError:
        return TwinError(Problem(f"{self._namespace} {daemon}", "does not answer", found=str(error)))


def _answer(connection: socket.socket) -> str:
    """Text up to three zero bytes and the command's return code."""
    received = b""
    while received[-4:-1] != _END:
        more = connection.recv(1 << 16)
        if not more:
            raise OSError("it closed the connection")
        received += more
    return received[:-4].decode()
