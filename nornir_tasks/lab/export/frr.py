"""A routed site as containers of FRR, in a topology of containerlab: what ``nornir lab up --routed`` runs, elsewhere.

What each switch is told comes from a lab that is up, from the configuration that was pushed to its switches. Only what
they route is in it: queues, pause frames and marking are not FRR's. Keys and kinds: tests/corpus/containerlab.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from nornir_tasks.design.links import Link
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

KIND = "frr"
"""What --image calls the nodes of switches: to containerlab they are of kind linux, as hosts are."""
IMAGE = "quay.io/frrouting/frr:10.5.3"
"""The image that netlab runs (ipspace/netlab at 771eeee6b5b3, netsim/devices/frr.yml)."""
RELEASE = 10
"""Major release of FRR that configurations are written for: IMAGE's."""
DAEMONS = """\
bgpd=yes
bfdd=yes
vtysh_enable=yes
frr_profile="datacenter"
zebra_options="  -A 127.0.0.1 -s 90000000"
bgpd_options="   -A 127.0.0.1"
staticd_options="-A 127.0.0.1"
bfdd_options="   -A 127.0.0.1"
"""
"""/etc/frr/daemons, with the options of Debian's (package frr 8.4.4)."""
VTYSH = "service integrated-vtysh-config\n"
FILES = {"daemons": DAEMONS, "vtysh.conf": VTYSH}


@dataclass(frozen=True)
class FrrTopology:
    """The export. ``startup``: a switch -> what the lab says that FRR and a kernel need to be it."""

    site: str
    parts: Parts
    options: Options
    startup: Callable[[str], Mapping[str, Any]]

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
        check_images(self.options, (HOST_KIND, KIND))
        return self._files(self.topology())

    def _files(self, topology: str) -> Iterator[tuple[str, str]]:
        yield f"{self.site}.clab.yml", topology
        yield from FILES.items()
        for name, start in self.switches.items():
            yield f"{name}.frr.conf", start["configuration"]
        rows = (
            (name, port["port"], port["name"])
            for name, start in self.switches.items()
            for port in start["ports"]
            if port["port"]
        )
        yield "ports.csv", csv_text(("device", "port", "in_the_node"), rows)
        left_out = [*self.parts.left_out, *self._left_out()]
        yield "left-out.csv", csv_text(("where", "what", "why"), ((e.where, e.what, e.why) for e in left_out))

    def _left_out(self) -> Iterator[LeftOut]:
        for name, start in self.switches.items():
            yield from (LeftOut(name, line, "FRR is not told") for line in start["left_out"])

    def topology(self) -> str:
        """The topology file."""
        addresses = management_addresses(self.parts, self.options.addresses)
        links = [{"endpoints": self._ends(each), "mtu": CABLE_MTU_BYTES} for each in self.parts.cables]
        switches = {name: self._switch(name, addresses[name]) for name in self.switches}
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

    def _switch(self, name: str, address: str) -> dict[str, Any]:
        start = self.switches[name]
        settings = dict(each.split("=", 1) for each in start["settings"])
        binds = [f"{name}.frr.conf:/etc/frr/frr.conf", *(f"{file}:/etc/frr/{file}:ro" for file in FILES)]
        return {
            "kind": HOST_KIND,
            "image": self.options.images.get(KIND, IMAGE),
            "mgmt-ipv4": address,
            "sysctls": {key: int(value) for key, value in settings.items()},
            "binds": binds,
            "exec": [line for port in start["ports"] for line in _port_lines(port)],
        }

    def _ends(self, link: Link) -> list[str]:
        return [f"{end.device}:{self._names.get((end.device, end.port), end.port)}" for end in (link.upper, link.lower)]

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        """(switch, port) -> what the node's kernel calls it."""
        return {(name, port["port"]): port["name"] for name, start in self.switches.items() for port in start["ports"]}


def _port_lines(port: Mapping[str, Any]) -> Iterator[str]:
    """What makes a port of a node the switch's: it comes up last, so that no route uses it half-made."""
    name = port["name"]
    if port["port"]:
        yield f"ip link set {name} down"
        yield f"ip link set {name} mtu {port['mtu_bytes']}"
        if port["mac"]:
            yield f"ip link set {name} address {port['mac']}"
    yield from (f"ip address replace {address} dev {name}" for address in port["addresses"])
    if port["port"] and port["is_up"]:
        yield f"ip link set {name} up"
