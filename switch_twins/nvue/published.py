"""The classes of nvueschema's modules, read as they are written and never made into pydantic's models.

Making two releases' models, with a validator for every field, takes a second of processor time; their annotations,
which are all that is asked here, are text until they are read.
"""

from __future__ import annotations

import builtins
import importlib.util
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.abc import InspectLoader
from typing import Any


class Model:
    """What stands for pydantic's base class."""


class Secret:
    """What stands for pydantic's secret text."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A field's name in data, if it is another than in Python, and the limits of its values."""

    alias: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)


class Published:
    """What a module of nvueschema defines. Raises ImportError if there is none of this name."""

    def __init__(self, module: str) -> None:
        found = importlib.util.find_spec(module)
        code = found.loader.get_code(module) if found and isinstance(found.loader, InspectLoader) else None
        if code is None:
            raise ImportError(module)
        self._defined: dict[str, Any] = {"__name__": module, "__builtins__": {**vars(builtins), "__import__": _import}}
        exec(code, self._defined)  # noqa: S102  (the package's own code, as its import would run it)
        self._annotations: dict[str, Any] = {}
        """By their texts, most of which stand at many fields."""

    @property
    def root(self) -> type[Model]:
        """The model of a whole configuration."""
        found: type[Model] = self._defined["NvueConfig"]
        return found

    def fields_of(self, model: type[Model]) -> Iterator[tuple[str, Any, Field]]:
        """Each field's key in data, its annotation, and what stands beside that."""
        for name, text in model.__annotations__.items():
            if text not in self._annotations:
                self._annotations[text] = eval(text, self._defined)  # noqa: S307  (likewise)
            own: Field = model.__dict__[name]
            yield own.alias or name, self._annotations[text], own


def _field(_default: object = None, *, alias: str = "", description: str = "", **limits: Any) -> Field:  # noqa: ANN401, ARG001
    return Field(alias, limits)


def _validator(checks: Any) -> Field:  # noqa: ANN401  (a function, or functools.partial of one)
    """Of a function that is told limits, these limits."""
    keywords = getattr(checks, "keywords", {})
    return Field(limits={key: value for key, value in keywords.items() if value is not None})


_PYDANTIC = types.SimpleNamespace(
    AfterValidator=_validator,
    AnyUrl=str,
    BaseModel=Model,
    BeforeValidator=_validator,
    Field=_field,
    FilePath=str,
    SecretStr=Secret,
)


def _import(
    name: str,
    globals_: Mapping[str, object] | None = None,
    locals_: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:  # noqa: ANN401  (a module)
    """As the built-in one, but for pydantic."""
    return _PYDANTIC if name == "pydantic" else builtins.__import__(name, globals_, locals_, fromlist or (), level)
