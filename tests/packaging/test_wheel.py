"""What a user installs works away from the checkout: sdist -> wheel -> an empty environment.

There `nornir render` and `ansible-playbook site.yml` find all they need.
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path, timeout_s: int = 600, **more: str) -> str:
    foreign = ("VIRTUAL_ENV", "PYTHON", "ANSIBLE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | more
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
    rendered = sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))
    assert len(rendered) == 10
    assert {Path(name).suffix for name in rendered} == {".cfg", ".yaml"}


def test_napalm_finds_the_nvue_driver_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import napalm; print(napalm.get_network_driver('nvue').__mro__[1].__module__)"
    assert "napalm" in run(installed / "bin/python", "-c", code, cwd=tmp_path)


@pytest.mark.parametrize("option", ["--syntax-check", "--list-tasks"])
def test_site_yml_of_the_wheel_finds_its_roles_and_hosts(installed: Path, tmp_path: Path, option: str) -> None:
    (data,) = installed.glob("lib/python*/site-packages/nornir_tasks/_data")
    playbook = installed / "bin/ansible-playbook"
    settings = {"ANSIBLE_CONFIG": str(data / "ansible.cfg"), "GPUFABRIC_PLANNED": "true", "HOME": str(tmp_path)}
    said = run(playbook, option, data / "site.yml", cwd=tmp_path, **settings)
    if option == "--list-tasks":
        roles = sorted(path.name for path in (ROOT / "roles").iterdir() if (path / "meta/main.yml").is_file())
        assert [role for role in roles if f"{role} : " not in said] == []


def test_the_inventory_plug_in_of_the_wheel_tells_the_hosts_of_a_site(installed: Path, tmp_path: Path) -> None:
    (data,) = installed.glob("lib/python*/site-packages/nornir_tasks/_data")
    settings = {"ANSIBLE_CONFIG": str(data / "ansible.cfg"), "GPUFABRIC_PLANNED": "true", "HOME": str(tmp_path)}
    said = run(installed / "bin/ansible-inventory", "--host", "gpu-1", cwd=tmp_path, **settings)
    assert json.loads(said)["nccl_traffic_class"] == 106
