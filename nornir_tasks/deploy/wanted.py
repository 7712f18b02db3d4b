"""The wanted configuration of one switch: rendered, split by owner, checked for protected lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import jinja2

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.identity import Declared
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import BASE, SWITCH, Claims
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.render.render import render


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted configuration of one switch: of the planes of this push, of their fabric, and of the switch."""

    config: DeviceConfig
    capabilities: Capabilities
    claims: Claims
    owners: frozenset[str]
    """``switch`` and the planes pushed, as in the journal; the fabric goes with the switch. Base configuration may be
    pushed alone: ``base`` only."""
    text: str
    """As rendered; empty for what a rollback brings back, which was printed."""
    tree: ConfigTree
    """Canonical (hidden defaults left out), of these owners and the fabric only."""
    undoes: Done | None = None
    """Of a rollback: the push that it takes back; ``tree`` is of no use then."""
    drain: Drain | None = None
    """The switch is drained, and stays so."""

    @property
    def is_whole(self) -> bool:
        """Are these all owners of the configuration, not only some planes?"""
        return self.owners == {SWITCH} | self.claims.planes

    def sends(self, owner: str | None) -> bool:
        """Are the lines of this owner (its key; None: without owner) part of the push?"""
        return owner in self.owners or (SWITCH in self.owners and owner in self.claims.shared)

    def is_of(self, noted: frozenset[str]) -> bool:
        """Did a push that recorded these owners push the same ones on this switch?"""
        return self.owners == noted & ({SWITCH} | self.claims.planes)

    @property
    def device(self) -> str:
        """The switch's name."""
        return self.config.name

    @property
    def platform(self) -> Platform:
        """The switch's OS."""
        return platform(self.config.os)

    @property
    def declared(self) -> Declared:
        """Which switch this is for."""
        return Declared(self.config.name, self.config.os, self.config.release, self.capabilities)


def wanted(
    config: DeviceConfig,
    capabilities: Capabilities,
    claims: Claims,
    environment: jinja2.Environment,
    *,
    planes: Iterable[str] | None = None,
    allow_memory: frozenset[str] = frozenset(),
) -> Wanted:
    """Render one device and keep what ``planes`` own (None: all), with all of the fabric's and of ``switch``.

    Raises RefusedError for a rendered line without an owner, or one that touches the management path and is not of base
    configuration that the intent manages: no template can change more than we own. A plan still refuses such a change
    of base without ``--allow-management``.
    """
    os = platform(config.os)
    text = render(config, capabilities, environment, allow_memory)
    tree = os.canonical(os.to_tree(text))
    parts = split(tree, os.ownership, claims)
    guard_rendered(config.name, os, join(part for owner, part in parts.items() if owner != BASE))
    if parts[None]:
        raise RefusedError(_unowned(config.name, path) for path in _leaves(parts[None]))
    pushed = claims.planes if planes is None else claims.planes.intersection(planes)
    alone = frozenset({BASE}) if pushed == {BASE} and planes is not None else frozenset({SWITCH, *pushed})
    whole = Wanted(config, capabilities, claims, alone, text, tree)
    return replace(whole, tree=of_owners(os, parts, whole.sends))


def of_owners(os: Platform, parts: Mapping[str | None, ConfigTree], chosen: Callable[[str | None], bool]) -> ConfigTree:
    """The parts of the chosen owners as one tree, with the containers that every tree of this OS has."""
    found = join(part for owner, part in parts.items() if chosen(owner))
    return found if chosen(SWITCH) else join([os.to_tree(os.to_text(ConfigTree())), found])


def guard_rendered(device: str, os: Platform, tree: ConfigTree) -> None:
    """Refuse rendered lines that touch accounts, the management interface, the API, the boot image and the like.

    Containers that every tree of this OS has say nothing.
    """
    always = {" / ".join(path) for path in os.to_tree(os.to_text(ConfigTree())).paths()}
    problems = [
        Problem(
            where=device,
            what=f"a template renders a line that could cut the management path: {line}",
            hint="templates print owned sections only; remove the line from templates/",
        )
        for line in sorted(set(_protected(tree, "", _any_of(os.protected))) - always)
    ]
    if problems:
        raise RefusedError(problems)


def _protected(tree: ConfigTree, above: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for text, node in tree.children.items():
        line = above + text
        if pattern.match(line):
            yield line
        if node.children:
            yield from _protected(node, f"{line} / ", pattern)


def is_protected(path: Path, os: Platform, more: tuple[str, ...] = ()) -> bool:
    """Would a change of this line touch the account in use, AAA, the management path, the API or the boot image?

    ``more``: what the OS's ``management_path`` says of the switch.
    """
    return _any_of((*os.protected, *more)).match(" / ".join(path)) is not None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them, for speed: it is matched with every line of every switch."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _leaves(tree: ConfigTree) -> list[Path]:
    return [path for path, node in tree.walk() if not node]


def _unowned(device: str, path: Path) -> Problem:
    return Problem(
        where=device,
        what=f"a template prints a line that no plane owns: {' / '.join(path)}",
        expected="every rendered line is matched by a rule of platforms/<os>/ownership.py",
        hint="name the object with its plane's prefix, or add the section's rule to the OS's ownership",
    )
