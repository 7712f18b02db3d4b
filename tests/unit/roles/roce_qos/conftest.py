"""The policy of a lab host, whole hosts of one state (tests/standins/states), and the host's modules."""

import fcntl
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
from roce_apply import apply  # noqa: E402
from roce_host import Host  # noqa: E402
from roce_policy import read_policy  # noqa: E402
from roce_report import Report  # noqa: E402
from standin_server import standin_host  # noqa: E402

RAILS = {"rail0": "0000:00:10.0", "rail1": "0000:00:11.0"}
CC_PARAMS = "root/sys/kernel/debug/mlx5/0000:00:10.0/cc_params"


def policy_values(**changed: Any) -> dict[str, Any]:
    named = {26: 3, 48: 6}
    points = {priority: [dscp for dscp in range(64) if named.get(dscp, 0) == priority] for priority in (0, 3, 6)}
    values: dict[str, Any] = {
        "rails": ["rail0", "rail1"],
        "classes": [
            _class("bulk", points[0], 0, weight_percent=40),
            _class("roce", points[3], 3, lossless=True, weight_percent=60),
            _class("cnp", points[6], 6, strict=True),
        ],
        "dscp": 26,
        "priority": 3,
        "traffic_class": 106,
        "ecn": True,
        "cnp_dscp": 48,
        "cnp_priority": 6,
        "cable_m": 5,
    }
    return {**values, **changed}


def _class(name: str, dscp: list[int], priority: int, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dscp": dscp,
        "priority": priority,
        "lossless": False,
        "strict": False,
        "weight_percent": None,
        **more,
    }


@pytest.fixture
def values() -> dict[str, Any]:
    return policy_values()


class StateHost:
    """A host of one state, served at ``folder / root``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(
        self, what: Callable[..., Report] = apply, *, rails: tuple[str, ...] = tuple(RAILS), **changed: object
    ) -> Report:
        how = {key: changed.pop(key) for key in ("check", "early", "names_now", "to_be_named") if key in changed}
        return what(read_policy(policy_values(rails=list(rails), **changed)), Host(root=self.folder / "root"), **how)

    def memory(self) -> dict[str, object]:
        """All that a set could have changed."""
        kept = [*self.folder.glob("nics/*.json"), *self.folder.glob("values/*")]
        return {path.name: json.loads(path.read_text()) for path in kept}

    def nic(self, rail: str, **changed: object) -> dict[str, object]:
        path = self.folder / "nics" / f"{rail}.json"
        with path.open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # a tool may be at it
            nic = {**json.load(file), **changed}
        if changed:  # the stand-ins write it as well
            path.write_text(json.dumps(nic))
        return nic

    def serve(self) -> None:
        standin_host("up", self.folder)

    def cc(self, name: str) -> str:
        return (self.folder / CC_PARAMS / name).read_text().strip()

    def calls(self, tool: str) -> list[str]:
        """All calls of this tool so far."""
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.startswith(f"{tool} ")]


@pytest.fixture
def state_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., StateHost]]:
    """(name of a state, nic: what differs on rail0, other: an interface that is no rail) -> that host, served.

    ``members``: port to place, of a bond ``data`` in the rails' place.
    """
    require("root")
    made: list[Path] = []

    def make(
        state: str, *, nic: dict[str, object] | None = None, other: str = "", members: dict[str, str] | None = None
    ) -> StateHost:
        folder = tmp_path / state
        standin_host(
            "make",
            folder,
            *(f"{rail}={pci}" for rail, pci in (members or RAILS).items()),
            "--state",
            state,
            *(["--other", other] * bool(other)),
            *(["--bond", "data"] * bool(members)),
        )
        found = StateHost(folder)
        if nic:
            found.nic("rail0", **nic)
        monkeypatch.setenv("GPUFABRIC_STANDIN", str(folder))
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
        made.append(folder)
        found.serve()
        return found

    yield make
    for folder in made:
        standin_host("down", folder)
