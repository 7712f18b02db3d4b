"""A switch's configuration as its image takes it: ports as the image calls them, without what it lacks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nornir_tasks.lab.export.parts import LeftOut
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.containerlab import Image, Lacking, VirtualPort

_LABEL = re.compile(r"description\b.*")
"""A label names the far end as the cabling plan does: it keeps that name."""


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """The configuration of one node."""

    tree: ConfigTree
    left_out: tuple[LeftOut, ...]
    """Lines that are not in it, or are other ones there."""


def node_config(device: str, tree: ConfigTree, image: Image, ports: Mapping[str, VirtualPort]) -> NodeConfig:
    """``tree`` for the image. ``ports``: those with a cable; what is set of any other is left out."""
    made = ConfigTree()
    renamed = {name: port.named for name, port in ports.items() if port.named != name}
    work = _Work(device, image, ports, _renaming(renamed), renamed)
    _copy(tree, (), made, work)
    if work.uncabled:
        what = f"{len(work.uncabled)} ports, from {work.uncabled[0]} to {work.uncabled[-1]}"
        work.left_out.append(LeftOut(device, what, "no cable of this lab ends there"))
    return NodeConfig(made, tuple(work.left_out))


@dataclass(frozen=True, slots=True)
class _Work:
    device: str
    image: Image
    ports: Mapping[str, VirtualPort]
    names: re.Pattern[str] | None
    renamed: Mapping[str, str]
    left_out: list[LeftOut] = field(default_factory=list)
    uncabled: list[str] = field(default_factory=list)
    """Blocks of ports without a cable, as the tree has them."""

    def text(self, line: str) -> str:
        """The line with the image's names of ports."""
        if self.names is None or _LABEL.match(line):
            return line
        return self.names.sub(lambda found: self.renamed[found[0]], line)

    def note(self, path: Path, why: str) -> None:
        """A line that is left out, or another one."""
        self.left_out.append(LeftOut(self.device, " / ".join(path), why))


def _renaming(renamed: Mapping[str, str]) -> re.Pattern[str] | None:
    """All old names in one expression: a name is exchanged once, also where the new one is another's old one."""
    if not renamed:
        return None
    names = "|".join(sorted(map(re.escape, renamed), key=len, reverse=True))
    return re.compile(rf"(?<![\w/])(?:{names})(?![\w/])")


def _copy(tree: ConfigTree, above: Path, made: ConfigTree, work: _Work) -> None:
    for child in tree.children.values():
        path = (*above, child.text)
        line = _line(path, work)
        if line is not None:
            _copy(child, path, made.add(line, child.line), work)


def _line(path: Path, work: _Work) -> str | None:
    """The last line of a path as the image takes it; None: it does not."""
    joined = " / ".join(path)
    block = re.fullmatch(work.image.port_block, joined)
    if block is not None and block["port"] not in work.ports:
        work.uncabled.append(block["port"])
        return None
    for each in _lacking(joined, work.image):
        work.note(path, each.why if each.instead is None else f"{each.why}; '{each.instead}' instead")
        return each.instead
    return work.text(path[-1])


def _lacking(joined: str, image: Image) -> Iterator[Lacking]:
    return (each for each in image.lacking if re.fullmatch(each.path, joined))
