"""docs/errors.md: every exception class with its exit code, and the commonest problems, as nornir explain says them.

python scripts/errors_page.py            compare; ends with 1 where the page is another one
python scripts/errors_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from made_page import compare_or_write

from nornir_tasks.cli.explanations import Explanation, errors

PAGE = Path(__file__).parents[1] / "docs" / "errors.md"

HEAD = """\
# Errors by code

Made by `.venv/bin/python scripts/errors_page.py --write` from `nornir_tasks/errors.py` and
`nornir_tasks/cli/explanations.toml`; `make check` compares. `nornir explain CODE` prints one of them, and takes the
text of a message in quotes as well. With `--json` an error names its `code`, and each problem of it that is below.

Names of checks ([checks.md](checks.md)) and of proofs ([proofs.md](proofs.md)) are codes of `nornir explain`, too.

## Kinds, with their exit codes
"""
PROBLEMS = """
## The commonest problems

"Text" is what the message says.
"""


def page() -> str:
    """The whole page."""
    every = tuple(errors())
    kinds = "".join(line for each in every if each.kind == "error" for line in _section(each))
    return (
        HEAD + kinds + PROBLEMS + "".join(line for each in every if each.kind == "problem" for line in _section(each))
    )


def _section(each: Explanation) -> Iterator[str]:
    yield f"\n### `{each.code}`" + ("" if each.exit_code is None else f": exit code {each.exit_code}") + "\n\n"
    for title, text in each.rows:
        yield f"{title.capitalize()}: `{text}`\n\n"
    yield f"{each.means}\n\n"
    yield f"- Usual causes: {'; '.join(each.causes)}.\n- What to do: {'; '.join(each.do)}.\n"


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "as nornir explain says"))
