"""A page of docs/ that is made: compared with what is there, or written."""

import difflib
import sys
from pathlib import Path


def compare_or_write(file: Path, made: str, source: str) -> int:
    """With ``--write`` among the arguments the page is written; else 1 where it differs, which is printed."""
    if "--write" in sys.argv[1:]:
        file.write_text(made, encoding="utf-8")
        return 0
    there = file.read_text(encoding="utf-8") if file.exists() else ""
    name = str(file.relative_to(Path(__file__).parents[1]))
    found = list(difflib.unified_diff(there.splitlines(), made.splitlines(), name, source, lineterm=""))
    if found:
        sys.stdout.write("\n".join((*found, f"{name}: write it again with {sys.argv[0]} --write", "")))
    return 1 if found else 0
