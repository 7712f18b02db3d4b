"""Trees of /proc, /sys, /etc and /boot as kernels show them, and our plug-ins as Ansible loads them."""

import importlib.util
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[4] / "plugins"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def load_plugin():
    """Path below plugins/ -> its module."""
    return lambda name: load(PLUGINS / name)


@pytest.fixture(scope="session")
def kernel_state():
    return load(PLUGINS / "module_utils/kernel_state.py")


@pytest.fixture(scope="session")
def kernel_files():
    return load(PLUGINS / "modules/kernel_files.py")


@pytest.fixture(scope="session")
def filters():
    return load(PLUGINS / "filter/hugepages.py").FilterModule().filters()


@pytest.fixture
def tree(tmp_path):
    """Write {path below the root: content}; a tree already begun is added to."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path

    return write


def node(number, mem_total_kib, pages_2m=0, cpus="0-1"):
    """A NUMA node's folder, shapes as Linux 6.1 on Debian 12 shows them."""
    base = f"sys/devices/system/node/node{number}"
    return {
        f"{base}/meminfo": f"Node {number} MemTotal:       {mem_total_kib} kB\nNode {number} MemFree:        1000 kB\n"
        f"Node {number} HugePages_Total:     {pages_2m}\n",
        f"{base}/cpulist": f"{cpus}\n",
        f"{base}/hugepages/hugepages-2048kB/nr_hugepages": f"{pages_2m}\n",
        f"{base}/hugepages/hugepages-2048kB/free_hugepages": f"{pages_2m}\n",
        f"{base}/hugepages/hugepages-1048576kB/nr_hugepages": "0\n",
        f"{base}/hugepages/hugepages-1048576kB/free_hugepages": "0\n",
    }


@pytest.fixture
def two_nodes(tree):
    """8 GiB on each of two nodes; node 10 shows that numbers are sorted as numbers."""
    return tree({**node(10, 8 << 20, cpus="2-3"), **node(2, 8 << 20, pages_2m=64)})
