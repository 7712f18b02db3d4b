"""The contents of the drawing of one fabric: boxes of switches in two rows and the bundles of cables between them.

Few switches have a box each; otherwise spines are drawn by spine group, leaves by leaf group, the two lower tiers of a
three-tier fabric by pod, and many groups together. Every switch is in exactly one box.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from nornir_tasks.design.model.links import Endpoint, Link
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.order import natural_key

FEW_ABOVE, FEW_BELOW, MOST_BELOW = 4, 16, 48
"""The most boxes with a switch each in the upper row; likewise in the lower row; and the most boxes in the lower
row."""

Key = TypeVar("Key")

Cables = tuple[tuple[int, int], ...]
"""(speed in Gb/s, how many), fastest first."""

Ends = tuple[str, str]
"""The two ports of a cable; with the switch's name where its box has several."""


@dataclass(frozen=True, slots=True)
class Box:
    """Some switches in one box."""

    title: str
    lines: tuple[str, ...]
    members: tuple[Device, ...]
    cells: tuple[Device, ...] = ()
    """Leaves drawn as squares with their rail's number."""

    @property
    def group(self) -> int | None:
        """The spine group of all its switches, or None."""
        groups = {each.spine_group for each in self.members}
        return groups.pop() if len(groups) == 1 else None


@dataclass(frozen=True, slots=True)
class Picture:
    """One fabric: two rows of boxes. Above edge routers are the routers of upstreams, which are no switches of ours."""

    above: tuple[Box, ...]
    below: tuple[Box, ...]
    tiers: tuple[str, str]
    """The title of each row."""
    bundles: dict[tuple[int, int], Cables]
    """(number of the upper box, of the lower box) -> cables between them."""
    inside: dict[int, tuple[Cables, str]]
    """Lower box -> cables within it (a pod) or to the other switch of its pair, and where they are."""
    hosts: dict[int, tuple[Cables, tuple[str, ...]]]
    """Lower box -> cables to hosts, and the hosts' names; of an edge router those to firewalls."""
    ports: dict[tuple[int, int], tuple[Ends, ...]]
    """(number of the upper box, of the lower box) -> the ends of each cable of the bundle."""
    host_ports: dict[int, tuple[Ends, ...]]
    """Lower box -> the ends of each cable to hosts: the switch's, the host's."""


def picture(network: Network, fabric: str, copy: int | None = None) -> Picture:
    """The contents of a fabric's drawing, or of one of its copies; the same for every order of the network's tuples."""
    there = (each for each in network.devices if each.fabric == fabric and each.copy == copy)
    devices = sorted(there, key=lambda each: (each.index, each.rail or 0))
    leaves, spines, cores = ([each for each in devices if each.level == level] for level in range(3))
    if network.fabrics[fabric].kind == "edge":
        return _edge(network, devices)
    if cores:
        above, below = _spines(cores, "core plane"), _pods([*spines, *leaves])
        names = ("cores", "pods")
    else:
        above, below, names = _spines(spines, "spine group"), _leaves(leaves), ("spines", "leaves")
    places = {each.name: number for number, box in enumerate(above) for each in box.members}
    return _cabled(network, (tuple(above), tuple(below)), places, names)


def _edge(network: Network, devices: Sequence[Device]) -> Picture:
    own = {each.name for each in devices}
    links = [each for each in network.links if each.kind == "outside" and each.lower.device in own]
    upstreams = sorted({each.upper.device for each in links}, key=natural_key)
    above = tuple(Box(each, ("upstream",), ()) for each in upstreams)
    places = {name: number for number, name in enumerate(upstreams)}
    return _cabled(network, (above, tuple(map(_single, devices))), places, ("upstreams", "edge routers"))


def names(of: Iterable[str]) -> str:
    """Few names in full, many as first and last."""
    known = list(of)
    return ", ".join(known) if len(known) < 3 else f"{known[0]} … {known[-1]}"


def _kinds(devices: Iterable[Device]) -> tuple[str, ...]:
    kinds = Counter((each.model, f"{each.os} {each.release}") for each in devices)
    return tuple(f"{count} × {model}, {system}" for (model, system), count in sorted(kinds.items()))


def _single(device: Device) -> Box:
    return Box(device.name, (device.model, f"{device.os} {device.release}", f"AS {device.asn}"), (device,))


def _spines(devices: Sequence[Device], kind: str) -> list[Box]:
    if len(devices) <= FEW_ABOVE:
        return [_single(each) for each in devices]
    groups = _by(devices, lambda each: each.spine_group)
    if kind == "core plane" and len(groups) > FEW_ABOVE:
        text = (names(each.name for each in devices), *_kinds(devices))
        return [Box(f"{len(devices)} cores in {len(groups)} planes", text, tuple(devices))]
    return [
        Box(
            f"{kind} {group[0].spine_group}: {len(group)} {group[0].role}s",
            (names(each.name for each in group), *_kinds(group)),
            tuple(group),
        )
        for group in groups
    ]


def _leaves(devices: Sequence[Device]) -> list[Box]:
    if len(devices) <= FEW_BELOW or (len(devices) <= MOST_BELOW and devices[0].rail is None):
        return [_single(each) for each in devices]
    groups = _by(devices, lambda each: each.index)
    boxes = []
    for part in _parts(groups, MOST_BELOW):
        members = tuple(each for group in part for each in group)
        title = f"leaf group {_span([group[0].index for group in part])}: {_count(len(members), 'leaf', 'leaves')}"
        cells = members if len(part) == 1 and members[0].rail is not None else ()
        boxes.append(Box(title, (names(each.name for each in members), *_kinds(members)), members, cells))
    return boxes


def _pods(devices: Sequence[Device]) -> list[Box]:
    pods = _by(sorted(devices, key=lambda each: each.spine_group), lambda each: each.spine_group)
    boxes = []
    for part in _parts(pods, MOST_BELOW):
        members = tuple(each for pod in part for each in pod)
        lines = []
        for level, one, many in ((1, "spine", "spines"), (0, "leaf", "leaves")):
            there = [each for each in members if each.level == level]
            lines += [_count(len(there), one, many), "  " + names(each.name for each in there)]
            lines += [f"  {kind}" for kind in _kinds(there)]
        boxes.append(Box(f"pod {_span([pod[0].spine_group for pod in part])}", tuple(lines), members))
    return boxes


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _span(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"


def _by(devices: Sequence[Device], key: Callable[[Device], int]) -> list[list[Device]]:
    return [list(group) for _, group in groupby(devices, key)]


def _parts(groups: Sequence[list[Device]], most: int) -> list[Sequence[list[Device]]]:
    """Neighbouring groups joined, so that there are at most ``most`` parts."""
    step = -(-len(groups) // most)
    return [groups[start : start + step] for start in range(0, len(groups), step)]


def _cabled(
    network: Network,
    rows: tuple[tuple[Box, ...], tuple[Box, ...]],
    above: Mapping[str, int],
    tiers: tuple[str, str],
) -> Picture:
    """``above``: name -> number of its upper box."""
    below = {each.name: number for number, box in enumerate(rows[1]) for each in box.members}
    between: dict[tuple[int, int], Counter[int]] = {}
    inside: dict[int, Counter[int]] = {}
    down: dict[int, Counter[int]] = {}
    hosts: dict[int, set[str]] = {}
    where: dict[int, str] = {}
    ports: dict[tuple[int, int], list[Ends]] = {}
    host_ports: dict[int, list[Ends]] = {}
    for link in network.links:
        upper, lower = link.upper.device, link.lower.device
        if upper in below and lower not in below:
            _add(down, below[upper], link)
            hosts.setdefault(below[upper], set()).add(lower)
            host_ports.setdefault(below[upper], []).append((_port(rows[1][below[upper]], link.upper), _end(link.lower)))
        elif upper in above and lower in below:
            ends = (above[upper], below[lower])
            _add(between, ends, link)
            ports.setdefault(ends, []).append(
                (_port(rows[0][ends[0]], link.upper), _port(rows[1][ends[1]], link.lower))
            )
        elif upper in below:
            _add(inside, below[upper], link)
            where[below[upper]] = "inside" if below[lower] == below[upper] else f"to {rows[1][below[lower]].title}"
    return Picture(
        above=rows[0],
        below=rows[1],
        tiers=tiers,
        bundles={ends: _cables(count) for ends, count in sorted(between.items())},
        inside={box: (_cables(count), where[box]) for box, count in inside.items()},
        hosts={box: (_cables(down[box]), tuple(sorted(hosts[box], key=natural_key))) for box in sorted(down)},
        ports={ends: _in_order(found) for ends, found in ports.items()},
        host_ports={box: _in_order(found) for box, found in host_ports.items()},
    )


def _port(box: Box, end: Endpoint) -> str:
    return _end(end) if len(box.members) > 1 else end.port


def _end(end: Endpoint) -> str:
    return f"{end.device} {end.port}"


def _in_order(ends: Iterable[Ends]) -> tuple[Ends, ...]:
    return tuple(sorted(ends, key=lambda each: (natural_key(each[0]), natural_key(each[1]))))


def _add(found: dict[Key, Counter[int]], key: Key, link: Link) -> None:
    found.setdefault(key, Counter())[link.speed_gbps] += 1


def _cables(count: Counter[int]) -> Cables:
    return tuple(sorted(count.items(), reverse=True))
