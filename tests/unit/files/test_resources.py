"""Resources are found wherever a command is started, and a site by its path, or by its name near to far."""

from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.resources import resource
from nornir_tasks.files.site import find_site, load_site


def test_the_working_directory_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("inventory", "catalogue", "templates"):
        (tmp_path / kind).mkdir()
    before = resource("inventory")
    monkeypatch.chdir(tmp_path)
    assert resource("inventory") == before
    assert load_site("lab").name == "lab"


def test_a_name_is_looked_for_in_inventory_then_here_then_among_the_built_in_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inventory" / "lab-breakout").mkdir(parents=True)
    assert find_site("lab") == (resource("inventory") / "lab").resolve()
    made = []
    for place in (tmp_path / "lab", tmp_path / "inventory" / "lab"):
        place.mkdir()
        assert find_site("lab") == (made or [(resource("inventory") / "lab").resolve()])[-1], "no intent in it yet"
        (place / "fabric.yml").write_text("site: lab\n")
        assert find_site("lab") == place
        made.append(place)
    assert find_site("./lab") == tmp_path / "lab", "a path is a path"
    assert find_site(Path("lab")) == tmp_path / "lab", "and a Path as well"
    assert find_site("lab-breakout") == (resource("inventory") / "lab-breakout").resolve()


def test_the_working_directory_can_be_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fabric.yml").write_text("site: lab\n")
    monkeypatch.chdir(tmp_path)
    assert find_site(".") == tmp_path


def test_a_site_is_found_by_path_too(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text((resource("inventory") / "lab" / "fabric.yml").read_text())
    assert find_site(tmp_path) == tmp_path.resolve()
    assert load_site(str(tmp_path)).directory == tmp_path.resolve()


@pytest.mark.parametrize("name", ["nowhere", "./nowhere", ""])
def test_a_site_that_does_not_exist_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(IntentError, match=r"no such site|no fabric\.yml here"):
        load_site(name)


def test_a_site_that_is_not_found_is_refused_with_those_of_the_working_directory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inventory" / "dc1").mkdir(parents=True)
    (tmp_path / "inventory" / "dc1" / "fabric.yml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IntentError, match=r"one of (.*, )?dc1, lab, lab-breakout, "):
        find_site("dc2")
