"""A model of a file with mistakes: what is right in it as itself, everything else as unknown.

pydantic gives either a whole model or none, so one misspelt number would hide every rule that concerns other fields.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from nornir_tasks.intent.core.unknown import UNKNOWN

Model = TypeVar("Model", bound=BaseModel)


Context = Mapping[str, Any]
"""What the validators of single fields are given beside the value (``intent/core/fields.py``)."""


def partial(model: type[Model], data: object, context: Context) -> Model:
    """The model with every field that can be read; the others, and those that are missing, are UNKNOWN."""
    known = data if isinstance(data, Mapping) else {}
    absent = [name for name in model.model_fields if name not in known]
    misspelt = {
        close
        for key in known
        if key not in model.model_fields
        for close in get_close_matches(str(key)[:64], absent, n=1)
    }
    values: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        if name in known:
            values[name] = _value(model, name, info.annotation, known[name], context)
        elif info.is_required() or name in misspelt:
            values[name] = UNKNOWN
        else:
            values[name] = info.get_default(call_default_factory=True)
    return model.model_construct(**values)


def _value(
    model: type[BaseModel],
    name: str,
    hint: Any,  # noqa: ANN401 - any type expression
    data: object,
    context: Context,
) -> Any:  # noqa: ANN401
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if not _holds_models(hint):
        return _leaf(model, name, data, context)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        inner = next(each for each in arguments if _holds_models(each))
        return (
            _value(model, name, inner, data, context)
            if isinstance(data, Mapping)
            else _leaf(model, name, data, context)
        )
    if origin is dict and isinstance(data, Mapping):
        return {key: _value(model, name, arguments[1], item, context) for key, item in data.items()}
    if origin is tuple and isinstance(data, tuple):
        return tuple(_value(model, name, arguments[0], item, context) for item in data)
    return partial(hint, data, context) if origin is None and isinstance(data, Mapping) else UNKNOWN


def _holds_models(hint: Any) -> bool:  # noqa: ANN401
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return True
    return any(_holds_models(each) for each in get_args(hint))


def _leaf(model: type[BaseModel], name: str, data: object, context: Context) -> Any:  # noqa: ANN401
    try:
        return _adapter(model, name).validate_python(data, strict=True, context=dict(context))
    except ValidationError:
        return UNKNOWN


@cache
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    info = model.model_fields[name]
    hint: Any = info.annotation
    for each in info.metadata:
        hint = Annotated[hint, each]
    return TypeAdapter(hint)
