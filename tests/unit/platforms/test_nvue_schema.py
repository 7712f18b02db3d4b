"""What we render against NVIDIA's published schema, read strictly: an unknown key, a wrong type or range is refused.

nvueschema's own models take unknown keys and turn "9216" into 9216, so this walk reads their fields itself.
"""

import importlib
import ipaddress
import types
import typing

import pytest
from annotated_types import Ge, Le
from hypothesis import HealthCheck, given, settings
from nvue_examples import EXAMPLES, configs, leaf, rendered
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from nornir_tasks.platforms.nvue.tree import to_data, to_tree

ROOTS = {
    release: importlib.import_module(f"nvueschema.models.v{release.replace('.', '_')}").NvueConfig
    for release in ("5.14", "5.16")
}


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
    if typing.get_origin(kind) is typing.Literal:
        return any(value == known and type(value) is type(known) for known in typing.get_args(kind))
    if kind is int:
        inside = isinstance(value, int) and not isinstance(value, bool)
        return inside and all(
            (not isinstance(limit, Ge) or value >= limit.ge) and (not isinstance(limit, Le) or value <= limit.le)
            for limit in limits
        )
    if kind is ipaddress.IPv4Address:
        return isinstance(value, str) and bool(ipaddress.IPv4Address(value))
    return kind is str and isinstance(value, str)


def mistakes(value: object, annotation: object, path: str = "") -> list[str]:
    """Where the value is not what the schema says, to the letter."""
    members = kinds(annotation)
    if not isinstance(value, dict):
        return [] if any(fits(value, *member) for member in members) else [f"{path}: {value!r}"]
    for kind, _ in members:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            known = {info.alias or name: info for name, info in kind.model_fields.items()}
            return [
                problem
                for key, below in value.items()
                for problem in (
                    mistakes(below, known[key].annotation, f"{path}/{key}")
                    if key in known
                    else [f"{path}/{key} is unknown"]
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_knows_every_key_and_value_we_render(name: str) -> None:
    config = EXAMPLES[name]
    assert mistakes(to_data(to_tree(rendered(config))), ROOTS[config.release]) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(configs())
def test_the_schema_takes_any_configuration_we_can_be_asked_for(config) -> None:
    assert mistakes(to_data(to_tree(rendered(config))), ROOTS[config.release]) == []


def test_the_walk_refuses_what_the_models_would_let_by() -> None:
    data = to_data(to_tree(rendered(leaf("5.14"))))
    assert mistakes(data, ROOTS["5.16"])
    data["interface"]["swp1"]["link"]["mtu"] = "9216"
    data["qos"]["roce"]["made-up"] = 1
    data["vrf"]["default"]["router"]["bgp"]["address-family"]["ipv4-unicast"]["multipaths"]["ebgp"] = 129
    assert len(mistakes(data, ROOTS["5.14"])) == 3
