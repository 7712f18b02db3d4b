"""Commands that bring interfaces to what a network manager's files say: names, files read again, links set again.

Standard library only (it runs on hosts, Python 3.9). The manager is told to read its files, never restarted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import Run
except ImportError:  # in a test
    from rail_state import Run


class CommandFailedError(Exception):
    """A command that changes something failed."""


class Commands:
    """Runs what changes a host, and remembers it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.done: list[str] = []

    def do(self, *command: str, may_fail: bool = False) -> None:
        """Run one. Raises CommandFailedError with its output unless it ``may_fail``."""
        self.done.append(" ".join(command))
        code, out, err = self.run(command)
        if code != 0 and not may_fail:
            message = f"`{self.done[-1]}` failed ({code}): {(err or out).strip()}"
            raise CommandFailedError(message)

    def rename(self, now: Mapping[str, str], also: Mapping[str, Sequence[str]]) -> None:
        """Give interfaces their names, and only those, as their .link files do at boot.

        ``now``: wanted name -> present one; ``also``: wanted name -> the kernel's other names of it, which go.
        """
        wrong = {name: netdev for name, netdev in now.items() if netdev != name}
        if not (wrong or any(also.values())):
            return
        # udev must know the new files before it sees the interfaces change; there is none in a container.
        self.do("udevadm", "control", "--reload", may_fail=True)
        for name, others in also.items():
            for other in others:
                self.do("ip", "link", "property", "del", "dev", now[name], "altname", other)
        for name, netdev in list(wrong.items()):
            # before Linux 6.2 only a link that is down takes a name
            self.do("ip", "link", "set", "dev", netdev, "down")
            if netdev in wrong:  # two interfaces change places
                wrong[name] = f"gpuf-{name}"[:15]
                self.do("ip", "link", "set", "dev", netdev, "name", wrong[name])
        for name, netdev in wrong.items():
            self.do("ip", "link", "set", "dev", netdev, "name", name)
        self.do("udevadm", "settle", "--timeout=10", may_fail=True)

    def read_files(self, manager: str, backend: str) -> None:
        """Have the manager read its files again."""
        if manager == "netplan":
            self.do("netplan", "generate")
        if backend == "networkd":
            self.do("networkctl", "reload")
        else:
            self.do("nmcli", "general", "reload", "conf")
            self.do("nmcli", "connection", "reload")

    def reconfigure(self, backend: str, profiles: Mapping[str, str], wait_s: int) -> None:
        """Have the manager configure interfaces again. ``profiles``: interface -> its profile under NetworkManager."""
        if backend == "networkd":
            if profiles:
                self.do("networkctl", "reconfigure", *profiles)
            return
        for profile in profiles.values():
            self.do("nmcli", "--wait", str(wait_s), "connection", "up", "id", profile)


def differ(found: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """What is not as wanted: ``+`` is wanted and missing, ``-`` is there."""
    return [f"- {line}" for line in found if line not in wanted] + [f"+ {line}" for line in wanted if line not in found]
