"""A site as a topology of NVIDIA Air (format JSON). What keys it has, with sources: tests/corpus/containerlab."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from nornir_tasks.design.model.network import Device
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.lab.export.parts import Parts
from nornir_tasks.platforms import platform


@dataclass(frozen=True, slots=True)
class Size:
    """What a node gets, by Air's names of it."""

    cpu: int
    memory: int
    """MiB."""
    storage: int
    """Disk, GB."""


SWITCH, HOST = Size(2, 4096, 20), Size(2, 2048, 10)
"""Those of the page's example (Custom-Topology.md of NVIDIA Air)."""
HOST_IMAGE = "generic/ubuntu2404"


def topology(site: str, parts: Parts) -> str:
    """The file. Ports keep their names, split ones too. Raises DesignError with every switch that Air has no image of.

    Air adds an out-of-band network of its own that each node is on.
    """
    images = {each.name: _image(each) for each in parts.switches}
    refused = [each for each in parts.switches if images[each.name] is None]
    if refused:
        raise DesignError(_refused(refused))
    nodes = {name: {"os": image, **asdict(SWITCH)} for name, image in images.items()}
    nodes |= {name: {"os": HOST_IMAGE, **asdict(HOST)} for name in parts.hosts}
    links = [[{"node": end.device, "interface": end.port} for end in (link.upper, link.lower)] for link in parts.cables]
    content = {"nodes": nodes, "links": links}
    return json.dumps({"format": "JSON", "title": site, "ztp": None, "content": content}, indent=2) + "\n"


def _image(device: Device) -> str | None:
    """The name of Air's image of a switch's release."""
    known = platform(device.os).image
    return None if known.air is None else known.air(device.release)


def _refused(devices: Iterable[Device]) -> Iterator[Problem]:
    for each in devices:
        hint = "leave it away with --limit or --plane, or have it in containerlab"
        what = f"NVIDIA Air has no switches of {each.os}"
        yield Problem(each.name, what, found=f"{each.model} with {each.os} {each.release}", hint=hint)
