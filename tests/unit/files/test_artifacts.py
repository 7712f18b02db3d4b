"""Rendered files on disk: all or none, and what is already right is left alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.errors import RenderError
from nornir_tasks.files.artifacts import write_artifacts


def test_a_switch_that_cannot_be_rendered_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "leaf-1.cfg").write_text("old\n")

    def texts() -> Iterator[tuple[str, str]]:
        yield "leaf-1.cfg", "new\n"
        yield "leaf-2.cfg", "new\n"
        raise RenderError("leaf-3 cannot be rendered")

    with pytest.raises(RenderError):
        write_artifacts(tmp_path, texts(), lambda _: None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"leaf-1.cfg": "old\n"}


def test_a_file_that_is_as_it_should_be_is_not_written_again(tmp_path: Path) -> None:
    write_artifacts(tmp_path, [("leaf-1.cfg", "same\n")], lambda _: None)
    before = (tmp_path / "leaf-1.cfg").stat()
    written = write_artifacts(tmp_path, [("leaf-1.cfg", "same\n"), ("leaf-2.cfg", "new\n")], lambda _: None)
    assert written == (tmp_path / "leaf-1.cfg", tmp_path / "leaf-2.cfg")
    assert (tmp_path / "leaf-1.cfg").stat() == before
    assert (tmp_path / "leaf-2.cfg").read_text() == "new\n"
