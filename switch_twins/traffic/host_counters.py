"""What the NICs of hosts have counted, by the names of mlx5's driver.

Names: Linux, Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst and
drivers/infiniband/hw/mlx5/counters.c (tests/recorded/ethtool/statistics.txt, tests/recorded/rdma/statistic.txt).
"""

from __future__ import annotations

from ..counted import CLASSES, PortCounts, whole
from ..errors import Problem, TwinError
from ..fabric import FabricSim


def host_counters(fabric: FabricSim, host: str) -> dict[str, dict[str, dict[str, int]]]:
    """By port: ``ethtool`` as ``ethtool -S`` has them, ``hw_counters`` as sysfs has them. Raises TwinError."""
    ports = sorted(end.port for end in fabric.wiring.hosts if end.device == host)
    if not ports:
        raise TwinError(Problem(host, "there is no such host in this lab"))
    found = {}
    for port in ports:
        counts = fabric.counted.shown(host, port)
        found[port] = {"ethtool": _ethtool(counts), "hw_counters": _hw(counts)}
    return found


def _ethtool(counts: PortCounts) -> dict[str, int]:
    found = {
        "rx_packets_phy": whole(counts.packets_in),
        "tx_packets_phy": whole(counts.packets_out),
        "rx_bytes_phy": whole(counts.bytes_in),
        "tx_bytes_phy": whole(counts.bytes_out),
        **dict.fromkeys(("rx_crc_errors_phy", "rx_discards_phy", "tx_discards_phy", "link_down_events_phy"), 0),
        **dict.fromkeys(("rx_pcs_symbol_err_phy", "rx_corrected_bits_phy", "rx_out_of_buffer"), 0),
        "tx_pause_storm_error_events": 0,
    }
    for n in range(CLASSES):
        found |= {
            f"tx_prio{n}_packets": whole(counts.queue_packets[n]),
            f"tx_prio{n}_bytes": whole(counts.queue_bytes[n]),
            f"rx_prio{n}_discards": 0,
            f"rx_prio{n}_buf_discard": 0,
        }
        ways = ((counts.pfc_rx[n], counts.paused_rx_s[n], "rx"), (counts.pfc_tx[n], counts.paused_tx_s[n], "tx"))
        for frames, paused_s, way in ways:
            found[f"{way}_prio{n}_pause"] = whole(frames)
            found[f"{way}_prio{n}_pause_duration"] = whole(paused_s * 1e6)
    return found


def _hw(counts: PortCounts) -> dict[str, int]:
    return {
        "np_cnp_sent": whole(counts.cnp_sent),
        "np_ecn_marked_roce_packets": whole(counts.marked_in),
        "rp_cnp_handled": whole(counts.cnp_handled),
        "rp_cnp_ignored": whole(counts.cnp_ignored),
        "out_of_sequence": whole(counts.out_of_sequence),
        "packet_seq_err": whole(counts.sequence_errors),
        "roce_adp_retrans": 0,
        "out_of_buffer": 0,
    }
