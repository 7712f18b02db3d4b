#!/usr/bin/python3
"""Written by Ansible (gpufabric, role bastion). One line of the system's log for each jump: who, where to.

sshd says where a connection is forwarded to (LogVerbose) in a process of the person's own, whose user the journal knows
(_UID, told by the kernel); no line of sshd has both. Where it left off is kept, so that a restart neither loses nor
repeats one.
"""

from __future__ import annotations

import json
import pwd
import re
import subprocess
import syslog
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CURSOR = Path("/var/lib/gpufabric-bastion-jumps/cursor")
JUMP = re.compile(
    r"channels\.c:connect_next\(\).* host (?P<asked>\S+) \(\[(?P<address>[^]]+)\]:(?P<port>\d+)\) in progress"
)
DENIED = re.compile(
    r"request from (?P<client>\S+) port \d+ to connect to host (?P<asked>\S+) port (?P<port>\d+), "
    r"but the request was denied"
)
"""Both as in OpenSSH 8.9 to 9.9, channels.c."""


def line_of(entry: dict[str, Any]) -> str | None:
    """What is told of one entry of the journal; None: nothing."""
    message = entry.get("MESSAGE")
    if not isinstance(message, str):  # the journal has what is no UTF-8 as numbers
        return None
    jump, denied = JUMP.search(message), DENIED.search(message)
    if denied:
        return f"refused user={user_of(entry)} target={denied['asked']}:{denied['port']} client={denied['client']}"
    if jump:
        return f"jump user={user_of(entry)} target={jump['address']}:{jump['port']} asked={jump['asked']}"
    return None


def user_of(entry: dict[str, Any]) -> str:
    """Whose process wrote it."""
    try:
        return pwd.getpwuid(int(entry["_UID"])).pw_name
    except (KeyError, ValueError):
        return f"number-{entry.get('_UID')}"


def entries() -> Iterator[dict[str, Any]]:
    """Of sshd, from where the last run left off."""
    since = ["--lines=all", f"--after-cursor={CURSOR.read_text()}"] if CURSOR.exists() else ["--lines=0"]
    names = ["--identifier=sshd", "--identifier=sshd-session"]
    command = ["/usr/bin/journalctl", "--follow", "--quiet", "--output=json", *names, *since]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as journal:  # noqa: S603 - a fixed list, no shell
        for line in journal.stdout or ():
            yield json.loads(line)


def main() -> None:
    """Follow the journal."""
    syslog.openlog("gpufabric-bastion", 0, syslog.LOG_AUTHPRIV)
    for entry in entries():
        line = line_of(entry)
        if line:
            syslog.syslog(syslog.LOG_NOTICE, line)
            scratch = CURSOR.with_suffix(".new")
            scratch.write_text(entry["__CURSOR"])
            scratch.replace(CURSOR)


if __name__ == "__main__":
    main()
