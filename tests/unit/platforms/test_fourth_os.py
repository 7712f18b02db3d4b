"""A switch OS is added by new files alone; until it is whole, one error names what is missing."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks import platforms
from nornir_tasks.errors import IntentError
from nornir_tasks.files.site import load_site
from nornir_tasks.files.systems import systems

ROOT = Path(__file__).parents[3]
STUBS = Path(__file__).with_name("fourth_os")
COPIED = ("nornir_tasks", "switch_twins", "templates", "catalogue")
LEAF = "platform: eos\n      release: 4.33.1F\n      model: 7060DX5-64S"
"""The leaves of the lab site that are of EOS."""


def lab_site(where: Path, leaf: str) -> Path:
    """The lab site with other leaves on every second rail."""
    text = (ROOT / "inventory" / "lab-rails" / "fabric.yml").read_text()
    assert LEAF in text
    where.mkdir()
    (where / "fabric.yml").write_text(text.replace(LEAF, leaf))
    return where


def _look_again() -> None:
    platforms.platforms.cache_clear()
    systems.cache_clear()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of platforms also looks where Toy OS was begun."""
    monkeypatch.setattr(platforms, "__path__", [*platforms.__path__, str(STUBS / "begun")])
    _look_again()
    yield
    _look_again()
    for name in [name for name in sys.modules if name.startswith("nornir_tasks.platforms.toyos")]:
        del sys.modules[name]


@pytest.mark.usefixtures("begun")
def test_an_os_in_the_making_is_refused_with_all_that_it_lacks_at_the_line_that_asks_for_it(tmp_path: Path) -> None:
    site = lab_site(tmp_path / "toy", LEAF.replace("eos", "toyos"))
    with pytest.raises(IntentError) as caught:
        load_site(site)
    (problem,) = caught.value.problems
    line = (site / "fabric.yml").read_text().splitlines().index("      platform: toyos") + 1
    assert problem.where.endswith(f"fabric.yml:{line}")
    assert (problem.found, problem.hint) == ("toyos", "CONTRIBUTING.md says what a switch OS must bring")
    modules = ("candidate", "disruption", "observe", "ownership", "parse", "port_map")
    fields = ("to_tree", "to_text", "canonical", "ownership", "setting", "announcing", "parse", "candidate")
    more = ("server_changes", "disruption", "protected", "observing", "api_port", "template_filters")
    missing = [
        *(f"nornir_tasks/platforms/toyos/{name}.py" for name in modules),
        *(f"PLATFORM.{name}" for name in (*fields, *more)),
        "nornir_tasks/drivers/toyos.py",
        "switch_twins/toyos/",
        "templates/toyos/",
    ]
    assert problem.expected == ", ".join(missing)
    assert f"toyos cannot be used: {len(missing)} of its parts are missing" in problem.what


@pytest.mark.usefixtures("begun")
def test_an_os_in_the_making_is_in_nobodys_way(tmp_path: Path) -> None:
    assert platforms.names() == ("eos", "nvue", "nxos", "toyos")
    assert list(platforms.platforms()) == ["eos", "nvue", "nxos"]
    assert load_site(ROOT / "inventory" / "lab-rails").name == "lab-rails"
    site = lab_site(tmp_path / "toy", LEAF.replace("eos", "toyo"))
    with pytest.raises(IntentError) as caught:
        load_site(site)
    (problem,) = caught.value.problems
    assert (problem.expected, problem.hint) == ("'eos', 'nvue', 'nxos' or 'toyos'", "did you mean toyos?")


@pytest.mark.parametrize("text", ["", "from nornir_tasks.platforms.bare.parse import parse\n"])
def test_an_empty_folder_lacks_everything(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "__init__.py").write_text(text)
    monkeypatch.setattr(platforms, "__path__", [*platforms.__path__, str(tmp_path)])
    folder = "nornir_tasks/platforms/bare"
    modules = [f"{folder}/{name}.py" for name in platforms.MODULES]
    assert list(platforms.missing_parts("bare")) == [*modules, f"PLATFORM in {folder}/__init__.py"]
    sys.modules.pop("nornir_tasks.platforms.bare", None)


class Checkout:
    """A copy of the product that Toy OS was added to."""

    def __init__(self, where: Path) -> None:
        self.where = where
        for name in COPIED:
            shutil.copytree(ROOT / name, where / name)
        for file in sorted((STUBS / "whole").rglob("*.py")):
            self._add(file.relative_to(STUBS / "whole"), file.read_text())
        for template in sorted((ROOT / "templates" / "eos").iterdir()):
            self._add(Path("templates") / "toyos" / template.name, template.read_text())
        model = (ROOT / "catalogue" / "arista" / "7060DX5-64S.yml").read_text()
        for old, new in (("vendor: arista", "vendor: toy"), ("7060DX5-64S\n", "T1\n"), ("[eos]", "[toyos]")):
            assert old in model
            model = model.replace(old, new, 1)
        self._add(Path("catalogue/toy/T1.yml"), model)

    def _add(self, place: Path, text: str) -> None:
        """A new file; none of the product's is changed."""
        file = self.where / place
        assert not file.exists(), place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def nornir(self, *words: str) -> str:
        """A verb's output."""
        code = "from nornir_tasks.cli.main import main; main()"
        environment = {**os.environ, "PYTHONPATH": str(self.where), "GPUFABRIC_STATE": str(self.where / "state")}
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=self.where,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same site with leaves of EOS and with leaves of Toy OS."""
    where = tmp_path_factory.mktemp("sites")
    toy = LEAF.replace("eos", "toyos").replace("7060DX5-64S", "T1")
    return lab_site(where / "of_eos", LEAF), lab_site(where / "of_toyos", toy)


def test_an_os_that_is_whole_designs_and_renders_without_a_change_to_the_product(
    checkout: Checkout, sites: tuple[Path, Path], tmp_path: Path
) -> None:
    rendered = []
    for site in sites:
        folder = tmp_path / site.name
        checkout.nornir("render", "--site", str(site), "--out", str(folder))
        texts = {path.stem: path.read_text() for path in sorted(folder.rglob("*")) if path.suffix in {".cfg", ".toy"}}
        rendered.append(texts)
    assert rendered[0] == rendered[1]
    assert {path.name for path in (tmp_path / "of_toyos").rglob("*.toy")} == {
        f"leaf-g1-r{rail}.toy" for rail in (0, 2, 4, 6)
    }
    answer = json.loads(checkout.nornir("design", "--site", str(sites[1]), "--json"))
    assert "toyos" in json.dumps(answer)


def test_a_lab_of_an_os_that_is_whole_is_pushed_to_and_validated(checkout: Checkout, sites: tuple[Path, Path]) -> None:
    site = ("--site", str(sites[1]))
    checkout.nornir("lab", "up", *site)
    try:
        checkout.nornir("push", *site, "--yes")
        assert "tested" in checkout.nornir("validate", *site)
        assert "0 of 10" in checkout.nornir("plan", *site)
    finally:
        checkout.nornir("lab", "down", *site)
