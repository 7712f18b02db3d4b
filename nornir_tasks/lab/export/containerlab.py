"""A site as a topology of containerlab: one file, and what its nodes begin with.

Each cable of the design between two nodes is one link. Management ports have none: containerlab's management network is
there instead, with a fixed address for each switch. What keys and kinds there are: tests/corpus/containerlab.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Device
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.lab.export.node_config import NodeConfig, node_config
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
from nornir_tasks.lab.export.parts import Parts
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.containerlab import Image, VirtualPort

ACCOUNT = "gpufabric"
SECRET = "containerlab"  # noqa: S105 - its name
"""Name of the secret that is the account's password: in the topology as a variable, in devices.yml as a name."""
VARIABLE = f"GPUFABRIC_SECRET_{SECRET.upper()}"


@dataclass(frozen=True)
class Topology:
    """The export of one site. ``wanted``: a switch -> its lines, as the chosen planes own them."""

    site: str
    parts: Parts
    options: Options
    wanted: Callable[[str], ConfigTree]

    @cached_property
    def ports(self) -> Mapping[str, Mapping[str, VirtualPort]]:
        """Switch -> cabled port -> the image's. Raises DesignError for switches that have more than their image."""
        found, problems = dict[str, Mapping[str, VirtualPort]](), list[Problem]()
        for device in self.parts.switches:
            try:
                found[device.name] = self.image(device).ports(self.parts.cabled_ports(device.name))
            except ValueError as error:
                hint = "leave cables away: choose planes with --plane or switches with --limit"
                problems.append(Problem(device.name, str(error), hint=hint))
        if problems:
            raise DesignError(problems)
        return found

    def image(self, device: Device) -> Image:
        """The kind of node that a switch is."""
        found = platform(device.os).image
        if not found.kind:
            what = f"no kind of node of containerlab is known for {device.os}"
            raise DesignError(Problem(device.name, what, hint="leave it away with --limit"))
        return found

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """Node -> its management address."""
        return management_addresses(self.parts, self.options.addresses)

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file, by its name: one configuration at a time is in memory. What is refused is refused at once."""
        check_images(self.options, (HOST_KIND, *(self.image(each).kind for each in self.parts.switches)))
        return self._files(self.topology())

    def _files(self, topology: str) -> Iterator[tuple[str, str]]:
        yield f"{self.site}.clab.yml", topology
        left_out = list(self.parts.left_out)
        for device in self.parts.switches:
            made = self._config(device)
            left_out += made.left_out
            yield from self._of_switch(device, made)
        yield "ports.csv", self._port_names()
        yield "left-out.csv", csv_text(("where", "what", "why"), ((e.where, e.what, e.why) for e in left_out))
        yield "devices.yml", self._devices()

    def topology(self) -> str:
        """The topology file."""
        content: dict[str, Any] = {
            "name": self.site,
            "mgmt": management(self.site, self.options.addresses),
            "topology": {
                "kinds": self._kinds(),
                "nodes": {**self._switches(), **hosts(self.parts, self.addresses)},
                "links": [self._link(link) for link in self.parts.cables],
            },
        }
        head = f"# Made from site {self.site}. {VARIABLE} is the password of the account {ACCOUNT} on its switches.\n"
        return head + yaml.safe_dump(content, sort_keys=False, width=200)

    def _kinds(self) -> dict[str, Any]:
        images = {self.image(each).kind: self.image(each).reference for each in self.parts.switches}
        kinds = {kind: {"image": self.options.images.get(kind, image), **_account()} for kind, image in images.items()}
        if self.parts.hosts:
            kinds[HOST_KIND] = {"image": self.options.images.get(HOST_KIND, HOST_IMAGE)}
        return dict(sorted(kinds.items()))

    def _switches(self) -> dict[str, Any]:
        nodes = {}
        for device in self.parts.switches:
            image, name = self.image(device), device.name
            node: dict[str, Any] = {"kind": image.kind, "mgmt-ipv4": self.addresses[name]}
            if image.startup is not None:
                node["startup-config"] = config_file(device)
            if image.ports_file is not None:
                node["binds"] = [f"{name}{image.ports_file.suffix}:{image.ports_file.inside}:ro"]
            nodes[name] = node
        return nodes

    def _link(self, link: Link) -> dict[str, Any]:
        ends = [f"{end.device}:{self._cabled(end.device, end.port)}" for end in (link.upper, link.lower)]
        return {"endpoints": ends, "mtu": CABLE_MTU_BYTES}

    def _cabled(self, device: str, port: str) -> str:
        return self.ports[device][port].cabled if device in self.ports else port

    def _config(self, device: Device) -> NodeConfig:
        return node_config(device.name, self.wanted(device.name), self.image(device), self.ports[device.name])

    def _of_switch(self, device: Device, made: NodeConfig) -> Iterator[tuple[str, str]]:
        image, os = self.image(device), platform(device.os)
        yield config_file(device), image.before + os.to_text(made.tree)
        if image.ports_file is not None:
            text = image.ports_file.text(self.ports[device.name].values())
            yield device.name + image.ports_file.suffix, text

    def _port_names(self) -> str:
        rows = (
            (device, port, each.named, each.cabled)
            for device, ports in self.ports.items()
            for port, each in ports.items()
        )
        return csv_text(("device", "port", "in_the_node", "in_the_topology"), rows)

    def _devices(self) -> str:
        """The device list of a site whose switches these are."""
        devices = {each.name: {"address": self.addresses[each.name]} for each in self.parts.switches}
        head = "# Certificates are not pinned yet: nornir trust SWITCH.\n"
        account = f"username: {ACCOUNT}\npassword: !secret {SECRET}\n"
        return head + account + yaml.safe_dump({"devices": devices}, sort_keys=False)


def _account() -> dict[str, Any]:
    """Again for each kind: the file says it in full, without aliases."""
    return {"credentials": {"username": ACCOUNT, "password": f"${{{VARIABLE}}}"}}


def config_file(device: Device) -> str:
    """The name of a switch's configuration."""
    return device.name + platform(device.os).file_suffix
