"""Queues, pauses and marks of all ports that flows go through, step by step. Pure: time is what a step is given.

A fluid: each step, a port sends what waits and what arrives, as far as its line carries it in its scheduler's order;
the rest waits. What waits is marked by ECN, pauses whom it came from by PFC, or is dropped, each by the switch's own
rules. Ports are taken in the order in which flows meet them, so that a fabric that is not overloaded queues nothing.
Packets are not told apart: the flows of a queue leave it in the proportion in which they wait.

Lines are ``SLOWED`` times as slow as real ones, while buffers are what they are: what takes 5 us on a cable takes 5 ms
here, so that a step of 5 ms sees a buffer fill. Shares (of the line, of time paused, of packets marked or dropped) are
those of the real thing; packets a second are a thousandth. Watchdogs count real seconds, as operators set them, and so
do pauses that are asked for again and again: a port that stays stopped gets as many frames a second as a real one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..counted import Counted, PortCounts
from ..spec import End
from .flows import Flow
from .order import TINY, ordered, shares
from .paths import Path
from .pieces import CNP_S, Buffer, Hop, Port, Queue, Sent
from .rules import PortRules, QueueRules, SwitchRules

SLOWED = 1000
STEP_S = 0.005
"""Longer steps of an overloaded fabric would leap over its thresholds."""
REFRESH_S = 0.04
"""A pause lasts for at most 65,535 quanta of 512 bits (IEEE 802.1Q, clause 36): 84 us at 400G, slowed; half of it."""
_XON_SHARE = 0.8
_CONTROL_S = 0.01
"""How often a sender looks whether it was marked: about a round trip, slowed."""
_LEAST_RATE, _RECOVERY = 0.005, 0.02
"""Of its full rate: the least that DCQCN leaves a flow, and what it gets back each time that it was not marked."""
_UNKNOWN = PortRules()
"""Of a port of which its switch was told nothing."""


class Model:
    """Flows on their paths; one whose path is broken is lost behind its last port. ``rates``: of each, at first."""

    def __init__(
        self,
        flows: Sequence[tuple[Flow, Path]],
        rules: Mapping[str, SwitchRules],
        speeds: Mapping[End, float],
        far: Mapping[End, End],
        counted: Counted,
        rates: Sequence[float] = (),
    ) -> None:
        self._rules, self._speeds, self._far, self._counted = rules, speeds, far, counted
        self._impaired = counted.impairments
        self._ports: dict[End, Port] = {}
        self._buffers: dict[tuple[End, int], Buffer] = {}
        self._control_s = 0.0
        self.is_steady = False
        """Nothing waits, nothing is marked, everybody sends what it would: a step may be as long as one likes."""
        self._sent = [self._add(flow, path) for flow, path in flows]
        for sent, rate in zip(self._sent, rates, strict=False):
            sent.rate = rate
        self._order = ordered(self._ports, [path for _, path in flows])
        self._storms = self._stormy()
        self._drops = self._impaired.amounts("drops")
        self._unmarked = {end.device for end in self._impaired.of_kind("no-marks")}
        self._deaf = {end.device for end in self._impaired.of_kind("ignores-cnps")}

    # -- making it -------------------------------------------------------------------------------------------------

    def _add(self, flow: Flow, path: Path) -> Sent:
        source = self._counted.of(flow.source)
        sink = self._counted.of(flow.destination) if path.is_whole else None
        sent = Sent(flow, source, sink, flow.bits_per_s / 8 / SLOWED)
        previous: Hop | None = None
        came: End | None = None
        for end in path.ports:
            number, queue = self._class_at(flow, came, end)
            port = self._port(end)
            row = port.queues.setdefault(queue, Queue(queue, _rules_of(port, queue)))
            buffer = self._buffer(came, number, previous) if came is not None else None
            if previous is not None:
                previous.number = number
            hop = Hop(sent, buffer, number, port=port)
            row.hops.append(hop)
            if hop.buffer is not None:
                hop.buffer.hops.append(hop)
            if previous is None:
                sent.first = hop
            else:
                previous.following = hop
            previous, came = hop, self._far.get(end)
        return sent

    def _class_at(self, flow: Flow, came: End | None, end: End) -> tuple[int, int]:
        """Class and queue of a flow at a port; a host's NIC has the class that the switch behind it gives."""
        switch = came if came is not None else self._far.get(end)
        into = self._rules_at(switch) if switch is not None else None
        if into is None:
            return 0, 0
        number = into.classes[flow.dscp]
        out = self._rules_at(end) if came is not None else None
        return number, (out.queues_of[number] if out is not None else number)

    def _rules_at(self, end: End) -> PortRules | None:
        switch = self._rules.get(end.device)
        return switch.ports.get(end.port, _UNKNOWN) if switch is not None else None

    def _port(self, end: End) -> Port:
        if end not in self._ports:
            far = self._far.get(end)
            far_counts = self._counted.of(far) if far is not None else None
            speed = self._speeds.get(end, 100e9) / 8 / SLOWED
            self._ports[end] = Port(end, far, self._counted.of(end), far_counts, speed, self._rules_at(end))
        return self._ports[end]

    def _buffer(self, came: End, number: int, previous: Hop | None) -> Buffer:
        if (came, number) not in self._buffers:
            rules = self._rules_at(came) or PortRules()
            sender = previous.port if previous is not None else None
            own = self._can_pause(came) and number in rules.pauses
            theirs, queue = own, None
            if sender is not None:
                far = sender.rules
                queue = sender.queues.get(far.queues_of[number] if far is not None else number)
                theirs = far is None or (number in far.pauses and self._can_pause(sender.end))
            headroom = 2 * STEP_S * (sender.bytes_per_s if sender is not None else 0.0)
            counts = sender.counts if sender is not None else PortCounts()
            self._buffers[came, number] = Buffer(
                number, self._counted.of(came), rules, queue, counts, theirs, own, headroom
            )
        return self._buffers[came, number]

    def _can_pause(self, end: End) -> bool:
        return not self._impaired.has("no-pause", end.device)

    def _stormy(self) -> list[tuple[Port, PortCounts, list[int]]]:
        """Ports to hosts that do not drain: (the switch's port, the host's counters, priorities)."""
        found = []
        for host in self._impaired.of_kind("pause-storm"):
            port = self._far.get(host)
            rules = self._rules_at(port) if port is not None else None
            if port is not None and rules is not None:
                # a NIC pauses what it has no drops for; what the switch makes of it is the switch's
                numbers = sorted(rules.pauses) or [3]
                found.append((self._port(port), self._counted.of(host), numbers))
        return found

    # -- a step ----------------------------------------------------------------------------------------------------

    def step(self, time_s: float) -> None:
        """Let this much time go by: at most ``STEP_S``, or any while ``is_steady``."""
        for sent in self._sent:
            self._send(sent, time_s)
        waits = False
        for port in self._order:
            waits |= self._forward(port, time_s)
        busy = False
        for buffer in self._buffers.values():
            if buffer.sender is not None:
                buffer.sender.is_stopped = False
        for buffer in self._buffers.values():
            busy |= self._pause(buffer, time_s)
        for port, host, numbers in self._storms:
            self._storm(port, host, numbers, time_s)
        slowed = self._control(time_s)
        self.is_steady = not (waits or busy or slowed)

    def _send(self, sent: Sent, time_s: float) -> None:
        """A NIC takes no more than it can send soon: its program waits meanwhile, and nothing is lost there."""
        hop = sent.first
        if hop is None:
            return
        wanted = sent.bytes_per_s * sent.rate * time_s
        taken = max(0.0, min(wanted, wanted + 2 * STEP_S * sent.bytes_per_s - hop.waiting))
        sent.marked = 0.0
        sent.sent_bytes += taken
        hop.arriving += taken

    def _forward(self, port: Port, time_s: float) -> bool:
        """What one port does in a step. True: something waits there."""
        room = port.bytes_per_s * time_s
        there = {number: sum(hop.waiting + hop.arriving for hop in row.hops) for number, row in port.queues.items()}
        waits = False
        for row in port.queues.values():
            self._watch(port, row, time_s)
        budget = shares(port, there, room)
        for number, row in port.queues.items():
            waits |= self._drain(port, row, there[number], budget[number])
        return waits

    def _watch(self, port: Port, row: Queue, time_s: float) -> None:
        """The watchdog of one queue."""
        if port.rules is None or not port.rules.watched:
            return
        row.stopped_s = row.stopped_s + time_s if row.is_stopped else 0.0
        row.free_s = 0.0 if row.is_stopped else row.free_s + time_s
        if not row.is_stuck and row.stopped_s > port.rules.stuck_s:
            row.is_stuck = True
            port.counts.watchdog[row.number] += 1
        elif row.is_stuck and row.free_s >= port.rules.free_s:
            row.is_stuck = False
            port.counts.recovered[row.number] += 1

    def _drain(self, port: Port, row: Queue, there: float, budget: float) -> bool:
        """Send what a queue may; mark, drop and keep the rest. True: something waits."""
        sends = min(there, budget)
        share = sends / there if there > TINY else 1.0
        left = there - sends
        mark = self._mark(port, row, left)
        lossy = port.rules is not None and left > TINY
        keep = self._kept(port, row, left) if lossy else 1.0
        percent = self._drops.get(port.end)
        for hop in row.hops:
            total, hop.arriving = hop.waiting + hop.arriving, 0.0
            out = total * share
            hop.waiting = (total - out) * keep
            if keep < 1.0:
                self._drop(port, row, hop, (total - out) * (1.0 - keep))
            if percent is not None and hop.buffer is not None and hop.buffer.number in hop.buffer.rules.pauses:
                lost = out * percent / 100
                self._drop(port, row, hop, lost)
                out -= lost
            if out > 0.0:
                self._leave(port, row, hop, out, mark)
        row.waiting = left * keep
        if port.rules is not None and row.waiting > port.counts.watermark_bytes[row.number]:
            port.counts.watermark_bytes[row.number] = row.waiting
        return row.waiting > TINY

    def _mark(self, port: Port, row: Queue, left: float) -> float:
        marking = row.rules.marking
        if marking is None or left <= marking.least_bytes or port.end.device in self._unmarked:
            return 0.0
        return marking.share(left)

    def _kept(self, port: Port, row: Queue, left: float) -> float:
        """The share of what waits that finds room: a lossless class has that of where it came in (``_pause``)."""
        if row.is_stuck:
            return 0.0
        if all(hop.buffer is not None and hop.buffer.pauses for hop in row.hops):
            return 1.0
        return min(1.0, row.rules.limit_bytes / left)

    def _leave(self, port: Port, row: Queue, hop: Hop, out: float, mark: float) -> None:
        packets, counts = out / hop.sent.flow.packet_bytes, port.counts
        counts.packets_out += packets
        counts.bytes_out += out
        counts.queue_packets[row.number] += packets
        counts.queue_bytes[row.number] += out
        if mark and hop.sent.flow.is_ect:
            hop.sent.marked += (1.0 - hop.sent.marked) * mark
            if row.rules.counts_marks:
                counts.marked[row.number] += packets * mark
        if port.far_counts is not None:
            port.far_counts.packets_in += packets
            port.far_counts.bytes_in += out
            port.far_counts.packets_of[hop.number] += packets
        if hop.following is not None:
            hop.following.arriving += out
            return
        sink = hop.sent.sink
        if sink is None:
            hop.sent.dropped_bytes += out
            return
        hop.sent.delivered_bytes += out
        sink.marked_in += packets * hop.sent.marked
        if hop.sent.lost:
            sink.out_of_sequence += hop.sent.lost
            hop.sent.source.sequence_errors += hop.sent.lost
            hop.sent.lost = 0.0

    def _drop(self, port: Port, row: Queue, hop: Hop, lost: float) -> None:
        packets = lost / hop.sent.flow.packet_bytes
        port.counts.dropped[row.number] += packets
        hop.sent.dropped_bytes += lost
        hop.sent.lost += packets

    # -- pauses ----------------------------------------------------------------------------------------------------

    def _pause(self, buffer: Buffer, time_s: float) -> bool:
        """Ask the far end to stop, or to go on, and drop what comes in none the less. True: it is stopped."""
        if not buffer.pauses:
            return False
        inside = sum(hop.waiting for hop in buffer.hops)
        most = buffer.rules.xoff_bytes + buffer.headroom
        if inside > most:
            self._overflow(buffer, most / inside)
        if buffer.is_pausing:
            self._go_on(buffer, inside, time_s)
        elif inside > buffer.rules.xoff_bytes:
            buffer.is_pausing, buffer.since_s = True, 0.0
            self._frame(buffer)
        if buffer.sender is not None and buffer.obeys and buffer.is_pausing:
            buffer.sender.is_stopped = True
        return buffer.is_pausing

    def _go_on(self, buffer: Buffer, inside: float, time_s: float) -> None:
        buffer.counts.paused_tx_s[buffer.number] += time_s
        if buffer.obeys:
            buffer.sender_counts.paused_rx_s[buffer.number] += time_s
        buffer.since_s += time_s
        if inside < _XON_SHARE * buffer.rules.xoff_bytes:
            buffer.is_pausing = False
            self._frame(buffer)  # with a time of zero
        elif buffer.since_s >= REFRESH_S:
            buffer.since_s = 0.0
            self._frame(buffer, SLOWED)

    def _frame(self, buffer: Buffer, frames: int = 1) -> None:
        buffer.counts.pfc_tx[buffer.number] += frames
        buffer.sender_counts.pfc_rx[buffer.number] += frames

    def _overflow(self, buffer: Buffer, keep: float) -> None:
        for hop in buffer.hops:
            lost = hop.waiting * (1.0 - keep)
            hop.waiting -= lost
            packets = lost / hop.sent.flow.packet_bytes
            buffer.counts.input_drops[buffer.number] += packets
            hop.sent.dropped_bytes += lost
            hop.sent.lost += packets

    def _storm(self, port: Port, host: PortCounts, numbers: Iterable[int], time_s: float) -> None:
        """A NIC that drains nothing asks for a pause without end."""
        rules = port.rules
        frames = time_s / REFRESH_S * SLOWED
        for number in numbers:
            host.pfc_tx[number] += frames
            host.paused_tx_s[number] += time_s
            port.counts.pfc_rx[number] += frames
            if rules is None or number not in rules.pauses or not self._can_pause(port.end):
                continue
            port.counts.paused_rx_s[number] += time_s
            row = port.queues.get(rules.queues_of[number])
            if row is not None:
                row.is_stopped = True

    # -- hosts -----------------------------------------------------------------------------------------------------

    def _control(self, time_s: float) -> bool:
        """DCQCN in short: who is marked sends less, down to half; who is not, a little more. True: some do less."""
        self._control_s += time_s
        is_due = self._control_s >= _CONTROL_S
        if is_due:
            self._control_s = 0.0
        slowed = False
        for sent in self._sent:
            sent.was_marked = max(sent.was_marked, sent.marked)
            sent.since_cnp_s += time_s
            if sent.marked and sent.since_cnp_s >= CNP_S:
                self._notify(sent)
            if is_due:
                self._adapt(sent)
            slowed |= sent.rate < 1.0 or sent.was_marked > 0.0
        return slowed

    def _notify(self, sent: Sent) -> None:
        sent.since_cnp_s = 0.0
        if sent.sink is not None:
            sent.sink.cnp_sent += 1
        if sent.flow.source.device in self._deaf:
            sent.source.cnp_ignored += 1
        else:
            sent.source.cnp_handled += 1

    def _adapt(self, sent: Sent) -> None:
        if sent.flow.source.device not in self._deaf:
            if sent.was_marked:
                sent.rate = max(_LEAST_RATE, sent.rate * (1.0 - sent.was_marked / 2))
            else:
                sent.rate = min(1.0, sent.rate + _RECOVERY)
        sent.was_marked = 0.0

    # -- questions -------------------------------------------------------------------------------------------------

    def flows(self) -> list[tuple[Flow, float, float, float]]:
        """Each flow with the bytes that its host sent, that arrived, and that were lost."""
        return [(each.flow, each.sent_bytes, each.delivered_bytes, each.dropped_bytes) for each in self._sent]

    def waiting_bytes(self) -> float:
        """What waits in all queues, hosts' included."""
        return sum(hop.waiting for port in self._order for row in port.queues.values() for hop in row.hops)

    def rates(self) -> list[float]:
        """What each flow sends of what it would, 0 to 1."""
        return [each.rate for each in self._sent]


def _rules_of(port: Port, queue: int) -> QueueRules:
    return port.rules.queue(queue) if port.rules is not None else QueueRules()
