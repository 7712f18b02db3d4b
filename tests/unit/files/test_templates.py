"""Compiled templates are kept between runs, where that is safe."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.files import templates
from nornir_tasks.platforms import names

TEMPLATE = "main.j2"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test's own, and no environment from before or for after."""
    monkeypatch.setenv("GPUFABRIC_CACHE", str(tmp_path / "cache"))
    _forget()
    yield tmp_path / "cache"
    _forget()


def _forget() -> None:
    templates.environment.cache_clear()
    templates._compiled.cache_clear()


def _load_all() -> None:
    for os in names():
        templates.environment(os).get_template(TEMPLATE)


def test_templates_are_compiled_once_for_all_runs_of_a_user(cache: Path) -> None:
    _load_all()
    (folder,) = cache.iterdir()
    first = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert len(first) == len(names())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    _forget()
    _load_all()
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == first


def test_a_broken_compiled_template_is_compiled_anew(cache: Path) -> None:
    _load_all()
    for file in next(cache.iterdir()).iterdir():
        file.write_bytes(b"not compiled")
    _forget()
    _load_all()


def test_a_folder_that_others_may_write_to_is_left_alone(cache: Path) -> None:
    _load_all()
    (folder,) = cache.iterdir()
    for file in folder.iterdir():
        file.unlink()
    folder.chmod(0o777)
    _forget()
    _load_all()
    assert not list(folder.iterdir())


def test_templates_load_where_no_cache_can_be_made(cache: Path) -> None:
    cache.write_text("a file in its place")
    _load_all()


def test_templates_load_on_a_full_disk(cache: Path) -> None:
    cache.mkdir()
    _load_all()
    (folder,) = cache.iterdir()
    for file in folder.iterdir():
        file.unlink()
        file.mkdir()  # what cannot be replaced by a file, as a disk that takes no more
    _forget()
    _load_all()
