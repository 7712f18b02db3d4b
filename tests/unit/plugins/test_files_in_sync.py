"""A set of files becomes exactly so, and nothing beside it is touched."""

import stat

import pytest


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "network"
    path.mkdir()
    (path / "10-theirs.network").write_text("[Match]\n")
    return path


@pytest.fixture
def sync(run_module, folder):
    def run(files, check=False, validate=None, mode="0644", **more):
        one = {"path": str(folder), "prefix": "05-ours-", "files": files, "mode": mode, **more}
        return run_module("files_in_sync", {"folders": [one], "validate": validate}, check)

    return run


def content(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def written_at(path):
    return path.stat().st_ino, path.stat().st_mtime_ns


def test_writes_what_is_missing_and_removes_what_is_left_over(sync, folder):
    (folder / "05-ours-rail7.link").write_text("old\n")
    answer = sync({"05-ours-rail0.link": "a\n", "05-ours-rail0.network": "b\n"})
    assert answer["changed"] is True
    assert [path.rsplit("/", 1)[1] for path in answer["written"]] == ["05-ours-rail0.link", "05-ours-rail0.network"]
    assert answer["removed"] == [str(folder / "05-ours-rail7.link")]
    assert content(folder) == {
        "10-theirs.network": "[Match]\n",
        "05-ours-rail0.link": "a\n",
        "05-ours-rail0.network": "b\n",
    }


def test_a_second_run_changes_nothing_and_does_not_write(sync, folder):
    sync({"05-ours-rail0.link": "a\n"})
    before = written_at(folder / "05-ours-rail0.link")
    answer = sync({"05-ours-rail0.link": "a\n"})
    assert (answer["changed"], answer["written"], answer["removed"], answer["diff"]) == (False, [], [], [])
    assert written_at(folder / "05-ours-rail0.link") == before


def test_a_dry_run_tells_the_same_diff_and_writes_nothing(sync, folder):
    (folder / "05-ours-rail7.link").write_text("old\n")
    (folder / "05-ours-rail0.link").write_text("b\n")
    (folder / "05-ours-rail0.link").chmod(0o644)
    wanted = {"05-ours-rail0.link": "a\n", "05-ours-rail1.link": "c\n"}
    before = content(folder)
    dry = sync(wanted, check=True)
    assert content(folder) == before
    real = sync(wanted)
    assert {key: dry[key] for key in ("changed", "written", "removed", "diff")} == {
        key: real[key] for key in ("changed", "written", "removed", "diff")
    }
    assert {each["after_header"].rsplit("/", 1)[1]: (each["before"], each["after"]) for each in dry["diff"]} == {
        "05-ours-rail0.link": ("b\n", "a\n"),
        "05-ours-rail1.link": ("", "c\n"),
        "05-ours-rail7.link": ("old\n", ""),
    }


def test_a_drifted_mode_is_put_right(sync, folder):
    sync({"05-ours-key": "secret\n"}, mode="0600")
    path = folder / "05-ours-key"
    path.chmod(0o644)
    answer = sync({"05-ours-key": "secret\n"}, mode="0600")
    assert answer["changed"] is True
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert answer["diff"][0]["before"] == {"mode": "0644"}


def test_a_new_file_is_never_readable_before_its_mode_is_set(sync, folder):
    sync({"05-ours-key": "secret\n"}, mode="0600")
    assert stat.S_IMODE((folder / "05-ours-key").stat().st_mode) == 0o600


def test_nothing_is_written_when_the_validation_refuses(sync, folder):
    before = content(folder)
    answer = sync({"05-ours-a": "a\n"}, validate="sh -c 'echo line 3 is wrong; exit 1' %s")
    assert answer["failed"] is True
    assert "nothing was written" in answer["msg"]
    assert "line 3 is wrong" in answer["msg"]
    assert content(folder) == before


def test_the_validation_sees_other_peoples_files_and_ours_as_they_will_be(sync, folder):
    (folder / "05-ours-old").write_text("old\n")
    seen = f"cd $0{folder} && test -f 10-theirs.network && test ! -e 05-ours-old && grep -q a 05-ours-a"
    check = f"sh -c '{seen}' %s"
    assert "failed" not in sync({"05-ours-a": "a\n"}, validate=check)


def test_the_validation_is_spared_when_nothing_changes(sync):
    sync({"05-ours-a": "a\n"})
    assert sync({"05-ours-a": "a\n"}, validate="false")["changed"] is False


def test_a_missing_folder_is_made_only_if_there_is_something_to_put_into_it(run_module, tmp_path):
    path = tmp_path / "new/deep"
    empty = {"folders": [{"path": str(path), "prefix": "x-", "files": {}}]}
    assert run_module("files_in_sync", empty)["changed"] is False
    assert not path.exists()
    full = {"folders": [{"path": str(path), "prefix": "x-", "files": {"x-1": "1\n"}}]}
    assert run_module("files_in_sync", full)["changed"] is True
    assert (path / "x-1").read_text() == "1\n"


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ([{"path": "relative", "prefix": "a", "files": {}}], "not an absolute path"),
        ([{"path": "/x", "prefix": "", "files": {}}], "prefix is empty"),
        ([{"path": "/x", "prefix": "a", "files": {"b": ""}}], "'b' does not begin with prefix 'a'"),
        ([{"path": "/x", "prefix": "a", "files": {"a/../../b": ""}}], "does not begin with"),
        ([{"path": "/x", "prefix": "a", "files": {}, "mode": "rw"}], "not octal"),
        ([{"path": "/x", "prefix": "a", "files": {}}, {"path": "/x/", "prefix": "ab", "files": {}}], "overlap"),
    ],
)
def test_sets_that_could_reach_beyond_our_files_are_refused(run_module, folders, expected):
    answer = run_module("files_in_sync", {"folders": folders})
    assert answer["failed"] is True
    assert expected in answer["msg"]
