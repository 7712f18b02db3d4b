"""What a host counts, from recorded outputs through the fact module's reader to the neutral shape."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from counter_state import LOG, collect
from roce_run import Answer

from nornir_tasks.checks.hosts.counters import FACT, NOT_READ, reading, request
from nornir_tasks.platforms.counted import Counter, Place, Reading
from tests.recorded.transcripts import stdout_of
from tests.unit.platforms.counter_table import of_system

RAIL, OTHER = "ens1f0np0", "ens2f0np0"
JOURNAL = stdout_of("kernel/xid.txt", "journalctl --dmesg --boot --no-pager --output=short-unix")
STATISTICS = stdout_of("ethtool/statistics.txt", f"ethtool -S {RAIL}")
GPUS = ("0000:18:00.0", "0000:2a:00.0")


def run(argv: Sequence[str]) -> Answer:
    """ethtool and journalctl as recorded."""
    if tuple(argv) == LOG:
        return Answer(0, JOURNAL)
    return Answer(0, STATISTICS) if list(argv) == ["ethtool", "-S", RAIL] else Answer(71, "", "no stats available")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host with one rail of mlx5, another driver's port, an RDMA device and two GPUs."""
    for rail, driver in ((RAIL, "mlx5_core"), (OTHER, "virtio_net")):
        (tmp_path / "sys/bus/drivers" / driver).mkdir(parents=True)
        (tmp_path / "sys/class/net" / rail / "device").mkdir(parents=True)
        (tmp_path / "sys/class/net" / rail / "device/driver").symlink_to(tmp_path / "sys/bus/drivers" / driver)
    listing = stdout_of("rdma/statistic.txt", "grep -H . /sys/class/infiniband/mlx5_0/ports/1/hw_counters/*")
    for line in listing.splitlines():
        name, _, value = line.partition(":")
        path = tmp_path / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n", encoding="utf-8")
    for gpu in GPUS:
        (tmp_path / "proc/driver/nvidia/gpus" / gpu).mkdir(parents=True)
    (tmp_path / "proc/uptime").write_text("86412.50 1200000.00\n", encoding="utf-8")
    (tmp_path / "nvlink.txt").write_text(stdout_of("nvidia_smi/nvlink.txt", "nvidia-smi nvlink -e"), encoding="utf-8")
    program = tmp_path / "usr/bin/nvidia-smi"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\n[ "$*" = "nvlink -e" ] && cat {tmp_path}/nvlink.txt\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def fact(root: Path, rails: Sequence[str] = (RAIL,), ask: Any = run) -> dict[str, Any]:
    """As Ansible has it: JSON and back."""
    found: dict[str, Any] = json.loads(json.dumps(collect(rails, root, "run/nvidia/driver/usr", ask)))
    return found


def nonzero(found: Reading) -> dict[Counter, dict[Place, float]]:
    return {
        counter: {place: value for place, value in places.items() if value} for counter, places in found.values.items()
    }


def test_every_counter_of_the_table_comes_from_its_recording_to_its_value(root: Path) -> None:
    found = reading("node01", fact(root), 7.5, 1796069590.0)
    device = Place("mlx5_0/1")
    assert nonzero(found) == {
        Counter.PFC_RX: {Place(RAIL, 3): 148213},
        Counter.PFC_TX: {Place(RAIL, 3): 96204},
        Counter.PAUSE_RX_US: {Place(RAIL, 3): 3320119},
        Counter.PAUSE_TX_US: {Place(RAIL, 3): 1904772},
        Counter.QUEUE_PACKETS: {Place(RAIL, 3): 20515332188},
        Counter.QUEUE_DROPS: {Place(RAIL): 2},
        Counter.INPUT_DROPS: {Place(RAIL, 3): 5},
        Counter.WATCHDOG: {Place(RAIL): 1},
        Counter.PACKETS_IN: {Place(RAIL): 4654060},
        Counter.PACKETS_OUT: {Place(RAIL): 4869952},
        Counter.BYTES_IN: {Place(RAIL): 426004861},
        Counter.BYTES_OUT: {Place(RAIL): 499391269},
        Counter.FEC_CORRECTED: {Place(RAIL): 1024},
        Counter.SYMBOL_ERRORS: {Place(RAIL): 9},
        Counter.CRC_ERRORS: {Place(RAIL): 1},
        Counter.LINK_CHANGES: {Place(RAIL): 4},
        Counter.CNP_SENT: {device: 185},
        Counter.CNP_HANDLED: {device: 184},
        Counter.CNP_IGNORED: {device: 6},
        Counter.ECN_RECEIVED: {device: 190},
        Counter.OUT_OF_SEQUENCE: {device: 3},
        Counter.SEQUENCE_ERRORS: {device: 2},
        Counter.RETRANSMITS: {device: 1},
        Counter.OUT_OF_BUFFER: {device: 135},
        Counter.XID: {Place("0000:18:00.0"): 2},
        Counter.NVLINK_ERRORS: {Place("GPU 0", 1): 2},
    }
    rows = of_system("mlx5")
    assert set(found.values) == {counter for counter, row in rows.items() if row.is_read}
    assert set(found.not_read) == {counter for counter, row in rows.items() if not row.is_read}
    assert (found.read_at_s, found.clock_s, found.uptime_s, found.problems) == (7.5, 1796069590.0, 86412.5, ())


def test_a_gpu_without_an_xid_has_none_and_one_without_errors_of_nvlink_too(root: Path) -> None:
    values = reading("node01", fact(root), 0.0).values
    assert values[Counter.XID][Place("0000:2a:00.0")] == 0
    assert values[Counter.NVLINK_ERRORS][Place("GPU 1", 0)] == 0


def test_priorities_without_pfc_have_no_pauses_rather_than_zero(root: Path) -> None:
    assert set(reading("node01", fact(root), 0.0).values[Counter.PFC_RX]) == {Place(RAIL, 3)}


def test_a_container_without_sys_says_what_is_not_read(tmp_path: Path) -> None:
    found = reading("node01", fact(tmp_path), 0.0)
    assert (found.values, found.problems, found.uptime_s) == ({}, (), None)
    assert set(found.not_read) == set(Counter)
    assert found.not_read[Counter.CNP_SENT] == "hw_counters: no RDMA device shows any in /sys/class/infiniband"
    assert found.not_read[Counter.XID] == "xids: NVIDIA's driver has no GPU here (/proc/driver/nvidia/gpus)"
    assert found.not_read[Counter.NVLINK_ERRORS] == "nvlink: there is no nvidia-smi"


def test_a_port_of_another_driver_is_not_read_by_names_that_it_may_mean_otherwise(root: Path) -> None:
    found = reading("node01", fact(root, (OTHER,)), 0.0)
    assert found.not_read[Counter.PFC_RX] == (
        f"ethtool -S {OTHER}: driver virtio_net, and only names of mlx5_core are known"
    )
    both = reading("node01", fact(root, (RAIL, OTHER)), 0.0)
    assert Counter.PFC_RX not in both.not_read, "another rail has it"


def test_an_ethtool_or_a_log_that_fails_is_told_with_its_words(root: Path) -> None:
    found = fact(root, ask=lambda _: Answer(1, "", "Operation not permitted\n"))
    assert found["not_read"] == {
        f"ethtool -S {RAIL}": "Operation not permitted",
        "xids": "journalctl --dmesg --boot --no-pager --output=cat: Operation not permitted",
    }


def test_gpus_that_no_nvlink_joins_are_told_from_an_nvidia_smi_that_fails(root: Path) -> None:
    (root / "nvlink.txt").write_text("GPU 0: NVIDIA H100 PCIe (UUID: GPU-abcdefab)\n", encoding="utf-8")
    assert fact(root)["not_read"] == {"nvlink": "no GPU shows a link of NVLink"}
    (root / "nvlink.txt").unlink()
    assert fact(root)["not_read"] == {"nvlink": "nvidia-smi names no GPU (exit code 1)"}


@pytest.mark.parametrize("garbled", [None, "a text", [], {}, {"interfaces": {RAIL: {"rx_prio3_pause": "many"}}}])
def test_a_garbled_fact_is_named(garbled: Any) -> None:
    found = reading("node01", garbled, 0.0)
    assert found.values == {}
    assert found.problems
    assert all(problem.startswith(f"{FACT}: ") for problem in found.problems)


def test_half_a_fact_is_named_and_the_rest_is_read(root: Path) -> None:
    whole = fact(root)
    whole["devices"] = None
    whole["interfaces"][RAIL]["rx_prio3_pause"] = -1
    found = reading("node01", whole, 0.0)
    assert found.problems == (
        f"{FACT}: interfaces.{RAIL}.rx_prio3_pause: expected a count from 0 to 18446744073709551615, found -1",
        f"{FACT}: devices: expected a table, found nothing",
    )
    assert found.values[Counter.PFC_TX] == {Place(RAIL, 3): 96204}
    assert found.values[Counter.XID][Place("0000:18:00.0")] == 2


def test_the_module_reads_the_same_on_a_host(root: Path, facts: Any) -> None:
    """As a host runs it: of a machine without mlx5 the NIC alone is not read."""
    needed = request([RAIL])
    assert (needed.fact, needed.module) == (FACT, "gpufabric.host.counter_facts")
    found = facts("counter_facts", rails=[RAIL], root=str(root))[FACT]
    assert found["devices"] == fact(root)["devices"]
    assert found["nvlink"] == fact(root)["nvlink"]


def test_what_no_host_shows_is_in_the_table() -> None:
    assert set(NOT_READ) == {counter for counter, row in of_system("mlx5").items() if not row.is_read}
