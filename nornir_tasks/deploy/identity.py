"""Is this the intended switch? A declared serial number decides; without one, only its name can be checked.

Two addresses swapped in devices.yml would bring each switch the other's configuration, and every cable would look
swapped. A switch with the name of another switch of the site is therefore refused. Any other name may be right (a new
switch has a default name), so it is only reported, like a serial number that is not declared.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.drivers.session import Facts
from nornir_tasks.errors import Problem


@dataclass(frozen=True, slots=True)
class Declared:
    """What the intent says of one switch, apart from its configuration."""

    device: str
    os: str
    release: str
    capabilities: Capabilities


@dataclass(frozen=True, slots=True)
class Doubt:
    """A switch that only its address identifies."""

    device: str
    hostname: str
    """Its host name; empty where unknown."""
    serial: str
    """Its serial number, which devices.yml could declare."""

    @property
    def is_named_otherwise(self) -> bool:
        """Has it a name that is not the design's?"""
        return self.hostname != "" and short(self.hostname) != self.device


@dataclass
class Doubts:
    """The doubts of one command, each switch once. Thread-safe."""

    by_device: dict[str, Doubt] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)

    def note(self, device: str, facts: Facts) -> None:
        """Keep that this switch has no declared serial number."""
        self.by_device[device] = Doubt(device, facts.hostname, facts.serial)

    def news(self) -> list[Doubt]:
        """The doubts that no earlier call returned, sorted by name."""
        news = [each for name, each in sorted(self.by_device.items()) if name not in self.reported]
        self.reported |= {each.device for each in news}
        return news


def short(hostname: str) -> str:
    """A host name without its domain, in lower case, as the design writes names."""
    return hostname.partition(".")[0].lower()


def named_as_another(device: str, facts: Facts, names: Collection[str]) -> Iterator[Problem]:
    """The refusal of a switch that has the name of another switch of the site."""
    name = short(facts.hostname)
    if name != device and name in names:
        yield Problem(
            where=device,
            what=f"{name} answers at this address",
            expected=f"a switch called {device}",
            found=f"{facts.hostname}, serial number {facts.serial} ({facts.model})",
            hint="correct the addresses in devices.yml; a serial number there decides, whatever the switch's name",
        )
