"""What every topology of containerlab has here: management network, hosts, tables beside it."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from itertools import islice
from typing import Any

from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.lab.export.parts import Parts

HOST_KIND = "linux"
HOST_IMAGE = "ghcr.io/srl-labs/network-multitool"
"""An image with the tools of a network, which containerlab's manual uses for its own (docs/cmd/tools)."""
CABLE_MTU_BYTES = 9500
"""Containerlab's own default (docs/manual/network.md), said so that a later one changes nothing."""
ADDRESSES = "172.30.0.0/16"
"""The management network unless another one is asked for."""
_FIRST = 9
"""Addresses before that are the network's own: its gateway is the first."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user of the lab decides."""

    images: Mapping[str, str]
    """Kind -> image; without one the manual's."""
    addresses: str = ADDRESSES
    """Prefix of the management network."""


def check_images(options: Options, kinds: Iterable[str]) -> None:
    """Raises DesignError for an image of a kind that no node of this lab is: it would be named and never used."""
    known = sorted(set(kinds))
    problems = [
        Problem("--image", f"no node of this lab is of kind {kind}", f"one of {', '.join(known)}", f"{kind}={image}")
        for kind, image in options.images.items()
        if kind not in known
    ]
    if problems:
        raise DesignError(problems)


def management(site: str, addresses: str) -> dict[str, str]:
    """The management network of a site's lab."""
    return {"network": f"gpufabric-{site}"[:63], "ipv4-subnet": addresses}


def management_addresses(parts: Parts, addresses: str) -> Mapping[str, str]:
    """Node -> its management address: switches in the order of the design, then hosts, from the tenth on."""
    names = [*(each.name for each in parts.switches), *parts.hosts]
    try:
        network = ip_network(addresses)
    except ValueError as error:
        raise DesignError(_no_network(str(error), addresses)) from error
    free = islice(network.hosts(), _FIRST, None)
    found = {name: str(address) for name, address in zip(names, free, strict=False)}
    if not isinstance(network, IPv4Network) or len(found) < len(names):
        raise DesignError(_no_network(f"no management network of IPv4 with room for {len(names)} nodes", addresses))
    return found


def _no_network(what: str, found: str) -> Problem:
    return Problem("--addresses", what, f"an IPv4 prefix, as {ADDRESSES}", found)


def hosts(parts: Parts, addresses: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The nodes of hosts, and of what else is cabled to switches."""
    nodes = {}
    for name in parts.hosts:
        node: dict[str, Any] = {"kind": HOST_KIND, "mgmt-ipv4": addresses[name]}
        lines = list(_host_lines(parts, name))
        nodes[name] = {**node, "exec": lines} if lines else node
    return nodes


def _host_lines(parts: Parts, host: str) -> Iterator[str]:
    """Addresses and MTU of a host's ports that are by themselves; bonds and tags are its roles' work."""
    for circuit in parts.circuits(host):
        use, port = circuit.use, circuit.link.lower.port
        if circuit.lower_address and use.bundle is None and use.tag is None:
            yield f"ip link set {port} mtu {use.mtu_bytes}"
            yield f"ip address replace {circuit.lower_address}/{use.prefix_length} dev {port}"


def csv_text(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
