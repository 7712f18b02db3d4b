"""What one switch shall hold: rendered, split by owner, guarded. The plan compares this with what runs."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import jinja2

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.render.render import render


@dataclass(frozen=True, slots=True)
class Wanted:
    """The owned part of one switch's configuration for the planes of this push."""

    config: DeviceConfig
    capabilities: Capabilities
    claims: Claims
    owners: frozenset[str]
    """``switch`` and the planes pushed."""
    text: str
    tree: ConfigTree
    """Canonical (hidden defaults left out), of these owners only."""

    @property
    def is_whole(self) -> bool:
        """Are these all owners of the configuration, and not some planes of it?"""
        return self.owners == _owners(self.claims)

    @property
    def device(self) -> str:
        """The switch's name."""
        return self.config.name

    @property
    def platform(self) -> Platform:
        """The switch's OS."""
        return platform(self.config.os)


def wanted(
    config: DeviceConfig,
    capabilities: Capabilities,
    claims: Claims,
    environment: jinja2.Environment,
    *,
    planes: Iterable[str] | None = None,
    allow_memory: frozenset[str] = frozenset(),
) -> Wanted:
    """Render one device and keep what ``planes`` own (None: all), with what of ``switch`` they stand on.

    Raises RefusedError for a rendered line that belongs to nobody or touches our own path: a template cannot reach
    beyond what we own, whatever was done to it.
    """
    os = platform(config.os)
    text = render(config, capabilities, environment, allow_memory)
    tree = os.canonical(os.to_tree(text))
    guard_rendered(config.name, os, tree)
    parts = split(tree, os.ownership, claims)
    if parts[None]:
        raise RefusedError(_unowned(config.name, path) for path in _leaves(parts[None]))
    owners = {SWITCH, *planes} if planes is not None else _owners(claims)
    kept = join(part for owner, part in parts.items() if owner in owners)
    return Wanted(config, capabilities, claims, frozenset(owners), text, kept)


def _owners(claims: Claims) -> frozenset[str]:
    """``switch`` and every plane."""
    return frozenset({SWITCH, *(claim.plane for claim in claims.planes)})


def guard_rendered(device: str, os: Platform, tree: ConfigTree) -> None:
    """Refuse rendered lines that touch accounts, the management interface, the API, the boot image and the like."""
    problems = [
        Problem(
            where=device,
            what=f"a template prints a line that could cut our own path: {line}",
            hint="templates print owned sections only; remove the line from templates/",
        )
        for line in sorted(_protected(tree, "", _any_of(os.protected)))
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


def is_protected(path: Path, os: Platform) -> bool:
    """Would a change of this line touch the account in use, AAA, the management path, the API or the boot image?"""
    return _any_of(os.protected).match(" / ".join(path)) is not None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all of them: every line of every switch goes through it."""
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
