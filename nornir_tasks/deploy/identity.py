"""Is this the switch that is meant? A declared serial number decides; without one, names are all there is to go by.

Two addresses swapped in devices.yml would bring each switch the other's configuration, and every cable would look
swapped. A switch that bears the name of another switch of the site is therefore refused. Any other name may be right (a
switch out of the box bears none of ours), so it is only told, like a serial number that nobody declared.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.drivers.session import Facts
from nornir_tasks.errors import Problem


@dataclass(frozen=True, slots=True)
class Declared:
    """What the intent says of one switch, whatever it shall hold."""

    device: str
    os: str
    release: str
    capabilities: Capabilities


@dataclass(frozen=True, slots=True)
class Doubt:
    """A switch that nothing but its address says to be the one that is meant."""

    device: str
    hostname: str
    """What it calls itself; empty where it does not say."""
    serial: str
    """What it says of itself: what devices.yml could declare."""

    @property
    def is_named_otherwise(self) -> bool:
        """Has it a name that is not the design's?"""
        return self.hostname != "" and short(self.hostname) != self.device


@dataclass
class Doubts:
    """The doubts of one command, each switch once. Filled by many threads at a time."""

    by_device: dict[str, Doubt] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)

    def note(self, device: str, facts: Facts) -> None:
        """Keep that this switch has no declared serial number."""
        self.by_device[device] = Doubt(device, facts.hostname, facts.serial)

    def news(self) -> list[Doubt]:
        """What was not asked for before, by name."""
        news = [each for name, each in sorted(self.by_device.items()) if name not in self.reported]
        self.reported |= {each.device for each in news}
        return news


def short(hostname: str) -> str:
    """A host name without its domain, in lower case, as the design writes names."""
    return hostname.partition(".")[0].lower()


def named_as_another(device: str, facts: Facts, names: Collection[str]) -> Iterator[Problem]:
    """The refusal of a switch that bears the name of another one of the site's switches."""
    name = short(facts.hostname)
    if name != device and name in names:
        yield Problem(
            where=device,
            what=f"{name} answers at this address",
            expected=f"a switch called {device}",
            found=f"{facts.hostname}, serial number {facts.serial} ({facts.model})",
            hint="correct the addresses in devices.yml; a serial number there decides, whatever a switch is called",
        )
