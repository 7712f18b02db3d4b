"""A switch OS as an image that containerlab runs: what it is called there, what its ports are, what it lacks.

The facts of each OS, with their sources: ``platforms/<os>/virtual.py`` and tests/corpus/containerlab/exports.md.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Literal


@dataclass(frozen=True, slots=True)
class VirtualPort:
    """A port of a switch as its image has it."""

    cabled: str
    """What the topology file calls it."""
    named: str
    """What the image's own configuration calls it."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """Lines that the image does not take as they are."""

    path: str
    """Regular expression over ``" / ".join(path)``, matched whole."""
    why: str
    """What the image has not, and who says so."""
    instead: str | None = None
    """The last line of such a path as the image takes it; None: the line is left out, with all below it."""


@dataclass(frozen=True, slots=True)
class PortsFile:
    """A file that names an image's ports."""

    inside: str
    """Where the image looks for it."""
    suffix: str
    """Of its name beside the topology, behind the switch's."""
    text: Callable[[Iterable[VirtualPort]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One kind of node of containerlab."""

    kind: str
    reference: str
    """The image as the manual has it built; the user of the lab names their own."""
    ports: Callable[[Iterable[str]], Mapping[str, VirtualPort]]
    """The cabled ports of a switch, in natural order -> the image's. Raises ValueError if it has fewer."""
    port_block: str
    """Regular expression over ``" / ".join(path)`` of what is set of one port, with its name as group ``port``."""
    startup: Literal["whole", "added", None]
    """Is a startup configuration all that the image begins with, or added to what it begins with? None: it takes none,
    and the switch is configured by a push."""
    before: str = ""
    """Of a whole one: what makes the switch reachable, as a template of containerlab."""
    ports_file: PortsFile | None = None
    """The file that tells the image what its ports are called; None: it needs none."""
    lacking: tuple[Lacking, ...] = ()
    air: Callable[[str], str] | None = None
    """Release -> the image of it in NVIDIA Air, where ports keep their names; None: it has none."""


NO_IMAGE = Image(kind="", reference="", ports=lambda _: {}, port_block="", startup=None)
"""Of an OS that this is not written down for."""


def numbered(
    ports: Iterable[str], whole: re.Pattern[str], port: Callable[[int], VirtualPort], most: int | None = None
) -> Mapping[str, VirtualPort]:
    """Ports of an image that has no split ones: whole ports keep their number, parts of split ones get free numbers.

    ``whole`` has the number as its first group. ``most``: the ports that the image has; None: no source says it.
    """
    listed = list(ports)
    kept = {name: int(found[1]) for name in listed if (found := whole.fullmatch(name))}
    taken = set(kept.values())
    free = (number for number in count(1) if number not in taken)
    numbers = {name: kept[name] if name in kept else next(free) for name in listed}
    highest = max(numbers.values(), default=0)
    if most is not None and highest > most:
        message = f"the image has ports 1 to {most}, and {len(listed)} are cabled, the last as number {highest}"
        raise ValueError(message)
    return {name: port(number) for name, number in numbers.items()}
