"""The order in which files of tests are begun."""

from tests.conftest import ROOT, SLOW_FILES


def test_every_file_that_is_begun_early_is_there_and_the_longest_comes_first() -> None:
    rows = [row.split("\t") for row in SLOW_FILES.read_text(encoding="utf-8").splitlines()]
    assert [name for _, name in rows if not (ROOT / name).is_file()] == []
    seconds = [int(each) for each, _ in rows]
    assert seconds == sorted(seconds, reverse=True)
