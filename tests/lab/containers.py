"""A topology of containerlab whose switches are FRR, stood up without containers: each node is a network namespace.

It reads the topology file and the files beside it alone, as containerlab would: settings, cables, the nodes' commands,
then the daemons with their configuration.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from switch_twins.routed.daemons import Frr

CONFIGURED = "/etc/frr/frr.conf"


class Containers:
    """The nodes of a topology that stands."""

    def __init__(self, folder: Path, run: Path) -> None:
        (file,) = folder.glob("*.clab.yml")
        self.topology: dict[str, Any] = yaml.safe_load(file.read_text())["topology"]
        self._folder, self._run = folder, run
        self._frr = {
            name: Frr(self.namespace(name), run / str(number))
            for number, (name, node) in enumerate(self.topology["nodes"].items())
            if self._configuration(node)
        }

    @property
    def switches(self) -> list[str]:
        return list(self._frr)

    def namespace(self, name: str) -> str:
        return f"gfx{os.getpid()}-{name}"

    def inside(self, name: str, *command: str) -> str:
        words = ["ip", "netns", "exec", self.namespace(name), *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, ""), f"{words}: {done.stderr}"
        return done.stdout

    def up(self) -> None:
        """Raises AssertionError for a line that FRR or the kernel refuses."""
        for name, node in self.topology["nodes"].items():
            _run("ip", "netns", "add", self.namespace(name))
            settings = [f"{key}={value}" for key, value in node.get("sysctls", {}).items()]
            self.inside(name, "sysctl", "-qw", *settings) if settings else None
            self.inside(name, "ip", "link", "set", "lo", "up")
        for link in self.topology["links"]:
            (near, near_port), (far, far_port) = (end.split(":") for end in link["endpoints"])
            mtu = ["mtu", str(link["mtu"])]
            ends = ["name", near_port, "netns", self.namespace(near), *mtu, "type", "veth", "peer", "name", far_port]
            _run("ip", "link", "add", *ends, "netns", self.namespace(far), *mtu)
            for name, port in ((near, near_port), (far, far_port)):
                self.inside(name, "ip", "link", "set", port, "up")  # as containerlab leaves them
        for name, node in self.topology["nodes"].items():
            for line in node.get("exec", ()):
                self.inside(name, *shlex.split(line))
        for name, frr in self._frr.items():
            frr.start()
            folder = str(self._run / str(list(self.topology["nodes"]).index(name)))
            file = self._folder / str(self._configuration(self.topology["nodes"][name]))
            words = ["vtysh", "--vty_socket", folder, "--config_dir", folder, "-f", str(file)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), name

    def down(self) -> None:
        for frr in self._frr.values():
            frr.stop()
        for name in self.topology["nodes"]:
            subprocess.run(["ip", "netns", "delete", self.namespace(name)], capture_output=True, check=False)

    def routes(self, name: str) -> dict[str, set[str]]:
        """BGP's routes in a switch's kernel: prefix -> the ports that packets leave by."""
        shown = json.loads(self.inside(name, "ip", "-json", "route", "show", "proto", "bgp"))
        return {
            each["dst"] if "/" in each["dst"] else f"{each['dst']}/32": {
                hop["dev"] for hop in each.get("nexthops", [each])
            }
            for each in shown
        }

    def _configuration(self, node: dict[str, Any]) -> str | None:
        """The file beside the topology that a node has for FRR's configuration."""
        found = (bind.split(":")[0] for bind in node.get("binds", ()) if bind.split(":")[1] == CONFIGURED)
        return next(found, None)


@contextmanager
def containers(folder: Path, run: Path) -> Iterator[Containers]:
    """The topology of a folder, up; all of it is gone afterwards. ``run`` is short: daemons have sockets there."""
    made = Containers(folder, run)
    try:
        made.up()
        yield made
    finally:
        made.down()


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{words}: {done.stderr}"
