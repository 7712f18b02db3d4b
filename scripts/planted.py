"""Small mistakes planted into files: one changed expression of Python, one changed line of a template or of YAML.

Texts of messages, docstrings, comments, names of tasks and sources are left as they are: nothing depends on them.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_OTHER = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_ONLY_READ = {"source", "name", "comment", "description", "short_description", "note", "notes", "because", "fail_msg"}
"""Keys of YAML whose values are for people."""
_KEY = re.compile(r"(?P<begin> *(?:- )?(?P<key>[\w.-]+): +)(?P<value>[^#>|&*\s].*)")
_ITEM = re.compile(r"(?P<begin> *- )(?P<value>[^#>|&*\s{\[\"'].*)")
_BLOCK = re.compile(r" *(?:- )?(?P<key>[\w.-]+):(?: [>|]-?)?")
_CONDITION = re.compile(r"(?P<begin>{%-? (?:if|elif) )(?P<value>.+?)(?P<end> -?%})")


class Mutant(NamedTuple):
    """One change of a file."""

    file: str
    line: int
    before: str
    after: str
    text: str
    """The whole file with it."""


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """All changes of one file that are tried."""
    if file.endswith(".py"):
        yield from _of_python(file, text)
    else:
        yield from _of_lines(file, text, _template if file.endswith(".j2") else _yaml)


def _of_python(file: str, text: str) -> Iterator[Mutant]:
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row.encode()))
    raw, tree = text.encode(), ast.parse(text)
    of_types = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}  # dict[str, int]
    for node in (each for each in ast.walk(tree) if id(each) not in of_types):
        for part, after in _changes(node, text):
            begin = starts[part.lineno - 1] + part.col_offset
            end = starts[(part.end_lineno or part.lineno) - 1] + (part.end_col_offset or 0)
            made = (raw[:begin] + after.encode() + raw[end:]).decode()
            try:
                ast.parse(made)
            except SyntaxError:
                continue
            yield Mutant(file, part.lineno, raw[begin:end].decode(), after, made)


def _changes(node: ast.AST, text: str) -> Iterator[tuple[ast.expr, str]]:
    """Expressions below a node, and what stands in their place."""

    def source(part: ast.expr) -> str:
        return ast.get_source_segment(text, part) or ""

    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OTHER:
        yield node, f"({source(node.left)} {_OTHER[type(node.ops[0])]} {source(node.comparators[0])})"
    elif isinstance(node, ast.BoolOp):
        yield node, f"({(' or ' if isinstance(node.op, ast.And) else ' and ').join(map(source, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, source(node.operand)
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield node.test, f"(not ({source(node.test)}))"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield node, str(node.value + 1)
    elif (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rule" and len(node.args) > 1
    ):
        yield node.args[1], '"nobody"'
    elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield node, f"({', '.join(map(source, node.elts[1:]))},)"


def _of_lines(file: str, text: str, changed: Callable[[list[str], int], Iterator[tuple[str, ...]]]) -> Iterator[Mutant]:
    rows = text.splitlines()
    for place, row in enumerate(rows):
        for after in changed(rows, place):
            made = [*rows[:place], *after, *rows[place + 1 :]]
            yield Mutant(file, place + 1, row.strip(), " ".join(after).strip(), "\n".join((*made, "")))


def _template(rows: list[str], place: int) -> Iterator[tuple[str, ...]]:
    """The line gone, its first word or a number another one, a condition turned round."""
    row = rows[place]
    found = _CONDITION.search(row)
    if found:
        yield (f"{row[: found.start()]}{found['begin']}not ({found['value']}){found['end']}{row[found.end() :]}",)
    if row.strip() and not re.search(r"{[%#]|[#%]}", row):
        yield ()
        word = re.match(r" *[A-Za-z][\w-]*", row)
        if word:
            yield (f"{row[: word.end()]}x{row[word.end() :]}",)
        number = re.search(r"(?<![\w.])\d+(?![\w.])", row)
        if number:
            yield (f"{row[: number.start()]}{int(number[0]) + 1}{row[number.end() :]}",)


def _yaml(rows: list[str], place: int) -> Iterator[tuple[str, ...]]:
    """The line gone, its value another one, a condition turned round."""
    row = rows[place]
    above = _above(rows, place)
    if above and above[0] in _ONLY_READ:
        return
    found = _KEY.fullmatch(row)
    item = _ITEM.fullmatch(row)
    if found and found["key"] not in _ONLY_READ:
        yield from (() if row.lstrip().startswith("- ") else ((),))
        if found["key"] in {"when", "changed_when", "failed_when"} and found["value"] not in {"false", "true"}:
            yield (f"{found['begin']}not ({found['value']})",)
        elif (other := _another(found["value"])) is not None:
            yield (found["begin"] + other,)
    elif item and not _KEY.fullmatch(row):
        yield ()
        if above[:1] == ["when"]:
            yield (f"{item['begin']}not ({item['value']})",)
        elif (other := _another(item["value"])) is not None:
            yield (item["begin"] + other,)


def _above(rows: list[str], place: int) -> list[str]:
    """The keys that this line is below, the nearest first."""
    depth, keys = len(rows[place]) - len(rows[place].lstrip()), list[str]()
    for row in reversed(rows[:place]):
        found = _BLOCK.fullmatch(row)
        indent = len(row) - len(row.lstrip())
        if row.strip() and (indent < depth or (indent == depth and rows[place].lstrip().startswith("- "))):
            depth = min(depth, indent)
            if found:
                keys.append(found["key"])
    return keys


def _another(value: str) -> str | None:
    if re.fullmatch(r"\d+", value):
        return str(int(value) + 1)
    if value in {"true", "false"}:
        return "false" if value == "true" else "true"
    if re.fullmatch(r'"?[A-Za-z][\w./-]*"?', value):
        return re.sub(r'"?$', lambda end: f"x{end[0]}", value, count=1)
    return None
