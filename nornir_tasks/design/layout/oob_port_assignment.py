"""Places on an out-of-band plane that the intent names, where something is cabled otherwise than would follow.

A device that is given a port goes there. What had that port takes the place that the device left; where that one is
given to a third, the place that the third left, and so on. So each named place moves at most one device that has none,
and the outcome does not depend on the order of the file. Places are kept for ``max`` of each group before anything is
moved, so growth within ``max`` moves nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.demand.fabric_demand import Attached, AttachedEnd
from nornir_tasks.design.layout.port_allocation import Panel
from nornir_tasks.design.layout.speeds import uplink_speed
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Marks, Path
from nornir_tasks.intent.keys.oob_devices import PlaceIntent

Place = tuple[int, int]
"""Access switch and place on it, both from 0."""


@dataclass(frozen=True, slots=True)
class AccessPorts:
    """The ports of one access switch."""

    name: str
    places: Mapping[str, int]
    """Port -> its place."""
    others: Mapping[str, str]
    """A port that nothing can be attached to -> what it is for."""

    @property
    def range(self) -> str:
        """``swp1 to swp47``, for messages."""
        names = [*self.places]
        return f"{names[0]} to {names[-1]}" if names else "none"


def access_ports(choices: Choices, facts: Mapping[str, OsFacts], number: int, most: int) -> Iterator[AccessPorts]:
    """Of each access switch of a tree; ``most``: ports of each that uplinks leave for what is attached."""
    demand, up_gbps = choices.demand, uplink_speed(choices)
    for index in range(1, number + 1):
        choice = choices.leaf_of(index, None)
        known, panel = facts[choice.os], Panel.of(choice, demand.nics.speed, up_gbps)
        others = {_name(known, slot): "it is kept for links to routers" for slot in (*panel.up, *panel.down[most:])}
        others[known.management_port] = "it is the switch's own management port"
        places = {_name(known, slot): place for place, slot in enumerate(panel.downlinks(most))}
        yield AccessPorts(demand.fabric.switch_name(f"leaf-g{index}"), places, others)


def _name(known: OsFacts, slot: Slot) -> str:
    return known.port_name(slot.number, slot.leg, slot.ways, slot.lanes)


def with_places(
    attached: Attached, wanted: Mapping[str, PlaceIntent], ports: Sequence[AccessPorts], path: Path, marks: Marks
) -> Attached:
    """What is attached, each named device at its port. ``path``: of these places in the intent.

    Raises IntentError for unknown devices, switches and ports, and for a switch that would be reached through itself.
    """
    switches = {each.name: each for each in ports}
    findings = [
        Finding((*path, name, *each.path), each.what, each.expected, each.found, each.hint)
        for name, place in wanted.items()
        for each in _mistakes(name, place, attached.names, switches)
    ]
    if findings:
        raise IntentError(marks.problems(findings))
    rows = {each.name: row for row, each in enumerate(ports)}
    return _moved(
        attached,
        {name: (rows[each.switch], switches[each.switch].places[each.port]) for name, each in wanted.items()},
    )


def _mistakes(
    name: str, place: PlaceIntent, known: frozenset[str], switches: Mapping[str, AccessPorts]
) -> Iterator[Finding]:
    if name not in known:
        close = get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {close[0]}?" if close else "without places, `nornir design` lists what is attached"
        yield Finding((), "no such device on this plane", "one of devices, a BMC or a switch", name, hint)
    if place.switch not in switches:
        expected = f"{next(iter(switches))} to {[*switches][-1]}"
        yield Finding(("switch",), "no access switch of this plane", expected, place.switch)
        return
    ports = switches[place.switch]
    if place.port not in ports.places:
        why = ports.others.get(place.port)
        what = f"nothing can be attached to this port: {why}" if why else "no such port"
        yield Finding(("port",), what, f"{ports.range} of {ports.name}", place.port)
    if place.switch == name:
        what = "the management port of a switch on the switch itself"
        yield Finding(("switch",), what, "another access switch, so that it is not reached through itself", name)


def _moved(attached: Attached, wanted: Mapping[str, Place]) -> Attached:
    at = {
        (row, place): end for row, ends in enumerate(attached.rows) for place, end in enumerate(ends) if end is not None
    }
    homes = {end.device: place for place, end in at.items()}
    left = {place: homes[name] for name, place in wanted.items()}
    """A named place -> the one that its new device left."""
    width = max((len(attached.rows[0]), *(place + 1 for _, place in wanted.values())))
    rows: list[list[AttachedEnd | None]] = [[None] * width for _ in attached.rows]
    for place, end in at.items():
        to = wanted.get(end.device)
        if to is None:
            to = place
            while to in left:  # ends: no place is left by two, and this one was left by none
                to = left[to]
        rows[to[0]][to[1]] = end
    return Attached(tuple(map(tuple, rows)))
