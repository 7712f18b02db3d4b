"""What a user installs works away from the checkout: sdist -> wheel -> an empty environment -> `nornir render`."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path, timeout_s: int = 600) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment that holds the wheel built from the sdist, and nothing of the checkout."""
    where = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--outdir", where / "dist", ROOT, cwd=where)  # sdist, then wheel out of it
    (wheel,) = (where / "dist").glob("*.whl")
    venv.create(where / "venv", with_pip=True)
    pip = where / "venv/bin/pip"
    run(pip, "install", "--quiet", "-c", ROOT / "constraints.txt", f"{wheel}[lab]", cwd=where)
    return where / "venv"


def test_the_wheel_renders_a_site_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    run(installed / "bin/nornir", "render", "--site", "lab", "--out", tmp_path / "out", cwd=tmp_path)
    rendered = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(rendered) == 10
    assert {Path(name).suffix for name in rendered} == {".cfg", ".yaml"}


def test_napalm_finds_the_nvue_driver_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import napalm; print(napalm.get_network_driver('nvue').__mro__[1].__module__)"
    assert "napalm" in run(installed / "bin/python", "-c", code, cwd=tmp_path)
