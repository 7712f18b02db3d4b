"""Resources are found wherever a command is started, and a site by its name or its path."""

from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.resources import resource
from nornir_tasks.files.site import find_site, load_site


def test_the_working_directory_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inventory" / "lab").mkdir(parents=True)
    (tmp_path / "inventory" / "lab" / "fabric.yml").write_text("site: decoy\n")
    before = resource("inventory")
    monkeypatch.chdir(tmp_path)
    assert resource("inventory") == before
    assert load_site("lab").name == "lab"


def test_a_site_is_found_by_path_too(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text((resource("inventory") / "lab" / "fabric.yml").read_text())
    assert find_site(tmp_path) == tmp_path.resolve()
    assert load_site(str(tmp_path)).directory == tmp_path.resolve()


@pytest.mark.parametrize("name", ["nowhere", "./nowhere", ""])
def test_a_site_that_does_not_exist_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(IntentError, match=r"no such site|no fabric\.yml here"):
        load_site(name)
