"""Hosts of tests/standins/pcie, and the role's filters as Ansible loads them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
STANDIN = ROOT / "tests/standins/standin_pci.py"
RAILS = {f"rail{number}": f"0c:42:a1:00:00:{number + 16:02x}" for number in range(8)}


def standin(*arguments):
    subprocess.run([sys.executable, STANDIN, *map(str, arguments)], check=True, timeout=60)


@pytest.fixture
def host(tmp_path):
    """(tree, rails, options) -> the root of a host with these many rails."""

    def make(tree="hgx_h200", rails=8, *options):
        named = [f"--rail={name}={mac}" for name, mac in list(RAILS.items())[:rails]]
        root = tmp_path / tree
        if not root.exists():
            standin("make", root, "--tree", tree, *named, *options)
        return root

    return make


@pytest.fixture
def reboot():
    """(root, arguments) -> the host was started with these arguments of the kernel."""

    def again(root, arguments):
        (root / "proc/cmdline").write_text(f"root=UUID=0 ro {arguments}\n")
        standin("boot", root)

    return again


@pytest.fixture(scope="session")
def load_plugin():
    """Path below plugins/ -> its module."""

    def load(name):
        path = ROOT / "plugins" / name
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def matches(rails=8):
    """The rails as pci_facts takes them."""
    return [{"name": name, "match": {"mac": mac}} for name, mac in list(RAILS.items())[:rails]]
