"""Files that can shut out whoever replaces them: judged first, replaced together, brought back unless confirmed."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Stand-ins for systemd's programs, which write down how they are called."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("systemd-run", "systemctl", "logger"):
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{tmp_path}/called\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin:/usr/sbin:/sbin")
    (tmp_path / "units").mkdir()
    return tmp_path / "called"


@pytest.fixture
def change(run_module, tmp_path, programs):
    def run(check=False, **options):
        own = {"state_folder": str(tmp_path / "state"), "units_folder": str(tmp_path / "units")}
        return run_module("files_taken_back", {"name": "ours", "services": ["x.service"], **own, **options}, check)

    return run


@pytest.fixture
def replace(change, tmp_path):
    def run(files, **more):
        wanted = [{"path": str(tmp_path / name), "content": content, **of} for name, (content, of) in files.items()]
        return change(files=wanted, **more)

    return run


def script(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ours" / "bring-back"


def unit(tmp_path: Path) -> Path:
    return tmp_path / "units" / "gpufabric-take-back-ours.service"


def test_files_are_replaced_together_under_a_timer_and_the_service_reads_them(replace, tmp_path, programs):
    (tmp_path / "one").write_text("old\n")
    answer = replace({"one": ("new\n", {}), "two": ("2\n", {"mode": "0600"})}, after_s=7)
    assert answer["timer"] == "gpufabric-take-back-ours-timer.timer"
    assert ((tmp_path / "one").read_text(), (tmp_path / "two").read_text()) == ("new\n", "2\n")
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o600
    called = programs.read_text().splitlines()
    assert called[-2:] == [
        "systemd-run --quiet --collect --unit=gpufabric-take-back-ours-timer --on-active=7s "
        f"--timer-property=AccuracySec=100ms {script(tmp_path)}",
        "systemctl reload-or-restart x.service",
    ]
    assert "systemctl enable --quiet gpufabric-take-back-ours.service" in called


def test_what_was_there_comes_back_and_what_was_not_goes(replace, tmp_path, programs):
    (tmp_path / "one").write_text("old\n")
    (tmp_path / "one").chmod(0o640)
    replace({"one": ("new\n", {}), "two": ("2\n", {})})
    subprocess.run([script(tmp_path)], check=True)
    assert (tmp_path / "one").read_text() == "old\n"
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "two").exists()
    assert not script(tmp_path).exists()
    assert not unit(tmp_path).exists()
    assert "systemctl reload x.service" in programs.read_text().splitlines()


def test_a_folder_that_others_change_comes_back_as_it_was(change, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one").write_text("1\n")
    assert change(paths=[str(folder), str(tmp_path / "new")])["changed"] is False
    (folder / "one").unlink()
    (folder / "two").write_text("2\n")
    (tmp_path / "new").write_text("3\n")
    subprocess.run([script(tmp_path)], check=True)
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [("one", "1\n")]
    assert not (tmp_path / "new").exists()


def test_others_that_change_files_have_the_services_read_them(change, tmp_path, programs):
    change(paths=[str(tmp_path / "one")])
    assert "reload" not in programs.read_text()


def test_at_boot_nothing_is_reloaded_that_does_not_run_yet(replace, tmp_path, programs):
    replace({"one": ("new\n", {})})
    assert f"ExecStart={script(tmp_path)} boot" in unit(tmp_path).read_text()
    assert "Before=x.service" in unit(tmp_path).read_text()
    before = programs.read_text()
    subprocess.run([script(tmp_path), "boot"], check=True)
    assert not (tmp_path / "one").exists()
    assert "reload" not in programs.read_text().removeprefix(before)


def test_a_service_that_did_not_run_is_stopped_again(replace, tmp_path, programs):
    (tmp_path / "programs" / "systemctl").write_text(
        f'#!/bin/sh\necho "systemctl $*" >>{programs}\n[ "$1" != is-active ]\n'
    )
    replace({"one": ("new\n", {})})
    subprocess.run([script(tmp_path)], check=True)
    assert "systemctl stop x.service" in programs.read_text().splitlines()


def test_confirmed_files_stay_and_nothing_brings_them_back(replace, change, tmp_path, programs):
    replace({"one": ("new\n", {})})
    assert change(state="kept")["changed"] is False
    assert (tmp_path / "one").read_text() == "new\n"
    assert not script(tmp_path).exists()
    assert not unit(tmp_path).exists()
    assert "systemctl stop gpufabric-take-back-ours-timer.timer" in programs.read_text().splitlines()
    assert "was taken back before it was confirmed" in change(state="kept")["msg"]
    answer = replace({"one": ("new\n", {})})
    assert answer["changed"] is False
    assert "timer" not in answer


def test_a_file_that_its_judge_refuses_changes_nothing_at_all(replace, tmp_path, programs):
    answer = replace({"one": ("1\n", {}), "two": ("2\n", {"validate": "grep -q 3 %s"})})
    assert "two: grep does not take it, nothing was changed" in answer["msg"]
    assert not (tmp_path / "one").exists()
    assert not programs.exists()


def test_where_the_service_does_not_run_all_is_as_before(replace, tmp_path, programs):
    (tmp_path / "one").write_text("old\n")
    (tmp_path / "programs" / "systemctl").write_text(
        f'#!/bin/sh\necho "systemctl $*" >>{programs}\n[ "$1" != reload-or-restart ]\n'
    )
    answer = replace({"one": ("new\n", {})})
    assert "x.service does not run with the new files, all is as before" in answer["msg"]
    assert (tmp_path / "one").read_text() == "old\n"
    assert not script(tmp_path).exists()
    assert "systemctl stop gpufabric-take-back-ours-timer.timer" in programs.read_text().splitlines()


def test_while_one_change_waits_for_its_confirmation_there_is_no_other(replace, tmp_path):
    replace({"one": ("1\n", {})})
    answer = replace({"one": ("2\n", {})})
    assert "ours was changed and not confirmed" in answer["msg"]
    assert (tmp_path / "one").read_text() == "1\n"


def test_a_dry_run_judges_and_tells_and_changes_nothing(replace, tmp_path, programs):
    answer = replace({"one": ("1\n", {"validate": "grep -q 1 %s"})}, check=True)
    assert answer["changed"] is True
    assert answer["diff"][0]["after"] == "1\n"
    assert not (tmp_path / "one").exists()
    assert not programs.exists()
    assert "grep does not take it" in replace({"one": ("2\n", {"validate": "grep -q 1 %s"})}, check=True)["msg"]


def test_without_a_timer_nothing_is_changed(replace, tmp_path):
    (tmp_path / "programs" / "systemd-run").write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    answer = replace({"one": ("1\n", {})})
    assert answer["msg"] == "no timer to bring files back, nothing was changed: no"
    assert not (tmp_path / "one").exists()
    assert not script(tmp_path).exists()
    assert not unit(tmp_path).exists()


def test_another_mode_is_a_change(replace, tmp_path):
    (tmp_path / "one").write_text("1\n")
    (tmp_path / "one").chmod(0o666)
    assert replace({"one": ("1\n", {"mode": "0600"})})["changed"] is True
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
