"""docs/intent.md: every key of fabric.yml, made from what the model of the intent says of itself.

python scripts/intent_page.py            compare; ends with 1 where the page is another one
python scripts/intent_page.py --write    write the page again
"""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml
from annotated_types import Ge, Gt, Le, MinLen
from made_page import compare_or_write
from pydantic.fields import FieldInfo

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.intent.core.field_texts import meaning
from nornir_tasks.intent.core.fields import Unit, Written
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.core.secret_name import Secret
from nornir_tasks.intent.keys.boundary import UpstreamIntent
from nornir_tasks.intent.keys.edge import TcpAoIntent
from nornir_tasks.intent.keys.fabric import CoreIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import names

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "intent.md"
LAB = ROOT / "inventory" / "lab-rails" / "fabric.yml"
EXAMPLES = ROOT / "nornir_tasks" / "intent" / "examples.yml"
"""What the lab's file does not say: name -> what to write over it."""

HEAD = """\
# The intent: `fabric.yml`

Made by `.venv/bin/python scripts/intent_page.py --write` from what the model says of itself in `nornir_tasks/intent/`;
`make check` compares. Two whole files with their comments: a compute plane alone,
[inventory/lab-rails/fabric.yml](../inventory/lab-rails/fabric.yml), and one with storage and business,
[inventory/lab/fabric.yml](../inventory/lab/fabric.yml). The examples are from the first or, where it does not have a
key, from `nornir_tasks/intent/examples.yml`. What was called otherwise before is in [CHANGELOG.md](../CHANGELOG.md),
under "Changed".

A key that is not on this page is refused, with what it may have meant; so is a number where a text is asked for. All
mistakes of a file are told at once, each with its line. Names are lower-case letters, digits, `-` and `_`, and begin
with a letter. A switch OS is one of {systems}; a kind of plane one of {planes}.
"""

PLACES = {
    "classes": "<class>",
    "fabrics": "<fabric>",
    "planes": "<plane>",
    "hosts": "<group>",
    "nics": "<plane>",
    "accounts": "<account>",
    "zones": "<zone>",
    "upstreams": "<upstream>",
}
"""Key of a mapping -> how this page calls one of it."""

_NO_SYSTEM = "none: no system has it yet that can be an edge router"
NEVER = {
    (CoreIntent, "uplink_breakout"): "none: a core is the highest tier",
    (UpstreamIntent, "ao"): _NO_SYSTEM,
    (TcpAoIntent, "key"): "`key: !secret isp-a-ao`",
    (TcpAoIntent, "key_id"): "`key_id: 1`",
    (TcpAoIntent, "algorithm"): "`algorithm: hmac-sha-1-96`",
}
"""Keys that are refused, for what a part has from another one or for want of a system, and what stands in place of an
example that a site is designed with."""

LONGEST_PART = 90
"""Characters of an example of a whole part; a longer one is left to the section of that part."""

Kind = type[Part]
Values = dict[tuple[Kind, str], Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One row."""

    owner: Kind
    name: str
    info: FieldInfo

    @property
    def meaning(self) -> str:
        """The text below the field, in the class that it stands in; empty if there is none."""
        return meaning(self.owner, self.name)

    @property
    def hint(self) -> Any:  # noqa: ANN401 - any type expression
        """The type, with all that is said beside it."""
        hint, metadata = self.info.annotation, tuple(self.info.metadata)
        return Annotated[(hint, *metadata)] if metadata else hint  # type: ignore[return-value]


def keys(kind: Kind) -> tuple[Key, ...]:
    """Of one part, in the order of the model."""
    return tuple(Key(kind, name, info) for name, info in kind.model_fields.items())


def sections(kind: Kind = Intent, path: str = "") -> dict[Kind, str]:
    """Every part below, in the order of the file, with the first path it stands at."""
    found = {kind: path}
    for key in keys(kind):
        for below, at in _parts(key.hint, f"{path}.{key.name}".lstrip("."), key.name):
            for part, where in sections(below, at).items():
                found.setdefault(part, where)
    return found


def _parts(hint: Any, path: str, name: str) -> Iterator[tuple[Kind, str]]:  # noqa: ANN401
    """The parts that may stand at a key, each with its path."""
    if isinstance(hint, type) and issubclass(hint, Part):
        yield hint, path
    origin = get_origin(hint)
    step = {dict: f".{PLACES.get(name, '<name>')}", tuple: "[]"}.get(origin, "")
    for each in get_args(hint)[:1] if origin is Annotated else get_args(hint):
        yield from _parts(each, path + step, name)


def examples() -> Values:
    """A value of every key that stands in the lab's file, or else in the examples beside the model."""
    found: Values = {}
    for data in (read_marked(LAB).data, *read_marked(EXAMPLES).data.values()):
        for where, value in _values(Intent, data):
            found.setdefault(where, value)
    return found


def _values(kind: Kind, data: Mapping[str, Any]) -> Iterator[tuple[tuple[Kind, str], Any]]:
    for key in keys(kind):
        if data.get(key.name) is not None:
            yield (kind, key.name), data[key.name]
            for below, _ in _parts(key.hint, "", ""):
                for each in _mappings(data[key.name], key.hint):
                    yield from _values(below, each)


def _mappings(value: Any, hint: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401
    """What of a value is read as a part: itself, or all that is in it."""
    origins = {get_origin(each) for each in (hint, *get_args(hint))}
    several = value.values() if dict in origins else value if isinstance(value, tuple) else (value,)
    yield from (each for each in several if isinstance(each, Mapping))


def page() -> str:
    """The whole page."""
    at, shown = sections(), examples()
    head = HEAD.format(systems=_named(names()), planes=_named(kinds().planes))
    return head + "".join(_section(kind, path, at, shown) for kind, path in at.items())


def _named(found: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in found)


def _section(kind: Kind, path: str, at: Mapping[Kind, str], shown: Values) -> str:
    rows = "".join(_row(key, at, shown) for key in keys(kind))
    moved = "".join(f"- `{name}` does not stand here; write: {_prose(text)}\n" for name, text in kind.elsewhere.items())
    return (
        f"\n## {_title(path)}\n\n{_prose(inspect.getdoc(kind) or '')}\n\n"
        f"| key | type | default | meaning | example |\n|---|---|---|---|---|\n{rows}" + (f"\n{moved}" if moved else "")
    )


def _title(path: str) -> str:
    return f"`{path}`" if path else "The site"


def _row(key: Key, at: Mapping[Kind, str], shown: Values) -> str:
    cells = (f"`{key.name}`", words(key.hint, at), _default(key.info), _prose(key.meaning), _shown(key, at, shown))
    return f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |\n"


def _shown(key: Key, at: Mapping[Kind, str], shown: Values) -> str:
    if (key.owner, key.name) in NEVER:
        return NEVER[key.owner, key.name]
    below, text = [kind for kind, _ in _parts(key.hint, "", "")], example(key, shown)
    return f"see {_link(at[below[0]])}" if below and len(text) > LONGEST_PART else f"`{text}`"


def example(key: Key, shown: Values) -> str:
    """``key: value`` in YAML, on one line."""
    value = {key.name: _listed(shown[key.owner, key.name])}
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=10**6, sort_keys=False).strip()[1:-1]
    return re.sub(r"!secret '([^']+)'", r"!secret \1", text)


class _Dumper(yaml.SafeDumper):
    """Knows secrets by their names as well."""


def dump(value: Any) -> str:  # noqa: ANN401 - whatever an example holds
    """An example as a file."""
    return yaml.dump(value, Dumper=_Dumper)


_Dumper.add_representer(Secret, lambda dumper, secret: dumper.represent_scalar("!secret", secret.name))


def _listed(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def _prose(text: str) -> str:
    """A docstring as one line of Markdown."""
    text = " ".join(text.split()).replace("``", "`")
    parts = text.split("`")
    return "`".join(part if number % 2 else part.replace("<", "&lt;") for number, part in enumerate(parts))


def _link(path: str) -> str:
    return f"[{_title(path)}](#{anchor(path)})"


def anchor(path: str) -> str:
    """What GitHub calls a section: letters, digits, dashes and underscores of its title."""
    return re.sub(r"[^a-z0-9_-]", "", (path or "the-site").lower())


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.get_default(call_default_factory=True)
    if isinstance(value, Part):
        return "all of its defaults"
    if value is None or value in ((), {}):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else f'{value:g}' if isinstance(value, float) else value}`"


PLAIN = {bool: "`true` or `false`", int: "whole number", float: "number", str: "text"}


def words(hint: Any, at: Mapping[Kind, str]) -> str:  # noqa: ANN401
    """A type in an operator's words."""
    origin, inside = get_origin(hint), get_args(hint)
    if not inside:
        return _link(at[hint]) if issubclass(hint, Part) else PLAIN[hint]
    if origin is Annotated:
        return _annotated(hint, at)
    if origin is Literal:
        return " or ".join(f"`{each}`" for each in inside)
    if origin in (Union, UnionType):
        return ", or ".join(words(each, at) for each in inside if each is not type(None))
    if origin is tuple:
        return f"list of: {words(inside[0], at)}"
    return f"{words(inside[0], at)} -> {words(inside[1], at)}"


def _annotated(hint: Any, at: Mapping[Kind, str]) -> str:  # noqa: ANN401
    kind, *beside = get_args(hint)
    metadata = [each for one in beside for each in (one.metadata if isinstance(one, FieldInfo) else (one,))]
    written = next((each.words for each in metadata if isinstance(each, Written)), "")
    return written or words(kind, at) + _bounds(metadata)


def _bounds(metadata: list[Any]) -> str:
    found = {type(each): each for each in metadata}
    unit = f" {found[Unit].name}" if Unit in found else ""
    if Ge in found and Le in found:
        return f", {found[Ge].ge}-{found[Le].le}{unit}"
    if Gt in found and Le in found:
        return f", above {found[Gt].gt}, up to {found[Le].le}{unit}"
    return ", at least one" if MinLen in found else unit


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "as the model says"))
