"""What a user installs works away from the checkout: sdist -> wheel -> an empty environment.

There `nornir render` and `ansible-playbook site.yml` find all they need.
"""

import json
import os
import random
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SWITCHES = {
    "eos": {"release": "4.33.1F", "model": "7060DX5-64S", "asic": "tomahawk4", "ports": ["Ethernet1/1"]},
    "nxos": {"release": "10.4(3)", "model": "N9K-C9332D-GX2B", "asic": "cloudscale-gx2", "ports": ["Ethernet1/1"]},
    "nvue": {"release": "5.14.0", "model": "SN5600", "asic": "spectrum4", "ports": ["swp1"]},
}


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
    """A fresh environment that holds the wheel built from the sdist, and nothing of the checkout.

    The pip beside this Python installs it, and compiles nothing: a third of what is installed is ever imported here.
    """
    where = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--outdir", where / "dist", ROOT, cwd=where)  # sdist, then wheel out of it
    (wheel,) = (where / "dist").glob("*.whl")
    venv.create(where / "venv")
    pip = (sys.executable, "-m", "pip", "--python", where / "venv/bin/python")
    run(*pip, "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", f"{wheel}[lab]", cwd=where)
    return where / "venv"


def test_the_wheel_says_the_commit_that_it_was_built_from(installed: Path, tmp_path: Path) -> None:
    code = "from nornir_tasks.cli.main import main; main()"
    in_checkout = run(sys.executable, "-c", code, "--version", cwd=ROOT)
    assert run(installed / "bin/nornir", "--version", cwd=tmp_path) == in_checkout
    assert " commit " in in_checkout or not (ROOT / ".git").exists()


def test_the_wheel_renders_a_site_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    run(installed / "bin/nornir", "render", "--site", "lab", "--out", tmp_path / "out", cwd=tmp_path)
    rendered = sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))
    assert len(rendered) == 24
    assert {Path(name).suffix for name in rendered} == {".cfg", ".yaml"}


@pytest.mark.parametrize(
    "sized",
    [
        pytest.param("--hosts 4 --nics 1", id="4-hosts-one-nic"),
        pytest.param("--hosts 16 --nics 8", id="16-hosts", marks=pytest.mark.long),
        pytest.param("--hosts 37 --leaf nvue", id="37-hosts", marks=pytest.mark.long),
        pytest.param("--from lab", id="built-in", marks=pytest.mark.long),
    ],
)
def test_a_newcomer_with_an_empty_home_and_the_wheel_has_a_validated_site_in_at_most_eight_commands(
    installed: Path, tmp_path: Path, sized: str
) -> None:
    """Typed is what ``init`` prints, and nothing else; the site is in an empty folder."""
    home = tmp_path / "home"
    home.mkdir()
    validated(installed / "bin/nornir", sized, tmp_path / "at", {"HOME": str(home), **NO_STATE})


NO_STATE = {"XDG_STATE_HOME": "", "GPUFABRIC_STATE": ""}
INSTALLERS = {
    "uv": ("tool", "install", "--quiet", "--with-executables-from", "ansible-core"),
    "pipx": ("install", "--quiet", "--include-deps"),
}
"""Program -> its words before the wheel, as docs/hosts.md has them, so that ``ansible-playbook`` is there, too."""


@pytest.mark.long
@pytest.mark.parametrize("tool", INSTALLERS)
def test_a_newcomer_with_an_empty_home_and_pipx_or_uv_has_the_same(installed: Path, tmp_path: Path, tool: str) -> None:
    """The tools come from PyPI into an environment of their own."""
    (wheel,) = (installed.parent / "dist").glob("*.whl")
    home = tmp_path / "home"
    home.mkdir()
    alone = {"HOME": str(home), **NO_STATE}
    venv.create(tmp_path / "tools")
    pip = (sys.executable, "-m", "pip", "--python", tmp_path / "tools/bin/python")
    run(*pip, "install", "--quiet", tool, cwd=tmp_path)
    run(tmp_path / "tools/bin" / tool, *INSTALLERS[tool], f"gpufabric[lab] @ file://{wheel}", cwd=tmp_path, **alone)
    assert (home / ".local/bin/ansible-playbook").exists()
    assert " ".join(INSTALLERS[tool]).replace(" --quiet", "") in (ROOT / "docs/hosts.md").read_text()
    validated(home / ".local/bin/nornir", "--hosts 4 --nics 1", tmp_path / "at", alone)


def validated(nornir: Path, sized: str, at: Path, alone: dict[str, str]) -> None:
    """A new site by what ``init`` prints."""
    at.mkdir()
    output = run(nornir, "init", "dc1", *sized.split(), cwd=at, **alone)
    *commands, down = [line.split()[1:] for line in output.splitlines() if line.startswith("  nornir ")]
    assert len(commands) + 1 <= 8
    try:
        for words in commands:
            output = run(nornir, *words, *(["--yes"] if "push" in words else []), cwd=at, **alone)
    finally:
        run(nornir, *down, cwd=at, **alone)
    (line,) = (each for each in output.splitlines() if each.startswith("passed, tested "))
    passed, tested = line.split()[2], line.split()[4].strip(",")
    assert int(passed) == int(tested) > 0


def test_the_wheel_holds_every_file_of_the_twins(installed: Path) -> None:
    (packages,) = installed.glob("lib/python*/site-packages")
    installed_names = names_below(packages / "switch_twins")
    assert names_below(ROOT / "switch_twins") - installed_names == set()
    assert {"eos/grammar.txt", "nvue/brownfield.json", "nxos/grammar/4_bgp.grammar"} <= installed_names


def names_below(folder: Path) -> set[str]:
    files = (each for each in folder.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    return {each.relative_to(folder).as_posix() for each in files}


def test_one_twin_of_each_system_serves_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    network = f"127.{random.randint(200, 250)}.{random.randint(1, 250)}"
    where = {"api_port": 8443, "ssh_port": 8022, "asn": 65001}
    devices = [
        {"name": os, "os": os, "serial": os, "address": f"{network}.{number}", **where, **facts}
        for number, (os, facts) in enumerate(SWITCHES.items(), 1)
    ]
    spec = {"site": "x", "dir": ".", "ca": "ca.pem", "username": "admin", "password_file": "password"}
    (tmp_path / "spec.json").write_text(json.dumps({**spec, "devices": devices}))
    (tmp_path / "password").touch(mode=0o600)
    (tmp_path / "password").write_text("secret")
    run(installed / "bin/switch-twins", "spec.json", "--max-seconds", "1", cwd=tmp_path)
    assert "ended by itself" in (tmp_path / "ended.json").read_text()  # written only if all listened


def test_napalm_finds_the_nvue_driver_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import napalm; print(napalm.get_network_driver('nvue').__mro__[1].__module__)"
    assert "napalm" in run(installed / "bin/python", "-c", code, cwd=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("option", ["--syntax-check", "--list-tasks"])
def test_site_yml_of_the_wheel_finds_its_roles_and_hosts(installed: Path, tmp_path: Path, option: str) -> None:
    (data,) = installed.glob("lib/python*/site-packages/nornir_tasks/_data")
    playbook = installed / "bin/ansible-playbook"
    settings = {"ANSIBLE_CONFIG": str(data / "ansible.cfg"), "GPUFABRIC_PLANNED": "true", "HOME": str(tmp_path)}
    output = run(playbook, option, data / "site.yml", cwd=tmp_path, **settings)
    if option == "--list-tasks":
        # Roles of clusters need the collection kubernetes.core, which the wheel has not; the boundary has its play.
        elsewhere = "".join(
            (data / "playbooks" / name).read_text() for name in ("kubernetes.yml", "gpu_operator.yml", "boundary.yml")
        )
        roles = sorted(path.name for path in (ROOT / "roles").iterdir() if (path / "meta/main.yml").is_file())
        assert [
            role for role in roles if f"{role} : " not in output and f"gpufabric.host.{role}" not in elsewhere
        ] == []


def test_the_inventory_plug_in_of_the_wheel_tells_the_hosts_of_a_site(installed: Path, tmp_path: Path) -> None:
    (data,) = installed.glob("lib/python*/site-packages/nornir_tasks/_data")
    settings = {"ANSIBLE_CONFIG": str(data / "ansible.cfg"), "GPUFABRIC_PLANNED": "true", "HOME": str(tmp_path)}
    output = run(installed / "bin/ansible-inventory", "--host", "gpu-1", cwd=tmp_path, **settings)
    assert json.loads(output)["nccl_traffic_class"] == 106


def test_the_collection_lies_in_the_wheel_as_folders(installed: Path) -> None:
    (data,) = installed.glob("lib/python*/site-packages/nornir_tasks/_data")
    collection = data / "ansible_collections/gpufabric/host"
    assert not [path for path in collection.rglob("*") if path.is_symlink()]
    assert names_below(ROOT / "roles") == names_below(collection / "roles")
    assert names_below(ROOT / "plugins") == names_below(collection / "plugins")


@pytest.fixture(scope="module")
def collections(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection, built from the checkout and installed offline beside the wheel; its folder of collections."""
    where = tmp_path_factory.mktemp("collection")
    galaxy, home = installed / "bin/ansible-galaxy", {"HOME": str(where)}
    run(galaxy, "collection", "build", "--output-path", where, ROOT, cwd=where, **home)
    (archive,) = where.glob("gpufabric-host-*.tar.gz")
    run(galaxy, "collection", "install", "--offline", "-p", where / "installed", archive, cwd=where, **home)
    return where / "installed"


def test_the_built_collection_holds_roles_playbooks_and_plug_ins_and_nothing_of_the_checkout_else(
    collections: Path,
) -> None:
    collection = collections / "ansible_collections/gpufabric/host"
    top = {path.name for path in collection.iterdir()}
    assert top <= {
        "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "FILES.json", "LICENSE", "MANIFEST.json", "README.md",
        "ansible.cfg", "meta", "playbooks", "plugins", "roles", "site.yml",
    }  # fmt: skip
    assert names_below(ROOT / "roles") == names_below(collection / "roles")


def play(installed: Path, collections: Path, where: Path, tasks: str) -> subprocess.CompletedProcess[str]:
    """A play on this machine with nothing but ansible-core, the wheel and the collection; it is a dry run."""
    (where / "play.yml").write_text(f"- hosts: localhost\n  gather_facts: false\n  tasks:\n{tasks}")
    foreign = ("VIRTUAL_ENV", "PYTHON", "ANSIBLE_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    python = f"ansible_python_interpreter={sys.executable}"
    command = [installed / "bin/ansible-playbook", "-i", "localhost,", "-c", "local", "-e", python, "--check", "--diff"]
    return subprocess.run(
        [*command, "play.yml"],
        cwd=where,
        env={**clean, "ANSIBLE_COLLECTIONS_PATH": str(collections), "HOME": str(where)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


NCCL = """\
    - ansible.builtin.include_role: {name: gpufabric.host.nccl}
      vars:
        nccl_rails: [rail0]
        nccl_traffic_class: 106
        nccl_cross_nic: 2
        nccl_pxn_disable: 0
        nccl_socket_interfaces: [ens3]
        nccl_root: ROOT
"""


@pytest.mark.needs("root")  # it reads root's own settings of NCCL
def test_a_role_of_the_installed_collection_runs(installed: Path, collections: Path, tmp_path: Path) -> None:
    for name in ("class/net/ens3/mtu", "class/net/rail0/mtu", "class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0"):
        file = tmp_path / "host/sys" / name
        file.parent.mkdir(parents=True)
        file.write_text("rail0\n" if "ndevs" in name else "9000\n")
    done = play(installed, collections, tmp_path, NCCL.replace("ROOT", str(tmp_path / "host")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "+NCCL_IB_HCA==mlx5_0" in done.stdout
    assert "changed=1" in done.stdout


def test_the_judge_of_the_installed_collection_finds_the_wheel(
    installed: Path, collections: Path, tmp_path: Path
) -> None:
    tasks = "    - ansible.builtin.include_role: {name: gpufabric.host.host_validate}\n"
    done = play(installed, collections, tmp_path, tasks)
    assert "roce_qos_dscp: no value; the inventory plug-in gpufabric takes it from the intent" in done.stdout


def test_every_module_of_the_installed_collection_has_its_page(
    installed: Path, collections: Path, tmp_path: Path
) -> None:
    modules = sorted(f"gpufabric.host.{path.stem}" for path in (ROOT / "plugins/modules").glob("*.py"))
    settings = {"ANSIBLE_COLLECTIONS_PATH": str(collections), "HOME": str(tmp_path)}
    output = run(installed / "bin/ansible-doc", "--json", "-t", "module", *modules, cwd=tmp_path, **settings)
    pages = json.loads(output)
    assert sorted(pages) == modules
    assert all(page["examples"] and page["return"] for page in pages.values())
