"""What a check judges, and what it answers.

A check is a function ``Evidence -> list[Finding]`` in ``checks/<topic>.py``, listed in ``checks/suite.py``. It returns
one finding for each thing it looked at, passed ones included, so "tested N of M" counts real work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from nornir_tasks.checks.observed import Observed
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import Change


class Verdict(StrEnum):
    """Four outcomes: what could not be told never counts as passed, what was skipped counts neither way."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    ERROR = "could not tell"
    SKIPPED = "skipped"
    """There is nothing to judge, and it is said why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    check: str
    device: str
    port: str
    """Empty where the thing belongs to the device as a whole."""
    verdict: Verdict
    message: str
    expected: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Far:
    """What the cabling plan says is at the other end of a port."""

    device: str
    port: str
    cable: str
    is_host: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was collected, by device name. A device that did not answer stands in ``unreachable`` only."""

    wanted: Mapping[str, DeviceConfig]
    running: Mapping[str, DeviceConfig]
    changes: Mapping[str, tuple[Change, ...]]
    """What a push would change; the difference between running and wanted, line by line."""
    observed: Mapping[str, Observed]
    far: Mapping[tuple[str, str], Far]
    """(device, port) -> its far end, switches and hosts."""
    unreachable: Mapping[str, str]
    """device -> why it could not be read."""

    def where(self, device: str, port: str) -> str:
        """``leaf-g0-r0 Ethernet1/1 <-> spine-0 swp1``."""
        far = self.far.get((device, port))
        return f"{device} {port}" + (f" <-> {far.device} {far.port}" if far else "")

    def port_of_neighbor(self, device: str, key: str) -> str:
        """The port behind which the design puts this BGP neighbour; empty when it knows none.

        ``key`` is the far end's address, or that port where the session is unnumbered.
        """
        if any(port.name == key for port in self.wanted[device].interfaces):
            return key
        for port in self.wanted[device].interfaces:
            far = self.far.get((device, port.name))
            if far is None or far.is_host or far.device not in self.wanted:
                continue
            for other in self.wanted[far.device].interfaces:
                if other.name == far.port and (other.address or "").split("/")[0] == key:
                    return port.name
        return ""
