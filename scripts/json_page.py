"""docs/json.md: every key of every JSON document of the command line, made from nornir_tasks/cli/contracts/.

python scripts/json_page.py            compare; ends with 1 where the page is another one, or a key went in one version
python scripts/json_page.py --write    write the page again, which is refused where a key went in one version
"""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from made_page import compare_or_write

from nornir_tasks.cli.contracts.envelope import Envelope
from nornir_tasks.cli.json_documents import DOCUMENTS, schema_of

PAGE = Path(__file__).parents[1] / "docs" / "json.md"

HEAD = """\
# JSON

Made by `.venv/bin/python scripts/json_page.py --write` from `nornir_tasks/cli/contracts/`; `make check`
compares.

Every verb takes `--json` and prints one document on standard output. Its exit code is the same as without. Words for
people (which folder was taken, warnings, errors) stay on standard error. `nornir schema NAME` prints the JSON Schema
(2020-12) of a document; `nornir schema` lists the names.

A verb that fails or is refused prints its own document where it has one (`validate` with what failed, `push` with the
switches that failed), and `error` otherwise, for a wrong command line too. Its `kind` and the exit code are stable, as
is `code`, which `nornir explain` takes. The words of `what` and `hint` are not: they get better.

Within a version keys are only added, and values keep their type and meaning. So take no offence at a key that you do
not know. A key that goes raises the `version` of that document, which CHANGELOG.md says; this page's keys are compared.

Below, `?` is a key that may be absent, `[]` each of a list, `{}` each of a mapping by name. All documents begin with:
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, _table(_envelope()), *(_section(name) for name in DOCUMENTS)]
    return "\n".join(parts)


def _envelope() -> list[tuple[str, str, str]]:
    return [row for row in _rows(schema_of("error")) if row[0].rstrip("?") in Envelope.__annotations__]


def _section(name: str) -> str:
    schema = schema_of(name)
    rows = [row for row in _rows(schema) if re.split(r"[?.\[{]", row[0])[0] not in Envelope.__annotations__]
    version = schema["properties"]["version"]["const"]
    return f"\n## `{name}`, version {version}\n\n{schema['description'].replace('``', '`')}\n\n{_table(rows)}"


def _table(rows: list[tuple[str, str, str]]) -> str:
    head = "| key | type | meaning |\n|---|---|---|\n"
    return head + "".join(f"| `{key}` | {kind} | {meaning} |\n" for key, kind, meaning in rows)


def _rows(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    yield from _keys(schema, schema.get("$defs", {}), "")


def _keys(part: Mapping[str, Any], named: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    part = _of(part, named)
    for one in part.get("anyOf", ()):
        yield from _keys(one, named, path)
    for key, below in part.get("properties", {}).items():
        at = f"{path}.{key}".lstrip(".") + ("" if key in part.get("required", ()) else "?")
        inner = _of(below.get("items", below), named)
        meaning = below.get("description") or _of(below, named).get("description") or inner.get("description", "")
        yield at, _type(below, named), " ".join(meaning.replace("``", "`").split())
        yield from _keys(below, named, at)
    for container, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(part.get(container), Mapping):
            yield from _keys(part[container], named, path + mark)


def _of(part: Mapping[str, Any], named: Mapping[str, Any]) -> Mapping[str, Any]:
    return named[part["$ref"].rpartition("/")[2]] if "$ref" in part else part


def _type(part: Mapping[str, Any], named: Mapping[str, Any]) -> str:
    part = _of(part, named)
    if "anyOf" in part:
        return " or ".join(_type(each, named) for each in part["anyOf"])
    if words := part.get("enum"):
        return " or ".join(f"`{each}`" for each in words)
    kind = str(part.get("type", "any"))
    inner = {"array": part.get("items"), "object": part.get("additionalProperties")}.get(kind)
    return f"{kind} of {_type(inner, named)}" if isinstance(inner, Mapping) and inner else kind


def gone(before: str, after: str) -> list[str]:
    """Keys of the page that are not there any more, or of another type, though their document has the same version."""
    old, new = _by_version(before), _by_version(after)
    return [
        f"{document}: {key} ({old[document][key]}) is now {new[document].get(key, 'gone')}: raise its version"
        for document in old.keys() & new.keys()
        for key in old[document]
        if old[document][key] != new[document].get(key)
    ]


def _by_version(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {"": {}}
    document = ""
    for line in text.splitlines():
        if line.startswith("## "):
            document = line.removeprefix("## ")
            found[document] = {}
        elif row := re.match(r"\| `(.+?)` \| (.*?) \|", line):
            found[document][row[1]] = row[2]
    return found


if __name__ == "__main__":
    made = page()
    if mistakes := gone(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "", made):
        sys.exit("\n".join(mistakes))
    sys.exit(compare_or_write(PAGE, made, "as the documents say"))
