"""What the ports of a switch with Cumulus Linux have counted, and what their optics say.

Keys: tests/recorded/nvue_show/counters.txt. Switches of the lab are of releases that have all of them (5.11 and later).
"""

from __future__ import annotations

from ..counted import CLASSES, PortCounts, whole
from ..fabric import FabricSim
from ..optics import Optic, optics
from ..state import InterfaceState
from .tree import Tree

_BINS = 16
_DARK_DBM = -30.0
_HOT_C, _COLD_C = 80.0, -10.0
_RX_DBM, _TX_DBM = (5.40, -13.31), (5.40, -11.40)
"""Alarms, high and low, of the recorded module: the lab does not know its optics' own."""


def of_queues(counts: PortCounts) -> Tree:
    """``counters/qos`` of a port."""
    egress, ingress, pfc = {}, {}, {}
    for n in range(CLASSES):
        egress[str(n)] = {
            "tx-frames": whole(counts.queue_packets[n]),
            "tx-bytes": whole(counts.queue_bytes[n]),
            "tx-uc-buffer-discards": whole(counts.dropped[n]),
            "wred-discards": 0,
            "ecn-marked-frames": whole(counts.marked[n]),
        }
        discards = whole(counts.input_drops[n])
        ingress[str(n)] = {
            "rx-frames": whole(counts.packets_of[n]),
            "rx-buffer-discards": discards,
            "rx-shared-buffer-discards": 0,
        }
        pfc[str(n)] = {
            "rx-pause-frames": whole(counts.pfc_rx[n]),
            "rx-pause-duration": whole(counts.paused_rx_s[n] * 1e6),
            "tx-pause-frames": whole(counts.pfc_tx[n]),
            "tx-pause-duration": whole(counts.paused_tx_s[n] * 1e6),
        }
    sent = {"ecn-marked-packets": whole(sum(counts.marked)), "mc-buffer-discards": 0, "pause-frames": 0}
    port = {"rx-stats": {"pause-frames": 0}, "tx-stats": sent}
    return {"egress-queue-stats": egress, "ingress-buffer-stats": ingress, "pfc-stats": pfc, "port-stats": port}


def of_roce(counts: PortCounts, lossless: list[int]) -> Tree:
    """``qos/roce/counters`` of a port: over the classes of RoCE."""

    def total(each: list[float], factor: float = 1.0) -> int:
        return whole(sum(each[n] for n in lossless) * factor)

    received = {
        "buffer-max-usage": 0,
        "buffer-usage": 0,
        "no-buffer-discard": total(counts.input_drops),
        "pg-max-usage": 0,
        "pg-usage": 0,
        "roce-bytes": 0,
        "roce-packets": total(counts.packets_of),
    }
    peak = whole(max((counts.watermark_bytes[n] for n in lossless), default=0.0))
    sent = {
        "buffer-max-usage": peak,
        "buffer-usage": 0,
        "roce-bytes": total(counts.queue_bytes),
        "roce-packets": total(counts.queue_packets),
        "tc-max-usage": peak,
        "tc-usage": 0,
        "unicast-no-buffer-discard": total(counts.dropped),
    }
    rx = {"pause-duration": total(counts.paused_rx_s, 1e6), "pause-packets": total(counts.pfc_rx)}
    tx = {"pause-duration": total(counts.paused_tx_s, 1e6), "pause-packets": total(counts.pfc_tx)}
    marked = {"ecn-marked-packets": total(counts.marked)}
    return {
        "rx-stats": {"rx-pfc-stats": rx, "rx-roce-stats": received},
        "tx-stats": {"tx-ecn-stats": marked, "tx-pfc-stats": tx, "tx-roce-stats": sent},
    }


def of_link(fabric: FabricSim, device: str, port: str) -> Tree:
    """``link/stats`` of a port."""
    counts = fabric.counted.shown(device, port)
    return {
        "carrier-transitions": fabric.link_changes(device, port)[0],
        "in-bytes": whole(counts.bytes_in),
        "in-drops": whole(sum(counts.input_drops)),
        "in-errors": fabric.added("crc-errors", device, port),
        "in-pkts": whole(counts.packets_in),
        "out-bytes": whole(counts.bytes_out),
        "out-drops": whole(sum(counts.dropped)),
        "out-errors": 0,
        "out-pkts": whole(counts.packets_out),
    }


def of_phy(fabric: FabricSim, device: str, interface: InterfaceState) -> Tree:
    """``link/phy-detail`` of a port; FEC's bins where it has RS-FEC."""
    name, counts = interface.name, fabric.counted.shown(device, interface.name)
    errors = {"symbol-errors": "symbol-errors", "effective-errors": "fec-uncorrected"}
    found: Tree = {
        "phy-received-bits": whole(counts.bytes_in * 8),
        **{key: fabric.added(kind, device, name) for key, kind in errors.items()},
    }
    if interface.fec in ("rs", "rs-cons16"):
        bins = [0, fabric.added("fec-corrected", device, name), *[0] * (_BINS - 2)]
        found |= {f"rs-num-corr-err-bin{number}": value for number, value in enumerate(bins)}
    return found


def with_events(watchdog: Tree, counts: PortCounts) -> Tree:
    """``qos/pfc-watchdog`` of a port with what its watchdog found."""
    if "status" not in watchdog:
        return watchdog
    status = {}
    for n in range(CLASSES):
        events, ended = whole(counts.watchdog[n]), whole(counts.recovered[n])
        status[str(n)] = {"status": "DEADLOCK" if events > ended else "OK", "deadlock-count": events}
    return {**watchdog, "status": status}


def transceivers(fabric: FabricSim, device: str) -> Tree:
    """``platform/transceiver``: of each port with a cable."""
    return {each.port: _transceiver(each) for each in optics(fabric, device) if each.port.startswith("swp")}


def _transceiver(optic: Optic) -> Tree:
    channel = {"rx-power": _power(optic.rx_dbm, _RX_DBM), "tx-power": _power(optic.tx_dbm, _TX_DBM)}
    heat = {
        "temperature": f"{optic.temperature_c:.2f} C",
        "high-alarm-threshold": f"{_HOT_C:.2f} C",
        "low-alarm-threshold": f"{_COLD_C:.2f} C",
        "alarm": "Off" if _COLD_C <= optic.temperature_c <= _HOT_C else "On",
    }
    return {
        "cable-type": "Active cable",
        "diagnostics-status": "Diagnostic Data Available",
        "status": "plugged_enabled",
        "identifier": "QSFP28",
        "temperature": heat,
        "channel": {"channel-1": channel},
    }


def _power(dbm: float, alarms: tuple[float, float]) -> Tree:
    high, low = alarms
    is_dark = dbm <= _DARK_DBM
    power_mw = 0.0 if is_dark else 10 ** (dbm / 10)
    return {
        "power": f"{power_mw:.4f} mW / {'-inf' if is_dark else f'{dbm:.2f}'} dBm",
        "high-alarm-threshold": f"{high:.2f} dBm",
        "low-alarm-threshold": f"{low:.2f} dBm",
        "alarm": "Off" if low <= dbm <= high else "On",
    }
