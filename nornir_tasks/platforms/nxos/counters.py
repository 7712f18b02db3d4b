"""NX-OS' counters in the neutral shape. Pure.

Sources, units and what absence means: tests/corpus/counters/counters.tsv. Ports are the Ethernet ones; port channels
are their members, and no source says how a switch adds them up.
"""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.counted import Counter, Place
from nornir_tasks.platforms.counting import HOSTS_ALONE, NUMBERS, Counting, Moment, Source, Tally
from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import Answers, Request

VERSION = Request("show version")
CLOCK = Request("show clock")
TRAFFIC = Request("show interface counters")
ERRORS = Request("show interface counters errors")
QUEUING = Request("show queuing interface")
WATCHDOG = Request("show queuing pfc-queue detail")
OPTICS = Request("show interface transceiver details")

Row = dict[str, Any]

_PACKETS = ("{}ucast", "{}mcast", "{}bcast")
_WAYS = {
    "rx": ("eth_in", Counter.PACKETS_IN, Counter.BYTES_IN),
    "tx": ("eth_out", Counter.PACKETS_OUT, Counter.BYTES_OUT),
}
_ERRORS = {
    Counter.CRC_ERRORS: "eth_fcs_err",
    Counter.SYMBOL_ERRORS: "eth_symbol_err",
    Counter.INPUT_DROPS: "eth_indisc",
}
_QUEUE = {
    "Tx": Counter.QUEUE_PACKETS,
    "WRED/AFD & Tail Drop": Counter.QUEUE_DROPS,
    "Dropped": Counter.QUEUE_DROPS,
    "ECN": Counter.ECN_MARKED,
}
"""Kinds of the rows of a queue; ASICs differ in what they have of them."""
_PAUSES = {Counter.PFC_RX: "rx-pause-count", Counter.PFC_TX: "tx-pause-count"}
_OPTICS = {Counter.RX_POWER_DBM: "rx_pwr", Counter.TX_POWER_DBM: "tx_pwr", Counter.TEMPERATURE_C: "temperature"}
_UPTIME = (("kern_uptm_days", 86400), ("kern_uptm_hrs", 3600), ("kern_uptm_mins", 60), ("kern_uptm_secs", 1))
_OF_NOBODY = re.compile(r"[*.]")
"""Before the time of a clock that follows no server."""


def _table(tally: Tally, body: object, name: str) -> list[Row]:
    """The rows of a table, which must be there."""
    if not isinstance(body, dict) or f"TABLE_{name}" not in body:
        tally.unlike("the answer", f"TABLE_{name}", list(body) if isinstance(body, dict) else body)
        return []
    return list(rows(body, name))


def _by_port(found: list[Row], key: str) -> Iterator[tuple[str, Row]]:
    """Rows of Ethernet ports, those of one port together: NX-OS prints them in blocks of a few columns."""
    ports: dict[str, Row] = defaultdict(dict)
    for row in found:
        if (port := str(row.get(key, ""))).startswith("Ethernet"):
            ports[port] |= row
    yield from ports.items()


def _traffic(tally: Tally, body: Any) -> None:  # noqa: ANN401 - an API answer
    for way, (prefix, packets, octets) in _WAYS.items():
        name = f"{way}_counters"
        for port, row in _by_port(_table(tally, body, name), f"interface_{way}"):
            where = f"TABLE_{name}[{port}]"
            tally.total(packets, Place(port), row, tuple(each.format(prefix) for each in _PACKETS), where)
            tally.total(octets, Place(port), row, (f"{prefix}bytes",), where)


def _errors(tally: Tally, body: Any) -> None:  # noqa: ANN401 - an API answer
    for port, row in _by_port(_table(tally, body, "interface"), "interface"):
        for counter, key in _ERRORS.items():
            tally.total(counter, Place(port), row, (key,), f"TABLE_interface[{port}]")


def _interfaces(tally: Tally, body: Any) -> list[tuple[str, Row]]:  # noqa: ANN401 - an API answer
    """Rows of ports, below each module where the answer has modules."""
    parts = list(rows(body, "module")) or [body]
    found = [row for part in parts for row in _table(tally, part, "queuing_interface")]
    return [(port, row) for row in found if (port := str(row.get("if_name_str", ""))).startswith("Ethernet")]


def _queuing(tally: Tally, body: Any) -> None:  # noqa: ANN401 - an API answer
    for port, row in _interfaces(tally, body):
        for group in rows(row, "qosgrp_egress_stats"):
            _queue(tally, port, group)
        for pause in rows(row, "pfc_stats"):
            where = f"TABLE_queuing_interface[{port}].TABLE_pfc_stats[{pause.get('cos')}]"
            if (cos := _number(pause.get("cos"))) is None:
                tally.unlike(f"{where}.cos", "a number from 0 to 7", pause.get("cos"))
                continue
            tally.row(Place(port, cos), pause, _PAUSES, f"{where}.")


def _queue(tally: Tally, port: str, group: Row) -> None:
    """One queue; those of the supervisor and of mirrors have names in place of numbers."""
    queue = _number(group.get("eq-qosgrp"))
    if queue is None:
        return
    for row in rows(group, "qosgrp_egress_stats_entry"):
        counter = _QUEUE.get(str(row.get("eq-stat-type", "")))
        if counter is not None and row.get("eq-stat-units") == "Pkts":
            where = f"TABLE_queuing_interface[{port}].TABLE_qosgrp_egress_stats[{queue}].{row['eq-stat-type']}"
            tally.take(counter, Place(port, queue), row.get("eq-uc-stat-value"), where)


def _number(value: object) -> int | None:
    return NUMBERS.get(str(value))


def _watchdog(tally: Tally, body: Any) -> None:  # noqa: ANN401 - an API answer
    for port, row in _interfaces(tally, body):
        for group in rows(row, "qosgrp_stats"):
            queue = _number(group.get("eq-qosgrp"))
            where = f"TABLE_queuing_interface[{port}].TABLE_qosgrp_stats[{group.get('eq-qosgrp')}].q-shutdown"
            for entry in rows(group, "qosgrp_stats_entry"):
                if queue is not None and "q-shutdown" in entry:
                    tally.take(Counter.WATCHDOG, Place(port, queue), entry["q-shutdown"], where)


def _optics(tally: Tally, body: Any) -> None:  # noqa: ANN401 - an API answer
    """Ports without a module, and modules without diagnostics, have no lanes."""
    for row in _table(tally, body, "interface"):
        port = str(row.get("interface", ""))
        for lane in rows(row, "lane"):
            number = str(lane.get("lane_number", ""))
            for counter, key in _OPTICS.items():
                if key in lane:
                    place = Place(port, int(number) if number.isdecimal() else None)
                    tally.take(counter, place, lane[key], f"TABLE_interface[{port}].TABLE_lane[{number}].{key}")


def _moment(answers: Answers) -> Moment:
    version, clock = (answers.get(each.what) for each in (VERSION, CLOCK))
    uptime_s = None
    if isinstance(version, dict) and all(str(version.get(key, "")).isdecimal() for key, _ in _UPTIME):
        uptime_s = float(sum(int(version[key]) * seconds for key, seconds in _UPTIME))
    shown = str(clock.get("simple_time", "")) if isinstance(clock, dict) else ""
    return _clock_s(_OF_NOBODY.sub("", shown[:1]) + shown[1:]), uptime_s


def _clock_s(shown: str) -> float | None:
    """Only of a clock in UTC: a zone's name alone does not say how far it is from it."""
    try:
        return dt.datetime.strptime(shown.replace(" UTC ", " +0000 "), "%H:%M:%S.%f %z %a %b %d %Y").timestamp()
    except ValueError:
        return None


_FRAMES_ONLY = "NX-OS publishes pause frames, and no time"
_NO_FEC_COUNTS = "show interface fec has modes alone; no source shows counts"

COUNTING = Counting(
    sources=(
        Source(TRAFFIC, frozenset(each for _, *both in _WAYS.values() for each in both), _traffic),
        Source(ERRORS, frozenset(_ERRORS), _errors),
        Source(QUEUING, frozenset((*_QUEUE.values(), *_PAUSES)), _queuing),
        Source(WATCHDOG, frozenset({Counter.WATCHDOG}), _watchdog),
        Source(OPTICS, frozenset(_OPTICS), _optics),
    ),
    not_read={
        Counter.PAUSE_RX_US: _FRAMES_ONLY,
        Counter.PAUSE_TX_US: _FRAMES_ONLY,
        Counter.WATERMARK_BYTES: "show queuing interface has the depth of now, not the highest",
        Counter.FEC_CORRECTED: _NO_FEC_COUNTS,
        Counter.FEC_UNCORRECTED: _NO_FEC_COUNTS,
        Counter.LINK_CHANGES: "show interface has the time of the last flap, and no count of them",
        **HOSTS_ALONE,
    },
    clock=(VERSION, CLOCK),
    moment=_moment,
)
