"""Cumulus Linux' counters in the neutral shape. Pure.

Sources, units and what absence means: tests/corpus/counters/counters.tsv. One request asks for the parts of all ports.
The manual has them port by port alone (``nv show interface <port> counters qos``), so what that answer lacks of ports
that are up is asked for alone (``lacking``) and put into it: the reader knows one shape.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.counting import (
    ALL,
    HOSTS_ALONE,
    NUMBERS,
    Counting,
    Moment,
    Source,
    Tally,
    entries,
    placed,
    seconds,
)
from nornir_tasks.platforms.nvue.reading import look
from nornir_tasks.platforms.observed import Answers, Request

PORTS = "interface"
OPTICS = Request("platform/transceiver")
_SYSTEM = "system"
CLOCK = (Request(_SYSTEM, parts=("/uptime", "/date-time", "/time")),)

Path = tuple[str, ...]
QOS = ("counters", "qos")
WATCHDOG = ("qos", "pfc-watchdog")
ROCE = ("qos", "roce", "counters")
STATS = ("link", "stats")
PHY = ("link", "phy-detail")
PARTS = (QOS, WATCHDOG, ROCE, STATS, PHY)
"""Paths below a port, each a resource of its own."""
OF_SWITCH = frozenset({ROCE})
"""Those that a setting of the whole switch makes: ``qos roce``."""

_PFC = {
    Counter.PFC_RX: "rx-pause-frames",
    Counter.PFC_TX: "tx-pause-frames",
    Counter.PAUSE_RX_US: "rx-pause-duration",
    Counter.PAUSE_TX_US: "tx-pause-duration",
}
_TABLES = {
    "pfc-stats": _PFC,
    "ingress-buffer-stats": {Counter.INPUT_DROPS: "rx-buffer-discards"},
    "egress-queue-stats": {Counter.QUEUE_PACKETS: "tx-frames"},
}
_DEADLOCKS = {Counter.WATCHDOG: "deadlock-count"}
_LINK = {
    Counter.PACKETS_IN: "in-pkts",
    Counter.PACKETS_OUT: "out-pkts",
    Counter.BYTES_IN: "in-bytes",
    Counter.BYTES_OUT: "out-bytes",
    Counter.LINK_CHANGES: "carrier-transitions",
}
_PHY = {Counter.SYMBOL_ERRORS: "symbol-errors", Counter.FEC_UNCORRECTED: "effective-errors"}
_CORRECTED = tuple(f"rs-num-corr-err-bin{symbols}" for symbols in range(1, 16))
"""Codewords by how many symbols of them were corrected; bin 0 had no mistake."""
_QUEUE_DROPS = ("tx-uc-buffer-discards", "wred-discards")
_POWERS = {Counter.RX_POWER_DBM: "rx-power", Counter.TX_POWER_DBM: "tx-power"}
_DBM = re.compile(r".*?(-?(?:\d+(?:\.\d+)?|inf)) dBm")
_CELSIUS = re.compile(r"(-?\d+(?:\.\d+)?) (?:degrees )?C\b.*")
_LANE = re.compile(r"channel-(\d+)")


def _ports(tally: Tally, answer: object, part: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Front-panel ports with this part; a port that is up and lacks it is a problem, and one that is no table."""
    known = {name: port for name, port in tally.below(answer).items() if name.startswith("swp")}
    ports = {name: port for name, port in known.items() if isinstance(port, dict)}
    if not ports:
        tally.unlike("the answer", "ports swp1 and on", list(answer) if isinstance(answer, dict) else answer)
    elif lost := known.keys() - ports.keys():
        first = min(lost)
        tally.unlike(first, f"counters of {len(known)} ports, of which {len(ports)} are read", known[first])
    for name, port in ports.items():
        found = look(port, *part)
        if isinstance(found, dict) and found:
            yield name, found
        elif found not in (None, {}):
            tally.unlike("/".join((name, *part)), "a table", found)
        elif _is_up(port):
            tally.unlike("/".join((name, *part)), "a table, for the port is up", None)


def _is_up(port: dict[str, Any]) -> bool:
    return bool(look(port, "link", "oper-status") == "up")


def lacking(answer: dict[str, Any], wanted: Collection[Counter] = ALL) -> dict[str, tuple[Path, ...]]:
    """What the answer for all ports lacks of ports that are up: port -> paths below it, to be asked for alone."""
    parts = [path for path, source in _OF_PORTS.items() if not source.counters.isdisjoint(wanted)]
    up = ((name, port) for name, port in entries(answer) if name.startswith("swp") and _is_up(port))
    found = {name: tuple(path for path in parts if not look(port, *path)) for name, port in up}
    return {name: paths for name, paths in found.items() if paths}


def put(answer: dict[str, Any], port: str, path: Path, found: dict[str, Any]) -> None:
    """Put what was asked for alone in the place that it has in the answer for all ports."""
    node = answer[port]
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = found


def _qos(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    for port, shown in _ports(tally, answer, QOS):
        where = "/".join((port, *QOS))
        for table, keys in _TABLES.items():
            tally.table(port, shown.get(table), keys, (f"{where}/{table}", "/"))
        _queues(tally, port, shown, where)


def _queues(tally: Tally, port: str, shown: dict[str, Any], where: str) -> None:
    """Drops; marks by queue are there in releases whose first one no page names, before them the port's alone."""
    by_queue = False
    for name, row in entries(shown.get("egress-queue-stats")):
        if name not in NUMBERS:
            continue
        place, at = placed(port, NUMBERS[name]), f"{where}/egress-queue-stats/{name}"
        tally.total(Counter.QUEUE_DROPS, place, row, _QUEUE_DROPS, at)
        if "ecn-marked-frames" in row:
            by_queue = True
            tally.take(Counter.ECN_MARKED, place, row["ecn-marked-frames"], f"{at}/ecn-marked-frames")
    if not by_queue:
        marked = look(shown, "port-stats", "tx-stats", "ecn-marked-packets")
        tally.take(Counter.ECN_MARKED, placed(port), marked, f"{where}/port-stats/tx-stats/ecn-marked-packets")


def _watchdog(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """Only a port that is watched has a status."""
    for port, shown in _ports(tally, answer, WATCHDOG):
        if "status" in shown:
            tally.table(port, shown["status"], _DEADLOCKS, ("/".join((port, *WATCHDOG, "status")), "/"))


def _watermark(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """Of the RoCE queue; a switch without ``qos roce`` has none."""
    path = ("tx-stats", "tx-roce-stats", "tc-max-usage")
    for port, shown in entries(tally.below(answer)):
        found = look(shown, *ROCE)
        if port.startswith("swp") and found:
            tally.take(Counter.WATERMARK_BYTES, placed(port), look(found, *path), "/".join((port, *ROCE, *path)))


def _stats(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    for port, shown in _ports(tally, answer, STATS):
        tally.row(placed(port), shown, _LINK, "/".join((port, *STATS, "")))


def _phy(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    for port, shown in _ports(tally, answer, PHY):
        where = "/".join((port, *PHY))
        tally.row(placed(port), shown, _PHY, f"{where}/")
        if any(key in shown for key in _CORRECTED):  # of RS-FEC alone
            tally.total(Counter.FEC_CORRECTED, placed(port), shown, _CORRECTED, where)


def _optics(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """A module without diagnostics has neither temperature nor channels."""
    for port, shown in entries(tally.below(answer)):
        if (warm := look(shown, "temperature", "temperature")) is not None:
            found = _CELSIUS.fullmatch(str(warm))
            value = found[1] if found else warm
            tally.take(Counter.TEMPERATURE_C, placed(port), value, f"{port}/temperature/temperature")
        for name, channel in entries(shown.get("channel")):
            lane = _LANE.fullmatch(name)
            for counter, key in _POWERS.items():
                power = look(channel, key, "power")
                if lane is None or power is None:
                    tally.unlike(f"{port}/channel/{name}/{key}/power", "a power in dBm of channel-1 and on", power)
                    continue
                found = _DBM.fullmatch(str(power))
                value = found[1] if found else power
                tally.take(counter, placed(port, int(lane[1])), value, f"{port}/channel/{name}/{key}/power")


def _moment(answers: Answers) -> Moment:
    """``uptime`` is a number of seconds; the clock's key is ``time`` until 5.14."""
    system = answers.get(_SYSTEM)
    if not isinstance(system, dict):
        return None, None
    uptime_s, clock = system.get("uptime"), system.get("date-time") or system.get("time")
    clock_s = clock.get("unix-time") if isinstance(clock, dict) else None
    return seconds(clock_s), seconds(uptime_s)


def _with_state(path: tuple[str, ...]) -> Request:
    """Whether a port is up is asked for with every part."""
    return Request(PORTS, parts=("/*/link/oper-status", f"/*/{'/'.join(path)}"))


_OF_PORTS = {
    QOS: Source(
        _with_state(QOS),
        frozenset((*_PFC, Counter.INPUT_DROPS, Counter.QUEUE_PACKETS, Counter.QUEUE_DROPS, Counter.ECN_MARKED)),
        _qos,
    ),
    WATCHDOG: Source(_with_state(WATCHDOG), frozenset({Counter.WATCHDOG}), _watchdog),
    ROCE: Source(_with_state(ROCE), frozenset({Counter.WATERMARK_BYTES}), _watermark),
    STATS: Source(_with_state(STATS), frozenset(_LINK), _stats),
    PHY: Source(_with_state(PHY), frozenset((*_PHY, Counter.FEC_CORRECTED)), _phy),
}

COUNTING = Counting(
    sources=(*_OF_PORTS.values(), Source(OPTICS, frozenset((*_POWERS, Counter.TEMPERATURE_C)), _optics)),
    not_read={
        Counter.CRC_ERRORS: "nv show interface <port> counters errors is published as a table alone, not as JSON",
        **HOSTS_ALONE,
    },
    clock=CLOCK,
    moment=_moment,
)
