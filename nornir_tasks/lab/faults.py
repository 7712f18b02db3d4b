"""What is broken in a lab that runs, and which cable or switch a name means. Pure: it reads what the lab answered."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from nornir_tasks.design.model.order import natural_key
from nornir_tasks.errors import LabError, Problem

Kind = Literal["cut", "swapped", "killed", "frozen", "lossy", "slow", "impaired"]
End = tuple[str, str]
"""(switch or host, port)."""
_CLOSEST = 4
CABLE_HINT = (
    "a cable's name as in the cabling plan (nornir design --csv FILE), or SWITCH:PORT or HOST:PORT at either end"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that was broken on purpose. ``names``: the cable, both cables that were exchanged, or the switch."""

    kind: Kind
    names: tuple[str, ...]
    ends: tuple[End, ...] = ()
    """Of a cut, lossy or slow cable, both ports."""
    percent: float = 0.0
    """Of packets, that a lossy cable loses in each direction."""
    delay_ms: float = 0.0
    """That a slow cable adds in each direction."""
    what: str = ""
    """Of what is impaired (``names``: SWITCH, HOST, SWITCH:PORT or HOST:PORT), in which way."""
    amount: float = 0.0
    """And by how much, in the unit of the way."""

    def __str__(self) -> str:
        match self.kind:
            case "cut":
                (device, port), (far, far_port) = self.ends
                return f"cable {self.names[0]} is cut: {device} {port} to {far} {far_port}"
            case "lossy":
                (device, port), (far, far_port) = self.ends
                share = f"{self.percent:g} % of the packets each way"
                return f"cable {self.names[0]} loses {share}: {device} {port} to {far} {far_port}"
            case "slow":
                (device, port), (far, far_port) = self.ends
                time = f"every packet {self.delay_ms:g} ms each way"
                return f"cable {self.names[0]} holds back {time}: {device} {port} to {far} {far_port}"
            case "swapped":
                return f"the far ends of cables {' and '.join(self.names)} are swapped"
            case "impaired":
                return f"{self.names[0]} is impaired: {self.what} {self.amount:g}"
        return f"switch {self.names[0]} {'has no power' if self.kind == 'killed' else 'hangs'}"


@dataclass(frozen=True, slots=True)
class Wired:
    """The cables of a lab as they are now, its switches, and what is broken."""

    cables: Mapping[str, tuple[End, End]]
    switches: tuple[str, ...]
    faults: tuple[Fault, ...]
    swapped: Mapping[str, str]
    """Cable -> the cable whose far end it has now."""
    sends_packets: bool = False
    """Do packets cross the cables of this lab?"""
    can_delay: bool = False
    """Can its cables hold packets back?"""

    def of(self, kind: Kind) -> dict[str, Fault]:
        """What is broken in one way, by each of its names."""
        return {name: fault for fault in self.faults if fault.kind == kind for name in fault.names}

    def switch(self, name: str) -> str:
        """A switch's name. Raises LabError for any other, naming those that are like it."""
        if name in self.switches:
            return name
        hosts = {device for ends in self.cables.values() for device, _ in ends} - set(self.switches)
        if name in hosts:
            hint = f"cut its cables: nornir lab cut {name}:PORT"
            raise LabError(Problem(name, "is no switch of this lab, but what is cabled to one", hint=hint))
        raise LabError(Problem(name, "there is no such switch in this lab", closest(name, self.switches)))

    def cable(
        self, name: str, planned: Callable[[], Mapping[str, tuple[str, ...]]], *, or_switch: bool = False
    ) -> tuple[str, ...]:
        """The cables that a name means: one, or all legs of a breakout cable as the cabling plan (``planned``) has it.

        A port means what is plugged in there now. Raises LabError for a name of nothing; ``or_switch``: it could have
        been a switch's.
        """
        if name in self.cables:
            return (name,)
        plugged = {f"{device}:{port}": cable for cable, ends in self.cables.items() for device, port in ends}
        if name in plugged:
            return (plugged[name],)
        legs = tuple(leg for leg in planned().get(name, ()) if leg in self.cables)
        if not legs:
            raise LabError(self._unknown(name, {*self.cables, *planned(), *(self.switches if or_switch else ())}))
        return legs

    def _unknown(self, name: str, known: Iterable[str]) -> Problem:
        device, has_port, port = name.partition(":")
        if not has_port:
            return Problem(name, "there is nothing of this name in this lab", closest(name, known), hint=CABLE_HINT)
        ports: dict[str, list[str]] = {}
        for near, used in (end for ends in self.cables.values() for end in ends):
            ports.setdefault(near, []).append(used)
        if device not in ports:
            return Problem(
                device, "there is no such switch or host in this lab", closest(device, ports), hint=CABLE_HINT
            )
        return Problem(name, "no cable is plugged in there", closest(port, ports[device]), hint=CABLE_HINT)


def wired(answer: Mapping[str, Any]) -> Wired:
    """From the answer to the lab's request ``faults``."""
    cables: dict[str, tuple[End, End]] = {
        name: ((a[0], a[1]), (b[0], b[1])) for name, (a, b) in answer["cables"].items()
    }
    swapped: dict[str, str] = answer["swapped"]
    pairs = dict.fromkeys(
        (cable, other) if swapped.get(other) != cable else (min(cable, other), max(cable, other))
        for cable, other in swapped.items()
    )
    faults = (
        *(Fault("killed", (name,)) for name in answer["off"]),
        *(Fault("frozen", (name,)) for name in answer["frozen"]),
        *(Fault("swapped", pair) for pair in pairs),
        *(Fault("cut", (name,), cables[name]) for name in answer["cut"]),
        *(Fault("lossy", (name,), cables[name], percent) for name, percent in answer["lossy"].items()),
        *(
            Fault("impaired", (f"{device}:{port}" if port else device,), what=what, amount=amount)
            for what, device, port, amount in answer["impaired"]
        ),
        *(Fault("slow", (name,), cables[name], delay_ms=time_ms) for name, time_ms in answer["slow"].items()),
    )
    return Wired(cables, tuple(answer["switches"]), faults, swapped, answer["sends_packets"], answer["can_delay"])


def closest(name: str, known: Iterable[str]) -> str:
    """The names most like this one, or the first ones if none is."""
    names = sorted(known, key=natural_key)
    close = sorted(get_close_matches(name, names, n=_CLOSEST), key=natural_key)
    shown = close or names[:_CLOSEST]
    return ", ".join(shown) + (", ..." if not close and len(names) > len(shown) else "")
