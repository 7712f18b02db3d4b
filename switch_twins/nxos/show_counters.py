"""show interface counters, show interface counters errors; what of a port's counters is played traffic.

Rows and their blocks of a few columns: tests/recorded/nxos_show/counters.txt.
"""

from __future__ import annotations

from ..counted import PortCounts, whole
from .interface_facts import Interface, facts
from .reply import Body, Reply, View, short_name, table
from .show_interfaces import counters

_BLOCKS = (("bytes", "ucast"), ("mcast", "bcast"))
_ERRORS = (
    ("align_err", "fcs_err", "xmit_err", "rcv_err", "undersize", "outdisc"),
    ("single_col", "multi_col", "late_col", "excess_col", "carri_sen", "runts"),
    ("giants", "deferred_tx", "inmactx_err", "inmacrx_err", "symbol_err"),
    ("indisc",),
)
_FROM_COUNTERS = {
    "rcv_err": "inerr",
    "outdisc": "outdiscard",
    "indisc": "indiscard",
    "fcs_err": "crc",
    "runts": "runts",
}
"""Columns of errors that ``show interface`` has by another word."""


def played(view: View, port: str) -> PortCounts:
    """What a port counted of played traffic."""
    return view.fabric.counted.shown(view.device.name, port)


def _ports(view: View) -> list[Interface]:
    return [each for each in facts(view) if each.kind in ("Ethernet", "port-channel") and "." not in each.name]


def traffic(view: View) -> Reply:
    """Show interface counters: what came in, then what went out."""
    body: Body = {}
    lines: list[str] = []
    for way, title in (("in", "rx"), ("out", "tx")):
        rows = []
        for kinds in _BLOCKS:
            names = [f"{way}{kind}" for kind in kinds]
            lines += ["", "-" * 70, f"Port{'':<20}" + "".join(f"{name:>22}" for name in names), "-" * 70]
            for each in _ports(view):
                counted = counters(each)
                rows.append({f"interface_{title}": each.name, **{f"eth_{name}": counted[name] for name in names}})
                lines.append(f"{short_name(each.name):<24}" + "".join(f"{counted[name]:>22}" for name in names))
        body |= table(f"{title}_counters", rows)
    return Reply("\n".join(lines) + "\n", body)


def errors(view: View) -> Reply:
    """Show interface counters errors."""
    rows, lines = [], []
    for names in _ERRORS:
        lines += ["", "-" * 80, f"{'Port':<14}" + "".join(f"{name:>11}" for name in names), "-" * 80]
        for each in _ports(view):
            found = {name: _errors(view, each, name) for name in names}
            rows.append({"interface": each.name, **{f"eth_{name}": value for name, value in found.items()}})
            lines.append(f"{short_name(each.name):<14}" + "".join(f"{value:>11}" for value in found.values()))
    return Reply("\n".join(lines) + "\n", table("interface", rows))


def _errors(view: View, port: Interface, column: str) -> int:
    if column == "symbol_err":
        return view.fabric.added("symbol-errors", view.device.name, port.name)
    word = _FROM_COUNTERS.get(column)
    return counters(port)[word] if word is not None else 0


def queue_entries(counts: PortCounts, queue: int, *, marks: bool) -> list[Body]:
    """The rows of one queue in ``show queuing interface``; ``marks``: it has ECN."""
    packets, size = counts.queue_packets[queue], counts.queue_bytes[queue]
    mean = size / packets if packets else 0.0
    kinds = [
        ("Tx", packets),
        ("WRED/AFD & Tail Drop", counts.dropped[queue]),
        *([("ECN", counts.marked[queue])] if marks else []),
    ]
    rows = []
    for kind, count in kinds:
        rows += [_entry(kind, "Pkts", count), _entry(kind, "Byts", count * mean)]
    return [*rows, _entry("Q Depth", "Byts", 0.0)]


def _entry(kind: str, units: str, value: float) -> Body:
    return {
        "eq-stat-type": kind,
        "eq-stat-units": units,
        "eq-uc-stat-value": str(whole(value)),
        "eq-oobfc-uc-stat-value": "0",
        "eq-mc-stat-value": "0",
    }
