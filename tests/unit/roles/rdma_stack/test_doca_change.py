"""An exchange that was judged good ends once, wherever a run that ends it is killed.

The exchange itself is shown on hosts, with real packages (molecule/rdma_doca).
"""

import json
import sys
import tarfile
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


PATHS = ("boot/initrd.img-6.1", "var/lib/dkms", "etc/infiniband")


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Path]:
    """A host as it is after an exchange, and the archive of what it was; etc/infiniband came with the exchange."""
    host, archive = tmp_path / "host", tmp_path / "saved.tar"
    for path in ("boot", "var/lib/dkms/mlnx/1", "etc"):
        (host / path).mkdir(parents=True)
    (host / PATHS[0]).write_text("old initramfs " * 1000)
    (host / "var/lib/dkms/mlnx/1/mlx5_core.ko").write_text("old module")
    (host / "var/lib/dkms/mlnx/1/same.ko").hardlink_to(host / "var/lib/dkms/mlnx/1/mlx5_core.ko")
    (host / "var/lib/dkms/mlnx/kernel").symlink_to("1")
    with tarfile.open(archive, "w") as made:
        for path in PATHS[:2]:
            made.add(host / path, arcname=path)
    (host / PATHS[0]).write_text("new initramfs")
    (host / "var/lib/dkms/mlnx/1/mlx5_core.ko").unlink()
    (host / "var/lib/dkms/mlnx/2").mkdir()
    (host / PATHS[2]).mkdir()
    return host, archive


def put_back(host: Path, archive: Path) -> None:
    with tarfile.open(archive) as opened:
        for path in PATHS:
            doca_change.put_back(opened, path, host)


def test_what_was_saved_comes_back_whole_and_what_is_new_goes_however_often(saved: tuple[Path, Path]) -> None:
    host, archive = saved
    for _ in range(2):
        put_back(host, archive)
        assert sorted(
            str(path.relative_to(host)) for path in host.rglob("*") if path.is_symlink() or path.is_file()
        ) == [
            "boot/initrd.img-6.1",
            "var/lib/dkms/mlnx/1/mlx5_core.ko",
            "var/lib/dkms/mlnx/1/same.ko",
            "var/lib/dkms/mlnx/kernel",
        ]
        assert (host / PATHS[0]).read_text() == "old initramfs " * 1000
        assert (host / "var/lib/dkms/mlnx/kernel/same.ko").read_text() == "old module"
        assert not (host / "var/lib/dkms/mlnx/2").exists()
        assert not (host / PATHS[2]).exists()


def test_a_host_keeps_an_initramfs_to_boot_when_its_old_one_cannot_be_unpacked(saved: tuple[Path, Path]) -> None:
    host, archive = saved
    archive.write_bytes(archive.read_bytes()[:2048])
    with pytest.raises((tarfile.TarError, OSError)):
        put_back(host, archive)
    assert (host / PATHS[0]).read_text() == "new initramfs"
