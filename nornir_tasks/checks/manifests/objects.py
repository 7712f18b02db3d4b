"""Objects of a cluster, each value with the line of the file that it stands in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.intent.core.findings import Marks, Path


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object."""

    data: Mapping[str, Any]
    marks: Marks
    top: Path = ()
    """Where it begins in its document; items of a list begin further down."""

    @property
    def kind(self) -> str:
        return str(self.data.get("kind", ""))

    @property
    def name(self) -> str:
        return str(self.value("metadata", "name") or "")

    @property
    def namespace(self) -> str:
        return str(self.value("metadata", "namespace") or "")

    @property
    def label(self) -> str:
        """Kind, namespace and name, as kubectl has them."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    def value(self, *path: str | int) -> Any:  # noqa: ANN401 - whatever the file says
        """The value at a path; None where there is none."""
        return at(self.data, *path)

    def where(self, *path: str | int) -> str:
        """File and line of the value at a path, or of the closest thing above it."""
        return f"{self.marks.file}:{self.marks.line((*self.top, *path))}"


def at(value: Any, *path: str | int) -> Any:  # noqa: ANN401
    """The value at a path below another; None where there is none."""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, tuple | list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def items(value: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """The items of a list; none of anything else."""
    return tuple(value) if isinstance(value, tuple | list) else ()


def texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Those items of a list that are text."""
    return tuple(each for each in items(value) if isinstance(each, str))


def from_json(text: Any) -> Any:  # noqa: ANN401
    """What a JSON text holds; None for what is no JSON."""
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_number(value: Any) -> int | None:  # noqa: ANN401
    """A whole number, also one that is written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        return int(str(value), 0)
    except ValueError:
        return None


def plugins(config: Any) -> Iterator[tuple[Mapping[str, Any], tuple[str | int, ...]]]:  # noqa: ANN401
    """The plug-ins of a CNI configuration, each with its path in there: a chain, or a single one."""
    chain = items(at(config, "plugins"))
    for number, each in enumerate(chain):
        if isinstance(each, Mapping):
            yield each, ("plugins", number)
    if not chain and isinstance(config, Mapping):
        yield config, ()
