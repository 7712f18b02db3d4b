"""Files that can shut out whoever replaces them: judged first, replaced together, brought back unless confirmed."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Stand-ins for systemd's programs, which write down how they are called."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("systemd-run", "systemctl"):
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{tmp_path}/called\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin:/usr/sbin:/sbin")
    return tmp_path / "called"


@pytest.fixture
def replace(run_module, tmp_path, programs):
    def run(files, check=False, **more):
        wanted = [{"path": str(tmp_path / name), "content": content, **of} for name, (content, of) in files.items()]
        options = {"name": "ours", "state_folder": str(tmp_path / "state"), "files": wanted, "take_back_after_s": 7}
        return run_module("files_under_timer", {**options, **more}, check)

    return run


def script(tmp_path: Path) -> Path:
    return tmp_path / "state" / "take_back.sh"


def test_files_are_replaced_together_under_a_timer_and_the_service_reads_them(replace, tmp_path, programs):
    (tmp_path / "one").write_text("old\n")
    answer = replace({"one": ("new\n", {}), "two": ("2\n", {"mode": "0600"})}, reload=["systemctl", "reload", "x"])
    assert answer["take_back_timer"] == "ours-take-back.timer"
    assert ((tmp_path / "one").read_text(), (tmp_path / "two").read_text()) == ("new\n", "2\n")
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o600
    timer, reload = programs.read_text().splitlines()
    assert (
        f"--unit=ours-take-back --on-active=7s --timer-property=AccuracySec=100ms /bin/sh {script(tmp_path)}" in timer
    )
    assert reload == "systemctl reload x"


def test_what_was_there_comes_back_and_what_was_not_goes(replace, tmp_path, programs):
    (tmp_path / "one").write_text("old\n")
    (tmp_path / "one").chmod(0o640)
    replace({"one": ("new\n", {}), "two": ("2\n", {})}, reload=["systemctl", "reload", "x"])
    subprocess.run(["/bin/sh", script(tmp_path)], check=True)
    assert (tmp_path / "one").read_text() == "old\n"
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "two").exists()
    assert not script(tmp_path).exists()
    assert programs.read_text().splitlines()[-1] == "systemctl reload x"


def test_at_boot_nothing_is_reloaded_that_does_not_run_yet(replace, tmp_path, programs):
    replace({"one": ("new\n", {})}, reload=["systemctl", "reload", "x"])
    before = programs.read_text()
    subprocess.run(["/bin/sh", script(tmp_path), "boot"], check=True)
    assert not (tmp_path / "one").exists()
    assert programs.read_text() == before


def test_confirmed_files_stay_and_nothing_brings_them_back(replace, tmp_path, programs):
    replace({"one": ("new\n", {})})
    assert replace({}, confirmed=True)["changed"] is True
    assert not script(tmp_path).exists()
    assert programs.read_text().splitlines()[-1] == "systemctl stop ours-take-back.timer"
    assert replace({}, confirmed=True)["changed"] is False
    assert replace({"one": ("new\n", {})})["changed"] is False


def test_a_file_that_its_judge_refuses_changes_nothing_at_all(replace, tmp_path, programs):
    answer = replace({"one": ("1\n", {}), "two": ("2\n", {"validate": "grep -q 3 %s"})})
    assert "two: grep does not take it, nothing was changed" in answer["msg"]
    assert not (tmp_path / "one").exists()
    assert not programs.exists()


def test_where_the_service_does_not_reload_all_is_as_before(replace, tmp_path):
    (tmp_path / "one").write_text("old\n")
    answer = replace({"one": ("new\n", {})}, reload=["false"])
    assert "false failed, all is as before" in answer["msg"]
    assert (tmp_path / "one").read_text() == "old\n"
    assert not script(tmp_path).exists()


def test_while_one_change_waits_for_its_confirmation_there_is_no_other(replace, tmp_path):
    replace({"one": ("1\n", {})})
    answer = replace({"one": ("2\n", {})})
    assert "files were changed and nobody confirmed it" in answer["msg"]
    assert (tmp_path / "one").read_text() == "1\n"


def test_a_dry_run_judges_and_tells_and_changes_nothing(replace, tmp_path, programs):
    answer = replace({"one": ("1\n", {"validate": "grep -q 1 %s"})}, check=True)
    assert answer["changed"] is True
    assert answer["diff"][0]["after"] == "1\n"
    assert not (tmp_path / "one").exists()
    assert not programs.exists()


def test_without_a_timer_nothing_is_changed(replace, tmp_path):
    (tmp_path / "programs" / "systemd-run").write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    answer = replace({"one": ("1\n", {})})
    assert answer["msg"] == "no timer to bring files back, nothing was changed: no"
    assert not (tmp_path / "one").exists()
    assert not script(tmp_path).exists()


def test_another_mode_is_a_change(replace, tmp_path):
    (tmp_path / "one").write_text("1\n")
    (tmp_path / "one").chmod(0o666)
    assert replace({"one": ("1\n", {"mode": "0600"})})["changed"] is True
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
