"""A routed site as containers with FRR, in a topology of containerlab: what ``nornir lab up --routed`` runs, elsewhere.

What each switch is told comes from a lab that is up, from the configuration that was pushed to its switches. Only what
they route is in it: queues, pause frames and marking are not FRR's. Keys and kinds: tests/corpus/containerlab.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import yaml

from nornir_tasks.design.model.links import Link
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.export.nodes import (
    CABLE_MTU_BYTES,
    HOST_IMAGE,
    HOST_KIND,
    Options,
    check_images,
    csv_text,
    hosts,
    management,
    management_addresses,
)
from nornir_tasks.lab.export.parts import LeftOut, Parts

RELEASE = 10
"""Major release of FRR that configurations are written for: that of both images."""


@dataclass(frozen=True)
class RoutedTopology(ABC):
    """The export. ``startup``: a switch -> what the lab says that FRR and a kernel need to be it."""

    site: str
    parts: Parts
    options: Options
    startup: Callable[[str], Mapping[str, Any]]

    kind: ClassVar[str]
    """What --image calls the nodes of switches."""
    port_columns: ClassVar[tuple[str, ...]]
    """The header of ports.csv."""

    @cached_property
    def switches(self) -> Mapping[str, Mapping[str, Any]]:
        """Each switch's start. Raises LabError with every line that FRR has no counterpart for."""
        found = {each.name: self.startup(each.name) for each in self.parts.switches}
        hint = "name the planes whose routing FRR can play, with --plane"
        problems = [
            Problem(name, f"FRR has no counterpart for {line}", hint=hint)
            for name, start in found.items()
            for line in start["refused"]
        ]
        problems += [
            Problem(name, "has no routing yet", hint="nornir push: what was pushed is exported")
            for name, start in found.items()
            if "router bgp" not in start["configuration"] and not start["refused"]
        ]
        if problems:
            raise LabError(problems)
        return found

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file, by its name. What is refused is refused at once."""
        check_images(self.options, (HOST_KIND, self.kind))
        return self._files(self.topology())

    def _files(self, topology: str) -> Iterator[tuple[str, str]]:
        yield f"{self.site}.clab.yml", topology
        yield from self._common_files().items()
        for name in self.switches:
            yield from self._files_of(name)
        yield "ports.csv", csv_text(self.port_columns, (row for name in self.switches for row in self._port_rows(name)))
        left_out = [*self.parts.left_out, *(each for name in self.switches for each in self._left_out(name))]
        yield "left-out.csv", csv_text(("where", "what", "why"), ((e.where, e.what, e.why) for e in left_out))

    def topology(self) -> str:
        """The topology file."""
        addresses = management_addresses(self.parts, self.options.addresses)
        links = [{"endpoints": self._ends(each), "mtu": CABLE_MTU_BYTES} for each in self.parts.cables]
        switches = {name: self._node(name, addresses[name]) for name in self.switches}
        content = {
            "name": self.site,
            "mgmt": management(self.site, self.options.addresses),
            "topology": {
                "kinds": {HOST_KIND: {"image": self.options.images.get(HOST_KIND, HOST_IMAGE)}},
                "nodes": {**switches, **hosts(self.parts, addresses)},
                "links": links,
            },
        }
        head = f"# Made from site {self.site}: its routing, by FRR.\n"
        return head + yaml.safe_dump(content, sort_keys=False, width=200)

    def _ends(self, link: Link) -> list[str]:
        return [f"{end.device}:{self._cabled(end.device, end.port)}" for end in (link.upper, link.lower)]

    def _left_out(self, name: str) -> Iterable[LeftOut]:
        """What of a switch the node has not."""
        yield from (LeftOut(name, line, "FRR is not told") for line in self.switches[name]["left_out"])

    def _image(self, default: str) -> str:
        """The image of switches."""
        return self.options.images.get(self.kind, default)

    @abstractmethod
    def _cabled(self, device: str, port: str) -> str:
        """What the topology calls a port; a host's keeps its name."""

    @abstractmethod
    def _node(self, name: str, address: str) -> dict[str, Any]:
        """A switch's node. ``address``: its management address."""

    @abstractmethod
    def _common_files(self) -> Mapping[str, str]:
        """Files that all switches have."""

    @abstractmethod
    def _files_of(self, name: str) -> Iterable[tuple[str, str]]:
        """Files of one switch."""

    @abstractmethod
    def _port_rows(self, name: str) -> Iterable[tuple[str, ...]]:
        """A switch's rows of ports.csv."""


def settings(start: Mapping[str, Any]) -> dict[str, int]:
    """A switch's kernel settings, as a node has them."""
    return {key: int(value) for key, value in (each.split("=", 1) for each in start["settings"])}
