"""Rendered files on disk: all or none, and what is already right is left alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.errors import LocalError, RefusedError, RenderError
from nornir_tasks.files.artifacts import MANIFEST, Written, write_artifacts


def test_a_switch_that_cannot_be_rendered_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "leaf-1.cfg").write_text("old\n")

    def texts() -> Iterator[tuple[str, str]]:
        yield "leaf-1.cfg", "new\n"
        yield "leaf-2.cfg", "new\n"
        raise RenderError("leaf-3 cannot be rendered")

    with pytest.raises(RenderError):
        write_artifacts(tmp_path, texts(), lambda _: None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"leaf-1.cfg": "old\n"}


def render(folder: Path, site: str = "dc1", *, is_whole: bool = True, overwrite: bool = False, **texts: str) -> Written:
    """Write ``leaf_1="text"`` as leaf_1.cfg."""
    files = [(f"{name}.cfg", text) for name, text in texts.items()]
    return write_artifacts(folder, files, lambda _: None, site, is_whole=is_whole, overwrite=overwrite)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {MANIFEST}


def test_a_switch_that_is_gone_takes_its_file_along_and_nobody_elses(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "leaf_7.cfg").write_text("not rendered")
    render(tmp_path, leaf_1="a", leaf_2="b", leaf_3="c")
    (tmp_path / "leaf_3.cfg").write_text("edited")
    written = render(tmp_path, leaf_1="a")
    assert written.removed == (tmp_path / "leaf_2.cfg",)
    assert written.left == (tmp_path / "leaf_3.cfg",)
    assert names(tmp_path) == {"notes.txt", "leaf_7.cfg", "leaf_1.cfg", "leaf_3.cfg"}
    again = render(tmp_path, leaf_1="a")
    assert (again.removed, again.left) == ((), ())


def test_a_render_of_some_switches_removes_none(tmp_path: Path) -> None:
    render(tmp_path, leaf_1="a", leaf_2="b")
    assert render(tmp_path, is_whole=False, leaf_1="new").removed == ()
    assert render(tmp_path, leaf_1="new").removed == (tmp_path / "leaf_2.cfg",), "and the list still has it"


def test_two_sites_in_one_folder_leave_one_anothers_files_alone(tmp_path: Path) -> None:
    render(tmp_path, "dc1", leaf_1="a", both="1")
    assert render(tmp_path, "dc2", leaf_2="b", both="2").removed == ()
    assert render(tmp_path, "dc1", leaf_1="a").removed == (), "what both render belongs to the later"
    assert names(tmp_path) == {"leaf_1.cfg", "leaf_2.cfg", "both.cfg"}


@pytest.mark.parametrize("rendered_before", [True, False])
def test_a_file_that_is_not_as_it_was_rendered_is_refused_unless_said_otherwise(
    rendered_before: bool, tmp_path: Path
) -> None:
    if rendered_before:
        render(tmp_path, leaf_1="a", leaf_2="b")
    (tmp_path / "leaf_1.cfg").write_bytes(b"\xff by hand")
    with pytest.raises(RefusedError) as refused:
        render(tmp_path, leaf_1="new", leaf_2="new")
    assert [problem.where for problem in refused.value.problems] == [str(tmp_path / "leaf_1.cfg")]
    assert (tmp_path / "leaf_1.cfg").read_bytes() == b"\xff by hand"
    assert not rendered_before or (tmp_path / "leaf_2.cfg").read_text() == "b", "nothing was written"
    assert len(list(tmp_path.glob(".leaf*"))) == 0
    render(tmp_path, overwrite=True, leaf_1="new", leaf_2="new")
    assert (tmp_path / "leaf_1.cfg").read_text() == (tmp_path / "leaf_2.cfg").read_text() == "new"


def test_a_list_that_somebody_made_up_removes_nothing_elsewhere(tmp_path: Path) -> None:
    digest = "3fd30542fe3f61b14bd4a4b2dc0b6fb30fa6f63ebce52dd1778aaa8c4dc02cff"  # SHA-256 of "mine"
    (tmp_path / "keys").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MANIFEST).write_text(f'{{"dc1": {{"../keys": "{digest}"}}}}')
    assert render(tmp_path / "out", leaf_1="a").removed == ()
    assert (tmp_path / "keys").exists()


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"dc1": 1}', '{"dc1": {"leaf_1.cfg": ["x"]}}'])
def test_a_damaged_list_counts_no_file_as_ours(damage: str, tmp_path: Path) -> None:
    render(tmp_path, leaf_1="a", leaf_2="b")
    (tmp_path / MANIFEST).write_text(damage)
    assert render(tmp_path, leaf_1="a").removed == ()
    assert names(tmp_path) == {"leaf_1.cfg", "leaf_2.cfg"}


def test_a_folder_in_the_way_is_named_and_nothing_is_half_written(tmp_path: Path) -> None:
    (tmp_path / "leaf_2.cfg").mkdir()
    with pytest.raises(LocalError, match=r"leaf_2\.cfg: cannot be written: Is a directory"):
        render(tmp_path, overwrite=True, leaf_1="a", leaf_2="b")
    assert names(tmp_path) == {"leaf_2.cfg"}


def test_a_file_that_is_as_it_should_be_is_not_written_again(tmp_path: Path) -> None:
    write_artifacts(tmp_path, [("leaf-1.cfg", "same\n")], lambda _: None)
    before = (tmp_path / "leaf-1.cfg").stat()
    written = write_artifacts(tmp_path, [("leaf-1.cfg", "same\n"), ("leaf-2.cfg", "new\n")], lambda _: None)
    assert written.files == (tmp_path / "leaf-1.cfg", tmp_path / "leaf-2.cfg")
    assert (tmp_path / "leaf-1.cfg").stat() == before
    assert (tmp_path / "leaf-2.cfg").read_text() == "new\n"
