"""Faults of a fabric under load, each as what it makes counters say, and the rule that has to name it."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from nornir_tasks.platforms.counted import Counter, Place, Reading
from tests.unit.checks.played_load import BULK, ROCE, End, Flow, Played, without

Readings = dict[str, Reading]
Alter = Callable[[Readings, Readings], None]


@dataclass(frozen=True)
class Seeded:
    """One fault in one soak."""

    kind: str
    system: str
    played: Played
    rule: str
    words: tuple[str, ...]
    """What the finding must name."""
    needs: tuple[Counter, ...] = ()
    """Counters that show it at that system; none of them read: it cannot be seen there."""
    alter: Alter | None = None


def loaded(
    seed: int, silent: End | None = None, wrong: str = "", *, hosts: bool = True, in_rail: bool = True
) -> Played:
    """All to all in each rail and some across, within the policy. ``wrong``: a host whose packets are in no class."""
    played = Played(seed, skipped_hosts=not hosts)
    if silent is not None:
        played.silent.add(silent)
    ports = played.host_ports()
    line = played.links[ports[0]][1].speed_gbps * 1e9 / 8
    flows = []
    for end in ports:
        queue = BULK if end[0] == wrong else ROCE
        here = [each for each in ports if played.leaf_of(each)[0] == played.leaf_of(end)[0] and each != end]
        there = [each for each in ports if played.leaf_of(each)[0] != played.leaf_of(end)[0]]
        flows += [Flow(end, each, line * 0.03, queue) for each in here if in_rail]
        flows += [Flow(end, each, line * 0.01, queue) for each in played.random.sample(there, 20)]
    played.play(flows)
    return played


def of_system(played: Played, system: str) -> list[str]:
    return [name for name, each in played.systems.items() if each == system]


def some_port(played: Played, system: str, draw: random.Random) -> End:
    device = draw.choice(of_system(played, system))
    return draw.choice([end for end in played.links if end[0] == device])


def at_a_port(
    kind: str, rule: str, counter: Counter, index: int | None, least: int, most: int, *, cable: bool
) -> object:
    def seed(system: str, number: int) -> Seeded:
        played, draw = loaded(number), random.Random(number)
        device, port = some_port(played, system, draw)
        played.add(device, counter, port, index, draw.randint(least, most))
        words = (played.links[device, port][1].cable,) if cable else (device, port)
        return Seeded(kind, system, played, rule, words, (counter,))

    return seed


def refused(system: str, number: int) -> Seeded:
    played, draw = loaded(number), random.Random(number)
    device, port = some_port(played, system, draw)
    played.add(device, Counter.INPUT_DROPS, port, None, draw.randint(1, 999))
    played.pause((device, port), 40)
    return Seeded("headroom too small", system, played, "lossless-drops", (device, port), (Counter.INPUT_DROPS,))


def flaps(system: str, number: int) -> Seeded:
    played, draw = loaded(number), random.Random(number)
    end = some_port(played, system, draw)
    for device, port in (end, played.links[end][0]):
        played.add(device, Counter.LINK_CHANGES, port, None, draw.choice((2, 4, 8)))
    return Seeded("link flaps", system, played, "link-changes", (played.links[end][1].cable,), ())


def drift(system: str, number: int) -> Seeded:
    played, draw = loaded(number), random.Random(number)
    end = some_port(played, system, draw)
    bits = played.links[end][1].speed_gbps * 1e9 * played.seconds
    played.add(end[0], Counter.FEC_CORRECTED, end[1], None, round(bits * 10 ** draw.uniform(-5.3, -4)))
    cable = played.links[end][1].cable
    return Seeded("FEC drift", system, played, "fec-trend", (cable,), (Counter.FEC_CORRECTED,))


def gauge(kind: str, counter: Counter, lane: int | None, value: float) -> object:
    def seed(system: str, number: int) -> Seeded:
        played, draw = loaded(number), random.Random(number)
        end = some_port(played, system, draw)
        played.grown[end[0]][counter][Place(end[1], lane)] = value
        return Seeded(kind, system, played, "optics", (played.links[end][1].cable,), (counter,))

    return seed


def storm(system: str, number: int) -> Seeded:
    """A host takes nothing in: its leaf stops all others there, and the spines, which stop the other leaves."""
    played, draw = loaded(number), random.Random(number)
    leaf = draw.choice(of_system(played, system if system != "nvue" else "eos"))
    host_port = draw.choice([end for end in played.host_ports() if played.leaf_of(end)[0] == leaf])
    frames = draw.uniform(2500, 9000) * played.seconds
    played.pause(host_port, frames, each_us=80)
    others = [end for end in played.links if end[0] == leaf and end != played.leaf_of(host_port)]
    for end in others:
        played.pause(end, frames * 0.9, each_us=80)
    if system == "nvue" or number % 2:
        for up in played.uplinks[leaf]:
            spine = played.links[up][0][0]
            for end in [each for each in played.links if each[0] == spine and played.links[each][0][0] != leaf]:
                played.pause(end, frames * 0.9, each_us=80)
    if number % 3 == 0:
        played.add(leaf, Counter.WATCHDOG, played.leaf_of(host_port)[1], ROCE, 3)
        played.add(leaf, Counter.QUEUE_DROPS, played.leaf_of(host_port)[1], ROCE, 5000)
    return Seeded("pause storm of a host", system, played, "pause-storm", (f"host {host_port[0]} takes nothing in",))


def unslowed(kind: str, counter: Counter, *, sends: bool) -> object:
    """Senders do not slow down: the queues of a leaf are full, and it stops the spines, which stop the other leaves."""

    def seed(system: str, number: int) -> Seeded:
        played, draw = loaded(number), random.Random(number)
        host, _ = end = draw.choice(played.host_ports())
        own = played.leaf_of(end)[0]
        leaf = draw.choice([each for each in played.uplinks if (each != own) is sends])
        if sends:
            played.add(host, counter, "mlx5_0", None, 50_000_000)
        else:
            played.grown[host][Counter.CNP_SENT] = dict.fromkeys(played.grown[host][Counter.CNP_SENT], 0.0)
            played.add(host, counter, "mlx5_0", None, 9000)
        frames = draw.uniform(2500, 9000) * played.seconds
        for up in played.uplinks[leaf]:
            played.pause(up, frames, each_us=80)
            spine = played.links[up][0][0]
            for stops in [each for each in played.links if each[0] == spine and played.links[each][0][0] != leaf]:
                played.pause(stops, frames * 0.9, each_us=80)
        return Seeded(kind, system, played, "notifications", (host,), (counter,))

    return seed


def unmarked(system: str, number: int) -> Seeded:
    played, draw = loaded(number), random.Random(number)
    device = draw.choice(of_system(played, system))
    played.grown[device][Counter.ECN_MARKED] = dict.fromkeys(played.grown[device][Counter.ECN_MARKED], 0.0)
    for end in [each for each in played.links if each[0] == device][:5]:
        played.pause(end, draw.uniform(20, 300) * played.seconds)
    return Seeded("pauses without marks", system, played, "pause-before-marks", (device,), (Counter.ECN_MARKED,))


def dead_member(system: str, number: int) -> Seeded:
    draw, probe = random.Random(number), Played(number)
    leaf = draw.choice(of_system(probe, system if system != "nvue" else "eos"))
    up = draw.choice(probe.uplinks[leaf])
    played = loaded(number, silent=up, in_rail=False)
    return Seeded("dead ECMP member", system, played, "even-paths", up, (Counter.BYTES_OUT,))


def wrong_class(system: str, number: int) -> Seeded:
    host = f"gpu-{random.Random(number).randint(1, 16)}"
    played = loaded(number, wrong=host, hosts=system == "mlx5")
    return Seeded("wrong class of one host", system, played, "host-class", (host,), (Counter.QUEUE_PACKETS,))


def at_host(kind: str, rule: str, counts: dict[Counter, int], zero: tuple[Counter, ...] = ()) -> object:
    def seed(system: str, number: int) -> Seeded:
        played = loaded(number)
        host = random.Random(number).choice(played.hosts)
        for counter in zero:
            played.grown[host][counter] = dict.fromkeys(played.grown[host][counter], 0.0)
        for counter, value in counts.items():
            port = "gpu-0" if counter in (Counter.XID, Counter.NVLINK_ERRORS) else "mlx5_0"
            played.add(host, counter, port, None, value)
        return Seeded(kind, system, played, rule, (host,), tuple(counts))

    return seed


def garbled(kind: str, change: Callable[[Reading, Reading, random.Random], tuple[Reading, Reading]]) -> object:
    def seed(system: str, number: int) -> Seeded:
        played, draw = loaded(number), random.Random(number)
        name = draw.choice(of_system(played, system))

        def alter(first: Readings, second: Readings) -> None:
            first[name], second[name] = change(first[name], second[name], draw)

        return Seeded(kind, system, played, "readings", (name,), (), alter)

    return seed


def _place(reading: Reading, counter: Counter, value: Callable[[float], float]) -> Reading:
    place = next(iter(reading.values[counter]))
    changed = {**reading.values[counter], place: value(reading.values[counter][place])}
    return replace(reading, values={**reading.values, counter: changed})


def cleared(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    return first, _place(second, draw.choice([Counter.PACKETS_IN, Counter.BYTES_OUT]), lambda _: 7.0)


def wrapped(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    del draw
    return (
        _place(first, Counter.BYTES_IN, lambda _: 2.0**64 - 2.0**20),
        _place(second, Counter.BYTES_IN, lambda _: 1e9),
    )


def restarted(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    return first, replace(second, uptime_s=draw.uniform(1, 50))


def older(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    assert first.clock_s is not None
    return first, replace(second, clock_s=first.clock_s - draw.uniform(1, 1000))


def stepped(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    assert second.clock_s is not None
    return first, replace(second, clock_s=second.clock_s + draw.uniform(60, 1000))


def apart(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    by = draw.choice([-1, 1]) * draw.uniform(10, 1e6)
    assert first.clock_s is not None
    assert second.clock_s is not None
    return replace(first, clock_s=first.clock_s + by), replace(second, clock_s=second.clock_s + by)


def half(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    counter = draw.choice([Counter.QUEUE_DROPS, Counter.PFC_RX, Counter.BYTES_OUT])
    if draw.random() < 0.5:
        return first, without(second, counter)
    return first, without(second, counter, draw.choice(list(second.values[counter])))


def not_understood(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    del draw
    return first, replace(second, problems=("show interfaces: interfaces.Et1: expected an object, found 'n/a'",))


def no_number(first: Reading, second: Reading, draw: random.Random) -> tuple[Reading, Reading]:
    bad = draw.choice([float("nan"), float("inf"), -5.0])
    return first, _place(second, Counter.PACKETS_OUT, lambda _: bad)


SWITCHES = ("eos", "nxos", "nvue")
KINDS: tuple[tuple[object, tuple[str, ...]], ...] = (
    (
        at_a_port("drop in the lossless queue", "lossless-drops", Counter.QUEUE_DROPS, ROCE, 1, 9999, cable=False),
        SWITCHES,
    ),
    (refused, SWITCHES),
    (storm, SWITCHES),
    (at_a_port("watchdog acts", "pause-watchdog", Counter.WATCHDOG, ROCE, 1, 9, cable=False), SWITCHES),
    (unmarked, SWITCHES),
    (at_a_port("CRC errors", "link-errors", Counter.CRC_ERRORS, None, 500, 9999, cable=True), SWITCHES),
    (at_a_port("symbol errors", "link-errors", Counter.SYMBOL_ERRORS, None, 500, 9999, cable=True), SWITCHES),
    (at_a_port("uncorrected codewords", "link-errors", Counter.FEC_UNCORRECTED, None, 1, 9, cable=True), SWITCHES),
    (drift, SWITCHES),
    (flaps, SWITCHES),
    (gauge("hot optic", Counter.TEMPERATURE_C, None, 78.0), SWITCHES),
    (gauge("low light", Counter.RX_POWER_DBM, 3, -13.5), SWITCHES),
    (dead_member, ("eos", "nxos")),
    (wrong_class, ("mlx5", "eos")),
    (at_host("notifications ignored", "notifications", {Counter.CNP_IGNORED: 50_000_000}), ("mlx5",)),
    (
        at_host("no notifications", "notifications", {Counter.ECN_RECEIVED: 9000}, (Counter.CNP_SENT,)),
        ("mlx5",),
    ),
    (unslowed("notifications ignored, and a full leaf", Counter.CNP_IGNORED, sends=True), ("mlx5",)),
    (unslowed("no notifications, and a full leaf", Counter.ECN_RECEIVED, sends=False), ("mlx5",)),
    (at_host("host sends again", "host-loss", {Counter.SEQUENCE_ERRORS: 12, Counter.OUT_OF_SEQUENCE: 9}), ("mlx5",)),
    (at_host("XID of a GPU", "gpu-errors", {Counter.XID: 1}), ("mlx5",)),
    (garbled("counter went back", cleared), SWITCHES),
    (garbled("64 bits began again", wrapped), SWITCHES),
    (garbled("started again between", restarted), SWITCHES),
    (garbled("second answer is older", older), SWITCHES),
    (garbled("clock was set between", stepped), SWITCHES),
    (garbled("clock apart", apart), SWITCHES),
    (garbled("half an answer", half), SWITCHES),
    (garbled("answer not understood", not_understood), SWITCHES),
    (garbled("value that is no number", no_number), SWITCHES),
)
REPEATS = 2


def every() -> Iterator[tuple[str, int, object]]:
    """(system, seed, what makes the fault)."""
    number = 0
    for make, systems in KINDS:
        for system in systems:
            for _ in range(REPEATS):
                number += 1
                yield system, number, make
