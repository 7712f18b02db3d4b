"""A topology of containerlab whose switches run FRR, stood up without containers: each node is a network namespace.

It reads the topology file and the files beside it alone, as containerlab would: settings, cables, the nodes' commands,
then the daemons with their configuration. Of SONiC-VS it plays what is recorded of it (tests/corpus/containerlab): a
cabled port gets its name, addresses, MTU and state from ``config_db.json``, FRR is told by the node's own command.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from switch_twins.routed.conf import FIRST_WITH_SOUND_GROUPS
from switch_twins.routed.daemons import Frr, release
from tests.unit.lab.sonic_tables import PORTS

CONFIGURED = "/etc/frr/frr.conf"
SONIC, SONIC_TABLES, SONIC_ROUTING = "sonic-vs", "/var/sonic/config_db.json", "/gpufabric/frr.conf"


class Containers:
    """The nodes of a topology that stands."""

    def __init__(self, folder: Path, run: Path) -> None:
        (file,) = folder.glob("*.clab.yml")
        self.topology: dict[str, Any] = yaml.safe_load(file.read_text())["topology"]
        self._folder, self._run = folder, run
        self._frr = {
            name: Frr(self.namespace(name), run / str(number))
            for number, (name, node) in enumerate(self.topology["nodes"].items())
            if self._bound(node, CONFIGURED) or self._bound(node, SONIC_ROUTING)
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
            if node["kind"] == SONIC:
                self._play_sonic(name, node)
            else:
                for line in node.get("exec", ()):
                    self.inside(name, *shlex.split(line))
        for name, frr in self._frr.items():
            frr.start()
            if release() < FIRST_WITH_SOUND_GROUPS:  # exports are for later ones
                frr.tell("no zebra nexthop kernel enable\n")
            node = self.topology["nodes"][name]
            if node["kind"] == SONIC:
                self._begin_sonic(name, node)
            else:
                self._quiet([*self._vtysh(name), "-f", str(self._bound(node, CONFIGURED))])

    def _vtysh(self, name: str) -> list[str]:
        folder = str(self._run / str(list(self.topology["nodes"]).index(name)))
        return ["vtysh", "--vty_socket", folder, "--config_dir", folder]

    @staticmethod
    def _quiet(words: list[str], path: str | None = None) -> None:
        """Run what has nothing to say if all is well."""
        environment = None if path is None else {**os.environ, "PATH": path}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), words

    def _play_sonic(self, name: str, node: dict[str, Any]) -> None:
        """What SONiC does with its configuration: a port whose wire is not there does not come to be."""
        file = self._bound(node, SONIC_TABLES)
        assert file is not None
        tables = json.loads(file.read_text())
        for port, row in tables["PORT"].items():
            wire = next(each.wire for each in PORTS.values() if each.lanes == row["lanes"])
            self.inside(name, "ip", "link", "set", wire, "down")
            self.inside(name, "ip", "link", "set", wire, "name", port, "mtu", row["mtu"], row["admin_status"])
        for key in (*tables["INTERFACE"], *tables["LOOPBACK_INTERFACE"]):
            port, _, address = key.partition("|")
            if address:
                device = port if port in tables["PORT"] else "lo"
                self.inside(name, "ip", "address", "add", address, "dev", device)

    def _begin_sonic(self, name: str, node: dict[str, Any]) -> None:
        """The node's own command, with the files that are bound to where it looks for them.

        In a container the wires keep their names beside the ports; a spare pair shows what is done to them.
        """
        self.inside(name, "ip", "link", "add", "eth98", "type", "veth", "peer", "eth99")
        tools = self._run / f"{name}.tools"
        tools.mkdir()
        (tools / "vtysh").write_text(f'#!/bin/sh\nPATH=${{PATH#*:}} exec {shlex.join(self._vtysh(name))} "$@"\n')
        (tools / "vtysh").chmod(0o755)
        (line,) = node["exec"]
        words = [str(self._bound(node, word) or word) for word in shlex.split(line)]
        self._quiet(["ip", "netns", "exec", self.namespace(name), *words], f"{tools}:{os.environ['PATH']}")
        for wire in ("eth98", "eth99"):
            assert "NOARP" in self.inside(name, "ip", "link", "show", wire)

    def down(self) -> None:
        for frr in self._frr.values():
            frr.stop()
        for name in self.topology["nodes"]:
            subprocess.run(["ip", "netns", "delete", self.namespace(name)], capture_output=True, check=False)

    def routes(self, name: str) -> dict[str, set[str]]:
        """BGP's routes in a switch's kernel: prefix -> the ports that packets leave by."""
        return bgp_routes(self.inside(name, *SHOW_ROUTES))

    def _bound(self, node: dict[str, Any], inside: str) -> Path | None:
        """The file beside the topology that is at a place in a node."""
        found = (bind.split(":") for bind in node.get("binds", ()))
        return next((self._folder / words[0] for words in found if words[1] == inside), None)


SHOW_ROUTES = ("ip", "-json", "route", "show", "proto", "bgp")


def bgp_routes(shown: str) -> dict[str, set[str]]:
    """What SHOW_ROUTES printed: prefix -> the ports that packets leave by."""
    return {
        each["dst"] if "/" in each["dst"] else f"{each['dst']}/32": {hop["dev"] for hop in each.get("nexthops", [each])}
        for each in json.loads(shown)
    }


@contextmanager
def short_folder() -> Iterator[Path]:
    """For sockets, which have short paths; FRR's own user must get there."""
    folder = Path(tempfile.mkdtemp(prefix="gfx", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


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
