"""The SSH session that Ansible came in by, as the host sees it: behind sudo and su, too, which hide it from a module.

sshd tells a session in SSH_CONNECTION (ssh(1)), and sudo forgets that. The process that asked sudo still has it, and is
above the module: /proc says of each process what it was started with. Of several hops it is the last one's, which is
what a change of this host can cut. Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule

NONE = (
    "no SSH session was found above this process: it came in by another connection than SSH (docker, local, a "
    "console), or by a way of becoming root that starts it elsewhere (machinectl). What cuts off Ansible itself is "
    "not known then; interfaces of default routes alone count as those that the host is reached by"
)
_VARIABLE = b"SSH_CONNECTION="


class Session(NamedTuple):
    """Who came from where, and to which address of this host."""

    client: str
    client_port: int
    server: str
    server_port: int
    account: str

    def words(self) -> str:
        """As in SSH_CONNECTION."""
        return f"{self.client} {self.client_port} {self.server} {self.server_port}"

    def is_to(self, interface: str, address: str) -> bool:
        """Did it come to this address of this interface? A link-local one is told with the interface's name."""
        server, _, zone = self.server.partition("%")
        return server == address and zone in ("", interface)


def session(root: Path = Path("/")) -> Session | None:
    """The session of this process, else that of the nearest process above it that has one in this network namespace."""
    words, owner = os.environ.get("SSH_CONNECTION", ""), os.geteuid()
    if _parse(words, owner) is None:
        words = ""
    here = _namespace(root / "proc/self")
    for process in _above(root / "proc", os.getppid()):
        its = _variable(process) if _namespace(process) == here else ""
        if words and its != words:
            break
        if _parse(its, 0) is not None:
            # sudo itself is root's: the account is that of the first that sshd started.
            words, owner = its, _owner(process)
    return _parse(words, owner)


def warn_of_none(module: AnsibleModule, found: Session | None) -> None:
    """Say so where Ansible's way in is not known."""
    if found is None:
        module.warn(NONE)


def _above(proc: Path, number: int) -> Iterator[Path]:
    """Processes from this number up; the first of a container has no parent that can be seen."""
    while number > 0:
        yield proc / str(number)
        try:
            status = (proc / str(number) / "status").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        parent = re.search(r"^PPid:\s*(\d+)$", status, re.MULTILINE)
        number = int(parent[1]) if parent else 0


def _variable(process: Path) -> str:
    """The value that a process was started with; empty if it has none or may not be read."""
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    found = [each[len(_VARIABLE) :] for each in variables if each.startswith(_VARIABLE)]
    return found[0].decode("ascii", errors="replace") if found else ""


def _owner(process: Path) -> int:
    try:
        return process.stat().st_uid
    except OSError:
        return -1


def _namespace(process: Path) -> str:
    """The network namespace; empty if it may not be read."""
    try:
        return str((process / "ns/net").readlink())
    except OSError:
        return ""


def _parse(words: str, owner: int) -> Session | None:
    parts = words.split()
    if len(parts) != 4 or not (parts[1].isdigit() and parts[3].isdigit()):
        return None
    try:
        account = pwd.getpwuid(owner).pw_name
    except KeyError:
        account = str(owner)
    return Session(parts[0], int(parts[1]), parts[2], int(parts[3]), account)
