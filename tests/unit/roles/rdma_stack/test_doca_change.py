"""An exchange that was judged good ends once, wherever a run that ends it is killed.

The exchange itself is shown on hosts, with real packages (molecule/rdma_doca).
"""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[4] / "plugins/module_utils"))
import doca_change


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host's folder of exchanges, with one that switched to new packages."""
    for name in ("CHANGE", "PACKAGES", "RECORD", "NEW"):
        place = tmp_path / getattr(doca_change, name).relative_to("/var/lib/gpufabric/rdma_stack")
        monkeypatch.setattr(doca_change, name, place)
    for path, text in (
        (doca_change.NEW / "new.deb", ""),
        (doca_change.PACKAGES / "old.deb", ""),
        (doca_change.RECORD, json.dumps({"phase": "switched"})),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def test_a_stack_that_is_kept_has_its_packages_for_the_next_way_back(home: Path) -> None:
    assert doca_change.keep()
    assert names(home) == ["packages/new.deb"]
    assert not doca_change.keep()


def test_a_run_killed_while_it_kept_the_stack_loses_no_package_when_it_is_run_again(home: Path) -> None:
    (doca_change.PACKAGES / "old.deb").unlink()
    doca_change.PACKAGES.rmdir()
    doca_change.NEW.rename(doca_change.PACKAGES)
    assert doca_change.keep()
    assert names(home) == ["packages/new.deb"]


@pytest.mark.parametrize("phase", ["saved", "switching"])
def test_an_exchange_that_is_half_done_is_never_kept(home: Path, phase: str) -> None:
    doca_change.RECORD.write_text(json.dumps({"phase": phase}))
    assert not doca_change.keep()
    assert doca_change.record()["phase"] == phase


def test_without_an_exchange_there_is_nothing_to_take_back(home: Path) -> None:
    doca_change.RECORD.unlink()
    assert doca_change.back() == []


@pytest.mark.parametrize(("state", "there"), [("i", True), ("t", True), ("W", True), ("F", False), ("U", False)])
def test_a_package_that_waits_for_a_trigger_need_not_be_brought_back(state: str, there: bool) -> None:
    assert doca_change._as_it_was(["1", "i", state], ["1", "i", "i"]) is there
    assert not doca_change._as_it_was(["2", "i", state], ["1", "i", "i"])
