"""What a line that is not there means on one switch: what the factory says, unless lines of others changed it.

Two answers to such a line. Where it is published what the switch prints then, both trees are made so: the wanted one
hides other lines (``Platform.canonical``), and what runs is spelt out for the parser (``Platform.spelt_out``).
Elsewhere a push is refused that relies on the default (``Decides``).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nornir_tasks.platforms.config_tree import ConfigTree, Path


@dataclass(frozen=True, slots=True)
class Decides:
    """A line of others that decides what rendered lines mean, in a way that we cannot write out."""

    path: Path
    relies: Callable[[ConfigTree], bool]
    """Does a rendered tree rely on the default?"""
    expected: str
    hint: str


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of one switch."""

    is_routed: bool = False
    """A port that does not say so is routed."""
    is_shut: bool = False
    """A port that does not say so is down: on EOS any, on NX-OS a switched one. Of groups it says nothing."""
    mtu_bytes: int | None = None
    """Of a routed port without a line of it; None: what the factory says."""
    others: tuple[Decides, ...] = ()

    def relied_on(self, rendered: ConfigTree) -> Iterator[Decides]:
        """The lines of others that decide about something of this tree."""
        return (each for each in self.others if each.relies(rendered))


FACTORY = Defaults()


def has_line(pattern: str) -> Callable[[ConfigTree], bool]:
    """Has a tree a line like this, by the whole ``" / ".join(path)``?"""
    matches = re.compile(pattern).fullmatch
    return lambda rendered: any(matches(" / ".join(path)) for path, _ in rendered.walk())


def with_lines(block: ConfigTree, *lines: str) -> ConfigTree:
    """A block with further lines; the block itself, without any."""
    if not lines:
        return block
    longer = ConfigTree(block.text, block.line)
    longer.children = block.children | {line: ConfigTree(line) for line in lines}
    return longer


def spelt_out(
    tree: ConfigTree, blocks: str | tuple[str, ...], unsaid: Callable[[ConfigTree], tuple[str, ...]]
) -> ConfigTree:
    """The tree with what its blocks with these beginnings leave ``unsaid``; all others are its own nodes."""
    spelt = ConfigTree(tree.text, tree.line)
    spelt.children = {
        text: with_lines(node, *unsaid(node)) if text.startswith(blocks) else node
        for text, node in tree.children.items()
    }
    return spelt
