"""The parts of a switch OS, all of them pure: the same names in every ``platforms/<os>/``.

``platforms/<os>/__init__.py`` exposes ``PLATFORM``. An incomplete OS exposes the parts that it has; the missing ones
are listed to the user of that OS (``platforms.missing_parts``), and by a conformance test.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from nornir_tasks.design.model.capabilities import Capabilities, Disruption, OsFacts
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.announced import Announcing
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.platforms.containerlab import NO_IMAGE, Image
from nornir_tasks.platforms.counting import NOT_COUNTED, Counting
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.first_boot import NO_FIRST_BOOT, FirstBootFacts
from nornir_tasks.platforms.let_in import Hears
from nornir_tasks.platforms.lossless import NOTHING_KNOWN, LosslessLines
from nornir_tasks.platforms.observed import Observing
from nornir_tasks.platforms.ownership import Rule
from nornir_tasks.platforms.secret_places import NO_PLACES, SecretPlaces


@dataclass(frozen=True, slots=True)
class Candidate:
    """The change to send to the switch, and the changes we expect the switch to report.

    payload: EOS: tuple of configuration lines (the computed difference); NX-OS: the whole new running configuration as
    text; NVUE: {"delete": (pointer, ...), "patch": {...}}.
    """

    payload: Any
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed configuration: the model, and the lines that are not in the model."""

    config: DeviceConfig
    remainder: ConfigTree


@dataclass(frozen=True, slots=True)
class OpenTrunk:
    """A trunk that lists no VLANs, and so carries every VLAN of its switch."""

    port: str
    path: Path
    """The line that stands for this in the tree of the running configuration. VLANs of a list are lines beside it, or
    below one beside it."""
    vlans: tuple[int, ...]
    """The VLANs of the switch, ascending."""
    empty_list: Path = ()
    """The block that a list without a VLAN is in a tree; empty, if a list is no block."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something in a running configuration beside which ours must not be pushed, in words for the operator."""

    what: str
    expected: str
    hint: str


@dataclass(frozen=True, slots=True)
class Dependence:
    """A line that others' lines may need: it is not taken from under them."""

    line: re.Pattern[str]
    """Of the line, over ``" / ".join(path)``."""
    needed_by: str
    """Regular expression of lines that need it, likewise; ``<name>`` stands for the group ``name`` of ``line``."""

    def says(self, found: re.Match[str]) -> re.Pattern[str]:
        """The lines that need the one that was found."""
        text = self.needed_by
        for name, value in found.groupdict().items():
            text = text.replace(f"<{name}>", re.escape(value or ""))
        return re.compile(text)


def needed(line: str, needed_by: str) -> Dependence:
    """A Dependence from the texts of both patterns."""
    return Dependence(re.compile(line), needed_by)


MISSING: Any = None
"""Placeholder of a part that an OS does not have yet; an OS is used only once it has all parts."""


class Canonical(Protocol):
    """See ``Platform.canonical``."""

    def __call__(self, tree: ConfigTree, defaults: Defaults = FACTORY) -> ConfigTree:
        """The tree as a switch with these defaults prints it."""


def _of_the_factory(_: ConfigTree) -> Defaults:
    """Of an OS on which no line changes what others mean."""
    return FACTORY


def _as_it_is(tree: ConfigTree, _: Defaults) -> ConfigTree:
    """On such an OS nothing is left to defaults that change."""
    return tree


def _nothing_more(_: ConfigTree) -> tuple[str, ...]:
    """No further expressions: those in ``protected`` are the same on all switches of this OS."""
    return ()


def _no_trunks(_: ConfigTree) -> tuple[OpenTrunk, ...]:
    """None: the OS has no trunks, or none without a list of VLANs."""
    return ()


def _no_ports(_: ConfigTree) -> frozenset[str]:
    """None: on this OS a list without a VLAN lets none through."""
    return frozenset()


def _no_obstacles(_: ConfigTree) -> tuple[Obstacle, ...]:
    """Of an OS without such things."""
    return ()


def _no_live_obstacles(_: ConfigTree, __: tuple[Change, ...]) -> tuple[Obstacle, ...]:
    """Of an OS that changes everything as it runs."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One switch OS."""

    facts: OsFacts = MISSING
    file_suffix: str = MISSING
    """Suffix of rendered files: ``.cfg`` or ``.yaml``."""
    to_tree: Callable[[str], ConfigTree] = MISSING
    """Running configuration or rendered text -> tree."""
    to_text: Callable[[ConfigTree], str] = MISSING
    """Tree -> the text in files and journal; ``to_tree(to_text(t)) == t``."""
    canonical: Canonical = MISSING
    """Rendered tree -> as the switch prints it: without hidden defaults, otherwise unchanged."""
    defaults: Callable[[ConfigTree], Defaults] = _of_the_factory
    """(whole running tree) -> what lines that are not there mean on this switch."""
    spelt_out: Callable[[ConfigTree, Defaults], ConfigTree] = _as_it_is
    """(part of a running tree, the switch's defaults) -> the same as a switch of the factory would print it: what
    ``parse`` reads."""
    ownership: tuple[Rule, ...] = MISSING
    setting: Callable[[Path], str] = MISSING
    """The last line of a path by what it sets: without its value where a switch holds one value of it, and without
    ``no``."""
    alike: Mapping[str, str] = field(default_factory=dict)
    """Parts of paths that releases spell otherwise -> one of the spellings."""
    factory: tuple[str, ...] = ()
    """Regular expressions over ``" / ".join(path)``: lines that a switch has before it is configured."""
    dependents: tuple[Dependence, ...] = ()
    """Lines that a switch has once, and which lines need them."""
    displacing: tuple[Dependence, ...] = ()
    """Lines that take the place of others as they come, such as a cage's parts of the whole port."""
    announcing: Announcing = MISSING
    """How lines announce routes that are not the design's."""
    parse: Callable[[ConfigTree, Capabilities, str, str], Parsed] = MISSING
    """(owned tree, capabilities, device name, model) -> Parsed. An absent line means the factory's default."""
    candidate: Callable[[ConfigTree, ConfigTree, ConfigTree], Candidate] = MISSING
    """(whole running tree, its owned part, wanted owned part (canonical)) -> Candidate."""
    server_changes: Callable[[str], frozenset[Change]] = MISSING
    """The switch's own diff of what is staged -> changes, for comparison with the plan."""
    disruption: Callable[[Change], Disruption] = MISSING
    protected: tuple[str, ...] = MISSING
    """Regular expressions over ``" / ".join(path)``: lines whose change could cut our own path."""
    harmless: tuple[str, ...] = ()
    """Regular expressions over ``" / ".join(path)``: lines beside the model that say nothing about who reaches whom.
    Every other line that the parser does not know may decide about it."""
    hears: tuple[Hears, ...] = ()
    """Lines by which it hears others itself, in the default VRF: of an OS whose control plane has a list there."""
    lossless: LosslessLines = NOTHING_KNOWN
    """Where the settings of lossless paths stand, and which lines beside the model decide about packets."""
    management_path: Callable[[ConfigTree], tuple[str, ...]] = _nothing_more
    """(whole running tree) -> further such expressions for this switch, from its running configuration."""
    open_trunks: Callable[[ConfigTree], tuple[OpenTrunk, ...]] = _no_trunks
    """(running tree, or a part of it) -> the trunks that carry every VLAN, as they list none."""
    empty_lists: Callable[[ConfigTree], frozenset[str]] = _no_ports
    """(whole tree) -> trunks with a list without a VLAN, where the OS takes that for all VLANs."""
    vlan_entry: str = ""
    """Regular expression of the line that puts a VLAN on the list of a trunk, with groups ``port`` and ``vlan``. Empty:
    the OS has no trunks."""
    obstacles: Callable[[ConfigTree], tuple[Obstacle, ...]] = _no_obstacles
    """(whole running tree) -> what of it a push must not stand beside; the switch is refused with it."""
    live_obstacles: Callable[[ConfigTree, tuple[Change, ...]], tuple[Obstacle, ...]] = _no_live_obstacles
    """(whole running tree, planned changes) -> what of them a switch that runs so refuses, and so do we."""
    secrets: SecretPlaces = NO_PLACES
    """Where a configuration holds secrets: above the drivers, placeholders stand there."""
    observing: Observing = MISSING
    """The requests for each field of Observed, and the reader of the answers."""
    counting: Counting = NOT_COUNTED
    """The requests for each counter, and the reader of the answers; ``NOT_COUNTED``: they are not written down."""
    first_boot: FirstBootFacts = NO_FIRST_BOOT
    """How a factory switch begins; ``NO_FIRST_BOOT``: that is not written down for this OS."""
    image: Image = NO_IMAGE
    """The OS as a node of containerlab; ``NO_IMAGE``: that is not written down."""
    api_port: int = MISSING
    """Port of the switch's API unless devices.yml sets another."""
    template_filters: Mapping[str, Callable[..., Any]] = MISSING
    """Jinja filters of this OS's templates."""
