"""Pauses: whether marks come before them, and who stops the fabric. A storm is followed over the cables to its root."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters.soaked import Hit, Soak, number
from nornir_tasks.checks.evidence import End
from nornir_tasks.platforms.counted import Counter

STORM_FRAMES_PER_S = 2000.0
"""Pause frames a second of one port from which on it is a storm: of one server that took many others away, "more than
two thousands pause frames per second" were seen at its switch (Guo et al., RDMA over Commodity Ethernet at Scale,
SIGCOMM 2016, 6.2; as document 46868819815 quotes it)."""
STORM_SHARE = 0.5
"""Share of the time for which a port is stopped, where a system counts that: chosen. Marks would have slowed senders
long before."""
CIRCLE = ""
"""The root of ports that stop one another."""
MOST_NAMED = 4
"""Switches that a finding names."""
FEW_FRAMES_PER_S = 1.0
"""Fewer pause frames than this, of a whole switch, need no marks before them: chosen, for bursts that begin and end
within the time that a sender needs to hear of a mark."""

STORM = About(
    name="pause-storm",
    each="switch with lossless ports",
    reads=(Counter.PFC_RX, Counter.PAUSE_RX_US),
    wanted="the cabling plan; interfaces: qos_profile",
    passes=f"no lossless port is stopped for {STORM_SHARE:.0%} of the time, by {STORM_FRAMES_PER_S:.0f} pause frames a "
    "second, or so that none leaves while others are dropped",
    fails="one is. Ports that are stopped are followed over the cables to the host that takes nothing in, or to the "
    "switch that no other stops",
)
MARKS_FIRST = About(
    name="pause-before-marks",
    each="switch with lossless ports that mark",
    reads=(Counter.PFC_TX, Counter.ECN_MARKED),
    wanted="qos.profiles: pfc_priorities, queues: ecn",
    passes=f"it sent no pause frames, or fewer than {FEW_FRAMES_PER_S:.0f} a second, or its queues marked as well, or "
    "it was itself stopped by another one",
    fails="it stopped others, and none of its queues marked a packet: senders do not hear that they are to slow down",
)
ABOUT = (STORM, MARKS_FIRST)


@dataclass(frozen=True, slots=True)
class _Stopped:
    """How much one port was stopped by its far end."""

    frames_per_s: float
    share: float
    is_stuck: bool = False
    """Nothing left it, though packets waited."""

    @property
    def is_storm(self) -> bool:
        return self.is_stuck or self.frames_per_s >= STORM_FRAMES_PER_S or self.share >= STORM_SHARE

    def __str__(self) -> str:
        share = f", for {min(self.share, 1):.0%} of the time" if self.share else ""
        stuck = ", and not one packet left" if self.is_stuck else ""
        return f"{number(self.frames_per_s)} pause frames a second{share}{stuck}"


def _stopped(soak: Soak, device: str, port: str) -> _Stopped:
    """As the port counts it, else as its far end counts what it sent."""
    far, among = soak.far(device, port), soak.lossless(device, port)
    there = frozenset[int]()
    if far is not None:
        known = soak.classes_of_hosts.get((far.device, far.port))
        there = known[0] if known else soak.lossless(far.device, far.port)
    frames = soak.grown(Counter.PFC_RX, device, port, among)
    time_us = soak.grown(Counter.PAUSE_RX_US, device, port, among)
    if far is not None and far.device in soak.rates:
        frames = soak.grown(Counter.PFC_TX, far.device, far.port, there) if frames is None else frames
        time_us = soak.grown(Counter.PAUSE_TX_US, far.device, far.port, there) if time_us is None else time_us
    seconds = soak.seconds(device)
    is_stuck = bool(frames) and _waits(soak, device, port)
    return _Stopped((frames or 0) / seconds, (time_us or 0) / 1e6 / seconds, is_stuck)


def _waits(soak: Soak, device: str, port: str) -> bool:
    """Did nothing leave its lossless queues though packets came: did it drop, or its watchdog act?

    That others are stopped shows nothing: a port to which no host sends is idle, whatever happens beside it.
    """
    queues = soak.lossless_queues(device, port)
    if soak.grown(Counter.QUEUE_PACKETS, device, port, queues) != 0:
        return False
    lost = soak.grown(Counter.QUEUE_DROPS, device, port, queues) or soak.grown(Counter.WATCHDOG, device, port, queues)
    return bool(lost)


def _upstream(soak: Soak, device: str) -> Iterator[End]:
    """Ports of switches that this one stopped, those that these stopped, and so on."""
    seen, todo = {device}, [device]
    while todo:
        here = todo.pop()
        for port in soak.lossless_ports(here) if here in soak.rates else ():
            far = soak.far(here, port)
            if far is None or not soak.grown(Counter.PFC_TX, here, port, soak.lossless(here, port)):
                continue
            yield far.device, far.port
            if soak.is_switch(far.device) and far.device not in seen:
                seen.add(far.device)
                todo.append(far.device)


def check_storms(soak: Soak) -> list[Hit]:
    """One hit for each root: a host, a switch that no other stops, or a circle of switches that stop one another."""
    hard, roots = _roots(soak)
    return [_storm(soak, root, tree, hard) for root, tree in roots.items()]


def stopped_by_full(soak: Soak, is_theirs: Callable[[str, Collection[str]], bool]) -> frozenset[End]:
    """Ports that stop hard as the queues of a switch are full, without a host that takes nothing in.

    ``is_theirs`` says for which such switches, by the switch, and all devices that it stops, however far away.
    """
    _, roots = _roots(soak)
    full = {root: tree for root, tree in roots.items() if soak.is_switch(root)}
    return frozenset(
        end
        for root, tree in full.items()
        if is_theirs(root, {device for device, _ in _upstream(soak, root)})
        for end in tree
    )


def _roots(soak: Soak) -> tuple[dict[End, _Stopped], dict[str, set[End]]]:
    """(ports that stop hard, root -> those of them on the way to it)."""
    hard = {
        (device, port): stopped
        for device in soak.switches
        for port in soak.lossless_ports(device)
        if (stopped := _stopped(soak, device, port)).is_storm
    }
    roots: dict[str, set[End]] = {}
    for end in hard:
        for root, tree in _followed(soak, end, hard):
            roots.setdefault(root, set()).update(tree)
    return hard, roots


def _followed(soak: Soak, begin: End, hard: Iterable[End]) -> list[tuple[str, set[End]]]:
    """(root, ports on the way to it) of all that stop this port, farther and farther down; or what is in a circle."""
    by_device: dict[str, list[End]] = {}
    for end in hard:
        by_device.setdefault(end[0], []).append(end)
    found: list[tuple[str, set[End]]] = []
    seen, todo = {begin}, [begin]
    while todo:
        end = todo.pop()
        far = soak.far(*end)
        if far is None or not soak.is_switch(far.device):
            found.append((far.device if far else end[0], set(seen)))
            continue
        onward = [each for each in by_device.get(far.device, ()) if each[1] != far.port]
        if not onward:
            found.append((far.device, set(seen)))
        for each in onward:
            if each not in seen:
                seen.add(each)
                todo.append(each)
    return found or [(CIRCLE, set(seen))]


def _storm(soak: Soak, root: str, tree: set[End], hard: dict[End, _Stopped]) -> Hit:
    at_root = [end for end in tree if (far := soak.far(*end)) is not None and far.device == root]
    end = max(at_root or tree, key=lambda each: (hard[each].share, hard[each].frames_per_s))
    switches = sorted({device for device, _ in tree})
    named = ", ".join(switches[:MOST_NAMED]) + (" ..." if len(switches) > MOST_NAMED else "")
    reach = f"stopped ports: {len(tree)}, on {named}"
    stopped = hard[end]
    if not at_root:
        who, remedy = "switches stop one another in a circle", "nornir prove; then nornir validate --only pfc"
    elif soak.is_switch(root):
        who = f"{soak.standing(root)} stops others and is not stopped: its own queues are full"
        remedy = f"do its queues mark? nornir validate --only ecn --limit {root}; nornir counters --limit {root}"
    else:
        who = f"host {soak.standing(root)} takes nothing in"
        remedy = (
            f"stop the job there, or shut its port; {soak.cable(*end)}; then look at the host: "
            f"ansible-playbook playbooks/validate.yml --limit {root}"
        )
    covers = {*tree, *_upstream(soak, end[0])}
    for each in tuple(covers):
        covers |= soak.ends_of(*each) | {(each[0], "")}
    return Hit(
        end[0],
        end[1],
        f"{soak.where(*end)}: {who}: {stopped}; {reach}",
        f"less than {STORM_FRAMES_PER_S:.0f} pause frames a second, and stopped for less than {STORM_SHARE:.0%}",
        str(stopped),
        ("unmarked" if soak.is_switch(root) and at_root else "storm", root),
        remedy,
        len(tree) + stopped.frames_per_s / 1e9,
        frozenset(covers),
    )


def check_marks_first(soak: Soak) -> list[Hit]:
    """A switch that stops others without marking, and is not stopped itself."""
    hits = []
    for device in soak.switches:
        ports = [each for each in soak.lossless_ports(device) if soak.marking_queues(device, each)]
        sent = {each: soak.grown(Counter.PFC_TX, device, each, soak.lossless(device, each)) or 0 for each in ports}
        total, seconds = sum(sent.values()), soak.seconds(device)
        if total < FEW_FRAMES_PER_S * seconds or not soak.rates[device].reads(Counter.ECN_MARKED):
            continue
        marked = sum(
            soak.grown(Counter.ECN_MARKED, device, each, soak.marking_queues(device, each)) or 0 for each in ports
        )
        stopped = any(
            _stopped(soak, device, each).frames_per_s > 0 for each in ports if _is_between(soak, device, each)
        )
        if marked or stopped:
            continue
        worst = max(sent, key=lambda each: sent[each])
        sums = f"sent {number(total)} pause frames in {seconds:.0f} s, most by {worst}"
        message = f"{soak.standing(device)}: {sums}, and marked no packet"
        remedy = f"nornir validate --only ecn --limit {device}; then nornir plan --limit {device}"
        found = f"{number(total)} pause frames, 0 marks"
        hits.append(Hit(device, worst, message, "marks before pauses", found, ("unmarked", device), remedy, total))
    return hits


def _is_between(soak: Soak, device: str, port: str) -> bool:
    far = soak.far(device, port)
    return far is not None and soak.is_switch(far.device)
