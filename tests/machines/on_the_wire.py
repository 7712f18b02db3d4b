"""Captures at a leaf's end of a machine's cable."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab_machines import MachineLab

PACKETS = Path(__file__).parent / "packets.py"
ROCE_PORT = 4791
WRITES = frozenset({0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B})
"""RC RDMA WRITE First, Middle, Last, Last with Immediate, Only, Only with Immediate (InfiniBand Architecture
Specification, volume 1, "OpCode field"): what carries data. Acknowledgements and connection management are others."""


class Captured:
    """Filled when the capture has ended."""

    def __init__(self) -> None:
        self.packets: list[dict[str, Any]] = []

    def writes(self) -> list[dict[str, Any]]:
        return [each for each in self.packets if each.get("port") == ROCE_PORT and each["opcode"] in WRITES]

    def flows(self) -> dict[int, int]:
        """Source port of the RDMA writes -> how many packets."""
        return dict(Counter(each["source_port"] for each in self.writes()))

    def histogram(self) -> dict[str, int]:
        """``opcode dscp ecn`` -> how many RoCE packets."""
        found: dict[str, int] = {}
        for each in self.packets:
            if each.get("port") == ROCE_PORT:
                key = f"opcode {each['opcode']:#04x} dscp {each['dscp']} ecn {each['ecn']}"
                found[key] = found.get(key, 0) + 1
        return found


@contextmanager
def capturing(
    lab: MachineLab, interface: str, seconds: int = 120, count: int = 20000, switch: str = ""
) -> Iterator[Captured]:
    """What arrives at this interface of the lab's namespace, or of a routed switch, while the block runs."""
    argv = lab.in_namespace(sys.executable, str(PACKETS), "capture", interface, str(seconds), str(count), switch=switch)
    found = Captured()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        lines: list[str] = []
        reader = threading.Thread(target=lines.extend, args=(process.stdout,))  # a pipe holds some 400 of them
        reader.start()
        try:
            yield found
        finally:
            process.terminate()
            reader.join()
            found.packets += [json.loads(line) for line in lines if line.endswith("}\n")]


def send(lab: MachineLab, interface: str, mac: str, source: str, destination: str) -> None:
    """One UDP packet from the leaf into the machine."""
    argv = lab.in_namespace(sys.executable, str(PACKETS), "send", interface, mac, source, destination)
    subprocess.run(argv, check=True, timeout=30)
