"""Nodes of an exported topology: network namespaces here, or containers of a containerlab that runs.

    pytest tests/lab/test_running_lab.py --lab containerlab --lab-export DIR [--lab-site SITE]

DIR is what ``nornir lab export --containerlab DIR`` wrote and ``containerlab deploy`` has started. Where it was written
with --frr or --sonic, the built-in lab that it is from must still be up: it says what routes there shall be.
"""

from __future__ import annotations

import csv
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from at_terminal import ROOT, Operator
from containers import SHOW_ROUTES, SONIC, Containers, bgp_routes

ROUTES_TIMEOUT_S = 120.0


class Cable(NamedTuple):
    """A link between two switches; ends are (switch, port) by the design's names."""

    name: str
    upper: tuple[str, str]
    lower: tuple[str, str]


class Export:
    """The files of an export, as whoever runs the lab has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (file,) = folder.glob("*.clab.yml")
        self.topology: dict[str, Any] = yaml.safe_load(file.read_text())
        with (folder / "ports.csv").open(newline="") as table:
            self._ports = {(row["device"], row["port"]): row for row in csv.DictReader(table)}

    @property
    def is_routed_alone(self) -> bool:
        """Are switches FRR or SONiC-VS, which have no device list?"""
        return not (self.folder / "devices.yml").exists()

    @property
    def switches(self) -> list[str]:
        return list(dict.fromkeys(device for device, _ in self._ports))

    def in_node(self, device: str, port: str) -> str:
        return self._ports[device, port]["in_the_node"]

    def cabled(self, device: str, port: str) -> str:
        """The end of the cable in the topology."""
        row = self._ports[device, port]
        return row.get("in_the_topology") or row["in_the_node"]


class Nodes(ABC):
    """The switches of a topology of FRR or SONiC-VS that stands."""

    def __init__(self, export: Export) -> None:
        self.export = export

    @abstractmethod
    def inside(self, name: str, *command: str) -> str:
        """Run a command in a node; what it printed."""

    def routes(self, name: str) -> dict[str, set[str]]:
        """BGP's routes in a switch's kernel: prefix -> the ports that packets leave by."""
        return bgp_routes(self.inside(name, *SHOW_ROUTES))

    def shut(self, device: str, port: str) -> None:
        """Have a port down; the far end sees it."""
        self._state(device, port, "down")

    def open(self, device: str, port: str) -> None:
        self._state(device, port, "up")

    def _state(self, device: str, port: str, state: str) -> None:
        self.inside(device, "ip", "link", "set", self.export.in_node(device, port), state)


class InNamespaces(Nodes):
    """Without containerlab."""

    def __init__(self, export: Export, made: Containers) -> None:
        super().__init__(export)
        self._made = made

    def inside(self, name: str, *command: str) -> str:
        return self._made.inside(name, *command)


class InContainers(Nodes):
    """Of a containerlab on this machine."""

    def inside(self, name: str, *command: str) -> str:
        return run("docker", "exec", container(self.export, name), *command)

    def _state(self, device: str, port: str, state: str) -> None:
        if self.export.topology["topology"]["nodes"][device]["kind"] != SONIC:
            super()._state(device, port, state)
            return
        verb = "startup" if state == "up" else "shutdown"
        self.inside(device, "config", "interface", verb, self.export.in_node(device, port))


def container(export: Export, name: str) -> str:
    """What containerlab calls a node's container (docs/manual/topo-def-file.md, "Prefix")."""
    return f"clab-{export.topology['name']}-{name}"


def run(*words: str) -> str:
    """Run a command on this machine."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def running_export(config: pytest.Config) -> Export | None:
    """What --lab-export names; None without --lab containerlab."""
    if config.getoption("--lab") != "containerlab":
        return None
    folder = config.getoption("--lab-export")
    if folder is None:
        raise pytest.UsageError("--lab containerlab: name what was exported with --lab-export DIR")
    return Export(Path(folder))


def site_folder(config: pytest.Config) -> Path:
    return ROOT / "inventory" / str(config.getoption("--lab-site"))


def fabric_cable(operator: Operator, export: Export) -> Cable:
    """A cable between two switches of an export."""
    for link in operator.json("design")["links"]:
        ends = tuple((each["device"], each["port"]) for each in (link["upper"], link["lower"]))
        if {device for device, _ in ends} <= set(export.switches):
            return Cable(link["cable"], *ends)
    raise AssertionError("no two switches of this export are cabled")
