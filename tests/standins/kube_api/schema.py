"""What an API server does with the fields of a custom resource: defaults, unknown ones, values that are not allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import celpy

Schema = dict[str, Any]
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
INT32 = 2**31
ALWAYS = {"apiVersion", "kind", "metadata"}
BOUNDS = {"minimum": 1, "minLength": 1, "minItems": 1, "maximum": -1, "maxLength": -1, "maxItems": -1}


def unknown_fields(value: Any, schema: Schema, path: str = "") -> Iterator[str]:
    """Fields that the schema does not have."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from unknown_fields(each, schema.get("items", {}), f"{path}[{number}]")
    if not isinstance(value, dict) or schema.get("x-kubernetes-int-or-string"):
        return
    for key, each in value.items():
        name = f"{path}.{key}" if path else key
        if path == "" and key in ALWAYS:
            continue
        below = _field(schema, key)
        if below is not None:
            yield from unknown_fields(each, below, name)
        elif not schema.get("x-kubernetes-preserve-unknown-fields"):
            yield name


def _field(schema: Schema, key: str) -> Schema | None:
    below = schema.get("properties", {}).get(key)
    if below is None and isinstance(schema.get("additionalProperties"), dict):
        below = schema["additionalProperties"]
    return below


def pruned(value: Any, schema: Schema, is_root: bool = True) -> Any:
    """The same without unknown fields, and with defaults."""
    if isinstance(value, list):
        return [pruned(each, schema.get("items", {}), False) for each in value]
    if not isinstance(value, dict) or schema.get("x-kubernetes-int-or-string"):
        return value
    keeps = schema.get("x-kubernetes-preserve-unknown-fields")
    kept = {}
    for key, each in value.items():
        below = _field(schema, key)
        if (is_root and key in ALWAYS) or (below is None and keeps):
            kept[key] = each
        elif below is not None:
            kept[key] = pruned(each, below, False)
    for key, below in schema.get("properties", {}).items():
        if key not in kept and "default" in below:
            kept[key] = below["default"]
    return kept


def causes(value: Any, schema: Schema, path: str = "") -> Iterator[str]:
    """Why an API server refuses a value, in its words."""
    expected = schema.get("type")
    if expected and (not isinstance(value, TYPES[expected]) or (isinstance(value, bool) and expected != "boolean")):
        found = _type_name(value)
        yield f'{path}: Invalid value: "{found}": {path} in body must be of type {expected}: "{found}"'
        return
    yield from _limits(value, schema, path)
    below: list[str] = []
    if isinstance(value, dict):
        below = [f"{_join(path, key)}: Required value" for key in schema.get("required", ()) if key not in value]
        for key, each in value.items():
            found = _field(schema, key)
            if found is not None and not (path == "" and key in ALWAYS):
                below += causes(each, found, _join(path, key))
    elif isinstance(value, list):
        below = [
            cause for at, each in enumerate(value) for cause in causes(each, schema.get("items", {}), f"{path}[{at}]")
        ]
    yield from below
    if not below:
        for rule in schema.get("x-kubernetes-validations", ()):
            if not _holds(rule["rule"], value):
                message = rule.get("message") or f"failed rule: {rule['rule']}"
                yield f'{path}: Invalid value: "{_type_name(value)}": {message}'


def _limits(value: Any, schema: Schema, path: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(f'"{each}"' for each in schema["enum"])
        yield f'{path}: Unsupported value: "{value}": supported values: {allowed}'
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{path}: Invalid value: \"{value}\": {path} in body should match '{schema['pattern']}'"
    if schema.get("format") == "int32" and not -INT32 <= value < INT32:
        yield f"{path}: Invalid value: {value}: {path} in body must be of type int32"
    size = value if isinstance(value, (int, float)) else len(value) if value is not None else 0
    for bound, sign in BOUNDS.items():
        if bound in schema and sign * size < sign * schema[bound]:
            yield f"{path}: Invalid value: {value!r}: {path} in body has {bound} {schema[bound]}"


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _type_name(value: Any) -> str:
    return next((name for name, types in TYPES.items() if type(value) in types), "null")


@cache
def _program(rule: str) -> Any:
    environment = celpy.Environment()
    return environment.program(environment.compile(rule))


def _holds(rule: str, value: Any) -> bool:
    """A CEL rule, by cel-python: the one thing here that the standard library has not."""
    return bool(_program(rule).evaluate({"self": celpy.json_to_cel(value)}))
