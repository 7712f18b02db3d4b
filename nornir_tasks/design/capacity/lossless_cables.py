"""The lossless cables of each switch, by the cabling plan: what they take of its buffers, and what none can hold.

Both ends of a cable read the same length and speed: each switch here, a host's NIC by the role ``roce_qos``. A system
with one setting for all ports has that of its longest lossless cable.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nornir_tasks.design.addresses.mtu import agreed_bytes
from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.model.headroom import CableFacts, PortCable, taken_bytes
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.media import OPTICS
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.realise.buffers import ecn_in_cells
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks, Path

FAR_M = 1000
"""Optics that reach this far join buildings."""


@dataclass(frozen=True, slots=True)
class BufferUse:
    """What the lossless priorities of one switch take of its packet buffer, with the ports of ``hosts.max``."""

    ports: Mapping[PortCable, int]
    """Each kind of lossless port, and how many there are."""
    each_bytes: Mapping[PortCable, int] | None
    """What one port takes, all its lossless priorities together; None: the system's own headroom is enough, whose size
    no source has."""

    @property
    def total_bytes(self) -> int | None:
        """Of all ports."""
        if self.each_bytes is None:
            return None
        return sum(count * self.each_bytes[port] for port, count in self.ports.items())


def cables_of(network: Network, device: Device) -> Counter[PortCable]:
    """What each lossless port of a switch is cabled with, and on how many ports; without cables of unknown length."""
    return Counter(port for _, port in _lossless_ports(network, device))


def buffer_use(network: Network, device: Device) -> BufferUse:
    """Of one switch. Ports that growth will bring count with those there are of their speed, if all these pause."""
    ports, known = cables_of(network, device), device.capabilities.cables
    there = Counter(link.speed_gbps for link in network.links_of(device.name))
    kept = Counter(slot.speed_gbps for slot in device.slots)
    for speed in {port.speed_gbps for port in ports}:
        alike = [port for port in ports if port.speed_gbps == speed]
        if sum(ports[port] for port in alike) == there[speed] < kept[speed]:
            ports[max(alike, key=lambda port: port.cable_m)] += kept[speed] - there[speed]
    return BufferUse(ports, _each_bytes(ports, known, _priorities(network, device)))


def _each_bytes(ports: Mapping[PortCable, int], known: CableFacts, priorities: int) -> dict[PortCable, int] | None:
    found = taken_bytes(ports, known)
    return None if found is None else {port: priorities * one for port, one in found.items()}


def _priorities(network: Network, device: Device) -> int:
    return sum(each.lossless for each in network.fabric_of(device).classes)


def _lossless_ports(network: Network, device: Device) -> Iterator[tuple[Link, PortCable]]:
    fabric = network.fabric_of(device)
    mtu_bytes = agreed_bytes(fabric.mtu_bytes, device.capabilities)
    hosts_bytes = max((each.mtu_bytes for each in network.planes_on(fabric.name)), default=mtu_bytes)
    made: dict[tuple[int, int, int], PortCable] = {}  # a switch has hundreds of ports, and few kinds of them
    for link in network.links_of(device.name):
        metres = network.cable_m(link)
        if metres is None or not is_lossless(network, link):
            continue
        slot = link.end(device.name).slot
        kind = (link.speed_gbps, metres, slot.lanes if slot is not None else 0)
        if kind not in made:
            made[kind] = PortCable(kind[0], kind[1], mtu_bytes, min(hosts_bytes, mtu_bytes), kind[2])
        yield link, made[kind]


def is_lossless(network: Network, link: Link) -> bool:
    """Does PFC pause a class on this link? Hosts' links as their planes say, others as the fabric's classes."""
    of_fabric = network.fabrics[link.fabric].classes
    if link.kind != "host":
        return link.kind != "outside" and any(each.lossless for each in of_fabric)
    planes = (network.planes[each.owner] for each in network.circuits_on(link) if each.owner in network.planes)
    return any(each.lossless for plane in planes for each in plane.classes or of_fabric)


def warnings(network: Network) -> tuple[str, ...]:
    """Lossless links over optics of kilometres: a fibre longer than declared still comes up, and loses packets."""
    media = {link: cable.medium for cable in network.cables for link in cable.links}
    found: dict[tuple[str, str, int | None, int], None] = {}
    for link in network.links:
        optics = OPTICS.get((media[link.name] or "").removeprefix("2x"))
        reach_m = max(optics.reach_m.values()) if optics is not None else 0
        if reach_m >= FAR_M and is_lossless(network, link):
            found[link.fabric, media[link.name] or "", network.cable_m(link), reach_m] = None
    return tuple(
        f"lossless links of fabric {fabric} have {medium} optics, which reach {reach_m} m: buffers are made for "
        f"{'cables of no declared length' if metres is None else f'the declared {metres} m'}, "
        "and a longer fibre comes up and loses packets"
        for fabric, medium, metres, reach_m in found
    )


def check(network: Network, marks: Marks) -> None:
    """Raise DesignError with lossless cables that no source has headroom for, and with buffers that do not hold it.

    Nor may a queue be marked in full from more bytes than headroom leaves over.
    """
    findings = [*_without_figures(network), *(_without_room(network) or _marks_without_room(network, marks))]
    if findings:
        raise DesignError(marks.problems(findings))


def _without_figures(network: Network) -> Iterator[Finding]:
    seen = set()
    for device in network.devices:
        known = device.capabilities.cables
        for link, port in _lossless_ports(network, device):
            kind = (device.fabric, device.model, device.os, device.release, link.kind, link.upper.device == device.name)
            if port.cable_m <= known.own_m or (kind, port) in seen:
                continue
            seen.add((kind, port))
            longest = known.longest_m(port.speed_gbps)
            if longest is not None and port.cable_m > longest:
                yield _unsourced(network, device, link, port, longest)


def _unsourced(network: Network, device: Device, link: Link, port: PortCable, longest_m: int) -> Finding:
    what, hint = unsourced(_name(device), device.capabilities.cables, port, longest_m)
    return Finding(_path(network, link), what, f"at most {longest_m} m", f"{port.cable_m} m", hint)


def unsourced(name: str, known: CableFacts, port: PortCable, longest_m: int) -> tuple[str, str]:
    """What is said of a cable that no source has headroom for, and the hint: the nearest that can be built, and why."""
    what = f"no source has headroom of {name} for {port.speed_gbps}G over {port.cable_m} m, which is lossless"
    if known.gap:
        reason = known.gap
    elif longest_m > known.own_m and known.source is not None:
        reason = f"its table ends there: {known.source.source}"
    else:
        reason = f"{known.source.source if known.source else 'no table'} has no row of {port.speed_gbps}G beyond"
    return what, f"nearest that can be built: cable_m: {longest_m}; {reason}"


def _without_room(network: Network) -> list[Finding]:
    return list(_full(network))


def _full(network: Network) -> Iterator[Finding]:
    worst: dict[tuple[str, str, str], tuple[int, Device, BufferUse]] = {}
    for device in network.devices:
        model = network.models.get(device.model)
        limit = model.buffer_bytes if model else None
        use = buffer_use(network, device)
        total = use.total_bytes
        kind = (device.fabric, device.model, device.role)
        if limit is not None and total is not None and total > max(limit, worst[kind][0] if kind in worst else 0):
            worst[kind] = total, device, use
    for (_, model_name, _), (total, device, use) in worst.items():
        limit = network.models[model_name].buffer_bytes or 0
        parts = _parts(use)
        longest, nearest = max(port.cable_m for port in use.ports), _nearest_m(network, device, use, limit)
        what = f"the buffer of {_name(device)} does not hold the headroom of its lossless ports for {longest} m"
        hint = f"nearest that can be built: cable_m: {nearest}"
        yield Finding(_longest_at(network, device), what, f"at most {limit} bytes", f"{total}: {parts}", hint)


def _parts(use: BufferUse) -> str:
    return " + ".join(
        f"{count} x {port.speed_gbps}G of {use.each_bytes[port] if use.each_bytes else 0} bytes"
        for port, count in sorted(use.ports.items(), key=lambda each: (each[0].speed_gbps, each[0].cable_m))
    )


def _marks_without_room(network: Network, marks: Marks) -> Iterator[Finding]:
    """Thresholds of the intent's own that queues cannot reach beside the headroom: of each model the fullest switch."""
    own = {fabric: list(_own_thresholds(network, fabric, marks)) for fabric in network.fabrics}
    least: dict[tuple[str, str], tuple[int, Device, BufferUse]] = {}
    for device in (each for each in network.devices if own[each.fabric]):
        model, use = network.models.get(device.model), buffer_use(network, device)
        if model is not None and model.buffer_bytes is not None and use.total_bytes is not None:
            key, left = (device.fabric, device.model), model.buffer_bytes - use.total_bytes
            if key not in least or left < least[key][0]:
                least[key] = left, device, use
    for left, device, use in least.values():
        for path, ecn in own[device.fabric]:
            most, cell = ecn_in_cells(ecn, device.capabilities).max_bytes, device.capabilities.ecn_cell_bytes
            if most > left:
                what = f"{_name(device)} never holds that much beside its headroom, so it would never mark in full"
                found = (
                    f"{most} + {use.total_bytes} of headroom ({_parts(use)}) of {left + (use.total_bytes or 0)} bytes"
                )
                yield Finding(path, what, f"at most {left // cell * cell} bytes", found)


def _own_thresholds(network: Network, fabric: str, marks: Marks) -> Iterator[tuple[Path, Ecn]]:
    """Where the intent has thresholds of a fabric's classes, and of those of its planes."""
    planes = network.planes_on(fabric)
    for each in network.fabrics[fabric].classes:
        if isinstance(each.ecn, Ecn):
            wanted = (each.name, "ecn", "max_bytes")
            own = [("planes", plane.name, "classes", *wanted) for plane in planes]
            yield next((path for path in own if path in marks.lines), ("policy", "classes", *wanted)), each.ecn
    for plane in planes:
        for each in plane.classes or ():
            if isinstance(each.ecn, Ecn):
                yield ("planes", plane.name, "classes", each.name, "ecn", "max_bytes"), each.ecn


def _nearest_m(network: Network, device: Device, use: BufferUse, limit: int) -> int:
    """The longest cable with which the headroom fits; up to the system's own length it always does."""
    known, priorities = device.capabilities.cables, _priorities(network, device)

    def fits(metres: int) -> bool:
        ports = Counter[PortCable]()
        for port, count in use.ports.items():
            ports[replace(port, cable_m=min(port.cable_m, metres))] += count
        return (BufferUse(ports, _each_bytes(ports, known, priorities)).total_bytes or 0) <= limit

    low, high = known.own_m, max(port.cable_m for port in use.ports)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _longest_at(network: Network, device: Device) -> Path:
    link, _ = max(_lossless_ports(network, device), key=lambda each: each[1].cable_m)
    return _path(network, link)


def _path(network: Network, link: Link) -> Path:
    """Where the intent says how long this cable is."""
    above = {"host": ("leaf",), "peer": ("leaf", "pairs")}.get(link.kind)
    return ("fabrics", link.fabric, *(above or (network.device(link.upper.device).role,)), "cable_m")


def _name(device: Device) -> str:
    return f"{device.model} with {device.os} {device.release}"
