"""``make test-changed``: a change selects every test that can fail for it, and what nobody knows selects all."""

from functools import cache
from pathlib import Path

import pytest
from changed_tests import ALL, Tree

ROOT = Path(__file__).parents[2]
FILES = {
    "nornir_tasks/design/clos.py": "from nornir_tasks.errors import GpufabricError",
    "nornir_tasks/errors.py": "class GpufabricError(Exception): ...",
    "nornir_tasks/files/templates.py": 'def environment(os): return resource("templates") / os',
    "nornir_tasks/platforms/__init__.py": "def platforms(): ...",
    "nornir_tasks/platforms/eos/parse.py": '"""As templates/eos/main.j2 prints it."""\nROLES = "roles"',
    "plugins/filter/words.py": "def words(): ...",
    "tests/unit/conftest.py": "import shared",
    "tests/unit/shared.py": "",
    "tests/unit/test_clos.py": "from nornir_tasks.design.clos import spines",
    "tests/unit/test_render.py": "from nornir_tasks.files.templates import environment",
    "tests/unit/test_systems.py": "from nornir_tasks.platforms import platforms",
    "tests/lab/test_filters.py": 'ROOT = 1\nFILE = ROOT / "plugins/filter" / "words.py"',
    "tests/lab/test_roles.py": "import subprocess\nsubprocess.run(['ansible-playbook', 'site.yml'])",
    "tests/lab/test_words.py": "from ansible_collections.gpufabric.host.plugins.filter import words",
}
OTHERS = ("templates/eos/main.j2", "roles/hugepages/tasks/main.yml", "site.yml", "notes.bin", "pyproject.toml")


@pytest.mark.parametrize(
    ("changed", "selected"),
    [
        ("nornir_tasks/errors.py", {"test_clos.py"}),
        ("nornir_tasks/platforms/eos/parse.py", {"test_systems.py"}),
        ("templates/eos/main.j2", {"test_render.py"}),
        ("plugins/filter/words.py", {"test_filters.py", "test_roles.py", "test_words.py"}),
        ("roles/hugepages/tasks/main.yml", {"test_roles.py"}),
        ("tests/unit/test_clos.py", {"test_clos.py"}),
        ("tests/unit/shared.py", {"test_clos.py", "test_render.py", "test_systems.py"}),
        ("notes.bin", {ALL}),
        ("pyproject.toml", {ALL}),
    ],
)
def test_a_change_selects_what_imports_names_or_starts_it_and_an_unknown_file_all(
    changed: str, selected: set[str]
) -> None:
    tree = Tree((*FILES, *OTHERS), FILES)
    assert {Path(each).name for each in tree.tests([changed])} == selected


@cache
def this_tree() -> Tree:
    kinds = ("nornir_tasks", "switch_twins", "napalm_nvue", "plugins", "scripts", "tests")
    python = [str(each.relative_to(ROOT)) for kind in kinds for each in (ROOT / kind).rglob("*.py")]
    data = [
        str(each.relative_to(ROOT))
        for kind in ("templates", "catalogue", "roles", "playbooks", "inventory")
        for each in (ROOT / kind).rglob("*")
        if each.is_file()
    ]
    return Tree((*python, *data), {each: (ROOT / each).read_text(encoding="utf-8") for each in python})


@pytest.mark.parametrize(
    ("changed", "must"),
    [
        ("templates/nxos/bgp.j2", "tests/lab/test_line_shapes.py"),
        ("templates/eos/SOURCES.yml", "tests/unit/platforms/test_eos_sources.py"),
        ("catalogue/nvidia/SN5610.yml", "tests/unit/files/test_catalogue.py"),
        ("roles/hugepages/defaults/main.yml", "tests/unit/roles/test_role_contract.py"),
        ("roles/firewall/templates/firewall.nft.j2", "tests/lab/test_boundary_proof.py"),
        ("plugins/filter/firewall_problems.py", "tests/unit/roles/test_role_contract.py"),
        ("nornir_tasks/intent/rules/bond.py", "tests/errors/test_errors.py"),
        ("nornir_tasks/platforms/nvue/ownership.py", "tests/lab/test_line_shapes.py"),
        ("nornir_tasks/drivers/eos.py", "tests/lab/test_usecases.py"),
        ("switch_twins/nxos/patch.py", "tests/lab/test_svi_switches.py"),
    ],
)
def test_a_file_that_no_import_leads_to_selects_the_tests_that_need_it(changed: str, must: str) -> None:
    assert must in this_tree().tests([changed])
