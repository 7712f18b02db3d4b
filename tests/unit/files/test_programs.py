"""Where programs of the machine are looked for."""

import subprocess
from pathlib import Path

import pytest

from nornir_tasks.files import programs

PACKAGE = Path(programs.__file__).parents[1]


def program(folder: Path, name: str, says: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho {says}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of system programs, the only one; PATH is another one."""
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", (str(tmp_path / "system"),))
    return tmp_path / "system"


def test_system_programs_are_found_though_path_lacks_their_folder(system: Path) -> None:
    made = program(system, "nft")
    assert programs.find("nft") == str(made)


def test_the_operators_own_program_goes_before_the_systems(system: Path) -> None:
    program(system, "nft")
    made = program(system.parent / "own", "nft")
    assert programs.find("nft") == str(made)


def test_a_file_that_cannot_be_started_is_no_program(system: Path) -> None:
    program(system, "nft").chmod(0o644)
    assert programs.find("nft") is None


def test_what_a_program_starts_is_found_in_the_same_folders(system: Path) -> None:
    program(system, "nft", says="found")
    done = subprocess.run(
        ["/bin/sh", "-c", "nft"], env=programs.environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "found\n"


def test_an_empty_path_does_not_mean_the_current_folder(
    system: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path / "here", "nft")
    monkeypatch.chdir(tmp_path / "here")
    for path in ("", ":", f"{tmp_path / 'own'}:"):
        monkeypatch.setenv("PATH", path)
        assert programs.find("nft") is None


def test_folders_of_administrators_are_looked_in_on_every_system() -> None:
    assert {"/usr/sbin", "/sbin", "/usr/local/sbin"} <= {*programs.SYSTEM_FOLDERS}
    assert {"/usr/sbin", "/sbin", "/usr/local/sbin"} <= {*programs.search_path().split(":")}


def test_nobody_else_looks_for_programs() -> None:
    others = (path for path in PACKAGE.rglob("*.py") if path != Path(programs.__file__))
    assert [str(path) for path in others if "shutil.which" in path.read_text()] == []
