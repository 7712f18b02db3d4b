"""NVUE's configuration schema, strictly: only known keys, and every scalar of its type and inside its range.

The tree comes from nvueschema 0.1.0, generated from NVIDIA's OpenAPI documents, one module per release. Its pydantic
models accept unknown keys and turn "9216" into 9216; a switch does neither, so they are read here (published.py).
What the OpenAPI leaves open (the keys of a collection) is in keys.py, each rule with its source.
"""

from __future__ import annotations

import ipaddress
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from ..errors import Problem, TwinError
from . import keys
from .published import Field, Model, Published, Secret

Kind = Literal["unknown-keyword", "wrong-type", "out-of-range"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One value the schema refuses. ``pointer`` is a JSON pointer into the instance that was sent."""

    pointer: str
    message: str
    kind: Kind


@dataclass(slots=True)
class Node:
    """One place of the tree: an object with fixed ``fields``, a collection (``entry``), scalars, or several of them."""

    fields: dict[str, Node] = field(default_factory=dict)
    entry: Node | None = None
    is_empty_object: bool = False
    scalars: tuple[Scalar, ...] = ()
    item: Node | None = None

    @property
    def is_object(self) -> bool:
        """True if a JSON object is valid here."""
        return bool(self.fields) or self.entry is not None or self.is_empty_object

    def child(self, key: str) -> Node | None:
        """The node under a key, or None if there is none."""
        return self.fields.get(key) or self.entry


@dataclass(frozen=True, slots=True)
class Scalar:
    """One kind of value: an enumeration, an integer range, a text or an address."""

    name: Literal["enum", "integer", "text", "ipv4", "ipv6", "number"]
    values: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    is_secret: bool = False

    def refuse(self, value: object) -> tuple[str, Kind] | None:
        """Why this kind refuses the value; None if it accepts it."""
        if self.name == "enum":
            if any(value == known and type(value) is type(known) for known in self.values):
                return None
            kind: Kind = "out-of-range" if any(type(value) is type(known) for known in self.values) else "wrong-type"
            return f"{value!r} is not one of {list(self.values)!r}", kind
        if self.name in ("integer", "number"):
            return self._refuse_number(value)
        if not isinstance(value, str):
            return f"{value!r} is not of type 'string'", "wrong-type"
        return self._refuse_address(value) if self.name in ("ipv4", "ipv6") else self._refuse_text(value)

    def _refuse_number(self, value: object) -> tuple[str, Kind] | None:
        if isinstance(value, bool) or not isinstance(value, int if self.name == "integer" else int | float):
            return f"{value!r} is not of type 'integer'", "wrong-type"
        if self.minimum is not None and value < self.minimum:
            return f"{value!r} is less than the minimum of {self.minimum:g}", "out-of-range"
        if self.maximum is not None and value > self.maximum:
            return f"{value!r} is greater than the maximum of {self.maximum:.0f}", "out-of-range"
        return None

    def _refuse_address(self, value: str) -> tuple[str, Kind] | None:
        try:
            ipaddress.IPv4Address(value) if self.name == "ipv4" else ipaddress.IPv6Address(value)
        except ValueError:
            return f"{value!r} is not a '{self.name}'", "wrong-type"
        return None

    def _refuse_text(self, value: str) -> tuple[str, Kind] | None:
        if self.minimum is not None and len(value) < self.minimum:
            return f"{value!r} is too short", "out-of-range"
        if self.maximum is not None and len(value) > self.maximum:
            return f"{value!r} is too long", "out-of-range"
        if self.pattern is not None and re.search(self.pattern, value) is None:
            return f"{value!r} does not match {self.pattern!r}", "out-of-range"
        return None


class Schema:
    """One release's tree. Compiled lazily per model, so that only used models cost time."""

    def __init__(self, release: str) -> None:
        self.release = release
        self._models: dict[type[Model], Node] = {}
        self._published = _published(release)
        self.root = self._model(self._published.root)

    def mistakes(self, config: object) -> tuple[Mistake, ...]:
        """Every mistake in a subtree of the root. For a null (removal) only the key is checked."""
        return tuple(self._walk(self.root, config, ()))

    def node(self, path: tuple[str, ...]) -> Node | None:
        """The node at a path of keys, or None if there is no such path (unknown word or refused key)."""
        here: Node | None = self.root
        for index, key in enumerate(path):
            if here is None or (key not in here.fields and keys.refuse(path[:index], key) is not None):
                return None
            here = here.child(key)
        return here

    def is_entry(self, path: tuple[str, ...]) -> bool:
        """Is this an entry of a collection, whose key its user chose, and no object of a fixed name?

        What is kept by VRF (``vrf.default``, ``service.ntp.mgmt``) is not: it holds something, or is not there (M).
        """
        if path[:-1] == ("vrf",) or (len(path) == 3 and path[0] == "service"):
            return False
        above = self.node(path[:-1]) if path else None
        return above is not None and above.entry is not None and path[-1] not in above.fields

    def _walk(self, node: Node, value: object, path: tuple[str, ...]) -> Iterator[Mistake]:
        if value is None:
            return
        if isinstance(value, dict) and node.is_object:
            for key, item in value.items():
                yield from self._walk_key(node, key, item, path)
        elif isinstance(value, list) and node.item is not None:
            for index, item in enumerate(value):
                yield from self._walk(node.item, item, (*path, str(index)))
        else:
            yield from _scalar_mistakes(node, value, path)

    def _walk_key(self, node: Node, key: str, value: object, path: tuple[str, ...]) -> Iterator[Mistake]:
        if key in node.fields:
            yield from self._walk(node.fields[key], value, (*path, key))
        elif node.entry is None:
            message = f"Additional properties are not allowed ({key!r} was unexpected)"
            yield Mistake(_pointer(path), message, "unknown-keyword")
        elif (refusal := keys.refuse(path, key)) is not None:
            yield Mistake(_pointer(path), refusal, "out-of-range")
        else:
            yield from self._walk(node.entry, value, (*path, key))

    # -- reading the models ------------------------------------------------------------------------------------------

    def _model(self, model: type[Model]) -> Node:
        if model not in self._models:
            node = self._models[model] = Node()
            for key, annotation, own in self._published.fields_of(model):
                node.fields[key] = self._annotation(annotation, (own,), key)
            node.is_empty_object = not node.fields
        return self._models[model]

    def _annotation(self, annotation: Any, limits: tuple[Field, ...], key: str) -> Node:  # noqa: ANN401  (typing's objects)
        node = Node()
        for kind, own_limits in _alternatives(annotation, limits):
            origin = typing.get_origin(kind)
            if origin is dict:
                self._add_collection(node, typing.get_args(kind)[1], key)
            elif origin is list:
                node.item = self._annotation(typing.get_args(kind)[0], (), key)
            elif isinstance(kind, type) and issubclass(kind, Model):
                return self._model(kind)
            else:
                node.scalars = (*node.scalars, *_scalars(kind, own_limits))
        return node

    def _add_collection(self, node: Node, entry: Any, key: str) -> None:  # noqa: ANN401  (typing's objects)
        if entry is not Any:
            node.entry = self._annotation(entry, (), key)
        elif key in keys.EMPTY_OBJECTS:
            node.is_empty_object = True
        else:
            node.entry = Node(is_empty_object=True)


def _alternatives(annotation: Any, limits: tuple[Field, ...]) -> Iterator[tuple[Any, tuple[Field, ...]]]:  # noqa: ANN401
    """Every member of a (nested, annotated, optional) annotation with its limits."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        inner, *extra = typing.get_args(annotation)
        yield from _alternatives(inner, (*limits, *extra))
    elif origin in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(annotation) if member is not types.NoneType]
        for member in members or [types.NoneType]:
            yield from _alternatives(member, limits)
    else:
        yield annotation, limits


def _scalars(kind: Any, limits: tuple[Field, ...]) -> tuple[Scalar, ...]:  # noqa: ANN401  (typing's objects)
    if typing.get_origin(kind) is Literal:
        return (Scalar("enum", values=typing.get_args(kind)),)
    bounds = _bounds(limits)
    if kind is int:
        return (Scalar("integer", minimum=bounds.get("ge"), maximum=bounds.get("le")),)
    if kind is float:
        return (Scalar("number", minimum=bounds.get("ge"), maximum=bounds.get("le")),)
    if kind is types.NoneType:  # an enumeration of numbers, which the generator dropped
        return (Scalar("integer", minimum=0), Scalar("text"))
    if kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
        return (Scalar("ipv4" if kind is ipaddress.IPv4Address else "ipv6"),)
    return (
        Scalar(
            "text",
            minimum=bounds.get("min_length"),
            maximum=bounds.get("max_length"),
            pattern=bounds.get("pattern"),
            is_secret=kind is Secret,
        ),
    )


def _bounds(limits: tuple[Field, ...]) -> dict[str, Any]:
    """Ranges and patterns from all that stands beside a type."""
    return {key: value for each in limits for key, value in each.limits.items()}


def _scalar_mistakes(node: Node, value: object, path: tuple[str, ...]) -> Iterator[Mistake]:
    refusals = [scalar.refuse(value) for scalar in node.scalars] if not isinstance(value, dict | list) else []
    if any(refusal is None for refusal in refusals):
        return
    found = [refusal for refusal in refusals if refusal is not None]
    if not found:
        expected = "object" if node.is_object else "array" if node.item is not None else "string"
        yield Mistake(_pointer(path), f"{value!r} is not of type '{expected}'", "wrong-type")
        return
    of_type = [refusal for refusal in found if refusal[1] != "wrong-type"]
    numeric = [refusal for refusal in of_type if "imum of" in refusal[0]]
    message, kind = (numeric or of_type or found)[0]
    yield Mistake(_pointer(path), message, kind)


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def _published(release: str) -> Published:
    match = re.match(r"(\d+)\.(\d+)", release)
    name = f"nvueschema.models.v{match[1]}_{match[2]}" if match else ""
    try:
        return Published(name)
    except (ImportError, ValueError) as error:
        raise TwinError(
            Problem(
                "release", f"there is no NVUE schema for release {release!r}", hint="nvueschema 0.1.0 has 5.0 to 5.18"
            )
        ) from error


@lru_cache(maxsize=4)
def schema_for(release: str) -> Schema:
    """The schema of a release such as "5.14" or "5.16.1". Raises TwinError if nvueschema has none."""
    return Schema(".".join(release.split(".")[:2]))


def secret_paths(config: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Paths of the values which NVUE prints as ``*`` (see keys.SECRET_KEYS)."""

    def walk(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if isinstance(value, dict):
            for key, item in value.items():
                yield from walk(item, (*path, key))
        elif path and path[-1] in keys.SECRET_KEYS and isinstance(value, str) and value != "none":
            yield path

    yield from walk(config, ())
