"""The pluggables in cages and NIC ports, each counted once, however many jumpers come out of it."""

from collections.abc import Iterator

from nornir_tasks.design.model.links import Endpoint, Link
from nornir_tasks.design.model.media import STRAIGHT
from nornir_tasks.design.model.network import Network

Plug = tuple[str, str | int]
"""Device, and the cage's number; of a host the name of the port, or of the NIC with several."""


def plug_at(end: Endpoint) -> Plug:
    """The pluggable at this end: that of the whole cage, however it is split."""
    return end.device, end.nic or (end.slot.number if end.slot is not None else end.port)


def leg_of(end: Endpoint) -> str:
    """``leg 2 of cage 5``, on a host ``leg 2 of rail0``; empty for a port with a cage of its own."""
    slot, cage = end.slot, end.nic or (f"cage {end.slot.number}" if end.slot is not None else "")
    return f"leg {slot.leg + 1} of {cage}" if slot is not None and slot.ways > 1 else ""


def optics(network: Network) -> int:
    """Number of pluggables that are optics: all but the ends of cables that come with them, active optical ones too."""
    whole = {cable.name for cable in network.cables if cable.medium in STRAIGHT}
    return len({plug_at(end) for link in network.links if link.cable not in whole for end in _ends(link)})


def _ends(link: Link) -> Iterator[Endpoint]:
    yield link.upper
    yield link.lower
