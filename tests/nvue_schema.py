"""NVIDIA's published NVUE schema, read strictly: an unknown key, a wrong type or range is a mistake.

nvueschema's own models take unknown keys and turn "9216" into 9216, so this walk reads their fields itself.
"""

import functools
import importlib
import ipaddress
import types
import typing
from collections.abc import Iterator, Mapping

from annotated_types import Ge, Le
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

RELEASES = ("5.13", "5.14", "5.15", "5.16", "5.17", "5.18")


class _Roots(Mapping[str, type[BaseModel]]):
    """Each is made where it is asked for first: that takes half a second."""

    def __getitem__(self, release: str) -> type[BaseModel]:
        if release not in RELEASES:
            raise KeyError(release)
        return importlib.import_module(f"nvueschema.models.v{release.replace('.', '_')}").NvueConfig

    def __iter__(self) -> Iterator[str]:
        return iter(RELEASES)

    def __len__(self) -> int:
        return len(RELEASES)


ROOTS = _Roots()


ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network)

_MEMBERS: dict[int, tuple[object, list[tuple[object, tuple]]]] = {}
"""By the annotation's id; each is kept, so that no id is given twice."""


def members_of(annotation: object) -> list[tuple[object, tuple]]:
    """Its kinds, looked up once: every key of every switch comes by here."""
    if id(annotation) not in _MEMBERS:
        _MEMBERS[id(annotation)] = (annotation, kinds(annotation))
    return _MEMBERS[id(annotation)][1]


@functools.cache
def fields_of(model: type[BaseModel]) -> dict[str, object]:
    """A model's annotations by the key they have in data."""
    return {info.alias or name: info.annotation for name, info in model.model_fields.items()}


def kinds(annotation: object, limits: tuple = ()) -> list[tuple[object, tuple]]:
    """Every member of an annotation with the limits that stand on it."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        inner, *extra = typing.get_args(annotation)
        flat = [each for item in extra for each in (item.metadata if isinstance(item, FieldInfo) else [item])]
        return kinds(inner, (*limits, *flat))
    if origin in (typing.Union, types.UnionType):
        return [kind for member in typing.get_args(annotation) for kind in kinds(member, limits)]
    return [(annotation, limits)]


def fits(value: object, kind: object, limits: tuple) -> bool:
    if typing.get_origin(kind) is list:
        (entry,) = typing.get_args(kind)
        members = members_of(entry)
        return isinstance(value, list) and all(any(fits(each, *member) for member in members) for each in value)
    if kind is SecretStr:  # its value is put in where it is sent
        return isinstance(value, str)
    if typing.get_origin(kind) is typing.Literal:
        return any(value == known and type(value) is type(known) for known in typing.get_args(kind))
    if kind is int:
        inside = isinstance(value, int) and not isinstance(value, bool)
        return inside and all(
            (not isinstance(limit, Ge) or value >= limit.ge) and (not isinstance(limit, Le) or value <= limit.le)
            for limit in limits
        )
    if isinstance(kind, type) and kind in ADDRESSES:
        return isinstance(value, str) and reads_as(value, kind)
    return kind is str and isinstance(value, str)


def reads_as(value: str, kind: type) -> bool:
    try:
        kind(value)
    except ValueError:
        return False
    return True


def mistakes(value: object, annotation: object, path: str = "") -> list[str]:
    """Where the value is not what the schema says, to the letter."""
    members = members_of(annotation)
    if not isinstance(value, dict):
        return [] if any(fits(value, *member) for member in members) else [f"{path}: {value!r}"]
    for kind, _ in members:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            known = fields_of(kind)
            return [
                problem
                for key, below in value.items()
                for problem in (
                    mistakes(below, known[key], f"{path}/{key}") if key in known else [f"{path}/{key} is unknown"]
                )
            ]
        if typing.get_origin(kind) is dict:
            entry = typing.get_args(kind)[1]
            return [
                problem
                for key, below in value.items()
                for problem in ([] if entry is typing.Any and below == {} else mistakes(below, entry, f"{path}/{key}"))
            ]
    return [f"{path}: a mapping"]
