"""The cables that links are parts of, and what they are called."""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.layout.link_types import Joints
from nornir_tasks.design.model.links import ASSEMBLY, Cable, Endpoint, Link, Make


def assembly_name(link: str, upper: Endpoint, lower: Endpoint) -> str:
    """An assembly of one link has the link's name; one from a split cage has the cage's."""
    for end in (upper, lower):
        if end.slot is not None and end.slot.ways > 1:
            return cage_name(end)
    return link


def cage_name(end: Endpoint) -> str:
    """``leaf-g1-r0-p5``; of a NIC ``gpu-1-rail0``, which is no cage of a switch."""
    return f"{end.device}-{end.nic}" if end.nic or end.slot is None else f"{end.device}-p{end.slot.number}"


def cables(links: list[Link], joints: Joints, levels: Mapping[str, int], makes: Mapping[str, Make]) -> Iterator[Cable]:
    """The cables: links with one cable name are one cable. ``levels``: of the switches at the upper ends of links."""
    found: dict[str, list[Link]] = {}
    for link in links:
        found.setdefault(link.cable, []).append(link)
    for name, legs in found.items():
        joint = joints.host if legs[0].kind == "host" else joints.spine
        if legs[0].kind == "peer" and joints.peer is not None:
            joint = joints.peer
        if legs[0].kind == "fabric" and levels[legs[0].upper.device] > 1 and joints.core is not None:
            joint = joints.core
        made = makes.get(name, ASSEMBLY)
        yield Cable(name, joint.medium, joint.length_m, tuple(leg.name for leg in legs), made)
