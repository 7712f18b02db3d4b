"""No operating system, plane or fabric is named outside its own files: whatever is called otherwise would be missed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks import platforms
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.files.site import load_site

PACKAGE = Path(platforms.__file__).parents[1]
BESIDE = ("napalm_nvue", "plugins", "scripts", "switch_twins")
"""Folders beside the package whose code knows no plane either."""
OWN = ("platforms/{os}/", "drivers/{os}.py", "drivers/{os}_")
"""What belongs to one OS."""
SPELLED = ("NX-OS", "Cumulus")
"""How vendors write the names, where it is not how the folders are called."""
NAME = re.compile(rf"\b({'|'.join((*platforms.names(), *SPELLED))})\b", re.IGNORECASE)


def common_files() -> list[Path]:
    own = [place.format(os=os) for place in OWN for os in platforms.names()]
    paths = {path: str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.rglob("*.py"))}
    return [path for path, name in paths.items() if not any(name.startswith(each) for each in own)]


def named_in(tree: ast.AST) -> Iterator[str]:
    """Literals that name an OS; docstrings and words below a field are for people."""
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_value = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts
        if is_value and (found := NAME.search(node.value)):
            yield f"line {node.lineno}: {found[0]}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            yield from (f"line {node.lineno}: imports {name}" for name in names if NAME.search(name.replace("_", " ")))


@pytest.mark.parametrize("path", common_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_code_that_all_systems_share_names_none_of_them(path: Path) -> None:
    assert list(named_in(ast.parse(path.read_text()))) == []


def test_the_judge_itself_sees_a_name() -> None:
    guilty = 'PORTS = {"eos": 1}\nfrom nornir_tasks.platforms.nvue import tree\nimport x.nxos_y\nf"on {a} NX-OS"\n'
    assert len(list(named_in(ast.parse(guilty)))) == 4
    assert list(named_in(ast.parse('"""As on EOS."""\nname: str\n"""``eos``"""\n'))) == []


COMMON = {"compute", "storage", "business", "oob"}
"""What networks like these call planes as a rule: no word of anybody else's, so that none of the code has one."""


def names_of_planes_and_fabrics() -> set[str]:
    """What the sites call their planes and fabrics, and what others would."""
    found = {*COMMON}
    for file in sorted((PACKAGE.parent / "inventory").glob("*/fabric.yml")):
        intent = load_site(file.parent).intent
        found |= {*intent.planes, *intent.fabrics}
    return found


def compared_with(names: set[str], tree: ast.AST) -> Iterator[str]:
    """Literals that are such a name, a path with one in it, or what names on switches begin with."""
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_value = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts
        words = set(re.split(r"[.\-_ ]", node.value.lower())) if is_value else set()
        if words & names and " " not in node.value:
            yield f"line {node.lineno}: {node.value}"
        if isinstance(node, ast.Attribute) and node.attr in names:
            yield f"line {node.lineno}: .{node.attr}"


def decides_by(names: set[str], tree: ast.AST) -> Iterator[str]:
    """Comparisons with such a name, and cases of it: a kind may be called by a word that systems have too."""
    for node in ast.walk(tree):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        sides += [node.value] if isinstance(node, ast.MatchValue) else []
        for value in (part for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)):
            if value.value in names:
                yield f"line {node.lineno}: {value.value}"


def shared_by_planes() -> dict[str, ast.AST]:
    """File -> what it says."""
    own, root = PACKAGE / "design" / "contribute" / "planes", PACKAGE.parent
    paths = [path for folder in (PACKAGE.name, *BESIDE) for path in sorted((root / folder).rglob("*.py"))]
    assert {path.relative_to(root).parts[0] for path in paths} == {PACKAGE.name, *BESIDE}
    return {str(path.relative_to(root)): ast.parse(path.read_text()) for path in paths if own not in path.parents}


def test_code_that_all_planes_and_fabrics_share_names_none_of_them() -> None:
    names = names_of_planes_and_fabrics()
    assert names > COMMON
    files = shared_by_planes().items()
    assert {name: named for name, tree in files if (named := list(compared_with(names, tree)))} == {}


def test_code_that_all_planes_share_decides_by_no_kind_whatever_it_is_called() -> None:
    kinds_of_planes = {*kinds().planes, "backup"}  # NVUE's own word as well
    files = shared_by_planes().items()
    assert {name: named for name, tree in files if (named := list(decides_by(kinds_of_planes, tree)))} == {}
    guilty = 'plane.kind == "backup"\nkind in ("backup", "x")\nmatch kind:\n    case "backup": pass\n'
    assert len(list(decides_by({"backup"}, ast.parse(guilty)))) == 3
    assert list(decides_by({"backup"}, ast.parse('look(data, "mlag", "backup")\n'))) == []


def test_the_judge_of_planes_itself_sees_a_name() -> None:
    guilty = 'a == "compute"\nintent.planes.compute\n"COMPUTE-HOSTS" in b\nx = "planes.compute.leaf"\n'
    assert len(list(compared_with({"compute"}, ast.parse(guilty)))) == 4
    assert list(compared_with({"compute"}, ast.parse('"""compute"""\nsay("what compute nodes are")\n'))) == []


VAGUE = frozenset({"told", "held", "asked", "said", "wish", "wishes", "wished"})
"""Each of these once stood for several things: intended, configured, running, printed, an answer, an option."""


def identifiers(tree: ast.AST) -> Iterator[str]:
    """Every name that a file binds; names of tests are sentences."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from () if node.name.startswith("test_") else (node.name,)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.rpartition(".")[2]


def words_of(name: str) -> frozenset[str]:
    """``held_ecn`` and ``PortWish`` in words of small letters."""
    return frozenset(word.lower() for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name))


def test_no_name_says_no_more_than_that_somebody_said_or_wanted_something() -> None:
    root, found = PACKAGE.parent, {}
    for folder in ("nornir_tasks", "switch_twins", "napalm_nvue", "plugins", "roles", "scripts", "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            names = {path.stem, *identifiers(ast.parse(path.read_text()))}
            if vague := sorted(name for name in names if words_of(name) & VAGUE):
                found[str(path.relative_to(root))] = vague
    assert found == {}


def test_the_judge_of_words_itself_sees_a_vague_name() -> None:
    guilty = "class PortWish:\n    held_ecn: int\n\ndef f(asked):\n    self.told = said = 1\n"
    assert {*identifiers(ast.parse(guilty))} == {"PortWish", "held_ecn", "f", "asked", "told", "said"}
    assert [name for name in identifiers(ast.parse(guilty)) if not words_of(name) & VAGUE] == ["f"]
    assert list(identifiers(ast.parse("def test_what_is_held(): pass"))) == []
