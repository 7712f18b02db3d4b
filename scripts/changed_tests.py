"""The test files that a change can make fail, one a line: what imports a changed file, or names it, at any distance.

python scripts/changed_tests.py [BASE]    against BASE (main unless said), with what is not committed and not tracked

Too many are selected rather than too few. A file that nothing names or imports selects ``tests``, which is all.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALL = "tests"
OF_ALL = re.compile(r"tests/conftest\.py|tests/needs\.py|pyproject\.toml|constraints\.txt|Makefile|scripts/setup\.sh")
"""Files that every test depends on."""
OURS = ("nornir_tasks", "switch_twins", "napalm_nvue")
PLUGINS = "ansible_collections.gpufabric.host.plugins."

BESIDE: Mapping[str, tuple[str, ...]] = {
    # found by scanning, or started as a process: no import says so
    "nornir_tasks/platforms/__init__.py": ("nornir_tasks/platforms",),
    "nornir_tasks/drivers/__init__.py": ("nornir_tasks/drivers",),
    "nornir_tasks/design/contribute/known_kinds.py": ("nornir_tasks/design/contribute",),
    "switch_twins/server.py": ("switch_twins",),
    "switch_twins/routed/startup.py": ("switch_twins",),
    "nornir_tasks/lab/process.py": ("nornir_tasks/lab", "switch_twins"),
    "nornir_tasks/cli/app.py": ("nornir_tasks/cli",),
    # what files that are no Python use
    "site.yml": ("playbooks",),
    "playbooks": ("roles", "plugins", "inventory", "ansible.cfg"),
    "roles": ("plugins",),
    "molecule": ("roles", "playbooks"),
}
"""A file or folder, and what else counts for whoever depends on it."""
INSTEAD: Mapping[str, tuple[str, ...]] = {
    "nornir_tasks/files/resources.py": (),  # who asks for a folder uses it
    "nornir_tasks/files/firewall_rules.py": ("roles/firewall", "roles/nat_gateway"),
}
"""What these use beside imports, where their texts name more."""
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "nornir": ("nornir_tasks/cli/app.py", "nornir_tasks/cli/main.py"),
    "switch-twins": ("switch_twins/process.py",),
    **dict.fromkeys(
        ("ansible", "ansible-playbook", "ansible-inventory"), ("site.yml", "playbooks", "roles", "plugins")
    ),
}
"""A program that a test starts, and what it runs."""

_WORD = re.compile(r"[\w./-]+")


class Tree:
    """The files of the repository, and which others each depends on."""

    def __init__(self, files: Iterable[str], read: Mapping[str, str]) -> None:
        """``read``: a file of Python -> its text."""
        self.files = frozenset(files)
        self._folders = {str(each) for file in self.files for each in Path(file).parents} - {"."}
        self._of_tests = defaultdict[str, set[str]](set)
        """Modules of tests by their names: folders of tests are put into Python's path."""
        for file in self.files:
            if file.startswith("tests/") and file.endswith(".py"):
                self._of_tests[Path(file).stem].add(file)
        self._used_by = defaultdict[str, set[str]](set)
        for file, text in read.items():
            for used in self._uses(file, ast.parse(text)):
                self._used_by[used].add(file)
            if file.startswith("tests/"):
                for folder in Path(file).parents[:-2]:  # that of all tests uses half of the product: OF_ALL
                    self._used_by[f"{folder}/conftest.py"].add(file)
        for user, others in BESIDE.items():
            for each in others:
                self._used_by[each].add(user)

    def tests(self, changed: Iterable[str]) -> tuple[str, ...]:
        """The test files that depend on any of these; ``tests`` alone: all of them."""
        found = set[str]()
        for file in changed:
            of_file = () if OF_ALL.fullmatch(file) else self.nearest(file)
            if not of_file:
                return (ALL,)
            found |= set(of_file)
        return tuple(sorted(found))

    def nearest(self, changed: str) -> tuple[str, ...]:
        """The test files that depend on one file, those first that are the fewest imports away from it."""
        seen, left = dict[str, None](), deque([changed])
        if changed.endswith(("__init__.py", "conftest.py")):  # whatever is beside it or below comes by it
            left += [
                each for each in self.files if each.startswith(f"{Path(changed).parent}/") and each.endswith(".py")
            ]
        while left:
            file = left.popleft()
            if file not in seen:
                seen[file] = None
                for each in (file, *_folders(file)):
                    left += sorted(self._used_by.get(each, ()))
        return tuple(each for each in seen if _is_test(each) and each in self.files)

    def _uses(self, file: str, tree: ast.AST) -> Iterator[str]:
        seen = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings use nothing
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from self._imported(file, node)
            elif id(node) not in seen and file not in INSTEAD:
                text = _joined(node) if isinstance(node, (ast.BinOp, ast.Call)) else ""
                if text or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
                    seen |= {id(each) for each in ast.walk(node)}
                    yield from self._named(file, text, is_path=True)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield from self._named(file, node.value)
        yield from INSTEAD.get(file, ())

    def _imported(self, file: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        if isinstance(node, ast.Import):
            for module in node.names:
                yield from self._module(file, module.name)
            return
        above = _above(file, node.level) if node.level else ""
        name = ".".join(part for part in (above, node.module or "") if part)
        for each in ("", *(f".{each.name}" for each in node.names)):
            yield from self._module(file, f"{name}{each}")

    def _module(self, file: str, name: str) -> Iterator[str]:
        """The file of a module: by its whole name, or as tests and scripts name what lies beside them."""
        parts = name.replace(PLUGINS, "plugins.").replace(".", "/")
        yield from {f"{parts}.py", f"{parts}/__init__.py", f"scripts/{parts}.py"} & self.files - {file}
        if file.startswith("tests/"):
            yield from self._of_tests.get(parts, set()) - {file}

    def _named(self, file: str, text: str, *, is_path: bool = False) -> Iterator[str]:
        """Files and folders that a text names, from the root or from a folder above the file; programs; modules."""
        if file.startswith(("tests/", "scripts/")):
            yield from (each for word in text.split()[:1] for each in PROGRAMS.get(Path(word).name, ()))
        whole = _WORD.match(text)
        if whole is None or re.search(r"\s", text):
            return  # a sentence, not a name
        word = whole[0].rstrip("./")
        if word.split(".")[0] in OURS and "/" not in word:
            yield from self._module(file, word)
        is_file = is_path or "/" in word or "." in word
        if not is_file and file.startswith(OURS):
            return  # a word of a configuration; folders are asked for by resource()
        for folder in (".", *(str(each) for each in Path(file).parents)) if is_file else (".",):
            if (found := self._there(str(Path(folder) / word))) and found not in (file, ALL, *OURS):
                yield found

    def _there(self, path: str) -> str:
        """The path, if there is such a file or folder; Python's without its ending too."""
        return next((each for each in (path, f"{path}.py") if each in self.files or each in self._folders), "")


def _folders(file: str) -> Iterator[str]:
    """The folders that somebody may name for a file in them; of tests' Python none, which is imported by name."""
    if not (file.startswith("tests/") and file.endswith(".py")):
        yield from map(str, Path(file).parents)


def _above(file: str, level: int) -> str:
    return ".".join(Path(file).parts[: len(Path(file).parts) - level])


def _joined(node: ast.expr) -> str:
    """``ROOT / "templates" / os`` -> ``templates``: the constants up to the first part that is none.

    ``resource("templates")`` is one as well.
    """
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        parts.insert(0, node.right)
        node = node.left
    texts = [_resource(node)]
    for each in parts:
        if not (isinstance(each, ast.Constant) and isinstance(each.value, str)):
            break
        texts.append(each.value)
    return "/".join(filter(None, texts))


def _resource(node: ast.expr) -> str:
    """``resource("templates")`` -> ``templates``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "resource"):
        return ""
    return str(node.args[0].value) if node.args and isinstance(node.args[0], ast.Constant) else ""


def _is_test(file: str) -> bool:
    return file.startswith("tests/") and Path(file).name.startswith("test_") and file.endswith(".py")


def git(*words: str) -> list[str]:
    """The lines that a command of git prints about this tree."""
    command = ("git", "-C", str(ROOT), *words)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()  # noqa: S603


def main() -> int:
    """Print what is selected."""
    base = sys.argv[1] if len(sys.argv) > 1 else "main"
    new = git("ls-files", "--others", "--exclude-standard")
    changed = {*git("diff", "--name-only", "--no-renames", "--merge-base", base), *new}
    files = {*git("ls-files"), *new, *changed}
    python = [each for each in files if each.endswith(".py") and (ROOT / each).exists()]
    tree = Tree(files, {each: (ROOT / each).read_text(encoding="utf-8") for each in python})
    sys.stdout.write("".join(f"{each}\n" for each in tree.tests(changed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
