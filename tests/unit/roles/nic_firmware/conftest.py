"""Hosts with ConnectX-7 or BlueField-3 cards (tests/standins), and the role's variables."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import require

ROOT = Path(__file__).resolve().parents[4]
STANDINS = ROOT / "tests" / "standins"
sys.path[:0] = [str(ROOT / "plugins" / "module_utils"), str(STANDINS)]
from nic_firmware import SPECTRUM_X_PROGRAM, FirmwareReport, apply, judge, read_nics  # noqa: E402
from roce_host import Host  # noqa: E402
from standin_server import standin_host  # noqa: E402

RAILS = {"rail0": "0000:01:00.0", "rail1": "0000:01:00.1"}
"""Two ports of one card."""


def values_of(**changed: Any) -> dict[str, Any]:
    """The role's defaults, and what the design says of a lab host."""
    values: dict[str, Any] = {
        "rails": list(RAILS),
        "ecn": True,
        "priority": 3,
        "cnp_dscp": 48,
        "cnp_priority": 6,
        "reorder": False,
        "spectrum_x": False,
        "link_type": "eth",
        "mode": "nic",
        "policy": False,
        "also_owned": False,
        "cc_algorithm": "keep",
        "pci_wr_ordering": "keep",
        "ats": "keep",
        "vfs": -1,
        "floors": [],
        "below_floor_allowed": False,
        "change_allowed": False,
        "reset_allowed": False,
    }
    return {**values, **changed}


class CardHost:
    """A host whose rails are ports of one card, served at ``folder / root``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = Host(root=folder / "root")

    def apply(self, *, check: bool = False, **changed: Any) -> FirmwareReport:
        return apply(values_of(**changed), self.host, check=check)

    def judge(self, *, early: bool = False, names_now: dict[str, str] | None = None, **changed: Any) -> FirmwareReport:
        return judge(values_of(**changed), self.host, names_now or {}, early=early)

    def facts(self) -> dict[str, Any]:
        return read_nics(list(RAILS), self.folder / "root")

    def nic(self, rail: str, **changed: Any) -> dict[str, Any]:
        """A NIC's memory, after these changes."""
        path = self.folder / "nics" / f"{rail}.json"
        found: dict[str, Any] = {**json.loads(path.read_text()), **changed}
        path.write_text(json.dumps(found))
        return found

    def settings(self, name: str) -> set[tuple[str, str]]:
        """(now, at the next start) of a setting, over the rails."""
        nics = [self.nic(rail) for rail in RAILS]
        return {(each["firmware"][name], each["firmware_next"][name]) for each in nics}

    def set(self, name: str, value: str) -> None:
        """Give every port this value, now and at the next start."""
        for rail in RAILS:
            nic = self.nic(rail)
            self.nic(rail, **{key: {**nic[key], name: value} for key in ("firmware", "firmware_next")})

    def memory(self) -> list[str]:
        return [json.dumps(json.loads(path.read_text())) for path in sorted((self.folder / "nics").glob("*.json"))]

    def calls(self) -> list[str]:
        """All calls that are no queries."""
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if not line.endswith(" q")]


@pytest.fixture
def card_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., CardHost]]:
    """(card, state) -> that host, served."""
    require("root")
    made: list[Path] = []

    def make(card: str = "bluefield3", state: str = "doca_ofed") -> CardHost:
        folder = tmp_path / card
        ports = [f"{rail}={pci}" for rail, pci in RAILS.items()]
        standin_host("make", folder, *ports, "--state", state, "--card", card)
        monkeypatch.setenv("GPUFABRIC_STANDIN", str(folder))
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
        made.append(folder)
        standin_host("up", folder)
        program = folder / "root" / SPECTRUM_X_PROGRAM.lstrip("/")
        program.parent.mkdir(parents=True)
        program.touch()
        return CardHost(folder)

    yield make
    for folder in made:
        standin_host("down", folder)
