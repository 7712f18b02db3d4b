"""Headroom: each lossless port has room for what its cable still brings after a pause, and the buffer holds them all.

How long a cable is, is the plan's; speed, MTU, pauses, and what is said of headroom are the ends' own. A NIC is told
metres by its host's variables. How much a length takes is what the source of the switch's ASIC says, and nothing else:
a length without a figure could not be told, and neither could the sum where a system uses headroom of its own whose
size no source has.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.qos import Qos
from nornir_tasks.design.model.headroom import CableFacts, PortCable
from nornir_tasks.design.model.network import Device
from nornir_tasks.platforms.lossless import Setting
from nornir_tasks.proofs.cables import Cable, End, Read
from nornir_tasks.proofs.pauses import LOSSY
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "headroom-fits"
NO_LENGTH = "cables whose length is not declared"
NO_FIGURE = "no source has headroom of {} for {}G over {} m"
OWN_SIZE = "{}'s own headroom is in use, and no source has its size"
NO_BUFFER = "no source has the packet buffer of {}"
_LENGTH = "roce_qos_cable_m"


def judge(read: Read) -> Outcome:
    """Both ends of every lossless cable, and the buffer of every switch that has one."""
    return _Judge(read).outcome()


class Taken(NamedTuple):
    """What the lossless ports of a switch take, as they are told; of those whose cables have a length."""

    ports: int
    total_bytes: int
    largest_bytes: int
    """Of one port."""


def taken(read: Read) -> dict[str, Taken]:
    """Of each switch of which a source says it."""
    found = _Judge(read)
    found.outcome()
    made = {name: found.taken(read.network.device(name), ports) for name, ports in found.ports.items()}
    return {name: each for name, each in made.items() if each is not None}


@dataclass(slots=True)
class _Judge:
    read: Read
    tally: Tally = field(default_factory=Tally)
    ports: dict[str, Counter[PortCable]] = field(default_factory=dict)
    """Switch -> its lossless ports; of one priority."""
    ends: Counter[str] = field(default_factory=Counter)
    """Switch -> how many ports these are."""
    verdicts: dict[tuple[int, int | None, int | None, PortCable], str] = field(default_factory=dict)
    """Of each kind of port with what it is told: what is wrong with it, or empty."""

    def outcome(self) -> Outcome:
        tally = self.tally
        for cable in self.read.cables(tally):
            metres = self.read.network.cable_m(cable.link)
            if not any(each.treatment is not None and each.treatment.pauses for each in cable.ends):
                tally.skipped[LOSSY] += 1
            elif metres is None:
                tally.skipped[NO_LENGTH] += 1
            else:
                for end in cable.ends:
                    self._end(cable, end, metres)
        for name, ports in self.ports.items():
            self._buffer(self.read.network.device(name), ports)
        return tally.outcome(NAME, "ends of cables and buffers", self._notes())

    def _end(self, cable: Cable, end: End, metres: int) -> None:
        if end.ports is None:
            self.tally.count(self._nic(cable, end, metres))
            return
        qos = end.ports.switch.config.qos
        if end.treatment is None or not end.treatment.pauses or qos is None:
            return  # what one end alone pauses is a finding of ``pfc``
        device = self.read.network.device(end.at.device)
        own = end.ports.interfaces[end.at.port]
        port = self._port(cable, end, own, metres, qos)
        priorities = self.ports.setdefault(device.name, Counter())
        priorities[port] += len(end.treatment.pauses)
        self.ends[device.name] += 1
        wrong = self._wrong(device, qos, port)
        if wrong == _UNSOURCED:
            self.tally.count((), (_no_figure(device, port),))
            return
        doubts = end.doubts
        is_configured = qos.cable_m is not None or qos.headroom_bytes is not None
        if not wrong or (doubts and not is_configured):
            self.tally.count((), doubts)
            return
        setting = Setting("headroom", end.at.port)
        self.tally.count((Broken(str(cable), wrong, (Statement(end.at, _in_words(qos), setting),)),))

    def _port(self, cable: Cable, end: End, own: Interface, metres: int, qos: Qos) -> PortCable:
        speed = own.layer1.speed_gbps if own.layer1 is not None else cable.link.speed_gbps
        slot = cable.link.end(end.at.device).slot
        found = PortCable(speed, metres, lanes=slot.lanes if slot is not None else 4)
        mtu_bytes = own.mtu_bytes or found.mtu_bytes
        planes = self.read.network.planes_on(cable.link.fabric)
        sent = max((each.mtu_bytes for each in planes), default=mtu_bytes)
        largest = min(sent, mtu_bytes, qos.lossless_mtu_bytes or mtu_bytes)
        return replace(found, mtu_bytes=mtu_bytes, lossless_mtu_bytes=largest)

    def _nic(self, cable: Cable, end: End, metres: int) -> Iterator[Broken]:
        """The NIC is told at least the length of this cable."""
        nic_m = self.read.hosts[end.at.device].get(_LENGTH)
        if nic_m is None or nic_m < metres:
            length = "no length" if nic_m is None else f"{nic_m} m"
            what = f"the cable has {metres} m, and its NIC is told {length}"
            yield Broken(str(cable), what, (Statement(end.at, length, variable=f"{_LENGTH} = {nic_m}"),))

    def _wrong(self, device: Device, qos: Qos, port: PortCable) -> str:
        key = id(device.capabilities.cables), qos.cable_m, qos.headroom_bytes, port
        if key not in self.verdicts:
            self.verdicts[key] = _judged(device.capabilities.cables, qos, port)
        return self.verdicts[key]

    def _buffer(self, device: Device, ports: Mapping[PortCable, int]) -> None:
        """All of a switch's headroom together."""
        qos = self.read.switches[device.name].config.qos
        model = self.read.network.models.get(device.model)
        limit = model.buffer_bytes if model is not None else None
        facts = device.capabilities.cables
        each_bytes = {port: _taken_bytes(facts, qos, port) for port in ports} if qos is not None else {}
        unknown = next((port for port, found in each_bytes.items() if found is None), None)
        if unknown is not None:
            is_own = qos is not None and qos.headroom_bytes is None and facts.line != "length"
            if is_own:
                self.tally.count((), (), (OWN_SIZE.format(device.os),))
            else:
                self.tally.count((), (_no_figure(device, unknown),))
            return
        if limit is None:
            self.tally.count((), (), (NO_BUFFER.format(device.model),))
            return
        total = sum(count * (each_bytes[port] or 0) for port, count in ports.items())
        if total <= limit:
            self.tally.count((), self.read.ports[device.name].doubts(""))
            return
        parts = " + ".join(
            f"{count} x {port.speed_gbps}G over {port.cable_m} m of {each_bytes[port]} bytes"
            for port, count in sorted(ports.items(), key=lambda each: (each[0].speed_gbps, each[0].cable_m))
        )
        what = f"headroom of {total} bytes, and the packet buffer has {limit}: {parts}"
        at = Place(device.name, "all lossless ports")
        stated = Statement(at, _in_words(qos) if qos is not None else "", Setting("headroom"))
        self.tally.count((Broken(device.name, what, (stated,)),))

    def taken(self, device: Device, ports: Mapping[PortCable, int]) -> Taken | None:
        """Of one switch; None: no source says it of some port."""
        qos = self.read.switches[device.name].config.qos
        each_bytes = {port: _taken_bytes(device.capabilities.cables, qos, port) if qos else None for port in ports}
        if not ports or None in each_bytes.values():
            return None
        total = sum(count * (each_bytes[port] or 0) for port, count in ports.items())
        return Taken(self.ends[device.name], total, max(each or 0 for each in each_bytes.values()))

    def _notes(self) -> Iterator[str]:
        """What the systems' own headroom is taken to be enough for, and who says so."""
        found = {}
        for name in self.ports:
            device, qos = self.read.network.device(name), self.read.switches[name].config.qos
            facts = device.capabilities.cables
            if qos is not None and qos.cable_m is None and qos.headroom_bytes is None:
                found[device.os, facts.own_m] = facts.own_source
        for (os, own_m), source in found.items():
            yield f"{os}'s own headroom is taken to be enough for {own_m} m ({source})"


_UNSOURCED = "no figure"


def _no_figure(device: Device, port: PortCable) -> str:
    return NO_FIGURE.format(f"{device.model} with {device.os} {device.release}", port.speed_gbps, port.cable_m)


def _judged(facts: CableFacts, qos: Qos, port: PortCable) -> str:
    """What is wrong with what a port is told; empty: nothing; ``no figure`` where no source says what it takes."""
    if qos.headroom_bytes is not None:
        needed = facts.headroom(port)
        if needed is None:
            return _UNSOURCED
        if qos.headroom_bytes < needed.xoff_bytes:
            return (
                f"{port.speed_gbps}G over {port.cable_m} m takes {needed.xoff_bytes} bytes of headroom, "
                f"and each priority has {qos.headroom_bytes}"
            )
        return ""
    configured_m = facts.own_m if qos.cable_m is None else qos.cable_m
    longest_m = facts.longest_m(port.speed_gbps)
    if longest_m is not None and port.cable_m > max(longest_m, facts.own_m):
        return _UNSOURCED
    return (
        f"the cable has {port.cable_m} m, and buffers are made for {configured_m} m"
        if port.cable_m > configured_m
        else ""
    )


def _taken_bytes(facts: CableFacts, qos: Qos, port: PortCable) -> int | None:
    """What one priority of a port takes as it is told; None: no source says it."""
    if qos.headroom_bytes is not None:
        found = facts.headroom(port)
        return None if found is None else qos.headroom_bytes + found.reserved_bytes
    if facts.line != "length":
        return None
    found = facts.headroom(replace(port, cable_m=facts.own_m if qos.cable_m is None else qos.cable_m))
    return None if found is None else found.size_bytes


def _in_words(qos: Qos) -> str:
    if qos.headroom_bytes is not None:
        return f"{qos.headroom_bytes} bytes"
    return "the system's own headroom" if qos.cable_m is None else f"{qos.cable_m} m"
