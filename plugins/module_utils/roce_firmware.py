"""A NIC's firmware settings, by mlxconfig (MFT) or mstconfig (mstflint): queried, set, and queried again.

Standard library only (it runs on hosts, Python 3.9). A new value takes effect only after a reset, so each setting has
two: the current one, and the one at the next start. The names are those of tests/recorded/mlxconfig.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import (
        FIRMWARE_TOOLS,
        MISSING_PROGRAM,
        NO_ANSWER,
        Answer,
        Run,
    )
except ImportError:  # installed beside the service
    from roce_run import FIRMWARE_TOOLS, MISSING_PROGRAM, NO_ANSWER, Answer, Run

PACKAGE = "mstflint"
"""The distribution's package with mstconfig; the role rdma_stack installs it."""
POLICY_SETTINGS = (
    "DCBX_WILLING",
    "LLDP_NB_DCBX",
    "LLDP_NB_RX_MODE",
    "LLDP_NB_TX_MODE",
    "ROCE_CC_PRIO_MASK",
    "CNP_DSCP",
    "CNP_802P_PRIO",
)
"""Settings of a port that belong to a RoCE policy, without the ``_P1`` of the port."""
_ROW = re.compile(r"^\s*\*?\s*(?P<name>[A-Z][A-Z0-9_]+)\s{2,}(?P<values>\S.*)$")
_NUMBERED = re.compile(r"\w+\((0x[0-9a-f]+|\d+)\)")


class FirmwareError(Exception):
    """The firmware could not be queried or set; ``not_installed``: for lack of a tool, which PACKAGE would bring."""

    def __init__(self, reason: str, *, not_installed: bool = False) -> None:
        super().__init__(reason)
        self.not_installed = not_installed


@dataclass(frozen=True)
class Setting:
    """One row of a query with -e: the current value and the value after the next reset."""

    current: int
    next_boot: int


def read_query(text: str) -> dict[str, Setting]:
    """Rows of ``mlxconfig -e query``: default, current, next boot. Rows with values other than numbers are left out."""
    found: dict[str, Setting] = {}
    for line in text.splitlines():
        row = _ROW.match(line)
        if not row:
            continue
        numbers = [_number(each) for each in re.split(r"\s{2,}", row["values"].strip())]
        if len(numbers) == 3 and numbers[1] is not None and numbers[2] is not None:
            found[row["name"]] = Setting(numbers[1], numbers[2])
    return found


def _number(value: str) -> int | None:
    """``False(0)`` and ``0`` are both 0."""
    numbered = _NUMBERED.fullmatch(value)
    text = numbered[1] if numbered else value
    try:
        return int(text, 0)
    except ValueError:
        return None


def port_of_function(pci: str) -> int:
    """The firmware's number of a port: function .0 is P1, .1 is P2."""
    return int(pci.rpartition(".")[2], 16) + 1


class Firmware:
    """The settings of one NIC."""

    def __init__(self, pci: str, run: Run) -> None:
        self.pci, self.run = pci, run
        self.tool = FIRMWARE_TOOLS[0]
        self.settings = self._query()

    def _query(self) -> dict[str, Setting]:
        """Query with the first tool that can open the device: under lockdown one of the two may."""
        complaints = []
        for tool in FIRMWARE_TOOLS:
            command = (tool, "-d", self.pci, "-e", "q")
            answer = self.run(command)
            if answer.exit_code == 0:
                self.tool = tool
                return read_query(answer.stdout)
            if answer.exit_code != MISSING_PROGRAM:
                complaints.append(_complaint(command, answer))
            if answer.exit_code == NO_ANSWER:  # it is still at the NIC; a second tool would only wait for it
                break
        none = f"neither {' nor '.join(FIRMWARE_TOOLS)} is installed (package {PACKAGE})"
        raise FirmwareError("; ".join(complaints) or none, not_installed=not complaints)

    def of_port(self) -> dict[str, Setting]:
        """POLICY_SETTINGS of this function's port, as far as the firmware shows them."""
        ending = f"_P{port_of_function(self.pci)}"
        return {name: self.settings[name + ending] for name in POLICY_SETTINGS if name + ending in self.settings}

    def differing(self, wanted: dict[str, int]) -> dict[str, tuple[str, str]]:
        """Name -> (found, wanted), for settings that differ from the wanted value after the next reset."""
        without = [name for name in wanted if name not in self.settings]
        if without:
            raise FirmwareError(f"{self.tool} -d {self.pci} -e q does not show {', '.join(without)}")
        next_boot = {name: self.settings[name].next_boot for name in wanted}
        return {name: (str(next_boot[name]), str(value)) for name, value in wanted.items() if next_boot[name] != value}

    def write(self, wanted: dict[str, str]) -> None:
        """Set the values, and read them back, unless the tool is still at it."""
        command = (self.tool, "-d", self.pci, "-y", "set", *(f"{name}={value}" for name, value in wanted.items()))
        answer = self.run(command)
        if answer.exit_code == NO_ANSWER:
            raise FirmwareError(_complaint(command, answer))
        self.settings = self._query()
        left = self.differing({name: int(value) for name, value in wanted.items()})
        if left:
            words = " ".join((answer.stderr + answer.stdout).split())[:300]
            named = ", ".join(f"{name}: wanted {value}, found {found}" for name, (found, value) in left.items())
            raise FirmwareError(f"{' '.join(command)} did not take ({named}): {words}")


def _complaint(command: tuple[str, ...], answer: Answer) -> str:
    words = " ".join((answer.stderr + answer.stdout).split())[:300]
    return f"{' '.join(command)}: exit code {answer.exit_code}: {words}"
