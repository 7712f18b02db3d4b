"""Twins and product share no code, so that a template and the switch it is tested on cannot be wrong together."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import nornir_tasks
import switch_twins
from switch_twins import client
from switch_twins.server import builder, known_systems

PRODUCT = Path(nornir_tasks.__file__).parent
TWINS = Path(switch_twins.__file__).parent
ROOT = Path(__file__).parents[2]
CLIENT = tuple(f"switch_twins.client.{name}" for name in client.__all__)


def imports(path: Path, package: Path) -> Iterator[str]:
    """The absolute names of what a file of a package imports."""
    parts = path.relative_to(package.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parts[: len(parts) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def files(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


@pytest.mark.parametrize("path", files(TWINS), ids=lambda path: str(path.relative_to(TWINS)))
def test_twin_imports_nothing_of_the_product(path: Path) -> None:
    assert [name for name in imports(path, TWINS) if name.split(".")[0] in ("nornir_tasks", "napalm_nvue")] == []


@pytest.mark.parametrize("system", known_systems())
def test_twin_of_one_system_knows_no_other(system: str) -> None:
    others = tuple(f"switch_twins.{other}." for other in known_systems() if other != system)
    assert [n for path in files(TWINS / system) for n in imports(path, TWINS) if f"{n}.".startswith(others)] == []


def test_what_all_twins_share_knows_no_system_by_name() -> None:
    shared = [path for path in files(TWINS) if path.relative_to(TWINS).parts[0] not in known_systems()]
    systems = tuple(f"switch_twins.{system}." for system in known_systems())
    assert [name for path in shared for name in imports(path, TWINS) if f"{name}.".startswith(systems)] == []


def test_only_the_products_lab_uses_twins_and_only_through_their_control_client() -> None:
    used = {
        (path.relative_to(PRODUCT).parts[0], name)
        for path in files(PRODUCT)
        for name in imports(path, PRODUCT)
        if name.split(".")[0] == "switch_twins"
    }
    assert used == {("lab", name) for name in CLIENT}


def test_a_twin_of_another_system_is_found_by_being_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, code in (("toy", "def build(device, lab): return (device, lab)"), ("no_twin", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(code)
    before = known_systems()
    monkeypatch.setattr(switch_twins, "__path__", [*switch_twins.__path__, str(tmp_path)])
    assert known_systems() == tuple(sorted([*before, "toy"]))
    build = builder("toy")
    assert build is not None and build("device", "lab") == ("device", "lab")
    assert builder("spec") is builder("engine") is builder("no_twin") is builder("eos.shows") is None


def test_asyncio_stays_within_the_twins() -> None:
    asynchronous = {"asyncio", "aiohttp", "asyncssh"}
    found = [path for path in files(PRODUCT) if asynchronous & {n.split(".")[0] for n in imports(path, PRODUCT)}]
    assert found == []


def in_a_python_without(refused: str, code: str, tmp_path: Path) -> str:
    """What this code prints where importing a top-level module ``name`` fails if the expression ``refused`` is true."""
    guard = f"""
import sys
class Guard:
    def find_spec(self, fullname, path=None, target=None):
        name = fullname.partition(".")[0]
        if {refused}:
            raise ImportError(f"{{name}} is not installed here")
sys.meta_path.insert(0, Guard())
"""
    done = subprocess.run(
        [sys.executable, "-c", guard + code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


STANDARD_LIBRARY = 'name not in sys.stdlib_module_names and name != "switch_twins"'


def test_the_control_client_works_where_only_the_standard_library_is_installed(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from switch_twins.client import ControlClient, TwinError
try:
    ControlClient(Path("nobody.sock")).ask("status")
except TwinError as error:
    print(error)
"""
    output = in_a_python_without(STANDARD_LIBRARY, code, tmp_path)
    assert output.startswith("nobody.sock: the lab does not answer: "), output


def test_the_guard_itself_keeps_the_server_from_being_imported(tmp_path: Path) -> None:
    assert "is not installed here" in in_a_python_without(STANDARD_LIBRARY, "import switch_twins.server", tmp_path)


def lab_packages() -> Iterable[str]:
    """What the extra ``lab`` installs and the product does not need otherwise."""
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    by_paramiko_too = {"bcrypt", "cryptography"}
    return sorted({each.partition(">")[0].partition("=")[0] for each in extra["lab"]} - by_paramiko_too)


def test_the_product_runs_where_the_labs_dependencies_are_not_installed(tmp_path: Path) -> None:
    assert "aiohttp" in lab_packages()
    code = "import nornir_tasks.lab.manager, nornir_tasks.cli.lab; print('imported')"
    assert in_a_python_without(f"name in {lab_packages()}", code, tmp_path) == "imported\n"
