"""A small traffic generator: flows over a designed site, and what switches and hosts would have counted. Plain sums.

It shares no code with the rules: it knows cables, queues by their numbers, and nothing of thresholds. What each system
does not show is taken from tests/corpus/counters/counters.tsv.
"""

import csv
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from nornir_tasks.checks.counters.rates import rates_of
from nornir_tasks.checks.counters.soaked import Soak
from nornir_tasks.checks.counters.suite import SoakReport, judge
from nornir_tasks.platforms.counted import GAUGES, Counter, Place, Reading
from nornir_tasks.usecases.site import SiteDesign, load

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "tests" / "corpus" / "counters" / "counters.tsv"
PACKET_BYTES = 4096 + 58
BULK, ROCE, CNP = 0, 3, 6
"""Queues and priorities of the lab's classes."""
HOST = "mlx5"


@cache
def site() -> SiteDesign:
    """The lab of rails with 16 hosts, one link from each leaf to each spine, and racks."""
    text = (ROOT / "inventory" / "lab-rails" / "fabric.yml").read_text()
    for old, new in (
        ("    count: 4 ", "    count: 16 "),
        ("    max: 4 ", "    max: 16 "),
        ("      oversubscription: 1 ", "      oversubscription: 4 "),
    ):
        assert old in text, old
        text = text.replace(old, new)
    folder = Path(tempfile.mkdtemp()) / "soak"
    folder.mkdir()
    (folder / "fabric.yml").write_text(text)
    return load(folder)


@cache
def wanted() -> dict[str, object]:
    return {each.config.name: each.config for each in site().realised()}


@cache
def not_read(system: str) -> dict[Counter, str]:
    rows = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    table = csv.DictReader(rows, delimiter="\t")
    known = {Counter(row["counter"]): row["request"] for row in table if row["system"] == system}
    found = {each: "no source" for each in Counter if known.get(each, "not read") == "not read"}
    return {each: f"{each} is not read on this system: {why}" for each, why in found.items()}


End = tuple[str, str]
Table = defaultdict[Counter, dict[Place, float]]


@dataclass(frozen=True)
class Flow:
    """From one host's port to another's."""

    source: End
    target: End
    bytes_per_s: float
    queue: int = ROCE


@dataclass
class Played:
    """One soak: what grew at each device, and how both readings came to be."""

    seed: int
    seconds: float = 60.0
    grown: dict[str, Table] = field(default_factory=dict)
    past: dict[str, Table] = field(default_factory=dict)
    skipped_hosts: bool = False
    changes: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        network = site().network
        self.links = {}
        for link in network.links:
            a, b = (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)
            self.links[a], self.links[b] = (b, link), (a, link)
        self.hosts = tuple(network.hosts)
        self.systems = {each.name: each.os for each in network.devices} | dict.fromkeys(self.hosts, HOST)
        self.uplinks: dict[str, list[End]] = defaultdict(list)
        for link in network.links:
            if link.kind == "fabric":
                self.uplinks[link.lower.device].append((link.lower.device, link.lower.port))
        for device in self.systems:
            self.grown[device], self.past[device] = defaultdict(dict), defaultdict(dict)
        self.age_s = {device: self.random.uniform(3600, 3e6) for device in self.systems}
        self.silent: set[End] = set()
        """Uplinks that the hash leaves out."""

    # -- traffic ---------------------------------------------------------------------------------------------------

    def add(self, device: str, counter: Counter, port: str, index: int | None, value: float) -> None:
        place = Place(port, index)
        self.grown[device][counter][place] = self.grown[device][counter].get(place, 0) + value

    def ports(self) -> Iterator[End]:
        yield from self.links

    def leaf_of(self, host_port: End) -> End:
        return self.links[host_port][0]

    def host_ports(self) -> list[End]:
        return [end for end in self.links if end[0] in self.hosts]

    def path(self, flow: Flow) -> list[End]:
        """Egress ports, the host's own first."""
        here, there = self.leaf_of(flow.source), self.leaf_of(flow.target)
        hops = [flow.source]
        if here[0] != there[0]:
            up = self.random.choice([each for each in self.uplinks[here[0]] if each not in self.silent])
            spine = self.links[up][0][0]
            downs = [self.links[each][0] for each in self.uplinks[there[0]] if self.links[each][0][0] == spine]
            hops += [up, self.random.choice(downs)]
        return [*hops, there]

    def play(self, flows: list[Flow]) -> None:
        """Fluid: what is offered beyond a line's rate is marked, paused and slowed down."""
        paths = [(flow, self.path(flow)) for flow in flows]
        offered: dict[End, float] = defaultdict(float)
        for flow, hops in paths:
            for hop in hops:
                offered[hop] += flow.bytes_per_s
        over = {end: offered[end] / (self.links[end][1].speed_gbps * 1e9 / 8) for end in offered}
        for flow, hops in paths:
            slowed = max(1.0, *(over[hop] for hop in hops))
            self._count(flow, hops, flow.bytes_per_s * self.seconds / slowed, over)
        self._background()

    def _count(self, flow: Flow, hops: list[End], volume: float, over: dict[End, float]) -> None:
        packets = round(volume / PACKET_BYTES)
        for hop in hops:
            device, port = hop
            far, far_port = self.links[hop][0]
            for counter, at, end in (
                (Counter.PACKETS_OUT, device, port),
                (Counter.PACKETS_IN, far, far_port),
            ):
                self.add(at, counter, end, None, packets)
            self.add(device, Counter.BYTES_OUT, port, None, packets * PACKET_BYTES)
            self.add(far, Counter.BYTES_IN, far_port, None, packets * PACKET_BYTES)
            self.add(device, Counter.QUEUE_PACKETS, port, flow.queue, packets)
        if flow.queue != ROCE:
            return
        for before, hop in pairwise(hops):  # switches mark; they pause who sends to them
            pressure = over[hop]
            if pressure > 0.85:
                marked = round(packets * min(0.05, (pressure - 0.85) / 10))
                self.add(hop[0], Counter.ECN_MARKED, hop[1], ROCE, marked)
                self._notify(flow, marked)
            if pressure > 1.1:
                self.pause(self.links[before][0], self.random.uniform(1, 40) * self.seconds)

    def _notify(self, flow: Flow, marked: int) -> None:
        notices = marked // 4
        self.add(flow.target[0], Counter.ECN_RECEIVED, "mlx5_0", None, marked)
        self.add(flow.target[0], Counter.CNP_SENT, "mlx5_0", None, notices)
        self.add(flow.source[0], Counter.CNP_HANDLED, "mlx5_0", None, notices)
        for hop in self.path(Flow(flow.target, flow.source, 0.0)):
            self.add(hop[0], Counter.QUEUE_PACKETS, hop[1], CNP, notices)

    def pause(self, end: End, frames: float, each_us: float = 3.0) -> None:
        """This port sends pause frames: its far end counts them, and is stopped so long."""
        far, far_port = self.links[end][0]
        self.add(end[0], Counter.PFC_TX, end[1], ROCE, round(frames))
        self.add(end[0], Counter.PAUSE_TX_US, end[1], ROCE, round(frames * each_us))
        self.add(far, Counter.PFC_RX, far_port, ROCE, round(frames))
        self.add(far, Counter.PAUSE_RX_US, far_port, ROCE, round(frames * each_us))

    def _background(self) -> None:
        """What is counted without any fault: zeros, corrections of a healthy link, few errors, light and heat."""
        for (device, port), (_, link) in self.links.items():
            for counter in (Counter.PFC_RX, Counter.PFC_TX, Counter.PAUSE_RX_US, Counter.PAUSE_TX_US):
                self.add(device, counter, port, ROCE, 0)
            for counter in (Counter.QUEUE_DROPS, Counter.QUEUE_PACKETS, Counter.ECN_MARKED):
                for queue in (BULK, ROCE, CNP):
                    self.add(device, counter, port, queue, 0)
            for counter in (Counter.INPUT_DROPS, Counter.PACKETS_IN, Counter.PACKETS_OUT, Counter.BYTES_IN):
                self.add(device, counter, port, None, 0)
            for counter in (Counter.BYTES_OUT, Counter.LINK_CHANGES, Counter.FEC_UNCORRECTED, Counter.SYMBOL_ERRORS):
                self.add(device, counter, port, None, 0)
            self.add(device, Counter.WATCHDOG, port, ROCE, 0)
            self.add(device, Counter.CRC_ERRORS, port, None, self.random.choice([0, 0, 0, 1, 2]))
            corrected = link.speed_gbps * 1e9 * 10 ** self.random.uniform(-9, -6.5)  # a second
            self.add(device, Counter.FEC_CORRECTED, port, None, round(corrected * self.seconds))
            self.past[device][Counter.FEC_CORRECTED][Place(port)] = round(corrected * self.age_s[device])
            light = self.random.uniform(-2.5, 2.0)
            for lane in range(1, 5):
                for counter in (Counter.RX_POWER_DBM, Counter.TX_POWER_DBM):
                    self.grown[device][counter][Place(port, lane)] = light + self.random.uniform(-0.8, 0.8)
            self.grown[device][Counter.TEMPERATURE_C][Place(port)] = self.random.uniform(32, 61)
            self.grown[device][Counter.WATERMARK_BYTES][Place(port)] = self.random.uniform(0, 5e5)
        for host in self.hosts:
            for counter in (Counter.CNP_SENT, Counter.CNP_HANDLED, Counter.CNP_IGNORED, Counter.ECN_RECEIVED):
                self.add(host, counter, "mlx5_0", None, 0)
            for counter in (Counter.OUT_OF_SEQUENCE, Counter.SEQUENCE_ERRORS, Counter.RETRANSMITS):
                self.add(host, counter, "mlx5_0", None, 0)
            for counter in (Counter.OUT_OF_BUFFER, Counter.XID, Counter.NVLINK_ERRORS):
                self.add(host, counter, "mlx5_0" if counter is Counter.OUT_OF_BUFFER else "gpu-0", None, 0)

    # -- readings --------------------------------------------------------------------------------------------------

    def readings(self) -> tuple[dict[str, Reading], dict[str, Reading]]:
        names = [each for each in self.systems if each not in self.hosts or not self.skipped_hosts]
        first, second = {}, {}
        for name in names:
            missing = not_read(self.systems[name])
            later: dict[Counter, dict[Place, float]] = {}
            earlier: dict[Counter, dict[Place, float]] = {}
            for counter, places in self.grown[name].items():
                if counter in missing or (counter is Counter.ECN_MARKED and name in self.hosts):
                    continue
                known = self.past[name].get(counter, {})
                was = {
                    place: known.get(place, float(self.random.randrange(10**6, 10**12))) if value >= 0 else 0.0
                    for place, value in places.items()
                }
                if counter in GAUGES:
                    earlier[counter] = later[counter] = dict(places)
                else:
                    earlier[counter] = was
                    later[counter] = {place: was[place] + value for place, value in places.items()}
            late = self.random.uniform(0, 1.5)
            first[name] = Reading(name, 1000.0 + late, 1.7e9 + late, self.age_s[name], earlier, missing)
            clock = 1.7e9 + late + self.seconds
            second[name] = Reading(
                name, 1000.0 + late + self.seconds, clock, self.age_s[name] + self.seconds, later, missing
            )
        return first, second

    def judged(self, alter: object = None) -> SoakReport:
        first, second = self.readings()
        if callable(alter):
            alter(first, second)
        return judged(first, second)


def judged(first: dict[str, Reading], second: dict[str, Reading]) -> SoakReport:
    network = site().network
    hosts = frozenset(name for name in first if name in network.hosts)
    return judge(Soak(network, wanted(), rates_of(first, second), hosts=hosts))  # type: ignore[arg-type]


def random_load(seed: int) -> Played:
    """A load within the policy: rings, all to all, incasts; marks and short pauses, dropped bulk packets."""
    played = Played(seed)
    draw, ports = played.random, played.host_ports()
    by_rail: dict[str, list[End]] = defaultdict(list)
    for end in ports:
        by_rail[played.leaf_of(end)[0]].append(end)
    line = played.links[ports[0]][1].speed_gbps * 1e9 / 8
    flows: list[Flow] = []
    for kind in draw.sample(["ring", "all", "incast", "across"], draw.randint(1, 3)):
        share = draw.uniform(0.1, 0.7)
        for rail in by_rail.values():
            if kind == "ring":
                flows += [Flow(a, b, line * share) for a, b in zip(rail, rail[1:] + rail[:1], strict=True)]
            elif kind == "all":
                each = line * share / (len(rail) - 1)
                flows += [Flow(a, b, each * draw.uniform(0.5, 1)) for a in rail for b in rail if a != b]
            elif kind == "incast":
                target = draw.choice(rail)
                senders = draw.sample([each for each in rail if each != target], draw.randint(2, 8))
                flows += [Flow(a, target, line * share) for a in senders]
        if kind == "across":
            for end in ports:
                others = [each for each in ports if played.leaf_of(each)[0] != played.leaf_of(end)[0]]
                flows += [Flow(end, other, line * 0.05 * draw.uniform(0.5, 1)) for other in draw.sample(others, 3)]
    flows += [Flow(draw.choice(ports), draw.choice(ports), line * 0.01, BULK) for _ in range(draw.randint(0, 200))]
    played.play([each for each in flows if each.source[0] != each.target[0]])
    for end in draw.sample(ports, 5):
        played.add(*played.leaf_of(end)[:1], Counter.QUEUE_DROPS, played.leaf_of(end)[1], BULK, draw.randint(1, 5000))
        played.pause(end, draw.uniform(1, 50) * played.seconds)  # a host that is slow now and then
    return played


def without(reading: Reading, counter: Counter, place: Place | None = None) -> Reading:
    """The same answer without one counter, or without one place of it."""
    kept = dict(reading.values)
    if place is None:
        kept.pop(counter, None)
    else:
        kept[counter] = {each: value for each, value in kept[counter].items() if each != place}
    return replace(reading, values=kept)
