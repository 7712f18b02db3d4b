"""A host's counters in the neutral shape, from its fact. Pure.

Names of drivers, units and what absence means: tests/corpus/counters/counters.tsv, system mlx5. Places are named as the
host names them: an interface, an RDMA device with its port (``mlx5_0/1``), a GPU's PCI address, ``GPU 0`` for NVLink.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nornir_tasks.checks.hosts.host_evidence import Request
from nornir_tasks.platforms.counted import Counter, Place, Reading
from nornir_tasks.platforms.counting import Tally, entries, seconds

FACT = "gpufabric_counters"

_OF_PRIORITY = {
    "rx_prio{}_pause": Counter.PFC_RX,
    "tx_prio{}_pause": Counter.PFC_TX,
    "rx_prio{}_pause_duration": Counter.PAUSE_RX_US,
    "tx_prio{}_pause_duration": Counter.PAUSE_TX_US,
    "tx_prio{}_packets": Counter.QUEUE_PACKETS,
}
_DROPPED = ("rx_prio{}_buf_discard", "rx_prio{}_discards")
"""For want of a buffer, of this host of a NIC and of the NIC."""
_OF_PORT = {
    "tx_discards_phy": Counter.QUEUE_DROPS,
    "tx_pause_storm_error_events": Counter.WATCHDOG,
    "rx_packets_phy": Counter.PACKETS_IN,
    "tx_packets_phy": Counter.PACKETS_OUT,
    "rx_bytes_phy": Counter.BYTES_IN,
    "tx_bytes_phy": Counter.BYTES_OUT,
    "rx_corrected_bits_phy": Counter.FEC_CORRECTED,
    "rx_pcs_symbol_err_phy": Counter.SYMBOL_ERRORS,
    "rx_crc_errors_phy": Counter.CRC_ERRORS,
    "link_down_events_phy": Counter.LINK_CHANGES,
}
_OF_DEVICE = {
    "np_cnp_sent": Counter.CNP_SENT,
    "rp_cnp_handled": Counter.CNP_HANDLED,
    "rp_cnp_ignored": Counter.CNP_IGNORED,
    "np_ecn_marked_roce_packets": Counter.ECN_RECEIVED,
    "out_of_sequence": Counter.OUT_OF_SEQUENCE,
    "packet_seq_err": Counter.SEQUENCE_ERRORS,
    "roce_adp_retrans": Counter.RETRANSMITS,
    "out_of_buffer": Counter.OUT_OF_BUFFER,
}
_BY_PRIORITY = re.compile(r"([rt]x_prio)([0-7])(_\w+)")

NOT_READ = {
    Counter.ECN_MARKED: "a NIC marks for its own hosts alone; what came in marked is ecn-marked-received",
    Counter.WATERMARK_BYTES: "the driver shows none",
    Counter.FEC_UNCORRECTED: "what FEC did not correct is among symbol-errors",
    Counter.RX_POWER_DBM: "ethtool -m prints otherwise by kind of module",
    Counter.TX_POWER_DBM: "ethtool -m prints otherwise by kind of module",
    Counter.TEMPERATURE_C: "ethtool -m prints otherwise by kind of module",
}
"""What no host shows."""
_SOURCES = {
    "ethtool": frozenset((*_OF_PRIORITY.values(), *_OF_PORT.values(), Counter.INPUT_DROPS)),
    "hw_counters": frozenset(_OF_DEVICE.values()),
    "xids": frozenset({Counter.XID}),
    "nvlink": frozenset({Counter.NVLINK_ERRORS}),
}
"""First word of a key of the fact's ``not_read`` -> what is lost with it."""


def request(rails: Sequence[str]) -> Request:
    """The fact of these interfaces."""
    return Request(FACT, "gpufabric.host.counter_facts", {"rails": list(rails)})


def reading(host: str, fact: object, read_at_s: float, clock_s: float | None = None) -> Reading:
    """One host at one time; ``clock_s``: by the host's own clock, where Ansible has it."""
    tally = Tally()
    tally.request = FACT
    tally.reading = frozenset().union(*_SOURCES.values())
    found = tally.below(fact)
    tally.reading = _SOURCES["ethtool"]
    _interfaces(tally, found)
    tally.reading = _SOURCES["hw_counters"]
    _devices(tally, found)
    tally.reading = _SOURCES["xids"] | _SOURCES["nvlink"]
    _gpus(tally, found)
    return Reading(
        device=host,
        read_at_s=read_at_s,
        clock_s=clock_s,
        uptime_s=seconds(found.get("uptime_s")),
        values=dict(tally.values),
        not_read=NOT_READ | dict(_not_read(found, frozenset(tally.values))),
        problems=tally.problems,
        doubtful=frozenset(tally.doubtful),
    )


def _not_read(found: Mapping[str, Any], there: frozenset[Counter]) -> Iterator[tuple[Counter, str]]:
    """What the host did not tell; a counter that another of its rails has is read."""
    missing = found.get("not_read")
    for what, why in missing.items() if isinstance(missing, dict) else ():
        for counter in _SOURCES.get(str(what).split(" ", 1)[0], frozenset()) - there:
            yield counter, f"{what}: {why}"


def _interfaces(tally: Tally, found: Mapping[str, Any]) -> None:
    for port, counts in entries(tally.below(found, "interfaces")):
        where = f"interfaces.{port}"
        for name, value in counts.items():
            if counter := _OF_PORT.get(name):
                tally.take(counter, Place(port), value, f"{where}.{name}")
            elif (row := _BY_PRIORITY.fullmatch(name)) and (counter := _OF_PRIORITY.get(f"{row[1]}{{}}{row[3]}")):
                tally.take(counter, Place(port, int(row[2])), value, f"{where}.{name}")
        for priority in range(8):
            keys = tuple(each.format(priority) for each in _DROPPED)
            if there := tuple(key for key in keys if key in counts):  # either depends on the NIC
                tally.total(Counter.INPUT_DROPS, Place(port, priority), counts, there, where)


def _devices(tally: Tally, found: Mapping[str, Any]) -> None:
    for port, counts in entries(tally.below(found, "devices")):
        for name in _OF_DEVICE.keys() & counts.keys():
            tally.take(_OF_DEVICE[name], Place(port), counts[name], f"devices.{port}.{name}")


def _gpus(tally: Tally, found: Mapping[str, Any]) -> None:
    for gpu, xids in entries(tally.below(found, "xids")):
        tally.total(Counter.XID, Place(gpu), xids, tuple(xids), f"xids.{gpu}")
    for gpu, links in entries(tally.below(found, "nvlink")):
        for link, errors in entries(links):
            if link.isdecimal():
                place = Place(f"GPU {gpu}", int(link))
                tally.total(Counter.NVLINK_ERRORS, place, errors, tuple(errors), f"nvlink.{gpu}.{link}")
