"""EOS's counters in the neutral shape. Pure.

Sources, units and what absence means: tests/corpus/counters/counters.tsv. The answers are those of eAPI's version
``latest``, which is what ANTA asks for and what ``| json`` prints. Ports are the Ethernet ones, not groups of them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.counting import HOSTS_ALONE, Counting, Moment, Source, Tally, entries, placed, seconds
from nornir_tasks.platforms.observed import Answers, Form, Request

VERSION = Request("show version")
INTERFACES = Request("show interfaces")
PFC = Request("show priority-flow-control counters detail")
WATCHDOG = Request("show priority-flow-control counters watchdog")
ECN = Request("show qos interfaces ecn counters queue")
PHY = Request("show interfaces phy detail")
OPTICS = Request("show interfaces transceiver dom thresholds")
QUEUE_ROWS = Request("show interfaces counters queue detail", Form.TEXT)

MARK_COUNTERS = "mark-counters"
"""Entry of DeviceConfig.services by which Jericho has counters for marks."""
COUNTERS_OF_MARKS = "hardware counter feature ecn out"
"""Its line."""

_NOT_COUNTED = "-"
"""Of a queue for which nothing counts marks: it lacks ``random-detect ecn count``, or the ASIC its feature."""
_QUEUE_ROW = re.compile(r"(?:Ethernet|Et)(\d\S*)\s+UC(\d)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)")
_ANY_ROW = re.compile(r"(?:Ethernet|Et)\d\S*\s+\S")
_OTHER_QUEUE = re.compile(r"\S+\s+MC\d\s.*")

_TOTALS = {
    Counter.PACKETS_IN: ("inUcastPkts", "inMulticastPkts", "inBroadcastPkts"),
    Counter.PACKETS_OUT: ("outUcastPkts", "outMulticastPkts", "outBroadcastPkts"),
}
_SINGLE = {
    Counter.BYTES_IN: "inOctets",
    Counter.BYTES_OUT: "outOctets",
    Counter.INPUT_DROPS: "inDiscards",
    Counter.LINK_CHANGES: "linkStatusChanges",
}
_PFC_FRAMES = {Counter.PFC_RX: "rxFrames", Counter.PFC_TX: "txFrames"}
_STUCK = {Counter.WATCHDOG: "stuckCount"}
_ERRORS = {Counter.CRC_ERRORS: "fcsErrors", Counter.SYMBOL_ERRORS: "symbolErrors"}
_FEC = {Counter.FEC_CORRECTED: "correctedCodewords", Counter.FEC_UNCORRECTED: "uncorrectedCodewords"}
_POWERS = {Counter.RX_POWER_DBM: "rxPower", Counter.TX_POWER_DBM: "txPower"}


def _ports(node: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((name, row) for name, row in entries(node) if name.startswith("Ethernet"))


def _interfaces(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """Ports without hardware have no counters; a port that has some has all of them."""
    for port, shown in _ports(tally.below(answer, "interfaces")):
        if "interfaceCounters" not in shown:
            continue
        where = f"interfaces.{port}.interfaceCounters"
        counters = shown["interfaceCounters"]
        if not isinstance(counters, dict):
            tally.unlike(where, "a table", counters)
            continue
        place = placed(port)
        tally.row(place, counters, _SINGLE, f"{where}.")
        for counter, keys in _TOTALS.items():
            tally.total(counter, place, counters, keys, where)
        errors = counters.get("inputErrorsDetail")
        if not isinstance(errors, dict):
            tally.unlike(f"{where}.inputErrorsDetail", "a table", errors)
            continue
        tally.row(place, errors, _ERRORS, f"{where}.inputErrorsDetail.")


def _pfc(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    for port, shown in _ports(tally.below(answer, "interfaces")):
        tally.table(port, shown.get("priorities"), _PFC_FRAMES, (f"interfaces.{port}.priorities", "."))


def _watchdog(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """A port is left out until its first event: ``zero_beside`` fills in the others."""
    for port, shown in _ports(tally.below(answer, "interfaces")):
        tally.table(port, shown.get("txQueues"), _STUCK, (f"interfaces.{port}.txQueues", "."))


def _marks(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    for port, shown in _ports(tally.below(answer, "intfQueueCounters")):
        where = f"intfQueueCounters.{port}.queueCounters"
        counters = shown.get("queueCounters")
        if not isinstance(counters, dict):
            tally.unlike(where, "a table by queue", counters)
            continue
        for queue, value in counters.items():
            if not queue.isdecimal():
                tally.unlike(f"{where}.{queue}", "the number of a queue", queue)
            elif value != _NOT_COUNTED:
                tally.take(Counter.ECN_MARKED, placed(port, int(queue)), value, f"{where}.{queue}")


def _phy(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """A port has several PHYs, and each corrects what comes in at its side: the port's count is their sum."""
    for port, shown in _ports(tally.below(answer, "interfacePhyStatuses")):
        where = f"interfacePhyStatuses.{port}.phyStatuses"
        statuses = shown.get("phyStatuses")
        if not isinstance(statuses, list):
            tally.unlike(where, "a list", statuses)
            continue
        counted = [each["fec"] for each in statuses if isinstance(each, dict) and isinstance(each.get("fec"), dict)]
        for counter, key in _FEC.items():
            rows = [fec[key] for fec in counted if isinstance(fec.get(key), dict)]
            row = {str(number): each.get("value") for number, each in enumerate(rows)}
            if row:
                tally.total(counter, placed(port), row, tuple(row), f"{where}[].fec.{key}.value")


def _optics(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """A port without a module, or whose module has no diagnostics, has no parameters."""
    for port, shown in _ports(tally.below(answer, "interfaces")):
        for name, shown_part in entries(shown.get("parameters")):
            for channel, value in (shown_part.get("channels") or {}).items():
                lane = int(channel) if channel.isdecimal() else None
                where = f"interfaces.{port}.parameters.{name}.channels.{channel}"
                if name == "temperature":
                    tally.take(Counter.TEMPERATURE_C, placed(port, lane), value, where)
                for counter in (each for each, key in _POWERS.items() if key == name):
                    tally.take(counter, placed(port, lane), value, where)


def _queues(tally: Tally, answer: Any) -> None:  # noqa: ANN401 - an API answer
    """Rows of unicast queues: port, queue, packets, bytes, dropped packets, dropped bytes."""
    seen = False
    for number, line in enumerate(str(answer).splitlines(), start=1):
        text = line.strip()
        if row := _QUEUE_ROW.fullmatch(text):
            seen = True
            place = placed(f"Ethernet{row[1]}", int(row[2]))
            tally.take(Counter.QUEUE_PACKETS, place, int(row[3]), f"line {number}")
            tally.take(Counter.QUEUE_DROPS, place, int(row[5]), f"line {number}")
        elif _ANY_ROW.match(text) and not _OTHER_QUEUE.fullmatch(text):
            tally.unlike(f"line {number}", "port, queue and four numbers", text)
    if not seen:
        tally.unlike("the table", "rows of ports and queues UC0 to UC7", str(answer).strip() or None)


def _moment(answers: Answers) -> Moment:
    version = answers.get(VERSION.what)
    version = version if isinstance(version, dict) else {}
    uptime_s, booted_s = seconds(version.get("uptime")), seconds(version.get("bootupTimestamp"))
    return None if uptime_s is None or booted_s is None else booted_s + uptime_s, uptime_s


_FRAMES_ONLY = "EOS publishes pause frames, and no time"

COUNTING = Counting(
    sources=(
        Source(INTERFACES, frozenset((*_TOTALS, *_SINGLE, *_ERRORS)), _interfaces),
        Source(PFC, frozenset({Counter.PFC_RX, Counter.PFC_TX}), _pfc),
        Source(WATCHDOG, frozenset({Counter.WATCHDOG}), _watchdog),
        Source(ECN, frozenset({Counter.ECN_MARKED}), _marks),
        Source(PHY, frozenset(_FEC), _phy),
        Source(OPTICS, frozenset((*_POWERS, Counter.TEMPERATURE_C)), _optics),
        Source(QUEUE_ROWS, frozenset({Counter.QUEUE_PACKETS, Counter.QUEUE_DROPS}), _queues),
    ),
    not_read={
        Counter.PAUSE_RX_US: _FRAMES_ONLY,
        Counter.PAUSE_TX_US: _FRAMES_ONLY,
        Counter.WATERMARK_BYTES: "no published shape of what LANZ (show queue-monitor length) keeps",
        **HOSTS_ALONE,
    },
    clock=(VERSION,),
    moment=_moment,
    zero_beside={Counter.WATCHDOG: Counter.PFC_RX},
)
