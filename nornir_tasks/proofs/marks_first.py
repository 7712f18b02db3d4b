"""ECN before PFC: senders are slowed down by marks before a port pauses them.

One port that feeds one queue: the queue is as deep as what the port holds, so it must be marked before the port pauses.
With n congested ports a dynamic threshold falls to alpha x S / (1 + alpha x n) of a pool of S bytes, and marking in
full must come first in the worst case too: the intent's ``incast_ports``, or half of the lossless ports, at least 8.

Alpha and pool are lines beside our model. Where they are there, a switch is judged by them; a queue that is marked from
more than the whole buffer on is wrong without them. All else could not be told, and never passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.model.xoff_threshold import Pool, alpha_of, worst_case
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.lossless import Setting
from nornir_tasks.proofs import headroom_fits
from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.shown import first_value
from nornir_tasks.proofs.treatment import Ports
from nornir_tasks.proofs.verdicts import Broken, Outcome, Place, Statement, Tally

NAME = "ecn-before-pfc"
NOT_SHOWN = "no line of {} shows alpha and the pool that its pause threshold follows from"
NO_POOL = "{} shows alpha, and no line of it the pool"
NOTHING_PAUSED = "nothing is paused there"
NO_MARKS = "pauses alone: nothing is marked by declaration"


@dataclass(frozen=True, slots=True)
class _Marks:
    """A queue of a paused class that some ports mark."""

    profile: str
    port: str
    queue: int
    ecn: Ecn
    """In the cells of the ASIC."""


@dataclass(frozen=True, slots=True)
class _PausesAt:
    """What lines say of it; the pool is at least and at most so large."""

    path: Path
    fixed_bytes: int | None = None
    least: Pool | None = None
    """None: the pool is not shown."""
    most: Pool | None = None


def judge(read: Read) -> Outcome:
    """Every switch that pauses a class."""
    return _Judge(read).outcome()


@dataclass
class _Judge:
    read: Read
    tally: Tally = field(default_factory=Tally)
    notes: dict[str, None] = field(default_factory=dict)

    @cached_property
    def headroom(self) -> dict[str, headroom_fits.Taken]:
        """Of each switch; looked up where a pool is shown."""
        return headroom_fits.taken(self.read)

    def outcome(self) -> Outcome:
        for name, why in self.read.unreachable.items():
            self.tally.count((), (f"{name} could not be read: {why}",))
        for name, ports in self.read.ports.items():
            qos = ports.switch.config.qos
            paused = {each.queue for each in qos.classes if each.lossless} if qos is not None else set()
            marks = list(_marks(self.read.network.device(name), ports, paused))
            if not paused:
                self.tally.skipped[NOTHING_PAUSED] += 1
            elif not marks:
                self.tally.skipped[NO_MARKS] += 1
            else:
                self._switch(self.read.network.device(name), ports, marks)
        return self.tally.outcome(NAME, "switches", self.notes)

    def _switch(self, device: Device, ports: Ports, marks: list[_Marks]) -> None:
        model = self.read.network.models.get(device.model)
        buffer = model.buffer_bytes if model is not None else None
        shown = self._shown(device, ports, buffer)
        broken = [each for one in marks for each in _broken(device, one, shown, buffer, self._congested(device, ports))]
        if shown is None:
            self._note(device, marks)
            self.tally.count(broken, ports.doubts(""), (NOT_SHOWN.format(device.os),))
        elif shown.fixed_bytes is None and shown.least is None:
            self.tally.count(broken, ports.doubts(""), (NO_POOL.format(device.os),))
        else:
            self._figure(device, marks, shown.least)
            self.tally.count(broken, ports.doubts(""))

    def _figure(self, device: Device, marks: list[_Marks], pool: Pool | None) -> None:
        """The number of congested ports from which pauses come before full marking, where the pool moves."""
        for depth in sorted({each.ecn.max_bytes for each in marks} - {0}) if pool is not None else ():
            first = pool.first_before(depth) if pool is not None else 0
            what = f"pauses come before full marking at {depth} bytes from {first} congested ports"
            self.notes[f"{device.model}, as its lines have alpha and pool: {what}"] = None

    def _congested(self, device: Device, ports: Ports) -> int:
        """Ports that count as congested at once."""
        return worst_case(_lossless(ports), self.read.network.fabrics[device.fabric].incast_ports)

    def _shown(self, device: Device, ports: Ports, buffer: int | None) -> _PausesAt | None:
        """From lines beside the model, and the share of memory that is in it."""
        lines, qos = ports.switch.lossless.pause_point, ports.switch.config.qos
        if lines is None or qos is None:
            return None
        beside = ports.lines_of("pause point", "")
        if (fixed := first_value(lines.fixed_bytes, beside)) is not None:
            return _PausesAt(fixed[0], fixed_bytes=int(fixed[1]))
        alpha = first_value(lines.alpha, beside)
        if alpha is None or buffer is None or (lines.with_headroom and qos.headroom_bytes is None):
            return None
        part, shown = alpha_of(alpha[1]), first_value(lines.pool_percent, beside)
        percent = qos.lossless_memory_percent if shown is None else int(shown[1])
        if percent is None:
            return _PausesAt(alpha[0], most=Pool(part, buffer))
        pool = buffer * percent // 100
        headroom = self.headroom.get(device.name)
        least = None if headroom is None else Pool(part, max(0, pool - _all_ports(headroom, ports)))
        return _PausesAt(alpha[0], least=least, most=Pool(part, pool))

    def _note(self, device: Device, marks: list[_Marks]) -> None:
        """What would come of figures that are published for the ASIC under another system; it decides nothing."""
        pool = device.capabilities.published_pool
        if pool is None:
            return
        for depth in sorted({each.ecn.max_bytes for each in marks} - {0}):
            given = f"{device.asic}: with alpha {pool.alpha} and {pool.size_bytes} bytes, as {pool.source}"
            first = f"pauses come before full marking at {depth} bytes from {pool.first_before(depth)} congested ports"
            self.notes[f"{given}, {first}; {device.os} need not have these"] = None


def _pausing(ports: Ports) -> set[str | None]:
    qos = ports.switch.config.qos
    return {profile.name for profile in qos.profiles if profile.pfc_priorities} if qos is not None else set()


def _lossless(ports: Ports) -> int:
    """Ports that are told to pause a class."""
    pausing = _pausing(ports)
    return sum(each.qos_profile in pausing for each in ports.interfaces.values())


def _all_ports(headroom: headroom_fits.Taken, ports: Ports) -> int:
    """Bytes that headroom takes of the pool at most: ports without a cable have the system's profile, and its own."""
    pausing = _pausing(ports)
    there = sum(ports.profile_of(name) in pausing for name in ports.interfaces)
    return headroom.total_bytes + max(0, there - headroom.ports) * headroom.largest_bytes


def _marks(device: Device, ports: Ports, paused: set[int]) -> Iterator[_Marks]:
    qos = ports.switch.config.qos
    carrying: dict[str | None, str] = {}
    for name, port in ports.interfaces.items():
        if port.qos_profile is not None:
            carrying.setdefault(port.qos_profile, name)
    for profile in qos.profiles if qos is not None else ():
        for queue in profile.queues if profile.name in carrying else ():
            if queue.ecn is not None and queue.number in paused:
                yield _Marks(profile.name, carrying[profile.name], queue.number, _in_cells(queue.ecn, device))


def _in_cells(ecn: Ecn, device: Device) -> Ecn:
    cell = device.capabilities.ecn_cell_bytes
    return Ecn(-(-ecn.min_bytes // cell) * cell, -(-ecn.max_bytes // cell) * cell, ecn.probability_percent)


def _broken(
    device: Device, one: _Marks, shown: _PausesAt | None, buffer: int | None, congested: int
) -> Iterator[Broken]:
    found = _early(one, shown, buffer) or _in_full(one, shown, congested)
    if found:
        setting = Setting("marks", one.port, one.profile, one.queue)
        place = Place(device.name, one.port)
        ends = [Statement(place, f"marks from {one.ecn.min_bytes} to {one.ecn.max_bytes} bytes", setting)]
        if shown is not None:
            ends.append(Statement(Place(device.name, "all lossless ports"), "pauses", line=shown.path))
        yield Broken(device.name, found, tuple(ends))


def _early(one: _Marks, shown: _PausesAt | None, buffer: int | None) -> str:
    """Marking begins after the pause of one port alone."""
    what = f"queue {one.queue} is marked from {one.ecn.min_bytes} bytes, and "
    if shown is not None and shown.fixed_bytes is not None:
        return f"{what}a port pauses from {shown.fixed_bytes}" if one.ecn.min_bytes >= shown.fixed_bytes else ""
    if shown is not None and shown.most is not None:
        at = shown.most.pauses_at(1)
        late = one.ecn.min_bytes >= at
        return f"{what}a port pauses from {int(at)} at most: {shown.most.in_words(1)}" if late else ""
    if buffer is not None and one.ecn.min_bytes >= buffer:
        return f"{what}the packet buffer has {buffer}"
    return ""


def _in_full(one: _Marks, shown: _PausesAt | None, ports: int) -> str:
    """Marking in full comes after the pause of so many ports as count as the worst case."""
    what = f"queue {one.queue} is marked in full from {one.ecn.max_bytes} bytes"
    if shown is not None and shown.fixed_bytes is not None:
        return f"{what}, and a port pauses from {shown.fixed_bytes}" if one.ecn.max_bytes > shown.fixed_bytes else ""
    pool = shown.least if shown is not None else None
    if pool is None or pool.pauses_at(ports) >= one.ecn.max_bytes:
        return ""
    pauses = f"{ports} congested ports pause from {int(pool.pauses_at(ports))}: {pool.in_words(ports)}"
    return f"{what}, and {pauses}; they do so first from {pool.first_before(one.ecn.max_bytes)} ports on"
