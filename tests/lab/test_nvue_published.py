"""The lab's schema of NVUE says what pydantic makes of the same published models."""

from __future__ import annotations

import types
import typing

import pytest
from annotated_types import Ge, Le
from pydantic import BaseModel

from switch_twins.nvue.schema import Node, schema_for
from tests.nvue_schema import ROOTS, kinds

RANGES = {int: "integer", float: "number"}


@pytest.mark.parametrize("release", ["5.14", "5.16"])
def test_every_key_choice_and_range_is_that_of_the_published_model(release: str) -> None:
    seen = set[type[BaseModel]]()
    compare(ROOTS[release], schema_for(release).root, seen)
    assert len(seen) > 700


def compare(model: type[BaseModel], node: Node, seen: set[type[BaseModel]]) -> None:
    if model in seen:
        return
    seen.add(model)
    fields = {info.alias or name: info for name, info in model.model_fields.items()}
    assert list(node.fields) == list(fields), model
    for key, info in fields.items():
        values(kinds(info.annotation, tuple(info.metadata)), node.fields[key], seen)


def values(members: list[tuple[object, tuple]], node: Node, seen: set[type[BaseModel]]) -> None:
    choices, ranges = [], []
    for kind, limits in members:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            compare(kind, node, seen)
        elif typing.get_origin(kind) is dict:
            entry = typing.get_args(kind)[1]
            if entry is not typing.Any:
                assert node.entry is not None
                values(kinds(entry), node.entry, seen)
        elif typing.get_origin(kind) is list:
            assert node.item is not None
            values(kinds(typing.get_args(kind)[0]), node.item, seen)
        elif typing.get_origin(kind) is typing.Literal:
            choices.append(typing.get_args(kind))
        elif kind in RANGES:
            least = next((each.ge for each in limits if isinstance(each, Ge)), None)
            most = next((each.le for each in limits if isinstance(each, Le)), None)
            ranges.append((RANGES[kind], least, most))
    has_numbers_unnamed = [kind for kind, _ in members] == [types.NoneType]  # schema.py: an enumeration dropped
    assert [each.values for each in node.scalars if each.name == "enum"] == choices
    if not has_numbers_unnamed:
        numbers = [(each.name, each.minimum, each.maximum) for each in node.scalars if each.name in RANGES.values()]
        assert numbers == ranges
