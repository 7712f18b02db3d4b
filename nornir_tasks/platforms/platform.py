"""What one switch OS must bring, all of it pure: the same names in every ``platforms/<os>/``.

``platforms/<os>/__init__.py`` exposes ``PLATFORM``. An OS in the making gives what it has; what is missing is named to
whoever asks for that OS (``platforms.missing_parts``), and by a conformance test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.design.capabilities import Capabilities, Disruption, OsFacts
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change, ConfigTree
from nornir_tasks.platforms.observed import Observing
from nornir_tasks.platforms.ownership import Rule


@dataclass(frozen=True, slots=True)
class Candidate:
    """What goes to the switch, and what we expect the switch to say it will change.

    payload: EOS: tuple of configuration lines (the computed difference); NX-OS: the whole new running configuration as
    text; NVUE: {"delete": (pointer, ...), "patch": {...}}.
    """

    payload: Any
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A configuration read back: what the model knows, and the lines it does not."""

    config: DeviceConfig
    remainder: ConfigTree


MISSING: Any = None
"""A part that an OS has not got yet; every OS must have them all before it is used."""


def _nothing_more(_: ConfigTree) -> tuple[str, ...]:
    """What could cut our own path is called alike on all switches of this OS."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One switch OS."""

    facts: OsFacts = MISSING
    file_suffix: str = MISSING
    """Of rendered files: ``.cfg`` or ``.yaml``."""
    to_tree: Callable[[str], ConfigTree] = MISSING
    """Running configuration or rendered text -> tree."""
    to_text: Callable[[ConfigTree], str] = MISSING
    """Tree -> the text form that files and journal hold; ``to_tree(to_text(t)) == t``."""
    canonical: Callable[[ConfigTree], ConfigTree] = MISSING
    """Rendered tree -> as the switch prints it: hidden defaults left out, nothing else changed."""
    ownership: tuple[Rule, ...] = MISSING
    parse: Callable[[ConfigTree, Capabilities, str, str], Parsed] = MISSING
    """(owned tree, capabilities, device name, model) -> Parsed. A line that is absent means the OS's default."""
    candidate: Callable[[ConfigTree, ConfigTree, ConfigTree], Candidate] = MISSING
    """(whole running tree, owned part of it, owned part wanted (canonical)) -> Candidate."""
    server_changes: Callable[[str], frozenset[Change]] = MISSING
    """The switch's own diff of what is staged -> changes, for comparison with the plan."""
    disruption: Callable[[Change], Disruption] = MISSING
    protected: tuple[str, ...] = MISSING
    """Regular expressions over ``" / ".join(path)``: lines whose change could cut our own path."""
    management_path: Callable[[ConfigTree], tuple[str, ...]] = _nothing_more
    """(whole running tree) -> such expressions that hold on this switch alone, by what runs there."""
    vrf_line: str = ""
    """Regular expression of the line that makes a VRF, its name as group ``name``. Lines elsewhere that are in it say
    ``vrf NAME`` or ``vrf member NAME``. Empty: all that is in a VRF stands below one line."""
    observing: Observing = MISSING
    """What to ask a switch for each field of Observed, and how its answers are read."""
    api_port: int = MISSING
    """Where a switch serves its API unless devices.yml says otherwise."""
    template_filters: Mapping[str, Callable[..., Any]] = MISSING
    """Jinja filters of this OS's templates."""
