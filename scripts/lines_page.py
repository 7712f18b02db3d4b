"""docs/dev/lines.md: each line shape that is rendered, and the tables that know it.

python scripts/lines_page.py            compare; ends with 1 where the page is another one
python scripts/lines_page.py --write    write the page again
"""

import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from made_page import compare_or_write

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # examples of shapes are the tests'

from nornir_tasks.platforms import platform, platforms  # noqa: E402
from nornir_tasks.platforms.config_tree import Path as Lines  # noqa: E402
from nornir_tasks.platforms.lines import Block, Row, negations, printed_negated, removal  # noqa: E402
from nornir_tasks.platforms.ownership import Key, rule_of  # noqa: E402
from tests.lab.line_shapes import Example, Shape, examples, shapes  # noqa: E402

PAGE = ROOT / "docs" / "dev" / "lines.md"
SYSTEMS = {"eos": "Arista EOS", "nvue": "NVIDIA Cumulus Linux (NVUE)", "nxos": "Cisco NX-OS"}
HEAD = """\
# Lines of configuration

Made by `.venv/bin/python scripts/lines_page.py --write`; `make check` compares, and `tests/lab/test_lines_page.py`
names what is missing. It has every line shape of `templates/<os>/SOURCES.yml`, as the tests' sites render it:

- *template*: the file in `templates/<os>/`;
- *row*: the field that the line's row in `platforms/<os>/parse*.py` fills. *block*: it opens one, *reader*: a function
  reads it with its neighbours. NVUE has no rows; its readers take one key after the other;
- *taken away*: what is typed, where that is not `no` (or `default`) and the line;
- *owner*: how `platforms/<os>/ownership.py` finds whose the line is: by its port, name or address, or
  as the block above it (*enclosing*);
- *disruption*: what `platforms/<os>/disruption.py` says that a change of it does to traffic;
- *source*: where the line was seen.

A shape that no site prints has no row, owner and disruption here: `NOT_PRINTED` in `tests/lab/test_line_shapes.py` has
the reason.
"""


class Line(NamedTuple):
    """What is known of one shape. An empty part is missing."""

    shape: Shape
    row: str
    negation: str
    owner: str
    disruption: str
    source: str


def blocks(os: str) -> tuple[Block, ...]:
    """The tables of a system; NVUE has none."""
    return getattr(importlib.import_module(f"nornir_tasks.platforms.{os}.parse"), "BLOCKS", ())


def row_of(path: Lines, tables: Sequence[Block]) -> Row | None:
    """The row that reads the last line of a path."""
    *above, line = path
    for block in tables:
        if len(block.above) == len(above) and all(map(re.match, block.above, above)):
            for row in block.rows:
                if re.fullmatch(f"{block.before}(?:{row.pattern.pattern})" if block.before else row.pattern, line):
                    return row
    return None


def lines() -> Iterator[Line]:
    """All shapes, in the order of the systems and of SOURCES.yml."""
    for os in sorted(platforms()):
        sources = {
            (entry["section"], entry["shape"]): f"{entry['source']} ({entry['confidence']})"
            for entry in yaml.safe_load((ROOT / "templates" / os / "SOURCES.yml").read_text(encoding="utf-8"))
        }
        for shape in (each for each in shapes() if each.os == os):
            example = examples().get(shape)
            known = ("", "", "", "") if example is None else _known(example)
            yield Line(shape, *known, sources[shape.section, shape.text])


def _known(example: Example) -> tuple[str, str, str, str]:
    """Row, negation, owner and disruption of a line."""
    os, path = example.switch.config.os, example.lines
    node = example.switch.written().get(*path)
    if os == "nvue":
        row = "reader"
    elif found := row_of(path, blocks(os)):
        row = found.field
    else:
        row = "block" if node is not None and node.children else "reader"
    return row, _negation(os, path), _owner(os, path), _disruption(os, path)


def _negation(os: str, path: Lines) -> str:
    if os == "eos":
        return removal(path, negations(blocks(os))) or ""
    return f"prints no {path[-1]}" if os == "nxos" and path[-1] in printed_negated(blocks(os)) else ""


def _owner(os: str, path: Lines) -> Key | str:
    """The key of the line's rule, or of the block's that it is in."""
    rules = platform(os).ownership
    found = (rule_of(path[:end], rules) for end in range(len(path), 0, -1))
    return next((each.by for each in found if each is not None), "")


def _disruption(os: str, path: Lines) -> str:
    classes = importlib.import_module(f"nornir_tasks.platforms.{os}.disruption").CLASSES
    line = " / ".join(path)
    return next((each.name.lower().replace("_", " ") for pattern, each in classes if re.fullmatch(pattern, line)), "")


def page() -> str:
    """The whole page."""
    found = list(lines())
    return "".join((HEAD, *(part for os in sorted(platforms()) for part in _table(os, found))))


def _table(os: str, found: Sequence[Line]) -> Iterator[str]:
    yield f"\n## {SYSTEMS[os]}\n\n| line | template | row | taken away | owner | disruption | source |\n|{'---|' * 7}\n"
    for each in found:
        if each.shape.os == os:
            line = _code(each.shape.path or each.shape.text)
            negation = _code(each.negation.replace("\n", " ")) if each.negation else ""
            parts = (line, each.shape.section, each.row, negation, each.owner, each.disruption, _cell(each.source))
            yield f"| {' | '.join(parts)} |\n"


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "the tables of lines"))
